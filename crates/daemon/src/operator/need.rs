//! `liaison need`.

use super::{Server, lines};
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use liaison_api::{AmendNeed, NeedView, RegisterNeed};
use liaison_core::id::NeedId;
use std::{io::Read, path::PathBuf, time::Duration};

/// A registration is a page of text; one that is longer than this is the wrong file.
const LONGEST_REQUEST: u64 = 1 << 20;

/// What to do with needs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Register the need that a JSON file describes; `-` is standard input.
    Register {
        /// The file.
        file: PathBuf,
        /// The same key and file register one need, however often.
        #[arg(long)]
        idempotency_key: Option<String>,
    },
    /// Show a need.
    Show {
        /// Its id.
        id: String,
    },
    /// List the latest needs.
    List {
        /// At most this many.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Wait for a need's outcome.
    Wait {
        /// Its id.
        id: String,
        /// Give up after this many seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Amend an open need as a JSON file describes; `-` is standard input.
    Amend {
        /// Its id.
        id: String,
        /// The file.
        file: PathBuf,
        /// With the same key and file it is amended once, however often.
        #[arg(long)]
        idempotency_key: Option<String>,
    },
    /// Cancel a need.
    Cancel {
        /// Its id.
        id: String,
    },
}

/// Does what was asked.
pub(crate) async fn run(server: &Server, command: Command) -> Result<()> {
    let client = server.client()?;
    match command {
        Command::Register {
            file,
            idempotency_key,
        } => {
            let request: RegisterNeed = serde_json::from_str(&read(&file)?)
                .with_context(|| format!("{} is not the description of a need", file.display()))?;
            let handle = client.register(&request, idempotency_key).await?;
            let view = handle.view().await?;
            server.show(&view, describe)
        }
        Command::Show { id } => {
            let view = client.attach(NeedId::new(id)).view().await?;
            server.show(&view, describe)
        }
        Command::List { limit } => {
            let list = client.needs(None, limit).await?;
            server.show(&list, |list| {
                lines(
                    list.needs.iter().map(|need| {
                        format!("{}  {}  {:?}", need.id, need.status.name(), need.goal)
                    }),
                )
            })
        }
        Command::Wait { id, seconds } => {
            let handle = client.attach(NeedId::new(id));
            handle.outcome_within(Duration::from_secs(seconds)).await?;
            let view = handle.view().await?;
            server.show(&view, describe)
        }
        Command::Amend {
            id,
            file,
            idempotency_key,
        } => {
            let amendment: AmendNeed = serde_json::from_str(&read(&file)?)
                .with_context(|| format!("{} is not an amendment", file.display()))?;
            let handle = client.attach(NeedId::new(id));
            let view = handle.amended(&amendment, idempotency_key).await?;
            server.show(&view, describe)
        }
        Command::Cancel { id } => {
            let view = client.attach(NeedId::new(id)).cancel().await?;
            server.show(&view, describe)
        }
    }
}

fn read(file: &PathBuf) -> Result<String> {
    let source: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        let opened = std::fs::File::open(file);
        Box::new(opened.with_context(|| format!("{} cannot be read", file.display()))?)
    };
    let mut text = String::new();
    source.take(LONGEST_REQUEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_REQUEST {
        bail!("{} is longer than {LONGEST_REQUEST} bytes", file.display());
    }
    Ok(text)
}

fn describe(need: &NeedView) -> String {
    let mut text = vec![
        format!("need          {}", need.id),
        format!("conversation  {}", need.conversation),
        format!("status        {}", need.status.name()),
        format!("goal          {}", need.goal),
        format!("deadline      {}", need.deadline),
    ];
    for (name, slot) in need.outcome.iter().flat_map(|outcome| &outcome.slots) {
        let value = serde_json::to_value(&slot.value).unwrap_or_default();
        let evidence = serde_json::to_string(&slot.evidence).unwrap_or_default();
        text.push(format!("  {name} = {}  from {evidence}", value["value"]));
    }
    lines(text)
}

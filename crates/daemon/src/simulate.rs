//! `liaison simulate`: plays a scenario file on a virtual clock and prints what everybody saw.

use anyhow::{Context, Result};
use clap::Args;
use liaison_eval::{Cast, PlayFault, Scenario, play};
use liaison_language::rules::{RulesReader, TemplateWriter};
use liaison_ports::{fake::MemoryStore, store::Store};
use liaison_store_sqlite::{Options as StoreOptions, SqliteStore};
use std::{path::PathBuf, sync::Arc};

/// What is played.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The scenario file.
    file: PathBuf,
    /// Keep everything in SQLite, in a temporary directory, instead of in memory.
    #[arg(long)]
    sqlite: bool,
    /// Another seed than the file's, for ids and the spread of retries.
    #[arg(long)]
    seed: Option<u64>,
}

/// Plays it, and fails when it does not end as the file says.
#[expect(
    clippy::print_stdout,
    reason = "the transcript is what the command is for"
)]
pub(crate) async fn run(options: Options) -> Result<()> {
    let file = options.file.display();
    let text =
        std::fs::read_to_string(&options.file).with_context(|| format!("{file} cannot be read"))?;
    let mut scenario = Scenario::parse(&text).with_context(|| file.to_string())?;
    if let Some(seed) = options.seed {
        scenario.seed = seed;
    }
    // It lives as long as the store that is in it.
    let directory = match options.sqlite {
        true => Some(tempfile::tempdir().context("there is no temporary directory")?),
        false => None,
    };
    let store: Arc<dyn Store> = match &directory {
        Some(directory) => {
            let path = directory.path().join("simulation.db");
            let store = SqliteStore::open(&path, StoreOptions::default())
                .await
                .context("the store cannot be opened")?;
            Arc::new(store)
        }
        None => Arc::new(MemoryStore::new()),
    };
    let cast = Cast {
        store,
        reader: Arc::new(RulesReader),
        writer: Arc::new(TemplateWriter),
    };
    let played = play(&scenario, cast).await;
    if let Ok(transcript) | Err(PlayFault::EndsOtherwise { transcript, .. }) = &played {
        print!("{transcript}");
    }
    played.map(drop).with_context(|| file.to_string())
}

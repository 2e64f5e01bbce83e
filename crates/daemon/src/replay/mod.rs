//! `liaison replay`: conversations rebuilt from their journals, on the store directly.

mod alternative;
mod difference;

use crate::{
    config::{Config, StoreConfig},
    stores::Purpose,
};
use anyhow::{Context, Result, bail};
use clap::Args;
use difference::differences;
use liaison_core::{
    id::{ConversationId, TenantId},
    retrospect::{Alternative, Difference, Retrospect},
};
use liaison_ports::{
    clock::Clock,
    store::{JournalPage, Store},
};
use serde::Serialize;
use std::path::PathBuf;

/// Operations that are in memory at once. One may hold a message of 20,000 bytes and its forms.
const PAGE: u32 = 100;

/// Conversations whose ids are in memory at once.
const IDS: u32 = 500;

/// What to replay, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The conversation to replay.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    conversation: Option<String>,
    /// Replay every conversation.
    #[arg(long)]
    all: bool,
    /// The configuration file, for the store and the tenants.
    #[arg(long, env = "LIAISON_CONFIG")]
    config: Option<PathBuf>,
    /// The store, instead of the one that is configured: sqlite: and a path, or postgres: and an address.
    #[arg(long)]
    store: Option<String>,
    /// Whose conversations; without it, every configured tenant's, or with --store `default`'s.
    #[arg(long)]
    tenant: Option<String>,
    /// A TOML file with settings of another policy: alone, or in a configuration as the tenant's.
    /// What it does not say stays as it was recorded. Shows each decision that would have been
    /// another one.
    #[arg(long)]
    policy: Option<PathBuf>,
    /// Word every message by this version's templates, and show what would read differently.
    #[arg(long)]
    templates: bool,
    /// Print one JSON line for each conversation.
    #[arg(long)]
    json: bool,
}

/// What became of one replay.
#[derive(Debug, Serialize)]
struct Report {
    conversation: ConversationId,
    tenant: TenantId,
    /// The revision that is stored.
    revision: u64,
    /// Whether the journal leads to what is stored.
    same: bool,
    /// Where it does not, each by its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs: Vec<String>,
    /// Decisions that would have been other ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    would_have: Vec<Difference>,
}

/// Replays, prints, and fails when a journal does not lead to what is stored.
pub(crate) async fn run(options: &Options, clock: &dyn Clock) -> Result<()> {
    let (url, tenants) = where_to_look(options)?;
    let opened = StoreConfig { url }
        .open(Purpose::Look)
        .await
        .context("the store cannot be opened")?;
    let store = opened.port();
    let (mut replayed, mut differ) = (0_u64, 0_u64);
    for tenant in &tenants {
        let alternative = alternative::read(options, tenant)?;
        let mut replaying = Replaying {
            store: store.as_ref(),
            tenant,
            alternative,
            clock,
        };
        match &options.conversation {
            Some(id) => {
                if let Some(report) = replaying.one(&ConversationId::new(id.as_str())).await? {
                    replayed += 1;
                    differ += u64::from(!report.same);
                    show(&report, options.json)?;
                }
            }
            None => {
                let mut after: Option<ConversationId> = None;
                loop {
                    let ids = store.conversation_ids(tenant, after.as_ref(), IDS).await?;
                    for id in &ids {
                        // One that was erased in the meantime has nothing to be compared with.
                        let Some(report) = replaying.one(id).await? else {
                            continue;
                        };
                        replayed += 1;
                        differ += u64::from(!report.same);
                        let news = !report.same || !report.would_have.is_empty();
                        if news || options.json {
                            show(&report, options.json)?;
                        }
                    }
                    after = ids.last().cloned();
                    if after.is_none() {
                        break;
                    }
                }
            }
        }
    }
    opened.close().await;
    if let (Some(id), 0) = (&options.conversation, replayed) {
        bail!("there is no conversation {id}; `liaison conversation list` shows them");
    }
    if differ > 0 {
        bail!(match replayed {
            1 => "the conversation is not what its journal leads to".to_owned(),
            _ =>
                format!("{differ} of {replayed} conversations are not what their journals lead to"),
        });
    }
    if !options.json {
        print(&format!("{replayed} replayed, all as stored"))?;
    }
    Ok(())
}

/// The store's URL, and whose conversations are meant.
fn where_to_look(options: &Options) -> Result<(String, Vec<TenantId>)> {
    let named = options.tenant.as_deref().map(TenantId::new);
    // What is named on the command line goes before a configuration that the environment has.
    if let Some(url) = &options.store {
        let tenant = named.unwrap_or_else(|| TenantId::new("default"));
        return Ok((url.clone(), vec![tenant]));
    }
    let config = Config::load(options.config.as_deref())?;
    let tenants = match named {
        Some(tenant) => vec![tenant],
        None => config.tenant_ids(),
    };
    Ok((config.store.url, tenants))
}

struct Replaying<'a> {
    store: &'a dyn Store,
    tenant: &'a TenantId,
    alternative: Alternative,
    clock: &'a dyn Clock,
}

impl Replaying<'_> {
    /// Replays one conversation, a page of its journal at a time.
    async fn one(&mut self, id: &ConversationId) -> Result<Option<Report>> {
        // The document first: what is committed after it was read is not replayed.
        let Some(row) = self.store.conversation(self.tenant, id).await? else {
            return Ok(None);
        };
        let stored = row.document;
        let mut report = Report {
            conversation: id.clone(),
            tenant: self.tenant.clone(),
            revision: stored.revision,
            same: true,
            differs: Vec::new(),
            would_have: Vec::new(),
        };
        let Some(first) = self.page(id, 0).await? else {
            return Ok(None);
        };
        let mut retrospect = Retrospect::new(first.opening, self.alternative.clone());
        let mut operations = first.operations;
        while retrospect.state().revision < stored.revision {
            let before = retrospect.state().revision;
            for row in &operations {
                if retrospect.state().revision >= stored.revision {
                    break;
                }
                match retrospect.take(&row.operation) {
                    Ok(would_have) => report.would_have.extend(would_have),
                    Err(divergence) => {
                        report.same = false;
                        report.differs = vec![divergence.to_string()];
                        return Ok(Some(report));
                    }
                }
            }
            if retrospect.state().revision == before {
                report.same = false;
                report.differs = vec![format!(
                    "the journal ends at revision {before}, and {} is stored",
                    stored.revision
                )];
                return Ok(Some(report));
            }
            operations = match self.page(id, retrospect.state().revision).await? {
                Some(page) => page.operations,
                None => Vec::new(),
            };
        }
        report
            .would_have
            .extend(retrospect.meanwhile(self.clock.now()));
        report.differs = differences(retrospect.state(), &stored)?;
        report.same = report.differs.is_empty();
        Ok(Some(report))
    }

    async fn page(&self, id: &ConversationId, from: u64) -> Result<Option<JournalPage>> {
        let page = self.store.journal(self.tenant, id, from, PAGE).await;
        page.with_context(|| format!("the journal of conversation {id} cannot be read"))
    }
}

fn show(report: &Report, json: bool) -> Result<()> {
    if json {
        return print(&serde_json::to_string(report)?);
    }
    let mut text = vec![match report.same {
        true => format!(
            "{}  revision {}  as stored",
            report.conversation, report.revision
        ),
        false => format!(
            "{}  revision {}  DIFFERS",
            report.conversation, report.revision
        ),
    }];
    text.extend(report.differs.iter().map(|place| format!("  {place}")));
    for difference in &report.would_have {
        text.push(format!(
            "  {}  {} -> would have {}",
            difference.at,
            difference.was.join("; "),
            difference.would_be.join("; ")
        ));
    }
    print(&text.join("\n"))
}

fn print(text: &str) -> Result<()> {
    use std::io::{ErrorKind, Write};
    match writeln!(std::io::stdout(), "{text}") {
        // Whoever read it has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

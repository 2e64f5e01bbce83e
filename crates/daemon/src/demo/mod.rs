//! `liaison demo`: a whole daemon in a temporary directory, a mail server beside it, and a page
//! where a visitor is the landlord.

mod landlord;
mod office;
mod page;

use crate::{config::LogConfig, running::Environment, serve};
use anyhow::{Context, Result};
use clap::Args;
use office::{Office, View};
use serde::Serialize;
use std::{net::SocketAddr, time::Duration};

/// How the demo is played.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Play the exchange by itself, print the outcome as one line of JSON, and end.
    #[arg(long)]
    once: bool,
    /// What the landlord answers, with --once.
    #[arg(long, default_value = "Please arrange it for me.")]
    reply: String,
    /// What the daemon logs meanwhile, to standard error.
    #[arg(long, default_value = "warn")]
    log: String,
    /// Where the landlord's page is served.
    #[arg(long, default_value = "127.0.0.1:7788")]
    listen: SocketAddr,
}

/// How long the exchange may take when it plays by itself; it takes about two seconds.
const LONGEST_EXCHANGE: Duration = Duration::from_secs(60);

/// Plays the demo.
pub(crate) async fn run(options: Options, environment: Environment) -> Result<()> {
    serve::start_logging(&LogConfig {
        filter: options.log.clone(),
        ..LogConfig::default()
    })?;
    let office = Office::open(environment).await?;
    let played = if options.once {
        tokio::time::timeout(LONGEST_EXCHANGE, once(office.view(), &options.reply))
            .await
            .context("the exchange did not come to an end")
            .flatten()
    } else {
        page::serve(office.view().clone(), options.listen).await
    };
    office.close().await;
    played
}

/// The line that `--once` prints.
#[derive(Serialize)]
struct Line<'a> {
    need: &'a str,
    #[serde(flatten)]
    outcome: &'a liaison_api::Outcome,
}

async fn once(office: &View, reply: &str) -> Result<()> {
    let question = office.wait_for_question().await;
    office.landlord().answer(&question, reply).await?;
    let handle = office.need();
    handle.outcome().await?;
    let view = handle.view().await?;
    let outcome = view.outcome.as_ref().context("the need has no outcome")?;
    let line = Line {
        need: view.id.as_str(),
        outcome,
    };
    #[expect(
        clippy::print_stdout,
        reason = "the outcome is what the command is for"
    )]
    {
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(())
}

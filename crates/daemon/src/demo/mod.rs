//! `liaison demo`: a whole daemon in a temporary directory, a mail server beside it, and a page
//! where a visitor is the landlord.

mod landlord;
mod office;
mod page;

use crate::{config::LogConfig, running::Environment, serve};
use anyhow::{Context, Result, bail};
use clap::Args;
use liaison_api::{ConversationView, Phase, SlotState};
use office::{Office, View, is_for_landlord};
use serde::Serialize;
use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

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

/// How often the exchange is looked at while it plays by itself.
const LOOK_EVERY: Duration = Duration::from_millis(200);

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

/// The line that `--once` prints when the need has ended.
#[derive(Serialize)]
struct Line<'a> {
    need: &'a str,
    #[serde(flatten)]
    outcome: &'a liaison_api::Outcome,
}

/// The line that `--once` prints when the answer did not end the need.
#[derive(Serialize)]
struct OpenLine<'a> {
    need: &'a str,
    status: &'static str,
    #[serde(flatten)]
    phase: &'a Phase,
    holds: Vec<&'a str>,
    slots: BTreeMap<&'a str, &'a SlotState>,
}

async fn once(office: &View, reply: &str) -> Result<()> {
    let question = office.wait_for_question().await;
    office.landlord().answer(&question, reply).await?;
    let conversation = office.need().view().await?.conversation;
    // The caller of `once` bounds this.
    loop {
        let said = office.mail().iter().filter(|m| is_for_landlord(m)).count();
        let seen = office.client().conversation(&conversation).await?;
        // What is looked at last is the need: it ends before anything else is done or said.
        let need = office.need().view().await?;
        if let Some(outcome) = &need.outcome {
            let need = need.id.as_str();
            return print(&Line { need, outcome });
        }
        if !seen.holds.is_empty() || said > 1 {
            print(&open_line(need.id.as_str(), &seen))?;
            match seen.holds.first() {
                Some(hold) => bail!(
                    "the answer did not end the need; the conversation waits for an operator: {}",
                    hold.sentence
                ),
                None => bail!("the answer did not end the need; the landlord was asked again"),
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn open_line<'a>(need: &'a str, seen: &'a ConversationView) -> OpenLine<'a> {
    OpenLine {
        need,
        status: liaison_api::NeedStatus::Open.name(),
        phase: &seen.phase,
        holds: seen.holds.iter().map(|h| h.sentence.as_str()).collect(),
        slots: seen
            .slots
            .iter()
            .map(|slot| (slot.slot.name.as_str(), &slot.state))
            .collect(),
    }
}

#[expect(
    clippy::print_stdout,
    reason = "the outcome is what the command is for"
)]
fn print(line: &impl Serialize) -> Result<()> {
    println!("{}", serde_json::to_string(line)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{SystemClock, SystemEntropy};
    use std::sync::Arc;

    #[tokio::test(flavor = "multi_thread")]
    async fn an_answer_that_does_not_end_the_need_ends_the_exchange_with_an_error() {
        // As the binary's own beginning does, because several providers are compiled in.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let environment = Environment {
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        let office = Office::open(environment).await.expect("it starts");
        let played =
            tokio::time::timeout(LONGEST_EXCHANGE, once(office.view(), "Not the agency")).await;
        office.close().await;
        let fault = played
            .expect("it comes to an end")
            .expect_err("the need is open");
        let fault = fault.to_string();
        assert!(
            fault.starts_with("the answer did not end the need"),
            "{fault}"
        );
    }
}

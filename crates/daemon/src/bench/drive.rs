//! The other side of a measurement, in a process of its own: workflows, landlords, and their mail
//! server. It says its mail server's port on standard output, is told the daemon's address and key
//! on standard input, and ends when every need has settled as it should.

use anyhow::{Context, Result, bail};
use liaison_channels::email::{Sink, SinkConfig, inbound};
use liaison_client::{Client, Stakeholder};
use liaison_core::policy::Wait;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    sync::{Semaphore, oneshot},
    task::JoinSet,
};

/// Where the daemon is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Daemon {
    pub(super) url: String,
    pub(super) key: String,
}

/// Who waits for the question of which landlord.
type Waiting = Arc<Mutex<HashMap<String, oneshot::Sender<Vec<u8>>>>>;

#[expect(clippy::print_stdout, reason = "the other process reads it")]
pub(super) async fn run(needs: u32, concurrency: u32) -> Result<()> {
    let settings = SinkConfig {
        keep: 100_000,
        ..SinkConfig::default()
    };
    let sink = Sink::start_with(SocketAddr::from(([127, 0, 0, 1], 0)), settings).await?;
    println!("{}", sink.address().port());
    let mut line = String::new();
    BufReader::new(tokio::io::stdin())
        .read_line(&mut line)
        .await?;
    let daemon: Daemon = serde_json::from_str(&line).context("standard input")?;

    let waiting = Waiting::default();
    let postman = tokio::spawn(deliver(sink, waiting.clone()));
    let client = Client::new(&daemon.url, daemon.key.clone())?;
    let http = reqwest::Client::new();
    let daemon = Arc::new(daemon);
    let permits = Arc::new(Semaphore::new(concurrency as usize));
    let mut running = JoinSet::new();
    for number in 0..needs {
        let permit = permits.clone().acquire_owned().await?;
        while let Some(ended) = running.try_join_next() {
            ended??;
        }
        let (client, http, daemon, waiting) = (
            client.clone(),
            http.clone(),
            daemon.clone(),
            waiting.clone(),
        );
        running.spawn(async move {
            let settled = one_need(number, &client, &http, &daemon, &waiting).await;
            drop(permit);
            settled.with_context(|| format!("need {number}"))
        });
    }
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    postman.abort();
    Ok(())
}

async fn one_need(
    number: u32,
    client: &Client,
    http: &reqwest::Client,
    daemon: &Daemon,
    waiting: &Waiting,
) -> Result<()> {
    let address = format!("landlord-{number}@example.com");
    let (sender, question) = oneshot::channel();
    waiting
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(address.clone(), sender);
    let need = client
        .need("Decide who will arrange the inspection")
        .stakeholder(Stakeholder::email(&address))
        .choice(
            "arranged_by",
            "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
            [
                ("landlord", "arrange the inspection yourself"),
                ("agency", "have us arrange it for you"),
            ],
        )
        .deadline_in(Wait::days(15))
        .register()
        .await?;
    let question = question.await.context("the question did not come")?;
    let answered = http
        .post(format!("{}/v1/inbound/email", daemon.url))
        .bearer_auth(&daemon.key)
        .header("content-type", "message/rfc822")
        .body(answer(&address, &question)?)
        .send()
        .await?;
    if !answered.status().is_success() {
        bail!("the answer was not taken: {}", answered.status());
    }
    let outcome = need.outcome().await?;
    match outcome.choice("arranged_by") {
        Some("agency") => Ok(()),
        other => bail!("settled {} with {other:?}", outcome.kind().name()),
    }
}

/// A reply as a mail program makes it.
fn answer(from: &str, question: &[u8]) -> Result<Vec<u8>> {
    let asked = inbound::parse(question).context("the question is no mail")?;
    let to = asked
        .reply_to
        .context("the question says nowhere to answer to")?;
    let id = asked.message_id.context("the question has no Message-ID")?;
    Ok(format!(
        "From: <{from}>\r\nTo: <{}>\r\nSubject: Re: {}\r\nMessage-ID: <answer-{id}>\r\n\
         In-Reply-To: <{id}>\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\nPlease arrange it for me.\r\n",
        to.address, asked.subject
    )
    .into_bytes())
}

/// Brings each question to whom it is for.
async fn deliver(sink: Sink, waiting: Waiting) {
    let mut arrivals = sink.subscribe();
    loop {
        for message in sink.drain() {
            for to in &message.to {
                let waiting = waiting
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(to);
                if let Some(waiting) = waiting {
                    // Whoever stopped waiting has failed, and says so.
                    let _ = waiting.send(message.raw.clone());
                }
            }
        }
        if arrivals.changed().await.is_err() {
            return;
        }
    }
}

//! Commands for people, over the API of a running daemon.

pub(crate) mod conversation;
pub(crate) mod need;
mod plan;

use anyhow::{Context, Result};
use clap::Args;
use liaison_api::{AssignUnmatched, ConversationId, MessageId, TakenAs};
use liaison_client::Client;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Which daemon, and with which key.
#[derive(Clone, Debug, Args)]
pub(crate) struct Server {
    /// The daemon's address.
    #[arg(long, env = "LIAISON_URL", default_value = "http://127.0.0.1:7700")]
    url: String,
    /// An API key; `liaison key create` makes one.
    #[arg(long, env = "LIAISON_KEY", hide_env_values = true)]
    key: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Server {
    /// A client that gives up soon: somebody sits before it.
    pub(crate) fn client(&self) -> Result<Client> {
        const TRIES: u32 = 3;

        // A key that was read from a file brings the end of its line along.
        let key = self.key.trim().to_owned();
        let client = Client::new(&self.url, key).context("--url or --key")?;
        Ok(client.tries(TRIES))
    }

    /// Prints `value` as JSON, or as `text` says it.
    fn show<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<()> {
        let shown = match self.json {
            true => serde_json::to_string(value)?,
            false => text(value),
        };
        match writeln!(std::io::stdout(), "{}", shown.trim_end()) {
            // Whoever read it has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }
}

/// Shows what matches no conversation.
pub(crate) async fn unmatched(server: &Server) -> Result<()> {
    let list = server.client()?.unmatched().await?;
    server.show(&list, |list| {
        if list.messages.is_empty() {
            return "Every message has found its conversation.".to_owned();
        }
        lines(list.messages.iter().map(|message| {
            format!(
                "{}  {}  {}  {:?}  {} bytes: {}",
                message.id, message.at, message.from, message.subject, message.size, message.why
            )
        }))
    })
}

/// Which message, and where to.
#[derive(Clone, Debug, Args)]
pub(crate) struct Assign {
    /// The message, as `liaison unmatched` names it.
    message: String,
    /// The conversation.
    conversation: String,
    /// The stakeholder wrote it, whatever address it came from.
    #[arg(long)]
    from_stakeholder: bool,
    /// Your name, for the record; without it, the key's.
    #[arg(long)]
    by: Option<String>,
}

/// Puts a message that matches no conversation into one.
pub(crate) async fn assign(server: &Server, assign: Assign) -> Result<()> {
    let assignment = AssignUnmatched {
        conversation: ConversationId::new(assign.conversation),
        from_stakeholder: assign.from_stakeholder,
        by: assign.by,
    };
    let message = MessageId::new(assign.message);
    let taken = server.client()?.assign(&message, &assignment).await?;
    server.show(&taken, |taken| match taken.taken {
        TakenAs::Duplicate => "It had been taken before.".to_owned(),
        TakenAs::Matched | TakenAs::Unmatched => "Taken; it is read next.".to_owned(),
    })
}

/// Shows what has not been sent.
pub(crate) async fn outbox(server: &Server) -> Result<()> {
    let list = server.client()?.outbox().await?;
    server.show(&list, |list| {
        if list.messages.is_empty() {
            return "Nothing waits to be sent.".to_owned();
        }
        lines(list.messages.iter().map(|message| {
            format!(
                "{}  conversation {}  {:?}  tries {}  due {}  {}",
                message.message,
                message.conversation,
                message.state,
                message.attempts,
                message.due_at,
                message.last_error.as_deref().unwrap_or("")
            )
        }))
    })
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

//! `liaison conversation`.

use super::{Server, lines};
use anyhow::Result;
use clap::Subcommand;
use liaison_api::{ConversationView, Explanation, MessageDirection};
use liaison_client::ConversationPage;
use liaison_core::id::{ConversationId, MessageId};

/// What to do with conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List conversations, the latest activity first.
    List {
        /// Only those that wait for an operator.
        #[arg(long)]
        held: bool,
        /// At most this many.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Show what is known, what was said, and what it waits for.
    Show {
        /// Its id.
        id: String,
    },
    /// Show what happens next, with every rule and why it did or did not match.
    Explain {
        /// Its id.
        id: String,
    },
    /// Tell the stakeholder something, in the daemon's voice.
    Answer {
        /// Its id.
        id: String,
        /// The words.
        text: String,
        /// Lift the holds as well, so that it goes out.
        #[arg(long)]
        resume: bool,
        #[command(flatten)]
        by: By,
    },
    /// Lift every hold.
    Resume {
        /// Its id.
        id: String,
        #[command(flatten)]
        by: By,
    },
    /// Pause it: nothing is sent until it is resumed.
    Hold {
        /// Its id.
        id: String,
        /// Why.
        note: String,
        #[command(flatten)]
        by: By,
    },
    /// Handle it alone: nothing is read or sent until it is handed back.
    Takeover {
        /// Its id.
        id: String,
        #[command(flatten)]
        by: By,
    },
    /// Give it back to the daemon.
    Handback {
        /// Its id.
        id: String,
        #[command(flatten)]
        by: By,
    },
    /// Enter an answer that came another way.
    Fill {
        /// Its id.
        id: String,
        /// The slot, as `show` names it.
        slot: String,
        /// The value: JSON, or plain words.
        value: String,
        /// On what grounds.
        #[arg(long)]
        note: String,
        #[command(flatten)]
        by: By,
    },
    /// Say what became of a message whose fate is unknown.
    ResolveSend {
        /// Its id.
        id: String,
        /// The message, as `show` names it.
        message: String,
        /// It arrived. Without this, it did not, and is written again.
        #[arg(long)]
        sent: bool,
        #[command(flatten)]
        by: By,
    },
}

/// Who commands.
#[derive(Debug, clap::Args)]
pub(crate) struct By {
    /// Your name, for the record; without it, the key's.
    #[arg(long)]
    by: Option<String>,
}

/// Does what was asked.
pub(crate) async fn run(server: &Server, command: Command) -> Result<()> {
    let client = server.client()?;
    let commands = |id: String, by: By| {
        let commands = client.commands(ConversationId::new(id));
        match by.by {
            Some(by) => commands.by(by),
            None => commands,
        }
    };
    let accepted = match command {
        Command::List { held, limit } => {
            let page = ConversationPage {
                held,
                limit,
                ..ConversationPage::default()
            };
            let list = client.conversations(page).await?;
            return server.show(&list, |list| {
                lines(list.conversations.iter().map(|one| {
                    let state = match (one.quarantined, one.held_since) {
                        (true, _) => "QUARANTINED".to_owned(),
                        (false, Some(since)) => format!("held since {since}"),
                        (false, None) => one
                            .wake_at
                            .map_or("idle".to_owned(), |at| format!("due {at}")),
                    };
                    format!(
                        "{}  {}  {} open  {state}",
                        one.id, one.stakeholder, one.open_needs
                    )
                }))
            });
        }
        Command::Show { id } => {
            let view = client.conversation(&ConversationId::new(id)).await?;
            return server.show(&view, describe);
        }
        Command::Explain { id } => {
            let explanation = client.explain(&ConversationId::new(id)).await?;
            return server.show(&explanation, explain);
        }
        Command::Answer {
            id,
            text,
            resume,
            by,
        } => commands(id, by).answer(text, resume).await?,
        Command::Resume { id, by } => commands(id, by).resume().await?,
        Command::Hold { id, note, by } => commands(id, by).hold(note).await?,
        Command::Takeover { id, by } => commands(id, by).take_over().await?,
        Command::Handback { id, by } => commands(id, by).hand_back().await?,
        Command::Fill {
            id,
            slot,
            value,
            note,
            by,
        } => {
            let value = serde_json::from_str(&value)
                .unwrap_or_else(|_| serde_json::Value::String(value.clone()));
            commands(id, by).fill(slot, value, note).await?
        }
        Command::ResolveSend {
            id,
            message,
            sent,
            by,
        } => {
            commands(id, by)
                .resolve_send(MessageId::new(message), sent)
                .await?
        }
    };
    server.show(&accepted, |_| "Taken; it is carried out next.".to_owned())
}

fn describe(c: &ConversationView) -> String {
    let mut text = vec![format!("conversation {}", c.id)];
    let name = c.stakeholder.name.as_deref().unwrap_or("(no name)");
    let contacts: Vec<&str> = c
        .stakeholder
        .contacts
        .iter()
        .map(|contact| contact.address.as_str())
        .collect();
    text.push(format!("  with {name} <{}>", contacts.join(", ")));
    let phase = serde_json::to_value(&c.phase).unwrap_or_default();
    text.push(format!(
        "  phase {}",
        phase["phase"].as_str().unwrap_or("?")
    ));
    if let Some(at) = c.next_wake {
        text.push(format!("  until {at}"));
    }
    if let Some(error) = &c.quarantined {
        text.push(format!("  QUARANTINED: {error}"));
    }
    for hold in &c.holds {
        text.push(format!("  HELD since {}: {}", hold.since, hold.sentence));
    }
    for outgoing in &c.outgoing {
        let state = match outgoing.unknown_since {
            Some(since) => format!("fate unknown since {since}"),
            None => "on its way".to_owned(),
        };
        text.push(format!("  message {} is {state}", outgoing.message));
    }
    for need in &c.needs {
        text.push(format!(
            "  need {}  {}  {}",
            need.id,
            need.status.name(),
            need.goal
        ));
    }
    for slot in &c.slots {
        let state = serde_json::to_value(&slot.state).unwrap_or_default();
        text.push(format!(
            "  slot {}  {}  asked {} times  {}",
            slot.slot,
            slot.state.name(),
            slot.asked,
            state["value"]
        ));
    }
    for message in &c.transcript {
        let arrow = match message.direction {
            MessageDirection::Inbound => "<-",
            MessageDirection::Outbound => "->",
        };
        text.push(format!("\n{arrow} {}  {}", message.at, message.subject));
        text.extend(message.text.lines().map(|line| format!("   {line}")));
    }
    lines(text)
}

fn explain(explanation: &Explanation) -> String {
    let mut text = Vec::new();
    let phase = serde_json::to_value(&explanation.phase).unwrap_or_default();
    text.push(format!(
        "{}  {}",
        explanation.at,
        phase["phase"].as_str().unwrap_or("?")
    ));
    for finding in &explanation.rules {
        let mark = match (finding.wins, finding.matches) {
            (true, _) => "=>",
            (false, true) => " +",
            (false, false) => "  ",
        };
        let rule = serde_json::to_value(finding.rule).unwrap_or_default();
        let until = finding
            .until
            .map_or(String::new(), |until| format!(" (until {until})"));
        text.push(format!(
            "{mark} {:<22} {}{until}",
            rule.as_str().unwrap_or("?"),
            finding.why
        ));
    }
    if let Some(at) = explanation.next_wake {
        text.push(format!("next look: {at}"));
    }
    lines(text)
}

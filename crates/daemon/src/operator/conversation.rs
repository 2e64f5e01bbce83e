//! `liaison conversation`.

use super::{Server, lines};
use anyhow::{Context, Result};
use clap::Subcommand;
use jiff::Timestamp;
use liaison_api::{
    CatchUp, Chase, ConversationAnswer, ConversationView, Deadline, Explanation, FillSlot,
    GuidanceId, Heard, HoldId, HoldRequest, InstantFault, MessageDirection, MessageView,
    QuestionFinding, UnreadableConversation, Via,
};
use liaison_client::ConversationPage;
use liaison_core::counting::{counted, times};
use liaison_core::id::{ConversationId, MessageId, NeedId};
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    /// Show what will be sent in the next fourteen days if nobody writes, and why not sooner.
    Plan {
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
    /// Lift one hold.
    Release {
        /// Its id.
        id: String,
        /// The hold, as `show` names it.
        hold: String,
        #[command(flatten)]
        by: By,
    },
    /// Pause it, or one of its needs: nothing is sent until it is resumed.
    Hold {
        /// Its id.
        id: String,
        /// Why.
        note: String,
        /// Only this need; the others go on.
        #[arg(long)]
        need: Option<String>,
        /// End the pause then: an instant, or a length of time like 3d.
        #[arg(long, allow_hyphen_values = true)]
        until: Option<Deadline>,
        #[command(flatten)]
        by: By,
    },
    /// Put it off: nothing is sent until then, and then it goes on by itself.
    Snooze {
        /// Its id.
        id: String,
        /// Until when: an instant, or a length of time like 3d.
        until: Deadline,
        /// Why.
        #[arg(long, default_value = "snoozed")]
        note: String,
        /// Only this need; the others go on.
        #[arg(long)]
        need: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Give whoever words the messages a standing instruction on the manner. Templates cannot
    /// follow it; a model can.
    Guide {
        /// Its id.
        id: String,
        /// The instruction.
        text: String,
        /// When it expires: an instant, or a length of time like 3d.
        #[arg(long, allow_hyphen_values = true)]
        until: Option<Deadline>,
        #[command(flatten)]
        by: By,
    },
    /// Take an instruction back.
    Unguide {
        /// Its id.
        id: String,
        /// The instruction, as `show` names it.
        guidance: String,
        #[command(flatten)]
        by: By,
    },
    /// Write again to a contact that failed or opted out.
    Revive {
        /// Its id.
        id: String,
        /// The address, as `show` names it.
        address: String,
        /// On what grounds.
        #[arg(long)]
        note: String,
        #[command(flatten)]
        by: By,
    },
    /// Opt the person out, who said so elsewhere: nothing is sent any more.
    OptOut {
        /// Its id.
        id: String,
        /// Only at this address; the others may be used.
        #[arg(long)]
        address: Option<String>,
        /// On what grounds.
        #[arg(long)]
        note: String,
        #[command(flatten)]
        by: By,
    },
    /// Take opt-outs back, as the person wants.
    OptIn {
        /// Its id.
        id: String,
        /// Only at this address.
        #[arg(long)]
        address: Option<String>,
        /// On what grounds.
        #[arg(long)]
        note: String,
        #[command(flatten)]
        by: By,
    },
    /// Put it back to work after an error had it set aside.
    LiftQuarantine {
        /// Its id.
        id: String,
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
        /// How you heard it: phone, in_person, letter, message or other.
        #[arg(long, value_parser = via)]
        via: Option<Via>,
        /// When they said so, if not now.
        #[arg(long, requires = "via", allow_hyphen_values = true, value_parser = instant)]
        said_at: Option<Timestamp>,
        #[command(flatten)]
        by: By,
    },
    /// Talk to whom the person named instead of them.
    AcceptDelegate {
        /// Its id.
        id: String,
        /// The hold of whoever is meant, as `show` names it; needed where several were named.
        #[arg(long)]
        hold: Option<String>,
        /// The address, when it is not the one that they gave.
        #[arg(long)]
        address: Option<String>,
        /// How they are addressed, when it is not the name that they gave.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Leave it with the person, who had named somebody else.
    RejectDelegate {
        /// Its id.
        id: String,
        /// The hold of whoever is meant, as `show` names it; needed where several were named.
        #[arg(long)]
        hold: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Have read what the person said before, or elsewhere, before anything more is asked.
    CatchUp {
        /// Its id.
        id: String,
        /// A JSON file: a list of {"at": "2026-09-01T12:00:00Z", "text": "..."}, oldest first, or the
        /// command's body as the API takes it, with the list as its "entries".
        file: PathBuf,
        /// The open need that it belongs to, where there are several.
        #[arg(long)]
        need: Option<String>,
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
            let answer = client.look(&ConversationId::new(id)).await?;
            return server.show(&answer, |answer| match answer {
                ConversationAnswer::Readable(view) => describe(view),
                ConversationAnswer::Unreadable(known) => describe_unreadable(known),
            });
        }
        Command::Explain { id } => {
            let explanation = client.explain(&ConversationId::new(id)).await?;
            return server.show(&explanation, explain);
        }
        Command::Plan { id } => {
            let plan = client.plan(&ConversationId::new(id)).await?;
            return server.show(&plan, super::plan::describe);
        }
        Command::Answer {
            id,
            text,
            resume,
            by,
        } => commands(id, by).answer(text, resume).await?,
        Command::Resume { id, by } => commands(id, by).resume().await?,
        Command::Release { id, hold, by } => commands(id, by).release(HoldId::new(hold)).await?,
        Command::Hold {
            id,
            note,
            need,
            until,
            by,
        } => commands(id, by).pause(pause(note, need, until)).await?,
        Command::Snooze {
            id,
            until,
            note,
            need,
            by,
        } => {
            let request = pause(note, need, Some(until));
            commands(id, by).pause(request).await?
        }
        Command::Guide {
            id,
            text,
            until,
            by,
        } => commands(id, by).guide(text, until).await?,
        Command::Unguide { id, guidance, by } => {
            let guidance = GuidanceId::new(guidance);
            commands(id, by).unguide(guidance).await?
        }
        Command::Revive {
            id,
            address,
            note,
            by,
        } => commands(id, by).revive(address, note).await?,
        Command::OptOut {
            id,
            address,
            note,
            by,
        } => commands(id, by).opt_out(address, note).await?,
        Command::OptIn {
            id,
            address,
            note,
            by,
        } => commands(id, by).opt_in(address, note).await?,
        Command::LiftQuarantine { id, by } => commands(id, by).lift_quarantine().await?,
        Command::Takeover { id, by } => commands(id, by).take_over().await?,
        Command::Handback { id, by } => commands(id, by).hand_back().await?,
        Command::Fill {
            id,
            slot,
            value,
            note,
            via,
            said_at,
            by,
        } => {
            let value = serde_json::from_str(&value)
                .unwrap_or_else(|_| serde_json::Value::String(value.clone()));
            let answer = FillSlot {
                slot,
                value,
                note,
                heard: via.map(|via| Heard { via, at: said_at }),
                by: None,
            };
            commands(id, by).record(answer).await?
        }
        Command::AcceptDelegate {
            id,
            hold,
            address,
            name,
            by,
        } => {
            let hold = hold.map(HoldId::new);
            commands(id, by)
                .accept_delegate(hold, address, name)
                .await?
        }
        Command::RejectDelegate { id, hold, by } => {
            let hold = hold.map(HoldId::new);
            commands(id, by).reject_delegate(hold).await?
        }
        Command::CatchUp { id, file, need, by } => {
            let written = transcript(&file)?;
            let need = need.map(NeedId::new).or(written.need);
            let by = By {
                by: by.by.or(written.by),
            };
            commands(id, by).catch_up(written.entries, need).await?
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

/// Reads what was said: a list of entries, or the whole body of the command.
fn transcript(file: &Path) -> Result<CatchUp> {
    let name = file.display();
    let text =
        std::fs::read_to_string(file).with_context(|| format!("{name} could not be read"))?;
    let written: Value =
        serde_json::from_str(&text).with_context(|| format!("{name} is no JSON"))?;
    let body = match written {
        Value::Array(entries) => serde_json::json!({"entries": entries}),
        body => body,
    };
    serde_json::from_value(body).with_context(|| {
        format!("{name} is neither a list of entries, each with `at` and `text`, nor {{\"entries\": [...]}}")
    })
}

fn pause(note: String, need: Option<String>, until: Option<Deadline>) -> HoldRequest {
    HoldRequest {
        by: None,
        note,
        need: need.map(NeedId::new),
        until,
    }
}

/// Reads the way by which something was heard, as the API writes it.
fn via(text: &str) -> Result<Via, String> {
    let name = serde_json::Value::String(text.to_owned());
    serde_json::from_value(name)
        .map_err(|_| "use phone, in_person, letter, message or other".to_owned())
}

/// Reads an instant as the API writes it.
fn instant(text: &str) -> Result<Timestamp, InstantFault> {
    text.parse().map_err(|_| InstantFault)
}

fn describe_unreadable(known: &UnreadableConversation) -> String {
    let mut text = vec![
        format!("conversation {}", known.id),
        format!("  with {}", known.stakeholder),
        format!("  UNREADABLE: {}", known.unreadable),
    ];
    if let Some(error) = &known.quarantined {
        text.push(format!("  QUARANTINED: {error}"));
    }
    text.push(format!(
        "  {}, {}, last activity {}",
        counted(known.open_needs, "open need", "open needs"),
        counted(known.unfolded, "input waits", "inputs wait"),
        known.last_activity
    ));
    said(&mut text, &known.transcript);
    lines(text)
}

fn said(text: &mut Vec<String>, transcript: &[MessageView]) {
    for message in transcript {
        let arrow = match message.direction {
            MessageDirection::Inbound => "<-",
            MessageDirection::Outbound => "->",
        };
        text.push(format!("\n{arrow} {}  {}", message.at, message.subject));
        text.extend(message.text.lines().map(|line| format!("   {line}")));
    }
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
    if let Some(absence) = &c.absence {
        let until = absence
            .until
            .map_or("no day named".to_owned(), |until| format!("until {until}"));
        text.push(format!("  AWAY {until}: “{}”", absence.quote));
    }
    for hold in &c.holds {
        let over = hold
            .need
            .as_ref()
            .map_or(String::new(), |need| format!(" over need {need}"));
        let until = hold
            .until
            .map_or(String::new(), |until| format!(" until {until}"));
        let escalated = match hold.escalated_at {
            Some(_) => " ESCALATED",
            None => "",
        };
        let further = match hold.further {
            0 => String::new(),
            further => format!(" (and {further} more)"),
        };
        text.push(format!(
            "  HELD{over} since {}{until}{escalated}: {}{further}  [{}]",
            hold.since, hold.sentence, hold.id
        ));
    }
    if let Some(taken) = &c.taken_over {
        text.push(format!(
            "  TAKEN OVER by {} since {}",
            taken.by, taken.since
        ));
    }
    for guidance in &c.guidance {
        let until = guidance
            .until
            .map_or(String::new(), |until| format!(" until {until}"));
        text.push(format!(
            "  guidance{until} by {}: {}  [{}]",
            guidance.by, guidance.text, guidance.id
        ));
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
            "  slot {}  {}  asked {}  {}",
            slot.slot,
            slot.state.name(),
            times(slot.asked),
            state["value"]
        ));
    }
    for ignored in &c.ignored {
        text.push(format!(
            "  {}'s command {} of {} changed nothing: {}",
            ignored.by, ignored.action, ignored.at, ignored.why
        ));
    }
    said(&mut text, &c.transcript);
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
    for finding in &explanation.sending {
        let kind = serde_json::to_value(finding.kind).unwrap_or_default();
        text.push(format!(
            "may send {:<13} {}",
            kind.as_str().unwrap_or("?"),
            finding.permission
        ));
    }
    for QuestionFinding { slot, chase } in &explanation.questions {
        text.push(match chase {
            Chase::Unasked => format!("question {slot}: never asked"),
            Chase::Broken { at } => format!("question {slot}: a second promise was broken at {at}"),
            Chase::Remind { at } => format!("question {slot}: reminder due {at}"),
            Chase::UsedUp { at, .. } => {
                format!("question {slot}: no reminder left, silence from {at}")
            }
        });
    }
    if let Some(at) = explanation.next_wake {
        text.push(format!("next look: {at}"));
    }
    lines(text)
}

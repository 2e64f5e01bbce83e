//! Holds: pauses for a human, each with its reason.

use crate::{
    id::{HoldId, MessageId, NeedId},
    slot::{Promise, SlotKey},
    stakeholder::{Delegate, EmailAddress},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A pause for a human. While one stands over a conversation, nothing is sent; one over a need keeps
/// only that need's questions back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hold {
    /// Its id.
    pub id: HoldId,
    /// Why.
    pub reason: HoldReason,
    /// Since when.
    pub since: Timestamp,
    /// The need that it pauses; without one, the whole conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<NeedId>,
    /// When it ends by itself: a snooze. Without it, an operator ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// When it was escalated, because no operator had attended to it. That happens once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_at: Option<Timestamp>,
    /// Who wrote what it is about, when a contact of the person did: an answer goes to them, whoever
    /// is written to by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<EmailAddress>,
    /// How many further reasons of the same kind came while [`Hold::MOST_OF_A_KIND`] stood.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further: u32,
}

impl Hold {
    /// How many holds of one kind stand at once. Whoever has ten messages of strangers to look at
    /// looks at the transcript for the eleventh: it is counted, and the document stays bounded.
    pub const MOST_OF_A_KIND: usize = 10;

    /// A hold over the whole conversation, until an operator ends it.
    pub fn new(id: HoldId, reason: HoldReason, since: Timestamp) -> Self {
        Self {
            id,
            reason,
            since,
            need: None,
            until: None,
            escalated_at: None,
            written_by: None,
            further: 0,
        }
    }

    /// Whether another hold pauses the same thing for a reason of the same kind.
    pub fn is_of_the_kind_of(&self, reason: &HoldReason, need: Option<&NeedId>) -> bool {
        self.reason.name() == reason.name() && self.need.as_ref() == need
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Why a conversation is on hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum HoldReason {
    /// The stakeholder asked something that the software may not answer.
    StakeholderQuestion {
        /// In which message.
        message: MessageId,
        /// Their words.
        quote: String,
    },
    /// They wrote about something else.
    OutOfScope {
        /// In which message.
        message: MessageId,
        /// Their words.
        quote: String,
    },
    /// They want to deal with a person.
    WantsPerson {
        /// In which message.
        message: MessageId,
        /// Their words.
        quote: String,
    },
    /// They do not want to be written to.
    RefusesContact {
        /// In which message.
        message: MessageId,
        /// Their words.
        quote: String,
    },
    /// They named somebody else to talk to.
    NamesAnother {
        /// In which message.
        message: MessageId,
        /// Their words.
        quote: String,
        /// Whom, when they give an address. Nobody writes there before it is accepted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delegate: Option<Delegate>,
    },
    /// A message that no rule knows what to do with: it answers nothing that is open.
    NothingUnderstood {
        /// Which.
        message: MessageId,
        /// Its first words.
        quote: String,
    },
    /// Somebody else answered.
    UnknownSender {
        /// In which message.
        message: MessageId,
        /// From which address.
        from: EmailAddress,
    },
    /// The reader failed too often.
    ReadingFailed {
        /// What it said last.
        error: String,
    },
    /// A message may or may not have been sent.
    UnknownSend {
        /// Which.
        message: MessageId,
        /// What broke off.
        why: String,
    },
    /// The far side will not take a message, though its address is good.
    SendRefused {
        /// Which.
        message: MessageId,
        /// What it said.
        why: String,
    },
    /// There is something to say and no contact that may be used.
    Unreachable,
    /// All reminders went unanswered.
    Silence,
    /// What the person promised twice did not come.
    PromisesBroken {
        /// Which slot.
        slot: SlotKey,
        /// The promises, oldest first.
        promises: Vec<Promise>,
    },
    /// The caller did not answer when it was asked whether it still waits.
    CallerGone {
        /// For which need.
        need: NeedId,
    },
    /// An operator asked for it.
    Operator {
        /// Who.
        by: String,
        /// Why.
        note: String,
    },
}

impl HoldReason {
    /// The reason's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::StakeholderQuestion { .. } => "stakeholder_question",
            Self::OutOfScope { .. } => "out_of_scope",
            Self::WantsPerson { .. } => "wants_person",
            Self::RefusesContact { .. } => "refuses_contact",
            Self::NamesAnother { .. } => "names_another",
            Self::NothingUnderstood { .. } => "nothing_understood",
            Self::UnknownSender { .. } => "unknown_sender",
            Self::ReadingFailed { .. } => "reading_failed",
            Self::UnknownSend { .. } => "unknown_send",
            Self::SendRefused { .. } => "send_refused",
            Self::Unreachable => "unreachable",
            Self::Silence => "silence",
            Self::PromisesBroken { .. } => "promises_broken",
            Self::CallerGone { .. } => "caller_gone",
            Self::Operator { .. } => "operator",
        }
    }

    /// The reason in a sentence for an operator.
    pub fn sentence(&self) -> String {
        match self {
            Self::StakeholderQuestion { quote, .. } => format!("The stakeholder asks: “{quote}”"),
            Self::OutOfScope { quote, .. } => {
                format!("The stakeholder writes about something else: “{quote}”")
            }
            Self::WantsPerson { quote, .. } => {
                format!("The stakeholder wants to deal with a person: “{quote}”")
            }
            Self::RefusesContact { quote, .. } => {
                format!("The stakeholder does not want to be written to: “{quote}”")
            }
            Self::NamesAnother {
                quote,
                delegate: Some(delegate),
                ..
            } => format!(
                "The stakeholder names {} to talk to: “{quote}”",
                delegate.address
            ),
            Self::NamesAnother { quote, .. } => {
                format!("The stakeholder names somebody else to talk to: “{quote}”")
            }
            Self::NothingUnderstood { quote, .. } => {
                format!("A message answers nothing that was asked: “{quote}”")
            }
            Self::UnknownSender { from, .. } => {
                format!(
                    "A message came from {from}, which is not one of the stakeholder's addresses"
                )
            }
            Self::ReadingFailed { error } => {
                format!("A message could not be read, after several tries: {error}")
            }
            Self::UnknownSend { message, why } => {
                format!("Message {message} may or may not have been sent: {why}")
            }
            Self::SendRefused { message, why } => {
                format!("Message {message} was refused: {why}")
            }
            Self::Unreachable => "No contact of the stakeholder can be used".to_owned(),
            Self::Silence => "All reminders went unanswered".to_owned(),
            Self::PromisesBroken { slot, promises } => {
                let said: Vec<String> = promises
                    .iter()
                    .map(|promise| format!("“{}” (on {})", promise.quote, promise.made_at))
                    .collect();
                format!(
                    "The answer to {slot} was promised and did not come: {}",
                    said.join(", then ")
                )
            }
            Self::CallerGone { need } => {
                format!("The workflow that waits for need {need} has not been heard from")
            }
            Self::Operator { by, note } => format!("{by} asked for it: {note}"),
        }
    }
}

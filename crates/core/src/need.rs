//! Needs: what workflows wait for.

use crate::{
    id::{MessageId, NeedId},
    ladder::Ladder,
    policy::Wait,
    slot::{Confirm, Evidence, Filled, SlotKey},
    value::{Kind, Value},
};
use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A goal and the values it waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// What this is for, as the stakeholder may read it.
    pub goal: String,
    /// The values, in the order in which they are asked.
    pub slots: Vec<NeedSlot>,
    /// When the need ends, answered or not.
    pub deadline: Timestamp,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// What may be told to the stakeholder when it helps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What the stakeholder must be told once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub briefs: Vec<Brief>,
    /// How to chase for this need, instead of the policy's ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// When the caller last asked after it.
    pub caller_seen_at: Timestamp,
    /// When the caller was last asked whether it still waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_probed_at: Option<Timestamp>,
    /// When the caller counted as gone, because it had not answered that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_gone_at: Option<Timestamp>,
    /// Whether it is still open, or how it ended.
    pub status: NeedStatus,
}

impl Need {
    /// Whether it still waits.
    pub fn is_open(&self) -> bool {
        self.status == NeedStatus::Open
    }
}

/// A slot as one need sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedSlot {
    /// Which slot.
    pub key: SlotKey,
    /// Whether the need waits for it.
    pub required: bool,
    /// The slots of the same need that it rests on: it is asked once they are answered, and asked
    /// again when one of them changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<SlotKey>,
    /// When its value has to be confirmed.
    #[serde(default, skip_serializing_if = "Confirm::is_never")]
    pub confirm: Confirm,
    /// Whether its value was known before the need came, and was taken over.
    #[serde(default, skip_serializing_if = "is_no")]
    pub reused: bool,
    /// The value that the caller was told last, by the outcome or by an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Value>,
}

impl NeedSlot {
    /// A slot about `subject` as a need asks for it; `reused` when its value was known before.
    pub(crate) fn new(subject: &str, wanted: &SlotRequest, reused: bool) -> Self {
        let key = |name: &str| SlotKey {
            subject: subject.to_owned(),
            name: name.to_owned(),
        };
        Self {
            key: key(&wanted.name),
            required: wanted.required,
            depends_on: wanted.depends_on.iter().map(|name| key(name)).collect(),
            confirm: wanted.confirm,
            reused,
            told: None,
        }
    }
}

/// A fact that the stakeholder must be told once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// The fact, in words for the stakeholder.
    pub text: String,
    /// The message that told it, once that was really sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<MessageId>,
}

/// Whether a need is open, or how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum NeedStatus {
    /// It waits.
    Open,
    /// It has exactly one outcome.
    Settled {
        /// How.
        outcome: OutcomeKind,
        /// When.
        at: Timestamp,
    },
}

/// How a need ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// Every required slot is filled.
    Fulfilled,
    /// The stakeholder will not say what is required.
    Declined,
    /// The deadline came first.
    Expired,
    /// The caller took it back.
    Cancelled,
    /// No contact can be used.
    Unreachable,
    /// The stakeholder does not want to be written to.
    OptedOut,
}

impl OutcomeKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fulfilled => "fulfilled",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Unreachable => "unreachable",
            Self::OptedOut => "opted_out",
        }
    }
}

/// What a workflow gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How the need ended.
    pub outcome: OutcomeKind,
    /// When.
    pub at: Timestamp,
    /// The slots that are filled, in the need's order, whatever the outcome.
    pub slots: IndexMap<String, SlotOutcome>,
}

/// A value as a workflow gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotOutcome {
    /// The value, with its kind.
    #[serde(flatten)]
    pub value: Value,
    /// What it rests on.
    pub evidence: Evidence,
    /// As of when it is true.
    pub as_of: Timestamp,
    /// The words by which it was confirmed, where the slot asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<Evidence>,
    /// Whether it was known before the need was registered: another need had asked for it.
    #[serde(default, skip_serializing_if = "is_no")]
    pub reused: bool,
}

impl SlotOutcome {
    /// A value as one need is told of it.
    pub fn of(filled: &Filled, reused: bool) -> Self {
        Self {
            value: filled.value.clone(),
            evidence: filled.evidence.clone(),
            as_of: filled.as_of,
            confirmed_by: filled.confirmed_by.clone(),
            reused,
        }
    }
}

/// A need as it was asked for, checked, before it is part of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    /// The id that the caller was given.
    pub need: NeedId,
    /// What this is for.
    pub goal: String,
    /// What the slots are about; without one, the need's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The slots.
    pub slots: Vec<SlotRequest>,
    /// When the need ends.
    pub deadline: Timestamp,
    /// What may be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What must be told once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub briefs: Vec<String>,
    /// How to chase, instead of the policy's ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// What the stakeholder said before, oldest first, to be read before anything is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transcript: Vec<TranscriptEntry>,
}

impl Registration {
    /// The key of the slot that the registration calls `name`.
    pub fn key(&self, name: &str) -> SlotKey {
        SlotKey {
            subject: self
                .subject
                .clone()
                .unwrap_or_else(|| self.need.to_string()),
            name: name.to_owned(),
        }
    }
}

/// A slot as it was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRequest {
    /// Its name: 1 to 64 of `a-z`, `0-9` and `_`.
    pub name: String,
    /// What may fill it.
    #[serde(flatten)]
    pub kind: Kind,
    /// The question as the stakeholder reads it.
    pub question: String,
    /// Whether the need waits for it.
    #[serde(default = "yes")]
    pub required: bool,
    /// Questions that a reader must answer about its own proposal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_checks: Vec<String>,
    /// How old an answer that is known already may be to be taken over; without one, any age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Wait>,
    /// The names of the slots of the same need that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// When its value has to be confirmed.
    #[serde(default, skip_serializing_if = "Confirm::is_never")]
    pub confirm: Confirm,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_no(value: &bool) -> bool {
    !*value
}

fn yes() -> bool {
    true
}

/// Something that the stakeholder said before Liaison knew them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptEntry {
    /// When they said it.
    pub at: Timestamp,
    /// Their words.
    pub text: String,
}

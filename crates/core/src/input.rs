//! What happened outside, as it is stored before anything is acknowledged.

use crate::{
    amendment::Amendment,
    conversation::{Action, Received},
    id::{MessageId, NeedId},
    need::{Registration, TranscriptEntry},
    policy::Policy,
    stakeholder::Stakeholder,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An input in the order in which the store took it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredInput {
    /// Its place in the order of this conversation's inputs.
    pub seq: i64,
    /// When it was stored.
    pub at: Timestamp,
    /// What happened.
    pub input: Input,
}

/// One thing that happened outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum Input {
    /// A workflow registered a need. What it said of the stakeholder is merged: contacts are
    /// added, an empty name is filled.
    NeedRegistered {
        /// The need.
        registration: Box<Registration>,
        /// The person it is about.
        stakeholder: Box<Stakeholder>,
    },
    /// A workflow changed a need.
    NeedAmended {
        /// What of it.
        amendment: Box<Amendment>,
    },
    /// A workflow took a need back.
    NeedCancelled {
        /// Which.
        need: NeedId,
    },
    /// A workflow asked after a need; it still waits.
    CallerSeen {
        /// Which.
        need: NeedId,
    },
    /// The stakeholder, or somebody in their thread, wrote.
    MessageReceived(Box<Received>),
    /// A transport said what became of a message.
    Dispatched {
        /// Which message.
        message: MessageId,
        /// What became of it.
        fate: Fate,
    },
    /// A message that had been handed over came back.
    Bounced {
        /// Which message.
        message: MessageId,
        /// Whether the address will never work.
        permanent: bool,
        /// What the far side said, bounded.
        reason: String,
    },
    /// The person's mailbox provider or mail program says that they want no more mail: an abuse or
    /// opt-out report.
    OptedOut {
        /// The report.
        message: MessageId,
        /// What it says, bounded.
        why: String,
    },
    /// An operator gave a command that is run by a rule of its own.
    QuickAction {
        /// Who.
        by: String,
        /// What.
        action: Action,
    },
    /// An operator handed over what the person said before, or elsewhere.
    TranscriptAdded {
        /// Who.
        by: String,
        /// The open need that it belongs to.
        need: NeedId,
        /// What they said, oldest first.
        entries: Vec<TranscriptEntry>,
    },
    /// An operator paused the conversation, or one of its needs.
    HoldRequested {
        /// Who.
        by: String,
        /// Why.
        note: String,
        /// Which need; without one, the whole conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        need: Option<NeedId>,
        /// When the pause ends by itself; without it, an operator ends it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// An operator took the conversation over.
    TakenOver {
        /// Who.
        by: String,
    },
    /// An operator gave the conversation back.
    HandedBack {
        /// Who.
        by: String,
    },
    /// The tenant's rules changed.
    PolicyChanged(Box<Policy>),
}

/// What became of a message that was handed to a transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// The far side took it.
    Sent {
        /// When.
        at: Timestamp,
        /// The Message-ID, or the provider's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transport_id: Option<String>,
    },
    /// The far side will not take it, or the transport gave up after its bounded tries.
    Refused {
        /// Whether the address will never work, as opposed to this message or this hour.
        address_is_bad: bool,
        /// What the far side said, bounded.
        reason: String,
    },
    /// The connection died where nobody can tell.
    Unknown {
        /// What broke off.
        why: String,
    },
    /// It was taken out of the outbox before it was handed over.
    Withdrawn {
        /// Why.
        why: String,
    },
}

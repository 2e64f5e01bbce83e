//! The outbox: claimed rows, what became of them, and how they are listed.

use crate::transport::Composed;
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, MessageId, TenantId},
    input::Fate,
    stakeholder::Channel,
};
use serde::{Deserialize, Serialize};

/// A row of the outbox, claimed.
#[derive(Clone, Debug)]
pub struct OutboxItem {
    /// The message.
    pub message: MessageId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its channel.
    pub channel: Channel,
    /// How often it was tried before.
    pub attempts: u32,
    /// What to hand over.
    pub composed: Composed,
}

/// What became of a claimed row.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Which.
    pub message: MessageId,
    /// By whom it was claimed; ignored when it is somebody else's by now.
    pub owner: String,
    /// When.
    pub at: Timestamp,
    /// What.
    pub result: CompletionResult,
}

/// How a try at a row ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionResult {
    /// With a fate.
    Final(Fate),
    /// To be tried again.
    Retry {
        /// Not before.
        not_before: Timestamp,
        /// What went wrong.
        error: String,
    },
    /// Given back untried, because it may not go now.
    PutBack,
}

/// Where an outbox row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxState {
    /// It waits, or waits to be tried again.
    Queued,
    /// A dispatcher has it and has not passed the point of no return.
    Claimed,
    /// A dispatcher is handing it over.
    Transmitting,
    /// The far side took it.
    Sent,
    /// The far side will not take it.
    Refused,
    /// Nobody can tell.
    Unknown,
    /// It was taken out.
    Withdrawn,
}

/// A row of the outbox, for operators.
#[derive(Clone, Debug, Serialize)]
pub struct OutboxRow {
    /// The message.
    pub message: MessageId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Where it stands.
    pub state: OutboxState,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is due.
    pub due_at: Timestamp,
    /// What went wrong last.
    pub last_error: Option<String>,
}

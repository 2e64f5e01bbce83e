//! Mail on its way in and out, as operators see it.

use jiff::Timestamp;
use liaison_core::id::{ConversationId, MessageId};
use serde::{Deserialize, Serialize};

/// The answer of `POST /v1/inbound/email`: the message is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenView {
    /// Where it went.
    pub taken: TakenAs,
}

/// Where a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TakenAs {
    /// Into a conversation.
    Matched,
    /// Nowhere: it had been taken before.
    Duplicate,
    /// Into the unmatched list.
    Unmatched,
}

/// The answer of `GET /v1/unmatched`: newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmatchedView {
    /// The messages.
    pub messages: Vec<UnmatchedEntry>,
}

/// A message that belongs to no conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmatchedEntry {
    /// Its id.
    pub id: MessageId,
    /// When it came.
    pub at: Timestamp,
    /// From whom, as written.
    pub from: String,
    /// Its subject.
    pub subject: String,
    /// Why it matches nothing.
    pub why: String,
    /// How many bytes it has.
    pub size: u64,
}

/// The answer of `GET /v1/outbox`: messages that are not sent, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxView {
    /// The messages.
    pub messages: Vec<OutboxEntry>,
}

/// A message that is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxEntry {
    /// Its id.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Where a message of ours stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxState {
    /// It waits, or waits to be tried again.
    Queued,
    /// It is about to be handed over.
    Claimed,
    /// It is being handed over.
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

//! What is read: needs, conversations, messages, the journal and keys.

use crate::language::Usage;
use jiff::Timestamp;
use liaison_core::{
    conversation::Conversation,
    effect::NeedEvent,
    gate::Judgement,
    id::{ConversationId, MessageId, NeedId, TenantId},
    journal::Operation,
    need::{Outcome, Registration},
    stakeholder::Channel,
    transition::Opening,
};
use serde::{Deserialize, Serialize};

/// A need, for callers.
#[derive(Clone, Debug, PartialEq)]
pub struct NeedRow {
    /// Its id.
    pub id: NeedId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// What was asked for.
    pub registration: Registration,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// Its outcome, once it has one.
    pub outcome: Option<Outcome>,
}

/// News of a need.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Its place.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: NeedEvent,
}

/// A conversation, for operators.
#[derive(Clone, Debug)]
pub struct ConversationRow {
    /// The document.
    pub document: Conversation,
    /// When it is due.
    pub wake_at: Option<Timestamp>,
    /// Inputs stored and not yet folded.
    pub unfolded: u32,
    /// Why it is out of the work, if it is.
    pub quarantined: Option<String>,
}

/// Which conversations to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConversationFilter {
    /// Only those that a hold keeps from sending.
    pub held: bool,
    /// At most this many.
    pub limit: u32,
    /// Those after this many.
    pub offset: u32,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationSummary {
    /// Its id.
    pub id: ConversationId,
    /// The stakeholder's name, or first address.
    pub stakeholder: String,
    /// How many needs are open.
    pub open_needs: u32,
    /// Since when it is held, if it is.
    pub held_since: Option<Timestamp>,
    /// When something last happened.
    pub last_activity: Timestamp,
    /// When it is due.
    pub wake_at: Option<Timestamp>,
    /// Whether it is out of the work.
    pub quarantined: bool,
}

/// What is known of a conversation without its document.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationFacts {
    /// What lists show.
    pub summary: ConversationSummary,
    /// Inputs stored and not yet folded.
    pub unfolded: u32,
    /// Why it is out of the work, if it is.
    pub quarantined: Option<String>,
}

/// A message in the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRow {
    /// Its id.
    pub id: MessageId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Which way it went.
    pub direction: Direction,
    /// By which channel.
    pub channel: Channel,
    /// When it was received, or decided.
    pub at: Timestamp,
    /// The other side's address.
    pub address: String,
    /// The subject.
    pub subject: String,
    /// The text; for a received one, what the person wrote.
    pub text: String,
    /// Its Message-ID.
    pub transport_id: Option<String>,
}

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To us.
    Inbound,
    /// From us.
    Outbound,
}

/// A stretch of the journal.
#[derive(Clone, Debug)]
pub struct JournalPage {
    /// How the conversation began.
    pub opening: Opening,
    /// Operations, oldest first.
    pub operations: Vec<JournalRow>,
}

/// An operation in the journal.
#[derive(Clone, Debug)]
pub struct JournalRow {
    /// The operation.
    pub operation: Operation,
    /// What the gate said.
    pub judgement: Option<Judgement>,
    /// What the model cost.
    pub usage: Option<Usage>,
}

/// An API key. The key itself is never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// Its id, which is no secret.
    pub id: String,
    /// Whose.
    pub tenant: TenantId,
    /// What it is called.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// The SHA-256 of the key, in hexadecimal. A key has 128 random bits, so a fast hash is enough.
    pub hash: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Register needs and read them.
    Caller,
    /// That, and everything an operator does.
    Operator,
    /// Only hand in mail.
    Inbound,
}

//! What an operator reads of a conversation.

use crate::{need::NeedStatus, person::AbsenceView};
use jiff::Timestamp;
use liaison_core::{
    conversation::{Guidance, IgnoredAction},
    gate::Judgement,
    id::{ConversationId, HoldId, MessageId, NeedId},
    journal::Operation,
    slot::{Evidence, Filled, SlotKey},
    stakeholder::{Channel, Stakeholder},
    transition::Opening,
    value::{Kind, Value},
};
use serde::{Deserialize, Serialize};

pub use liaison_core::{
    conversation::{Ask, HoldReason, MessageKind, TakenOver},
    phase::Phase,
};

/// The answer of `GET /v1/conversations`: the latest activity first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationList {
    /// The conversations.
    pub conversations: Vec<ConversationSummary>,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// Its id.
    pub id: ConversationId,
    /// The stakeholder's name, or first address.
    pub stakeholder: String,
    /// How many needs are open.
    pub open_needs: u32,
    /// Since when it is held, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_since: Option<Timestamp>,
    /// When something last happened.
    pub last_activity: Timestamp,
    /// When it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
    /// Whether it is out of the work, because it cannot be processed.
    pub quarantined: bool,
}

/// The answer of `GET /v1/conversations/{id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConversationView {
    /// Its id.
    pub id: ConversationId,
    /// How many operations it has seen.
    pub revision: u64,
    /// When it began.
    pub opened_at: Timestamp,
    /// The instant that `phase` and `next_wake` are about.
    pub at: Timestamp,
    /// What happens next.
    pub phase: Phase,
    /// When that changes if nothing arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_wake: Option<Timestamp>,
    /// The person, with what is known of each contact.
    pub stakeholder: Stakeholder,
    /// The needs: those that are open, and the latest that are not.
    pub needs: Vec<NeedInConversation>,
    /// What they wait for.
    pub slots: Vec<SlotView>,
    /// What keeps it from sending.
    pub holds: Vec<HoldView>,
    /// When they are away, by what they or their mail program said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<AbsenceView>,
    /// Who has taken it over, if somebody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_over: Option<TakenOver>,
    /// Operators' instructions on the manner that count now, oldest first. Only a model can follow
    /// them; templates say what they always say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidance: Vec<Guidance>,
    /// The latest commands that changed nothing, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredAction>,
    /// Every question that was really sent, oldest first.
    pub asks: Vec<Ask>,
    /// Messages of ours whose fate is not known yet.
    pub outgoing: Vec<OutgoingView>,
    /// Messages that have not been read.
    pub unread: u32,
    /// Inputs that are stored and not yet part of this.
    pub unfolded: u32,
    /// Why it is out of the work, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
    /// The latest that was said, oldest first.
    pub transcript: Vec<MessageView>,
}

/// The answer of `GET /v1/conversations/{id}` when its document cannot be read: what is known
/// without it. Mend the document or run the version that wrote it, then lift the quarantine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadableConversation {
    /// Why the document cannot be read.
    pub unreadable: String,
    /// Its id.
    pub id: ConversationId,
    /// The stakeholder's name, or first address.
    pub stakeholder: String,
    /// How many needs are open.
    pub open_needs: u32,
    /// Since when it is held, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_since: Option<Timestamp>,
    /// When something last happened.
    pub last_activity: Timestamp,
    /// Inputs that are stored and wait.
    pub unfolded: u32,
    /// Why it is out of the work, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
    /// The latest that was said, oldest first.
    pub transcript: Vec<MessageView>,
}

/// What `GET /v1/conversations/{id}` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConversationAnswer {
    /// The conversation.
    Readable(Box<ConversationView>),
    /// What is known without its document.
    Unreadable(UnreadableConversation),
}

/// A need as its conversation sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeedInConversation {
    /// Its id.
    pub id: NeedId,
    /// Whether it is open, or how it ended.
    pub status: NeedStatus,
    /// What it is for.
    pub goal: String,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// When it ends, answered or not.
    pub deadline: Timestamp,
    /// The slots that it must have.
    pub required: Vec<SlotKey>,
    /// The slots that it would like to have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<SlotKey>,
}

/// A slot and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotView {
    /// Which.
    pub slot: SlotKey,
    /// What may fill it.
    pub spec: Kind,
    /// The question.
    pub question: String,
    /// How often it was asked, reminders included.
    pub asked: u32,
    /// What is known.
    #[serde(flatten)]
    pub state: SlotState,
    /// Values that were replaced, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Filled>,
}

/// What is known of a slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SlotState {
    /// Nothing, and it was never asked.
    Missing,
    /// Nothing, and it was asked.
    Asked {
        /// When it was last asked.
        asked_at: Timestamp,
    },
    /// The person said when they will answer.
    Promised {
        /// The end of the day they named.
        until: Timestamp,
        /// Their words.
        evidence: Evidence,
    },
    /// The person's words do not settle it.
    Unclear {
        /// What they could mean.
        candidates: Vec<Value>,
        /// Their words.
        evidence: Evidence,
        /// What speaks against taking a value.
        why: String,
    },
    /// A value was understood, and counts once the person has confirmed it.
    Unconfirmed(Filled),
    /// The value is known.
    Filled(Filled),
    /// The person will not say.
    Declined {
        /// Their words.
        evidence: Evidence,
    },
}

impl SlotState {
    /// The state's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Asked { .. } => "asked",
            Self::Promised { .. } => "promised",
            Self::Unclear { .. } => "unclear",
            Self::Unconfirmed(_) => "unconfirmed",
            Self::Filled(_) => "filled",
            Self::Declined { .. } => "declined",
        }
    }
}

/// What keeps a conversation from sending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldView {
    /// Its id.
    pub id: HoldId,
    /// Since when.
    pub since: Timestamp,
    /// The need that is paused; without it, the whole conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<NeedId>,
    /// When it ends by itself; without it, an operator ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// When it was escalated, because no operator had attended to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_at: Option<Timestamp>,
    /// How many more reasons of the same kind there are; they are in the transcript.
    #[serde(default)]
    pub further: u32,
    /// Why, in a sentence.
    pub sentence: String,
    /// Why, for programs.
    #[serde(flatten)]
    pub reason: HoldReason,
}

/// A message of ours whose fate is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingView {
    /// Which.
    pub message: MessageId,
    /// What for.
    pub kind: MessageKind,
    /// Its subject.
    pub subject: String,
    /// When it was decided.
    pub decided_at: Timestamp,
    /// Since when nobody can tell whether it went, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_since: Option<Timestamp>,
}

/// The answer of `GET /v1/conversations/{id}/transcript`: oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptView {
    /// The messages.
    pub messages: Vec<MessageView>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// Which way it went.
    pub direction: MessageDirection,
    /// By which channel.
    pub channel: Channel,
    /// When it was received, or decided.
    pub at: Timestamp,
    /// The other side's address.
    pub address: String,
    /// The subject.
    pub subject: String,
    /// The text; of a received one, what the person wrote.
    pub text: String,
}

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageDirection {
    /// To us.
    Inbound,
    /// From us.
    Outbound,
}

/// The answer of `GET /v1/conversations/{id}/journal`: operations, oldest first. The last one's
/// revision plus one, as `from`, gives the next page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalView {
    /// How the conversation began.
    pub opening: Opening,
    /// What was done.
    pub operations: Vec<JournalEntry>,
}

/// An operation, and what came with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The operation.
    pub operation: Operation,
    /// What the gate said, when something was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// What the model cost, when one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageView>,
}

/// What a model call cost, as its provider says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageView {
    /// The model.
    pub model: String,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Requests made, retries included.
    pub requests: u32,
}

//! What is written: needs, inputs, claims and commits.

use super::{MessageRow, NeedRow};
use crate::{inbound::InboundFile, language::Usage, transport::Composed};
use jiff::Timestamp;
use liaison_core::{
    amendment::Amendment,
    conversation::Conversation,
    effect::{NeedEvent, OutboundMessage},
    gate::Judgement,
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::{Input, StoredInput},
    journal::Operation,
    need::{Outcome, Registration},
    stakeholder::Stakeholder,
    transition::Opening,
};

/// A need to register.
///
/// The conversation is the one whose stakeholder has the same key; else, without a key or where no
/// conversation has it, the only one of the tenant that has the first contact's address and whose
/// own key is absent (or the request's is); else a new one, from `opening`.
#[derive(Clone, Debug)]
pub struct NewNeed {
    /// Whose.
    pub tenant: TenantId,
    /// The caller's `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// A hash of the request's body, to tell a repetition from a reuse of the key.
    pub request_hash: String,
    /// The need.
    pub registration: Registration,
    /// The person.
    pub stakeholder: Stakeholder,
    /// How the conversation begins, should there be none.
    pub opening: Opening,
    /// When.
    pub at: Timestamp,
}

/// What became of a registration.
#[derive(Clone, Debug, PartialEq)]
pub enum Registered {
    /// It is registered.
    New {
        /// In this conversation.
        conversation: ConversationId,
    },
    /// The same request had been registered before.
    Existing(Box<NeedRow>),
    /// The key had been used for another request.
    KeyReused,
}

/// An input to append.
#[derive(Clone, Debug)]
pub struct NewInput {
    /// To which conversation.
    pub conversation: ConversationId,
    /// The same for the same input, however often it comes.
    pub dedupe_key: String,
    /// When it came.
    pub at: Timestamp,
    /// What happened.
    pub input: Input,
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It has this place.
    At(i64),
    /// It had been appended before.
    Duplicate,
    /// There is no such conversation.
    NoConversation,
}

/// A received message to append.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// The input: [`Input::MessageReceived`] or [`Input::Bounced`].
    pub input: NewInput,
    /// Its transcript row.
    pub row: MessageRow,
    /// Its files.
    pub files: Vec<(BlobId, InboundFile)>,
    /// The unmatched message that it was, when an operator assigned it; that one goes.
    pub was_unmatched: Option<MessageId>,
}

/// What an operator's command comes to: inputs of one conversation, appended all or none.
#[derive(Clone, Debug)]
pub struct NewCommand {
    /// What the dedupe keys of every command with the same `Idempotency-Key` begin with; it ends
    /// with a colon. None for a command without a key, whose dedupe keys are its own.
    pub prefix: Option<String>,
    /// The inputs, at least one.
    pub inputs: Vec<NewInput>,
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandAppended {
    /// It is appended.
    New,
    /// The same command had been appended before.
    Repeated,
    /// The key had been used for another command.
    KeyReused,
    /// There is no such conversation.
    NoConversation,
}

/// A message that belongs to no conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmatched {
    /// Its id.
    pub id: MessageId,
    /// Whose mailbox it came to.
    pub tenant: TenantId,
    /// The same for the same message.
    pub dedupe_key: String,
    /// When.
    pub at: Timestamp,
    /// From whom, as written.
    pub from: String,
    /// The subject.
    pub subject: String,
    /// Why it matches nothing.
    pub why: String,
    /// The message as it came.
    pub raw: Vec<u8>,
}

/// Who claims, until when, and how much.
#[derive(Clone, Debug)]
pub struct ClaimRequest {
    /// The claimant, unique among all that run.
    pub owner: String,
    /// Now.
    pub now: Timestamp,
    /// Until when the claim stands.
    pub lease_until: Timestamp,
    /// At most this many.
    pub limit: u32,
}

/// A claimed conversation.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Which.
    pub id: ConversationId,
    /// What every write must show; it grows with each claim.
    pub fence: i64,
    /// The document, or why it cannot be read.
    pub document: Result<Box<Conversation>, String>,
    /// The unfolded inputs, in order; at most [`MOST_INPUTS_AT_ONCE`].
    pub inputs: Vec<StoredInput>,
}

/// A run of operations, to be made durable together.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The claim's fence.
    pub fence: i64,
    /// The state after the last of them.
    pub document: Conversation,
    /// The operations, oldest first; at least one. Only the first folds inputs.
    pub steps: Vec<Step>,
    /// Whether to refuse when an input came after the folded ones.
    pub only_without_newer_inputs: bool,
    /// When the conversation is due again if nothing arrives.
    pub wake_at: Option<Timestamp>,
    /// Until when to keep the claim; none to give it back.
    pub keep_until: Option<Timestamp>,
}

impl Commit {
    /// What the run spans; or why it is none.
    pub fn span(&self) -> Result<Span, &'static str> {
        let [first, later @ ..] = self.steps.as_slice() else {
            return Err("a commit holds no operation");
        };
        if later.iter().any(|step| !step.operation.inputs.is_empty()) {
            return Err("an operation that is not the first of its commit folds inputs");
        }
        let inputs = &first.operation.inputs;
        Ok(Span {
            folded: inputs.len(),
            last_folded: inputs.last().map_or(0, |input| input.seq),
            ended_at: later.last().unwrap_or(first).operation.at,
        })
    }
}

/// What a run of operations spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// How many inputs it folds.
    pub folded: usize,
    /// The place of the last of them; 0 without any.
    pub last_folded: i64,
    /// When its last operation was done.
    pub ended_at: Timestamp,
}

/// One operation with what came of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// What the gate said, when something was read.
    pub judgement: Option<Judgement>,
    /// What the model cost, when one was asked.
    pub usage: Option<Usage>,
    /// What was decided.
    pub effects: Vec<StoredEffect>,
}

/// An effect in the form in which it is stored.
#[derive(Clone, Debug)]
pub enum StoredEffect {
    /// A message for the outbox, composed.
    Send {
        /// The message.
        message: Box<OutboundMessage>,
        /// Its bytes.
        composed: Composed,
    },
    /// Take a message out of the outbox if it has not passed the point of no return; when it is
    /// taken out, [`Fate::Withdrawn`] is appended as an input.
    Recall {
        /// Which message.
        message: MessageId,
        /// Why.
        why: String,
    },
    /// Put a message of unknown fate back into the outbox: the same bytes once more.
    Resend {
        /// Which message.
        message: MessageId,
    },
    /// Say what became of a message of unknown fate; it leaves the outbox's list. No input comes of
    /// it: the state knows.
    Resolve {
        /// Which message.
        message: MessageId,
        /// Whether it was sent.
        sent: bool,
    },
    /// A need's outcome.
    Settle {
        /// Which need.
        need: NeedId,
        /// Its outcome.
        outcome: Box<Outcome>,
    },
    /// A need's registration is another one from now on.
    Amend {
        /// What of it has changed.
        amendment: Box<Amendment>,
    },
    /// News for a need's caller.
    Event {
        /// Which need.
        need: NeedId,
        /// What.
        event: NeedEvent,
    },
}

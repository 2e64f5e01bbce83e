//! What is kept, and the few coarse operations on it.
//!
//! Every operation is one short transaction. An implementation may put several of them into one
//! commit, and answers each only when that commit is durable. None may be left half-way when its
//! caller goes away.

use crate::{inbound::InboundFile, language::Usage, transport::Composed};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    conversation::Conversation,
    effect::{NeedEvent, OutboundMessage},
    gate::Judgement,
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::{Fate, Input, StoredInput},
    journal::Operation,
    need::{Outcome, Registration},
    stakeholder::{Channel, EmailAddress, Stakeholder},
    transition::Opening,
};
use serde::{Deserialize, Serialize};

/// The store.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    // Inputs: stored first, acknowledged only then.

    /// Registers a need: finds the stakeholder's conversation in the tenant (by key, else by a
    /// contact's address when exactly one conversation has it, see [`NewNeed`]) or opens one, adds
    /// the need's row and its input, and makes the conversation due.
    async fn register_need(&self, need: NewNeed) -> Result<Registered, StoreError>;

    /// What became of an earlier registration with this key, if there was one; never
    /// [`Registered::New`].
    async fn registered_before(
        &self,
        tenant: &TenantId,
        idempotency_key: &str,
        request_hash: &str,
    ) -> Result<Option<Registered>, StoreError>;

    /// Appends inputs, each once by its dedupe key, and makes their conversations due. The answers
    /// are in the order of the inputs.
    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError>;

    /// Appends a received message with its transcript row and its files, all or nothing.
    async fn receive(&self, message: NewMessage) -> Result<Appended, StoreError>;

    /// Files a message that belongs to no conversation; once by its dedupe key.
    async fn file_unmatched(&self, message: Unmatched) -> Result<Appended, StoreError>;

    // The single writer of a conversation.

    /// Claims up to `limit` conversations that are due at `now` and that nobody else holds, those
    /// due longest first, each with its document and its unfolded inputs.
    async fn claim_due(&self, claim: ClaimRequest) -> Result<Vec<Claimed>, StoreError>;

    /// The unfolded inputs of a conversation after `after`, in order; at most
    /// [`MOST_INPUTS_AT_ONCE`].
    async fn pending_inputs(
        &self,
        conversation: &ConversationId,
        after: i64,
    ) -> Result<Vec<StoredInput>, StoreError>;

    /// Commits one operation. [`StoreError::Fenced`] when somebody else has claimed the
    /// conversation since; [`StoreError::NewerInputs`] when `only_without_newer_inputs` is set and
    /// an input after the folded ones waits. After a commit that releases, the conversation is due
    /// again at once if unfolded inputs wait.
    async fn commit(&self, commit: Commit) -> Result<(), StoreError>;

    /// Gives a claimed conversation back, due again at `wake_at`, without changing it.
    async fn release(
        &self,
        conversation: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError>;

    /// Takes a conversation that cannot be processed out of the work, with the error.
    async fn quarantine(
        &self,
        conversation: &ConversationId,
        fence: i64,
        error: &str,
        at: Timestamp,
    ) -> Result<(), StoreError>;

    // The outbox.

    /// Claims up to `limit` rows that are due, oldest first, one at a time for each conversation,
    /// and none of a conversation whose inputs wait unfolded. Rows that a dead dispatcher left are
    /// claimed again when it had not passed the point of no return; those where it had become
    /// `unknown`, with an input that says so.
    async fn outbox_claim(&self, claim: ClaimRequest) -> Result<Vec<OutboxItem>, StoreError>;

    /// Passes the point of no return: makes it durable that `owner` is about to hand the message
    /// over. `false` when it may not: recalled, no longer `owner`'s, or an input waits unfolded.
    async fn outbox_begin(
        &self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Says what became of claimed rows; a final fate appends its input in the same transaction.
    async fn outbox_complete(&self, completions: Vec<Completion>) -> Result<(), StoreError>;

    /// When the next outbox row is due, if one waits.
    async fn outbox_next(&self) -> Result<Option<Timestamp>, StoreError>;

    // Matching.

    /// The conversation that a reply token binds to.
    async fn by_token(
        &self,
        tenant: &TenantId,
        token: &str,
    ) -> Result<Option<ConversationId>, StoreError>;

    /// The conversation and message of ours that one of these Message-IDs belongs to; the first
    /// that is found, in the order given.
    async fn by_transport_id(
        &self,
        tenant: &TenantId,
        ids: &[String],
    ) -> Result<Option<(ConversationId, MessageId)>, StoreError>;

    /// The conversations that have this contact; with `open_only`, those with an open need.
    async fn by_address(
        &self,
        tenant: &TenantId,
        channel: Channel,
        address: &EmailAddress,
        open_only: bool,
    ) -> Result<Vec<ConversationId>, StoreError>;

    // What callers and operators read. A foreign tenant's id is simply not found.

    /// A need.
    async fn need(&self, tenant: &TenantId, need: &NeedId) -> Result<Option<NeedRow>, StoreError>;

    /// The latest needs of a tenant, newest first, older than `before`.
    async fn needs(
        &self,
        tenant: &TenantId,
        before: Option<NeedId>,
        limit: u32,
    ) -> Result<Vec<NeedRow>, StoreError>;

    /// News of a need after `after`, oldest first.
    async fn events(
        &self,
        tenant: &TenantId,
        need: &NeedId,
        after: i64,
    ) -> Result<Vec<EventRow>, StoreError>;

    /// A conversation.
    async fn conversation(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationRow>, StoreError>;

    /// Conversations of a tenant, the latest activity first.
    async fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Result<Vec<ConversationSummary>, StoreError>;

    /// What was said, oldest first, at most `limit` of the latest.
    async fn transcript(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError>;

    /// The opening and the operations of a conversation, oldest first, from revision `from`.
    async fn journal(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        from: u64,
        limit: u32,
    ) -> Result<Option<JournalPage>, StoreError>;

    /// The latest messages that belong to no conversation, newest first.
    async fn unmatched(&self, tenant: &TenantId, limit: u32) -> Result<Vec<Unmatched>, StoreError>;

    /// Outbox rows of a tenant that are not sent, oldest first.
    async fn outbox(&self, tenant: &TenantId, limit: u32) -> Result<Vec<OutboxRow>, StoreError>;

    /// The bytes of a file.
    async fn blob(&self, tenant: &TenantId, blob: &BlobId) -> Result<Option<Vec<u8>>, StoreError>;

    // Keys.

    /// Adds an API key.
    async fn add_key(&self, key: KeyRow) -> Result<(), StoreError>;

    /// The key with this hash, revoked or not.
    async fn key_by_hash(&self, hash: &str) -> Result<Option<KeyRow>, StoreError>;

    /// Revokes a key at once; `false` when there is none.
    async fn revoke_key(
        &self,
        tenant: &TenantId,
        id: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError>;

    /// The keys of a tenant.
    async fn keys(&self, tenant: &TenantId) -> Result<Vec<KeyRow>, StoreError>;

    /// Whether the store can be read and written.
    async fn check(&self) -> Result<(), StoreError>;
}

/// The most inputs that are folded in one operation: enough for any burst, and a bound on one
/// operation's work.
pub const MOST_INPUTS_AT_ONCE: usize = 200;

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

/// One operation, to be made durable.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The claim's fence.
    pub fence: i64,
    /// The state after.
    pub document: Conversation,
    /// The operation.
    pub operation: Operation,
    /// What the gate said, when something was read.
    pub judgement: Option<Judgement>,
    /// What the model cost, when one was asked.
    pub usage: Option<Usage>,
    /// What was decided.
    pub effects: Vec<StoredEffect>,
    /// Whether to refuse when an input came after the folded ones.
    pub only_without_newer_inputs: bool,
    /// When the conversation is due again if nothing arrives.
    pub wake_at: Option<Timestamp>,
    /// Until when to keep the claim; none to give it back.
    pub keep_until: Option<Timestamp>,
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
    /// News for a need's caller.
    Event {
        /// Which need.
        need: NeedId,
        /// What.
        event: NeedEvent,
    },
}

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

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else has claimed the conversation.
    #[error("the conversation was claimed by somebody else")]
    Fenced,
    /// An input came after the folded ones.
    #[error("an input arrived in the meantime")]
    NewerInputs,
    /// The database cannot be used now; the operation was not done, or it is not known whether it
    /// was and the caller reads again.
    #[error("{operation}: the database cannot be used")]
    Unavailable {
        /// What was being done.
        operation: &'static str,
        /// Why not.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is no room.
    #[error("{operation}: the disk is full")]
    Full {
        /// What was being done.
        operation: &'static str,
    },
    /// What is stored does not make sense to this version.
    #[error("{operation}: {what}")]
    Corrupt {
        /// What was being done.
        operation: &'static str,
        /// What does not make sense.
        what: String,
    },
}

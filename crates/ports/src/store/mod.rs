//! What is kept, and the few coarse operations on it.
//!
//! Every operation is one short transaction. An implementation may put several of them into one
//! commit, and answers each only when that commit is durable. None may be left half-way when its
//! caller goes away.

mod outbox;
mod rows;
mod writes;

pub use outbox::*;
pub use rows::*;
pub use writes::*;

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::{Channel, EmailAddress, Stakeholder},
};

/// The most inputs that are folded in one operation: enough for any burst, and a bound on one
/// operation's work.
pub const MOST_INPUTS_AT_ONCE: usize = 200;

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

    /// The conversation that a need about this person would join, if there is one: the same that
    /// [`Store::register_need`] finds, unless something changes in between.
    async fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Result<Option<ConversationId>, StoreError>;

    /// Appends inputs, each once by its dedupe key, and makes their conversations due. The answers
    /// are in the order of the inputs.
    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError>;

    /// Appends the inputs of an operator's command, unless one with the same key came before.
    async fn append_command(&self, command: NewCommand) -> Result<CommandAppended, StoreError>;

    /// The first dedupe key of the tenant that begins so, if there is one: that of the command
    /// that came first with a key.
    async fn command_before(
        &self,
        tenant: &TenantId,
        prefix: &str,
    ) -> Result<Option<String>, StoreError>;

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

    /// Commits a run of operations, all or nothing. [`StoreError::Fenced`] when somebody else has claimed the
    /// conversation since; [`StoreError::NewerInputs`] when `only_without_newer_inputs` is set and
    /// an input after the folded ones waits. After a commit that releases, the conversation is due
    /// again at once if unfolded inputs wait.
    async fn commit(&self, commit: Commit) -> Result<(), StoreError>;

    /// Gives a claimed conversation back, without changing it. It is due again at `wake_at`, or at
    /// once when an input waits unfolded.
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

    /// Puts a quarantined conversation back to work: it is due at `at`. `false` when it is not
    /// quarantined, or not this tenant's.
    async fn lift_quarantine(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, StoreError>;

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

    /// What is known of a conversation without its document, which may be unreadable.
    async fn conversation_facts(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationFacts>, StoreError>;

    /// Conversations of a tenant, the latest activity first.
    async fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Result<Vec<ConversationSummary>, StoreError>;

    /// The ids of a tenant's conversations after `after`, in their order: a page that whatever
    /// happens meanwhile does not shift.
    async fn conversation_ids(
        &self,
        tenant: &TenantId,
        after: Option<&ConversationId>,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError>;

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

    /// One message that belongs to no conversation.
    async fn unmatched_message(
        &self,
        tenant: &TenantId,
        message: &MessageId,
    ) -> Result<Option<Unmatched>, StoreError>;

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

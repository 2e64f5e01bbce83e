//! A store that can be made to fail.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::{Channel, EmailAddress, Stakeholder},
};
use liaison_ports::{
    fake::MemoryStore,
    store::{
        Appended, ClaimRequest, Claimed, CommandAppended, Commit, Completion, ConversationFacts,
        ConversationFilter, ConversationRow, ConversationSummary, EventRow, JournalPage, KeyRow,
        MessageRow, NeedRow, NewCommand, NewInput, NewMessage, NewNeed, OutboxItem, OutboxRow,
        Registered, Store, StoreError, Unmatched,
    },
};
use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// How a store fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Unavailable,
    Full,
    Corrupt,
    Panic,
}

/// A store in memory that fails on demand. Keys can always be looked up, so that requests get as
/// far as what they do.
#[derive(Default)]
pub(crate) struct FailingStore {
    inner: MemoryStore,
    failure: Mutex<Option<Failure>>,
    /// How often a need was read.
    pub(crate) need_reads: AtomicU64,
    garbled: AtomicBool,
}

impl FailingStore {
    pub(crate) fn fail(&self, failure: Option<Failure>) {
        *self.failure.lock().expect("no test panics here") = failure;
    }

    fn trouble(&self) -> Result<(), StoreError> {
        let failure = *self.failure.lock().expect("no test panics here");
        match failure {
            None => Ok(()),
            Some(Failure::Unavailable) => Err(StoreError::Unavailable {
                operation: "test",
                source: "secret-path/liaison.db is locked".into(),
            }),
            Some(Failure::Full) => Err(StoreError::Full { operation: "test" }),
            Some(Failure::Corrupt) => Err(StoreError::Corrupt {
                operation: "test",
                what: "secret-row".to_owned(),
            }),
            Some(Failure::Panic) => panic!("secret-panic"),
        }
    }
}

impl FailingStore {
    /// Makes the documents of conversations unreadable.
    pub(crate) fn garble(&self, garbled: bool) {
        self.garbled.store(garbled, Ordering::SeqCst);
    }
}

macro_rules! delegate {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        #[async_trait]
        impl Store for FailingStore {
            $(async fn $name(&self, $($arg: $type),*) -> Result<$out, StoreError> {
                self.trouble()?;
                if stringify!($name) == "need" {
                    self.need_reads.fetch_add(1, Ordering::SeqCst);
                }
                if stringify!($name) == "conversation" && self.garbled.load(Ordering::SeqCst) {
                    return Err(StoreError::Corrupt {
                        operation: "test",
                        what: "secret-document".to_owned(),
                    });
                }
                self.inner.$name($($arg),*).await
            })*

            async fn key_by_hash(&self, hash: &str) -> Result<Option<KeyRow>, StoreError> {
                self.inner.key_by_hash(hash).await
            }
        }
    };
}

delegate! {
    fn register_need(need: NewNeed) -> Registered;
    fn registered_before(
        tenant: &TenantId, idempotency_key: &str, request_hash: &str
    ) -> Option<Registered>;
    fn home(tenant: &TenantId, stakeholder: &Stakeholder) -> Option<ConversationId>;
    fn append_inputs(inputs: Vec<NewInput>) -> Vec<Appended>;
    fn append_command(command: NewCommand) -> CommandAppended;
    fn command_before(tenant: &TenantId, prefix: &str) -> Option<String>;
    fn lift_quarantine(
        tenant: &TenantId, conversation: &ConversationId, at: Timestamp
    ) -> bool;
    fn conversation_facts(
        tenant: &TenantId, conversation: &ConversationId
    ) -> Option<ConversationFacts>;
    fn unmatched_message(tenant: &TenantId, message: &MessageId) -> Option<Unmatched>;
    fn receive(message: NewMessage) -> Appended;
    fn file_unmatched(message: Unmatched) -> Appended;
    fn claim_due(claim: ClaimRequest) -> Vec<Claimed>;
    fn pending_inputs(conversation: &ConversationId, after: i64) -> Vec<StoredInput>;
    fn commit(commit: Commit) -> ();
    fn release(conversation: &ConversationId, fence: i64, wake_at: Option<Timestamp>) -> ();
    fn quarantine(conversation: &ConversationId, fence: i64, error: &str, at: Timestamp) -> ();
    fn outbox_claim(claim: ClaimRequest) -> Vec<OutboxItem>;
    fn outbox_begin(message: &MessageId, owner: &str, lease_until: Timestamp) -> bool;
    fn outbox_complete(completions: Vec<Completion>) -> ();
    fn outbox_next() -> Option<Timestamp>;
    fn by_token(tenant: &TenantId, token: &str) -> Option<ConversationId>;
    fn by_transport_id(tenant: &TenantId, ids: &[String]) -> Option<(ConversationId, MessageId)>;
    fn by_address(
        tenant: &TenantId, channel: Channel, address: &EmailAddress, open_only: bool
    ) -> Vec<ConversationId>;
    fn need(tenant: &TenantId, need: &NeedId) -> Option<NeedRow>;
    fn needs(tenant: &TenantId, before: Option<NeedId>, limit: u32) -> Vec<NeedRow>;
    fn events(tenant: &TenantId, need: &NeedId, after: i64) -> Vec<EventRow>;
    fn conversation(tenant: &TenantId, conversation: &ConversationId) -> Option<ConversationRow>;
    fn conversations(tenant: &TenantId, filter: ConversationFilter) -> Vec<ConversationSummary>;
    fn conversation_ids(
        tenant: &TenantId, after: Option<&ConversationId>, limit: u32
    ) -> Vec<ConversationId>;
    fn transcript(
        tenant: &TenantId, conversation: &ConversationId, limit: u32
    ) -> Vec<MessageRow>;
    fn journal(
        tenant: &TenantId, conversation: &ConversationId, from: u64, limit: u32
    ) -> Option<JournalPage>;
    fn unmatched(tenant: &TenantId, limit: u32) -> Vec<Unmatched>;
    fn outbox(tenant: &TenantId, limit: u32) -> Vec<OutboxRow>;
    fn blob(tenant: &TenantId, blob: &BlobId) -> Option<Vec<u8>>;
    fn add_key(key: KeyRow) -> ();
    fn revoke_key(tenant: &TenantId, id: &str, at: Timestamp) -> bool;
    fn keys(tenant: &TenantId) -> Vec<KeyRow>;
    fn check() -> ();
}

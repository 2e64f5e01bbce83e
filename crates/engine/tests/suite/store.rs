//! A store with troubles: the in-memory one, behind a door that can be shut.

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
use std::sync::Mutex;

/// What does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The document of this conversation makes no sense.
    Garbled(ConversationId),
    /// An operation fails, this many times.
    Fails(Operation, u32),
}

/// An operation that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A commit, which changes nothing then.
    Commit,
    /// A commit that is done all the same.
    CommitAfterwards,
    /// Making the point of no return durable.
    Begin,
    /// Recording what became of a message.
    Complete,
}

/// A [`MemoryStore`] with troubles.
#[derive(Debug, Default)]
pub(crate) struct TroubledStore {
    inner: MemoryStore,
    troubles: Mutex<Vec<Trouble>>,
}

impl TroubledStore {
    pub(crate) fn trouble(&self, trouble: Trouble) {
        self.troubles.lock().unwrap().push(trouble);
    }

    fn garbles(&self, id: &ConversationId) -> bool {
        let troubles = self.troubles.lock().unwrap();
        troubles.contains(&Trouble::Garbled(id.clone()))
    }

    /// Uses up one occurrence of a trouble that is counted.
    fn strikes(&self, operation: Operation) -> bool {
        let mut troubles = self.troubles.lock().unwrap();
        for trouble in troubles.iter_mut() {
            if let Trouble::Fails(which, left) = trouble
                && *which == operation
                && *left > 0
            {
                *left -= 1;
                return true;
            }
        }
        false
    }
}

fn unavailable<T>(operation: &'static str) -> Result<T, StoreError> {
    Err(StoreError::Unavailable {
        operation,
        source: "the door is shut".into(),
    })
}

#[async_trait]
impl Store for TroubledStore {
    async fn claim_due(&self, claim: ClaimRequest) -> Result<Vec<Claimed>, StoreError> {
        let mut claimed = self.inner.claim_due(claim).await?;
        for one in &mut claimed {
            if self.garbles(&one.id) {
                one.document = Err("the document is not a conversation".to_owned());
            }
        }
        Ok(claimed)
    }

    async fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        if self.strikes(Operation::Commit) {
            return unavailable("commit an operation");
        }
        self.inner.commit(commit).await?;
        if self.strikes(Operation::CommitAfterwards) {
            return unavailable("commit an operation");
        }
        Ok(())
    }

    async fn outbox_begin(
        &self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        if self.strikes(Operation::Begin) {
            return unavailable("begin a hand-over");
        }
        self.inner.outbox_begin(message, owner, lease_until).await
    }

    async fn outbox_complete(&self, completions: Vec<Completion>) -> Result<(), StoreError> {
        if self.strikes(Operation::Complete) {
            return unavailable("complete a hand-over");
        }
        self.inner.outbox_complete(completions).await
    }

    // The rest is as it is.

    async fn register_need(&self, need: NewNeed) -> Result<Registered, StoreError> {
        self.inner.register_need(need).await
    }

    async fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Result<Option<ConversationId>, StoreError> {
        self.inner.home(tenant, stakeholder).await
    }

    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError> {
        self.inner.append_inputs(inputs).await
    }

    async fn receive(&self, message: NewMessage) -> Result<Appended, StoreError> {
        self.inner.receive(message).await
    }

    async fn file_unmatched(&self, message: Unmatched) -> Result<Appended, StoreError> {
        self.inner.file_unmatched(message).await
    }

    async fn pending_inputs(
        &self,
        conversation: &ConversationId,
        after: i64,
    ) -> Result<Vec<StoredInput>, StoreError> {
        self.inner.pending_inputs(conversation, after).await
    }

    async fn release(
        &self,
        conversation: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.inner.release(conversation, fence, wake_at).await
    }

    async fn append_command(&self, command: NewCommand) -> Result<CommandAppended, StoreError> {
        self.inner.append_command(command).await
    }

    async fn command_before(
        &self,
        tenant: &TenantId,
        prefix: &str,
    ) -> Result<Option<String>, StoreError> {
        self.inner.command_before(tenant, prefix).await
    }

    async fn lift_quarantine(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.inner.lift_quarantine(tenant, conversation, at).await
    }

    async fn conversation_facts(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationFacts>, StoreError> {
        self.inner.conversation_facts(tenant, conversation).await
    }

    async fn unmatched_message(
        &self,
        tenant: &TenantId,
        message: &MessageId,
    ) -> Result<Option<Unmatched>, StoreError> {
        self.inner.unmatched_message(tenant, message).await
    }

    async fn quarantine(
        &self,
        conversation: &ConversationId,
        fence: i64,
        error: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.inner.quarantine(conversation, fence, error, at).await
    }

    async fn outbox_claim(&self, claim: ClaimRequest) -> Result<Vec<OutboxItem>, StoreError> {
        self.inner.outbox_claim(claim).await
    }

    async fn outbox_next(&self) -> Result<Option<Timestamp>, StoreError> {
        self.inner.outbox_next().await
    }

    async fn by_token(
        &self,
        tenant: &TenantId,
        token: &str,
    ) -> Result<Option<ConversationId>, StoreError> {
        self.inner.by_token(tenant, token).await
    }

    async fn by_transport_id(
        &self,
        tenant: &TenantId,
        ids: &[String],
    ) -> Result<Option<(ConversationId, MessageId)>, StoreError> {
        self.inner.by_transport_id(tenant, ids).await
    }

    async fn by_address(
        &self,
        tenant: &TenantId,
        channel: Channel,
        address: &EmailAddress,
        open_only: bool,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.inner
            .by_address(tenant, channel, address, open_only)
            .await
    }

    async fn registered_before(
        &self,
        tenant: &TenantId,
        idempotency_key: &str,
        request_hash: &str,
    ) -> Result<Option<Registered>, StoreError> {
        self.inner
            .registered_before(tenant, idempotency_key, request_hash)
            .await
    }

    async fn need(&self, tenant: &TenantId, need: &NeedId) -> Result<Option<NeedRow>, StoreError> {
        self.inner.need(tenant, need).await
    }

    async fn needs(
        &self,
        tenant: &TenantId,
        before: Option<NeedId>,
        limit: u32,
    ) -> Result<Vec<NeedRow>, StoreError> {
        self.inner.needs(tenant, before, limit).await
    }

    async fn events(
        &self,
        tenant: &TenantId,
        need: &NeedId,
        after: i64,
    ) -> Result<Vec<EventRow>, StoreError> {
        self.inner.events(tenant, need, after).await
    }

    async fn conversation(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationRow>, StoreError> {
        self.inner.conversation(tenant, conversation).await
    }

    async fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Result<Vec<ConversationSummary>, StoreError> {
        self.inner.conversations(tenant, filter).await
    }

    async fn conversation_ids(
        &self,
        tenant: &TenantId,
        after: Option<&ConversationId>,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.inner.conversation_ids(tenant, after, limit).await
    }

    async fn transcript(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        self.inner.transcript(tenant, conversation, limit).await
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        from: u64,
        limit: u32,
    ) -> Result<Option<JournalPage>, StoreError> {
        self.inner.journal(tenant, conversation, from, limit).await
    }

    async fn unmatched(&self, tenant: &TenantId, limit: u32) -> Result<Vec<Unmatched>, StoreError> {
        self.inner.unmatched(tenant, limit).await
    }

    async fn outbox(&self, tenant: &TenantId, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        self.inner.outbox(tenant, limit).await
    }

    async fn blob(&self, tenant: &TenantId, blob: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.blob(tenant, blob).await
    }

    async fn add_key(&self, key: KeyRow) -> Result<(), StoreError> {
        self.inner.add_key(key).await
    }

    async fn key_by_hash(&self, hash: &str) -> Result<Option<KeyRow>, StoreError> {
        self.inner.key_by_hash(hash).await
    }

    async fn revoke_key(
        &self,
        tenant: &TenantId,
        id: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.inner.revoke_key(tenant, id, at).await
    }

    async fn keys(&self, tenant: &TenantId) -> Result<Vec<KeyRow>, StoreError> {
        self.inner.keys(tenant).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.inner.check().await
    }
}

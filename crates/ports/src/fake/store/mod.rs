//! A store in memory, with the same semantics as the durable ones.

mod intake;
mod lists;
mod outbox;
mod state;
mod work;

use crate::store::{
    Appended, ClaimRequest, Claimed, CommandAppended, Commit, Completion, ConversationFacts,
    ConversationFilter, ConversationRow, ConversationSummary, EventRow, JournalPage, KeyRow,
    MessageRow, NeedRow, NewCommand, NewInput, NewMessage, NewNeed, OutboxItem, OutboxRow,
    Registered, Store, StoreError, Unmatched,
};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::{Channel, EmailAddress, Stakeholder},
};
use state::State;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A [`Store`] that forgets everything with the process.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<State>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn register_need(&self, need: NewNeed) -> Result<Registered, StoreError> {
        self.state().register_need(need)
    }

    async fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Result<Option<ConversationId>, StoreError> {
        Ok(self.state().home(tenant, stakeholder))
    }

    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError> {
        let mut state = self.state();
        Ok(inputs
            .into_iter()
            .map(|input| state.append(input))
            .collect())
    }

    async fn append_command(&self, command: NewCommand) -> Result<CommandAppended, StoreError> {
        Ok(self.state().append_command(command))
    }

    async fn command_before(
        &self,
        tenant: &TenantId,
        prefix: &str,
    ) -> Result<Option<String>, StoreError> {
        Ok(self.state().command_before(tenant, prefix))
    }

    async fn lift_quarantine(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(self.state().lift_quarantine(tenant, conversation, at))
    }

    async fn conversation_facts(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationFacts>, StoreError> {
        Ok(self.state().conversation_facts(tenant, conversation))
    }

    async fn unmatched_message(
        &self,
        tenant: &TenantId,
        message: &MessageId,
    ) -> Result<Option<Unmatched>, StoreError> {
        let state = self.state();
        let mut unmatched = state.unmatched.iter();
        let found = unmatched.find(|row| row.tenant == *tenant && row.id == *message);
        Ok(found.cloned())
    }

    async fn receive(&self, message: NewMessage) -> Result<Appended, StoreError> {
        self.state().receive(message)
    }

    async fn file_unmatched(&self, message: Unmatched) -> Result<Appended, StoreError> {
        Ok(self.state().file_unmatched(message))
    }

    async fn claim_due(&self, claim: ClaimRequest) -> Result<Vec<Claimed>, StoreError> {
        Ok(self.state().claim_due(&claim))
    }

    async fn pending_inputs(
        &self,
        conversation: &ConversationId,
        after: i64,
    ) -> Result<Vec<StoredInput>, StoreError> {
        Ok(self.state().pending_inputs(conversation, after))
    }

    async fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        self.state().commit(commit)
    }

    async fn release(
        &self,
        conversation: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.state().release(conversation, fence, wake_at)
    }

    async fn quarantine(
        &self,
        conversation: &ConversationId,
        fence: i64,
        error: &str,
        _at: Timestamp,
    ) -> Result<(), StoreError> {
        self.state().quarantine(conversation, fence, error)
    }

    async fn outbox_claim(&self, claim: ClaimRequest) -> Result<Vec<OutboxItem>, StoreError> {
        Ok(self.state().outbox_claim(&claim))
    }

    async fn outbox_begin(
        &self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(self.state().outbox_begin(message, owner, lease_until))
    }

    async fn outbox_complete(&self, completions: Vec<Completion>) -> Result<(), StoreError> {
        let mut state = self.state();
        for completion in completions {
            state.outbox_complete(completion);
        }
        Ok(())
    }

    async fn outbox_next(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.state().outbox_next())
    }

    async fn by_token(
        &self,
        tenant: &TenantId,
        token: &str,
    ) -> Result<Option<ConversationId>, StoreError> {
        Ok(self.state().by_token(tenant, token))
    }

    async fn by_transport_id(
        &self,
        tenant: &TenantId,
        ids: &[String],
    ) -> Result<Option<(ConversationId, MessageId)>, StoreError> {
        Ok(self.state().by_transport_id(tenant, ids))
    }

    async fn by_address(
        &self,
        tenant: &TenantId,
        channel: Channel,
        address: &EmailAddress,
        open_only: bool,
    ) -> Result<Vec<ConversationId>, StoreError> {
        Ok(self.state().by_address(tenant, channel, address, open_only))
    }

    async fn registered_before(
        &self,
        tenant: &TenantId,
        idempotency_key: &str,
        request_hash: &str,
    ) -> Result<Option<Registered>, StoreError> {
        Ok(self
            .state()
            .registered_with_key(tenant, idempotency_key, request_hash))
    }

    async fn need(&self, tenant: &TenantId, need: &NeedId) -> Result<Option<NeedRow>, StoreError> {
        Ok(self.state().need(tenant, need))
    }

    async fn needs(
        &self,
        tenant: &TenantId,
        before: Option<NeedId>,
        limit: u32,
    ) -> Result<Vec<NeedRow>, StoreError> {
        Ok(self.state().needs(tenant, before.as_ref(), limit))
    }

    async fn events(
        &self,
        tenant: &TenantId,
        need: &NeedId,
        after: i64,
    ) -> Result<Vec<EventRow>, StoreError> {
        Ok(self.state().events(tenant, need, after))
    }

    async fn conversation(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationRow>, StoreError> {
        Ok(self.state().conversation(tenant, conversation))
    }

    async fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Result<Vec<ConversationSummary>, StoreError> {
        Ok(self.state().conversations(tenant, filter))
    }

    async fn conversation_ids(
        &self,
        tenant: &TenantId,
        after: Option<&ConversationId>,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        Ok(self.state().conversation_ids(tenant, after, limit))
    }

    async fn transcript(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        Ok(self.state().transcript(tenant, conversation, limit))
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        from: u64,
        limit: u32,
    ) -> Result<Option<JournalPage>, StoreError> {
        Ok(self.state().journal(tenant, conversation, from, limit))
    }

    async fn unmatched(&self, tenant: &TenantId, limit: u32) -> Result<Vec<Unmatched>, StoreError> {
        Ok(self.state().unmatched(tenant, limit))
    }

    async fn outbox(&self, tenant: &TenantId, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(self.state().outbox(tenant, limit))
    }

    async fn blob(&self, tenant: &TenantId, blob: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state().blob(tenant, blob))
    }

    async fn add_key(&self, key: KeyRow) -> Result<(), StoreError> {
        self.state().add_key(key)
    }

    async fn key_by_hash(&self, hash: &str) -> Result<Option<KeyRow>, StoreError> {
        Ok(self.state().key_by_hash(hash))
    }

    async fn revoke_key(
        &self,
        tenant: &TenantId,
        id: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(self.state().revoke_key(tenant, id, at))
    }

    async fn keys(&self, tenant: &TenantId) -> Result<Vec<KeyRow>, StoreError> {
        Ok(self.state().keys(tenant))
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;
    use std::sync::Arc;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_memory_store_conforms() {
        crate::conformance::run_all(async || Arc::new(MemoryStore::new()) as _).await;
    }
}

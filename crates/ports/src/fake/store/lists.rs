//! Matching, and what callers and operators read.

use super::state::{Held, State, corrupt};
use crate::store::{
    ConversationFacts, ConversationFilter, ConversationRow, ConversationSummary, Direction,
    EventRow, JournalPage, KeyRow, MessageRow, NeedRow, OutboxRow, OutboxState, StoreError,
    Unmatched,
};
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    stakeholder::{Channel, EmailAddress},
};

impl State {
    pub(super) fn by_token(&self, tenant: &TenantId, token: &str) -> Option<ConversationId> {
        self.conversations
            .iter()
            .find(|(_, held)| held.opening.tenant == *tenant && held.opening.reply_token == token)
            .map(|(id, _)| id.clone())
    }

    pub(super) fn by_transport_id(
        &self,
        tenant: &TenantId,
        ids: &[String],
    ) -> Option<(ConversationId, MessageId)> {
        ids.iter().find_map(|id| {
            self.messages
                .iter()
                .filter(|row| row.direction == Direction::Outbound)
                .filter(|row| self.of_tenant(tenant, &row.conversation).is_some())
                .find(|row| row.transport_id.as_ref() == Some(id))
                .map(|row| (row.conversation.clone(), row.id.clone()))
        })
    }

    pub(super) fn by_address(
        &self,
        tenant: &TenantId,
        channel: Channel,
        address: &EmailAddress,
        open_only: bool,
    ) -> Vec<ConversationId> {
        let contact = (channel, address.lookup_form());
        let mut found: Vec<_> = self
            .conversations
            .iter()
            .filter(|(_, held)| held.opening.tenant == *tenant)
            .filter(|(_, held)| held.contacts.contains(&contact))
            .filter(|(_, held)| !open_only || held.facts.open_needs > 0)
            .map(|(id, _)| id.clone())
            .collect();
        found.sort();
        found
    }

    pub(super) fn need(&self, tenant: &TenantId, need: &NeedId) -> Option<NeedRow> {
        self.needs
            .get(need)
            .filter(|held| held.tenant == *tenant)
            .map(|held| held.row.clone())
    }

    pub(super) fn needs(
        &self,
        tenant: &TenantId,
        before: Option<&NeedId>,
        limit: u32,
    ) -> Vec<NeedRow> {
        self.needs
            .iter()
            .rev()
            .filter(|(id, held)| held.tenant == *tenant && before.is_none_or(|before| *id < before))
            .take(limit as usize)
            .map(|(_, held)| held.row.clone())
            .collect()
    }

    pub(super) fn events(&self, tenant: &TenantId, need: &NeedId, after: i64) -> Vec<EventRow> {
        if self.need(tenant, need).is_none() {
            return Vec::new();
        }
        self.events
            .iter()
            .filter(|(about, row)| about == need && row.seq > after)
            .map(|(_, row)| row.clone())
            .collect()
    }

    pub(super) fn conversation(
        &self,
        tenant: &TenantId,
        id: &ConversationId,
    ) -> Option<ConversationRow> {
        let held = self.of_tenant(tenant, id)?;
        Some(ConversationRow {
            document: held.document.clone(),
            wake_at: held.wake_at,
            unfolded: u32::try_from(held.unfolded.len()).unwrap_or(u32::MAX),
            quarantined: held.quarantined.clone(),
        })
    }

    pub(super) fn conversation_facts(
        &self,
        tenant: &TenantId,
        id: &ConversationId,
    ) -> Option<ConversationFacts> {
        let held = self.of_tenant(tenant, id)?;
        Some(ConversationFacts {
            summary: summary(id, held),
            unfolded: u32::try_from(held.unfolded.len()).unwrap_or(u32::MAX),
            quarantined: held.quarantined.clone(),
        })
    }

    pub(super) fn conversation_ids(
        &self,
        tenant: &TenantId,
        after: Option<&ConversationId>,
        limit: u32,
    ) -> Vec<ConversationId> {
        let mut ids: Vec<_> = self
            .conversations
            .iter()
            .filter(|(id, held)| {
                held.opening.tenant == *tenant && after.is_none_or(|after| *id > after)
            })
            .map(|(id, _)| id.clone())
            .collect();
        ids.sort();
        ids.truncate(limit as usize);
        ids
    }

    pub(super) fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Vec<ConversationSummary> {
        let mut found: Vec<_> = self
            .conversations
            .iter()
            .filter(|(_, held)| held.opening.tenant == *tenant)
            .filter(|(_, held)| !filter.held || held.facts.held_since.is_some())
            .map(|(id, held)| summary(id, held))
            .collect();
        found.sort_by(|a, b| (b.last_activity, &b.id).cmp(&(a.last_activity, &a.id)));
        found
            .into_iter()
            .skip(filter.offset as usize)
            .take(filter.limit as usize)
            .collect()
    }

    pub(super) fn transcript(
        &self,
        tenant: &TenantId,
        id: &ConversationId,
        limit: u32,
    ) -> Vec<MessageRow> {
        if self.of_tenant(tenant, id).is_none() {
            return Vec::new();
        }
        let mut said: Vec<_> = self
            .messages
            .iter()
            .filter(|row| row.conversation == *id && !self.was_withdrawn(&row.id))
            .cloned()
            .collect();
        said.sort_by_key(|row| row.at);
        let surplus = said.len().saturating_sub(limit as usize);
        said.split_off(surplus)
    }

    fn was_withdrawn(&self, message: &MessageId) -> bool {
        self.outbox
            .iter()
            .any(|row| row.message == *message && row.state == OutboxState::Withdrawn)
    }

    pub(super) fn journal(
        &self,
        tenant: &TenantId,
        id: &ConversationId,
        from: u64,
        limit: u32,
    ) -> Option<JournalPage> {
        let held = self.of_tenant(tenant, id)?;
        Some(JournalPage {
            opening: held.opening.clone(),
            operations: held
                .journal
                .iter()
                .filter(|row| row.operation.revision >= from)
                .take(limit as usize)
                .cloned()
                .collect(),
        })
    }

    pub(super) fn unmatched(&self, tenant: &TenantId, limit: u32) -> Vec<Unmatched> {
        self.unmatched
            .iter()
            .rev()
            .filter(|row| row.tenant == *tenant)
            .take(limit as usize)
            .cloned()
            .collect()
    }

    pub(super) fn outbox(&self, tenant: &TenantId, limit: u32) -> Vec<OutboxRow> {
        self.outbox
            .iter()
            .filter(|row| !row.state.is_final())
            .filter(|row| self.of_tenant(tenant, &row.conversation).is_some())
            .take(limit as usize)
            .map(|row| OutboxRow {
                message: row.message.clone(),
                conversation: row.conversation.clone(),
                state: row.state,
                attempts: row.attempts,
                due_at: row.due_at,
                last_error: row.last_error.clone(),
            })
            .collect()
    }

    pub(super) fn blob(&self, tenant: &TenantId, blob: &BlobId) -> Option<Vec<u8>> {
        let (owner, bytes) = self.blobs.get(blob)?;
        (owner == tenant).then(|| bytes.clone())
    }

    pub(super) fn add_key(&mut self, key: KeyRow) -> Result<(), StoreError> {
        if self
            .keys
            .iter()
            .any(|row| row.id == key.id || row.hash == key.hash)
        {
            return Err(corrupt("add an API key", "the key's id or hash is taken"));
        }
        self.keys.push(key);
        Ok(())
    }

    pub(super) fn key_by_hash(&self, hash: &str) -> Option<KeyRow> {
        self.keys.iter().find(|row| row.hash == hash).cloned()
    }

    pub(super) fn revoke_key(&mut self, tenant: &TenantId, id: &str, at: Timestamp) -> bool {
        match self
            .keys
            .iter_mut()
            .find(|row| row.tenant == *tenant && row.id == id)
        {
            Some(row) => {
                row.revoked_at.get_or_insert(at);
                true
            }
            None => false,
        }
    }

    pub(super) fn keys(&self, tenant: &TenantId) -> Vec<KeyRow> {
        self.keys
            .iter()
            .filter(|row| row.tenant == *tenant)
            .cloned()
            .collect()
    }
}

fn summary(id: &ConversationId, held: &Held) -> ConversationSummary {
    ConversationSummary {
        id: id.clone(),
        stakeholder: held.facts.label.clone(),
        open_needs: held.facts.open_needs,
        held_since: held.facts.held_since,
        last_activity: held.last_activity,
        wake_at: held.wake_at,
        quarantined: held.quarantined.is_some(),
    }
}

//! What the store holds.

use crate::{
    facts::Facts,
    store::{
        EventRow, JournalRow, KeyRow, MessageRow, NeedRow, OutboxState, Registered, StoreError,
        Unmatched,
    },
    transport::Composed,
};
use jiff::Timestamp;
use liaison_core::{
    conversation::Conversation,
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::Channel,
    transition::Opening,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) conversations: HashMap<ConversationId, Held>,
    pub(super) needs: BTreeMap<NeedId, HeldNeed>,
    pub(super) input_keys: HashSet<(TenantId, String)>,
    pub(super) last_place: i64,
    pub(super) messages: Vec<MessageRow>,
    pub(super) outbox: Vec<HeldMessage>,
    pub(super) blobs: HashMap<BlobId, (TenantId, Vec<u8>)>,
    pub(super) events: Vec<(NeedId, EventRow)>,
    pub(super) unmatched: Vec<Unmatched>,
    pub(super) keys: Vec<KeyRow>,
}

#[derive(Debug)]
pub(super) struct Held {
    pub(super) opening: Opening,
    pub(super) document: Conversation,
    pub(super) facts: Facts,
    /// Every contact that it ever had, so that mail from an old one still finds it.
    pub(super) contacts: BTreeSet<(Channel, String)>,
    pub(super) wake_at: Option<Timestamp>,
    pub(super) last_activity: Timestamp,
    pub(super) fence: i64,
    pub(super) lease: Option<Lease>,
    pub(super) quarantined: Option<String>,
    pub(super) unfolded: Vec<StoredInput>,
    pub(super) journal: Vec<JournalRow>,
}

#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) owner: String,
    pub(super) until: Timestamp,
}

#[derive(Debug)]
pub(super) struct HeldNeed {
    pub(super) tenant: TenantId,
    pub(super) idempotency_key: Option<String>,
    pub(super) request_hash: String,
    pub(super) row: NeedRow,
}

#[derive(Debug)]
pub(super) struct HeldMessage {
    pub(super) message: MessageId,
    pub(super) tenant: TenantId,
    pub(super) conversation: ConversationId,
    pub(super) channel: Channel,
    pub(super) composed: Composed,
    pub(super) state: OutboxState,
    pub(super) lease: Option<Lease>,
    pub(super) attempts: u32,
    pub(super) due_at: Timestamp,
    pub(super) last_error: Option<String>,
}

impl State {
    pub(super) fn next_place(&mut self) -> i64 {
        self.last_place += 1;
        self.last_place
    }

    /// The conversation, when it is the tenant's.
    pub(super) fn of_tenant(&self, tenant: &TenantId, id: &ConversationId) -> Option<&Held> {
        self.conversations
            .get(id)
            .filter(|held| held.opening.tenant == *tenant)
    }

    /// The conversation, when whoever shows `fence` still holds it.
    pub(super) fn fenced(
        &mut self,
        id: &ConversationId,
        fence: i64,
    ) -> Result<&mut Held, StoreError> {
        self.conversations
            .get_mut(id)
            .filter(|held| held.fence == fence && held.lease.is_some())
            .ok_or(StoreError::Fenced)
    }
}

impl HeldNeed {
    /// Whether a registration is this one again, or only uses its key or id.
    pub(super) fn compared_with(&self, tenant: &TenantId, request_hash: &str) -> Registered {
        if self.tenant == *tenant && self.request_hash == request_hash {
            Registered::Existing(Box::new(self.row.clone()))
        } else {
            Registered::KeyReused
        }
    }
}

impl Held {
    pub(super) fn wake_by(&mut self, at: Timestamp) {
        self.wake_at = Some(self.wake_at.map_or(at, |wake| wake.min(at)));
    }

    pub(super) fn active(&mut self, at: Timestamp) {
        self.last_activity = self.last_activity.max(at);
    }
}

pub(super) fn corrupt(operation: &'static str, what: impl Into<String>) -> StoreError {
    StoreError::Corrupt {
        operation,
        what: what.into(),
    }
}

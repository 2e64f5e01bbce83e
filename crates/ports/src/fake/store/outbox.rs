//! Effects, and the outbox that they leave through.

use super::state::{HeldMessage, Lease, State, corrupt};
use crate::{
    facts,
    store::{
        ClaimRequest, Completion, CompletionResult, Direction, EventRow, MessageRow, NewInput,
        OutboxItem, OutboxState, StoreError, StoredEffect,
    },
    transport::Composed,
};
use jiff::Timestamp;
use liaison_core::{
    effect::OutboundMessage,
    id::{ConversationId, MessageId},
    input::{Fate, Input},
};

impl State {
    /// Finds what is wrong with effects before anything is changed.
    pub(super) fn check_effects(
        &self,
        id: &ConversationId,
        effects: &[StoredEffect],
    ) -> Result<(), StoreError> {
        for effect in effects {
            let fault = match effect {
                StoredEffect::Send { message, .. }
                    if self.messages.iter().any(|row| row.id == message.id) =>
                {
                    "a message's id is taken"
                }
                StoredEffect::Settle { need, .. }
                    if !self.needs.get(need).is_some_and(|held| {
                        held.row.conversation == *id && held.row.outcome.is_none()
                    }) =>
                {
                    "a need is settled that is not open in this conversation"
                }
                StoredEffect::Amend { amendment }
                    if !self.needs.get(&amendment.need).is_some_and(|held| {
                        held.row.conversation == *id
                            && held.row.registration.amended(amendment).is_ok()
                    }) =>
                {
                    "a need is amended that is not like this in this conversation"
                }
                StoredEffect::Event { need, .. } if !self.needs.contains_key(need) => {
                    "an event is about a need that does not exist"
                }
                _ => continue,
            };
            return Err(corrupt("commit an operation", fault));
        }
        Ok(())
    }

    pub(super) fn store_effect(
        &mut self,
        id: &ConversationId,
        effect: StoredEffect,
        at: Timestamp,
    ) {
        match effect {
            StoredEffect::Send { message, composed } => self.queue(id, *message, composed),
            StoredEffect::Recall { message, why } => self.recall(id, &message, why, at),
            StoredEffect::Resend { message } => {
                for row in &mut self.outbox {
                    if row.message == message
                        && row.conversation == *id
                        && row.state == OutboxState::Unknown
                    {
                        row.state = OutboxState::Queued;
                        row.due_at = at;
                    }
                }
            }
            StoredEffect::Resolve { message, sent } => {
                for row in &mut self.outbox {
                    if row.message == message
                        && row.conversation == *id
                        && row.state == OutboxState::Unknown
                    {
                        row.state = match sent {
                            true => OutboxState::Sent,
                            false => OutboxState::Withdrawn,
                        };
                    }
                }
            }
            StoredEffect::Settle { need, outcome } => {
                if let Some(held) = self.needs.get_mut(&need) {
                    held.row.outcome = Some(*outcome);
                }
            }
            StoredEffect::Amend { amendment } => {
                if let Some(held) = self.needs.get_mut(&amendment.need)
                    && let Ok(amended) = held.row.registration.amended(&amendment)
                {
                    held.row.registration = amended;
                }
            }
            StoredEffect::Event { need, event } => {
                let seq = self.next_place();
                self.events.push((need, EventRow { seq, at, event }));
            }
        }
    }

    fn queue(&mut self, id: &ConversationId, message: OutboundMessage, composed: Composed) {
        self.messages.push(MessageRow {
            id: message.id.clone(),
            conversation: id.clone(),
            direction: Direction::Outbound,
            channel: message.plan.channel,
            at: message.at,
            address: message.plan.to.to_string(),
            subject: message.draft.subject,
            text: message.draft.body,
            transport_id: composed.transport_id.clone(),
        });
        // A commit has just found the conversation; the outbox has no rows without one.
        let Some(held) = self.conversations.get(id) else {
            return;
        };
        self.outbox.push(HeldMessage {
            message: message.id,
            tenant: held.opening.tenant.clone(),
            conversation: id.clone(),
            channel: message.plan.channel,
            composed,
            state: OutboxState::Queued,
            lease: None,
            attempts: 0,
            due_at: message.at,
            last_error: None,
        });
    }

    fn recall(&mut self, id: &ConversationId, message: &MessageId, why: String, at: Timestamp) {
        let row = self.outbox.iter_mut().find(|row| {
            row.message == *message
                && row.conversation == *id
                && matches!(row.state, OutboxState::Queued | OutboxState::Claimed)
        });
        if let Some(row) = row {
            row.lease = None;
            let fate = Fate::Withdrawn { why };
            row.state = facts::state_after(&fate);
            let input = dispatched(row, fate, at);
            self.append(input);
        }
    }

    pub(super) fn outbox_claim(&mut self, claim: &ClaimRequest) -> Vec<OutboxItem> {
        self.bury_dead_dispatchers(claim.now);
        let mut due: Vec<usize> = (0..self.outbox.len())
            .filter(|place| self.may_go(*place) && self.outbox[*place].due_at <= claim.now)
            .collect();
        due.sort_by_key(|place| (self.outbox[*place].due_at, *place));
        due.truncate(claim.limit as usize);
        due.into_iter()
            .map(|place| {
                let row = &mut self.outbox[place];
                row.state = OutboxState::Claimed;
                row.lease = Some(Lease {
                    owner: claim.owner.clone(),
                    until: claim.lease_until,
                });
                OutboxItem {
                    message: row.message.clone(),
                    tenant: row.tenant.clone(),
                    conversation: row.conversation.clone(),
                    channel: row.channel,
                    attempts: row.attempts,
                    composed: row.composed.clone(),
                }
            })
            .collect()
    }

    /// Whether a row is queued and nothing but time keeps it from being claimed.
    fn may_go(&self, place: usize) -> bool {
        let row = &self.outbox[place];
        let behind_another = || {
            self.outbox[..place].iter().any(|earlier| {
                earlier.conversation == row.conversation && is_on_its_way(earlier.state)
            })
        };
        row.state == OutboxState::Queued && self.is_quiet(&row.conversation) && !behind_another()
    }

    fn is_quiet(&self, id: &ConversationId) -> bool {
        self.conversations
            .get(id)
            .is_some_and(|held| held.unfolded.is_empty() && held.quarantined.is_none())
    }

    fn bury_dead_dispatchers(&mut self, now: Timestamp) {
        let mut inputs = Vec::new();
        for row in &mut self.outbox {
            if row.lease.as_ref().is_none_or(|lease| lease.until > now) {
                continue;
            }
            row.lease = None;
            if row.state == OutboxState::Claimed {
                row.state = OutboxState::Queued;
                continue;
            }
            row.attempts += 1;
            row.last_error = Some(facts::DISPATCHER_DIED.to_owned());
            let fate = Fate::Unknown {
                why: facts::DISPATCHER_DIED.to_owned(),
            };
            row.state = facts::state_after(&fate);
            inputs.push(dispatched(row, fate, now));
        }
        for input in inputs {
            self.append(input);
        }
    }

    pub(super) fn outbox_begin(
        &mut self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> bool {
        let Some(place) = self.outbox.iter().position(|row| row.message == *message) else {
            return false;
        };
        if !self.is_quiet(&self.outbox[place].conversation) {
            return false;
        }
        let row = &mut self.outbox[place];
        match &mut row.lease {
            Some(lease) if lease.owner == owner && row.state == OutboxState::Claimed => {
                lease.until = lease_until;
                row.state = OutboxState::Transmitting;
                true
            }
            _ => false,
        }
    }

    pub(super) fn outbox_complete(&mut self, completion: Completion) {
        let row = self.outbox.iter_mut().find(|row| {
            row.message == completion.message
                && row
                    .lease
                    .as_ref()
                    .is_some_and(|lease| lease.owner == completion.owner)
        });
        let Some(row) = row else { return };
        row.lease = None;
        match completion.result {
            CompletionResult::PutBack => row.state = OutboxState::Queued,
            CompletionResult::Retry { not_before, error } => {
                row.state = OutboxState::Queued;
                row.attempts += 1;
                row.due_at = not_before;
                row.last_error = Some(error);
            }
            CompletionResult::Final(fate) => {
                row.state = facts::state_after(&fate);
                row.attempts += 1;
                row.last_error = facts::error_of(&fate);
                let input = dispatched(row, fate.clone(), completion.at);
                if let Fate::Sent {
                    transport_id: Some(id),
                    ..
                } = fate
                {
                    self.name_message(&completion.message, id);
                }
                self.append(input);
            }
        }
    }

    fn name_message(&mut self, message: &MessageId, transport_id: String) {
        if let Some(row) = self.messages.iter_mut().find(|row| row.id == *message) {
            row.transport_id = Some(transport_id);
        }
    }

    pub(super) fn outbox_next(&self) -> Option<Timestamp> {
        (0..self.outbox.len())
            .filter_map(|place| match &self.outbox[place].lease {
                Some(lease) => Some(lease.until),
                None => self.may_go(place).then_some(self.outbox[place].due_at),
            })
            .min()
    }
}

fn is_on_its_way(state: OutboxState) -> bool {
    matches!(
        state,
        OutboxState::Queued | OutboxState::Claimed | OutboxState::Transmitting
    )
}

fn dispatched(row: &HeldMessage, fate: Fate, at: Timestamp) -> NewInput {
    NewInput {
        conversation: row.conversation.clone(),
        dedupe_key: facts::dispatch_key(&row.message, row.attempts, &fate),
        at,
        input: Input::Dispatched {
            message: row.message.clone(),
            fate,
        },
    }
}

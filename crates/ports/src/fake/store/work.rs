//! The single writer of a conversation.

use super::state::{Lease, State, corrupt};
use crate::{
    facts::Facts,
    store::{ClaimRequest, Claimed, Commit, JournalRow, MOST_INPUTS_AT_ONCE, StoreError},
};
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, TenantId},
    input::StoredInput,
};

const COMMIT: &str = "commit an operation";

impl State {
    pub(super) fn claim_due(&mut self, claim: &ClaimRequest) -> Vec<Claimed> {
        let mut due: Vec<_> = self
            .conversations
            .iter()
            .filter(|(_, held)| held.quarantined.is_none())
            .filter(|(_, held)| {
                held.lease
                    .as_ref()
                    .is_none_or(|lease| lease.until <= claim.now)
            })
            .filter_map(|(id, held)| {
                Some((held.wake_at.filter(|at| *at <= claim.now)?, id.clone()))
            })
            .collect();
        due.sort();
        due.truncate(claim.limit as usize);
        due.into_iter()
            .filter_map(|(_, id)| {
                let held = self.conversations.get_mut(&id)?;
                held.fence += 1;
                held.lease = Some(Lease {
                    owner: claim.owner.clone(),
                    until: claim.lease_until,
                });
                Some(Claimed {
                    fence: held.fence,
                    document: Ok(Box::new(held.document.clone())),
                    inputs: bounded(held.unfolded.iter()),
                    id,
                })
            })
            .collect()
    }

    pub(super) fn pending_inputs(&self, id: &ConversationId, after: i64) -> Vec<StoredInput> {
        match self.conversations.get(id) {
            Some(held) => bounded(held.unfolded.iter().filter(|input| input.seq > after)),
            None => Vec::new(),
        }
    }

    pub(super) fn commit(&mut self, commit: Commit) -> Result<(), StoreError> {
        let id = commit.document.id.clone();
        let span = commit.span().map_err(|fault| corrupt(COMMIT, fault))?;
        let (folded, at) = (span.last_folded, span.ended_at);
        let held = self.fenced(&id, commit.fence)?;
        if commit.only_without_newer_inputs && held.unfolded.iter().any(|input| input.seq > folded)
        {
            return Err(StoreError::NewerInputs);
        }
        let waiting = held
            .unfolded
            .iter()
            .filter(|input| input.seq <= folded)
            .count();
        if waiting != span.folded {
            return Err(corrupt(
                COMMIT,
                format!(
                    "the operation folds {} inputs where {waiting} waited",
                    span.folded
                ),
            ));
        }
        for step in &commit.steps {
            let revision = step.operation.revision;
            if held
                .journal
                .iter()
                .any(|row| row.operation.revision == revision)
            {
                return Err(corrupt(COMMIT, "the revision is in the journal already"));
            }
        }
        for step in &commit.steps {
            self.check_effects(&id, &step.effects)?;
        }

        let held = self.fenced(&id, commit.fence)?;
        held.unfolded.retain(|input| input.seq > folded);
        held.facts = Facts::of(&commit.document);
        held.contacts.extend(held.facts.contacts.iter().cloned());
        held.document = commit.document;
        held.active(at);
        held.wake_at = commit.wake_at;
        match (&mut held.lease, commit.keep_until) {
            (Some(lease), Some(until)) => lease.until = until,
            (lease, _) => *lease = None,
        }
        for step in commit.steps {
            let at = step.operation.at;
            let held = self.conversations.get_mut(&id).ok_or(StoreError::Fenced)?;
            held.journal.push(JournalRow {
                operation: step.operation,
                judgement: step.judgement,
                usage: step.usage,
            });
            for effect in step.effects {
                self.store_effect(&id, effect, at);
            }
        }
        let held = self.conversations.get_mut(&id).ok_or(StoreError::Fenced)?;
        if !held.unfolded.is_empty() {
            held.wake_by(at);
        }
        Ok(())
    }

    pub(super) fn release(
        &mut self,
        id: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let held = self.fenced(id, fence)?;
        held.lease = None;
        let waiting = held.unfolded.iter().map(|input| input.at).min();
        held.wake_at = wake_at.into_iter().chain(waiting).min();
        Ok(())
    }

    pub(super) fn quarantine(
        &mut self,
        id: &ConversationId,
        fence: i64,
        error: &str,
    ) -> Result<(), StoreError> {
        let held = self.fenced(id, fence)?;
        held.lease = None;
        held.quarantined = Some(error.to_owned());
        Ok(())
    }

    pub(super) fn lift_quarantine(
        &mut self,
        tenant: &TenantId,
        id: &ConversationId,
        at: Timestamp,
    ) -> bool {
        let held = self.conversations.get_mut(id);
        let Some(held) = held.filter(|held| held.opening.tenant == *tenant) else {
            return false;
        };
        let lifted = held.quarantined.take().is_some();
        if lifted {
            held.wake_by(at);
        }
        lifted
    }
}

fn bounded<'a>(inputs: impl Iterator<Item = &'a StoredInput>) -> Vec<StoredInput> {
    inputs.take(MOST_INPUTS_AT_ONCE).cloned().collect()
}

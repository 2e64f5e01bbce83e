//! Inputs: stored first.

use super::state::{Held, HeldNeed, State, corrupt};
use crate::{
    facts::{self, Facts},
    store::{
        Appended, CommandAppended, NeedRow, NewCommand, NewInput, NewMessage, NewNeed, Registered,
        StoreError, Unmatched,
    },
};
use liaison_core::{
    id::{ConversationId, TenantId},
    input::{Input, StoredInput},
    stakeholder::Stakeholder,
    transition,
};

impl State {
    pub(super) fn register_need(&mut self, need: NewNeed) -> Result<Registered, StoreError> {
        if let Some(before) = self.registered_before(&need) {
            return Ok(before);
        }
        let home = self.home(&need.tenant, &need.stakeholder);
        let conversation = match home {
            Some(id) => id,
            None => self.open(&need)?,
        };
        self.needs.insert(
            need.registration.need.clone(),
            HeldNeed {
                tenant: need.tenant,
                idempotency_key: need.idempotency_key,
                request_hash: need.request_hash,
                row: NeedRow {
                    id: need.registration.need.clone(),
                    conversation: conversation.clone(),
                    registration: need.registration.clone(),
                    registered_at: need.at,
                    outcome: None,
                },
            },
        );
        if let Some(held) = self.conversations.get_mut(&conversation) {
            held.facts.open_needs += 1;
            held.contacts.extend(facts::contacts(&need.stakeholder));
        }
        self.append(NewInput {
            conversation: conversation.clone(),
            dedupe_key: facts::registration_key(&need.registration.need),
            at: need.at,
            input: Input::NeedRegistered {
                registration: Box::new(need.registration),
                stakeholder: Box::new(need.stakeholder),
            },
        });
        Ok(Registered::New { conversation })
    }

    pub(super) fn registered_with_key(
        &self,
        tenant: &TenantId,
        key: &str,
        request_hash: &str,
    ) -> Option<Registered> {
        let before = self
            .needs
            .values()
            .find(|held| held.tenant == *tenant && held.idempotency_key.as_deref() == Some(key))?;
        Some(before.compared_with(tenant, request_hash))
    }

    fn registered_before(&self, need: &NewNeed) -> Option<Registered> {
        need.idempotency_key
            .as_deref()
            .and_then(|key| self.registered_with_key(&need.tenant, key, &need.request_hash))
            .or_else(|| {
                let before = self.needs.get(&need.registration.need)?;
                Some(before.compared_with(&need.tenant, &need.request_hash))
            })
    }

    pub(super) fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Option<ConversationId> {
        let mine = || {
            self.conversations
                .iter()
                .filter(|(_, held)| held.opening.tenant == *tenant)
        };
        if stakeholder.key.is_some() {
            let by_key = mine().find(|(_, held)| held.facts.key == stakeholder.key);
            if let Some((id, _)) = by_key {
                return Some(id.clone());
            }
        }
        let first = facts::contacts(stakeholder).into_iter().next()?;
        let mut by_contact = mine().filter(|(_, held)| {
            held.contacts.contains(&first)
                && (held.facts.key.is_none() || stakeholder.key.is_none())
        });
        match (by_contact.next(), by_contact.next()) {
            (Some((id, _)), None) => Some(id.clone()),
            _ => None,
        }
    }

    fn open(&mut self, need: &NewNeed) -> Result<ConversationId, StoreError> {
        let opening = need.opening.clone();
        let id = opening.id.clone();
        let taken = self
            .conversations
            .values()
            .any(|held| held.opening.id == id || held.opening.reply_token == opening.reply_token);
        if taken {
            return Err(corrupt(
                "register a need",
                "the new conversation's id or reply token is taken",
            ));
        }
        let document = transition::open(opening.clone());
        let facts = Facts::of(&document);
        self.conversations.insert(
            id.clone(),
            Held {
                contacts: facts.contacts.iter().cloned().collect(),
                facts,
                document,
                wake_at: None,
                last_activity: opening.at,
                opening,
                fence: 0,
                lease: None,
                quarantined: None,
                unfolded: Vec::new(),
                journal: Vec::new(),
            },
        );
        Ok(id)
    }

    pub(super) fn append(&mut self, new: NewInput) -> Appended {
        let Some(held) = self.conversations.get_mut(&new.conversation) else {
            return Appended::NoConversation;
        };
        let key = (held.opening.tenant.clone(), new.dedupe_key);
        if !self.input_keys.insert(key) {
            return Appended::Duplicate;
        }
        self.last_place += 1;
        let seq = self.last_place;
        held.unfolded.push(StoredInput {
            seq,
            at: new.at,
            input: new.input,
        });
        held.wake_by(new.at);
        held.active(new.at);
        Appended::At(seq)
    }

    pub(super) fn append_command(&mut self, command: NewCommand) -> CommandAppended {
        let Some(first) = command.inputs.first() else {
            return CommandAppended::Repeated;
        };
        let Some(held) = self.conversations.get(&first.conversation) else {
            return CommandAppended::NoConversation;
        };
        let tenant = held.opening.tenant.clone();
        let before = command
            .prefix
            .and_then(|prefix| self.command_before(&tenant, &prefix));
        match before {
            Some(before) if before == first.dedupe_key => return CommandAppended::Repeated,
            Some(_) => return CommandAppended::KeyReused,
            None => {}
        }
        for input in command.inputs {
            self.append(input);
        }
        CommandAppended::New
    }

    pub(super) fn command_before(&self, tenant: &TenantId, prefix: &str) -> Option<String> {
        let keys = self.input_keys.iter();
        keys.filter(|(of, key)| of == tenant && key.starts_with(prefix))
            .map(|(_, key)| key.clone())
            .min()
    }

    pub(super) fn receive(&mut self, new: NewMessage) -> Result<Appended, StoreError> {
        const OPERATION: &str = "receive a message";
        let Some(held) = self.conversations.get(&new.input.conversation) else {
            return Ok(Appended::NoConversation);
        };
        let tenant = held.opening.tenant.clone();
        if self
            .input_keys
            .contains(&(tenant.clone(), new.input.dedupe_key.clone()))
        {
            return Ok(Appended::Duplicate);
        }
        if self.messages.iter().any(|row| row.id == new.row.id) {
            return Err(corrupt(OPERATION, "the message's id is taken"));
        }
        if new.files.iter().any(|(id, _)| self.blobs.contains_key(id)) {
            return Err(corrupt(OPERATION, "a file's id is taken"));
        }
        for (id, file) in new.files {
            self.blobs.insert(id, (tenant.clone(), file.bytes));
        }
        if let Some(was) = &new.was_unmatched {
            self.unmatched
                .retain(|row| row.tenant != tenant || row.id != *was);
        }
        let mut row = new.row;
        row.conversation = new.input.conversation.clone();
        self.messages.push(row);
        Ok(self.append(new.input))
    }

    pub(super) fn file_unmatched(&mut self, message: Unmatched) -> Appended {
        let key = (message.tenant.clone(), message.dedupe_key.clone());
        let filed = self
            .unmatched
            .iter()
            .any(|row| row.tenant == key.0 && row.dedupe_key == key.1);
        if filed || self.input_keys.contains(&key) {
            return Appended::Duplicate;
        }
        self.unmatched.push(message);
        Appended::At(i64::try_from(self.unmatched.len()).unwrap_or(i64::MAX))
    }
}

//! Sharing: whether two needs that name the same slot can share its question and its answer.

use crate::{
    amendment::Amendment,
    conversation::{Conversation, NeedOperation},
    id::NeedId,
    input::{Input, StoredInput},
    need::Registration,
    slot::SlotKey,
    value::Kind,
};

/// A slot that a registration wants to be of another kind, or with other constraints, than an open
/// need has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The slot's place in the registration.
    pub place: usize,
    /// The slot.
    pub slot: SlotKey,
    /// The need that has it.
    pub with: NeedId,
    /// Whether the kinds are different, and not only what they accept.
    pub other_kind: bool,
}

/// The first slot of a registration that cannot share the question which an open need asks under
/// its key. Operations of needs that wait, in the conversation or among `waiting` inputs, count as
/// if they were done. What only ended needs have asked binds nobody.
pub fn clash(
    conversation: &Conversation,
    waiting: &[StoredInput],
    registration: &Registration,
) -> Option<Clash> {
    let mut specs = Specs::of(conversation);
    for operation in &conversation.need_operations {
        match operation {
            NeedOperation::Register { registration, .. } => specs.register(registration),
            NeedOperation::Amend { amendment, .. } => specs.amend(amendment),
            NeedOperation::Cancel { need, .. } => specs.cancel(need),
        }
    }
    for stored in waiting {
        match &stored.input {
            Input::NeedRegistered { registration, .. } => specs.register(registration),
            Input::NeedAmended { amendment } => specs.amend(amendment),
            Input::NeedCancelled { need } => specs.cancel(need),
            _ => {}
        }
    }
    specs.clash(registration)
}

/// Which need waits for which slot, of which kind.
struct Specs<'a>(Vec<(&'a NeedId, SlotKey, &'a Kind)>);

impl<'a> Specs<'a> {
    fn of(conversation: &'a Conversation) -> Self {
        let of_need = |(id, need): (&'a NeedId, &'a crate::need::Need)| {
            need.slots.iter().filter_map(move |wanted| {
                let slot = conversation.slots.get(&wanted.key)?;
                Some((id, wanted.key.clone(), &slot.kind))
            })
        };
        Self(conversation.open_needs().flat_map(of_need).collect())
    }

    fn register(&mut self, registration: &'a Registration) {
        if self.clash(registration).is_some() {
            // It will be rejected, so it binds nobody.
            return;
        }
        let slots = registration.slots.iter().map(|slot| {
            let key = registration.key(&slot.name);
            (&registration.need, key, &slot.kind)
        });
        self.0.extend(slots);
    }

    /// What an amendment leaves, should it be applied.
    fn amend(&mut self, amendment: &'a Amendment) {
        let id = &amendment.need;
        let of_need = self.0.iter().find(|(waits, ..)| *waits == id);
        let Some(subject) = of_need.map(|(_, key, _)| key.subject.clone()) else {
            return;
        };
        self.0
            .retain(|(waits, key, _)| *waits != id || !amendment.remove.contains(&key.name));
        for change in &amendment.change {
            let Some(kind) = &change.kind else { continue };
            for (_, _, known) in self
                .0
                .iter_mut()
                .filter(|(waits, key, _)| *waits == id && key.name == change.name)
            {
                *known = kind;
            }
        }
        self.0.extend(amendment.add.iter().map(|slot| {
            let key = SlotKey {
                subject: subject.clone(),
                name: slot.name.clone(),
            };
            (id, key, &slot.kind)
        }));
    }

    fn cancel(&mut self, need: &NeedId) {
        self.0.retain(|(waits, _, _)| *waits != need);
    }

    fn clash(&self, registration: &Registration) -> Option<Clash> {
        registration
            .slots
            .iter()
            .enumerate()
            .find_map(|(place, slot)| {
                let key = registration.key(&slot.name);
                let (with, _, kind) = self
                    .0
                    .iter()
                    .find(|(_, known, kind)| *known == key && **kind != slot.kind)?;
                Some(Clash {
                    place,
                    other_kind: kind.name() != slot.kind.name(),
                    with: (*with).clone(),
                    slot: key,
                })
            })
    }
}

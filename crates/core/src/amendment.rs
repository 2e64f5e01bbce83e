//! Amendments: what a workflow changes of a need that is open.

use crate::{
    id::NeedId,
    need::{Registration, SlotRequest},
    value::Kind,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A change to an open need. All of it is applied, or nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Amendment {
    /// Which need.
    pub need: NeedId,
    /// When it ends from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// What may be told from now on, in place of what might be told before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<String>>,
    /// Slots that it waits for as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<SlotRequest>,
    /// Slots that are asked in another way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<SlotChange>,
    /// The names of slots that it does not wait for any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
}

/// What is different about a slot; what is absent stays as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotChange {
    /// The slot's name.
    pub name: String,
    /// What may fill it. Another kind, other constraints or other options make it another
    /// question, which is asked anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The question as the stakeholder reads it. Other words alone are not asked again; the next
    /// reminder has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Whether the need waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Questions that a reader must answer about its own proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_checks: Option<Vec<String>>,
}

/// Why an amendment does not fit its need.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {what}")]
pub struct AmendmentFault {
    /// Which part of it, as a request names it: `remove_slots[0]`.
    pub field: String,
    /// What is wrong with it, and what to do about it.
    pub what: &'static str,
}

impl Amendment {
    /// Checks it against the slots that the need has: each one's name, and whether it is required.
    /// The first fault found is given.
    pub fn check<'a>(
        &self,
        slots: impl IntoIterator<Item = (&'a str, bool)>,
    ) -> Result<(), AmendmentFault> {
        let fault = |field: String, what| Err(AmendmentFault { field, what });
        let mut present: Vec<(&str, bool)> = slots.into_iter().collect();
        let mut touched: Vec<&str> = Vec::new();
        for (place, name) in self.remove.iter().enumerate() {
            let field = || format!("remove_slots[{place}]");
            let Some(at) = present.iter().position(|(present, _)| present == name) else {
                return fault(field(), "the need has no slot with this name");
            };
            present.remove(at);
            touched.push(name);
        }
        for (place, change) in self.change.iter().enumerate() {
            let field = || format!("change_slots[{place}].name");
            if touched.contains(&change.name.as_str()) {
                return fault(field(), "this slot is named twice; name it once");
            }
            touched.push(&change.name);
            let Some(slot) = present.iter_mut().find(|(name, _)| *name == change.name) else {
                return fault(field(), "the need has no slot with this name");
            };
            slot.1 = change.required.unwrap_or(slot.1);
        }
        for (place, added) in self.add.iter().enumerate() {
            let field = || format!("add_slots[{place}].name");
            if touched.contains(&added.name.as_str()) {
                return fault(field(), "this slot is named twice; name it once");
            }
            if present.iter().any(|(name, _)| *name == added.name) {
                return fault(
                    field(),
                    "the need has a slot with this name; use change_slots, or another name",
                );
            }
            // On those that were added before it: so two never rest on each other.
            for (at, name) in added.depends_on.iter().enumerate() {
                let known = present.iter().find(|(known, _)| known == name);
                if known.is_none_or(|(_, required)| added.required && !required) {
                    return fault(
                        format!("add_slots[{place}].depends_on[{at}]"),
                        "name a slot that the need has or that is added before this one, and \
                         that is required if this one is",
                    );
                }
            }
            present.push((&added.name, added.required));
        }
        if !present.iter().any(|(_, required)| *required) {
            let field = match self.remove.is_empty() {
                false => "remove_slots",
                true => "change_slots",
            };
            return fault(
                field.to_owned(),
                "a need waits for its required slots, and none would be left; keep one, or \
                 cancel the need",
            );
        }
        Ok(())
    }
}

impl Registration {
    /// What would have been registered had the amendment been part of it.
    pub fn amended(&self, amendment: &Amendment) -> Result<Self, AmendmentFault> {
        amendment.check(
            self.slots
                .iter()
                .map(|slot| (slot.name.as_str(), slot.required)),
        )?;
        let mut amended = self.clone();
        if let Some(deadline) = amendment.deadline {
            amended.deadline = deadline;
        }
        if let Some(facts) = &amendment.facts {
            amended.facts.clone_from(facts);
        }
        amended
            .slots
            .retain(|slot| !amendment.remove.contains(&slot.name));
        for slot in &mut amended.slots {
            slot.depends_on
                .retain(|name| !amendment.remove.contains(name));
        }
        for change in &amendment.change {
            let Some(slot) = amended
                .slots
                .iter_mut()
                .find(|slot| slot.name == change.name)
            else {
                continue;
            };
            if let Some(kind) = &change.kind {
                slot.kind = kind.clone();
            }
            if let Some(question) = &change.question {
                slot.question.clone_from(question);
            }
            if let Some(self_checks) = &change.self_checks {
                slot.self_checks.clone_from(self_checks);
            }
            slot.required = change.required.unwrap_or(slot.required);
        }
        amended.slots.extend(amendment.add.iter().cloned());
        Ok(amended)
    }
}

//! Amendments: what a workflow changes of a need that is open.

use crate::{
    id::NeedId,
    need::{Registration, SlotRequest},
    policy::Wait,
    slot::Confirm,
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
    /// The names of the slots of the same need that it rests on from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<String>>,
    /// When its value has to be confirmed from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirm>,
    /// How old an answer that is known may be. One that is older is asked anew; it is the one as of
    /// the amendment that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Wait>,
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

/// A slot as an amendment is checked against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether the need waits for it.
    pub required: bool,
    /// The names of the slots that it rests on.
    pub depends_on: Vec<&'a str>,
}

impl Amendment {
    /// Checks it against the slots that the need has. The first fault found is given.
    ///
    /// A slot that is removed drops out of what others rest on: whoever removes a question says
    /// that its answer does not matter.
    pub fn check<'a>(
        &'a self,
        slots: impl IntoIterator<Item = Present<'a>>,
    ) -> Result<(), AmendmentFault> {
        let fault = |field: String, what| Err(AmendmentFault { field, what });
        let mut present: Vec<Present<'a>> = slots.into_iter().collect();
        let mut touched: Vec<&str> = Vec::new();
        for (place, name) in self.remove.iter().enumerate() {
            let field = || format!("remove_slots[{place}]");
            let Some(at) = present.iter().position(|slot| slot.name == name) else {
                return fault(field(), "the need has no slot with this name");
            };
            present.remove(at);
            touched.push(name);
        }
        for slot in &mut present {
            slot.depends_on.retain(|name| !touched.contains(name));
        }
        for (place, change) in self.change.iter().enumerate() {
            let field = || format!("change_slots[{place}].name");
            if touched.contains(&change.name.as_str()) {
                return fault(field(), "this slot is named twice; name it once");
            }
            touched.push(&change.name);
            let Some(slot) = present.iter_mut().find(|slot| slot.name == change.name) else {
                return fault(field(), "the need has no slot with this name");
            };
            slot.required = change.required.unwrap_or(slot.required);
            if let Some(names) = &change.depends_on {
                slot.depends_on = names.iter().map(String::as_str).collect();
            }
        }
        for (place, added) in self.add.iter().enumerate() {
            let field = || format!("add_slots[{place}].name");
            if touched.contains(&added.name.as_str()) {
                return fault(field(), "this slot is named twice; name it once");
            }
            touched.push(&added.name);
            if present.iter().any(|slot| slot.name == added.name) {
                return fault(
                    field(),
                    "the need has a slot with this name; use change_slots, or another name",
                );
            }
            present.push(Present {
                name: &added.name,
                required: added.required,
                depends_on: added.depends_on.iter().map(String::as_str).collect(),
            });
        }
        self.check_dependencies(&present)?;
        if !present.iter().any(|slot| slot.required) {
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

    /// What slots rest on must be there, must be waited for, and must not rest on them in turn: as
    /// of the need that the amendment makes, whichever part of it makes it so.
    fn check_dependencies(&self, present: &[Present<'_>]) -> Result<(), AmendmentFault> {
        let says = |slot: &&Present<'_>| {
            let mut changes = self.change.iter();
            self.add.iter().any(|added| added.name == slot.name)
                || changes.any(|one| one.name == slot.name && one.depends_on.is_some())
        };
        // A ring has a fault at each of its slots; the one that the request names is told of.
        let (named, others): (Vec<_>, Vec<_>) = present.iter().partition(says);
        for slot in named.into_iter().chain(others) {
            for (at, name) in slot.depends_on.iter().enumerate() {
                let fault = |what| {
                    Err(AmendmentFault {
                        field: self.field_of_dependency(slot.name, at, name),
                        what,
                    })
                };
                let Some(other) = present.iter().find(|other| other.name == *name) else {
                    return fault("the need has no slot with this name, and none is added");
                };
                if slot.depends_on[..at].contains(name) {
                    return fault("this slot is named twice; name it once");
                }
                if slot.required && !other.required {
                    return fault(
                        "an optional slot's answer is not waited for, so that a required slot \
                         which rests on it might never be asked; require it, or make the other \
                         optional, or have it rest on nothing",
                    );
                }
                if rests_on(present, other.name, slot.name) {
                    return fault(
                        "these slots rest on each other, so that neither could be asked first; \
                         take one of the two out",
                    );
                }
            }
        }
        Ok(())
    }

    /// The part of the request that makes `slot` rest on `name` wrongly.
    fn field_of_dependency(&self, slot: &str, at: usize, name: &str) -> String {
        if let Some(place) = self.add.iter().position(|added| added.name == slot) {
            return format!("add_slots[{place}].depends_on[{at}]");
        }
        let changes = |wanted: &str| {
            let mut changes = self.change.iter();
            changes.position(|change| change.name == wanted)
        };
        let own = changes(slot).map(|place| (place, &self.change[place]));
        if let Some((place, change)) = own
            && change.depends_on.is_some()
        {
            return format!("change_slots[{place}].depends_on[{at}]");
        }
        let requires = |place: &usize| self.change[*place].required.is_some();
        let place = changes(name).filter(requires);
        let place = place.or_else(|| changes(slot).filter(requires));
        place.map_or_else(
            || "change_slots".to_owned(),
            |place| format!("change_slots[{place}].required"),
        )
    }
}

/// Whether the slot `from` rests on the one named `on`, directly, through others, or by being it.
fn rests_on(slots: &[Present<'_>], from: &str, on: &str) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut next = vec![from];
    while let Some(name) = next.pop() {
        if name == on {
            return true;
        }
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let rests = slots.iter().find(|slot| slot.name == name);
        next.extend(rests.into_iter().flat_map(|slot| slot.depends_on.iter()));
    }
    false
}

impl Registration {
    /// What would have been registered had the amendment been part of it.
    pub fn amended(&self, amendment: &Amendment) -> Result<Self, AmendmentFault> {
        amendment.check(self.slots.iter().map(|slot| Present {
            name: &slot.name,
            required: slot.required,
            depends_on: slot.depends_on.iter().map(String::as_str).collect(),
        }))?;
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
            if let Some(depends_on) = &change.depends_on {
                slot.depends_on.clone_from(depends_on);
            }
            slot.confirm = change.confirm.unwrap_or(slot.confirm);
            slot.max_age = change.max_age.or(slot.max_age);
        }
        amended.slots.extend(amendment.add.iter().cloned());
        Ok(amended)
    }
}

//! Amending a need.

use crate::registration::{Deadline, KindSpec, SlotSpec};
use liaison_core::{policy::Wait, slot::Confirm};
use serde::{Deserialize, Serialize};

/// The body of `PATCH /v1/needs/{id}`: what is different from now on. What is absent stays as it
/// is. All of it is applied, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AmendNeed {
    /// When the need ends; a length of time counts from the amendment. At most two years ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Deadline>,
    /// What the stakeholder may be told, in place of all that might be told before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<String>>,
    /// Slots that it waits for as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_slots: Vec<SlotSpec>,
    /// Slots that are asked in another way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change_slots: Vec<SlotAmendment>,
    /// The names of slots that it does not wait for any more. Whoever was asked is told. Slots that
    /// rest on one of them do not any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_slots: Vec<String>,
}

/// What is different about a slot. On the wire, the fields of the kind stand beside the others, as
/// in a registration; without any, the kind stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotAmendment {
    /// The slot's name.
    pub name: String,
    /// The question as the stakeholder reads it. Other words alone are not asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Whether the need waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Yes-or-no questions that a reader must answer about its own proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_checks: Option<Vec<String>>,
    /// The names of the slots of the same need that it rests on, in place of those before; at most
    /// 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<String>>,
    /// When its value has to be confirmed. A value that counts already and now has to be is asked
    /// about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirm>,
    /// How old a known answer may be. One that is older is asked anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Wait>,
    /// What may fill it, whole. Another kind, other constraints or options make it another
    /// question, which is asked anew unless the known value answers it.
    #[serde(flatten)]
    pub kind: KindSpec,
}

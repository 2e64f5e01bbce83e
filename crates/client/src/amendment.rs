//! Amending a need.

use crate::{ClientError, Confirm, Kind, NeedHandle, Timestamp, Wait};
use liaison_api::{AmendNeed, Deadline, KindSpec, NeedView, SlotAmendment, SlotSpec};

/// A change to an open need, in the making. What is not named stays as it is; all of it is applied,
/// or nothing. What is wrong with it, the daemon says when it is sent, field by field.
#[derive(Clone, Debug)]
#[must_use = "an amendment does nothing until it is sent"]
pub struct AmendBuilder {
    need: NeedHandle,
    request: AmendNeed,
    idempotency_key: Option<String>,
}

impl AmendBuilder {
    pub(crate) fn new(need: NeedHandle) -> Self {
        Self {
            need,
            request: AmendNeed::default(),
            idempotency_key: None,
        }
    }

    /// When the need ends: this long after it is amended.
    pub fn deadline_in(mut self, wait: Wait) -> Self {
        self.request.deadline = Some(Deadline::In(wait));
        self
    }

    /// When the need ends.
    pub fn deadline(mut self, instant: Timestamp) -> Self {
        self.request.deadline = Some(Deadline::At(instant));
        self
    }

    /// What the stakeholder may be told from now on, in place of all that might be told before.
    pub fn facts<T: Into<String>>(mut self, facts: impl IntoIterator<Item = T>) -> Self {
        self.request.facts = Some(facts.into_iter().map(Into::into).collect());
        self
    }

    /// A slot to wait for as well.
    pub fn add_slot(
        mut self,
        name: impl Into<String>,
        question: impl Into<String>,
        kind: Kind,
    ) -> Self {
        let slot = SlotSpec::new(name, question, KindSpec::from(&kind));
        self.request.add_slots.push(slot);
        self
    }

    /// Another wording of a slot's question. It is not asked again; the next reminder has it.
    pub fn question(mut self, slot: impl Into<String>, question: impl Into<String>) -> Self {
        self.change(slot.into()).question = Some(question.into());
        self
    }

    /// Whether the need waits for a slot.
    pub fn required(mut self, slot: impl Into<String>, required: bool) -> Self {
        self.change(slot.into()).required = Some(required);
        self
    }

    /// The slots of the same need that a slot rests on, in place of those before.
    pub fn depends_on<S: Into<String>>(
        mut self,
        slot: impl Into<String>,
        on: impl IntoIterator<Item = S>,
    ) -> Self {
        let on = on.into_iter().map(Into::into).collect();
        self.change(slot.into()).depends_on = Some(on);
        self
    }

    /// When a slot's value has to be confirmed by the person.
    pub fn confirm(mut self, slot: impl Into<String>, confirm: Confirm) -> Self {
        self.change(slot.into()).confirm = Some(confirm);
        self
    }

    /// How old a known answer to a slot may be. One that is older is asked anew.
    pub fn max_age(mut self, slot: impl Into<String>, max_age: Wait) -> Self {
        self.change(slot.into()).max_age = Some(max_age);
        self
    }

    /// What may fill a slot. Another kind, other constraints or options make it another question,
    /// which is asked anew unless the known value answers it.
    pub fn kind(mut self, slot: impl Into<String>, kind: Kind) -> Self {
        self.change(slot.into()).kind = KindSpec::from(&kind);
        self
    }

    /// A slot not to wait for any more. Whoever was asked is told.
    pub fn remove_slot(mut self, slot: impl Into<String>) -> Self {
        self.request.remove_slots.push(slot.into());
        self
    }

    /// What marks repetitions of this amendment: 1 to 200 visible ASCII characters. With a key the
    /// same amendment is applied once, however often it is sent.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Sends it. Gives the need as it will be. With a key it is repeated while the daemon is away,
    /// within [`crate::Client::tries`]; without one it is sent once.
    pub async fn send(self) -> Result<NeedView, ClientError> {
        self.need.amended(&self.request, self.idempotency_key).await
    }

    fn change(&mut self, slot: String) -> &mut SlotAmendment {
        let changes = &mut self.request.change_slots;
        let place = changes
            .iter()
            .position(|change| change.name == slot)
            .unwrap_or_else(|| {
                changes.push(SlotAmendment {
                    name: slot,
                    question: None,
                    required: None,
                    self_checks: None,
                    depends_on: None,
                    confirm: None,
                    max_age: None,
                    kind: KindSpec(serde_json::Map::new()),
                });
                changes.len() - 1
            });
        &mut changes[place]
    }
}

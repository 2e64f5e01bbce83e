//! What a workflow gets.

use crate::{Date, Decimal, Evidence, FileRef, NeedId, OutcomeKind, Timestamp, Value, api};
use serde::Serialize;

/// How a need ended, and the values that it brought, whatever the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    need: NeedId,
    #[serde(flatten)]
    inner: api::Outcome,
}

impl Outcome {
    pub(crate) fn new(need: NeedId, inner: api::Outcome) -> Self {
        Self { need, inner }
    }

    /// The need.
    pub fn need(&self) -> &NeedId {
        &self.need
    }

    /// How it ended.
    pub fn kind(&self) -> OutcomeKind {
        self.inner.outcome
    }

    /// Whether every required slot is filled.
    pub fn is_fulfilled(&self) -> bool {
        self.kind() == OutcomeKind::Fulfilled
    }

    /// When it ended.
    pub fn at(&self) -> Timestamp {
        self.inner.at
    }

    /// The slots that are filled, in the need's order.
    pub fn slots(&self) -> impl Iterator<Item = (&str, &api::SlotOutcome)> {
        self.inner
            .slots
            .iter()
            .map(|(name, slot)| (name.as_str(), slot))
    }

    /// A slot's value with its evidence, if it is filled.
    pub fn slot(&self, name: &str) -> Option<&api::SlotOutcome> {
        self.inner.slots.get(name)
    }

    /// The option that was chosen; none if the slot is not filled or not a choice. The same holds
    /// for the kinds below.
    pub fn choice(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Choice(option) => Some(option),
            _ => None,
        }
    }

    /// Yes or no.
    pub fn boolean(&self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Value::Boolean(answer) => Some(*answer),
            _ => None,
        }
    }

    /// A calendar day in the stakeholder's zone.
    pub fn date(&self, name: &str) -> Option<Date> {
        match self.value(name)? {
            Value::Date(day) => Some(*day),
            _ => None,
        }
    }

    /// A number, exactly as it was written.
    pub fn number(&self, name: &str) -> Option<Decimal> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Words.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(words) => Some(words),
            _ => None,
        }
    }

    /// A file.
    pub fn file(&self, name: &str) -> Option<&FileRef> {
        match self.value(name)? {
            Value::File(file) => Some(file),
            _ => None,
        }
    }

    /// The stakeholder's own words that the value rests on; none where an operator entered it.
    pub fn quote(&self, name: &str) -> Option<&str> {
        match &self.slot(name)?.evidence {
            Evidence::Message { quote, .. } | Evidence::Transcript { quote, .. } => Some(quote),
            Evidence::Operator { .. } => None,
        }
    }

    /// Whether the value was known before the need was registered, because another need had asked
    /// for it; [`Outcome::slot`] says as of when it is true.
    pub fn is_reused(&self, name: &str) -> bool {
        self.slot(name).is_some_and(|slot| slot.reused)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.slot(name).map(|slot| &slot.value)
    }
}

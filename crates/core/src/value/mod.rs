//! The kinds of value that a slot can wait for.
//!
//! A kind is one file here: what it is configured with, how code finds it in a person's words, how
//! a form asks for it, what it accepts, and how it is shown. To add one, write the file, add it to
//! [`Kind`] and [`Value`], and let [`Kind::rules`] find it.

mod boolean;
mod choice;
pub mod cues;
pub(crate) mod date;
mod file;
mod instead;
mod number;
mod text;
pub mod words;

pub use boolean::Boolean;
pub use choice::{Choice, ChoiceOption};
pub use date::DateKind;
pub use file::{FileKind, FileRef};
pub use instead::instead;
pub use number::Number;
pub use text::Text;

use crate::calendar::phrase::DayMonthOrder;
use jiff::civil;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The kind of a slot, with the constraints on its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// One of a few named options.
    Choice(Choice),
    /// Yes or no.
    Boolean(Boolean),
    /// A calendar day.
    Date(DateKind),
    /// A number, whole or decimal.
    Number(Number),
    /// Free words.
    Text(Text),
    /// A document or picture, sent as an attachment.
    File(FileKind),
}

impl Kind {
    /// The kind's own file.
    pub fn rules(&self) -> &dyn KindRules {
        match self {
            Self::Choice(kind) => kind,
            Self::Boolean(kind) => kind,
            Self::Date(kind) => kind,
            Self::Number(kind) => kind,
            Self::Text(kind) => kind,
            Self::File(kind) => kind,
        }
    }

    /// The kind's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Choice(_) => "choice",
            Self::Boolean(_) => "boolean",
            Self::Date(_) => "date",
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::File(_) => "file",
        }
    }
}

/// A value of some kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Value {
    /// The option's name.
    Choice(String),
    /// Yes (`true`) or no.
    Boolean(bool),
    /// A calendar day in the stakeholder's zone.
    Date(civil::Date),
    /// The number, exactly as written, in the slot's unit.
    Number(Decimal),
    /// The person's words.
    Text(String),
    /// Where the file is kept.
    File(FileRef),
}

/// What a kind must be able to do. Each file of this folder implements it.
pub trait KindRules {
    /// Checks the kind's own configuration, when a need is registered.
    fn validate(&self) -> Result<(), SpecFault>;

    /// A JSON schema for the `value` field of this slot's form. It admits `null`, and stays inside
    /// the subset that strict structured output supports everywhere.
    fn schema(&self, context: &ReadContext<'_>) -> serde_json::Value;

    /// Reads the `value` field of a filled form. `Ok(None)` is `null`.
    fn read(
        &self,
        proposed: &serde_json::Value,
        context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault>;

    /// Every value of this kind that code finds in a person's words by itself, in order.
    fn find(&self, text: &str, context: &ReadContext<'_>) -> Vec<Candidate>;

    /// Whether a value may only be taken when [`KindRules::find`] sees it in the quote too. Kinds
    /// that people paraphrase freely answer `false`; even there, code that finds a *different*
    /// value wins against the proposal.
    fn must_be_found(&self) -> bool;

    /// What a value of this kind must stand in for the gate to believe it.
    fn grounds(&self) -> Grounds {
        if self.must_be_found() {
            Grounds::Found
        } else {
            Grounds::Verbatim
        }
    }

    /// Whether there are so few values that naming another one anywhere in a message speaks against
    /// the first. Of dates and numbers a message may hold many that are about something else.
    fn is_closed(&self) -> bool {
        false
    }

    /// Whether [`KindRules::find`] takes `not` into account by itself. For the other kinds the gate
    /// takes a `not` beside the value as speaking against it.
    fn reads_negation(&self) -> bool {
        false
    }

    /// Whether words mean this value only because of when they were written (`next Tuesday`).
    fn is_relative(&self, _value: &Value, _text: &str, _context: &ReadContext<'_>) -> bool {
        false
    }

    /// Checks a value against the kind's constraints.
    fn check(&self, value: &Value) -> Result<(), ValueFault>;

    /// How the value is said to a person: absolute dates, labels instead of names.
    fn show(&self, value: &Value) -> String;

    /// What a question adds so that the person knows which answers fit (`"landlord or agency"`).
    fn hint(&self) -> Option<String>;
}

/// What the gate believes a value on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// Words from which code reads the same value by itself.
    Found,
    /// The words themselves: the value is a piece of them.
    Verbatim,
    /// An attachment; the quote is its name.
    Attached,
}

/// A value found in words, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Byte range in the text that was searched.
    pub span: Range<usize>,
    /// The value that these words mean.
    pub value: Value,
}

/// What words are read relative to.
#[derive(Clone, Copy, Debug)]
pub struct ReadContext<'a> {
    /// When the person wrote, on the clock of their own zone.
    pub written_at: civil::DateTime,
    /// How the person writes days and months in figures, when known.
    pub order: DayMonthOrder,
    /// The files that came with the message.
    pub attachments: &'a [FileRef],
}

impl SpecFault {
    fn new(field: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            remedy: remedy.into(),
        }
    }
}

impl ValueFault {
    /// A value of another kind was handed to the kind called `kind`.
    fn not_a(kind: &str, value: &Value) -> Self {
        Self(format!("{} is not a {kind}", value.plain()))
    }
}

impl Value {
    /// The value without its kind's constraints to say it by: names instead of labels.
    pub fn plain(&self) -> String {
        match self {
            Self::Choice(name) => name.clone(),
            Self::Boolean(true) => "yes".to_owned(),
            Self::Boolean(false) => "no".to_owned(),
            Self::Date(date) => date.strftime("%A %-d %B %Y").to_string(),
            Self::Number(number) => number.normalize().to_string(),
            Self::Text(text) => text.clone(),
            Self::File(file) => file.name.clone(),
        }
    }
}

/// `schema`, or null. Strict structured output knows null only this way everywhere: one service
/// ignores `nullable`, others refuse an enum without a type.
fn or_null(schema: serde_json::Value) -> serde_json::Value {
    serde_json::json!({ "anyOf": [schema, { "type": "null" }] })
}

/// What is wrong with a kind's configuration. The text says what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {remedy}")]
pub struct SpecFault {
    /// The field, relative to the slot (`options[1].value`).
    pub field: String,
    /// What is wrong and how to mend it.
    pub remedy: String,
}

/// Why a proposed value is not acceptable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct ValueFault(pub String);

#[cfg(test)]
mod testing {
    use super::ReadContext;
    use crate::calendar::phrase::DayMonthOrder;
    use jiff::civil::datetime;

    /// Written on Monday, 3 May 2027, at ten, with nothing attached.
    pub(super) fn context() -> ReadContext<'static> {
        ReadContext {
            written_at: datetime(2027, 5, 3, 10, 0, 0, 0),
            order: DayMonthOrder::Unknown,
            attachments: &[],
        }
    }
}

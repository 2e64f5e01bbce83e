//! The gate: what a model filled in or worded is judged here, in code, before it means anything.

pub(crate) mod absence;
mod concerns;
mod confirmations;
pub(crate) mod delegate;
pub mod draft;
mod passage;
mod promises;
mod proposal;
mod values;
mod vetoes;

pub use absence::Away;
pub use proposal::judge;

use crate::{slot::SlotKey, value::Value};
use jiff::civil;
use serde::{Deserialize, Serialize};

/// What the gate makes of a whole reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// A verdict on each slot of the request, in its order.
    pub slots: Vec<SlotJudgement>,
    /// What the words want of us, apart from answering; each with the words that say so.
    pub concerns: Vec<Concern>,
    /// That the person is away, when they say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<Away>,
}

/// A verdict on one slot, with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotJudgement {
    /// Which slot.
    pub slot: SlotKey,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it is not on the slot's value, but on whether a value was understood.
    #[serde(default, skip_serializing_if = "is_no")]
    pub confirms: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_no(value: &bool) -> bool {
    !*value
}

/// What may be believed of one slot form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The value stands in the words, and nothing speaks against it.
    Accepted {
        /// The value.
        value: Value,
        /// The words.
        quote: Quote,
        /// Whether they explicitly correct an earlier answer.
        correction: bool,
        /// Whether they do not state it outright: it takes more than one sentence, or the day on
        /// which they were written, to tell.
        #[serde(default, skip_serializing_if = "is_no")]
        inferred: bool,
    },
    /// The words are about the slot, but do not settle it.
    Unclear {
        /// What they could mean; may be empty.
        candidates: Vec<Value>,
        /// The words.
        quote: Quote,
        /// What speaks against taking a value.
        why: String,
    },
    /// The words promise an answer by a day.
    Promised {
        /// The day.
        until: civil::Date,
        /// The words.
        quote: Quote,
    },
    /// The words refuse an answer.
    Declined {
        /// The words.
        quote: Quote,
    },
    /// A proposal was made that may not be believed; the slot stays as it is.
    Refused {
        /// Why.
        why: String,
    },
    /// The words say nothing about the slot.
    Silent,
}

/// Verbatim words, and whose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Which of the request's words they stand in.
    pub words: usize,
    /// The words: a substring of that text, or an attachment's name.
    pub text: String,
}

/// Something in the words that a person must see to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concern {
    /// What kind.
    pub kind: ConcernKind,
    /// The words.
    pub quote: Quote,
}

/// The kinds of concern, most pressing first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcernKind {
    /// No contact is wanted, in words that code itself finds clear: it counts at once.
    OptsOut,
    /// No contact is wanted, as a reader or some of the words have it.
    RefusesContact,
    /// A person is wanted.
    WantsPerson,
    /// Somebody else is named.
    NamesAnother,
    /// A question is asked.
    Question,
    /// It is about something else.
    OutOfScope,
}

#[cfg(test)]
mod tests;

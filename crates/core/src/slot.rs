//! Slots: the typed values that needs wait for, and how much is known of each.

use crate::{
    conversation::Heard,
    id::{MessageId, NeedId},
    value::{Kind, Value},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a slot is about, and its name. Two needs with the same key share the question and answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotKey {
    /// What the slot is about (`property:42`). By default the need's own id, so that nothing is
    /// shared unless asked for.
    pub subject: String,
    /// The slot's name: 1 to 64 of `a-z`, `0-9` and `_`.
    pub name: String,
}

impl fmt::Display for SlotKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.subject, self.name)
    }
}

// As text, `subject/name`: a name holds no slash, so the last one parts them whatever the subject.
impl Serialize for SlotKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SlotKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (subject, name) = text
            .rsplit_once('/')
            .ok_or_else(|| serde::de::Error::custom("a slot key has the form subject/name"))?;
        Ok(Self {
            subject: subject.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// One value that needs wait for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// What may fill it.
    pub kind: Kind,
    /// The question as the stakeholder reads it.
    pub question: String,
    /// Yes-or-no questions that a reader must answer about its own proposal; any `no` makes the
    /// value unclear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_checks: Vec<String>,
    /// What is known.
    pub standing: Standing,
    /// Values that this one has replaced, oldest first; at most [`Slot::MOST_EARLIER`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Filled>,
    /// What the person promised while there was no value, oldest first: each but the last one was
    /// broken before the next was made. At most [`Promise::MOST`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// The slot that this one rests on and whose new value made this one missing again, until it
    /// is answered anew: the reason for asking twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overturned_by: Option<SlotKey>,
}

/// A day by which the person said that they would answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// When they wrote it.
    pub made_at: Timestamp,
    /// The end of the day that they named.
    pub until: Timestamp,
    /// Their words, verbatim.
    pub quote: String,
}

impl Promise {
    /// Two that are broken bring an operator; more are kept only for that operator to see.
    pub const MOST: usize = 10;
}

impl Slot {
    /// Earlier versions beyond this many are dropped, oldest first: the document is bounded, and
    /// the transcript has them all.
    pub const MOST_EARLIER: usize = 20;

    /// The value that it has, or had last: what a new one is compared with to tell whether
    /// anything has changed.
    pub fn last_value(&self) -> Option<&Value> {
        let earlier = || self.earlier.last().map(|filled| &filled.value);
        self.standing.value().or_else(earlier)
    }

    /// Changes what is known. A value that stood until now stays among the earlier ones.
    pub(crate) fn stands(&mut self, standing: Standing) {
        if let Standing::Filled(before) = std::mem::replace(&mut self.standing, standing) {
            if self.earlier.len() >= Self::MOST_EARLIER {
                self.earlier.remove(0);
            }
            self.earlier.push(before);
        }
        if self.standing.value().is_some() {
            self.promises.clear();
        }
        if !self.standing.is_open() {
            self.overturned_by = None;
        }
    }
}

/// When a value counts only once the person has said that it was understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// What the person wrote is enough.
    #[default]
    Never,
    /// When the value was not stated outright: see [`Filled::inferred`].
    WhenInferred,
    /// Every value.
    Always,
}

impl Confirm {
    /// Whether it is [`Confirm::Never`].
    pub fn is_never(&self) -> bool {
        *self == Self::Never
    }

    /// Whether a value has to be confirmed before it counts.
    pub fn wants(self, filled: &Filled) -> bool {
        // An operator's word needs no second one.
        let vouched =
            filled.confirmed_by.is_some() || matches!(filled.evidence, Evidence::Operator { .. });
        !vouched
            && match self {
                Self::Never => false,
                Self::WhenInferred => filled.inferred,
                Self::Always => true,
            }
    }
}

/// What is known of a slot. That it was *asked* is not stored here: the ask ledger says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// Nothing.
    Missing,
    /// The person said when they will answer.
    Promised {
        /// The end of the day they named.
        until: Timestamp,
        /// Their words.
        evidence: Evidence,
    },
    /// The person said something that could mean these values, or none for certain.
    Unclear {
        /// What it might have meant; may be empty.
        candidates: Vec<Value>,
        /// Their words.
        evidence: Evidence,
        /// Whether the person has been asked to clear it up, or will be with the next message.
        why: String,
    },
    /// A value was understood, and counts once the person has confirmed it.
    Unconfirmed(Filled),
    /// The value is known.
    Filled(Filled),
    /// The person will not say.
    Declined {
        /// Their words.
        evidence: Evidence,
    },
}

impl Standing {
    /// The value, when there is one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Filled(filled) => Some(&filled.value),
            _ => None,
        }
    }

    /// Whether the person said when they will answer, and that is the last they said.
    pub fn promised_until(&self) -> Option<Timestamp> {
        match self {
            Self::Promised { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// Whether the slot still waits for words from the person.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Filled(_) | Self::Declined { .. })
    }
}

/// A value and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filled {
    /// The value.
    pub value: Value,
    /// What it rests on.
    pub evidence: Evidence,
    /// As of when it is true: when the person wrote it.
    pub as_of: Timestamp,
    /// Whether it was not stated outright in one clear quote: it comes from an earlier transcript,
    /// is a day that was told relative to another (`next Tuesday`), or was gathered from several
    /// sentences.
    #[serde(default, skip_serializing_if = "is_no")]
    pub inferred: bool,
    /// The words by which the person confirmed it, when they were asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<Evidence>,
}

impl Filled {
    /// A value that was stated outright and not confirmed.
    pub fn new(value: Value, evidence: Evidence, as_of: Timestamp) -> Self {
        Self {
            value,
            evidence,
            as_of,
            inferred: false,
            confirmed_by: None,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_no(value: &bool) -> bool {
    !*value
}

/// What a value rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Evidence {
    /// Words in a message.
    Message {
        /// The message.
        message: MessageId,
        /// The words, verbatim: a substring of the message's visible text, or of a file's name.
        quote: String,
    },
    /// An operator entered it.
    Operator {
        /// Who.
        by: String,
        /// On what grounds.
        note: String,
        /// How and when they heard it from the person, if they did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<Heard>,
    },
    /// Words in an earlier transcript that was handed over with a need.
    Transcript {
        /// The need that brought it.
        need: NeedId,
        /// The words, verbatim.
        quote: String,
        /// The operator who handed it over, when it was not the caller.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

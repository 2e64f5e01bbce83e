//! ARQ forms: what a reader is given, what it must fill in, and how the answer is read.
//!
//! The order of a form's fields is part of its meaning: it makes the reader look before it
//! proposes. Schemas and structs therefore list fields in the same order.

mod bound;
mod reading;
mod schema;

pub use reading::{FormFault, parse_reading, to_json};
pub use schema::schema;

use crate::{
    id::MessageId,
    slot::SlotKey,
    value::{Candidate, FileRef, Kind, ReadContext, Value, date},
};
use jiff::civil;
use serde::{Deserialize, Serialize};

/// Everything that a reader gets to see. It holds no secret and nobody else's affairs, and does
/// not grow with the length of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadRequest {
    /// The words to read, oldest first: a burst of messages, or an earlier transcript.
    pub words: Vec<Words>,
    /// The slots to look for, in the order of their forms.
    pub slots: Vec<SlotQuestion>,
    /// What the stakeholder may be told, so that a reader knows what is no open question.
    pub facts: Vec<String>,
    /// Whether figures like 3/4 are day first, when known.
    pub day_first: Option<bool>,
}

/// One message, or one entry of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Words {
    /// The message; none for a transcript's entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// When it was written, on the clock of the stakeholder's zone.
    pub written_at: civil::DateTime,
    /// The subject, when it says something.
    pub subject: String,
    /// What the person wrote.
    pub text: String,
    /// What came with it.
    pub attachments: Vec<FileRef>,
}

/// A slot, as a reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotQuestion {
    /// The name of this slot's form within the reading: `s1`, `s2`, ...
    pub form: String,
    /// Which slot.
    pub key: SlotKey,
    /// What may fill it.
    pub kind: Kind,
    /// The question as the stakeholder read it, or would.
    pub question: String,
    /// Whether the stakeholder was asked.
    pub asked: bool,
    /// The value it has, as shown to a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Questions about the proposal, each to be answered with yes for it to stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_checks: Vec<String>,
    /// When the question is not for the slot's value, but whether this value was understood; its
    /// kind is `boolean` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirming: Option<Confirming>,
}

impl SlotQuestion {
    /// The values for this slot that code finds in `text`, a sentence. Where no day is named
    /// outright, the one from which something is so counts as mentioned: it is the answer to the
    /// question [from which day](Self::asks_from), and unclear to another one.
    pub fn find(&self, text: &str, context: &ReadContext<'_>) -> Vec<Candidate> {
        let found = self.kind.rules().find(text, context);
        match self.kind {
            Kind::Date(_) if found.is_empty() => date::beginnings(text, context),
            _ => found,
        }
    }

    /// Whether it asks for the day from which something is so.
    pub fn asks_from(&self) -> bool {
        matches!(self.kind, Kind::Date(_)) && date::asks_from(&self.question)
    }
}

/// A value that the stakeholder was asked to confirm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirming {
    /// The slot's own kind.
    pub kind: Kind,
    /// What was understood.
    pub value: Value,
}

/// A filled set of forms. Untrusted: see [`crate::gate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// About the words as a whole.
    pub message: MessageForm,
    /// One for each slot of the request, in its order.
    pub slots: Vec<SlotForm>,
}

/// What the words are, apart from what they answer. A quote is `""` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageForm {
    /// What they say, in a sentence.
    pub says: String,
    /// Whether a program wrote them.
    pub automatic_reply: bool,
    /// The question that they ask us, verbatim.
    pub question: String,
    /// Whether they are, in whole or in part, about something that we did not ask, and that
    /// somebody must act on; verbatim.
    pub out_of_scope: String,
    /// Words that ask for a person, verbatim.
    pub wants_person: String,
    /// Words that refuse all contact, verbatim.
    pub refuses_contact: String,
    /// Words that name another person to talk to, verbatim.
    pub names_another: String,
    /// The last day of an absence, `YYYY-MM-DD`, or `""`.
    pub away_until: String,
    /// How they sound.
    pub tone: Tone,
}

/// How somebody sounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// As usual.
    #[default]
    Neutral,
    /// Warm.
    Friendly,
    /// Pressed for time.
    Hurried,
    /// Put out.
    Annoyed,
}

/// What the words say about one slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotForm {
    /// What they say about it, in a sentence, or `""`.
    pub says: String,
    /// The words that say it, verbatim, or `""`.
    pub quote: String,
    /// Whether a clear value is among them.
    pub clear_value_present: bool,
    /// What they are, for this slot.
    pub answer: Answer,
    /// Whether proposing a value would be guessing.
    pub would_be_guessing: bool,
    /// Whether they explicitly correct an earlier answer.
    pub explicit_correction: bool,
    /// The proposed value, in the kind's own JSON form, or `null`.
    pub value: serde_json::Value,
    /// The day by which they promise an answer, `YYYY-MM-DD`, or `""`.
    pub promised_date: String,
    /// The slot's self-checks, in order.
    pub self_checks: Vec<bool>,
}

/// What a person's words are with regard to one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// They give the value.
    Value,
    /// They promise to give it.
    Promise,
    /// They refuse to give it.
    Refusal,
    /// None of these.
    Neither,
}

impl SlotForm {
    /// The form of words that say nothing about a slot.
    pub fn silent(self_checks: usize) -> Self {
        Self {
            says: String::new(),
            quote: String::new(),
            clear_value_present: false,
            answer: Answer::Neither,
            would_be_guessing: false,
            explicit_correction: false,
            value: serde_json::Value::Null,
            promised_date: String::new(),
            self_checks: vec![false; self_checks],
        }
    }
}

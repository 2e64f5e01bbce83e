//! What the next message owes the person.

use crate::{id::ReplyItemId, slot::SlotKey, stakeholder::EmailAddress, value::Value};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Something that the next message owes the stakeholder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyItem {
    /// Its id, so that a message can say which items it carried.
    pub id: ReplyItemId,
    /// Since when it is owed.
    pub since: Timestamp,
    /// What.
    pub what: Owed,
}

/// What can be owed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "owed", rename_all = "snake_case")]
pub enum Owed {
    /// Thanks for these answers.
    Acknowledgement {
        /// The slots that were filled.
        slots: Vec<SlotKey>,
    },
    /// A question about an unclear answer.
    Clarification {
        /// Which slot.
        slot: SlotKey,
        /// What the answer might have meant.
        candidates: Vec<Value>,
    },
    /// The question whether a value was understood. The slot holds the value.
    Confirmation {
        /// Which slot.
        slot: SlotKey,
    },
    /// An operator's words.
    Answer {
        /// The words.
        text: String,
        /// Whose.
        by: String,
        /// What they answer, verbatim, when known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
        /// To which contact: the one that wrote what it answers. Without one, to whoever is written
        /// to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<EmailAddress>,
    },
    /// Word that a question no longer needs an answer.
    Withdrawal {
        /// The question.
        question: String,
    },
}

//! Message plans: what the next message must say, to whom and by which channel, as data; and the
//! templates that can word any of them.

mod ahead;
mod build;
pub mod template;

pub use ahead::{
    HORIZON, PlanAhead, PlanEnd, Planned, PlannedQuestion, PlannedStep, PlannedWait, plan_ahead,
};
pub use build::plan_message;

use crate::{
    conversation::MessageKind,
    id::{NeedId, ReplyItemId},
    ladder::Tone,
    slot::SlotKey,
    stakeholder::{Channel, EmailAddress},
};
use jiff::civil;
use serde::{Deserialize, Serialize};

/// Code's decision about one message. A writer may choose the words, nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessagePlan {
    /// Which rule sends it.
    pub kind: MessageKind,
    /// By which channel.
    pub channel: Channel,
    /// To which of the stakeholder's contacts.
    pub to: EmailAddress,
    /// How the person is addressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The language to write in.
    pub language: String,
    /// How a reminder sounds; of several questions, as the most pressing one does.
    #[serde(default)]
    pub tone: Tone,
    /// The name to sign with.
    pub signature: String,
    /// The subject that the thread already has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_subject: Option<String>,
    /// Message-IDs to put into References, oldest first; the last one is In-Reply-To.
    pub references: Vec<String>,
    /// What it is all for: the goals of the needs that it speaks of.
    pub goals: Vec<String>,
    /// What it must say, in this order.
    pub items: Vec<PlanItem>,
    /// Operators' instructions on the manner, for writers that can follow any. A template cannot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidance: Vec<String>,
}

/// One thing that a message must say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub enum PlanItem {
    /// Thanks for answers, each repeated so that a misreading is seen.
    Acknowledge {
        /// The item's id among the reply items.
        id: ReplyItemId,
        /// Question and value, as shown to a person.
        answers: Vec<(String, String)>,
    },
    /// An operator's answer, in its own words.
    Answer {
        /// The item's id among the reply items.
        id: ReplyItemId,
        /// The words.
        text: String,
        /// What they answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
    },
    /// A question that is taken back.
    Withdraw {
        /// The item's id among the reply items.
        id: ReplyItemId,
        /// The question.
        question: String,
    },
    /// A fact to be told once.
    Brief {
        /// The need.
        need: NeedId,
        /// Its place in the need's list.
        place: usize,
        /// The fact.
        text: String,
    },
    /// A question about an unclear answer.
    Clarify {
        /// The item's id among the reply items, if it is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<ReplyItemId>,
        /// Which slot.
        slot: SlotKey,
        /// The question as first asked.
        question: String,
        /// What the answer might have meant, as shown to a person; may be empty.
        candidates: Vec<String>,
        /// Which answers fit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// The day on which it was last asked as for the first time, in the stakeholder's zone, when
        /// this is a reminder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_on: Option<civil::Date>,
    },
    /// The question whether an answer was understood.
    Confirm {
        /// The item's id among the reply items, if it is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<ReplyItemId>,
        /// Which slot.
        slot: SlotKey,
        /// The question that was answered.
        question: String,
        /// What was understood, as shown to a person.
        value: String,
        /// The day on which it was first asked whether that is right, in the stakeholder's zone,
        /// when this is a reminder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_on: Option<civil::Date>,
    },
    /// A question.
    Question {
        /// Which slot.
        slot: SlotKey,
        /// The words.
        question: String,
        /// Which answers fit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// The day on which it was first asked, in the stakeholder's zone, when this is a reminder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_on: Option<civil::Date>,
        /// What the person promised and did not keep, when this reminds them of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        promised: Option<Promised>,
        /// Why something that was answered before is asked anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<Change>,
    },
}

/// A promise as a reminder names it, in days on the person's own calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promised {
    /// The day on which they wrote it.
    pub on: civil::Date,
    /// The day by which they would answer.
    pub by: civil::Date,
}

/// An answer that has changed, and with it what rests on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The question that it answers.
    pub question: String,
    /// The answer now, as shown to a person.
    pub value: String,
}

/// The wording of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The subject, one line.
    pub subject: String,
    /// The text, lines ended by `\n`.
    pub body: String,
    /// Who worded it.
    pub by: Wording,
}

/// Who worded a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// A model, and the draft passed every check.
    Model,
    /// The plan's template.
    Template,
}

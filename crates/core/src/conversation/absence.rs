//! Absences: when the person is away, by their own words or their mail program's.

use crate::{id::MessageId, stakeholder::EmailAddress};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The person is away. Reminders wait for their return; nothing else changes, and an absence is
/// never an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// The message that says so.
    pub message: MessageId,
    /// Its words, verbatim.
    pub quote: String,
    /// From which address it came.
    pub of: EmailAddress,
    /// From when on.
    pub from: Timestamp,
    /// When it ends: the end of its last day on the person's clock. None when the words name no
    /// day; then it is only recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Absence {
    /// Whether it begins before `at`, or then, and ends after it.
    pub fn covers(&self, at: Timestamp) -> bool {
        self.from <= at && self.until.is_some_and(|until| at < until)
    }
}

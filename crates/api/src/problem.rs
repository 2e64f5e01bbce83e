//! What an error looks like.

use crate::FieldFault;
use serde::{Deserialize, Serialize};

/// A problem document (RFC 9457). Every answer of the API with a status of 400 or more has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What kind of problem, for programs: `urn:liaison:problem:` and a name that stays the same.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind, for people; the same for every problem of its kind.
    pub title: String,
    /// The status that the answer has.
    pub status: u16,
    /// What is wrong this time, and what to do about it. It never holds a key or an address.
    pub detail: String,
    /// The fields that are wrong, when it is fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldFault>,
}

impl Problem {
    /// What every [`Problem::kind`] begins with.
    pub const PREFIX: &str = "urn:liaison:problem:";

    /// The last part of the kind (`invalid-fields`).
    pub fn name(&self) -> &str {
        self.kind.strip_prefix(Self::PREFIX).unwrap_or(&self.kind)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}): {}", self.title, self.status, self.detail)?;
        for fault in &self.errors {
            write!(f, "\n  {}: {}", fault.field, fault.detail)?;
        }
        Ok(())
    }
}

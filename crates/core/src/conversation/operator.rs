//! What operators leave in a conversation beside holds: guidance for its writers, and commands that
//! came too late to change anything.

use crate::id::GuidanceId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An operator's standing instruction to whoever words the messages of one conversation. It is about
/// the manner, never about the content: what a message says is decided by its plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guidance {
    /// Its id.
    pub id: GuidanceId,
    /// The instruction.
    pub text: String,
    /// Who gave it.
    pub by: String,
    /// When.
    pub since: Timestamp,
    /// When it expires; without it, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Guidance {
    /// How many stand at once: a writer that must heed more heeds none.
    pub const MOST: usize = 10;
    /// The longest instruction, in characters.
    pub const LONGEST: usize = 500;

    /// Whether it is given to writers at `now`.
    pub fn counts_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// What must be so for a command to change anything. A button or a link carries it, so that one
/// which was made for another state, or long ago, does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The conversation still has this revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The command is given before this instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// A command that changed nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IgnoredAction {
    /// Who gave it.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Its name on the wire.
    pub action: String,
    /// Why it changed nothing, in a sentence.
    pub why: String,
}

impl IgnoredAction {
    /// Only the latest are of interest.
    pub const MOST: usize = 10;
}

/// How an operator came to know what they enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heard {
    /// By which way.
    pub via: Via,
    /// When the person said so; without it, when it was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A way by which words reach an operator and not the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A phone call.
    Phone,
    /// Face to face.
    InPerson,
    /// A letter on paper.
    Letter,
    /// A message to somebody's own mailbox or phone.
    Message,
    /// Another way; the note says which.
    Other,
}

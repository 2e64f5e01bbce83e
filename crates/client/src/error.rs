//! What can go wrong with a call.

use liaison_api::{NeedId, Problem};
use std::time::Duration;

/// A call that failed. None of them holds the API key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The client cannot be set up like this.
    #[error("cannot set up the client: {0}")]
    Setup(String),
    /// The need to register lacks something.
    #[error("the need has no {0}; set it before `register`")]
    Incomplete(&'static str),
    /// The daemon refuses the request: it is wrong, or the API key may not do it. Trying again does
    /// not help.
    #[error("{operation}: {problem}")]
    Refused {
        /// What was being done.
        operation: &'static str,
        /// What the daemon says.
        problem: Box<Problem>,
    },
    /// The daemon, or a proxy before it, could not do it now, several times in a row.
    #[error("{operation}: the daemon is in trouble: {problem}")]
    Trouble {
        /// What was being done.
        operation: &'static str,
        /// What it says.
        problem: Box<Problem>,
    },
    /// The daemon could not be reached, several times in a row.
    #[error("{operation}: the daemon cannot be reached")]
    Unreachable {
        /// What was being done.
        operation: &'static str,
        /// Why not.
        #[source]
        source: Box<reqwest::Error>,
    },
    /// The answer is not one of this version's daemon.
    #[error("{operation}: the answer is not what was expected: {what}")]
    Malformed {
        /// What was being done.
        operation: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// There is no outcome yet. The need goes on; wait again, or cancel it.
    #[error("need {need} has no outcome after {} s", .after.as_secs())]
    StillOpen {
        /// Which need.
        need: NeedId,
        /// How long it was waited.
        after: Duration,
    },
}

impl ClientError {
    /// The problem document, when the daemon sent one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused { problem, .. } | Self::Trouble { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Trouble { .. } | Self::Unreachable { .. } | Self::StillOpen { .. }
        )
    }
}

//! From drafts to faults.

use crate::plan::{Draft, MessagePlan};

/// What is wrong with a draft; empty when it may leave.
pub fn faults(_plan: &MessagePlan, _draft: &Draft) -> Vec<DraftFault> {
    Vec::new()
}

/// One fault of a draft, in a sentence that tells a writer what to mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DraftFault(pub String);

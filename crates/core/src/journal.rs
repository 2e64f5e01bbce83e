//! The journal: every operation, with all it needs to be done again.

use crate::{
    conversation::{Conversation, FORMAT},
    form::Reading,
    id::Entropy,
    input::StoredInput,
    phase::Phase,
    plan::Draft,
    transition::{self, Divergence, Opening},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One operation: the inputs that it folded, the phase that was derived then, and what was brought
/// in from outside for it. Applying it to the state before gives the state after, always.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// The revision that it was applied to.
    pub revision: u64,
    /// When.
    pub at: Timestamp,
    /// Where its new ids come from.
    pub entropy: Entropy,
    /// The inputs that it folded, in order.
    pub inputs: Vec<StoredInput>,
    /// The phase that was derived after folding, at `at`.
    pub phase: Phase,
    /// What came from outside for this phase.
    pub work: Work,
}

/// What a phase needed from outside, as it was brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "snake_case")]
pub enum Work {
    /// Nothing.
    None,
    /// The inbox or a transcript was read.
    Reading(Box<Reading>),
    /// It could not be read.
    ReadingFailed {
        /// Why, bounded.
        error: String,
    },
    /// A plan was worded, and the draft passed its checks.
    Draft(Box<Draft>),
}

/// Rebuilds a conversation from how it was opened and its operations.
pub fn replay(
    opening: Opening,
    operations: impl IntoIterator<Item = Operation>,
) -> Result<Conversation, Divergence> {
    let mut conversation = transition::open(opening);
    for operation in operations {
        transition::apply(&mut conversation, &operation)?;
    }
    Ok(conversation)
}

/// Reads a stored document.
pub fn read_document(text: &str) -> Result<Conversation, DocumentFault> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let Version { format } = serde_json::from_str(text)?;
    if format > FORMAT {
        return Err(DocumentFault::Newer { format });
    }
    Ok(serde_json::from_str(text)?)
}

/// Why a stored document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentFault {
    /// A later version of this program wrote it.
    #[error(
        "the document has format {format}, and this version reads up to {FORMAT}; run the version that wrote it"
    )]
    Newer {
        /// Its format.
        format: u32,
    },
    /// It is not a conversation.
    #[error("the document is not a conversation")]
    Malformed(#[from] serde_json::Error),
}

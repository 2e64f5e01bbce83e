//! Readers and writers: the only two things that a language model may be.

use async_trait::async_trait;
use liaison_core::{
    form::{ReadRequest, Reading},
    gate::draft::DraftFault,
    plan::{Draft, MessagePlan},
};
use serde::{Deserialize, Serialize};

/// Fills forms about a person's words.
#[async_trait]
pub trait FormFiller: Send + Sync + 'static {
    /// Fills the forms of `request`. What comes back has the form's shape; what it claims is
    /// untrusted.
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault>;
}

/// Words message plans.
#[async_trait]
pub trait Writer: Send + Sync + 'static {
    /// Words `plan`. `faults` are those of an earlier attempt, to be mended; empty at first.
    async fn write(
        &self,
        plan: &MessagePlan,
        faults: &[DraftFault],
    ) -> Result<Answered<Draft>, ModelFault>;
}

/// An answer, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<T> {
    /// The answer.
    pub answer: T,
    /// What the provider says that it cost; nothing where no model was asked.
    pub usage: Usage,
}

/// The cost of a model call, as the provider reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The model that answered; empty where none was asked.
    pub model: String,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Requests made, retries included.
    pub requests: u32,
}

/// Why there is no answer. None of them changes state; the engine tries again later, a bounded
/// number of times.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    /// The endpoint could not be reached, or said that it is in trouble.
    #[error("the model could not be reached: {0}")]
    Unavailable(String),
    /// The endpoint asked for patience, in seconds when it said how much.
    #[error("the model's endpoint is over its limit")]
    Throttled {
        /// The `Retry-After` that it gave.
        retry_after: Option<u32>,
    },
    /// No answer within the time allowed.
    #[error("the model took longer than {seconds} s")]
    TimedOut {
        /// The time allowed.
        seconds: u64,
    },
    /// The model declined to answer.
    #[error("the model refused: {0}")]
    Refused(String),
    /// The answer is not of the form that was asked for.
    #[error("the model's answer has not the form that was asked for: {0}")]
    Malformed(String),
    /// The answer is longer than any that makes sense.
    #[error("the model's answer is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The endpoint rejects the request itself: a wrong key, an unknown model.
    #[error("the model's endpoint rejects the request: {0}")]
    Misconfigured(String),
}

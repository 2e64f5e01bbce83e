//! Any endpoint that speaks OpenAI's chat completions, as a reader and as a writer.
//!
//! A call has no memory and no authority: it is shown one burst of words or one plan, and what it
//! answers is checked here for its form, and by the gate for everything else. The API's reference
//! is <https://platform.openai.com/docs/api-reference/chat>.

mod config;
mod data;
mod endpoint;
mod examples;
mod reading;
mod wire;
mod writing;

pub use config::{AnswerFormat, ConfigFault, OpenAiConfig, TokenLimit};
pub use endpoint::LONGEST_RESPONSE;

use async_trait::async_trait;
use endpoint::{Completion, Endpoint};
use liaison_core::{
    form::{self, ReadRequest, Reading},
    gate::draft::DraftFault,
    plan::{Draft, MessagePlan},
};
use liaison_ports::language::{Answered, FormFiller, ModelFault, Writer};
use std::fmt;
use wire::{ChatRequest, Turn};

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAi {
    config: OpenAiConfig,
    endpoint: Endpoint,
}

impl OpenAi {
    /// Prepares calls; nothing is sent yet. The process must have installed a rustls provider.
    pub fn new(config: OpenAiConfig) -> Result<Self, ConfigFault> {
        let endpoint = Endpoint::new(&config)?;
        Ok(Self { config, endpoint })
    }

    async fn complete(
        &self,
        name: &str,
        turns: &[Turn],
        schema: &serde_json::Value,
    ) -> Result<Completion, ModelFault> {
        let request = ChatRequest::new(&self.config, turns, name, schema);
        let body = serde_json::to_vec(&request).map_err(unserialisable)?;
        let completion = self.endpoint.complete(body).await?;
        tracing::debug!(
            call = name,
            model = completion.usage.model,
            prompt_tokens = completion.usage.prompt_tokens,
            completion_tokens = completion.usage.completion_tokens,
            requests = completion.usage.requests,
            "a model answered"
        );
        Ok(completion)
    }
}

#[async_trait]
impl FormFiller for OpenAi {
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        let schema = form::schema(request);
        let in_prompt = (self.config.format == AnswerFormat::JsonObject).then_some(&schema);
        let turns = reading::turns(request, in_prompt).map_err(unserialisable)?;
        let completion = self.complete("reading", &turns, &schema).await?;
        let answer = form::parse_reading(request, bare(&completion.text))
            .map_err(|fault| ModelFault::Malformed(self.endpoint.excerpt(&fault.0)))
            .map_err(|fault| unusable(&completion, fault))?;
        Ok(Answered {
            answer,
            usage: completion.usage,
        })
    }
}

#[async_trait]
impl Writer for OpenAi {
    async fn write(
        &self,
        plan: &MessagePlan,
        faults: &[DraftFault],
    ) -> Result<Answered<Draft>, ModelFault> {
        let turns = writing::turns(plan, faults).map_err(unserialisable)?;
        let completion = self.complete("draft", &turns, &writing::schema()).await?;
        let answer =
            writing::read(bare(&completion.text)).map_err(|fault| unusable(&completion, fault))?;
        Ok(Answered {
            answer,
            usage: completion.usage,
        })
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// An answer without the code fence that some models put around JSON.
fn bare(answer: &str) -> &str {
    let answer = answer.trim();
    let inner = answer
        .strip_prefix("```json")
        .or_else(|| answer.strip_prefix("```"))
        .and_then(|rest| rest.strip_suffix("```"));
    inner.unwrap_or(answer).trim()
}

/// Every part of a request is text, numbers and maps with text keys, so this does not happen; a
/// fault is kinder than a panic should it ever.
fn unserialisable(error: serde_json::Error) -> ModelFault {
    ModelFault::Misconfigured(format!("the request has no JSON form: {error}"))
}

/// Notes what an unusable answer cost; it would be lost otherwise.
fn unusable(completion: &Completion, fault: ModelFault) -> ModelFault {
    tracing::info!(
        model = completion.usage.model,
        prompt_tokens = completion.usage.prompt_tokens,
        completion_tokens = completion.usage.completion_tokens,
        %fault,
        "the model's answer cannot be used"
    );
    fault
}

//! The parts of OpenAI's chat completions that are used, as they stand on the wire.

use super::config::{AnswerFormat, OpenAiConfig, TokenLimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One turn of the dialogue that a model is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Turn {
    pub(super) role: Role,
    pub(super) content: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    System,
    User,
    Assistant,
}

/// The body of a request.
#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: &'a [Turn],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    // Some servers stream unless told not to.
    stream: bool,
    response_format: ResponseFormat<'a>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: NamedSchema<'a> },
    JsonObject,
}

#[derive(Debug, Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

impl<'a> ChatRequest<'a> {
    /// The request for an answer of form `schema`, which is called `name`.
    pub(super) fn new(
        config: &'a OpenAiConfig,
        messages: &'a [Turn],
        name: &'a str,
        schema: &'a Value,
    ) -> Self {
        let limit = Some(config.max_tokens);
        let (max_tokens, max_completion_tokens) = match config.token_limit {
            TokenLimit::MaxTokens => (limit, None),
            TokenLimit::MaxCompletionTokens => (None, limit),
        };
        Self {
            model: &config.model,
            messages,
            max_tokens,
            max_completion_tokens,
            temperature: config.temperature,
            stream: false,
            response_format: match config.format {
                AnswerFormat::JsonSchema => ResponseFormat::JsonSchema {
                    json_schema: NamedSchema {
                        name,
                        strict: true,
                        schema,
                    },
                },
                AnswerFormat::JsonObject => ResponseFormat::JsonObject,
            },
        }
    }
}

/// The body of a good response. Servers add fields of their own, so unknown ones are let be.
#[derive(Debug, Deserialize)]
pub(super) struct ChatResponse {
    #[serde(default)]
    pub(super) model: Option<String>,
    pub(super) choices: Vec<ChatChoice>,
    #[serde(default)]
    pub(super) usage: Option<TokenUsage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChatChoice {
    pub(super) message: ChatMessage,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChatMessage {
    #[serde(default)]
    pub(super) content: Option<String>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct TokenUsage {
    #[serde(default)]
    pub(super) prompt_tokens: u64,
    #[serde(default)]
    pub(super) completion_tokens: u64,
}

/// The body of a bad response, where it has this form at all.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorResponse {
    pub(super) error: ErrorBody,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default, rename = "type")]
    pub(super) kind: Value,
    #[serde(default)]
    pub(super) code: Value,
    #[serde(default)]
    pub(super) param: Value,
}

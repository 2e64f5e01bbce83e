//! How to reach a model.

use reqwest::{Url, header::HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::time::Duration;

/// Where a model is, and how much it may cost.
///
/// Its `Debug` output does not show the key.
#[derive(Clone, Debug)]
pub struct OpenAiConfig {
    /// The address up to and without `/chat/completions`: `https://api.openai.com/v1`. A query
    /// string (`?api-version=...`) is kept. It must hold no credentials.
    pub base_url: String,
    /// The key that is sent as a bearer token; none for most local servers.
    pub key: Option<SecretString>,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long one request may take, from connecting to the answer's last byte.
    pub request_timeout: Duration,
    /// The most tokens of one answer.
    pub max_tokens: u32,
    /// How the endpoint wants to be told so.
    pub token_limit: TokenLimit,
    /// The sampling temperature; none for models that accept only their own.
    pub temperature: Option<f64>,
    /// How often one call may ask again after a passing failure: 0 to
    /// [`OpenAiConfig::MOST_RETRIES`]. The engine tries again later by itself.
    pub retries: u32,
    /// How the endpoint is told to answer in JSON.
    pub format: AnswerFormat,
}

impl OpenAiConfig {
    /// More would keep a conversation claimed for minutes, and the engine tries again anyway.
    pub const MOST_RETRIES: u32 = 2;

    /// A configuration with a key of none and defaults for all that costs: 10 s to connect, 60 s
    /// for a request, 2,000 tokens, 2 retries, temperature 0, a strict schema.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            key: None,
            model: model.into(),
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(60),
            // A form of eight slots takes some 900 tokens.
            max_tokens: 2_000,
            token_limit: TokenLimit::MaxTokens,
            temperature: Some(0.0),
            retries: Self::MOST_RETRIES,
            format: AnswerFormat::JsonSchema,
        }
    }

    /// The full address of the endpoint.
    pub(super) fn url(&self) -> Result<Url, ConfigFault> {
        let wrong = |remedy: &str| ConfigFault::new("base_url", remedy);
        let mut url = Url::parse(self.base_url.trim())
            .map_err(|_| wrong("give a full address, like https://api.openai.com/v1"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong("the address must begin with https:// or http://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("take the credentials out; they belong into `key`"));
        }
        let path = url.path().trim_end_matches('/');
        if path.ends_with("/chat/completions") {
            return Err(wrong("leave /chat/completions out; it is added"));
        }
        let path = format!("{path}/chat/completions");
        url.set_path(&path);
        url.set_fragment(None);
        Ok(url)
    }

    /// The `Authorization` header, marked so that nothing prints it.
    pub(super) fn authorization(&self) -> Result<Option<HeaderValue>, ConfigFault> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret().trim()))
            .map_err(|_| {
                ConfigFault::new("key", "it holds characters that no HTTP header can carry")
            })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// Checks what is not checked elsewhere.
    pub(super) fn check(&self) -> Result<(), ConfigFault> {
        if self.model.trim().is_empty() {
            return Err(ConfigFault::new("model", "name the model"));
        }
        if self.max_tokens == 0 {
            return Err(ConfigFault::new("max_tokens", "must be at least 1"));
        }
        if self.retries > Self::MOST_RETRIES {
            return Err(ConfigFault::new("retries", "must be 0, 1 or 2"));
        }
        if self.connect_timeout.is_zero() || self.request_timeout.is_zero() {
            return Err(ConfigFault::new("timeouts", "must be longer than nothing"));
        }
        Ok(())
    }
}

/// The name of the field that bounds an answer. OpenAI's own newer models reject `max_tokens`;
/// many compatible servers know nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimit {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// What `response_format` is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    /// A strict JSON schema. An endpoint that does not enforce it is found out by our own check.
    #[default]
    JsonSchema,
    /// Any JSON object; the schema stands in the prompt instead.
    JsonObject,
}

/// What is wrong with a configuration. It never holds the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model's configuration, {field}: {remedy}")]
pub struct ConfigFault {
    /// The field.
    pub field: &'static str,
    /// How to mend it.
    pub remedy: String,
}

impl ConfigFault {
    pub(super) fn new(field: &'static str, remedy: impl Into<String>) -> Self {
        Self {
            field,
            remedy: remedy.into(),
        }
    }
}

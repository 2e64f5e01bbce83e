//! One call: the request, what its failures mean, and when it is asked again.

use super::{
    config::{ConfigFault, OpenAiConfig},
    wire::{ChatResponse, ErrorResponse},
};
use liaison_ports::language::{ModelFault, Usage};
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect,
};
use secrecy::{ExposeSecret, SecretString};
use std::{error::Error, time::Duration};

/// The longest response that is read. A form of twenty slots, each with the longest quotes, stays
/// under 100 KiB; what is longer is a fault or an attack.
pub const LONGEST_RESPONSE: usize = 256 * 1024;

/// Before the first and the second retry. Together with two retries they bound what a call adds to
/// its requests' own time.
const PAUSES: [Duration; OpenAiConfig::MOST_RETRIES as usize] =
    [Duration::from_millis(250), Duration::from_secs(1)];

/// A `Retry-After` up to this many seconds is waited for here; a longer one is the engine's.
const PATIENCE_SECONDS: u32 = 2;

/// A server that asks for more than a day is taken to mean a day.
const LONGEST_RETRY_AFTER: u32 = 86_400;

/// The longest text from the other side that goes into a fault: enough to recognise it by.
const LONGEST_EXCERPT: usize = 160;

/// Where requests go.
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    key: Option<SecretString>,
    timeout: Duration,
    retries: u32,
    max_tokens: u32,
}

/// What a model wrote.
#[derive(Debug)]
pub(super) struct Completion {
    pub(super) text: String,
    pub(super) usage: Usage,
}

impl Endpoint {
    pub(super) fn new(config: &OpenAiConfig) -> Result<Self, ConfigFault> {
        config.check()?;
        let url = config.url()?;
        // Without one, building the client would panic.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            return Err(ConfigFault::new(
                "tls",
                "no TLS provider is installed in this process",
            ));
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(value) = config.authorization()? {
            headers.insert(AUTHORIZATION, value);
        }
        let mut builder = Client::builder()
            .default_headers(headers)
            .connect_timeout(config.connect_timeout)
            .timeout(config.request_timeout)
            // A redirect would carry a stakeholder's words to an address nobody configured.
            .redirect(redirect::Policy::none())
            // Retries are counted below, and only there.
            .retry(reqwest::retry::never());
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| ConfigFault::new("tls", causes(&error.without_url())))?;
        Ok(Self {
            client,
            url,
            key: config.key.clone(),
            timeout: config.request_timeout,
            retries: config.retries,
            max_tokens: config.max_tokens,
        })
    }

    /// Sends `body` until there is an answer, a fault that asking again would not mend, or no
    /// retry left.
    pub(super) async fn complete(&self, body: Vec<u8>) -> Result<Completion, ModelFault> {
        let mut requests = 0;
        loop {
            requests += 1;
            let fault = match self.ask(body.clone()).await {
                Ok(mut completion) => {
                    completion.usage.requests = requests;
                    return Ok(completion);
                }
                Err(fault) => fault,
            };
            let retry = (requests - 1) as usize;
            let pause = match (&fault, PAUSES.get(retry)) {
                _ if requests > self.retries => None,
                (ModelFault::Unavailable(_), pause) => pause.copied(),
                (ModelFault::Throttled { retry_after: None }, pause) => pause.copied(),
                (
                    ModelFault::Throttled {
                        retry_after: Some(seconds),
                    },
                    Some(pause),
                ) if *seconds <= PATIENCE_SECONDS => {
                    Some((*pause).max(Duration::from_secs((*seconds).into())))
                }
                _ => None,
            };
            let Some(pause) = pause else {
                return Err(fault);
            };
            tracing::debug!(%fault, requests, ?pause, "asking the model again");
            tokio::time::sleep(pause).await;
        }
    }

    async fn ask(&self, body: Vec<u8>) -> Result<Completion, ModelFault> {
        let response = self
            .client
            .post(self.url.clone())
            .body(body)
            .send()
            .await
            .map_err(|error| self.transport(error))?;
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let body = self.read(response).await;
        if status.is_success() {
            return self.completion(&body?);
        }
        // A bad status means the same whatever becomes of its body.
        let body = body.unwrap_or_default();
        Err(rejection(status, retry_after, &body))
    }

    /// Reads a body up to [`LONGEST_RESPONSE`], however long it says it is.
    async fn read(&self, mut response: Response) -> Result<Vec<u8>, ModelFault> {
        let too_long = ModelFault::TooLong {
            limit: LONGEST_RESPONSE,
        };
        if response
            .content_length()
            .is_some_and(|length| length > LONGEST_RESPONSE as u64)
        {
            return Err(too_long);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.transport(error))?
        {
            if body.len() + chunk.len() > LONGEST_RESPONSE {
                return Err(too_long);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn completion(&self, body: &[u8]) -> Result<Completion, ModelFault> {
        let response: ChatResponse = serde_json::from_slice(body)
            // The error's own words may repeat the body's.
            .map_err(|error| {
                ModelFault::Malformed(format!(
                    "no chat completion: line {}, column {}",
                    error.line(),
                    error.column()
                ))
            })?;
        let tokens = response.usage.unwrap_or_default();
        let usage = Usage {
            model: self.excerpt(&response.model.unwrap_or_default()),
            prompt_tokens: tokens.prompt_tokens,
            completion_tokens: tokens.completion_tokens,
            requests: 1,
        };
        let fault = |fault: ModelFault| {
            // What an unusable answer cost would be lost otherwise.
            tracing::info!(
                model = usage.model,
                prompt_tokens = usage.prompt_tokens,
                completion_tokens = usage.completion_tokens,
                %fault,
                "the model's answer cannot be used"
            );
            fault
        };
        let Some(choice) = response.choices.into_iter().next() else {
            return Err(fault(ModelFault::Malformed("it has no choice".to_owned())));
        };
        if let Some(refusal) = choice
            .message
            .refusal
            .filter(|text| !text.trim().is_empty())
        {
            return Err(fault(ModelFault::Refused(self.excerpt(&refusal))));
        }
        match choice.finish_reason.as_deref() {
            Some("content_filter") => {
                return Err(fault(ModelFault::Refused("content_filter".to_owned())));
            }
            Some("length") => {
                return Err(fault(ModelFault::Malformed(format!(
                    "it was cut off, at {} tokens at most",
                    self.max_tokens
                ))));
            }
            _ => {}
        }
        match choice.message.content {
            Some(text) if !text.trim().is_empty() => Ok(Completion { text, usage }),
            _ => Err(fault(ModelFault::Malformed("it is empty".to_owned()))),
        }
    }

    fn transport(&self, error: reqwest::Error) -> ModelFault {
        // The address may hold a key in its query.
        let error = error.without_url();
        if error.is_timeout() && !error.is_connect() {
            return ModelFault::TimedOut {
                seconds: self.timeout.as_millis().div_ceil(1000) as u64,
            };
        }
        ModelFault::Unavailable(self.excerpt(&causes(&error)))
    }

    /// The beginning of a text from the other side, on one line. A server may repeat the key that
    /// it was sent; it is taken out.
    pub(super) fn excerpt(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) if !key.expose_secret().trim().is_empty() => {
                text.replace(key.expose_secret().trim(), "[key]")
            }
            _ => text.to_owned(),
        };
        text.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(LONGEST_EXCERPT)
            .collect()
    }
}

/// What a status other than success means. The body's own words stay out: servers repeat what they
/// were sent in them, keys and messages included.
fn rejection(status: StatusCode, retry_after: Option<u32>, body: &[u8]) -> ModelFault {
    let names = error_names(body);
    let said = if names.is_empty() {
        format!("HTTP {}", status.as_u16())
    } else {
        format!("HTTP {} ({})", status.as_u16(), names.join(", "))
    };
    match status.as_u16() {
        // Azure's filter answers so before any model does.
        400 if names.iter().any(|name| name == "content_filter") => ModelFault::Refused(said),
        401 | 403 => ModelFault::Misconfigured(format!("{said}; check the key")),
        404 => ModelFault::Misconfigured(format!("{said}; check base_url and model")),
        429 => ModelFault::Throttled { retry_after },
        408 | 425 => ModelFault::Unavailable(said),
        300..=399 => ModelFault::Misconfigured(format!(
            "{said}; it redirects, so set base_url to where it leads"
        )),
        400..=499 => ModelFault::Misconfigured(said),
        _ => ModelFault::Unavailable(said),
    }
}

/// The names by which the other side classifies its error: its code, type and parameter. Only
/// what looks like a name is one.
fn error_names(body: &[u8]) -> Vec<String> {
    let error = serde_json::from_slice::<ErrorResponse>(body)
        .unwrap_or_default()
        .error;
    let mut names = Vec::new();
    for value in [error.code, error.kind, error.param] {
        let Some(name) = value.as_str() else { continue };
        let plain = name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'.'));
        if plain && !name.is_empty() && name.len() <= 48 && !names.iter().any(|n| n == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// `Retry-After` in seconds (RFC 9110, section 10.2.3). Its other form, a date, counts as none
/// given, since nothing here knows the time.
fn retry_after(headers: &HeaderMap) -> Option<u32> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = text.parse::<u64>().ok()?;
    Some(u32::try_from(seconds).map_or(LONGEST_RETRY_AFTER, |s| s.min(LONGEST_RETRY_AFTER)))
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

/// An error with all its causes, since reqwest's own sentence says only that it failed.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

//! Reading bodies: of the right type, bounded, and as JSON that names its faults.

use crate::{digest::request_hash, fault::Fault};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
};
use futures::StreamExt;
use http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The most bytes of a JSON body. The largest valid registration, with its transcript, stays below.
pub(crate) const MOST_JSON: usize = 1 << 20;

/// How much of a body that is too large is read and thrown away, so that a client that only listens
/// once it has spoken hears why it is refused. Beyond that the connection is closed on it.
const MOST_DISCARDED: usize = 64 << 20;

/// A JSON body.
pub(crate) struct Json<T> {
    pub(crate) value: T,
    /// The same for the same request, however it is spaced and ordered.
    pub(crate) hash: String,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Fault> {
        let (parts, body) = request.into_parts();
        if !media_type(&parts.headers).is_some_and(|kind| is_json(&kind)) {
            return Err(Fault::wrong_type("application/json"));
        }
        let bytes = read(&parts.headers, body, MOST_JSON).await?;
        parse(&bytes)
    }
}

/// A JSON body that may be left away where every field may.
pub(crate) struct OptionalJson<T>(pub(crate) Json<T>);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for OptionalJson<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Fault> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts.headers, body, MOST_JSON).await?;
        if bytes.is_empty() {
            return parse(b"{}").map(Self);
        }
        if !media_type(&parts.headers).is_some_and(|kind| is_json(&kind)) {
            return Err(Fault::wrong_type("application/json"));
        }
        parse(&bytes).map(Self)
    }
}

/// The content type without its parameters, in lower case.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default().trim();
    Some(kind.to_ascii_lowercase())
}

fn is_json(kind: &str) -> bool {
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Fault> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse::<usize>().ok());
    // A client that waits for our leave (RFC 9110, section 10.1.1) is refused before it speaks.
    if headers.contains_key(header::EXPECT) && announced.is_some_and(|length| length > limit) {
        return Err(Fault::too_large(limit));
    }
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    let mut length = 0_usize;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| {
            Fault::bad_request("The connection broke off before the body was complete.")
        })?;
        length = length.saturating_add(chunk.len());
        if length <= limit {
            bytes.extend_from_slice(&chunk);
        } else {
            bytes = Vec::new();
        }
        if length > MOST_DISCARDED.max(limit) {
            break;
        }
    }
    if length > limit {
        return Err(Fault::too_large(limit));
    }
    Ok(bytes.into())
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<Json<T>, Fault> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Fault::malformed(match error.classify() {
            serde_json::error::Category::Eof => {
                format!("The body ends too early, at line {line}, column {column}.")
            }
            _ => format!("The body stops being JSON at line {line}, column {column}."),
        })
    })?;
    let hash = request_hash(&value);
    let value = liaison_api::read(value)?;
    Ok(Json { value, hash })
}

//! Everything that can go wrong with a request, as the problem document that says so.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use liaison_api::{FieldFault, PROBLEM_JSON, Problem};
use liaison_core::sharing::Clash;
use liaison_ports::store::StoreError;
use std::error::Error;

/// A request that fails.
#[derive(Debug)]
pub(crate) struct Fault {
    problem: Box<Problem>,
    headers: HeaderMap,
}

impl Fault {
    fn new(status: StatusCode, name: &str, title: &str, detail: impl Into<String>) -> Self {
        Self {
            problem: Box::new(Problem {
                kind: format!("{}{name}", Problem::PREFIX),
                title: title.to_owned(),
                status: status.as_u16(),
                detail: detail.into(),
                errors: Vec::new(),
            }),
            headers: HeaderMap::new(),
        }
    }

    fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The body is not JSON.
    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "malformed-json",
            "The body is not JSON",
            detail,
        )
    }

    /// The request is wrong outside its body.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "bad-request",
            "The request is not well formed",
            detail,
        )
    }

    /// Fields are wrong.
    pub(crate) fn fields(errors: Vec<FieldFault>) -> Self {
        let detail = match errors.len() {
            1 => "One field is wrong; nothing was done.".to_owned(),
            count => format!("{count} fields are wrong; nothing was done."),
        };
        let mut fault = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid-fields",
            "The request cannot be accepted",
            detail,
        );
        fault.problem.errors = errors;
        fault
    }

    /// A slot cannot be shared with the need that has it.
    pub(crate) fn clash(clash: &Clash) -> Self {
        let what = match clash.other_kind {
            true => "is of another kind",
            false => "has other constraints",
        };
        let mut fault = Self::new(
            StatusCode::CONFLICT,
            "slot-conflict",
            "The slot is asked about in another way",
            format!(
                "The open need {} asks about {} already, and there it {what}. Needs with the same \
                 subject share equally named slots. Nothing was done.",
                clash.with, clash.slot.name
            ),
        );
        fault.problem.errors = vec![FieldFault::new(
            format!("slots[{}].kind", clash.place),
            format!(
                "the open need {} has this slot, and there it {what}; use the same kind and \
                 constraints, another name or another subject, or wait until that need has ended",
                clash.with
            ),
        )];
        fault
    }

    /// An idempotency key was used for something else.
    pub(crate) fn key_reused() -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency-key-reused",
            "The Idempotency-Key was used for another request",
            "The same Idempotency-Key came with another body before. Repeat that body, or use a \
             new key for a new need.",
        )
    }

    /// A conversation that is to be put back to work has not been set aside.
    pub(crate) fn not_quarantined() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "not-quarantined",
            "The conversation is not set aside",
            "No error has taken this conversation out of the work; there is nothing to lift.",
        )
    }

    /// An idempotency key was used for another command.
    pub(crate) fn command_key_reused() -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency-key-reused",
            "The Idempotency-Key was used for another command",
            "The same Idempotency-Key came with another command or body for this conversation \
             before. Repeat that one, or use a new key for a new command.",
        )
    }

    /// A command was made for another state of the conversation.
    pub(crate) fn stale() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "stale",
            "The conversation has changed",
            "The conversation has changed since this command was offered; nothing was done. Look \
             at it again.",
        )
    }

    /// A command came after it had expired.
    pub(crate) fn expired() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "expired",
            "The command has expired",
            "This command was only good for a while; nothing was done. Look at the conversation \
             again.",
        )
    }

    /// The need has its outcome.
    pub(crate) fn need_ended() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "need-ended",
            "The need has ended",
            "The need has its outcome, and is not changed any more; nothing was done. Read the \
             outcome, or register a new need.",
        )
    }

    /// No key, or none that counts.
    pub(crate) fn unauthorized(with_key: bool) -> Self {
        // RFC 6750, section 3: an error code only where credentials were presented.
        let (challenge, detail) = if with_key {
            (
                "Bearer error=\"invalid_token\"",
                "The API key is not known, or was revoked. Make one with `liaison key create`.",
            )
        } else {
            (
                "Bearer",
                "Send an API key as `Authorization: Bearer lia_...`. Make one with `liaison key \
                 create`.",
            )
        };
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "An API key is needed",
            detail,
        )
        .with(header::WWW_AUTHENTICATE, challenge)
    }

    /// The key may not do this.
    pub(crate) fn forbidden(needed: &'static str) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "The API key may not do this",
            format!("This needs a key of scope {needed}."),
        )
        .with(
            header::WWW_AUTHENTICATE,
            "Bearer error=\"insufficient_scope\"",
        )
    }

    /// There is no such thing, or it is another tenant's.
    pub(crate) fn not_found(what: &'static str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not-found",
            "Not found",
            format!("There is no {what} with this id."),
        )
    }

    /// There is no such path.
    pub(crate) fn no_such_path() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no-such-path",
            "Not found",
            "The API has no such path.",
        )
    }

    /// The path does not take this method.
    pub(crate) fn wrong_method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "wrong-method",
            "Wrong method",
            "The path exists, and does not take this method; see the Allow header.",
        )
    }

    /// The body is too large.
    pub(crate) fn too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body-too-large",
            "The body is too large",
            format!("The body may have at most {limit} bytes."),
        )
    }

    /// The body is of another type.
    pub(crate) fn wrong_type(expected: &'static str) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "wrong-content-type",
            "Wrong content type",
            format!("Send the body with `Content-Type: {expected}`."),
        )
    }

    /// Too much is going on.
    pub(crate) fn busy() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy",
            "Too many requests wait",
            "As many requests as the daemon allows already wait for outcomes. Try again, or ask \
             without `wait`.",
        )
        .with(header::RETRY_AFTER, "5")
    }

    /// The request took too long.
    pub(crate) fn too_slow() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too-slow",
            "The request took too long",
            "The request was given up. What it was to do may have been done or not.",
        )
        .with(header::RETRY_AFTER, "5")
    }

    /// The daemon does not serve now.
    pub(crate) fn not_ready(detail: &'static str) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not-ready",
            "Not ready",
            detail,
        )
        .with(header::RETRY_AFTER, "1")
    }

    /// Something in the daemon is broken. What, the log says.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "Internal error",
            "The daemon failed at this; its log says why. What was to be done may have been done \
             or not.",
        )
    }

    /// The database cannot be used.
    fn unavailable() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "store-unavailable",
            "The store cannot be used",
            "The daemon's database cannot be used at the moment. Nothing is lost; try again.",
        )
        .with(header::RETRY_AFTER, "2")
    }

    /// The disk is full.
    fn full() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "store-full",
            "The store is full",
            "The daemon's disk is full, and nothing new can be stored until somebody makes room.",
        )
        .with(header::RETRY_AFTER, "60")
    }
}

impl From<FieldFault> for Fault {
    fn from(fault: FieldFault) -> Self {
        Self::fields(vec![fault])
    }
}

/// The one place where a failing store is logged.
impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let cause = error.source().map(ToString::to_string);
        tracing::error!(%error, cause, "the store failed at a request");
        match error {
            StoreError::Unavailable { .. } => Self::unavailable(),
            StoreError::Full { .. } => Self::full(),
            StoreError::Fenced | StoreError::NewerInputs | StoreError::Corrupt { .. } => {
                Self::internal()
            }
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status)
            .expect("a fault is only ever made of a status");
        let mut response = (status, axum::Json(self.problem)).into_response();
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        response.headers_mut().extend(self.headers);
        response
    }
}

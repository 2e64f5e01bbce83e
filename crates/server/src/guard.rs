//! What surrounds every request: a time limit, a net for panics, a log line, and answers for paths
//! and methods that do not exist.

use crate::{fault::Fault, state::App};
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::{any::Any, sync::Arc};
use tower_http::catch_panic::CatchPanicLayer;

type OnPanic = fn(Box<dyn Any + Send + 'static>) -> Response;

/// A net for panics: the request fails, the daemon lives.
pub(crate) fn catching_panics() -> CatchPanicLayer<OnPanic> {
    CatchPanicLayer::custom(panicked as OnPanic)
}

// The panic hook has already written where and why.
fn panicked(_payload: Box<dyn Any + Send + 'static>) -> Response {
    tracing::error!("a request handler panicked");
    Fault::internal().into_response()
}

/// Gives up on a request that takes too long, and logs how each ended. The path is logged as the
/// route, without ids; never a query, a header or a body.
pub(crate) async fn in_time(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let response = tokio::time::timeout(app.outside.limits.request, next.run(request))
        .await
        .unwrap_or_else(|_| Fault::too_slow().into_response());
    let status = response.status().as_u16();
    if response.status().is_server_error() {
        tracing::warn!(%method, route, status, "a request failed");
    } else {
        tracing::debug!(%method, route, status, "a request was answered");
    }
    response
}

/// The answer for a path that does not exist.
pub(crate) async fn no_such_path() -> Fault {
    Fault::no_such_path()
}

/// The answer for a method that the path does not take.
pub(crate) async fn wrong_method() -> Fault {
    Fault::wrong_method()
}

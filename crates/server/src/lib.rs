//! The HTTP API: callers' needs, operators' conversations, and mail that is handed in.
//!
//! The server decides nothing. It checks what comes in, stores it as an input, and shows what the
//! store holds. What it needs of the rest of the daemon it takes as trait objects in [`AppState`].
//!
//! Every answer with a status of 400 or more is a problem document ([`liaison_api::Problem`]).

mod amending;
mod auth;
mod body;
mod command;
mod commands;
mod consent;
mod conversations;
mod digest;
mod fault;
mod guard;
mod guidance;
mod health;
mod holds;
mod inbound;
mod mail;
mod needs;
mod params;
mod person;
mod registration;
mod state;
mod view;
mod waiting;

pub use auth::{KEY_PREFIX, hash_key, mint_key};
pub use state::{AppState, Changes, Limits, Policies, Readiness, Stage};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};
use state::App;
use std::sync::Arc;

/// The whole API, ready to be served.
pub fn router(state: AppState) -> Router {
    let app = Arc::new(App::new(state));
    Router::new()
        .route("/v1/needs", post(needs::register).get(needs::list))
        .route(
            "/v1/needs/{id}",
            get(needs::show)
                .patch(amending::amend)
                .delete(needs::cancel),
        )
        .route("/v1/needs/{id}/events", get(needs::events))
        .route("/v1/needs/{id}/still-waiting", post(needs::still_waiting))
        .route("/v1/conversations", get(conversations::list))
        .route("/v1/conversations/{id}", get(conversations::show))
        .route(
            "/v1/conversations/{id}/explain",
            get(conversations::explain),
        )
        .route("/v1/conversations/{id}/plan", get(conversations::plan))
        .route(
            "/v1/conversations/{id}/transcript",
            get(conversations::transcript),
        )
        .route(
            "/v1/conversations/{id}/journal",
            get(conversations::journal),
        )
        .route("/v1/conversations/{id}/answer", post(commands::answer))
        .route("/v1/conversations/{id}/resume", post(commands::resume))
        .route("/v1/conversations/{id}/hold", post(holds::hold))
        .route("/v1/conversations/{id}/release", post(holds::release))
        .route("/v1/conversations/{id}/guide", post(guidance::guide))
        .route("/v1/conversations/{id}/unguide", post(guidance::unguide))
        .route("/v1/conversations/{id}/revive", post(guidance::revive))
        .route("/v1/conversations/{id}/opt-out", post(consent::opt_out))
        .route("/v1/conversations/{id}/opt-in", post(consent::opt_in))
        .route("/v1/conversations/{id}/takeover", post(commands::take_over))
        .route("/v1/conversations/{id}/handback", post(commands::hand_back))
        .route("/v1/needs/{id}/delegate", post(person::decide_delegate))
        .route(
            "/v1/conversations/{id}/accept-delegate",
            post(person::accept_delegate),
        )
        .route(
            "/v1/conversations/{id}/reject-delegate",
            post(person::reject_delegate),
        )
        .route("/v1/conversations/{id}/catch-up", post(person::catch_up))
        .route("/v1/conversations/{id}/fill", post(commands::fill))
        .route(
            "/v1/conversations/{id}/resolve-send",
            post(commands::resolve_send),
        )
        .route(
            "/v1/conversations/{id}/lift-quarantine",
            post(conversations::lift_quarantine),
        )
        .route("/v1/inbound/email", post(inbound::email))
        .route("/v1/unmatched", get(mail::unmatched))
        .route("/v1/unmatched/{id}/assign", post(mail::assign))
        .route("/v1/outbox", get(mail::outbox))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(guard::no_such_path)
        .method_not_allowed_fallback(guard::wrong_method)
        // Bodies are read, and bounded, by `body` alone.
        .layer(DefaultBodyLimit::disable())
        .layer(guard::catching_panics())
        .layer(middleware::from_fn_with_state(app.clone(), guard::in_time))
        .with_state(app)
}

//! The landlord's page.

use super::office::{View, is_for_landlord};
use anyhow::{Context, Result};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use liaison_channels::email::inbound;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;

/// An answer by hand is never longer.
const LONGEST_ANSWER: usize = 16 * 1024;

/// Everything on the page is text put in by script, so no other source of anything is allowed.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
     script-src 'unsafe-inline'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; \
     base-uri 'none'";

/// Serves the page until the visitor interrupts it.
#[expect(clippy::print_stdout, reason = "the visitor must learn the address")]
pub(super) async fn serve(office: Arc<View>, listen: SocketAddr) -> Result<()> {
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("--listen: {listen} cannot be listened on; name another port"))?;
    println!(
        "You are Lee, a landlord. Your mailbox: http://{}",
        listener.local_addr()?
    );
    println!("(Ctrl-C ends the demo and removes everything that it made.)");

    let router = Router::new()
        .route("/", get(show))
        .route("/state", get(state))
        .route("/answer", post(answer))
        .route("/operator", post(operator))
        .layer(DefaultBodyLimit::max(LONGEST_ANSWER))
        .with_state(office);
    tokio::select! {
        ended = axum::serve(listener, router) => ended.context("the demo's page cannot be served"),
        stopped = tokio::signal::ctrl_c() => stopped.context("waiting for Ctrl-C"),
    }
}

#[derive(Serialize)]
struct Mail {
    mine: bool,
    subject: String,
    text: String,
}

async fn see(office: &View) -> Result<Value> {
    let need = office.need().view().await?;
    let conversation = office.client().conversation(&need.conversation).await?;
    let explanation = office.client().explain(&need.conversation).await?;
    let mail: Vec<Mail> = office
        .mail()
        .iter()
        .filter_map(|message| {
            let read = inbound::parse(&message.raw).ok()?;
            let mine = !is_for_landlord(message);
            Some(Mail {
                mine,
                subject: read.subject,
                // What the agency writes is shown with its signature, as a mailbox shows it.
                text: if mine { read.visible.text } else { read.text },
            })
        })
        .collect();
    Ok(json!({
        "mail": mail,
        "need": need,
        "conversation": conversation,
        "explanation": explanation,
    }))
}

/// What went wrong, in words.
struct Trouble(anyhow::Error);

impl<E: Into<anyhow::Error>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        (StatusCode::BAD_GATEWAY, format!("{:#}", self.0)).into_response()
    }
}

async fn show() -> impl IntoResponse {
    (
        [
            (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        Html(include_str!("page.html")),
    )
}

async fn state(State(office): State<Arc<View>>) -> Result<Json<Value>, Trouble> {
    Ok(Json(see(&office).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    text: String,
}

// JSON bodies need a preflight from other origins, which nobody here answers.
async fn answer(
    State(office): State<Arc<View>>,
    Json(words): Json<Words>,
) -> Result<StatusCode, Trouble> {
    let question = office.wait_for_question().await;
    office.landlord().answer(&question, &words.text).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn operator(
    State(office): State<Arc<View>>,
    Json(words): Json<Words>,
) -> Result<StatusCode, Trouble> {
    let conversation = office.need().view().await?.conversation;
    let commands = office.client().commands(conversation).by("the operator");
    if words.text.trim().is_empty() {
        commands.resume().await?;
    } else {
        commands.answer(words.text, true).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

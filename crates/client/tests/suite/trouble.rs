//! Servers, and things between, that misbehave.

use crate::daemon::{client, serve};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use liaison_client::{Client, ClientError, NeedId, OutcomeKind, Stakeholder, Wait};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};
use tokio::runtime::Runtime;

/// A server that answers with what it was given, one after the other, and keeps what it was asked.
struct Script {
    answers: Mutex<VecDeque<Response>>,
    asked: Mutex<Vec<(String, HeaderMap, String)>>,
}

struct Scripted {
    script: Arc<Script>,
    client: Client,
    runtime: Option<Runtime>,
}

impl Scripted {
    async fn new(answers: impl IntoIterator<Item = Response>) -> Self {
        let script = Arc::new(Script {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::new(Vec::new()),
        });
        let router = Router::new().fallback(answer).with_state(script.clone());
        let (runtime, address) = serve(router, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await;
        Self {
            script,
            client: client(address, "lia_key"),
            runtime: Some(runtime),
        }
    }

    fn asked(&self) -> Vec<(String, HeaderMap, String)> {
        self.script.asked.lock().expect("unpoisoned").clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn answer(State(script): State<Arc<Script>>, request: axum::extract::Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    script.asked.lock().expect("unpoisoned").push((
        format!("{} {}", parts.method, parts.uri),
        parts.headers,
        String::from_utf8(body.to_vec()).expect("UTF-8"),
    ));
    let next = script.answers.lock().expect("unpoisoned").pop_front();
    next.unwrap_or_else(|| StatusCode::NOT_IMPLEMENTED.into_response())
}

fn with(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, axum::Json(body.clone())).into_response()
}

fn open() -> Value {
    json!({
        "id": "n", "conversation": "c", "status": "open", "goal": "g",
        "registered_at": "2026-07-06T09:00:00Z", "deadline": "2026-07-21T09:00:00Z"
    })
}

fn ended() -> Value {
    let mut view = open();
    view["status"] = json!("fulfilled");
    view["outcome"] = json!({
        "outcome": "fulfilled", "at": "2026-07-07T09:00:00Z",
        "slots": {
            "rent": {
                "kind": "number", "value": "1200.50", "as_of": "2026-07-07T08:00:00Z",
                "evidence": {"source": "message", "message": "m", "quote": "1200.50 a month"}
            },
            "on": {
                "kind": "date", "value": "2026-08-01", "as_of": "2026-07-07T08:00:00Z",
                "evidence": {"source": "transcript", "need": "n", "quote": "the first of August"}
            },
            "told": {
                "kind": "boolean", "value": false, "as_of": "2026-07-07T08:00:00Z",
                "evidence": {"source": "message", "message": "m", "quote": "not yet"}
            },
            "notes": {
                "kind": "text", "value": "Ring twice.", "as_of": "2026-07-07T08:00:00Z",
                "evidence": {"source": "message", "message": "m", "quote": "Ring twice."}
            },
            "plan": {
                "kind": "file", "as_of": "2026-07-07T08:00:00Z",
                "value": {
                    "blob": "b", "name": "plan.pdf", "media_type": "application/pdf", "size": 9
                },
                "evidence": {"source": "message", "message": "m", "quote": "plan.pdf"}
            }
        }
    });
    view
}

#[tokio::test]
async fn an_outcome_is_awaited_through_every_passing_trouble() {
    let slow_down = (
        StatusCode::TOO_MANY_REQUESTS,
        [(header::RETRY_AFTER, "86400")],
    );
    let server = Scripted::new([
        with(200, &open()),
        with(500, &json!({"not": "a problem"})),
        (StatusCode::BAD_GATEWAY, "<html>proxy</html>").into_response(),
        slow_down.into_response(),
        with(503, &json!(null)),
        with(200, &open()),
        with(408, &json!(null)),
        with(200, &ended()),
    ])
    .await;
    let outcome = server
        .client
        .attach(NeedId::new("n"))
        .outcome()
        .await
        .expect("an outcome");
    assert_eq!(outcome.kind(), OutcomeKind::Fulfilled);
    assert_eq!(
        outcome.number("rent").map(|n| n.to_string()),
        Some("1200.50".to_owned())
    );
    assert_eq!(
        outcome.date("on").map(|d| d.to_string()),
        Some("2026-08-01".to_owned())
    );
    assert_eq!(outcome.boolean("told"), Some(false));
    assert_eq!(outcome.text("notes"), Some("Ring twice."));
    assert_eq!(
        outcome.file("plan").map(|file| file.name.as_str()),
        Some("plan.pdf")
    );
    assert_eq!(outcome.quote("rent"), Some("1200.50 a month"));
    assert_eq!(outcome.quote("on"), Some("the first of August"));
    let asked = server.asked();
    assert_eq!(asked.len(), 8);
    for (what, headers, _) in asked {
        assert_eq!(what, "GET /v1/needs/n?wait=50s");
        assert_eq!(headers[header::AUTHORIZATION], "Bearer lia_key");
    }
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_is_an_error_and_not_waited_for() {
    for answer in [
        (StatusCode::OK, "<html>welcome to the hotel</html>").into_response(),
        with(200, &json!({"id": "n"})),
    ] {
        let server = Scripted::new([answer]).await;
        let error = server.client.attach(NeedId::new("n")).outcome().await;
        assert!(
            matches!(error, Err(ClientError::Malformed { .. })),
            "{error:?}"
        );
    }
    let elsewhere = (
        StatusCode::FOUND,
        [(header::LOCATION, "https://elsewhere.example")],
    );
    let server = Scripted::new([elsewhere.into_response()]).await;
    let error = server
        .client
        .needs(None, 1)
        .await
        .expect_err("the key goes nowhere else");
    assert_eq!(error.problem().map(|p| p.status), Some(302));
}

#[tokio::test]
async fn a_registration_is_repeated_with_the_same_key_and_body() {
    let server = Scripted::new([
        with(503, &json!(null)),
        with(500, &json!(null)),
        with(201, &open()),
    ])
    .await;
    let register = || {
        server
            .client
            .need("g")
            .stakeholder(Stakeholder::email("a@example.com"))
            .boolean("told", "Does the tenant know?")
            .deadline_in(Wait::days(15))
    };
    let need = register().register().await.expect("registers");
    assert_eq!(need.id().as_str(), "n");
    let asked = server.asked();
    assert_eq!(asked.len(), 3);
    let key = |place: usize| asked[place].1["idempotency-key"].clone();
    assert!(asked.iter().all(|(what, _, _)| what == "POST /v1/needs"));
    assert!(asked.iter().all(|(_, _, body)| *body == asked[0].2));
    assert_eq!(key(0), key(2));
    assert!(
        key(0)
            .to_str()
            .is_ok_and(|key| key.starts_with("content-") && key.len() == 72)
    );

    server
        .script
        .answers
        .lock()
        .expect("unpoisoned")
        .push_back(with(201, &open()));
    register()
        .fact("Other content.")
        .register()
        .await
        .expect("registers");
    let asked = server.asked();
    assert_ne!(asked[3].1["idempotency-key"], asked[0].1["idempotency-key"]);
}

#[tokio::test]
async fn tries_are_bounded_where_nothing_is_awaited() {
    let server = Scripted::new((0..9).map(|_| with(503, &json!(null)))).await;
    let error = server
        .client
        .clone()
        .tries(3)
        .needs(None, 1)
        .await
        .expect_err("trouble");
    assert!(matches!(error, ClientError::Trouble { .. }), "{error:?}");
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_command_is_repeated_only_when_it_is_marked() {
    for (key, tries) in [(None, 1), (Some("k"), 2)] {
        let server = Scripted::new([
            with(503, &json!(null)),
            with(202, &json!({"repeated": false})),
        ])
        .await;
        let mut commands = server
            .client
            .commands(liaison_client::ConversationId::new("c"));
        if let Some(key) = key {
            commands = commands.idempotency_key(key);
        }
        let answered = commands.answer("Yes.", false).await;
        assert_eq!(answered.is_ok(), key.is_some());
        assert_eq!(server.asked().len(), tries);
    }
}

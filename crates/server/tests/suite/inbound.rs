//! Mail that is handed in.

use crate::harness::{Answer, Server, request};
use http::{Method, StatusCode, header};
use serde_json::json;

async fn hand_in(server: &Server, kind: Option<&str>, raw: impl Into<axum::body::Body>) -> Answer {
    let mut request = request(Method::POST, "/v1/inbound/email", &server.inbound, None);
    if let Some(kind) = kind {
        request
            .headers_mut()
            .insert(header::CONTENT_TYPE, kind.parse().expect("a header"));
    }
    *request.body_mut() = raw.into();
    server.send(request).await
}

#[tokio::test]
async fn a_message_is_taken_and_the_answer_says_where_it_went() {
    let server = Server::new().await;
    for (raw, taken) in [
        ("FOR US", "matched"),
        ("FOR US", "duplicate"),
        ("for nobody", "unmatched"),
        ("for nobody", "duplicate"),
    ] {
        let answer = hand_in(&server, Some("message/rfc822"), raw).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        assert_eq!(answer.json(), json!({"taken": taken}), "{raw}");
    }
    assert_eq!(server.changes.inputs(), 1, "only the matched one is work");
    let messages = server.intake.taken.lock().expect("unpoisoned");
    assert_eq!(
        messages[0].tenant.as_str(),
        "acme",
        "the key says whose mailbox it is"
    );
    assert_eq!(messages[0].raw, b"FOR US");
}

#[tokio::test]
async fn what_cannot_be_decoded_is_filed_and_the_daemon_lives() {
    let server = Server::new().await;
    for raw in ["GARBAGE \u{0}", "PANIC"] {
        let answer = hand_in(&server, None, raw).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        assert_eq!(answer.json(), json!({"taken": "unmatched"}));
    }
    {
        let filed = server.intake.undecodable.lock().expect("unpoisoned");
        assert_eq!(
            *filed,
            [
                ("no header".to_owned(), 9),
                ("the decoder failed at it".to_owned(), 5)
            ]
        );
    }
    let answer = hand_in(&server, None, "FOR US").await;
    assert_eq!(answer.json(), json!({"taken": "matched"}));
}

#[tokio::test]
async fn what_could_not_be_stored_is_not_acknowledged() {
    let server = Server::new().await;
    *server.intake.broken.lock().expect("unpoisoned") = true;
    for raw in ["FOR US", "GARBAGE"] {
        let answer = hand_in(&server, None, raw).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.problem().name(), "store-unavailable");
        assert!(answer.header(header::RETRY_AFTER).is_some());
    }
}

#[tokio::test]
async fn a_large_message_is_taken_and_a_larger_one_refused() {
    let server = Server::new().await;
    let answer = hand_in(&server, None, vec![b'x'; 25_000_000]).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    let answer = hand_in(&server, None, vec![b'x'; 25_000_001]).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    answer.problem();
}

#[tokio::test]
async fn no_message_and_another_type_are_refused() {
    let server = Server::new().await;
    let answer = hand_in(&server, Some("message/rfc822"), "").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let answer = hand_in(&server, Some("application/json"), "{}").await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(answer.problem().detail.contains("message/rfc822"));
}

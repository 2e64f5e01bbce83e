//! Reading needs and taking them back.

use crate::harness::{Server, inspection, text};
use http::{Method, StatusCode};
use jiff::SignedDuration;
use serde_json::json;

#[tokio::test]
async fn needs_are_listed_newest_first_a_page_at_a_time() {
    let server = Server::new().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        server.clock.advance(SignedDuration::from_secs(1));
        ids.push(server.registered().await.0);
    }
    let page = server.get("/v1/needs?limit=2", &server.caller).await.json();
    let listed: Vec<_> = page["needs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|n| text(&n["id"]))
        .collect();
    assert_eq!(listed, [ids[2].clone(), ids[1].clone()]);
    let path = format!("/v1/needs?before={}", ids[1]);
    let rest = server.get(&path, &server.caller).await.json();
    assert_eq!(rest["needs"].as_array().map(Vec::len), Some(1));
    assert_eq!(rest["needs"][0]["id"], json!(ids[0]));
}

#[tokio::test]
async fn a_cancelled_need_ends_cancelled_however_often_that_is_asked() {
    let server = Server::new().await;
    let (need, _) = server.registered().await;
    server.work().await;
    let path = format!("/v1/needs/{need}");
    let told = server.changes.inputs();
    for _ in 0..2 {
        let answer = server
            .call(Method::DELETE, &path, &server.caller, None)
            .await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        assert_eq!(answer.json()["id"], json!(need));
    }
    assert_eq!(server.changes.inputs(), told + 1, "only the first is news");
    server.work().await;
    let view = server.get(&path, &server.caller).await.json();
    assert_eq!(view["status"], "cancelled");
    assert_eq!(view["outcome"]["outcome"], "cancelled");
    let answer = server
        .call(Method::DELETE, &path, &server.caller, None)
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json(), view);
}

#[tokio::test]
async fn an_expired_need_shows_its_outcome() {
    let server = Server::new().await;
    let mut body = inspection();
    body["deadline"] = json!("10s");
    let view = server.post("/v1/needs", &server.caller, &body).await.json();
    server.work().await;
    server.clock.advance(SignedDuration::from_secs(11));
    server.work().await;
    let path = format!("/v1/needs/{}", text(&view["id"]));
    let view = server.get(&path, &server.caller).await.json();
    assert_eq!(view["status"], "expired");
    assert_eq!(view["outcome"]["slots"], json!({}));
    let events = server
        .get(&format!("{path}/events?after=0"), &server.caller)
        .await;
    assert_eq!(events.json(), json!({"events": []}));
}

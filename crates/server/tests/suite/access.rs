//! Who may do what.

use crate::harness::{Server, inspection};
use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use liaison_ports::store::{Scope, Store};
use serde_json::json;

/// Every endpoint that needs a key, with a body that is right for it.
fn endpoints(need: &str, conversation: &str) -> Vec<(Method, String, serde_json::Value)> {
    let of = |rest: &str| format!("/v1/conversations/{conversation}{rest}");
    vec![
        (Method::POST, "/v1/needs".to_owned(), inspection()),
        (Method::GET, "/v1/needs".to_owned(), json!(null)),
        (Method::GET, format!("/v1/needs/{need}"), json!(null)),
        (Method::GET, format!("/v1/needs/{need}/events"), json!(null)),
        (Method::DELETE, format!("/v1/needs/{need}"), json!(null)),
        (Method::GET, "/v1/conversations".to_owned(), json!(null)),
        (Method::GET, of(""), json!(null)),
        (Method::GET, of("/explain"), json!(null)),
        (Method::GET, of("/transcript"), json!(null)),
        (Method::GET, of("/journal"), json!(null)),
        (Method::POST, of("/answer"), json!({"text": "Yes."})),
        (Method::POST, of("/resume"), json!({})),
        (Method::POST, of("/hold"), json!({"note": "wait"})),
        (Method::POST, of("/takeover"), json!({})),
        (Method::POST, of("/handback"), json!({})),
        (
            Method::POST,
            of("/fill"),
            json!({"slot": "arranged_by", "value": "agency", "note": "phoned"}),
        ),
        (
            Method::POST,
            of("/resolve-send"),
            json!({"message": "m", "sent": true}),
        ),
        (Method::GET, "/v1/unmatched".to_owned(), json!(null)),
        (Method::GET, "/v1/outbox".to_owned(), json!(null)),
    ]
}

fn body(value: &serde_json::Value) -> Option<&serde_json::Value> {
    (!value.is_null()).then_some(value)
}

#[tokio::test]
async fn without_a_valid_key_there_is_nothing() {
    let server = Server::new().await;
    let (need, conversation) = server.registered().await;
    let revoked = server.key(9, "acme", Scope::Operator).await;
    let acme = liaison_core::id::TenantId::new("acme");
    let keys = server.store.keys(&acme).await.expect("keys");
    let id = &keys.last().expect("a key").id;
    assert_eq!(
        server.get("/v1/needs", &revoked).await.status,
        StatusCode::OK
    );
    assert!(
        server
            .store
            .revoke_key(
                &acme,
                id,
                "2026-07-06T09:00:00Z".parse().expect("an instant")
            )
            .await
            .expect("revokes")
    );

    let mut endpoints = endpoints(&need, &conversation);
    endpoints.push((Method::POST, "/v1/inbound/email".to_owned(), json!(null)));
    for (method, path, value) in endpoints {
        for key in [
            "lia_00000000000000000000000000",
            "lia_short",
            "",
            "nonsense of another kind",
            &revoked,
        ] {
            let answer = server.call(method.clone(), &path, key, body(&value)).await;
            assert_eq!(
                answer.status,
                StatusCode::UNAUTHORIZED,
                "{method} {path} {key}"
            );
            assert_eq!(answer.problem().name(), "unauthorized");
            assert_eq!(
                answer.header(header::WWW_AUTHENTICATE),
                Some("Bearer error=\"invalid_token\"")
            );
        }
        let bare = Request::builder()
            .method(method.clone())
            .uri(&path)
            .body(Body::empty())
            .expect("a request");
        let answer = server.send(bare).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert_eq!(answer.header(header::WWW_AUTHENTICATE), Some("Bearer"));
    }
}

#[tokio::test]
async fn a_key_does_only_what_its_scope_allows() {
    let server = Server::new().await;
    let (need, conversation) = server.registered().await;
    for (method, path, value) in endpoints(&need, &conversation) {
        let is_callers = path.starts_with("/v1/needs");
        for (key, allowed) in [
            (&server.caller, is_callers),
            (&server.operator, true),
            (&server.inbound, false),
        ] {
            let answer = server.call(method.clone(), &path, key, body(&value)).await;
            let forbidden = answer.status == StatusCode::FORBIDDEN;
            assert_eq!(forbidden, !allowed, "{method} {path}: {}", answer.text);
            if forbidden {
                assert_eq!(answer.problem().name(), "forbidden");
            }
        }
    }
    for (key, status) in [
        (&server.caller, StatusCode::FORBIDDEN),
        (&server.inbound, StatusCode::ACCEPTED),
        (&server.operator, StatusCode::ACCEPTED),
    ] {
        let mut request = crate::harness::request(Method::POST, "/v1/inbound/email", key, None);
        *request.body_mut() = "FOR US".into();
        assert_eq!(server.send(request).await.status, status);
    }
}

#[tokio::test]
async fn what_is_another_tenants_does_not_exist() {
    let server = Server::new().await;
    let (need, conversation) = server.registered().await;
    server.work().await;
    let mut asked = 0;
    for (method, path, value) in endpoints(&need, &conversation) {
        let answer = server
            .call(method.clone(), &path, &server.foreign, body(&value))
            .await;
        if path.contains(&need) || path.contains(&conversation) {
            assert_eq!(
                answer.status,
                StatusCode::NOT_FOUND,
                "{method} {path}: {}",
                answer.text
            );
            // The same words as for an id that nobody has.
            let nowhere = path
                .replace(&need, "nowhere")
                .replace(&conversation, "nowhere");
            let unknown = server
                .call(method, &nowhere, &server.foreign, body(&value))
                .await;
            assert_eq!(unknown.text, answer.text);
            asked += 1;
        } else if method == Method::GET {
            let listed = answer.json();
            let items = listed.as_object().and_then(|o| o.values().next()).cloned();
            let foreign = items.as_ref().and_then(serde_json::Value::as_array);
            for item in foreign.expect("a list") {
                assert_ne!(item["id"], json!(need));
                assert_ne!(item["id"], json!(conversation));
            }
        }
    }
    assert_eq!(asked, 14, "every endpoint with an id was asked");
    // And nothing was done to it.
    let view = server
        .get(&format!("/v1/needs/{need}"), &server.caller)
        .await
        .json();
    assert_eq!(view["status"], "open");
    let path = format!("/v1/conversations/{conversation}");
    let view = server.get(&path, &server.operator).await.json();
    assert_eq!(view["unfolded"], 0);
}

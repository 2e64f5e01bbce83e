//! No error repeats a key or an address.

use crate::harness::{ADDRESS, Server, inspection, request};
use axum::body::Body;
use http::{Method, header};
use serde_json::{Value, json};

#[tokio::test]
async fn no_error_repeats_a_key_or_an_address() {
    let server = Server::new().await;
    let (need, conversation) = server.registered().await;
    let canary = "lia_canarycanarycanarycanarycanary";
    let mut bodies: Vec<Value> = vec![json!(ADDRESS), json!([ADDRESS])];
    // The address in place of every value of a good request, one at a time.
    fn replaced(value: &Value, found: &mut dyn FnMut(Value)) {
        match value {
            Value::Object(fields) => {
                for (name, inner) in fields {
                    replaced(inner, &mut |new| {
                        let mut copy = value.clone();
                        copy[name] = new;
                        found(copy);
                    });
                }
            }
            Value::Array(items) => {
                for (place, inner) in items.iter().enumerate() {
                    replaced(inner, &mut |new| {
                        let mut copy = value.clone();
                        copy[place] = new;
                        found(copy);
                    });
                }
            }
            _ => {}
        }
        found(json!(ADDRESS));
        found(json!({"address": ADDRESS}));
    }
    replaced(&inspection(), &mut |body| bodies.push(body));
    assert!(bodies.len() > 20, "{}", bodies.len());

    let mut errors = 0;
    for body in &bodies {
        for path in [
            "/v1/needs".to_owned(),
            format!("/v1/conversations/{conversation}/answer"),
            format!("/v1/conversations/{conversation}/fill"),
            format!("/v1/conversations/{conversation}/resolve-send"),
        ] {
            for key in [canary, &server.operator] {
                let answer = server.post(&path, key, body).await;
                if answer.status.is_success() {
                    continue;
                }
                errors += 1;
                answer.problem();
                assert!(
                    !answer.text.contains("canary"),
                    "{path} {body}: {}",
                    answer.text
                );
                assert!(!answer.text.contains(&server.operator), "{}", answer.text);
            }
        }
    }
    assert!(errors > 100, "{errors}");

    for path in [
        format!("/v1/needs/{ADDRESS}"),
        format!("/v1/needs?limit={ADDRESS}"),
        format!("/v1/needs/{need}?wait={ADDRESS}"),
        format!("/v1/conversations?held={ADDRESS}"),
        format!("/{canary}"),
    ] {
        let answer = server.get(&path, &server.operator).await;
        assert!(answer.status.is_client_error(), "{path}");
        answer.problem();
        assert!(!answer.text.contains("canary"), "{path}: {}", answer.text);
    }
    let mut basic = request(Method::GET, "/v1/needs", canary, None);
    basic.headers_mut().insert(
        header::AUTHORIZATION,
        format!("Basic {canary}").parse().expect("a header"),
    );
    *basic.body_mut() = Body::empty();
    assert!(!server.send(basic).await.text.contains("canary"));
}

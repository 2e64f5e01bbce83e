//! What a request must look like before anybody looks at what it says.

use crate::{
    failing::Failure,
    harness::{Server, inspection, request},
};
use axum::body::{Body, Bytes};
use http::{Method, StatusCode, header};
use serde_json::json;

#[tokio::test]
async fn malformed_json_is_refused_with_its_place() {
    let server = Server::new().await;
    let cases = [
        ("", "ends too early, at line 1, column 0"),
        ("{\"goal\": ", "ends too early, at line 1, column 9"),
        ("{\n  goal: 1}", "stops being JSON at line 2, column 3"),
        ("{} {}", "stops being JSON at line 1, column 4"),
        ("\u{feff}{}", "stops being JSON at line 1, column 1"),
    ];
    for (body, place) in cases {
        let mut wrong = request(Method::POST, "/v1/needs", &server.caller, Some(&json!({})));
        *wrong.body_mut() = body.to_owned().into();
        let answer = server.send(wrong).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body:?}");
        let problem = answer.problem();
        assert_eq!(problem.name(), "malformed-json");
        assert!(
            problem.detail.contains(place),
            "{body:?}: {}",
            problem.detail
        );
    }
    // Nested deeper than any reader should follow, and bytes that are no text.
    for body in ["[".repeat(100_000).into_bytes(), vec![b'"', 0xff, b'"']] {
        let mut wrong = request(Method::POST, "/v1/needs", &server.caller, Some(&json!({})));
        *wrong.body_mut() = body.into();
        assert_eq!(server.send(wrong).await.status, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn json_that_is_no_object_is_refused() {
    let server = Server::new().await;
    for body in [json!([]), json!("x"), json!(null)] {
        let answer = server.post("/v1/needs", &server.caller, &body).await;
        assert_eq!(answer.fields(), [""], "{body}");
    }
}

#[tokio::test]
async fn another_content_type_is_refused() {
    let server = Server::new().await;
    for kind in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
    ] {
        let mut wrong = request(
            Method::POST,
            "/v1/needs",
            &server.caller,
            Some(&inspection()),
        );
        wrong.headers_mut().remove(header::CONTENT_TYPE);
        if let Some(kind) = kind {
            wrong
                .headers_mut()
                .insert(header::CONTENT_TYPE, kind.parse().expect("a header"));
        }
        let answer = server.send(wrong).await;
        assert_eq!(
            answer.status,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "{kind:?}"
        );
        assert!(answer.problem().detail.contains("application/json"));
    }
    let mut right = request(
        Method::POST,
        "/v1/needs",
        &server.caller,
        Some(&inspection()),
    );
    right.headers_mut().insert(
        header::CONTENT_TYPE,
        "Application/JSON; charset=utf-8".parse().expect("a header"),
    );
    assert_eq!(server.send(right).await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn fifty_megabytes_are_refused_and_the_server_lives() {
    let server = Server::new().await;
    for (path, limit) in [("/v1/needs", "1048576"), ("/v1/inbound/email", "25000000")] {
        let chunks = (0..50).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 1 << 20])));
        let mut large = request(Method::POST, path, &server.operator, Some(&json!({})));
        if path.ends_with("email") {
            large.headers_mut().remove(header::CONTENT_TYPE);
        }
        *large.body_mut() = Body::from_stream(futures::stream::iter(chunks));
        let answer = server.send(large).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert!(answer.problem().detail.contains(limit), "{}", answer.text);
    }
    server.registered().await;
}

#[tokio::test]
async fn a_client_that_waits_for_leave_is_refused_before_it_sends() {
    let server = Server::new().await;
    let mut large = request(Method::POST, "/v1/needs", &server.caller, Some(&json!({})));
    large
        .headers_mut()
        .insert(header::EXPECT, "100-continue".parse().expect("a header"));
    large.headers_mut().insert(
        header::CONTENT_LENGTH,
        "52428800".parse().expect("a header"),
    );
    *large.body_mut() =
        Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
    assert_eq!(
        server.send(large).await.status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let server = Server::new().await;
    let broken = [
        Ok(Bytes::from_static(b"{\"goal\":")),
        Err(std::io::Error::other("reset")),
    ];
    let mut request = request(Method::POST, "/v1/needs", &server.caller, Some(&json!({})));
    *request.body_mut() = Body::from_stream(futures::stream::iter(broken));
    let answer = server.send(request).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.problem().name(), "bad-request");
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_problems_too() {
    let server = Server::new().await;
    for path in ["/", "/v1", "/v1/need", "/v1/needs/x/y/z", "/v2/needs"] {
        let answer = server.get(path, &server.caller).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.problem().name(), "no-such-path");
    }
    let answer = server
        .call(Method::PUT, "/v1/needs", &server.caller, None)
        .await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.problem().name(), "wrong-method");
    let allow = answer.header(header::ALLOW).expect("an Allow header");
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
}

#[tokio::test]
async fn a_wrong_query_is_refused() {
    let server = Server::new().await;
    let (need, conversation) = server.registered().await;
    for path in [
        "/v1/needs?limit=0".to_owned(),
        "/v1/needs?limit=201".to_owned(),
        "/v1/needs?limit=many".to_owned(),
        "/v1/needs?limti=5".to_owned(),
        format!("/v1/needs/{need}?wait=60"),
        format!("/v1/needs/{need}?wait=1h"),
        format!("/v1/needs/{need}/events?after=x"),
        "/v1/conversations?held=maybe".to_owned(),
        "/v1/conversations?offset=-1".to_owned(),
        format!("/v1/conversations/{conversation}/journal?from=-1"),
    ] {
        let answer = server.get(&path, &server.operator).await;
        assert_eq!(
            answer.status,
            StatusCode::BAD_REQUEST,
            "{path}: {}",
            answer.text
        );
        assert_eq!(answer.problem().name(), "bad-request");
    }
}

#[tokio::test]
async fn nonsense_in_place_of_an_id_is_not_found() {
    let server = Server::new().await;
    for id in [
        "%00",
        "%ff",
        "a%2Fb",
        "..",
        "'; drop table needs",
        "é",
        &"x".repeat(65),
    ] {
        let path = format!(
            "/v1/needs/{}",
            id.replace(' ', "%20").replace('é', "%C3%A9")
        );
        let answer = server.get(&path, &server.caller).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{id}");
        answer.problem();
    }
}

#[tokio::test]
async fn a_failing_store_is_a_problem_that_tells_nothing_of_the_inside() {
    let server = Server::new().await;
    let (need, _) = server.registered().await;
    for (failure, status, name, retry) in [
        (
            Failure::Unavailable,
            StatusCode::SERVICE_UNAVAILABLE,
            "store-unavailable",
            true,
        ),
        (
            Failure::Full,
            StatusCode::SERVICE_UNAVAILABLE,
            "store-full",
            true,
        ),
        (
            Failure::Corrupt,
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            false,
        ),
        (
            Failure::Panic,
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            false,
        ),
    ] {
        server.store.fail(Some(failure));
        for answer in [
            server
                .post("/v1/needs", &server.caller, &inspection())
                .await,
            server
                .get(&format!("/v1/needs/{need}"), &server.caller)
                .await,
        ] {
            assert_eq!(answer.status, status, "{failure:?}: {}", answer.text);
            assert_eq!(answer.problem().name(), name);
            assert_eq!(answer.header(header::RETRY_AFTER).is_some(), retry);
            assert!(!answer.text.contains("secret"), "{}", answer.text);
        }
        server.store.fail(None);
    }
    let answer = server
        .get(&format!("/v1/needs/{need}"), &server.caller)
        .await;
    assert_eq!(answer.status, StatusCode::OK, "the server lives");
}

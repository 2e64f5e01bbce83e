//! What a registration must be like.

use crate::harness::{ADDRESS, Server, inspection};
use http::{Method, StatusCode};
use serde_json::{Value, json};

/// The good request with one place changed.
fn with(pointer: &str, value: Value) -> Value {
    let mut body = inspection();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match body.pointer_mut(parent).expect("the parent is there") {
        Value::Object(fields) => {
            fields.insert(name.to_owned(), value);
        }
        Value::Array(items) => items[name.parse::<usize>().expect("a place")] = value,
        other => panic!("{other} holds nothing"),
    }
    body
}

fn without(pointer: &str) -> Value {
    let mut body = inspection();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    body.pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .expect("an object")
        .shift_remove(name);
    body
}

fn slot() -> Value {
    inspection()["slots"][0].clone()
}

#[tokio::test]
async fn every_wrong_field_is_named_by_its_place() {
    let server = Server::new().await;
    let long = |length: usize| json!("x".repeat(length));
    let another_slot = json!({"name": "arranged_by", "kind": "boolean", "question": "Really?"});
    let cases: Vec<(&str, Value, &str)> = vec![
        ("no goal", without("/goal"), "goal"),
        ("an empty goal", with("/goal", json!("  ")), "goal"),
        ("a long goal", with("/goal", long(501)), "goal"),
        (
            "a goal of two lines",
            with("/goal", json!("a\r\nBcc: b")),
            "goal",
        ),
        ("a goal that is no text", with("/goal", json!(5)), "goal"),
        ("an empty subject", with("/subject", json!("")), "subject"),
        ("an unknown field", with("/gaol", json!("x")), "gaol"),
        ("no stakeholder", without("/stakeholder"), "stakeholder"),
        (
            "a stakeholder that is a text",
            with("/stakeholder", json!(ADDRESS)),
            "stakeholder",
        ),
        (
            "no contacts",
            without("/stakeholder/email"),
            "stakeholder.contacts",
        ),
        (
            "a bad address",
            with("/stakeholder/email", json!("canary.landlord")),
            "stakeholder.email",
        ),
        (
            "a header in an address",
            with(
                "/stakeholder/email",
                json!("canary.landlord@example.com\r\nBcc: x@example.com"),
            ),
            "stakeholder.email",
        ),
        (
            "a bad second address",
            with(
                "/stakeholder/contacts",
                json!([{"channel": "email", "address": "@"}]),
            ),
            "stakeholder.contacts[0].address",
        ),
        (
            "the same address twice",
            with(
                "/stakeholder/contacts",
                json!([{"channel": "email", "address": ADDRESS.to_uppercase()}]),
            ),
            "stakeholder.contacts[0].address",
        ),
        (
            "an unknown channel",
            with(
                "/stakeholder/contacts",
                json!([{"channel": "pigeon", "address": "x"}]),
            ),
            "stakeholder.contacts[0].channel",
        ),
        (
            "too many contacts",
            with(
                "/stakeholder/contacts",
                (0..11)
                    .map(|n| json!({"channel": "email", "address": format!("a{n}@example.com")}))
                    .collect(),
            ),
            "stakeholder.contacts",
        ),
        (
            "a bad zone",
            with("/stakeholder/zone", json!("Europe/Atlantis")),
            "stakeholder.zone",
        ),
        (
            "a bad language",
            with("/stakeholder/language", json!("english")),
            "stakeholder.language",
        ),
        (
            "a name of two lines",
            with("/stakeholder/name", json!("A\nB")),
            "stakeholder.name",
        ),
        (
            "an empty key",
            with("/stakeholder/key", json!("")),
            "stakeholder.key",
        ),
        (
            "an unknown field of a person",
            with("/stakeholder/phone", json!("1")),
            "stakeholder.phone",
        ),
        ("no slots", with("/slots", json!([])), "slots"),
        (
            "too many slots",
            with(
                "/slots",
                (0..51)
                    .map(|n| json!({"name": format!("s{n}"), "kind": "text", "question": "?"}))
                    .collect(),
            ),
            "slots",
        ),
        (
            "no required slot",
            with("/slots/0/required", json!(false)),
            "slots",
        ),
        ("no name", without("/slots/0/name"), "slots[0].name"),
        (
            "a bad name",
            with("/slots/0/name", json!("Arranged by")),
            "slots[0].name",
        ),
        (
            "a long name",
            with("/slots/0/name", long(65)),
            "slots[0].name",
        ),
        (
            "the same name twice",
            with("/slots", json!([slot(), another_slot])),
            "slots[1].name",
        ),
        (
            "no question",
            without("/slots/0/question"),
            "slots[0].question",
        ),
        (
            "an empty question",
            with("/slots/0/question", json!("")),
            "slots[0].question",
        ),
        (
            "a long question",
            with("/slots/0/question", long(1_001)),
            "slots[0].question",
        ),
        (
            "a control character",
            with("/slots/0/question", json!("a\u{7}b")),
            "slots[0].question",
        ),
        (
            "an empty check",
            with("/slots/0/self_checks", json!([""])),
            "slots[0].self_checks[0]",
        ),
        ("no kind", without("/slots/0/kind"), "slots[0].kind"),
        (
            "an unknown kind",
            with("/slots/0/kind", json!("colour")),
            "slots[0].kind",
        ),
        (
            "a choice without options",
            without("/slots/0/options"),
            "slots[0].options",
        ),
        (
            "a choice of nothing",
            with("/slots/0/options", json!([])),
            "slots[0].options",
        ),
        (
            "a choice of one",
            with("/slots/0/options", json!([{"value": "a"}])),
            "slots[0].options",
        ),
        (
            "a bad option",
            with("/slots/0/options/1/value", json!("The Agency")),
            "slots[0].options[1].value",
        ),
        (
            "options that are texts",
            with("/slots/0/options", json!(["a", "b"])),
            "slots[0].options[0]",
        ),
        (
            "an unknown field of a slot",
            with("/slots/0/optoins", json!(1)),
            "slots[0].optoins",
        ),
        ("no deadline", without("/deadline"), "deadline"),
        (
            "a past deadline",
            with("/deadline", json!("2026-07-06T08:59:59Z")),
            "deadline",
        ),
        ("a deadline now", with("/deadline", json!("0s")), "deadline"),
        (
            "a far deadline",
            with("/deadline", json!("2028-07-08T09:00:00Z")),
            "deadline",
        ),
        (
            "a deadline far off",
            with("/deadline", json!("800d")),
            "deadline",
        ),
        (
            "a deadline without an offset",
            with("/deadline", json!("2026-08-01")),
            "deadline",
        ),
        (
            "an empty fact",
            with("/facts", json!(["a", ""])),
            "facts[1]",
        ),
        (
            "a long brief",
            with("/briefs", json!(["x".repeat(2_001)])),
            "briefs[0]",
        ),
        (
            "too many rungs",
            with(
                "/ladder",
                json!({"waits": vec!["3d"; 13], "patience": "7d", "silence": "hold"}),
            ),
            "ladder.waits",
        ),
        (
            "a rung of nothing",
            with(
                "/ladder",
                json!({"waits": ["3d", "0s"], "patience": "7d", "silence": "hold"}),
            ),
            "ladder.waits[1]",
        ),
        (
            "a rung that is no length",
            with(
                "/ladder",
                json!({"waits": ["soon"], "patience": "7d", "silence": "hold"}),
            ),
            "ladder.waits[0]",
        ),
        (
            "an unknown meaning of silence",
            with(
                "/ladder",
                json!({"waits": [], "patience": "7d", "silence": "shout"}),
            ),
            "ladder.silence",
        ),
        (
            "an empty transcript entry",
            with(
                "/transcript",
                json!([{"at": "2026-07-01T00:00:00Z", "text": ""}]),
            ),
            "transcript[0].text",
        ),
        (
            "a transcript from the future",
            with(
                "/transcript",
                json!([{"at": "2026-07-07T00:00:00Z", "text": "x"}]),
            ),
            "transcript[0].at",
        ),
        (
            "a transcript out of order",
            with(
                "/transcript",
                json!([
                    {"at": "2026-07-02T00:00:00Z", "text": "x"},
                    {"at": "2026-07-01T00:00:00Z", "text": "y"}
                ]),
            ),
            "transcript",
        ),
    ];
    for (what, body, field) in cases {
        let answer = server.post("/v1/needs", &server.caller, &body).await;
        let fields = answer.fields();
        assert_eq!(fields, [field], "{what}: {}", answer.text);
        assert!(!answer.text.contains("canary"), "{what}: {}", answer.text);
    }
    let listed = server.get("/v1/needs", &server.caller).await.json();
    assert_eq!(listed["needs"], json!([]), "nothing was registered");
    assert_eq!(server.changes.inputs(), 0);
}

#[tokio::test]
async fn everything_that_is_wrong_is_said_at_once_with_its_remedy() {
    let server = Server::new().await;
    let mut body = with("/stakeholder/zone", json!("Paris"));
    body["slots"][0]["options"] = json!([{"value": "landlord"}]);
    body["deadline"] = json!("2020-01-01T00:00:00Z");
    let answer = server.post("/v1/needs", &server.caller, &body).await;
    insta::assert_json_snapshot!(answer.json(), @r#"
    {
      "type": "urn:liaison:problem:invalid-fields",
      "title": "The request cannot be accepted",
      "status": 422,
      "detail": "3 fields are wrong; nothing was done.",
      "errors": [
        {
          "field": "stakeholder.zone",
          "detail": "the zone database has no such zone; use a name like Europe/Paris"
        },
        {
          "field": "slots[0].options",
          "detail": "a choice needs 2 to 20 options, and this one has 1"
        },
        {
          "field": "deadline",
          "detail": "this is not in the future; name a later instant, or a length of time like 15d"
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn a_need_is_registered_as_it_was_asked_for() {
    let server = Server::new().await;
    let mut body = inspection();
    body["subject"] = json!("property:42");
    body["facts"] = json!(["The key is at the office."]);
    let answer = server.post("/v1/needs", &server.caller, &body).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text);
    let view = answer.json();
    assert_eq!(
        answer.header(http::header::LOCATION),
        Some(format!("/v1/needs/{}", view["id"].as_str().expect("an id")).as_str())
    );
    assert_eq!(view["status"], "open");
    assert_eq!(view["registered_at"], "2026-07-06T09:00:00Z");
    assert_eq!(view["deadline"], "2026-07-21T09:00:00Z");
    assert_eq!(view["subject"], "property:42");
    assert_eq!(server.changes.inputs(), 1, "the engine was told");

    let path = format!("/v1/needs/{}", view["id"].as_str().expect("an id"));
    assert_eq!(server.get(&path, &server.caller).await.json(), view);

    server.work().await;
    let path = format!(
        "/v1/conversations/{}",
        view["conversation"].as_str().expect("an id")
    );
    let conversation = server.get(&path, &server.operator).await.json();
    assert_eq!(conversation["slots"][0]["slot"], "property:42/arranged_by");
    assert_eq!(conversation["slots"][0]["state"], "missing");
    assert_eq!(conversation["stakeholder"]["zone"], "Europe/Paris");
}

#[tokio::test]
async fn what_a_slot_rests_on_is_there_is_waited_for_and_does_not_rest_on_it() {
    let server = Server::new().await;
    let slot = |name: &str, required: bool, rests: &[&str]| {
        json!({"name": name, "kind": "boolean", "question": "Really?", "required": required,
               "depends_on": rests})
    };
    let cases = [
        (json!([slot("a", true, &["b"])]), "slots[0].depends_on[0]"),
        (json!([slot("a", true, &["a"])]), "slots[0].depends_on[0]"),
        (
            json!([slot("a", true, &[]), slot("b", true, &["a", "a"])]),
            "slots[1].depends_on[1]",
        ),
        (
            json!([slot("a", false, &[]), slot("b", true, &["a"])]),
            "slots[1].depends_on[0]",
        ),
    ];
    for (slots, field) in cases {
        let answer = server
            .post("/v1/needs", &server.caller, &with("/slots", slots))
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(answer.fields(), [field]);
    }
    let ring = json!([
        slot("a", true, &["c"]),
        slot("b", true, &["a"]),
        slot("c", true, &["b"])
    ]);
    let answer = server
        .post("/v1/needs", &server.caller, &with("/slots", ring))
        .await;
    assert_eq!(answer.fields().len(), 3, "{}", answer.text);
    let fine = json!([
        slot("a", true, &[]),
        slot("b", false, &["a"]),
        slot("c", true, &["a"])
    ]);
    let answer = server
        .post("/v1/needs", &server.caller, &with("/slots", fine))
        .await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text);
}

#[tokio::test]
async fn a_slot_that_an_open_need_asks_about_in_another_way_is_refused() {
    let server = Server::new().await;
    let body = |kind: Value| {
        let mut body = with("/slots", json!([kind]));
        body["subject"] = json!("property:42");
        body
    };
    let number = body(json!({"name": "rent", "kind": "number", "question": "How much?"}));
    let bounded =
        body(json!({"name": "rent", "kind": "number", "question": "How much?", "maximum": 5}));
    let text = body(json!({"name": "rent", "kind": "text", "question": "How much?"}));
    let post = async |body: &Value| server.post("/v1/needs", &server.caller, body).await;
    let first = post(&number).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text);
    let id = first.json()["id"].as_str().expect("an id").to_owned();
    // While the first one waits to be taken in, and afterwards.
    for worked in [false, true] {
        if worked {
            server.work().await;
        }
        for body in [&bounded, &text] {
            let refused = post(body).await;
            assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.text);
            let problem = refused.problem();
            assert_eq!(problem.name(), "slot-conflict");
            assert_eq!(problem.errors[0].field, "slots[0].kind");
            assert!(problem.errors[0].detail.contains(&id), "{}", refused.text);
        }
        let same = post(&number).await;
        assert_eq!(same.status, StatusCode::CREATED, "the same is shared");
        let cancelled = server
            .call(
                Method::DELETE,
                &format!("/v1/needs/{}", same.json()["id"].as_str().expect("an id")),
                &server.caller,
                None,
            )
            .await;
        assert_eq!(cancelled.status, StatusCode::ACCEPTED);
    }
    let elsewhere = {
        let mut body = bounded.clone();
        body["subject"] = json!("property:43");
        body
    };
    assert_eq!(post(&elsewhere).await.status, StatusCode::CREATED);
    server
        .call(
            Method::DELETE,
            &format!("/v1/needs/{id}"),
            &server.caller,
            None,
        )
        .await;
    let free = post(&bounded).await;
    assert_eq!(
        free.status,
        StatusCode::CREATED,
        "nobody asks about it any more: {}",
        free.text
    );
}

#[tokio::test]
async fn the_same_key_and_body_is_the_same_need_and_another_body_is_refused() {
    let server = Server::new().await;
    let post = async |body: String, key: Option<&str>| {
        let mut request =
            crate::harness::request(Method::POST, "/v1/needs", &server.caller, Some(&json!({})));
        *request.body_mut() = body.into();
        if let Some(key) = key {
            request
                .headers_mut()
                .insert("idempotency-key", key.parse().expect("a header"));
        }
        server.send(request).await
    };
    let body = inspection().to_string();
    let first = post(body.clone(), Some("k1")).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text);

    // Spaces and the order of fields do not make another request.
    let mut reordered = inspection();
    let goal = reordered
        .as_object_mut()
        .and_then(|o| o.shift_remove("goal"));
    reordered["goal"] = goal.expect("a goal");
    let spaced = serde_json::to_string_pretty(&reordered).expect("JSON");
    assert_ne!(spaced, body);
    for repetition in [body.clone(), spaced] {
        let again = post(repetition, Some("k1")).await;
        assert_eq!(again.status, StatusCode::OK, "{}", again.text);
        assert_eq!(again.json(), first.json());
    }
    assert_eq!(server.changes.inputs(), 1);

    let other = post(
        with("/goal", json!("Something else")).to_string(),
        Some("k1"),
    )
    .await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(other.problem().name(), "idempotency-key-reused");

    let another = post(body.clone(), Some("k2")).await;
    assert_eq!(another.status, StatusCode::CREATED);
    assert_ne!(another.json()["id"], first.json()["id"]);
    for _ in 0..2 {
        let anew = post(body.clone(), None).await;
        assert_eq!(
            anew.status,
            StatusCode::CREATED,
            "without a key each call registers"
        );
    }
    let listed = server.get("/v1/needs", &server.caller).await.json();
    assert_eq!(listed["needs"].as_array().map(Vec::len), Some(4));

    for bad in [String::new(), "x".repeat(201)] {
        let refused = post(body.clone(), Some(&bad)).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{bad:?}");
    }
}

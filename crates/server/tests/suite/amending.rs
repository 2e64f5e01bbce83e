//! Amending needs, saying that they are still waited for, and what is planned.

use crate::harness::{Answer, Talk, request, text};
use http::{HeaderValue, Method, StatusCode};
use jiff::SignedDuration;
use serde_json::{Value, json};

impl Talk {
    async fn patch(&self, body: &Value) -> Answer {
        let server = &self.server;
        server
            .call(
                Method::PATCH,
                &self.need_path(""),
                &server.caller,
                Some(body),
            )
            .await
    }

    async fn patch_with_key(&self, key: &'static str, body: &Value) -> Answer {
        let mut request = request(
            Method::PATCH,
            &self.need_path(""),
            &self.server.caller,
            Some(body),
        );
        let key = HeaderValue::from_static(key);
        request.headers_mut().insert("idempotency-key", key);
        self.server.send(request).await
    }

    async fn need_view(&self) -> Value {
        let path = self.need_path("");
        self.server.get(&path, &self.server.caller).await.json()
    }

    async fn slots(&self) -> Vec<String> {
        let view = self.view().await;
        let slots = view["needs"][0]["required"].as_array().cloned();
        slots.unwrap_or_default().iter().map(text).collect()
    }
}

fn keys() -> Value {
    json!({"name": "keys", "kind": "number", "whole": true, "question": "How many keys are there?"})
}

#[tokio::test]
async fn an_amended_need_is_shown_as_it_will_be_and_then_is() {
    let open = Talk::new().await;
    let before = open.need_view().await;
    let body = json!({
        "deadline": "30d",
        "facts": ["The flat is on the third floor."],
        "add_slots": [keys()],
        "change_slots": [{"name": "arranged_by", "required": false}],
    });
    let answer = open.patch(&body).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    let told = answer.json();
    assert_ne!(told["deadline"], before["deadline"]);
    assert_eq!(
        open.need_view().await,
        before,
        "it is applied by the conversation's one writer"
    );
    open.server.work().await;
    assert_eq!(open.need_view().await, told);
    let slots = open.slots().await;
    assert_eq!(slots.len(), 1);
    assert!(slots[0].ends_with("/keys"), "{slots:?}");
}

#[tokio::test]
async fn what_is_wrong_with_an_amendment_is_named_by_its_field() {
    let open = Talk::new().await;
    for (body, fields) in [
        (json!({}), &[""][..]),
        (json!({"deadline": "2020-01-01T00:00:00Z"}), &["deadline"]),
        (json!({"deadline": "0s"}), &["deadline"]),
        (json!({"deadline": "9999d"}), &["deadline"]),
        (json!({"goal": "Another"}), &["goal"]),
        (json!({"facts": [""]}), &["facts[0]"]),
        (json!({"remove_slots": ["keys"]}), &["remove_slots[0]"]),
        (json!({"remove_slots": ["arranged_by"]}), &["remove_slots"]),
        (
            json!({"change_slots": [{"name": "arranged_by", "required": false}]}),
            &["change_slots"],
        ),
        (
            json!({"change_slots": [{"name": "keys", "required": false}]}),
            &["change_slots[0].name"],
        ),
        (
            json!({"change_slots": [{"name": "arranged_by"}]}),
            &["change_slots[0]"],
        ),
        (
            json!({"change_slots": [{"name": "arranged_by", "kind": "choice", "question": ""}]}),
            &["change_slots[0].question", "change_slots[0].options"],
        ),
        (
            json!({"add_slots": [{"name": "Keys", "kind": "colour", "question": "?"}]}),
            &["add_slots[0].name", "add_slots[0].kind"],
        ),
        (
            json!({"add_slots": [{"name": "arranged_by", "kind": "boolean", "question": "?"}]}),
            &["add_slots[0].name"],
        ),
    ] {
        let answer = open.patch(&body).await;
        assert_eq!(answer.fields(), fields, "{body}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_slots_rest_on_after_an_amendment_is_checked_as_a_whole() {
    let open = Talk::new().await;
    let mut spare = keys();
    spare["name"] = json!("spare_keys");
    spare["depends_on"] = json!(["keys", "arranged_by"]);
    let added = json!({"add_slots": [spare, keys()]});
    let answer = open.patch(&added).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    open.server.work().await;
    assert_eq!(open.slots().await.len(), 3);
    let mut more = keys();
    more["name"] = json!("more_keys");
    let resting = |on: Value| {
        let mut slot = more.clone();
        slot["depends_on"] = on;
        json!({"add_slots": [slot]})
    };
    for (body, field) in [
        (
            resting(json!(["keys", "nothing"])),
            "add_slots[0].depends_on[1]",
        ),
        (
            resting(json!(["keys", "keys"])),
            "add_slots[0].depends_on[1]",
        ),
        (resting(json!(["more_keys"])), "add_slots[0].depends_on[0]"),
        (
            json!({"change_slots": [{"name": "keys", "required": false}]}),
            "change_slots[0].required",
        ),
        (
            json!({"change_slots": [{"name": "keys", "depends_on": ["spare_keys"]}]}),
            "change_slots[0].depends_on[0]",
        ),
        (
            json!({"change_slots": [{"name": "keys", "depends_on": ["another"]}]}),
            "change_slots[0].depends_on[0]",
        ),
        (
            json!({"change_slots": [{"name": "keys", "depends_on": vec!["arranged_by"; 11]}]}),
            "change_slots[0].depends_on",
        ),
        (
            json!({"change_slots": [{"name": "keys", "confirm": "sometimes"}]}),
            "change_slots[0].confirm",
        ),
    ] {
        let answer = open.patch(&body).await;
        assert_eq!(answer.fields(), [field], "{body}: {}", answer.text);
    }
    // Both at once is another need, in which nothing is waited for in vain.
    let both = json!({"change_slots": [
        {"name": "keys", "required": false},
        {"name": "spare_keys", "required": false},
    ]});
    assert_eq!(open.patch(&both).await.status, StatusCode::ACCEPTED);
    open.server.work().await;
    // What is removed is rested on no more.
    let removed = json!({"remove_slots": ["keys"]});
    assert_eq!(open.patch(&removed).await.status, StatusCode::ACCEPTED);
    open.server.work().await;
    assert_eq!(open.slots().await.len(), 1);
}

#[tokio::test]
async fn an_amendment_with_a_key_is_applied_once() {
    let open = Talk::new().await;
    let body = json!({"add_slots": [keys()]});
    for _ in 0..2 {
        let answer = open.patch_with_key("k1", &body).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        open.server.work().await;
    }
    assert_eq!(open.slots().await.len(), 2);
    let other = json!({"deadline": "30d"});
    let answer = open.patch_with_key("k1", &other).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.problem().kind.ends_with("idempotency-key-reused"));
    // Without the key it is another amendment, and does not fit any more.
    assert_eq!(open.patch(&body).await.fields(), ["add_slots[0].name"]);
}

#[tokio::test]
async fn a_need_that_has_ended_is_not_amended() {
    let open = Talk::new().await;
    let server = &open.server;
    server
        .call(Method::DELETE, &open.need_path(""), &server.caller, None)
        .await;
    server.work().await;
    let answer = open.patch(&json!({"deadline": "30d"})).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.problem().kind.ends_with("need-ended"));
}

#[tokio::test]
async fn an_amendment_that_lost_a_race_is_an_event() {
    let open = Talk::new().await;
    let body = json!({"add_slots": [keys()]});
    open.patch(&body).await;
    open.patch(&body).await;
    open.server.work().await;
    let events = open.need_path("/events?after=0");
    let events = open.server.get(&events, &open.server.caller).await.json();
    assert_eq!(events["events"][0]["event"], "amendment_refused");
    assert_eq!(open.slots().await.len(), 2);
}

#[tokio::test]
async fn a_foreign_need_is_neither_amended_nor_waited_for() {
    let open = Talk::new().await;
    let server = &open.server;
    let body = json!({"deadline": "30d"});
    let answer = server
        .call(
            Method::PATCH,
            &open.need_path(""),
            &server.foreign,
            Some(&body),
        )
        .await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let path = open.need_path("/still-waiting");
    let answer = server
        .call(Method::POST, &path, &server.foreign, None)
        .await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let path = open.path("/plan");
    let answer = server.get(&path, &server.foreign).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let answer = server.get(&path, &server.caller).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_caller_says_that_it_still_waits() {
    let open = Talk::new().await;
    let server = &open.server;
    let path = open.need_path("/still-waiting");
    let told = server.changes.inputs();
    // The clock stands at a whole minute.
    for (passes, news) in [(0, 1), (1, 1), (59, 2)] {
        server.clock.advance(SignedDuration::from_secs(passes));
        let answer = server.call(Method::POST, &path, &server.caller, None).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        assert_eq!(
            server.changes.inputs(),
            told + news,
            "once a minute is enough"
        );
    }
    server
        .call(Method::DELETE, &open.need_path(""), &server.caller, None)
        .await;
    server.work().await;
    let answer = server.call(Method::POST, &path, &server.caller, None).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_plan_and_an_explanation_have_one_shape_each() {
    let open = Talk::new().await;
    let server = &open.server;
    let path = open.path("/plan");
    let plan = server.get(&path, &server.operator).await.json();
    assert_eq!(plan["entries"][0]["step"], "message");
    assert_eq!(plan["entries"][0]["kind"], "ask");
    assert_eq!(plan["entries"][0]["channel"], "email");
    let slot = text(&plan["entries"][0]["questions"][0]["slot"]);
    assert!(slot.ends_with("/arranged_by"), "{slot}");
    assert!(plan["entries"][0]["waits"][0]["until"].is_string());
    let read: liaison_api::PlanAhead = serde_json::from_value(plan.clone()).expect("a plan");
    assert_eq!(json!(read), plan);

    let path = open.path("/explain");
    let explanation = server.get(&path, &server.operator).await.json();
    assert_eq!(explanation["sending"][1]["kind"], "ask");
    assert_eq!(explanation["sending"][1]["may_send"], "not_before");
    assert_eq!(explanation["questions"][0]["next"], "unasked");
    let read: liaison_api::Explanation =
        serde_json::from_value(explanation.clone()).expect("an explanation");
    assert_eq!(json!(read), explanation);
}

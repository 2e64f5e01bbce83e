//! What operators see and command.

use crate::harness::{Server, Talk, request, text};
use http::{Method, StatusCode};
use serde_json::{Value, json};

#[tokio::test]
async fn a_conversation_shows_what_it_waits_for_and_why() {
    let talk = Talk::new().await;
    let view = talk.view().await;
    assert_eq!(
        view["phase"]["phase"], "wait",
        "the gather window is open: {view}"
    );
    assert_eq!(view["phase"]["until"], view["next_wake"]);
    assert_eq!(view["needs"][0]["id"], json!(talk.need));
    assert_eq!(
        view["needs"][0]["required"],
        json!([format!("{}/arranged_by", talk.need)])
    );
    assert_eq!(view["slots"][0]["state"], "missing");
    assert_eq!(view["slots"][0]["spec"]["kind"], "choice");
    assert_eq!(view["holds"], json!([]));
    assert_eq!(view["unread"], 0);

    let explained = talk
        .server
        .get(&talk.path("/explain"), &talk.server.operator)
        .await
        .json();
    assert_eq!(explained["phase"], view["phase"]);
    assert!(
        explained["rules"]
            .as_array()
            .is_some_and(|rules| rules.len() > 10)
    );
    let typed: liaison_api::ConversationView = serde_json::from_value(view.clone()).expect("reads");
    assert_eq!(json!(typed), view, "what is shown is what a client reads");
}

#[tokio::test]
async fn a_hold_stands_until_it_is_lifted() {
    let talk = Talk::new().await;
    talk.done(
        "hold",
        json!({"note": "on the phone with them", "by": "kim"}),
    )
    .await;
    let view = talk.view().await;
    assert_eq!(view["phase"], json!({"phase": "await_operator"}));
    assert_eq!(view["holds"][0]["reason"], "operator");
    assert_eq!(
        view["holds"][0]["sentence"],
        "kim asked for it: on the phone with them"
    );
    let typed: liaison_api::ConversationView = serde_json::from_value(view.clone()).expect("reads");
    assert_eq!(json!(typed), view);

    let listed = talk
        .server
        .get("/v1/conversations?held=true", &talk.server.operator)
        .await
        .json();
    assert_eq!(listed["conversations"][0]["id"], view["id"]);
    assert_eq!(listed["conversations"][0]["stakeholder"], "Ana");
    assert_eq!(listed["conversations"][0]["open_needs"], 1);

    talk.done("resume", json!({})).await;
    assert_eq!(talk.view().await["holds"], json!([]));
    let listed = talk
        .server
        .get("/v1/conversations?held=true", &talk.server.operator)
        .await
        .json();
    assert_eq!(listed["conversations"], json!([]));
}

#[tokio::test]
async fn an_answer_can_lift_the_holds_with_it() {
    let talk = Talk::new().await;
    talk.done("hold", json!({"note": "they asked about keys"}))
        .await;
    let told = talk.server.changes.inputs();
    let answer = talk
        .command(
            "answer",
            json!({"text": "Yes, any time.", "by": "kim", "resume": true}),
        )
        .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    assert_eq!(talk.server.changes.inputs(), told + 1);
    assert_eq!(
        talk.view().await["unfolded"],
        2,
        "the answer and the resumption"
    );
}

#[tokio::test]
async fn a_conversation_is_taken_over_and_handed_back() {
    let talk = Talk::new().await;
    talk.done("takeover", json!({"by": "kim"})).await;
    let view = talk.view().await;
    assert_eq!(view["phase"], json!({"phase": "hands_off"}));
    assert_eq!(view["taken_over"]["by"], "kim");
    talk.done("handback", json!({"by": "kim"})).await;
    assert!(talk.view().await.get("taken_over").is_none());
}

#[tokio::test]
async fn commands_without_a_body_are_the_keys_own() {
    let talk = Talk::new().await;
    let path = talk.path("/takeover");
    let bare = request(Method::POST, &path, &talk.server.operator, None);
    assert_eq!(talk.server.send(bare).await.status, StatusCode::ACCEPTED);
    talk.server.work().await;
    assert_eq!(talk.view().await["taken_over"]["by"], "operator");
}

#[tokio::test]
async fn a_value_that_an_operator_enters_settles_the_need() {
    let talk = Talk::new().await;
    talk.done(
        "fill",
        json!({"slot": "arranged_by", "value": "agency", "note": "said so by phone", "by": "kim"}),
    )
    .await;
    let path = format!("/v1/needs/{}", talk.need);
    let view = talk.server.get(&path, &talk.server.caller).await.json();
    assert_eq!(view["status"], "fulfilled");
    let slot = &view["outcome"]["slots"]["arranged_by"];
    assert_eq!(slot["value"], "agency");
    assert_eq!(
        slot["evidence"],
        json!({"source": "operator", "by": "kim", "note": "said so by phone"})
    );
    let view = talk.view().await;
    assert_eq!(view["slots"][0]["state"], "filled");
    assert_eq!(
        view["slots"][0]["value"],
        json!({"kind": "choice", "value": "agency"})
    );
    let typed: liaison_api::ConversationView = serde_json::from_value(view.clone()).expect("reads");
    assert_eq!(json!(typed), view);
}

#[tokio::test]
async fn a_wrong_command_names_its_field_and_does_nothing() {
    let talk = Talk::new().await;
    let fill = |slot: &str, value: Value| json!({"slot": slot, "value": value, "note": "x"});
    for (name, body, field) in [
        ("answer", json!({"text": ""}), "text"),
        ("answer", json!({}), "text"),
        ("answer", json!({"text": "x".repeat(4_001)}), "text"),
        ("answer", json!({"text": "x", "resum": true}), "resum"),
        ("answer", json!({"text": "x", "by": ""}), "by"),
        ("answer", json!({"text": "x", "by": "a\nb"}), "by"),
        ("hold", json!({"note": " "}), "note"),
        ("hold", json!({"note": "x", "need": "n"}), "need"),
        ("hold", json!({"note": "x", "until": "0s"}), "until"),
        ("hold", json!({"note": "x", "until": "9w9w"}), "until"),
        ("hold", json!({"note": "x", "until": "800d"}), "until"),
        ("release", json!({"hold": "h"}), "hold"),
        ("guide", json!({"text": "x".repeat(501)}), "text"),
        (
            "guide",
            json!({"text": "x", "until": "2020-01-01T00:00:00Z"}),
            "until",
        ),
        ("unguide", json!({"guidance": "g"}), "guidance"),
        (
            "revive",
            json!({"address": "nobody", "note": "x"}),
            "address",
        ),
        (
            "revive",
            json!({"address": "nobody@example.com", "note": "x"}),
            "address",
        ),
        (
            "revive",
            json!({"address": crate::harness::ADDRESS, "note": "x"}),
            "address",
        ),
        (
            "revive",
            json!({"address": crate::harness::ADDRESS, "note": ""}),
            "note",
        ),
        ("fill", fill("nothing", json!("agency")), "slot"),
        ("fill", fill("arranged_by", json!("somebody else")), "value"),
        ("fill", fill("arranged_by", json!(true)), "value"),
        (
            "fill",
            json!({"slot": "arranged_by", "value": "agency", "note": "x",
                   "heard": {"via": "phone", "at": "2099-01-01T00:00:00Z"}}),
            "heard.at",
        ),
        (
            "fill",
            json!({"slot": "arranged_by", "value": "agency", "note": "x", "heard": {"via": "dream"}}),
            "heard.via",
        ),
        ("resolve-send", json!({"message": "m"}), "sent"),
        (
            "resolve-send",
            json!({"message": "m", "sent": true}),
            "message",
        ),
    ] {
        let answer = talk.command(name, body.clone()).await;
        assert_eq!(answer.fields(), [field], "{name} {body}");
    }
    assert_eq!(talk.view().await["unfolded"], 0);
}

#[tokio::test]
async fn a_slot_name_that_two_needs_use_must_be_said_in_full() {
    let talk = Talk::new().await;
    let (second, _) = talk.server.registered().await;
    talk.server.work().await;
    let fill = |slot: &str| json!({"slot": slot, "value": "agency", "note": "x"});
    let answer = talk.command("fill", fill("arranged_by")).await;
    assert_eq!(answer.fields(), ["slot"]);
    talk.done("fill", fill(&format!("{second}/arranged_by")))
        .await;
    let path = format!("/v1/needs/{second}");
    let view = talk.server.get(&path, &talk.server.caller).await.json();
    assert_eq!(view["status"], "fulfilled");
}

#[tokio::test]
async fn a_repeated_command_is_carried_out_once() {
    let talk = Talk::new().await;
    let give = async |key: Option<&str>, text: &str| {
        let path = talk.path("/answer");
        let mut request = request(
            Method::POST,
            &path,
            &talk.server.operator,
            Some(&json!({"text": text})),
        );
        if let Some(key) = key {
            request
                .headers_mut()
                .insert("idempotency-key", key.parse().expect("a header"));
        }
        let answer = talk.server.send(request).await;
        (
            answer.status.as_u16(),
            answer.json()["repeated"].as_bool(),
            answer.json()["type"].as_str().map(str::to_owned),
        )
    };
    let taken = (202, Some(false), None);
    assert_eq!(give(Some("k"), "Yes.").await, taken);
    assert_eq!(give(Some("k"), "Yes.").await, (202, Some(true), None));
    let reused = "urn:liaison:problem:idempotency-key-reused".to_owned();
    assert_eq!(give(Some("k"), "No.").await, (422, None, Some(reused)));
    for _ in 0..2 {
        assert_eq!(give(None, "Yes.").await, taken, "without a key all count");
    }
    assert_eq!(talk.view().await["unfolded"], 3);
}

#[tokio::test]
async fn the_journal_holds_every_operation_and_can_be_read_from_any_on() {
    let talk = Talk::new().await;
    talk.done("hold", json!({"note": "x"})).await;
    let journal = async |from: u64| {
        let path = talk.path(&format!("/journal?from={from}"));
        talk.server.get(&path, &talk.server.operator).await.json()
    };
    let whole = journal(0).await;
    let operations = whole["operations"].as_array().expect("a list");
    assert_eq!(text(&whole["opening"]["tenant"]), "acme");
    let revision = talk.view().await["revision"].as_u64();
    assert_eq!(Some(operations.len() as u64), revision);
    let rest = journal(1).await;
    assert_eq!(
        rest["operations"].as_array().map(Vec::len),
        Some(operations.len() - 1)
    );

    let view: liaison_api::JournalView = serde_json::from_value(whole).expect("reads");
    let operations = view.operations.into_iter().map(|entry| entry.operation);
    let replayed = liaison_core::journal::replay(view.opening, operations).expect("replays");
    assert_eq!(Some(replayed.revision), revision);
}

#[tokio::test]
async fn lists_of_mail_are_empty_where_there_is_none() {
    let server = Server::new().await;
    for path in ["/v1/unmatched", "/v1/outbox"] {
        let answer = server.get(path, &server.operator).await;
        assert_eq!(answer.json(), json!({"messages": []}), "{path}");
    }
}

#[tokio::test]
async fn mail_that_matched_nothing_is_listed_without_its_bytes() {
    use liaison_ports::store::{Store, Unmatched};
    let server = Server::new().await;
    let message = Unmatched {
        id: liaison_core::id::MessageId::new("m1"),
        tenant: liaison_core::id::TenantId::new("acme"),
        dedupe_key: "d".to_owned(),
        at: "2026-07-06T08:00:00Z".parse().expect("an instant"),
        from: "Somebody <s@example.com>".to_owned(),
        subject: "Hello".to_owned(),
        why: "no conversation with this sender".to_owned(),
        raw: vec![b'x'; 1_234],
    };
    server.store.file_unmatched(message).await.expect("files");
    let listed = server.get("/v1/unmatched", &server.operator).await.json();
    assert_eq!(
        listed["messages"],
        json!([{
            "id": "m1", "at": "2026-07-06T08:00:00Z", "from": "Somebody <s@example.com>",
            "subject": "Hello", "why": "no conversation with this sender", "size": 1234
        }])
    );
    let listed = server.get("/v1/unmatched", &server.foreign).await.json();
    assert_eq!(listed["messages"], json!([]));
}

#[tokio::test]
async fn a_transcript_is_empty_before_anything_was_said() {
    let talk = Talk::new().await;
    let path = talk.path("/transcript");
    let transcript = talk.server.get(&path, &talk.server.operator).await.json();
    assert_eq!(transcript, json!({"messages": []}));
}

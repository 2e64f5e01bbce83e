//! What operators do beyond answering: pausing, guiding, guarding, mending.

use crate::harness::{MAILBOX, Server, Talk, inspection, text};
use http::StatusCode;
use jiff::SignedDuration;
use liaison_core::id::{ConversationId, MessageId, TenantId};
use liaison_ports::{
    clock::Clock,
    store::{ClaimRequest, Store, Unmatched},
};
use serde_json::json;

impl Talk {
    /// Sets the conversation aside, as the engine does with one that it cannot process.
    async fn set_aside(&self) {
        let store = &self.server.store;
        let id = ConversationId::new(&*self.conversation);
        let input = liaison_ports::store::NewInput {
            conversation: id.clone(),
            dedupe_key: "makes it due".to_owned(),
            at: self.server.clock.now(),
            input: liaison_core::input::Input::TakenOver {
                by: "kim".to_owned(),
            },
        };
        store.append_inputs(vec![input]).await.expect("appends");
        let claim = ClaimRequest {
            owner: "worker".to_owned(),
            now: self.server.clock.now(),
            lease_until: self.server.clock.now(),
            limit: 1,
        };
        let claimed = store.claim_due(claim).await.expect("claims");
        let [claimed] = &claimed[..] else {
            panic!("one conversation is due");
        };
        let at = self.server.clock.now();
        let put = store.quarantine(&id, claimed.fence, "it broke", at).await;
        put.expect("quarantines");
    }
}

#[tokio::test]
async fn a_hold_over_one_need_says_so_and_is_released_by_its_id() {
    let desk = Talk::new().await;
    desk.done(
        "hold",
        json!({"note": "the price is being checked", "need": desk.need, "until": "2d"}),
    )
    .await;
    let view = desk.view().await;
    let hold = &view["holds"][0];
    assert_eq!(hold["need"], json!(desk.need));
    assert_eq!(hold["until"], "2026-07-08T09:00:00Z");
    assert_eq!(view["phase"]["phase"], "wait", "the conversation goes on");
    let typed: liaison_api::ConversationView = serde_json::from_value(view.clone()).expect("reads");
    assert_eq!(json!(typed), view);
    desk.done("release", json!({"hold": hold["id"]})).await;
    assert_eq!(desk.view().await["holds"], json!([]));
}

#[tokio::test]
async fn a_snooze_ends_by_itself() {
    let desk = Talk::new().await;
    desk.done("hold", json!({"note": "after the holidays", "until": "2d"}))
        .await;
    assert_eq!(
        desk.view().await["phase"],
        json!({"phase": "await_operator"})
    );
    desk.server.clock.advance(SignedDuration::from_hours(48));
    assert_eq!(desk.view().await["phase"]["phase"], "tend_holds");
}

#[tokio::test]
async fn a_hold_that_nobody_attends_to_is_an_event_of_its_needs_once() {
    let desk = Talk::new().await;
    desk.done("hold", json!({"note": "let me look"})).await;
    for _ in 0..2 {
        desk.server.clock.advance(SignedDuration::from_hours(24));
        desk.server.work().await;
    }
    let path = format!("/v1/needs/{}/events", desk.need);
    let events = desk.server.get(&path, &desk.server.caller).await.json();
    let events = events["events"].as_array().expect("a list");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["event"], "hold_escalated");
    assert_eq!(events[0]["reason"], "operator");
    assert_eq!(
        desk.view().await["holds"][0]["escalated_at"],
        "2026-07-07T09:00:00Z"
    );
}

#[tokio::test]
async fn guidance_is_shown_until_it_expires_or_is_taken_back() {
    let desk = Talk::new().await;
    desk.done("guide", json!({"text": "Be formal.", "by": "kim"}))
        .await;
    desk.done("guide", json!({"text": "No emoji.", "until": "1d"}))
        .await;
    let view = desk.view().await;
    assert_eq!(view["guidance"][0]["text"], "Be formal.");
    assert_eq!(view["guidance"][0]["by"], "kim");
    assert_eq!(view["guidance"][1]["until"], "2026-07-07T09:00:00Z");
    let id = view["guidance"][0]["id"].clone();
    desk.done("unguide", json!({"guidance": id})).await;
    assert_eq!(desk.view().await["guidance"][0]["text"], "No emoji.");
    desk.server.clock.advance(SignedDuration::from_hours(24));
    assert!(desk.view().await.get("guidance").is_none());
}

#[tokio::test]
async fn more_guidance_than_a_writer_can_heed_is_refused() {
    let desk = Talk::new().await;
    for number in 0..10 {
        desk.done("guide", json!({"text": format!("Rule {number}.")}))
            .await;
    }
    let answer = desk.command("guide", json!({"text": "One more."})).await;
    assert_eq!(answer.fields(), ["text"]);
}

#[tokio::test]
async fn a_command_for_another_state_or_after_its_time_is_refused_and_says_so() {
    let desk = Talk::new().await;
    let revision = desk.view().await["revision"].as_u64().expect("a number");
    let at = |query: String| format!("resume?{query}");
    for (query, problem) in [
        (format!("if_revision={}", revision + 1), "stale"),
        ("expires_at=2026-07-06T09:00:00Z".to_owned(), "expired"),
    ] {
        let answer = desk.command(&at(query), json!({})).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.text);
        assert_eq!(answer.problem().name(), problem);
    }
    let answer = desk
        .command(&at("expires_at=soon".to_owned()), json!({}))
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let says = "expires_at: use an instant with its offset, like 2026-09-01T12:00:00Z";
    assert!(answer.text.contains(says), "{}", answer.text);
    assert_eq!(desk.view().await["unfolded"], 0);

    let good = format!("if_revision={revision}&expires_at=2026-07-06T09:00:01Z");
    desk.done(&at(good.clone()), json!({})).await;
    let answer = desk.command(&at(good), json!({})).await;
    assert_eq!(answer.problem().name(), "stale", "it has been carried out");
}

#[tokio::test]
async fn a_command_that_was_overtaken_is_shown_as_ignored() {
    let desk = Talk::new().await;
    desk.done("hold", json!({"note": "let me look"})).await;
    let hold = desk.view().await["holds"][0]["id"].clone();
    // Both are accepted while the hold stands; the second finds it gone.
    for _ in 0..2 {
        let answer = desk.command("release", json!({"hold": hold})).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
    }
    desk.server.work().await;
    let ignored = &desk.view().await["ignored"][0];
    assert_eq!(ignored["action"], "release");
    assert_eq!(ignored["why"], "there is no such hold any more");
}

#[tokio::test]
async fn an_answer_by_phone_shows_how_and_when_it_was_heard_even_while_taken_over() {
    let desk = Talk::new().await;
    desk.done("takeover", json!({"by": "kim"})).await;
    let heard = json!({"via": "phone", "at": "2026-07-06T08:30:00Z"});
    desk.done(
        "fill",
        json!({"slot": "arranged_by", "value": "agency", "note": "he called back", "by": "kim",
               "heard": heard}),
    )
    .await;
    let path = format!("/v1/needs/{}", desk.need);
    let need = desk.server.get(&path, &desk.server.caller).await.json();
    let slot = &need["outcome"]["slots"]["arranged_by"];
    assert_eq!(slot["as_of"], "2026-07-06T08:30:00Z");
    assert_eq!(
        slot["evidence"],
        json!({"source": "operator", "by": "kim", "note": "he called back", "heard": heard})
    );
    assert_eq!(desk.view().await["phase"], json!({"phase": "hands_off"}));
}

#[tokio::test]
async fn a_quarantine_is_lifted_and_only_where_there_is_one() {
    let desk = Talk::new().await;
    let answer = desk.command("lift-quarantine", json!({})).await;
    assert_eq!(answer.problem().name(), "not-quarantined");
    desk.set_aside().await;
    assert_eq!(desk.view().await["quarantined"], "it broke");
    let path = desk.path("/lift-quarantine");
    let foreign = desk
        .server
        .post(&path, &desk.server.foreign, &json!({}))
        .await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    desk.done("lift-quarantine", json!({"by": "kim"})).await;
    let view = desk.view().await;
    assert!(view.get("quarantined").is_none());
    assert_eq!(view["taken_over"]["by"], "kim", "what waited is done");
}

#[tokio::test]
async fn an_unreadable_conversation_shows_what_is_known_of_it() {
    let desk = Talk::new().await;
    desk.set_aside().await;
    desk.server.store.garble(true);
    let view = desk.view().await;
    assert_eq!(view["id"], json!(desk.conversation));
    assert_eq!(view["unreadable"], "secret-document");
    assert_eq!(view["quarantined"], "it broke");
    assert_eq!(view["open_needs"], 1);
    assert_eq!(view["stakeholder"], "Ana");
    let typed: liaison_api::ConversationAnswer =
        serde_json::from_value(view.clone()).expect("reads");
    assert!(matches!(
        typed,
        liaison_api::ConversationAnswer::Unreadable(_)
    ));
    // It can be put back to work once it is mended.
    let answer = desk.command("lift-quarantine", json!({})).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
}

fn stray(id: &str, raw: &str) -> Unmatched {
    Unmatched {
        id: MessageId::new(id),
        tenant: TenantId::new("acme"),
        dedupe_key: id.to_owned(),
        at: "2026-07-06T08:00:00Z".parse().expect("an instant"),
        from: "Somebody <s@example.com>".to_owned(),
        subject: "Hello".to_owned(),
        why: "no conversation with this sender".to_owned(),
        raw: raw.as_bytes().to_vec(),
    }
}

#[tokio::test]
async fn a_message_that_matched_nothing_is_assigned_to_a_conversation() {
    let desk = Talk::new().await;
    let server = &desk.server;
    for (id, raw) in [("m1", "A REPLY"), ("m2", "GARBAGE"), ("m3", "NOTHING")] {
        server
            .store
            .file_unmatched(stray(id, raw))
            .await
            .expect("files");
    }
    let assign = async |id: &str, to: &str, key: &str| {
        let path = format!("/v1/unmatched/{id}/assign");
        let body = json!({"conversation": to, "from_stakeholder": true, "by": "kim"});
        server.post(&path, key, &body).await
    };
    let answer = assign("m1", "nowhere", &server.operator).await;
    assert_eq!(answer.fields(), ["conversation"]);
    let answer = assign("m9", &desk.conversation, &server.operator).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let answer = assign("m1", &desk.conversation, &server.foreign).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let answer = assign("m2", &desk.conversation, &server.operator).await;
    assert!(answer.text.contains("cannot be read"), "{}", answer.text);
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    let answer = assign("m3", &desk.conversation, &server.operator).await;
    assert_eq!(answer.fields(), ["conversation"]);

    let told = server.changes.inputs();
    let answer = assign("m1", &desk.conversation, &server.operator).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    assert_eq!(answer.json(), json!({"taken": "matched"}));
    assert_eq!(server.changes.inputs(), told + 1);
    let assigned = server.intake.assigned.lock().expect("no panics");
    let (said, assignment) = assigned.last().expect("it was handed on");
    assert_eq!(said, "A REPLY");
    assert_eq!(assignment.unmatched, MessageId::new("m1"));
    assert!(assignment.from_stakeholder);
}

#[tokio::test]
async fn a_need_about_the_daemons_own_mailbox_is_refused_at_its_field() {
    let server = Server::new().await;
    let (local, domain) = MAILBOX.split_once('@').expect("an address");
    for own in [
        MAILBOX.to_owned(),
        MAILBOX.to_uppercase(),
        format!("{local}+token@{domain}"),
    ] {
        let mut need = inspection();
        need["stakeholder"] = json!({"email": own});
        let answer = server.post("/v1/needs", &server.caller, &need).await;
        assert_eq!(answer.fields(), ["stakeholder.email"], "{own}");
        need["stakeholder"] = json!({"email": "ana@example.com",
                                     "contacts": [{"channel": "email", "address": own}]});
        let answer = server.post("/v1/needs", &server.caller, &need).await;
        assert_eq!(
            answer.fields(),
            ["stakeholder.contacts[0].address"],
            "{own}"
        );
        assert!(!answer.text.contains(&own), "no fault repeats an address");
    }
    for other in [
        format!("{local}s@{domain}"),
        format!("{local}@other.example"),
    ] {
        let mut need = inspection();
        need["stakeholder"] = json!({"email": other});
        let answer = server.post("/v1/needs", &server.caller, &need).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{other}");
    }
}

#[tokio::test]
async fn a_page_that_cannot_be_is_refused_and_names_its_parameter() {
    let server = Server::new().await;
    let (need, _) = server.registered().await;
    for (path, parameter) in [
        ("/v1/needs?before=zz".to_owned(), "before"),
        ("/v1/needs?before=".to_owned(), "before"),
        (format!("/v1/needs/{need}/events?after=-1"), "after"),
        (format!("/v1/needs/{need}/events?after=x"), "after"),
    ] {
        let answer = server.get(&path, &server.caller).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        assert!(answer.text.contains(parameter), "{path}: {}", answer.text);
    }
    let id = text(&json!(need)).to_uppercase();
    let path = format!("/v1/needs?before={id}");
    let answer = server.get(&path, &server.caller).await;
    assert_eq!(answer.json(), json!({"needs": []}));
}

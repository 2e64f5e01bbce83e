//! What operators and callers decide about the person.

use crate::harness::{ADDRESS, Answer, MAILBOX, Server, Talk, request, text};
use http::{HeaderValue, Method, StatusCode};
use jiff::SignedDuration;
use liaison_core::{
    conversation::{Author, Origin, Received},
    id::{ConversationId, MessageId},
    input::Input,
    stakeholder::{Channel, EmailAddress},
};
use liaison_ports::{
    clock::Clock,
    store::{NewInput, Store},
};
use serde_json::{Value, json};

impl Talk {
    async fn decide(&self, body: Value) -> Answer {
        let path = self.need_path("/delegate");
        self.server.post(&path, &self.server.caller, &body).await
    }

    async fn decide_with_key(&self, key: &'static str, body: Value) -> Answer {
        let path = self.need_path("/delegate");
        let caller = &self.server.caller;
        let mut request = request(Method::POST, &path, caller, Some(&body));
        let key = HeaderValue::from_static(key);
        request.headers_mut().insert("idempotency-key", key);
        self.server.send(request).await
    }

    /// They name somebody in each of these texts, before anything was asked.
    async fn names(&self, texts: &[&str]) {
        let inputs = texts.iter().enumerate().map(|(place, text)| NewInput {
            conversation: ConversationId::new(self.conversation.clone()),
            dedupe_key: format!("message {place}"),
            at: self.server.clock.now(),
            input: Input::MessageReceived(Box::new(Received {
                message: MessageId::new(format!("m{place}")),
                channel: Channel::Email,
                from: EmailAddress::parse(ADDRESS).expect("an address"),
                origin: Origin::Known,
                received_at: self.server.clock.now(),
                written_at: self.server.clock.now(),
                subject: String::new(),
                text: (*text).to_owned(),
                attachments: Vec::new(),
                author: Author::Person,
                transport_id: None,
                answers: None,
            })),
        });
        for input in inputs {
            let appended = self.server.store.append_inputs(vec![input]).await;
            appended.expect("it is stored");
            self.server.work().await;
            self.server.clock.advance(SignedDuration::from_secs(61));
            self.server.work().await;
        }
    }

    async fn proposals(&self) -> Vec<String> {
        let view = self.view().await;
        let holds = view["holds"].as_array().expect("a list");
        holds.iter().map(|hold| text(&hold["id"])).collect()
    }

    /// Their provider passes on a complaint.
    async fn complains(&self) {
        let input = NewInput {
            conversation: ConversationId::new(self.conversation.clone()),
            dedupe_key: "complaint".to_owned(),
            at: self.server.clock.now(),
            input: Input::OptedOut {
                message: MessageId::new("report"),
                why: "they reported a message of ours as unwanted".to_owned(),
            },
        };
        let appended = self.server.store.append_inputs(vec![input]).await;
        appended.expect("it is stored");
        self.server.work().await;
    }
}

#[tokio::test]
async fn who_opted_out_is_written_to_again_only_with_grounds() {
    let talk = Talk::new().await;
    talk.complains().await;
    let path = format!("/v1/needs/{}", talk.need);
    let need = talk.server.get(&path, &talk.server.caller).await.json();
    assert_eq!(need["status"], "opted_out");
    let address = crate::harness::ADDRESS;
    let revive = json!({"note": "she called", "address": address, "by": "kim"});
    let taken = talk.command("revive", revive).await;
    assert_eq!(taken.status, StatusCode::ACCEPTED, "{}", taken.text);
    talk.server.work().await;
    let contact = &talk.view().await["stakeholder"]["contacts"][0];
    assert_eq!(contact["consent"], json!({"state": "given"}));
    assert_eq!(contact["revived"]["note"], "she called");
}

#[tokio::test]
async fn an_operator_opts_a_person_out_and_back_in_with_the_reasons() {
    let talk = Talk::new().await;
    let address = crate::harness::ADDRESS;
    talk.done("opt-out", json!({"note": "she called", "by": "kim"}))
        .await;
    let contact = &talk.view().await["stakeholder"]["contacts"][0];
    assert_eq!(contact["consent"]["state"], "opted_out");
    assert_eq!(
        contact["consent"]["entered"],
        json!({"by": "kim", "note": "she called"})
    );
    let path = talk.need_path("");
    let need = talk.server.get(&path, &talk.server.caller).await;
    assert_eq!(need.json()["status"], "opted_out");
    let again = talk.command("opt-out", json!({"note": "x"})).await;
    assert_eq!(again.fields(), ["address"], "it is so already");

    talk.done(
        "opt-in",
        json!({"address": address, "note": "she called again", "by": "kim"}),
    )
    .await;
    let contact = &talk.view().await["stakeholder"]["contacts"][0];
    assert_eq!(contact["consent"], json!({"state": "given"}));
    assert_eq!(contact["revived"]["note"], "she called again");
}

#[tokio::test]
async fn an_opt_out_with_the_same_key_counts_once_and_with_another_body_is_refused() {
    let talk = Talk::new().await;
    let give = async |name: &str, note: &str| {
        let body = json!({"note": note});
        let path = talk.path(&format!("/{name}"));
        let key = &talk.server.operator;
        let mut request = crate::harness::request(http::Method::POST, &path, key, Some(&body));
        let header = "key-1".parse().expect("a header");
        request.headers_mut().insert("idempotency-key", header);
        talk.server.send(request).await
    };
    let first = give("opt-out", "she called").await;
    assert_eq!(first.json(), json!({"repeated": false}));
    talk.server.work().await;
    let second = give("opt-out", "she called").await;
    assert_eq!(second.status, StatusCode::ACCEPTED, "{}", second.text);
    assert_eq!(second.json(), json!({"repeated": true}));
    for (name, note) in [("opt-out", "he called"), ("opt-in", "she called")] {
        let other = give(name, note).await;
        assert_eq!(other.problem().name(), "idempotency-key-reused");
    }
}

#[tokio::test]
async fn a_wrong_opt_out_names_its_field() {
    let talk = Talk::new().await;
    for name in ["opt-out", "opt-in"] {
        for (body, field) in [
            (json!({"note": " "}), "note"),
            (json!({}), "note"),
            (json!({"note": "x", "address": "ana"}), "address"),
            (
                json!({"note": "x", "address": "eve@example.com"}),
                "address",
            ),
            (json!({"note": "x", "adress": "eve@example.com"}), "adress"),
        ] {
            let refused = talk.command(name, body.clone()).await;
            assert_eq!(refused.fields(), [field], "{name} {body}");
        }
    }
    let refused = talk.command("opt-in", json!({"note": "x"})).await;
    assert_eq!(refused.fields(), ["address"], "nobody has opted out");
    assert_eq!(talk.view().await["unfolded"], 0);
}

#[tokio::test]
async fn what_was_said_before_belongs_to_one_need_and_where_several_are_open_that_is_named() {
    let talk = Talk::new().await;
    talk.server.registered().await;
    talk.server.work().await;
    let entry = json!({"at": "2026-01-01T10:00:00Z", "text": "Please arrange it for me."});
    let refused = talk.command("catch-up", json!({"entries": [entry]})).await;
    assert_eq!(refused.fields(), ["need"]);
    assert!(refused.text.contains("several needs"), "{}", refused.text);
    let taken = talk
        .command("catch-up", json!({"entries": [entry], "need": talk.need}))
        .await;
    assert_eq!(taken.status, StatusCode::ACCEPTED, "{}", taken.text);
}

#[tokio::test]
async fn a_delegate_that_nobody_named_is_not_written_to() {
    let talk = Talk::new().await;
    let taken = talk
        .command("accept-delegate", json!({"address": "eve@example.com"}))
        .await;
    assert_eq!(taken.status, StatusCode::ACCEPTED, "{}", taken.text);
    let taken = talk
        .decide(json!({"accept": true, "address": "eve@example.com"}))
        .await;
    assert_eq!(taken.status, StatusCode::ACCEPTED, "{}", taken.text);
    talk.server.work().await;
    let contacts = talk.view().await["stakeholder"]["contacts"].clone();
    assert_eq!(contacts.as_array().map(Vec::len), Some(1), "{contacts}");
}

#[tokio::test]
async fn a_decision_about_a_delegate_is_checked() {
    let talk = Talk::new().await;
    for body in [
        json!({"accept": true, "address": "nobody"}),
        json!({"accept": true, "address": "a b@example.com"}),
    ] {
        assert_eq!(talk.decide(body.clone()).await.fields(), ["address"]);
        let mut command = body;
        command.as_object_mut().expect("an object").remove("accept");
        let refused = talk.command("accept-delegate", command).await;
        assert_eq!(refused.fields(), ["address"]);
    }
    let refused = talk.decide(json!({"accept": true, "name": "a\nb"})).await;
    assert_eq!(refused.fields(), ["name"]);
    let refused = talk.decide(json!({"accepts": true})).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    talk.complains().await;
    let refused = talk.decide(json!({"accept": true})).await;
    assert_eq!(refused.fields(), ["accept"], "the need has ended");
}

#[tokio::test]
async fn what_was_said_before_is_taken_for_an_open_need_only() {
    let talk = Talk::new().await;
    let entry = json!({"at": "2026-01-01T10:00:00Z", "text": "Please arrange it for me."});
    let refused = talk.command("catch-up", json!({"entries": []})).await;
    assert_eq!(refused.fields(), ["entries"]);
    let late = json!({"at": "2099-01-01T10:00:00Z", "text": "x"});
    let refused = talk.command("catch-up", json!({"entries": [late]})).await;
    assert_eq!(refused.fields(), ["entries[0].at"]);
    let refused = talk
        .command("catch-up", json!({"entries": [entry], "need": "another"}))
        .await;
    assert_eq!(refused.fields(), ["need"]);
    let taken = talk.command("catch-up", json!({"entries": [entry]})).await;
    assert_eq!(taken.status, StatusCode::ACCEPTED, "{}", taken.text);
    assert_eq!(talk.view().await["unfolded"], 1);
}

#[tokio::test]
async fn a_country_is_two_letters() {
    let server = Server::new().await;
    let mut need = crate::harness::inspection();
    need["stakeholder"]["country"] = json!("France");
    let refused = server.post("/v1/needs", &server.caller, &need).await;
    assert_eq!(refused.fields(), ["stakeholder.country"]);
    need["stakeholder"]["country"] = json!("fr");
    let taken = server.post("/v1/needs", &server.caller, &need).await;
    assert_eq!(taken.status, StatusCode::CREATED, "{}", taken.text);
}

const BO: &str = "Please ask my assistant Bo, bo@example.org.";
const EVE: &str = "Or ask my assistant Eve, eve@example.org.";

#[tokio::test]
async fn with_two_proposals_open_a_decision_names_one_of_them() {
    let talk = Talk::new().await;
    talk.names(&[BO, EVE]).await;
    let holds = talk.proposals().await;
    assert_eq!(holds.len(), 2);
    for answer in [
        talk.command("accept-delegate", json!({})).await,
        talk.command("reject-delegate", json!({})).await,
        talk.decide(json!({"accept": true})).await,
        talk.decide(json!({"accept": false})).await,
        talk.decide(json!({"accept": true, "address": "another@example.org"}))
            .await,
    ] {
        assert_eq!(answer.fields(), ["hold"], "{}", answer.text);
        assert!(holds.iter().all(|hold| answer.text.contains(hold)));
        assert!(!answer.text.contains('@'), "no fault repeats an address");
    }
    let unknown = json!({"hold": "another"});
    let answer = talk.command("accept-delegate", unknown).await;
    assert_eq!(answer.fields(), ["hold"]);
    let taken = talk.decide(json!({"accept": true, "hold": holds[1]})).await;
    assert_eq!(taken.status, StatusCode::ACCEPTED, "{}", taken.text);
    talk.server.work().await;
    let view = talk.view().await;
    assert_eq!(
        view["stakeholder"]["contacts"][0]["address"],
        "eve@example.org"
    );
    assert_eq!(view["holds"], json!([]));
}

#[tokio::test]
async fn one_of_two_proposals_is_accepted_by_its_address_and_rejected_by_its_hold() {
    let talk = Talk::new().await;
    talk.names(&[BO, EVE]).await;
    let holds = talk.proposals().await;
    talk.done("reject-delegate", json!({"hold": holds[1]}))
        .await;
    assert_eq!(talk.proposals().await, holds[..1]);
    let talk = Talk::new().await;
    talk.names(&[BO, EVE]).await;
    talk.done("accept-delegate", json!({"address": "Bo@example.org"}))
        .await;
    let first = &talk.view().await["stakeholder"]["contacts"][0];
    assert_eq!(first["name"], "Bo");
}

#[tokio::test]
async fn a_delegate_that_is_the_daemons_own_mailbox_is_refused_at_its_field() {
    let talk = Talk::new().await;
    talk.names(&[BO]).await;
    let (local, domain) = MAILBOX.split_once('@').expect("an address");
    for own in [
        MAILBOX.to_owned(),
        MAILBOX.to_uppercase(),
        format!("{local}+token@{domain}"),
    ] {
        let body = json!({"address": own});
        let answer = talk.command("accept-delegate", body).await;
        assert_eq!(answer.fields(), ["address"], "{own}");
        assert!(!answer.text.contains(&own), "no fault repeats an address");
        let answer = talk.decide(json!({"accept": true, "address": own})).await;
        assert_eq!(answer.fields(), ["address"], "{own}");
    }
}

#[tokio::test]
async fn a_decision_about_a_delegate_with_a_key_counts_once_and_for_one_body() {
    let talk = Talk::new().await;
    talk.names(&[BO]).await;
    let body = json!({"accept": true, "name": "Bo"});
    let taken = talk.decide_with_key("k1", body.clone()).await;
    assert_eq!(taken.json(), json!({"repeated": false}));
    let again = talk.decide_with_key("k1", body.clone()).await;
    assert_eq!(again.json(), json!({"repeated": true}));
    let other = talk.decide_with_key("k1", json!({"accept": false})).await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(other.problem().kind.ends_with("idempotency-key-reused"));
    talk.complains().await;
    let late = talk.decide_with_key("k1", body).await;
    assert_eq!(
        late.json(),
        json!({"repeated": true}),
        "a repetition is one, though the need has ended since"
    );
}

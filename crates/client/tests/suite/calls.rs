//! The other calls, against the daemon's own API.

use crate::daemon::{Daemon, inspection};
use liaison_client::{
    Client, ClientError, ConversationPage, Date, Kind, Ladder, MessageId, NeedId, NeedStatus,
    Stakeholder, Timestamp, Wait, api,
};

#[tokio::test]
async fn every_builder_makes_what_the_daemon_accepts() {
    let daemon = Daemon::start().await;
    let day = |text: &str| text.parse::<Date>().expect("a day");
    let need = daemon
        .client()
        .need("Prepare the inspection")
        .stakeholder(
            Stakeholder::email("owner@example.com")
                .or_email("owner.home@example.com")
                .key("landlord-7")
                .name("Ana")
                .language("en-GB")
                .zone("Europe/Paris"),
        )
        .subject("property:42")
        .choice("who", "Who arranges it?", [("you", "you"), ("us", "us")])
        .self_check("Does the message say who?")
        .boolean("tenant_told", "Does the tenant know?")
        .optional()
        .date("on", "On which day?")
        .date_between(
            "keys_by",
            "Until when?",
            day("2026-07-10"),
            day("2026-08-10"),
        )
        .number("keys", "How many keys are there?")
        .slot(
            "rent",
            "What is the rent?",
            Kind::Number(api::Number {
                minimum: Some("0.5".parse().expect("a decimal")),
                unit: Some("EUR".to_owned()),
                ..api::Number::default()
            }),
        )
        .text("notes", "Anything to know?")
        .file("plan", "Can you send the plan?", ["application/pdf"])
        .deadline(
            "2026-08-01T00:00:00Z"
                .parse::<Timestamp>()
                .expect("an instant"),
        )
        .fact("The key is at the office.")
        .brief("The inspection takes an hour.")
        .ladder(Ladder {
            waits: vec![Wait::days(2)],
            ..Ladder::default()
        })
        .said_before(
            "2026-07-01T00:00:00Z".parse().expect("an instant"),
            "I am away in June.",
        )
        .register()
        .await
        .expect("registers");
    let view = need.view().await.expect("a view");
    assert_eq!(view.status, NeedStatus::Open);
    assert_eq!(view.subject.as_deref(), Some("property:42"));
    assert_eq!(view.deadline.to_string(), "2026-08-01T00:00:00Z");
}

#[tokio::test]
async fn a_refused_registration_says_which_fields_are_wrong() {
    let daemon = Daemon::start().await;
    let error = daemon
        .client()
        .need("x")
        .stakeholder(Stakeholder::email("nobody"))
        .choice::<&str, &str>("Who", "Who?", [])
        .deadline_in(Wait::days(1))
        .register()
        .await
        .expect_err("all wrong");
    let ClientError::Refused { problem, .. } = &error else {
        panic!("{error:?}");
    };
    let fields: Vec<_> = problem
        .errors
        .iter()
        .map(|fault| fault.field.as_str())
        .collect();
    assert_eq!(
        fields,
        ["stakeholder.email", "slots[0].name", "slots[0].options"]
    );
    assert!(
        error
            .to_string()
            .contains("\n  slots[0].options: a choice needs"),
        "{error}"
    );
    assert!(!error.is_transient());
}

#[tokio::test]
async fn a_need_that_lacks_something_is_not_sent() {
    let daemon = Daemon::start().await;
    let need = || daemon.client().need("x").boolean("a", "?");
    let error = need()
        .deadline_in(Wait::days(1))
        .register()
        .await
        .expect_err("nobody");
    assert!(
        matches!(error, ClientError::Incomplete("stakeholder")),
        "{error:?}"
    );
    let somebody = Stakeholder::email("a@example.com");
    let error = need()
        .stakeholder(somebody)
        .register()
        .await
        .expect_err("no end");
    assert!(
        matches!(error, ClientError::Incomplete("deadline")),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_operator_reads_and_commands_through_the_client() {
    let daemon = Daemon::start().await;
    let client = daemon.client();
    let need = inspection(&client).await;
    daemon.work().await;
    let list = client
        .conversations(ConversationPage::default())
        .await
        .expect("a list");
    let id = list.conversations[0].id.clone();
    assert_eq!(list.conversations[0].stakeholder, "Ana");
    let commands = client.commands(id.clone()).by("kim");

    commands.hold("on the phone").await.expect("holds");
    daemon.work().await;
    let view = client.conversation(&id).await.expect("a view");
    assert_eq!(view.holds[0].sentence, "kim asked for it: on the phone");
    assert_eq!(view.slots[0].state.name(), "missing");
    let held = ConversationPage {
        held: true,
        ..ConversationPage::default()
    };
    assert_eq!(
        client
            .conversations(held)
            .await
            .expect("a list")
            .conversations
            .len(),
        1
    );
    let explanation = client.explain(&id).await.expect("explains");
    assert_eq!(explanation.phase, view.phase);
    assert!(explanation.rules.iter().any(|rule| rule.wins));

    commands.resume().await.expect("resumes");
    commands.take_over().await.expect("takes over");
    commands.hand_back().await.expect("hands back");
    daemon.work().await;
    assert!(
        client
            .conversation(&id)
            .await
            .expect("a view")
            .holds
            .is_empty()
    );

    let error = commands
        .resolve_send(MessageId::new("m"), true)
        .await
        .expect_err("no such message");
    assert_eq!(
        error.problem().map(|p| p.errors[0].field.as_str()),
        Some("message")
    );

    let keyed = commands.clone().idempotency_key("a1");
    assert!(!keyed.answer("Yes.", true).await.expect("answers").repeated);
    assert!(keyed.answer("Yes.", true).await.expect("answers").repeated);
    let journal = client.journal(&id, 0).await.expect("a journal");
    assert!(!journal.operations.is_empty());
    assert!(
        client
            .transcript(&id, 10)
            .await
            .expect("a transcript")
            .messages
            .is_empty()
    );
    assert!(
        client
            .unmatched()
            .await
            .expect("a list")
            .messages
            .is_empty()
    );
    assert!(client.outbox().await.expect("a list").messages.is_empty());
    let needs = client.needs(None, 10).await.expect("a list").needs;
    assert_eq!(&needs[0].id, need.id());
    assert!(
        client
            .needs(Some(need.id()), 10)
            .await
            .expect("a list")
            .needs
            .is_empty()
    );
}

#[tokio::test]
async fn what_no_waiting_mends_is_an_error_at_once() {
    let daemon = Daemon::start().await;
    let unknown = daemon
        .client()
        .attach(NeedId::new("00000000-0000-7000-8000-000000000000"));
    let error = unknown.outcome().await.expect_err("no such need");
    assert_eq!(error.problem().map(|p| p.status), Some(404));

    let stranger = Client::new(&daemon.url(), "lia_00000000000000000000000000").expect("a client");
    let error = stranger.needs(None, 1).await.expect_err("no such key");
    assert_eq!(error.problem().map(|p| p.status), Some(401));
    assert!(
        !format!("{error:?} {stranger:?}").contains("lia_0"),
        "the key is not shown"
    );
}

#[test]
fn a_client_that_cannot_work_is_not_made() {
    for (url, key) in [
        ("", "lia_x"),
        ("127.0.0.1:7070", "lia_x"),
        ("ftp://127.0.0.1", "lia_x"),
        ("http://user@127.0.0.1", "lia_x"),
        ("http://127.0.0.1?x=1", "lia_x"),
        ("http://127.0.0.1", "lia_x\r\nX: y"),
    ] {
        let error = Client::new(url, key).expect_err(url);
        assert!(matches!(error, ClientError::Setup(_)), "{url}: {error:?}");
        assert!(!error.to_string().contains("lia_"), "{error}");
    }
}

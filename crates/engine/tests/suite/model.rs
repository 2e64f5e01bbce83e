//! A language model behind the engine: whatever its endpoint does, nothing wrong enters the state,
//! and the message is read later.

use crate::{
    office::{Office, Setup, YES, policy},
    stub::{Reply, Stub, says},
};
use liaison_core::{conversation::Action, policy::Wait, slot::Standing};
use liaison_language::openai::{OpenAi, OpenAiConfig};
use std::{sync::Arc, time::Duration};

const MESSAGE: &str = r#"{"says":"They want us to arrange it.","automatic_reply":false,"question":"","out_of_scope":"","wants_person":"","refuses_contact":"","names_another":"","away_until":"","tone":"neutral"}"#;

fn right() -> String {
    format!(
        r#"{{"message":{MESSAGE},"s1":{{"says":"We are to arrange it.","quote":"{YES}","clear_value_present":true,"answer":"value","would_be_guessing":false,"explicit_correction":false,"value":"agency","promised_date":"","self_checks":{{}}}}}}"#
    )
}

/// The right answer with something wrong in it.
fn wrong(from: &str, to: &str) -> String {
    let right = right();
    assert!(right.contains(from), "{from} is not in the answer");
    right.replacen(from, to, 1)
}

fn failed(status: &'static str, headers: &'static str, body: &str) -> Reply {
    Reply::Answer(status, headers, body.to_owned())
}

/// Every way in which an endpoint gives no answer, and a word that its error holds.
fn failures() -> Vec<(&'static str, Reply, &'static str)> {
    let refusal = r#"{"choices":[{"message":{"content":null,"refusal":"I cannot do that."},"finish_reason":"stop"}]}"#;
    let huge = format!("{}{}", right(), " ".repeat(1 << 20));
    vec![
        ("late", Reply::Silence, "longer than"),
        ("hung up", Reply::HangUp, "reached"),
        ("words", says("The agency should arrange it."), "form"),
        ("half a form", says(&right()[..right().len() / 2]), "form"),
        (
            "a form with holes",
            says(&wrong("\"would_be_guessing\":false,", "")),
            "form",
        ),
        (
            "a form of lists",
            says(&wrong("\"agency\"", "[\"agency\"]")),
            "form",
        ),
        ("no completion", failed("200 OK", "", "<html>"), "form"),
        (
            "a refusal",
            failed("200 OK", "", refusal),
            "I cannot do that.",
        ),
        ("an over-long answer", says(&huge), "longer than"),
        ("a body without end", Reply::Endless, "longer than"),
        (
            "throttled",
            failed("429 Too Many Requests", "retry-after: 1\r\n", "{}"),
            "limit",
        ),
        (
            "broken",
            failed("500 Internal Server Error", "", "oops"),
            "500",
        ),
        ("a wrong key", failed("401 Unauthorized", "", "{}"), "key"),
    ]
}

/// An office whose reader is the model. It is asked once for each try of the engine's.
async fn office() -> (Office, Stub) {
    // `Err` means that it is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let stub = Stub::start().await;
    let reader = OpenAi::new(OpenAiConfig {
        retries: 0,
        request_timeout: Duration::from_secs(1),
        ..OpenAiConfig::new(stub.base_url(), "test-model")
    })
    .unwrap();
    let office = Office::with(Setup {
        reader: Arc::new(reader),
        policy: policy(),
        ..Setup::default()
    });
    (office, stub)
}

#[tokio::test]
async fn a_right_answer_settles_the_need_and_its_cost_is_in_the_journal() {
    let (office, stub) = office().await;
    let conversation = office.register("inspection").await;
    office.quiet().await;
    stub.push(says(&right()));
    office.replies("inspection", YES).await;
    assert!(office.is_fulfilled("inspection").await);
    let rows = office.journal(&conversation).await.operations;
    let usage: Vec<_> = rows.into_iter().filter_map(|row| row.usage).collect();
    assert_eq!(usage.len(), 1);
    assert_eq!(
        (usage[0].prompt_tokens, usage[0].completion_tokens),
        (870, 77)
    );
    assert_eq!(usage[0].model, "test-model-2027");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn whatever_goes_wrong_the_message_stays_unread_and_is_read_after_the_backoff() {
    for (name, reply, word) in failures() {
        let (office, stub) = office().await;
        let conversation = office.register("inspection").await;
        office.quiet().await;
        stub.push(reply);
        office.replies("inspection", YES).await;

        let after = office.document(&conversation).await;
        assert_eq!(after.inbox.len(), 1, "{name}: it stays unread");
        assert_eq!(after.inbox[0].text, YES, "{name}");
        assert!(
            after
                .slots
                .values()
                .all(|s| s.standing == Standing::Missing),
            "{name}"
        );
        assert!(after.holds.is_empty(), "{name}: {:?}", after.holds);
        assert_eq!(after.reading.failed, 1, "{name}");
        let error = after.reading.error.unwrap();
        assert!(error.contains(word), "{name}: {error}");
        assert!(office.outcome("inspection").await.is_none(), "{name}");

        office.passes(Wait::seconds(29)).await;
        assert_eq!(stub.requests(), 1, "{name}: not before the backoff is over");
        stub.push(says(&right()));
        office.passes(Wait::seconds(1)).await;
        assert_eq!(stub.requests(), 2, "{name}");
        assert!(office.is_fulfilled("inspection").await, "{name}");
        let mended = office.document(&conversation).await;
        assert!(
            mended.inbox.is_empty() && mended.reading.failed == 0,
            "{name}"
        );
        assert_eq!(office.asks(), 1, "{name}");
        office.replays(&conversation).await;
    }
}

#[tokio::test]
async fn an_answer_that_lies_changes_no_value() {
    let lies = [
        (
            "a value that nobody offered",
            wrong("\"agency\"", "\"the moon\""),
        ),
        ("the other value", wrong("\"agency\"", "\"landlord\"")),
        (
            "a quote that nobody wrote",
            wrong(YES, "The agency shall do it."),
        ),
        ("an option's name for a quote", wrong(YES, "agency")),
        (
            "a guess",
            wrong("\"would_be_guessing\":false", "\"would_be_guessing\":true"),
        ),
        (
            "no clear value",
            wrong(
                "\"clear_value_present\":true",
                "\"clear_value_present\":false",
            ),
        ),
    ];
    for (name, lie) in lies {
        let (office, stub) = office().await;
        let conversation = office.register("inspection").await;
        office.quiet().await;
        stub.push(says(&lie));
        office.replies("inspection", YES).await;
        let after = office.document(&conversation).await;
        let values: Vec<_> = after
            .slots
            .values()
            .filter_map(|s| s.standing.value())
            .collect();
        assert!(values.is_empty(), "{name}: {values:?}");
        assert!(office.outcome("inspection").await.is_none(), "{name}");
        assert!(after.inbox.is_empty(), "{name}: it was read");
        // Either the person is asked what they meant, or an operator looks at it.
        let asks_back = office.mail().len() == 2;
        assert_eq!(asks_back, after.holds.is_empty(), "{name}");
        office.replays(&conversation).await;
    }
}

#[tokio::test]
async fn after_bounded_tries_an_operator_is_told_why_and_resuming_reads_it() {
    let (office, stub) = office().await;
    let conversation = office.register("inspection").await;
    office.quiet().await;
    for _ in 0..3 {
        stub.push(failed("500 Internal Server Error", "", "oops"));
    }
    office.replies("inspection", YES).await;
    office.passes(Wait::seconds(30)).await;
    assert_eq!(stub.requests(), 2);
    assert!(office.holds(&conversation).await.is_empty());
    office.passes(Wait::seconds(59)).await;
    assert_eq!(stub.requests(), 2, "the second wait is twice the first");
    office.passes(Wait::seconds(1)).await;
    assert_eq!(stub.requests(), 3);
    assert_eq!(office.holds(&conversation).await, ["reading_failed"]);
    let held = office.document(&conversation).await;
    let sentence = held.holds[0].reason.sentence();
    assert!(sentence.contains("500"), "{sentence}");
    assert_eq!(held.inbox.len(), 1);

    office.passes(Wait::days(4)).await;
    assert_eq!(stub.requests(), 3, "held, it is not tried again");
    assert_eq!(office.mail().len(), 1, "held, nothing is sent");

    stub.push(says(&right()));
    office.commands(&conversation, Action::Resume).await;
    assert_eq!(stub.requests(), 4);
    assert!(office.is_fulfilled("inspection").await);
    assert!(office.holds(&conversation).await.is_empty());
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_model_that_is_down_delays_reading_and_never_asking() {
    let (office, stub) = office().await;
    let first = office.register("inspection").await;
    office.quiet().await;
    stub.push(Reply::HangUp);
    office.replies("inspection", YES).await;
    let other = crate::office::person(&["bob@example.com"]);
    office.register_for("other", other).await;
    office.quiet().await;
    assert_eq!(office.asks(), 2, "somebody else is asked meanwhile");
    assert_eq!(office.document(&first).await.inbox.len(), 1);
}

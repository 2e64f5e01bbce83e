//! Whose a message is.

use crate::office::{LANDLORD, Office, YES, address, person, tenant, token};
use jiff::SignedDuration;
use liaison_core::{
    id::ConversationId,
    input::Input,
    stakeholder::{Health, Stakeholder},
};
use liaison_ports::{
    inbound::{Assignment, InboundFile, InboundKind, InboundMessage, Intake, Taken},
    store::{Direction, Store},
};

/// A person with a key of their own, so that two of them may share an address.
fn keyed(key: &str) -> Stakeholder {
    Stakeholder {
        key: Some(key.to_owned()),
        ..person(&[LANDLORD])
    }
}

/// An office with two open conversations with Ana's address, both asked.
async fn two() -> (Office, ConversationId, ConversationId) {
    let office = Office::open();
    let one = office.register_for("one", keyed("ana-as-owner")).await;
    let two = office.register_for("two", keyed("ana-as-tenant")).await;
    assert_ne!(one, two);
    office.quiet().await;
    assert_eq!(office.asks(), 2);
    (office, one, two)
}

/// The Message-ID of what was asked in a conversation.
async fn asked(office: &Office, conversation: &ConversationId) -> String {
    let rows = office.store_transcript(conversation).await;
    let ours = rows.iter().find(|row| row.direction == Direction::Outbound);
    ours.unwrap().transport_id.clone().unwrap()
}

#[tokio::test]
async fn a_token_counts_for_more_than_what_a_message_answers_and_that_for_more_than_its_sender() {
    let (office, one, two) = two().await;
    let other = asked(&office, &two).await;

    let mut letter = office.letter("one", "By token.");
    letter.references = vec![other.clone()];
    assert_eq!(office.takes(letter).await, Taken::Matched(one.clone()));

    let mut letter = office.letter("one", "By reference.");
    letter.tokens = vec!["token-of-nobody".to_owned()];
    letter.references = vec!["<unknown@example.com>".to_owned(), other];
    assert_eq!(office.takes(letter).await, Taken::Matched(two));

    let mut letter = office.letter("one", "By the second token.");
    letter.tokens = vec!["token-of-nobody".to_owned(), token("one")];
    letter.from = Some(address("somebody@else.example"));
    assert_eq!(office.takes(letter).await, Taken::Matched(one));
}

#[tokio::test]
async fn a_known_sender_with_one_open_conversation_is_enough() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let mut letter = office.letter("inspection", YES);
    letter.tokens.clear();
    letter.from = Some(address("ANA@Example.com"));
    assert_eq!(office.takes(letter).await, Taken::Matched(conversation));
    office.quiet().await;
    assert!(office.is_fulfilled("inspection").await);

    // Over now, so the sender alone says nothing any more.
    let mut late = office.letter("inspection", "One more thing.");
    late.tokens.clear();
    assert_eq!(office.takes(late).await, Taken::Unmatched);
    let filed = &office.store.unmatched(&tenant(), 10).await.unwrap()[0];
    assert!(filed.why.contains("nobody is waiting"), "{}", filed.why);
    assert_eq!(filed.raw, b"One more thing.");
}

#[tokio::test]
async fn a_sender_with_two_open_conversations_and_no_thread_is_left_to_a_person() {
    let (office, one, two) = two().await;
    let mut letter = office.letter("one", YES);
    letter.tokens.clear();
    assert_eq!(office.takes(letter).await, Taken::Unmatched);
    let filed = &office.store.unmatched(&tenant(), 10).await.unwrap()[0];
    assert!(
        filed.why.contains("several open conversations"),
        "{}",
        filed.why
    );
    for conversation in [one, two] {
        assert_eq!(office.row(&conversation).await.unfolded, 0);
    }
}

#[tokio::test]
async fn the_same_message_is_taken_once_wherever_it_goes() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let letter = office.letter("inspection", YES);
    assert_eq!(
        office.takes(letter.clone()).await,
        Taken::Matched(conversation.clone())
    );
    assert_eq!(office.takes(letter.clone()).await, Taken::Duplicate);
    office.quiet().await;
    assert_eq!(office.takes(letter).await, Taken::Duplicate);
    let received = office.store_transcript(&conversation).await;
    let received = received
        .iter()
        .filter(|row| row.direction == Direction::Inbound);
    assert_eq!(received.count(), 1);

    let mut stray = office.letter("inspection", "Buy now!");
    stray.tokens.clear();
    stray.from = Some(address("shop@example.org"));
    assert_eq!(office.takes(stray.clone()).await, Taken::Unmatched);
    assert_eq!(office.takes(stray).await, Taken::Duplicate);
    let intake = office.engine.intake();
    for expected in [Taken::Unmatched, Taken::Duplicate] {
        let filed = intake
            .file_undecodable(&tenant(), b"\0\0", "no header", office.now())
            .await;
        assert_eq!(filed.unwrap(), expected);
    }
    assert_eq!(
        office.store.unmatched(&tenant(), 10).await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn a_stranger_in_the_thread_fills_nothing_and_is_an_operators_matter() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let mut letter = office.letter("inspection", YES);
    letter.from = Some(address("brother@example.com"));
    letter.from_text = "Ana's brother <brother@example.com>".to_owned();
    office.takes(letter).await;
    office.quiet().await;
    assert_eq!(office.holds(&conversation).await, ["unknown_sender"]);
    assert!(office.outcome("inspection").await.is_none());
    assert_eq!(office.mail().len(), 1);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn an_automatic_message_is_kept_and_answers_nothing() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let mut letter = office.letter("inspection", YES);
    letter.kind = InboundKind::Automatic;
    assert_eq!(
        office.takes(letter).await,
        Taken::Matched(conversation.clone())
    );
    office.quiet().await;
    assert!(office.outcome("inspection").await.is_none());
    assert!(office.holds(&conversation).await.is_empty());
    assert_eq!(office.store_transcript(&conversation).await.len(), 2);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_bounce_that_does_not_name_what_came_back_is_about_the_latest_message() {
    for named in [true, false] {
        let office = Office::open();
        let conversation = office.register("inspection").await;
        office.quiet().await;
        let mut bounce = office.letter("inspection", "It could not be delivered.");
        bounce.from = None;
        bounce.from_text = "MAILER-DAEMON".to_owned();
        let original = asked(&office, &conversation).await;
        if named {
            bounce.tokens.clear();
        }
        bounce.kind = InboundKind::Bounce {
            original: named.then_some(original),
            recipients: Vec::new(),
            permanent: true,
            reason: "550 5.1.1 no such user".to_owned(),
        };
        assert_eq!(
            office.takes(bounce).await,
            Taken::Matched(conversation.clone())
        );
        office.quiet().await;
        let document = office.document(&conversation).await;
        assert!(document.asks.is_empty(), "what came back was not asked");
        assert!(matches!(
            document.stakeholder.contacts[0].health,
            Health::Failed { .. }
        ));
        assert_eq!(office.holds(&conversation).await, ["unreachable"]);
        office.replays(&conversation).await;
    }
}

fn came_back(original: Option<String>, recipients: &[&str]) -> InboundKind {
    InboundKind::Bounce {
        original,
        recipients: recipients.iter().map(|to| (*to).to_owned()).collect(),
        permanent: true,
        reason: "550 5.1.1 no such user".to_owned(),
    }
}

#[tokio::test]
async fn a_bounce_in_a_persons_name_that_names_no_message_of_ours_is_filed() {
    for original in [None, Some("<of-somebody@example.com>".to_owned())] {
        let office = Office::open();
        let conversation = office.register("inspection").await;
        office.quiet().await;
        let mut bounce = office.letter("inspection", "It could not be delivered.");
        bounce.tokens.clear();
        bounce.kind = came_back(original, &[LANDLORD]);
        assert_eq!(office.takes(bounce).await, Taken::Unmatched);
        let filed = &office.store.unmatched(&tenant(), 10).await.unwrap()[0];
        assert_eq!(filed.why, "a bounce that names no message of ours");
        office.quiet().await;
        let contact = &office.document(&conversation).await.stakeholder.contacts[0];
        assert_eq!(contact.health, Health::Working);
    }
}

#[tokio::test]
async fn a_bounce_from_somebody_elses_address_says_nothing_of_the_persons() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let original = Some(asked(&office, &conversation).await);
    let mut bounce = office.letter("inspection", "It could not be delivered.");
    bounce.kind = came_back(original.clone(), &["assistant@example.org", "no address"]);
    assert_eq!(office.takes(bounce).await, Taken::Unmatched);
    let filed = &office.store.unmatched(&tenant(), 10).await.unwrap()[0];
    assert!(filed.why.contains("none of this person's"), "{}", filed.why);
    office.quiet().await;
    let contact = &office.document(&conversation).await.stakeholder.contacts[0];
    assert_eq!(contact.health, Health::Working);

    let mut bounce = office.letter("inspection", "It could not be delivered.");
    bounce.kind = came_back(original, &["assistant@example.org", "ANA@Example.com"]);
    assert_eq!(
        office.takes(bounce).await,
        Taken::Matched(conversation.clone())
    );
    office.quiet().await;
    assert_eq!(office.holds(&conversation).await, ["unreachable"]);
}

#[tokio::test]
async fn a_message_without_one_sender_is_filed_even_with_a_token() {
    for with_token in [true, false] {
        let office = Office::open();
        office.register("inspection").await;
        office.quiet().await;
        let mut letter = office.letter("inspection", YES);
        letter.from = None;
        letter.from_text = format!("{LANDLORD}, Eve <eve@evil.example>");
        if !with_token {
            letter.tokens.clear();
        }
        assert_eq!(office.takes(letter).await, Taken::Unmatched);
        let filed = &office.store.unmatched(&tenant(), 10).await.unwrap()[0];
        assert!(
            filed.why.contains("does not name one sender"),
            "{}",
            filed.why
        );
        office.quiet().await;
        assert!(office.outcome("inspection").await.is_none());
    }
}

#[tokio::test]
async fn a_bounce_of_nothing_of_ours_is_filed() {
    let office = Office::open();
    office.register("inspection").await;
    // Nothing was sent yet.
    let mut bounce = office.letter("inspection", "It could not be delivered.");
    bounce.kind = InboundKind::Bounce {
        original: Some("<of-somebody@example.com>".to_owned()),
        recipients: Vec::new(),
        permanent: true,
        reason: "550".to_owned(),
    };
    assert_eq!(office.takes(bounce).await, Taken::Unmatched);
    let filed = &office.store.unmatched(&tenant(), 10).await.unwrap()[0];
    assert!(filed.why.contains("no message of ours"), "{}", filed.why);
}

#[tokio::test]
async fn a_mails_own_date_counts_only_where_it_can_be_true() {
    let hours = SignedDuration::from_hours;
    let minutes = SignedDuration::from_mins;
    for (off, believed) in [
        (minutes(-30), true),
        (hours(-7 * 24), true),
        (hours(-7 * 24 - 1), false),
        (minutes(4), true),
        (minutes(6), false),
    ] {
        let office = Office::open();
        let conversation = office.register("inspection").await;
        office.quiet().await;
        let mut letter = office.letter("inspection", YES);
        let written = office.now().checked_add(off).unwrap();
        letter.written_at = Some(written);
        office.takes(letter).await;
        office.quiet().await;
        let operations = office.operations(&conversation).await;
        let received = operations
            .iter()
            .flat_map(|o| &o.inputs)
            .find_map(|i| match &i.input {
                Input::MessageReceived(received) => Some(received.written_at),
                _ => None,
            });
        let expected = if believed { written } else { office.now() };
        assert_eq!(received, Some(expected), "{off:#}");
    }
}

#[tokio::test]
async fn a_long_message_is_cut_at_a_character_and_its_files_are_kept() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let mut letter = office.letter("inspection", &"ä".repeat(15_000));
    letter.attachments = vec![InboundFile {
        name: "lease.pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        bytes: b"%PDF-1.7".to_vec(),
    }];
    office.takes(letter).await;
    let rows = office.store_transcript(&conversation).await;
    assert_eq!(rows[1].text.len(), 20_000);
    office.quiet().await;
    let operations = office.operations(&conversation).await;
    let file = operations
        .iter()
        .flat_map(|o| &o.inputs)
        .find_map(|i| match &i.input {
            Input::MessageReceived(received) => received.attachments.first().cloned(),
            _ => None,
        });
    let file = file.unwrap();
    assert_eq!((file.name.as_str(), file.size), ("lease.pdf", 8));
    let bytes = office.store.blob(&tenant(), &file.blob).await.unwrap();
    assert_eq!(bytes.as_deref(), Some(&b"%PDF-1.7"[..]));
    office.replays(&conversation).await;
}

/// Ana's answer from an address that nobody knows, filed as unmatched.
async fn filed(office: &Office) -> InboundMessage {
    let mut letter = office.letter("inspection", YES);
    letter.tokens.clear();
    letter.from = Some(address("ana.at.work@else.example"));
    assert_eq!(office.takes(letter.clone()).await, Taken::Unmatched);
    letter
}

async fn assign(
    office: &Office,
    letter: InboundMessage,
    conversation: &ConversationId,
    from_stakeholder: bool,
) -> Taken {
    let unmatched = office.store.unmatched(&tenant(), 1).await.unwrap();
    let assignment = Assignment {
        unmatched: unmatched[0].id.clone(),
        conversation: conversation.clone(),
        from_stakeholder,
        at: office.now(),
    };
    let intake = office.engine.intake();
    intake.assign(letter, assignment).await.unwrap()
}

#[tokio::test]
async fn a_message_that_an_operator_assigns_counts_as_what_they_say_it_is() {
    for (from_stakeholder, holds) in [(true, vec![]), (false, vec!["unknown_sender"])] {
        let office = Office::open();
        let conversation = office.register("inspection").await;
        office.quiet().await;
        let letter = filed(&office).await;
        let taken = assign(&office, letter, &conversation, from_stakeholder).await;
        assert_eq!(taken, Taken::Matched(conversation.clone()));
        office.quiet().await;
        assert_eq!(office.holds(&conversation).await, holds);
        assert_eq!(office.is_fulfilled("inspection").await, from_stakeholder);
        assert_eq!(office.store.unmatched(&tenant(), 1).await.unwrap(), []);
        office.replays(&conversation).await;
    }
}

#[tokio::test]
async fn a_report_about_nobody_in_a_conversation_is_not_assigned_to_it() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let mut letter = office.letter("inspection", "Undelivered.");
    letter.tokens.clear();
    letter.kind = InboundKind::Bounce {
        original: None,
        recipients: vec!["somebody@else.example".to_owned()],
        permanent: true,
        reason: "no such mailbox".to_owned(),
    };
    assert_eq!(office.takes(letter.clone()).await, Taken::Unmatched);
    let taken = assign(&office, letter, &conversation, true).await;
    assert_eq!(taken, Taken::Unmatched);
    assert_eq!(office.store.unmatched(&tenant(), 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_complaint_that_names_a_message_of_ours_opts_the_person_out() {
    for named in [true, false] {
        let office = Office::open();
        let conversation = office.register("inspection").await;
        office.quiet().await;
        let original = asked(&office, &conversation).await;
        let mut report = office.letter("inspection", "A complaint.");
        report.from = Some(address("fbl@provider.example"));
        report.from_text = "fbl@provider.example".to_owned();
        report.tokens.clear();
        report.kind = InboundKind::OptOut {
            original: named.then_some(original),
            reason: "they reported a message of ours as unwanted".to_owned(),
        };
        let taken = office.takes(report).await;
        office.quiet().await;
        let outcome = office.outcome("inspection").await;
        if named {
            assert_eq!(taken, Taken::Matched(conversation.clone()));
            let outcome = outcome.expect("the need has ended");
            assert_eq!(outcome.outcome, liaison_core::need::OutcomeKind::OptedOut);
        } else {
            assert_eq!(taken, Taken::Unmatched);
            assert!(outcome.is_none());
        }
        office.replays(&conversation).await;
    }
}

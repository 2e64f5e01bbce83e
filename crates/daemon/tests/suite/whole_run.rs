//! The whole exchange through real mail servers, both ways, with the clock in the test's hand.

use crate::{
    harness::{BOUND, Daemon, inspection, received, sent, until},
    mail_servers_kit::{Landlord, Servers, Wiring, with_servers},
};
use jiff::{SignedDuration, Timestamp};
use liaison_api::{ConversationView, HoldReason, SlotState};
use liaison_client::{Evidence, NeedHandle, NeedStatus, OutcomeKind};
use serde_json::Value;

/// A Monday, ten in the morning in Paris.
const MONDAY: &str = "2026-03-02T09:00:00Z";

const GATHER: SignedDuration = SignedDuration::from_secs(30);
const BURST: SignedDuration = SignedDuration::from_secs(60);

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Ticks, each with time to work.
const LOOKS_AT_A_SHUT_MAILBOX: usize = 40;

const YES: &str = "Please arrange it for me.";
const QUESTION: &str = "I contacted the tenant, and he will not be able to attend the inspection. \
                        Can I pass by the office to grab the keys?";

async fn start(servers: &Servers, wiring: Wiring, begin: &str) -> Daemon {
    Daemon::start(&servers.tenant(wiring, "secret"), begin).await
}

/// The only hold's reason.
#[track_caller]
fn held_for(conversation: &ConversationView) -> &HoldReason {
    match conversation.holds.as_slice() {
        [hold] => &hold.reason,
        holds => panic!("one hold was to stand, and these do: {holds:?}"),
    }
}

/// The only slot's state.
#[track_caller]
fn state(conversation: &ConversationView) -> &SlotState {
    match conversation.slots.as_slice() {
        [slot] => &slot.state,
        slots => panic!("there was to be one slot, and there are {slots:?}"),
    }
}

/// Asserts that the need is fulfilled by words in a message of the transcript.
async fn is_fulfilled_by(daemon: &Daemon, need: &NeedHandle, words: &str) {
    let outcome = need.outcome_within(BOUND).await.unwrap();
    assert_eq!(outcome.kind(), OutcomeKind::Fulfilled);
    assert_eq!(outcome.choice("arranged_by"), Some("agency"));
    let Evidence::Message { message, quote } = &outcome.slot("arranged_by").unwrap().evidence
    else {
        panic!("it rests on no message: {outcome:?}");
    };
    assert!(words.contains(quote.as_str()), "{quote:?}");
    assert!(!quote.is_empty());
    let conversation = daemon.conversation(need).await;
    let messages = received(&conversation);
    let named = messages.iter().find(|received| received.id == *message);
    assert_eq!(named.unwrap().text, words);
}

async fn an_answer_is_taken_and_thanked_for(servers: Servers, wiring: Wiring) {
    let mut landlord = Landlord::new(&servers).await;
    let daemon = start(&servers, wiring, MONDAY).await;
    let need = daemon.inspection(&landlord.address).await;

    // Further needs may join the question for half a minute.
    daemon.pass(GATHER - SignedDuration::from_secs(1)).await;
    assert!(sent(&daemon.conversation(&need).await).is_empty());
    daemon.pass(SignedDuration::from_secs(1)).await;
    let letters = landlord.letters(1).await;
    let asked = letters[0].text();
    assert!(
        asked.contains("arrange the inspection yourself, or have us arrange it for you?"),
        "{asked}"
    );
    assert!(letters[0].reply_to().starts_with("liaison+"));

    daemon.pass(SignedDuration::from_hours(2)).await;
    landlord.answer(&daemon, &letters[0], YES).await;
    daemon.wait_for_received(&need, 1).await;
    // People write three mails in a row: for a minute nothing is read.
    daemon.pass(BURST - SignedDuration::from_secs(1)).await;
    assert_eq!(need.view().await.unwrap().status, NeedStatus::Open);
    daemon.pass(SignedDuration::from_secs(1)).await;
    is_fulfilled_by(&daemon, &need, YES).await;

    let letters = landlord.letters(2).await;
    let thanks = letters[1].text();
    assert!(
        thanks.contains("Your answer: have us arrange it for you"),
        "{thanks}"
    );
    assert_eq!(
        letters[1].subject(),
        format!("Re: {}", letters[0].subject())
    );

    daemon.pass(DAY * 40).await;
    let letters = landlord.letters_at_last().await;
    assert_eq!(letters.len(), 2, "one question and one word of thanks");
    let conversation = daemon.conversation(&need).await;
    assert_eq!(sent(&conversation).len(), 2);
    assert_eq!(conversation.asks.len(), 1);
    daemon.stop().await;
}

#[test]
fn an_answer_is_taken_and_thanked_for_in_the_clear_on_loopback() {
    with_servers(async |servers| {
        an_answer_is_taken_and_thanked_for(servers, Wiring::Plain).await;
    });
}

#[test]
fn an_answer_is_taken_and_thanked_for_over_starttls_with_a_login() {
    with_servers(async |servers| {
        an_answer_is_taken_and_thanked_for(servers, Wiring::StartTls).await;
    });
}

#[test]
fn an_answer_is_taken_and_thanked_for_over_tls_with_a_login() {
    with_servers(async |servers| {
        an_answer_is_taken_and_thanked_for(servers, Wiring::Tls).await;
    });
}

#[test]
fn a_question_waits_for_an_operator_whose_answer_goes_out_in_the_thread() {
    with_servers(async |servers| {
        let mut landlord = Landlord::new(&servers).await;
        let daemon = start(&servers, Wiring::Plain, MONDAY).await;
        let need = daemon.inspection(&landlord.address).await;
        daemon.pass(GATHER).await;
        let letters = landlord.letters(1).await;
        daemon.pass(SignedDuration::from_mins(20)).await;
        let asking = landlord.answer(&daemon, &letters[0], QUESTION).await;
        daemon.wait_for_received(&need, 1).await;

        // It fills nothing and is answered by nobody, also when a reminder would be due.
        daemon.pass(DAY * 4).await;
        let conversation = daemon.conversation(&need).await;
        let HoldReason::StakeholderQuestion { quote, .. } = held_for(&conversation) else {
            panic!("{:?}", conversation.holds);
        };
        assert_eq!(quote, "Can I pass by the office to grab the keys?");
        assert!(matches!(state(&conversation), SlotState::Asked { .. }));
        assert_eq!(need.view().await.unwrap().status, NeedStatus::Open);
        assert_eq!(landlord.letters_at_last().await.len(), 1);

        let id = conversation.id.as_str();
        let list = daemon.command(&["conversation", "list", "--held"]).await;
        assert!(list.fine().contains(id));
        let shown = daemon.command(&["conversation", "show", id]).await.fine();
        assert!(shown.contains("grab the keys?"), "{shown}");
        let words = "The keys are at the front desk, from nine to five.";
        let answer = [
            "conversation",
            "answer",
            id,
            words,
            "--resume",
            "--by",
            "Ana",
        ];
        daemon.command(&answer).await.fine();
        daemon.settle().await;

        let letters = landlord.letters(2).await;
        assert!(letters[1].text().contains(words), "{}", letters[1].text());
        assert_eq!(
            letters[1].subject(),
            format!("Re: {}", letters[0].subject())
        );
        assert_eq!(letters[1].in_reply_to(), std::slice::from_ref(&asking));
        let thread = [letters[0].message_id(), &asking];
        assert_eq!(letters[1].references(), thread);
        let conversation = daemon.conversation(&need).await;
        assert_eq!(conversation.holds, []);
        assert_eq!(need.view().await.unwrap().status, NeedStatus::Open);

        daemon.pass(SignedDuration::from_mins(30)).await;
        landlord.answer(&daemon, &letters[1], YES).await;
        daemon.wait_for_received(&need, 2).await;
        daemon.pass(BURST).await;
        is_fulfilled_by(&daemon, &need, YES).await;
        daemon.pass(DAY * 30).await;
        assert_eq!(landlord.letters_at_last().await.len(), 3);
        daemon.stop().await;
    });
}

/// A Thursday evening. Three days after it the clocks have gone forward, and it is night.
const THURSDAY: &str = "2026-03-26T18:30:00Z";

#[test]
fn silence_brings_reminders_by_the_ladder_and_by_day_and_then_expiry() {
    with_servers(async |servers| {
        let mut landlord = Landlord::new(&servers).await;
        let daemon = start(&servers, Wiring::Plain, THURSDAY).await;
        let need = daemon.inspection(&landlord.address).await;
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let second = SignedDuration::from_secs(1);
        let asked_at = at(THURSDAY) + GATHER;
        daemon.pass_until(asked_at).await;
        let letters = landlord.letters(1).await;
        let question = letters[0].message_id().to_owned();

        // Due at half past eight in the evening, it goes at eight in the morning.
        let first = at("2026-03-30T06:00:00Z");
        assert!(asked_at + DAY * 3 < first);
        daemon.pass_until(first - second).await;
        assert_eq!(landlord.letters_at_last().await.len(), 1);
        daemon.pass_until(first).await;
        let letters = landlord.letters(2).await;
        assert_eq!(letters[1].in_reply_to(), [question]);
        assert!(letters[1].text().contains("have us arrange it for you?"));

        let then = first + DAY * 5;
        daemon.pass_until(then - second).await;
        assert_eq!(landlord.letters_at_last().await.len(), 2);
        daemon.pass_until(then).await;
        landlord.letters(3).await;

        let deadline = at(THURSDAY) + DAY * 15;
        daemon.pass_until(deadline - second).await;
        assert_eq!(need.view().await.unwrap().status, NeedStatus::Open);
        daemon.pass_until(deadline).await;
        let outcome = need.outcome_within(BOUND).await.unwrap();
        assert_eq!(outcome.kind(), OutcomeKind::Expired);
        assert_eq!(outcome.at(), deadline);
        assert_eq!(outcome.slots().count(), 0);

        daemon.pass(DAY * 60).await;
        assert_eq!(landlord.letters_at_last().await.len(), 3);
        let conversation = daemon.conversation(&need).await;
        let asks: Vec<_> = conversation
            .asks
            .iter()
            .map(|ask| (ask.at, ask.reminder))
            .collect();
        assert_eq!(asks, [(asked_at, false), (first, true), (then, true)]);
        daemon.stop().await;
    });
}

#[test]
fn an_absence_note_fills_nothing_and_is_not_answered() {
    with_servers(async |servers| {
        let mut landlord = Landlord::new(&servers).await;
        let daemon = start(&servers, Wiring::Plain, MONDAY).await;
        let need = daemon.inspection(&landlord.address).await;
        daemon.pass(GATHER).await;
        let letters = landlord.letters(1).await;
        let note = "I am out of the office until further notice. Please arrange it for me.";
        landlord.note_absence(&daemon, &letters[0], note).await;
        daemon.wait_for_received(&need, 1).await;

        daemon.pass(DAY * 2).await;
        let conversation = daemon.conversation(&need).await;
        assert!(matches!(state(&conversation), SlotState::Asked { .. }));
        assert_eq!(conversation.holds, []);
        assert_eq!(landlord.letters_at_last().await.len(), 1);
        // The reminder comes when it would have come without it.
        daemon.pass(DAY).await;
        landlord.letters(2).await;
        daemon.stop().await;
    });
}

#[test]
fn a_bounce_fails_the_contact_and_leaves_the_rest_to_an_operator() {
    with_servers(async |servers| {
        let daemon = start(&servers, Wiring::Plain, MONDAY).await;
        let need = daemon.inspection("gone@example.test").await;
        daemon.pass(GATHER).await;
        daemon.wait_for_received(&need, 1).await;
        daemon.pass(DAY * 10).await;

        let conversation = daemon.conversation(&need).await;
        assert_eq!(held_for(&conversation), &HoldReason::Unreachable);
        assert!(!conversation.stakeholder.contacts[0].usable());
        assert_eq!(conversation.asks, [], "what came back was not asked");
        assert_eq!(sent(&conversation).len(), 1);
        assert_eq!(need.view().await.unwrap().status, NeedStatus::Open);
        let shown = daemon
            .command(&["conversation", "show", conversation.id.as_str()])
            .await
            .fine();
        assert!(
            shown.contains("No contact of the stakeholder can be used"),
            "{shown}"
        );

        daemon.pass(DAY * 10).await;
        let outcome = need.outcome_within(BOUND).await.unwrap();
        assert_eq!(outcome.kind(), OutcomeKind::Expired);
        daemon.stop().await;
    });
}

#[test]
fn a_stranger_with_the_token_is_left_to_an_operator_and_other_mail_is_filed() {
    with_servers(async |servers| {
        let mut landlord = Landlord::new(&servers).await;
        let daemon = start(&servers, Wiring::Plain, MONDAY).await;
        let need = daemon.inspection(&landlord.address).await;
        daemon.pass(GATHER).await;
        let letters = landlord.letters(1).await;

        let (shop, offer) = ("news@shop.example", "Keys at half the price");
        landlord
            .write(&daemon, shop, offer, "This week only.")
            .await;
        until("the other mail is filed", async || {
            let unmatched = daemon.client().unmatched().await.unwrap().messages;
            unmatched
                .iter()
                .any(|mail| mail.subject == offer)
                .then_some(())
        })
        .await;
        let list = daemon.command(&["unmatched"]).await.fine();
        assert!(list.contains(shop) && list.contains(offer), "{list}");
        daemon.settle().await;
        assert_eq!(daemon.conversation(&need).await.holds, []);

        let wife = "lea@elsewhere.example";
        landlord.answer_as(&daemon, wife, &letters[0], YES).await;
        daemon.wait_for_received(&need, 1).await;
        daemon.pass(DAY * 4).await;
        let conversation = daemon.conversation(&need).await;
        let HoldReason::UnknownSender { from, .. } = held_for(&conversation) else {
            panic!("{:?}", conversation.holds);
        };
        assert_eq!(from.as_str(), wife);
        assert!(matches!(state(&conversation), SlotState::Asked { .. }));
        assert_eq!(landlord.letters_at_last().await.len(), 1);

        // An operator who has asked her enters what she said.
        let id = conversation.id.as_str();
        let slot = conversation.slots[0].slot.to_string();
        let fill = [
            "conversation",
            "fill",
            id,
            &slot,
            "agency",
            "--note",
            "she is his wife",
        ];
        daemon.command(&fill).await.fine();
        daemon.settle().await;
        let outcome = need.outcome_within(BOUND).await.unwrap();
        assert_eq!(outcome.choice("arranged_by"), Some("agency"));
        let evidence = &outcome.slot("arranged_by").unwrap().evidence;
        assert!(
            matches!(evidence, Evidence::Operator { .. }),
            "{evidence:?}"
        );
        daemon.stop().await;
    });
}

#[test]
fn whoever_waits_is_told_at_once_and_waits_through_a_restart() {
    with_servers(async |servers| {
        let mut landlord = Landlord::new(&servers).await;
        let mut daemon = start(&servers, Wiring::Plain, MONDAY).await;
        let need = daemon.inspection(&landlord.address).await;
        let workflow = tokio::spawn({
            let need = need.clone();
            async move { need.outcome_within(BOUND).await }
        });
        daemon.pass(GATHER).await;
        let letters = landlord.letters(1).await;

        // The reply comes while the daemon is away.
        daemon.halt().await;
        landlord.answer(&daemon, &letters[0], YES).await;
        daemon.start_again().await;
        let again = inspection(daemon.client(), &landlord.address);
        assert_eq!(again.register().await.unwrap().id(), need.id());
        let poll = tokio::spawn(long_poll(&daemon, &need));
        daemon.wait_for_received(&need, 1).await;
        daemon.settle().await;
        assert!(!workflow.is_finished() && !poll.is_finished());

        daemon.pass(BURST).await;
        let polled = poll.await.unwrap();
        assert_eq!(polled["status"], "fulfilled", "{polled}");
        let outcome = workflow.await.unwrap().unwrap();
        assert_eq!(outcome.choice("arranged_by"), Some("agency"));
        landlord.letters(2).await;
        daemon.stop().await;
    });
}

#[test]
fn a_reply_that_came_while_the_daemon_was_off_is_read_before_a_reminder_goes_out() {
    with_servers(async |servers| {
        let mut landlord = Landlord::new(&servers).await;
        let (behind, door) = servers.behind_a_door().await;
        let mut daemon = start(&behind, Wiring::Plain, MONDAY).await;
        let need = daemon.inspection(&landlord.address).await;
        daemon.pass(GATHER).await;
        let letters = landlord.letters(1).await;

        // The daemon is off until well after the first reminder is due, and its mailbox is slow to
        // open when it starts again.
        daemon.halt().await;
        landlord.answer(&daemon, &letters[0], YES).await;
        daemon.sleeps_for(DAY * 4);
        door.shut();
        daemon.start_again().await;
        // A daemon that does not wait sends within the first looks; one that does never does.
        for _ in 0..LOOKS_AT_A_SHUT_MAILBOX {
            daemon.looks().await;
            assert_eq!(sent(&daemon.conversation(&need).await).len(), 1);
        }

        door.open();
        daemon.wait_for_received(&need, 1).await;
        daemon.pass(BURST).await;
        is_fulfilled_by(&daemon, &need, YES).await;
        let letters = landlord.letters_at_last().await;
        assert_eq!(letters.len(), 2, "the question, and thanks; no reminder");
        daemon.stop().await;
    });
}

/// One request that waits for an outcome, as a program without the client crate makes it. It ends
/// without one after a minute.
fn long_poll(daemon: &Daemon, need: &NeedHandle) -> impl Future<Output = Value> + use<> {
    let request = reqwest::Client::new()
        .get(format!("{}/v1/needs/{}?wait=60s", daemon.url(), need.id()))
        .bearer_auth(daemon.key());
    async { request.send().await.unwrap().json().await.unwrap() }
}

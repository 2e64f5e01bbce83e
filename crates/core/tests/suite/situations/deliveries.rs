//! What becomes of messages on their way.

use super::{LATER, NOW, asked_about, calm, rent_was_asked, unknown};
use crate::world::{Reader, State, World, address, instant, need};
use liaison_core::{
    conversation::Action,
    input::Input,
    need::TranscriptEntry,
    plan::PlanItem,
    policy::{Policy, UnknownSend},
    stakeholder::{Channel, Contact},
};

#[test]
fn a_message_of_unknown_fate_is_sent_again_once_where_the_policy_says_so() {
    let mut world = World::new(
        NOW,
        Policy {
            unknown_send: UnknownSend::Resend,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    for hold in [Vec::new(), vec!["unknown_send"]] {
        world.begin().expect("a message waits");
        world.complete(unknown());
        world.settle_down();
        assert_eq!(world.holds(), hold);
    }
    assert_eq!(world.outbox.len(), 1);
}

#[test]
fn a_message_of_unknown_fate_is_not_sent_again_while_held() {
    let mut world = World::new(
        NOW,
        Policy {
            unknown_send: UnknownSend::Resend,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "wait".to_owned(),
        need: None,
        until: None,
    });
    world.settle_down();
    world.complete(unknown());
    world.settle_down();
    assert_eq!(world.holds(), ["operator", "unknown_send"]);
    assert_eq!(world.outbox[0].state, State::Unknown);
}

#[test]
fn a_question_that_nobody_waits_for_any_more_is_not_sent_again() {
    let mut world = World::new(
        NOW,
        Policy {
            unknown_send: UnknownSend::Resend,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], "2027-05-03T11:00:00Z"));
    world.settle_down();
    world.begin().expect("a message waits");
    world.goes_to("2027-05-03T11:00:00Z");
    world.settle_down();
    world.complete(unknown());
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Unknown);
}

#[test]
fn a_hold_keeps_a_message_from_being_sent_again() {
    let mut world = World::new(
        NOW,
        Policy {
            unknown_send: UnknownSend::Resend,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.complete(unknown());
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Queued);
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "wait".to_owned(),
        need: None,
        until: None,
    });
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    // What became of the first copy is as unknown as before.
    assert_eq!(world.holds(), ["operator", "unknown_send"]);
    assert_eq!(world.conversation.outgoing.len(), 1);
}

#[test]
fn an_operators_word_on_a_message_keeps_it_from_being_sent_again() {
    let mut world = World::new(
        NOW,
        Policy {
            unknown_send: UnknownSend::Resend,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.complete(unknown());
    world.settle_down();
    let message = world.outbox[0].message.id.clone();
    world.operator(Action::ResolveSend {
        message,
        sent: true,
    });
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    assert_eq!(world.outbox.len(), 1, "the question counts as asked");
}

#[test]
fn a_clarification_that_comes_back_after_its_answer_is_not_asked_again() {
    let mut world = rent_was_asked(calm());
    world
        .conversation
        .stakeholder
        .contacts
        .push(Contact::new(Channel::Email, address("ana@example.net")));
    world.writes("The rent is 1200 or 1300.");
    world.settle_down();
    let clarification = world.delivers();
    assert!(matches!(
        clarification.plan.items[0],
        PlanItem::Clarify { .. }
    ));
    world.writes("The rent is 1200.");
    world.settle_down();
    world.delivers();
    assert!(world.outcome("n1").is_some());
    world.input(Input::Bounced {
        message: clarification.id,
        permanent: true,
        reason: "no such mailbox".to_owned(),
    });
    world.settle_down();
    assert_eq!(
        world.outbox.len(),
        3,
        "the question, the clarification, the thanks"
    );
}

#[test]
fn what_came_back_is_asked_again_at_another_address() {
    let mut world = rent_was_asked(calm());
    let second = address("ana@example.net");
    let contact = Contact::new(Channel::Email, second.clone());
    world.conversation.stakeholder.contacts.push(contact);
    let message = world.last_message().id.clone();
    world.input(Input::Bounced {
        message,
        permanent: true,
        reason: "no such mailbox".to_owned(),
    });
    world.settle_down();
    assert_eq!(world.outbox.len(), 2);
    assert_eq!(world.last_message().plan.to, second);
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
}

#[test]
fn a_hold_keeps_what_is_in_the_outbox_from_going() {
    // The transcript of a second need cannot be read while a question of the first one waits.
    let mut world = World::new(
        NOW,
        Policy {
            reading_tries: 1,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.reader = Reader::Down;
    let mut second = need("n2", &["pets"], LATER);
    second.transcript = vec![TranscriptEntry {
        at: instant("2027-05-01T10:00:00Z"),
        text: "Yes.".to_owned(),
    }];
    world.register(second);
    world.settle_down();
    assert_eq!(world.holds(), ["reading_failed"]);
    assert_eq!(world.outbox[0].state, State::Withdrawn);
}

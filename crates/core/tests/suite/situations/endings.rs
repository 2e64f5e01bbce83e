//! How needs end, and what counts as in time.

use super::{LATER, NOW, another_need_for_the_rent, calm, rent_was_asked};
use crate::world::{Reader, State, World, address, ana, instant, kind, need, slot_key};
use liaison_core::{
    conversation::Action,
    effect::{Effect, NeedEvent},
    input::{Fate, Input},
    ladder::{Ladder, Silence},
    need::OutcomeKind,
    policy::{Policy, Wait},
    slot::Standing,
    stakeholder::{Channel, Contact},
    value::Value,
};

#[test]
fn a_reply_in_time_that_is_read_after_the_deadline_fulfils_the_need() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], "2027-05-04T10:00:00Z"));
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-04T09:59:59Z");
    world.reader = Reader::Down;
    world.writes("The rent is 1200.");
    world.settle_down();
    world.goes_to("2027-05-04T10:05:00Z");
    world.reader = Reader::Honest;
    world.settle_down();
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
}

#[test]
fn a_reply_after_the_deadline_is_an_event_and_changes_no_outcome() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], "2027-05-04T10:00:00Z"));
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-04T10:00:00Z");
    world.writes("The rent is 1200.");
    world.settle_down();
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Expired);
    assert!(world.effects.iter().any(|effect| matches!(
        effect,
        Effect::Event {
            event: NeedEvent::LateAnswer {
                after: OutcomeKind::Expired,
                ..
            },
            ..
        }
    )));
}

#[test]
fn an_answer_to_a_question_that_was_called_off_is_an_event_and_holds_nothing() {
    let mut world = rent_was_asked(calm());
    world.cancel("n1");
    world.settle_down();
    world.writes("The rent is 1200.");
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Cancelled);
    assert!(outcome.slots.is_empty());
    assert!(world.effects.iter().any(|effect| matches!(
        effect,
        Effect::Event {
            event: NeedEvent::LateAnswer {
                after: OutcomeKind::Cancelled,
                ..
            },
            ..
        }
    )));
}

#[test]
fn a_number_that_answers_no_question_that_was_sent_is_no_late_answer() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.cancel("n1");
    world.settle_down();
    world.writes("The rent is 1200.");
    world.settle_down();
    assert_eq!(world.holds(), ["nothing_understood"]);
    assert!(!world.effects.iter().any(|effect| matches!(
        effect,
        Effect::Event {
            event: NeedEvent::LateAnswer { .. },
            ..
        }
    )));
}

#[test]
fn a_hold_over_silence_ends_with_the_last_need_that_waits() {
    let mut world = rent_was_asked(Policy {
        ladder: Ladder {
            waits: Vec::new(),
            patience: Wait::days(1),
            silence: Silence::Hold,
            ..Ladder::default()
        },
        ..calm()
    });
    another_need_for_the_rent(&mut world);
    world.passes(48);
    world.settle_down();
    assert_eq!(world.holds(), ["silence"]);
    world.cancel("n1");
    world.settle_down();
    assert_eq!(world.holds(), ["silence"], "another need waits for it");
    world.cancel("n2");
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
}

#[test]
fn a_hold_over_a_missing_contact_ends_when_nothing_is_left_to_say() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.complete(Fate::Refused {
        address_is_bad: true,
        reason: "no such mailbox".to_owned(),
    });
    world.settle_down();
    assert_eq!(world.holds(), ["unreachable"]);
    world.goes_to(LATER);
    world.settle_down();
    assert!(world.outcome("n1").is_some());
    assert_eq!(world.holds(), Vec::<&str>::new());
}

#[test]
fn what_the_person_said_is_held_for_a_human_though_no_need_waits_any_more() {
    for (words, reason) in [
        ("Can I keep the keys?", "stakeholder_question"),
        ("I want to speak to a person.", "wants_person"),
        ("The invoice is wrong.", "out_of_scope"),
    ] {
        let mut world = rent_was_asked(calm());
        world.writes(words);
        world.settle_down();
        world.cancel("n1");
        world.settle_down();
        assert_eq!(world.holds(), [reason], "{words}");
    }
}

#[test]
fn words_are_no_younger_than_their_arrival_whatever_their_date_says() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], "2027-05-04T10:00:00Z"));
    world.settle_down();
    world.goes_to("2027-05-04T09:59:00Z");
    let mut letter = world.letter("The rent is 1200.");
    letter.written_at = instant("2027-05-04T10:03:00Z");
    world.arrives(letter);
    world.goes_to("2027-05-04T10:00:30Z");
    world.settle_down();
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
    assert_eq!(outcome.slots["rent"].as_of, instant("2027-05-04T09:59:00Z"));
}

#[test]
fn an_opt_out_holds_for_an_address_that_is_named_afterwards() {
    let mut world = World::new(NOW, calm());
    world.writes("Stop!");
    world.settle_down();
    let mut person = ana();
    person.contacts = vec![Contact::new(Channel::Email, address("ana@example.net"))];
    world.input(Input::NeedRegistered {
        registration: Box::new(need("n1", &["rent"], LATER)),
        stakeholder: Box::new(person),
    });
    world.settle_down();
    assert!(world.outbox.is_empty());
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::OptedOut);
}

#[test]
fn thanks_that_can_not_be_said_any_more_are_not_worth_an_operators_time() {
    let mut world = World::new(
        "2027-05-03T21:00:00Z",
        Policy {
            quiet_hours: Some(Default::default()),
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.writes("The rent is 1200.");
    world.settle_down();
    assert!(world.outcome("n1").is_some());
    world.writes("STOP");
    world.settle_down();
    world.goes_to("2027-05-04T10:00:00Z");
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
    assert!(world.outbox.is_empty());
}

#[test]
fn fewer_tries_in_a_new_policy_leave_no_message_unread_in_silence() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.reader = Reader::Down;
    world.writes("The rent is 1200.");
    world.settle_down();
    world.now = world.next_wake().expect("the reader rests");
    world.settle_down();
    world.input(Input::PolicyChanged(Box::new(Policy {
        reading_tries: 1,
        ..calm()
    })));
    world.settle_down();
    world.passes(1);
    world.settle_down();
    assert_eq!(world.holds(), ["reading_failed"]);
}

#[test]
fn an_answer_by_phone_after_the_need_has_expired_is_an_event() {
    let mut world = rent_was_asked(calm());
    world.goes_to(LATER);
    world.settle_down();
    world.operator(Action::Fill {
        slot: slot_key("property:42", "rent"),
        value: Value::Number(1_200.into()),
        note: "by phone".to_owned(),
        heard: None,
    });
    world.settle_down();
    assert!(world.effects.iter().any(|effect| matches!(
        effect,
        Effect::Event {
            event: NeedEvent::LateAnswer { .. },
            ..
        }
    )));
}

#[test]
fn a_value_that_does_not_fit_its_slot_is_not_taken_from_an_operator() {
    let mut world = rent_was_asked(calm());
    assert_eq!(kind("rent").name(), "number");
    world.operator(Action::Fill {
        slot: slot_key("property:42", "rent"),
        value: Value::Boolean(true),
        note: "by phone".to_owned(),
        heard: None,
    });
    world.settle_down();
    assert_eq!(*world.standing("property:42", "rent"), Standing::Missing);
}

#[test]
fn a_late_tick_changes_when_a_need_ends_and_not_how() {
    for late in [0, 1, 24 * 7] {
        let mut world = rent_was_asked(calm());
        world.writes("The rent is 1200.");
        world.passes(late);
        world.settle_down();
        world.settle_down();
        let outcome = world.outcome("n1").expect("it has ended");
        assert_eq!(outcome.outcome, OutcomeKind::Fulfilled, "{late} hours late");
        assert_eq!(
            world
                .effects
                .iter()
                .filter(|e| matches!(e, Effect::NeedSettled { .. }))
                .count(),
            1
        );
    }
}

#[test]
fn a_question_is_taken_out_of_the_outbox_when_silence_ends_its_need() {
    let mut world = World::new(
        NOW,
        Policy {
            ladder: Ladder {
                waits: Vec::new(),
                patience: Wait::days(1),
                silence: Silence::Unreachable,
                ..Ladder::default()
            },
            ..calm()
        },
    );
    let mut first = need("n1", &["rent"], LATER);
    first.subject = Some("property:42".to_owned());
    world.register(first);
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-04T09:00:00Z");
    // Joins the silent question, and asks one of its own.
    let mut second = need("n2", &["rent", "pets"], LATER);
    second.subject = Some("property:42".to_owned());
    world.register(second);
    world.settle_down();
    assert_eq!(world.outbox[1].state, State::Queued);
    world.goes_to("2027-05-04T10:00:00Z");
    world.settle_down();
    let outcome = world.outcome("n2").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Unreachable);
    assert_eq!(world.outbox[1].state, State::Withdrawn);
}

#[test]
fn an_unreadable_reply_keeps_no_deadline_open_when_an_operator_resumed_before_reading_failed() {
    let mut world = World::new(
        NOW,
        Policy {
            reading_tries: 1,
            expiry_grace: Wait::seconds(0),
            ..calm()
        },
    );
    world.reader = Reader::Down;
    world.writes("Yes.");
    world.register(need("n1", &["rent"], "2027-05-03T15:00:00Z"));
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(world.holds(), ["reading_failed"]);
    world.passes(24);
    world.settle_down();
    let outcome = world.outcome("n1").expect("it ends");
    assert_eq!(outcome.outcome, OutcomeKind::Expired);
}

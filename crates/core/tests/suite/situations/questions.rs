//! What is asked, and asked again.

use super::{LATER, NOW, another_need_for_the_rent, asked_about, calm, rent_was_asked};
use crate::world::{World, instant, later, need, slot_key};
use liaison_core::{
    conversation::{Action, MessageKind},
    input::Input,
    ladder::{Ladder, Silence},
    need::TranscriptEntry,
    phase::Phase,
    plan::PlanItem,
    policy::{Policy, Wait},
    slot::Standing,
};

#[test]
fn a_question_of_a_need_that_has_expired_is_asked_anew_for_the_next_need() {
    let mut world = rent_was_asked(calm());
    world.goes_to(LATER);
    world.settle_down();
    assert_eq!(world.conversation.asks.len(), 1);
    world.passes(1);
    let mut need = need("n2", &["rent"], "2027-12-01T10:00:00Z");
    need.subject = Some("property:42".to_owned());
    world.register(need);
    world.settle_down();
    let message = world.delivers();
    assert_eq!(message.plan.kind, MessageKind::Ask);
    assert_eq!(asked_about(&message), [("rent", false)]);
}

#[test]
fn a_withdrawal_that_was_not_sent_yet_is_dropped_when_another_need_takes_the_question_up() {
    let mut world = rent_was_asked(calm());
    world.cancel("n1");
    let mut need = need("n2", &["rent"], LATER);
    need.subject = Some("property:42".to_owned());
    world.register(need);
    world.settle_down();
    assert_eq!(
        world.outbox.len(),
        1,
        "the question stays asked, and nothing is said"
    );
    assert!(matches!(world.phase(), Phase::Wait { .. }));
}

#[test]
fn a_question_that_was_withdrawn_is_asked_anew_for_the_next_need() {
    let mut world = rent_was_asked(calm());
    world.cancel("n1");
    world.settle_down();
    let withdrawal = world.delivers();
    assert!(matches!(
        withdrawal.plan.items[0],
        PlanItem::Withdraw { .. }
    ));
    world.passes(1);
    another_need_for_the_rent(&mut world);
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
}

#[test]
fn what_a_transcript_left_unclear_is_asked_for_the_next_need() {
    let mut world = World::new(NOW, calm());
    let mut first = need("n1", &["rent"], LATER);
    first.subject = Some("property:42".to_owned());
    first.transcript = vec![TranscriptEntry {
        at: instant("2027-05-01T10:00:00Z"),
        text: "The rent is 1200 or 1300.".to_owned(),
    }];
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "wait".to_owned(),
        need: None,
        until: None,
    });
    world.register(first);
    world.settle_down();
    let standing = world.standing("property:42", "rent");
    assert!(matches!(standing, Standing::Unclear { .. }), "{standing:?}");
    world.cancel("n1");
    world.settle_down();
    another_need_for_the_rent(&mut world);
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
}

#[test]
fn a_promise_or_a_refusal_clears_up_what_was_unclear() {
    for (text, filled) in [
        ("I will tell you by Friday.", false),
        ("I would rather not say.", false),
        ("The rent is 1200.", true),
    ] {
        let mut world = World::new(
            "2027-05-03T21:00:00Z",
            Policy {
                quiet_hours: Some(Default::default()),
                acknowledge: false,
                ..calm()
            },
        );
        let mut need = need("n1", &["rent", "pets"], LATER);
        need.slots[0].required = false;
        world.register(need);
        world.writes("The rent is 1200 or 1300.");
        world.settle_down();
        let owes = |world: &World| {
            world
                .conversation
                .owes_clarification(&slot_key("n1", "rent"))
        };
        assert!(owes(&world), "{text}");
        world.writes(text);
        world.settle_down();
        assert!(!owes(&world), "{text}");
        let standing = world.standing("n1", "rent");
        assert_eq!(
            matches!(standing, Standing::Filled(_)),
            filled,
            "{standing:?}"
        );
    }
}

#[test]
fn an_answer_that_comes_while_thanks_are_on_their_way_is_thanked_for_as_well() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "arranged_by"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("The rent is 1200.");
    world.settle_down();
    world.begin().expect("the thanks wait");
    world.writes("Please arrange it for me.");
    world.settle_down();
    world.complete(world.sent());
    world.settle_down();
    let thanks = world.delivers();
    let PlanItem::Acknowledge { answers, .. } = &thanks.plan.items[0] else {
        panic!("{:?}", thanks.plan.items);
    };
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].1, "have us arrange it for you");
}

#[test]
fn what_was_promised_unasked_is_asked_as_a_first_question() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.writes("I will tell you by Friday.");
    world.settle_down();
    assert!(world.outbox.is_empty());
    let standing = world.standing("n1", "rent");
    assert!(
        matches!(standing, Standing::Promised { .. }),
        "{standing:?}"
    );
    world.now = world.next_wake().expect("the promise ends");
    assert_eq!(world.now, instant("2027-05-08T00:00:00Z"));
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
}

#[test]
fn needs_within_the_gather_window_go_out_as_one_message() {
    let mut world = World::new(
        NOW,
        Policy {
            gather: Wait::seconds(30),
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.now = later(world.now, 20);
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert!(world.outbox.is_empty());
    world.now = later(world.now, 10);
    world.settle_down();
    assert_eq!(
        asked_about(world.last_message()),
        [("rent", false), ("pets", false)]
    );
}

#[test]
fn after_silence_that_an_operator_has_seen_the_ladder_begins_anew() {
    let mut world = rent_was_asked(Policy {
        ladder: Ladder {
            waits: vec![Wait::days(1)],
            patience: Wait::days(2),
            silence: Silence::Hold,
            ..Ladder::default()
        },
        ..calm()
    });
    world.goes_to("2027-05-04T10:00:00Z");
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(world.holds(), ["silence"]);
    world.goes_to("2027-05-09T10:00:00Z");
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-10T10:00:00Z")));
    world.goes_to("2027-05-10T10:00:00Z");
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("rent", true)]);
}

#[test]
fn a_reminder_brings_what_is_open_and_leaves_alone_what_is_promised() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets", "day"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("I will tell you by Friday.");
    world.settle_down();
    for name in ["rent", "pets"] {
        let slot = world.conversation.slots.get_mut(&slot_key("n1", name));
        slot.expect("the slot").standing = Standing::Missing;
    }
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    let message = world.last_message();
    assert_eq!(asked_about(message), [("rent", true), ("pets", true)]);
}

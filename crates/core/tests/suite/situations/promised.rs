//! Promises: what they quiet, and what comes of those that are not kept.

use super::{LATER, NOW, asked_about, calm, rent_was_asked};
use crate::world::{World, instant, need, slot_key};
use jiff::civil::date;
use liaison_core::{
    conversation::{Action, HoldReason, MessageKind},
    ladder::{Ladder, Silence},
    phase::Phase,
    plan::{PlanItem, Promised, template},
    policy::{Policy, Wait},
    slot::Standing,
};

/// Monday 3 May 2027; the world's reader takes `by Friday` for the next one, 7 May.
const SATURDAY: &str = "2027-05-08T00:00:00Z";

fn promised(world: &World) -> Option<Promised> {
    let items = &world.last_message().plan.items;
    items.iter().find_map(|item| match item {
        PlanItem::Question { promised, .. } => *promised,
        _ => None,
    })
}

/// The rent was asked on Monday, and promised by Friday.
fn rent_was_promised(policy: Policy) -> World {
    let mut world = rent_was_asked(policy);
    world.passes(2);
    world.writes("I will tell you by Friday.");
    world.settle_down();
    world
}

#[test]
fn a_promise_quiets_its_question_until_the_day_is_over() {
    let world = rent_was_promised(calm());
    assert_eq!(world.outbox.len(), 1);
    assert_eq!(world.next_wake(), Some(instant(SATURDAY)));
}

#[test]
fn a_promise_quiets_only_its_own_question() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("I will tell you by Friday.");
    world.settle_down();
    let slot = world.conversation.slots.get_mut(&slot_key("n1", "pets"));
    slot.expect("the slot").standing = Standing::Missing;
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("pets", true)]);
}

#[test]
fn a_broken_promise_gets_a_reminder_that_names_it() {
    let mut world = rent_was_promised(calm());
    world.goes_to(SATURDAY);
    world.settle_down();
    let message = world.delivers();
    assert_eq!(message.plan.kind, MessageKind::FollowUp);
    assert_eq!(
        promised(&world),
        Some(Promised {
            on: date(2027, 5, 3),
            by: date(2027, 5, 7)
        })
    );
    let body = template::render(&message.plan).body;
    assert!(
        body.contains(
            "You wrote on Monday 3 May that you would answer this question by Friday 7 May:"
        ),
        "{body}"
    );
}

#[test]
fn a_broken_promise_is_named_though_the_reminders_are_used_up() {
    let mut world = rent_was_promised(Policy {
        ladder: Ladder {
            waits: Vec::new(),
            ..Ladder::default()
        },
        ..calm()
    });
    world.goes_to(SATURDAY);
    world.settle_down();
    world.delivers();
    assert!(promised(&world).is_some());
    assert_eq!(world.outbox.len(), 2);
    // After that, silence means what the ladder says.
    world.goes_to("2027-05-15T00:00:00Z");
    world.settle_down();
    assert_eq!(world.holds(), ["silence"]);
}

#[test]
fn a_second_broken_promise_goes_to_an_operator_with_both() {
    let mut world = rent_was_promised(calm());
    world.goes_to("2027-05-08T10:00:00Z");
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-09T10:00:00Z");
    world.writes("I will tell you by Friday.");
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-15T00:00:00Z")));
    world.goes_to("2027-05-15T10:00:00Z");
    world.settle_down();
    assert_eq!(world.outbox.len(), 2, "nothing more is sent");
    assert_eq!(world.holds(), ["promises_broken"]);
    let HoldReason::PromisesBroken { slot, promises } = &world.conversation.holds[0].reason else {
        panic!("{:?}", world.conversation.holds);
    };
    assert_eq!(*slot, slot_key("property:42", "rent"));
    let until: Vec<_> = promises.iter().map(|promise| promise.until).collect();
    assert_eq!(until, [instant(SATURDAY), instant("2027-05-15T00:00:00Z")]);
    let sentence = world.conversation.holds[0].reason.sentence();
    assert_eq!(sentence.matches("I will tell you by Friday.").count(), 2);

    // Resumed, the ladder begins anew, and what was promised before counts no more.
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-18T10:00:00Z")));
}

#[test]
fn who_puts_the_day_off_in_time_has_broken_nothing() {
    let mut world = rent_was_promised(calm());
    world.goes_to("2027-05-07T10:00:00Z");
    // Written on a Friday, `by Friday` is a week later for the tests' reader.
    world.writes("I will tell you by Friday.");
    world.settle_down();
    let slot = &world.conversation.slots[&slot_key("property:42", "rent")];
    assert_eq!(slot.promises.len(), 1);
    assert_eq!(world.next_wake(), Some(instant("2027-05-15T00:00:00Z")));
    world.goes_to("2027-05-15T10:00:00Z");
    world.settle_down();
    assert!(world.holds().is_empty());
    assert!(promised(&world).is_some());
}

#[test]
fn a_promise_for_after_the_deadline_leaves_room_for_a_last_reminder() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], "2027-05-07T09:00:00Z"));
    world.settle_down();
    world.delivers();
    world.passes(1);
    world.writes("I will tell you by Friday.");
    world.settle_down();
    // A day before the deadline, and not at the end of Friday.
    assert_eq!(world.next_wake(), Some(instant("2027-05-06T10:00:00Z")));
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    let message = world.delivers();
    assert_eq!(asked_about(&message), [("rent", true)]);
    assert_eq!(promised(&world), None, "it is not broken yet");
    assert_eq!(world.next_wake(), Some(instant("2027-05-07T09:00:00Z")));
}

#[test]
fn an_answer_ends_what_was_promised() {
    let mut world = rent_was_promised(calm());
    world.writes("The rent is 1200.");
    world.settle_down();
    let slot = &world.conversation.slots[&slot_key("property:42", "rent")];
    assert!(slot.promises.is_empty());
    assert!(world.outcome("n1").is_some());
}

#[test]
fn a_promise_outlives_the_patience_of_a_ladder_that_is_used_up() {
    let mut world = rent_was_asked(Policy {
        ladder: Ladder {
            waits: Vec::new(),
            patience: Wait::days(1),
            silence: Silence::Unreachable,
            ..Ladder::default()
        },
        ..calm()
    });
    world.writes("I will tell you by Friday.");
    world.settle_down();
    world.goes_to("2027-05-07T23:00:00Z");
    world.settle_down();
    assert!(world.outcome("n1").is_none());
    assert!(matches!(world.phase(), Phase::Wait { .. }));
}

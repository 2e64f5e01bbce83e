//! Answers that were not understood: asked about again, and told to who has its outcome.

use super::{LATER, NOW, calm};
use crate::world::{Reader, World, need};
use liaison_core::{
    conversation::Action,
    effect::{Effect, NeedEvent},
    id::NeedId,
    plan::PlanItem,
    policy::{Policy, Wait},
};

fn events<'a>(world: &'a World, name: &str) -> Vec<&'a NeedEvent> {
    let of_need = |effect: &'a Effect| match effect {
        Effect::Event { need, event } if *need == NeedId::new(name) => Some(event),
        _ => None,
    };
    world.effects.iter().filter_map(of_need).collect()
}

#[test]
fn a_reminder_of_an_unclear_answer_asks_what_was_meant_and_the_ladder_goes_on() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["day"], LATER));
    world.settle_down();
    world.delivers();
    world.passes(24);
    world.writes("3/4 suits me.");
    world.settle_down();
    let first = world.delivers();
    let [
        PlanItem::Clarify {
            candidates: offered,
            asked_on: None,
            ..
        },
    ] = &first.plan.items[..]
    else {
        panic!("{:?}", first.plan.items);
    };
    assert!(offered.len() > 1, "{offered:?}");
    let mut reminders = 0;
    loop {
        world.now = world.next_wake().expect("the ladder goes on");
        world.settle_down();
        if world.holds() == ["silence"] {
            break;
        }
        let message = world.delivers();
        let [
            PlanItem::Clarify {
                candidates,
                asked_on: Some(day),
                ..
            },
        ] = &message.plan.items[..]
        else {
            panic!("{:?}", message.plan.items);
        };
        assert_eq!(candidates, offered);
        assert_eq!(
            day.to_string(),
            "2027-05-04",
            "the day of the clarification"
        );
        for candidate in offered {
            assert!(
                message.draft.body.contains(candidate),
                "{}",
                message.draft.body
            );
        }
        assert!(message.draft.body.contains("I wrote on Tuesday 4 May"));
        reminders += 1;
    }
    assert_eq!(reminders, calm().ladder.waits.len());
}

#[test]
fn resuming_before_reading_failed_leaves_the_hold_and_its_count() {
    let mut world = World::new(
        NOW,
        Policy {
            reading_tries: 1,
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.delivers();
    world.reader = Reader::Down;
    world.operator(Action::Resume);
    world.writes("The rent is 1200.");
    world.settle_down();
    assert_eq!(world.holds(), ["reading_failed"]);
    assert_eq!(world.conversation.reading.failed, 1);
    // Whoever has seen it may let it be tried again.
    world.reader = Reader::Honest;
    world.operator(Action::Resume);
    world.settle_down();
    assert!(world.holds().is_empty());
    assert!(world.outcome("n1").is_some());
}

#[test]
fn a_hold_that_nobody_attends_to_reaches_the_caller_of_a_need_that_ended_of_late() {
    for (days_before, told) in [(1, true), (31, false)] {
        let mut world = World::new(
            NOW,
            Policy {
                escalate_holds_after: Some(Wait::hours(12)),
                ..calm()
            },
        );
        world.register(need("n1", &["rent"], LATER));
        world.settle_down();
        world.delivers();
        world.writes("The rent is 1200.");
        world.settle_down();
        world.delivers();
        world.passes(days_before * 24);
        world.writes("Please pay the invoice for the window.");
        world.settle_down();
        assert_eq!(world.holds(), ["out_of_scope"]);
        world.passes(13);
        world.settle_down();
        let escalated = events(&world, "n1")
            .into_iter()
            .any(|event| matches!(event, NeedEvent::HoldEscalated { .. }));
        assert_eq!(escalated, told, "{days_before} days after its end");
    }
}

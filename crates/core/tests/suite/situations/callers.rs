//! Callers that are not heard from any more.

use super::{NOW, calm};
use crate::world::{World, need};
use liaison_core::{
    effect::{Effect, NeedEvent},
    id::NeedId,
    input::Input,
    need::OutcomeKind,
    plan::PlanItem,
    policy::{Policy, SilentCaller, Wait},
};

/// A need that was asked about on day 0; its caller is probed on day 10 and has until day 13.
fn probed(silent_caller: SilentCaller) -> World {
    let policy = Policy {
        probe_caller_after: Some(Wait::days(10)),
        probe_answer_within: Wait::days(3),
        silent_caller,
        ..calm()
    };
    let mut world = World::new(NOW, policy);
    world.register(need("n1", &["rent"], "2028-05-03T10:00:00Z"));
    world.settle_down();
    world.delivers();
    while !asked_whether_it_waits(&world) {
        goes_on(&mut world);
    }
    world
}

fn goes_on(world: &mut World) {
    world.now = world.next_wake().expect("something is to come");
    world.settle_down();
    while world.begin().is_some() {
        world.complete(world.sent());
        world.settle_down();
    }
}

fn asked_whether_it_waits(world: &World) -> bool {
    world.effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::Event {
                event: NeedEvent::StillWaiting { .. },
                ..
            }
        )
    })
}

#[test]
fn a_caller_that_does_not_answer_is_treated_as_its_policy_says() {
    for (silent_caller, outcome, holds) in [
        (SilentCaller::Keep, None, vec![]),
        (SilentCaller::Cancel, Some(OutcomeKind::Cancelled), vec![]),
        (SilentCaller::Hold, None, vec!["caller_gone"]),
    ] {
        let mut world = probed(silent_caller);
        world.passes(3 * 24);
        world.settle_down();
        let ended = world.outcome("n1").map(|ended| ended.outcome);
        assert_eq!(ended, outcome, "{silent_caller:?}");
        assert_eq!(world.holds(), holds, "{silent_caller:?}");
    }
}

#[test]
fn the_person_hears_that_a_question_is_over_when_its_caller_is_gone() {
    let mut world = probed(SilentCaller::Cancel);
    world.passes(3 * 24);
    world.settle_down();
    let message = world.delivers();
    assert!(matches!(
        message.plan.items[..],
        [PlanItem::Withdraw { .. }]
    ));
}

#[test]
fn a_caller_that_answers_in_time_is_waited_for() {
    let mut world = probed(SilentCaller::Cancel);
    world.passes(3 * 24 - 1);
    world.input(Input::CallerSeen {
        need: NeedId::new("n1"),
    });
    world.settle_down();
    world.passes(24);
    world.settle_down();
    assert!(world.outcome("n1").is_none());
}

#[test]
fn a_caller_that_comes_back_lifts_the_hold_over_its_silence() {
    let mut world = probed(SilentCaller::Hold);
    world.passes(3 * 24);
    world.settle_down();
    assert_eq!(world.holds(), ["caller_gone"]);
    assert!(!world.conversation.is_held(), "only this need is held");
    world.input(Input::CallerSeen {
        need: NeedId::new("n1"),
    });
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
}

#[test]
fn an_operator_who_goes_on_without_the_caller_is_not_asked_again() {
    let mut world = probed(SilentCaller::Hold);
    world.passes(3 * 24);
    world.settle_down();
    world.operator(liaison_core::conversation::Action::Resume);
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
    world.passes(24 * 5);
    world.settle_down();
    assert!(!world.holds().contains(&"caller_gone"));
}

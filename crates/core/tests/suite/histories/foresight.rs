//! What was planned, and what then happens when nobody writes.

use crate::world::{State, World};
use jiff::Timestamp;
use liaison_core::{
    effect::{Effect, NeedEvent},
    id::NeedId,
    need::OutcomeKind,
    plan::{HORIZON, PlanEnd, PlanItem, Planned, PlannedStep, plan_ahead},
    sending::not_to_be_handed_over_before,
};

/// A future without anybody in it comes to rest within this many looks at the clock.
const MOST_LOOKS: usize = 2_000;

/// One thing that happens, as both sides tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Happens {
    Message(Timestamp, Vec<(String, bool)>),
    Probe(Timestamp, NeedId),
    Hold(Timestamp, String),
    Ends(Timestamp, NeedId, OutcomeKind),
}

/// Lets a copy of the world go on with nobody writing, and compares with what was planned.
pub(super) fn check_foresight(world: &World) {
    let plan = plan_ahead(&world.conversation, world.now);
    let told = plan.entries.iter().chain(&plan.afterwards);
    let mut foreseen: Vec<Happens> = told.map(foretold).collect();
    let until = HORIZON.after(world.now);
    let mut happened = goes_on(world.clone());
    happened.retain(
        |one| !matches!(one, Happens::Message(at, _) | Happens::Probe(at, _) if *at > until),
    );
    if matches!(plan.end, PlanEnd::Unread { .. } | PlanEnd::TooFar) {
        // What is not foreseen any more happens all the same.
        happened.truncate(foreseen.len());
        foreseen.truncate(happened.len());
    }
    assert_eq!(foreseen, happened, "{plan:#?}");
    for entry in &plan.entries {
        assert!(entry.at >= world.now);
        let waits = &entry.waits;
        assert!(waits.is_sorted_by_key(|wait| wait.until));
        assert!(waits.iter().all(|wait| !wait.why.is_empty()));
        if entry.at > world.now && matches!(entry.step, PlannedStep::Message { .. }) {
            let last = waits.last().map(|wait| wait.until);
            assert!(last.is_none_or(|until| until <= entry.at), "{entry:#?}");
        }
    }
}

fn foretold(planned: &Planned) -> Happens {
    let at = planned.at;
    match &planned.step {
        PlannedStep::Message { questions, .. } => Happens::Message(
            at,
            questions
                .iter()
                .map(|question| (question.slot.to_string(), question.reminder))
                .collect(),
        ),
        PlannedStep::Probe { need } => Happens::Probe(at, need.clone()),
        PlannedStep::Hold { reason, .. } => Happens::Hold(at, reason.clone()),
        PlannedStep::Ends { need, outcome } => Happens::Ends(at, need.clone(), *outcome),
    }
}

fn goes_on(mut world: World) -> Vec<Happens> {
    let first = world.outbox.len();
    let mut happened = Vec::new();
    for _ in 0..MOST_LOOKS {
        while operates(&mut world, &mut happened) {}
        let closed = not_to_be_handed_over_before(&world.conversation, world.now);
        let on_its_way = world
            .outbox
            .iter()
            .any(|row| matches!(row.state, State::Queued | State::Transmitting));
        if on_its_way && closed.is_none() {
            world.begin();
            world.complete(world.sent());
            continue;
        }
        let morning = closed.filter(|_| on_its_way);
        match world.next_wake().into_iter().chain(morning).min() {
            Some(wake) => world.now = wake,
            None => {
                // What was taken back before it was handed over did not happen.
                let mut rows = world.outbox.iter().skip(first);
                happened.retain(|one| {
                    !matches!(one, Happens::Message(..))
                        || rows.next().is_some_and(|row| row.state != State::Withdrawn)
                });
                return happened;
            }
        }
    }
    panic!("a future without anybody in it does not end");
}

fn operates(world: &mut World, happened: &mut Vec<Happens>) -> bool {
    let held: Vec<_> = world
        .conversation
        .holds
        .iter()
        .map(|hold| hold.id.clone())
        .collect();
    let Some(done) = world.step() else {
        return false;
    };
    let at = world.now;
    for effect in &done.applied.effects {
        happened.push(match effect {
            Effect::Send(message) => Happens::Message(
                at,
                message
                    .plan
                    .items
                    .iter()
                    .filter_map(|item| match item {
                        PlanItem::Question { slot, asked_on, .. } => {
                            Some((slot.to_string(), asked_on.is_some()))
                        }
                        PlanItem::Confirm { slot, asked_on, .. } => {
                            Some((slot.to_string(), asked_on.is_some()))
                        }
                        PlanItem::Clarify { slot, asked_on, .. } => {
                            Some((slot.to_string(), asked_on.is_some()))
                        }
                        _ => None,
                    })
                    .collect(),
            ),
            Effect::NeedSettled { need, outcome } => {
                Happens::Ends(at, need.clone(), outcome.outcome)
            }
            Effect::Event {
                need,
                event: NeedEvent::StillWaiting { .. },
            } => Happens::Probe(at, need.clone()),
            _ => continue,
        });
    }
    let holds = world.conversation.holds.iter();
    let new = holds.filter(|hold| !held.contains(&hold.id));
    happened.extend(new.map(|hold| Happens::Hold(at, hold.reason.name().to_owned())));
    true
}

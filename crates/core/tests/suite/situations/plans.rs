//! What will be sent if nobody writes, and why not sooner.

use super::{LATER, NOW, calm, rent_was_asked};
use crate::world::{World, need};
use jiff::Timestamp;
use liaison_core::{
    conversation::MessageKind,
    input::Input,
    ladder::{Ladder, Silence},
    plan::{PlanEnd, Planned, PlannedStep, plan_ahead},
    policy::{Policy, Wait},
};

/// Times and kinds, in a line each.
fn lines<'a>(planned: impl IntoIterator<Item = &'a Planned>) -> Vec<String> {
    let line = |one: &Planned| {
        let what = match &one.step {
            PlannedStep::Message {
                kind, questions, ..
            } => {
                let kind = match kind {
                    MessageKind::Reply => "reply",
                    MessageKind::Ask => "ask",
                    MessageKind::FollowUp => "remind",
                };
                let names = questions.iter().map(|one| one.slot.name.as_str());
                format!("{kind} {}", names.collect::<Vec<_>>().join(" "))
            }
            PlannedStep::Probe { need } => format!("probe {need}"),
            PlannedStep::Hold { reason, .. } => format!("hold {reason}"),
            PlannedStep::Ends { need, outcome } => format!("{need} {}", outcome.name()),
        };
        format!("{} {what}", one.at)
    };
    planned.into_iter().map(line).collect()
}

fn of(world: &World) -> (Vec<String>, Vec<String>, PlanEnd) {
    let plan = plan_ahead(&world.conversation, world.now);
    (lines(&plan.entries), lines(&plan.afterwards), plan.end)
}

#[test]
fn reminders_come_as_the_ladder_says_and_silence_ends_in_a_hold() {
    let world = rent_was_asked(calm());
    let (entries, afterwards, end) = of(&world);
    assert_eq!(
        entries,
        [
            "2027-05-06T10:00:00Z remind rent",
            "2027-05-11T10:00:00Z remind rent",
        ]
    );
    assert_eq!(
        afterwards,
        [
            "2027-05-25T10:00:00Z hold silence",
            "2027-06-30T10:00:00Z n1 expired",
        ]
    );
    assert_eq!(
        end,
        PlanEnd::Done,
        "the hold ends with the last need that waits"
    );
}

#[test]
fn a_wait_says_why_and_until_when_one_reason_after_another() {
    let mut world = World::new("2027-05-03T19:59:50Z", Policy::default());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    let plan = plan_ahead(&world.conversation, world.now);
    let first = &plan.entries[0];
    assert_eq!(first.at, at("2027-05-04T08:00:00Z"));
    let reasons: Vec<_> = first
        .waits
        .iter()
        .map(|wait| (wait.until, wait.why.split(',').next().unwrap_or_default()))
        .collect();
    assert_eq!(
        reasons,
        [
            (
                at("2027-05-03T20:00:20Z"),
                "further needs may join the question"
            ),
            (
                at("2027-05-04T08:00:00Z"),
                "it is quiet hours for the stakeholder"
            ),
        ]
    );
    // The reminder waits for the ladder; three days after eight in the morning it is day.
    let second = &plan.entries[1];
    assert_eq!(second.at, at("2027-05-07T08:00:00Z"));
    assert!(
        second.waits[0]
            .why
            .starts_with("the next reminder is due at")
    );
}

#[test]
fn a_reminder_that_falls_into_the_night_says_both() {
    let mut world = World::new(
        "2027-05-03T10:00:00Z",
        Policy {
            ladder: Ladder {
                waits: vec![Wait::hours(36)],
                ..Ladder::default()
            },
            ..Policy::default()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    let plan = plan_ahead(&world.conversation, world.now);
    let reminder = &plan.entries[1];
    assert_eq!(reminder.at, at("2027-05-05T08:00:00Z"));
    let reasons: Vec<_> = reminder
        .waits
        .iter()
        .map(|wait| wait.why.as_str())
        .collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons[0].starts_with("the next reminder is due at"));
    assert!(reasons[1].starts_with("it is quiet hours for the stakeholder"));
}

#[test]
fn what_is_held_sends_nothing_and_ends_by_its_deadline() {
    let mut world = rent_was_asked(calm());
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "wait".to_owned(),
        need: None,
        until: None,
    });
    world.settle_down();
    let (entries, afterwards, end) = of(&world);
    assert_eq!(entries, Vec::<String>::new());
    assert_eq!(afterwards, ["2027-06-30T10:00:00Z n1 expired"]);
    assert_eq!(
        end,
        PlanEnd::Held {
            why: vec!["olga asked for it: wait".to_owned()]
        }
    );
}

#[test]
fn silence_that_means_expiry_is_told_as_such() {
    let world = rent_was_asked(Policy {
        ladder: Ladder {
            waits: vec![Wait::days(3)],
            patience: Wait::days(1),
            silence: Silence::Expire,
            ..Ladder::default()
        },
        ..calm()
    });
    let (entries, afterwards, end) = of(&world);
    assert_eq!(entries, ["2027-05-06T10:00:00Z remind rent"]);
    assert_eq!(afterwards, ["2027-06-30T10:00:00Z n1 expired"]);
    assert_eq!(end, PlanEnd::Done);
}

#[test]
fn an_unread_message_decides_the_rest() {
    let mut world = World::new(
        NOW,
        Policy {
            burst: Wait::seconds(60),
            ..calm()
        },
    );
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("The rent is 1200.");
    world.settle_down();
    let (entries, _, end) = of(&world);
    assert_eq!(entries, Vec::<String>::new());
    assert_eq!(
        end,
        PlanEnd::Unread {
            at: at("2027-05-03T10:01:00Z")
        }
    );
}

#[test]
fn planning_changes_nothing() {
    let world = rent_was_asked(calm());
    let before = world.conversation.clone();
    plan_ahead(&world.conversation, world.now);
    assert_eq!(world.conversation, before);
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

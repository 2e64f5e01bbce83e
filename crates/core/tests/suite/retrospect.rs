//! What another policy would have decided, told along what really happened.

use crate::world::{World, calm, need};
use liaison_core::{
    calendar::QuietHours,
    ladder::Ladder,
    policy::{Policy, PolicyChange, Wait},
    retrospect::{Alternative, Difference, Retrospect},
};

/// Asked at nine in the evening, reminded after three days, answered on the fifth.
fn history() -> World {
    let mut world = World::new("2027-05-03T21:00:00Z", calm());
    world.register(need("n1", &["rent"], "2027-06-30T10:00:00Z"));
    world.settle_down();
    world.delivers();
    world.now = world.next_wake().expect("a reminder is due");
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-08T10:00:00Z");
    world.writes("The rent is 1200.");
    world.settle_down();
    world
}

fn under(world: &World, policy: Option<Policy>, templates: bool) -> Vec<Difference> {
    let policy = policy.map(|policy| change(&serde_json::to_value(policy).expect("it is stored")));
    compared(world, Alternative { policy, templates })
}

fn change(settings: &serde_json::Value) -> PolicyChange {
    let settings = settings.as_object().expect("a table of settings");
    PolicyChange::read(settings.clone()).expect("settings that can be used")
}

fn compared(world: &World, alternative: Alternative) -> Vec<Difference> {
    let mut retrospect = Retrospect::new(world.opening.clone(), alternative);
    let mut found = Vec::new();
    for operation in &world.journal {
        found.extend(retrospect.take(operation).expect("it leads to itself"));
    }
    found.extend(retrospect.meanwhile(world.now));
    assert_eq!(*retrospect.state(), world.conversation);
    found
}

fn said(found: &[Difference]) -> Vec<String> {
    let line = |one: &Difference| {
        format!(
            "{} {} -> {}",
            one.at,
            one.was.join("; "),
            one.would_be.join("; ")
        )
    };
    found.iter().map(line).collect()
}

#[test]
fn the_same_policy_decides_the_same() {
    let world = history();
    assert_eq!(
        said(&under(&world, Some(calm()), false)),
        Vec::<String>::new()
    );
    assert_eq!(said(&under(&world, None, true)), Vec::<String>::new());
}

#[test]
fn quiet_hours_would_have_waited_for_the_morning() {
    let policy = Policy {
        quiet_hours: Some(QuietHours::default()),
        ..calm()
    };
    assert_eq!(
        said(&under(&history(), Some(policy), false)),
        [
            "2027-05-03T21:00:00Z asked n1/rent -> waited until 2027-05-04T08:00:00Z",
            "2027-05-06T21:00:00Z reminded of n1/rent -> waited until 2027-05-07T08:00:00Z",
        ]
    );
}

#[test]
fn a_shorter_ladder_would_have_reminded_sooner_and_said_so_once() {
    let policy = Policy {
        ladder: Ladder {
            waits: vec![Wait::days(1)],
            ..Ladder::default()
        },
        ..calm()
    };
    // The reminder that really came is the same decision under either.
    assert_eq!(
        said(&under(&history(), Some(policy), false)),
        ["2027-05-04T21:00:00Z waited -> reminded of n1/rent"]
    );
}

#[test]
fn one_setting_is_laid_over_the_recorded_policy() {
    // The default policy, unlike the recorded one, would have waited for the morning.
    let alternative = Alternative {
        policy: Some(change(&serde_json::json!({"ladder": {"waits": ["1d"]}}))),
        templates: false,
    };
    assert_eq!(
        said(&compared(&history(), alternative)),
        ["2027-05-04T21:00:00Z waited -> reminded of n1/rent"]
    );
}

#[test]
fn thanks_that_would_not_have_been_owed_are_told() {
    let policy = Policy {
        acknowledge: false,
        ..calm()
    };
    let took = "took n1/rent = 1200";
    assert_eq!(
        said(&under(&history(), Some(policy), false)),
        [format!(
            "2027-05-08T10:00:00Z {took}; owed thanks -> {took}"
        )]
    );
}

#[test]
fn another_wording_is_told_message_by_message() {
    let mut world = history();
    let draft = world
        .journal
        .iter_mut()
        .find_map(|operation| match &mut operation.work {
            liaison_core::journal::Work::Draft(draft) => Some(draft),
            _ => None,
        });
    draft.expect("a message was worded").body = "Hello Ana, what is the rent?".to_owned();
    let found = under(&world, None, true);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].was[1].contains("Hello Ana, what is the rent?"));
    assert!(found[0].would_be[1].contains("How much is the rent?"));
}

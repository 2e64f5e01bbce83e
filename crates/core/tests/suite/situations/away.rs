//! Absences: whoever is away is reminded on their return.

use super::{LATER, NOW, asked_about, calm, rent_was_asked};
use crate::world::{World, address, instant, later, need};
use liaison_core::{
    calendar::QuietHours,
    conversation::{Author, MessageKind, Origin},
    ladder::{Ladder, Silence},
    phase::{RuleName, explain},
    policy::{Policy, Wait},
};

/// The mail program answers that Ana is away until 14 May.
fn automatic(world: &mut World, text: &str) {
    let mut note = world.letter(text);
    note.author = Author::Automatic;
    world.arrives(note);
    world.settle_down();
}

const NOTE: &str = "I am out of the office until 14 May 2027. In urgent cases write to Bo.";

#[test]
fn an_absence_note_moves_the_reminder_to_the_first_good_hour_after_it() {
    let mut world = rent_was_asked(Policy {
        quiet_hours: Some(QuietHours::default()),
        ..calm()
    });
    automatic(&mut world, NOTE);
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(world.outbox.len(), 1);
    assert_eq!(world.next_wake(), Some(instant("2027-05-15T08:00:00Z")));
    let explanation = explain(&world.conversation, world.now);
    let rule = explanation
        .rules
        .iter()
        .find(|finding| finding.rule == RuleName::FollowUp);
    let why = &rule.expect("the rule").why;
    assert!(why.starts_with("the stakeholder is away, until"), "{why}");
    world.goes_to("2027-05-15T08:00:00Z");
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("rent", true)]);
}

#[test]
fn who_says_themselves_that_they_are_away_is_left_alone_as_well() {
    let mut world = rent_was_asked(calm());
    world.writes("I'm away until the 14th.");
    world.settle_down();
    assert!(world.holds().is_empty(), "{:?}", world.holds());
    assert_eq!(world.outbox.len(), 1, "nothing is asked back");
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-15T00:00:00Z")));
}

#[test]
fn an_absence_counts_for_every_need_of_the_person() {
    let mut world = rent_was_asked(calm());
    automatic(&mut world, NOTE);
    world.passes(1);
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert_eq!(world.delivers().plan.kind, MessageKind::Ask, "it is asked");
    world.goes_to("2027-05-14T10:00:00Z");
    world.settle_down();
    assert_eq!(world.outbox.len(), 2, "and not chased");
    world.goes_to("2027-05-15T10:00:00Z");
    world.settle_down();
    let message = world.last_message();
    assert_eq!(asked_about(message), [("rent", true), ("pets", true)]);
}

#[test]
fn an_absence_without_a_day_is_recorded_and_changes_nothing() {
    let mut world = rent_was_asked(calm());
    automatic(
        &mut world,
        "I am currently out of office with limited access.",
    );
    let absence = world.conversation.absence.as_ref().expect("it is recorded");
    assert_eq!(absence.until, None);
    assert_eq!(world.next_wake(), Some(instant("2027-05-06T10:00:00Z")));
    // One with a day is not forgotten for one without.
    automatic(&mut world, NOTE);
    automatic(
        &mut world,
        "I am currently out of office with limited access.",
    );
    let absence = world.conversation.absence.as_ref().expect("it is recorded");
    assert_eq!(absence.until, Some(instant("2027-05-15T00:00:00Z")));
}

#[test]
fn an_absence_that_is_to_come_leaves_today_alone() {
    let mut world = rent_was_asked(calm());
    automatic(
        &mut world,
        "I will be on holiday from 10 May 2027 to 14 May 2027.",
    );
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(world.delivers().plan.kind, MessageKind::FollowUp);
    world.goes_to("2027-05-11T10:00:00Z");
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-15T00:00:00Z")));
}

#[test]
fn an_absence_past_the_deadline_leaves_room_for_a_last_reminder() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], "2027-05-10T10:00:00Z"));
    world.settle_down();
    world.delivers();
    automatic(&mut world, NOTE);
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-09T10:00:00Z")));
    world.goes_to("2027-05-09T10:00:00Z");
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("rent", true)]);
}

#[test]
fn silence_means_nothing_while_they_are_away() {
    let mut world = rent_was_asked(Policy {
        ladder: Ladder {
            waits: Vec::new(),
            patience: Wait::days(7),
            silence: Silence::Unreachable,
            ..Ladder::default()
        },
        ..calm()
    });
    automatic(&mut world, NOTE);
    assert_eq!(world.next_wake(), Some(instant("2027-05-22T00:00:00Z")));
}

#[test]
fn an_absence_note_fills_nothing_and_is_no_answer() {
    let mut world = rent_was_asked(calm());
    automatic(&mut world, "The rent is 1200. I am away until 14 May 2027.");
    assert!(world.outcome("n1").is_none());
    assert!(world.conversation.inbox.is_empty());
    assert!(world.holds().is_empty());
}

#[test]
fn a_strangers_absence_is_nothing_to_us() {
    let mut world = rent_was_asked(calm());
    let mut note = world.letter(NOTE);
    note.author = Author::Automatic;
    note.origin = Origin::Stranger;
    note.from = address("bo@example.org");
    world.arrives(note);
    world.settle_down();
    assert_eq!(world.conversation.absence, None);
}

#[test]
fn the_end_of_an_absence_is_a_day_on_their_own_calendar() {
    let mut world = World::new(NOW, calm());
    let mut stakeholder = crate::world::ana();
    stakeholder.zone = Some(crate::world::zone("America/New_York"));
    world.opening.stakeholder = stakeholder.clone();
    world.conversation.stakeholder = stakeholder;
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.delivers();
    automatic(&mut world, NOTE);
    let until = instant("2027-05-15T04:00:00Z");
    assert_eq!(
        world.conversation.absence.as_ref().and_then(|a| a.until),
        Some(until)
    );
    world.now = later(until, -1);
    world.settle_down();
    assert_eq!(world.outbox.len(), 1);
}

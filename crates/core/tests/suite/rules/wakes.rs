//! When the next change is announced for, and what stands in the way of sending.

use super::state::*;
use crate::{
    promises::check_constancy,
    world::{World, ana, instant, later, need, zone},
};
use jiff::Timestamp;
use liaison_core::{
    calendar::QuietHours,
    conversation::{Conversation, HoldReason, MessageKind},
    phase::{RuleName, determine_phase, next_wake},
    policy::Policy,
    sending::{Obstacle, Permission, may_send},
    slot::Standing,
};
use rstest::rstest;

#[rstest]
#[case::a_short_night("Europe/Paris", "2026-03-28T20:00:00Z", "2026-03-29T06:00:00Z")]
#[case::a_long_night("Europe/Paris", "2026-10-24T20:00:00Z", "2026-10-25T07:00:00Z")]
#[case::across_the_year("America/New_York", "2027-01-01T02:00:00Z", "2027-01-01T13:00:00Z")]
#[case::the_leap_day("UTC", "2028-02-28T22:00:00Z", "2028-02-29T08:00:00Z")]
fn a_question_waits_for_the_morning(#[case] name: &str, #[case] at: &str, #[case] morning: &str) {
    let mut world = World::new(at, Policy::default());
    let mut person = ana();
    person.zone = Some(zone(name));
    world.conversation.stakeholder = person.clone();
    world.opening.stakeholder = person;
    let deadline = later(world.now, 30 * DAY).to_string();
    world.register(need("n1", &["rent"], &deadline));
    world.settle_down();
    // The gather window closes at night, so the night is the reason.
    let not_before_morning = Permission::NotBefore {
        at: instant(morning),
        why: Obstacle::QuietHours,
    };
    let asking = may_send(&world.conversation, MessageKind::Ask, world.now);
    assert_eq!(asking, not_before_morning);
    world.now = later(world.now, 60);
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant(morning)));
    assert!(world.outbox.is_empty());
    world.goes_to(morning);
    world.settle_down();
    assert_eq!(world.outbox.len(), 1);
}

#[rstest]
#[case::a_burst(|c: &mut Conversation| received(c, ago(10)), later(now(), 50))]
#[case::a_burst_that_never_pauses(|c: &mut Conversation| {
    for seconds in [590, 300, 20, 1] {
        received(c, ago(seconds));
    }
}, later(now(), 10))]
#[case::the_gather_window(|c: &mut Conversation| {
    make_match(c, RuleName::Ask);
    the_need(c).registered_at = ago(10);
}, later(now(), 20))]
#[case::the_minimum_gap(|c: &mut Conversation| {
    make_match(c, RuleName::Ask);
    sent(c, MessageKind::Reply, ago(3_600));
}, later(now(), 19 * 3_600))]
#[case::the_weekly_cap(|c: &mut Conversation| {
    make_match(c, RuleName::Ask);
    for days in [6, 5, 4, 2] {
        sent(c, MessageKind::Ask, ago(days * DAY));
    }
}, later(now(), DAY))]
#[case::the_ladder(|_: &mut Conversation| {}, later(now(), 3 * DAY - 3_600))]
#[case::a_reminder_due_at_night(|c: &mut Conversation| {
    c.policy.quiet_hours = Some(QuietHours::default());
    only_asked(c, "pets", ago(3 * DAY - 14 * 3_600));
    only_asked(c, "rent", ago(0));
    only_asked(c, "day", ago(0));
}, later(now(), 22 * 3_600))]
#[case::a_promise(|c: &mut Conversation| {
    let until = later(now(), DAY);
    only_asked(c, "pets", ago(5 * DAY));
    stands(c, "pets", Standing::Promised { until, evidence: evidence() });
}, later(now(), DAY))]
#[case::the_last_of_the_patience(|c: &mut Conversation| chased(c, "day", ago(6 * DAY)), later(now(), DAY))]
#[case::the_deadline(|c: &mut Conversation| the_need(c).deadline = later(now(), 5), later(now(), 5))]
#[case::the_deadline_while_held(|c: &mut Conversation| {
    held(c, HoldReason::Silence);
    the_need(c).deadline = later(now(), 5);
}, later(now(), 5))]
#[case::the_grace(|c: &mut Conversation| {
    make_match(c, RuleName::HandsOff);
    received(c, ago(3_600));
    the_need(c).deadline = ago(60);
}, later(now(), 6 * 3_600 - 60))]
#[case::a_reader_that_rests(|c: &mut Conversation| {
    received(c, ago(60));
    c.reading.failed = 2;
    c.reading.retry_at = Some(later(now(), 45));
}, later(now(), 45))]
#[case::a_silent_caller(|c: &mut Conversation| {
    make_match(c, RuleName::ProbeCaller);
    the_need(c).caller_seen_at = ago(DAY - 7);
}, later(now(), 7))]
fn the_next_wake_is_the_first_moment_at_which_something_changes(
    #[case] make: fn(&mut Conversation),
    #[case] expected: Timestamp,
) {
    let mut c = conversation();
    make(&mut c);
    assert!(determine_phase(&c, now()).is_waiting());
    assert_eq!(next_wake(&c, now()), Some(expected));
    check_constancy(&c, now());
}

#[test]
fn a_message_of_unknown_fate_is_waited_for_without_an_end() {
    let mut c = conversation();
    owes(&mut c, answer());
    on_its_way(&mut c);
    // Nothing but the reminders' and the need's own end is to come.
    c.needs.clear();
    assert_eq!(next_wake(&c, now()), None);
}

#[rstest]
#[case::taken_over(|c: &mut Conversation| make_match(c, RuleName::HandsOff), MessageKind::Reply, Obstacle::TakenOver)]
#[case::held(|c: &mut Conversation| held(c, HoldReason::Silence), MessageKind::Reply, Obstacle::Held)]
#[case::unread(|c: &mut Conversation| received(c, ago(60)), MessageKind::Reply, Obstacle::UnreadInbox)]
#[case::on_its_way(|c: &mut Conversation| on_its_way(c), MessageKind::Reply, Obstacle::OnItsWay)]
#[case::no_contact(|c: &mut Conversation| unusable(c), MessageKind::Reply, Obstacle::NoContact)]
fn what_stands_in_the_way_of_sending_is_named(
    #[case] make: fn(&mut Conversation),
    #[case] kind: MessageKind,
    #[case] why: Obstacle,
) {
    let mut c = conversation();
    assert_eq!(may_send(&c, kind, now()), Permission::Now);
    make(&mut c);
    assert_eq!(may_send(&c, kind, now()), Permission::Never { why });
}

#[rstest]
#[case::the_gap(3_600, MessageKind::Ask, 19 * 3_600, Obstacle::MinimumGap)]
#[case::no_gap_for_a_follow_up_after_twenty_hours(20 * 3_600, MessageKind::FollowUp, 0, Obstacle::Held)]
#[case::no_gap_for_a_reply(60, MessageKind::Reply, 0, Obstacle::Held)]
fn the_gap_is_for_what_nobody_asked_for(
    #[case] since: i64,
    #[case] kind: MessageKind,
    #[case] wait: i64,
    #[case] why: Obstacle,
) {
    let mut c = conversation();
    sent(&mut c, MessageKind::Ask, ago(since));
    let expected = match wait {
        0 => Permission::Now,
        wait => Permission::NotBefore {
            at: later(now(), wait),
            why,
        },
    };
    assert_eq!(may_send(&c, kind, now()), expected);
}

#[test]
fn replies_do_not_use_up_the_weekly_cap() {
    let mut c = conversation();
    for days in [6, 5, 4, 3, 2] {
        sent(&mut c, MessageKind::Reply, ago(days * DAY));
    }
    assert_eq!(may_send(&c, MessageKind::Ask, now()), Permission::Now);
}

//! The ask ledger: what is chased, how often, and what does not count.

use super::{LATER, NOW, asked_about, calm, rent_was_asked, unknown};
use crate::world::{World, address, instant, later, need};
use jiff::civil::date;
use liaison_core::{
    calendar::{Country, CountryDays},
    conversation::MessageKind,
    input::{Fate, Input},
    journal::Work,
    ladder::{Ladder, Tone},
    phase::Phase,
    plan::PlanItem,
    policy::{Policy, Wait},
    sending::{Obstacle, Permission, may_send},
    stakeholder::{Channel, Contact},
};

fn ladder(waits: &[Wait]) -> Ladder {
    Ladder {
        waits: waits.to_vec(),
        patience: Wait::days(60),
        ..Ladder::default()
    }
}

#[test]
fn what_was_not_delivered_is_not_chased() {
    for fate in [
        unknown(),
        Fate::Refused {
            address_is_bad: false,
            reason: "greylisted for two days".to_owned(),
        },
    ] {
        let mut world = World::new(NOW, calm());
        world.register(need("n1", &["rent"], LATER));
        world.settle_down();
        world.begin().expect("a message waits");
        world.complete(fate);
        world.settle_down();
        assert!(world.conversation.asks.is_empty());
        world.goes_to("2027-05-20T10:00:00Z");
        world.settle_down();
        assert_eq!(world.outbox.len(), 1, "nothing is chased");
    }
}

#[test]
fn chasing_counts_from_the_ask_and_not_from_what_they_wrote_since() {
    let mut world = rent_was_asked(calm());
    world.goes_to("2027-05-05T10:00:00Z");
    world.writes("Thank you!");
    world.settle_down();
    assert_eq!(world.next_wake(), Some(instant("2027-05-06T10:00:00Z")));
}

#[test]
fn nobody_is_chased_twice_a_day_whatever_the_ladder_says() {
    let mut world = rent_was_asked(Policy {
        ladder: ladder(&[Wait::hours(1); 5]),
        ..calm()
    });
    world.passes(1);
    world.settle_down();
    assert_eq!(world.delivers().plan.kind, MessageKind::FollowUp);
    world.passes(1);
    world.settle_down();
    assert_eq!(world.outbox.len(), 2);
    let until = instant("2027-05-04T00:00:00Z");
    assert_eq!(
        may_send(&world.conversation, MessageKind::FollowUp, world.now),
        Permission::NotBefore {
            at: until,
            why: Obstacle::SameDay
        }
    );
    assert_eq!(world.next_wake(), Some(until));
    world.now = until;
    world.settle_down();
    assert_eq!(world.delivers().plan.kind, MessageKind::FollowUp);
}

#[test]
fn whatever_the_number_of_needs_one_reminder_is_pending() {
    let mut world = rent_was_asked(calm());
    for (id, slot) in [("n2", "pets"), ("n3", "day")] {
        world.register(need(id, &[slot], LATER));
    }
    world.settle_down();
    world.delivers();
    world.goes_to("2027-05-06T10:00:00Z");
    world.settle_down();
    assert_eq!(world.outbox.len(), 3);
    assert_eq!(
        asked_about(world.last_message()),
        [("rent", true), ("pets", true), ("day", true)]
    );
    world.goes_to("2027-05-12T10:00:00Z");
    world.settle_down();
    assert_eq!(world.outbox.len(), 3, "the first one is still on its way");
}

#[test]
fn what_came_back_does_not_use_up_the_cap() {
    let mut world = World::new(
        NOW,
        Policy {
            weekly_cap: 1,
            ..calm()
        },
    );
    let mut stakeholder = crate::world::ana();
    let another = Contact::new(Channel::Email, address("ana.2@example.com"));
    stakeholder.contacts.push(another);
    world.input(Input::NeedRegistered {
        registration: Box::new(need("n1", &["rent"], LATER)),
        stakeholder: Box::new(stakeholder),
    });
    world.settle_down();
    let first = world.delivers();
    let refused = may_send(&world.conversation, MessageKind::Ask, world.now);
    assert!(
        matches!(
            refused,
            Permission::NotBefore {
                why: Obstacle::WeeklyCap,
                ..
            }
        ),
        "{refused:?}"
    );
    world.input(Input::Bounced {
        message: first.id,
        permanent: true,
        reason: "no such mailbox".to_owned(),
    });
    world.settle_down();
    let again = world.delivers();
    assert_eq!(again.plan.to, address("ana.2@example.com"));
    assert_eq!(asked_about(&again), [("rent", false)]);
}

#[test]
fn the_weekly_cap_holds_over_all_needs_together() {
    let mut world = World::new(
        NOW,
        Policy {
            weekly_cap: 2,
            ..calm()
        },
    );
    for (id, slot) in [("n1", "rent"), ("n2", "pets")] {
        world.register(need(id, &[slot], LATER));
        world.settle_down();
        world.delivers();
        world.passes(1);
    }
    world.register(need("n3", &["day"], LATER));
    world.settle_down();
    assert_eq!(world.outbox.len(), 2);
    // A week after the first one, together with the reminders that were due meanwhile.
    assert_eq!(world.next_wake(), Some(instant("2027-05-10T10:00:00Z")));
}

#[test]
fn what_was_missed_in_a_pause_becomes_one_message_worded_for_today() {
    let mut world = rent_was_asked(Policy {
        ladder: ladder(&[Wait::days(1); 8]),
        ..calm()
    });
    // The daemon is off for ten days, in which ten reminders would have gone out; a need comes in.
    world.goes_to("2027-05-13T15:00:00Z");
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    let message = world.delivers();
    assert_eq!(asked_about(&message), [("pets", false), ("rent", true)]);
    let PlanItem::Question { asked_on, .. } = &message.plan.items[1] else {
        panic!("{:?}", message.plan.items);
    };
    assert_eq!(
        *asked_on,
        Some(date(2027, 5, 3)),
        "it names the day it was asked"
    );
    world.settle_down();
    assert_eq!(world.outbox.len(), 2, "the missed ones are not made up for");
    assert_eq!(world.next_wake(), Some(instant("2027-05-14T15:00:00Z")));
}

/// How each of four reminders sounds by a ladder with these tones.
fn sounds(tones: Vec<Tone>) -> Vec<Tone> {
    let mut world = rent_was_asked(Policy {
        ladder: Ladder {
            tones,
            ..ladder(&[Wait::days(1); 4])
        },
        ..calm()
    });
    (0..4)
        .map(|_| {
            world.now = world.next_wake().expect("the next reminder");
            world.settle_down();
            world.delivers().plan.tone
        })
        .collect()
}

#[test]
fn each_reminder_sounds_as_its_rung_says() {
    assert_eq!(
        sounds(vec![Tone::Plain, Tone::Friendly]),
        [Tone::Plain, Tone::Friendly, Tone::Friendly, Tone::Friendly]
    );
}

#[test]
fn reminders_grow_firmer_where_nobody_said_how_they_sound() {
    assert_eq!(
        sounds(Vec::new()),
        [Tone::Friendly, Tone::Plain, Tone::Firm, Tone::Firm]
    );
}

#[test]
fn the_weekend_and_the_holidays_are_those_of_their_country() {
    let country = Country::parse("AE").expect("a country");
    let days = CountryDays {
        weekend: vec![jiff::civil::Weekday::Friday, jiff::civil::Weekday::Saturday],
        holidays: vec![date(2027, 5, 9)],
    };
    for (abroad, wake) in [
        (false, "2027-05-07T10:00:00Z"),
        (true, "2027-05-10T00:00:00Z"),
    ] {
        let mut world = World::new(
            NOW,
            Policy {
                working_days_only: true,
                countries: [(country.clone(), days.clone())].into(),
                ladder: ladder(&[Wait::days(4)]),
                ..calm()
            },
        );
        let mut stakeholder = crate::world::ana();
        stakeholder.country = abroad.then(|| country.clone());
        world.input(Input::NeedRegistered {
            registration: Box::new(need("n1", &["rent"], LATER)),
            stakeholder: Box::new(stakeholder),
        });
        world.settle_down();
        world.delivers();
        // The reminder is due on Friday; there Friday and Saturday are the weekend, and the Sunday
        // after it is a holiday.
        world.goes_to("2027-05-07T10:00:00Z");
        let due = match world.phase() {
            Phase::FollowUp => world.now,
            _ => world.next_wake().expect("a wake"),
        };
        assert_eq!(due, instant(wake), "abroad: {abroad}");
    }
}

#[test]
fn messages_in_quick_succession_are_read_together_once_they_pause() {
    let mut world = rent_was_asked(Policy {
        burst: Wait::seconds(60),
        ..calm()
    });
    for text in ["The rent", "is", "The rent is 1200."] {
        world.writes(text);
        world.settle_down();
        assert_eq!(
            world.conversation.inbox.len() as i64,
            world.received.len() as i64
        );
        world.now = later(world.now, 30);
    }
    world.now = later(world.now, 30);
    let done = world.settle_down();
    let read: Vec<usize> = done
        .iter()
        .filter(|done| matches!(done.operation.work, Work::Reading(_)))
        .map(|done| done.folded.inbox.len())
        .collect();
    assert_eq!(read, [3], "read once, all three");
    assert!(world.outcome("n1").is_some());
}

#[test]
fn somebody_who_never_stops_writing_is_read_all_the_same() {
    let mut world = rent_was_asked(Policy {
        burst: Wait::seconds(60),
        ..calm()
    });
    let begun = world.now;
    while world.outcome("n1").is_none() {
        world.writes("The rent is 1200.");
        world.settle_down();
        world.now = later(world.now, 50);
        assert!(world.now <= later(begun, 660), "not read for ever");
    }
}

#[test]
fn what_an_operator_hands_over_is_read_before_anything_is_asked() {
    let mut world = World::new(
        NOW,
        Policy {
            gather: Wait::hours(1),
            ..calm()
        },
    );
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.input(Input::TranscriptAdded {
        by: "olga".to_owned(),
        need: liaison_core::id::NeedId::new("n1"),
        entries: vec![liaison_core::need::TranscriptEntry {
            at: instant("2027-05-01T10:00:00Z"),
            text: "The rent is 1200.".to_owned(),
        }],
    });
    world.settle_down();
    let standing = world.standing("n1", "rent");
    let liaison_core::slot::Standing::Filled(filled) = standing else {
        panic!("{standing:?}");
    };
    assert_eq!(
        filled.evidence,
        liaison_core::slot::Evidence::Transcript {
            need: liaison_core::id::NeedId::new("n1"),
            quote: "The rent is 1200.".to_owned(),
            by: Some("olga".to_owned()),
        }
    );
    world.passes(1);
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("pets", false)]);
}

//! A tick that comes late, twice, or not at all for a week changes when things happen, not what.

use crate::world::{World, instant, later, need};
use jiff::Timestamp;
use liaison_core::{
    effect::Effect,
    ladder::{Ladder, Silence},
    need::OutcomeKind,
    plan::PlanItem,
    policy::{Policy, Wait},
};
use proptest::{prelude::*, sample::select};
use std::collections::{BTreeMap, BTreeSet};

const START: &str = "2027-03-25T08:00:00Z";

/// How the worker is told that time has passed.
#[derive(Clone, Copy, Debug)]
enum Ticks {
    Prompt,
    Twice,
    /// So many seconds after it should have been.
    Late(i64),
    /// From so many seconds after the start, nobody looks for a week, whatever comes.
    NoneForAWeek(i64),
}

/// Something that comes from outside, so many seconds after the start.
#[derive(Clone, Debug)]
enum Event {
    Registers(&'static str, i64),
    Writes(&'static str),
}

/// What is left when everything is over: how each need ended and with which values, what was asked
/// at all, and how many messages went out.
#[derive(Debug, PartialEq, Eq)]
struct Ending {
    outcomes: BTreeMap<String, (OutcomeKind, BTreeMap<String, String>)>,
    asked: BTreeSet<String>,
    messages: usize,
}

fn plays(events: &[(i64, Event)], ticks: Ticks) -> Ending {
    let policy = Policy {
        ladder: Ladder {
            waits: vec![Wait::days(2), Wait::days(3)],
            patience: Wait::days(3),
            silence: Silence::Expire,
            ..Ladder::default()
        },
        acknowledge: false,
        ..Policy::default()
    };
    let mut world = World::new(START, policy);
    let start = instant(START);
    let mut events = events.iter().peekable();
    let mut needs = 0;
    let most = 2_000;
    for look in 0.. {
        assert!(look < most, "there is no end to it");
        let event = events.peek().map(|(at, _)| later(start, *at));
        let due = (!world.pending.is_empty()).then_some(world.now);
        let wake = match (due, world.next_wake()) {
            (Some(due), _) => Some(due),
            (None, wake) => wake,
        };
        let look_at = wake.map(|wake| looked_at(wake, start, ticks).max(world.now));
        match (event, look_at) {
            (Some(event), look) if look.is_none_or(|look| event <= look) => {
                world.now = world.now.max(event);
                match &events.next().expect("it was there").1 {
                    Event::Registers(slot, hours) => {
                        needs += 1;
                        let mut need = need(&format!("need-{needs:02}"), &[slot], START);
                        need.deadline = later(world.now, hours * 3_600);
                        // One answer serves every need for it.
                        need.subject = Some("property:42".to_owned());
                        world.register(need);
                    }
                    Event::Writes(text) => {
                        world.writes(text);
                    }
                }
            }
            (_, Some(look)) => {
                world.now = look;
                works(&mut world);
                if matches!(ticks, Ticks::Twice) {
                    let before = world.conversation.clone();
                    works(&mut world);
                    assert_eq!(before, world.conversation, "a second look did something");
                }
            }
            _ => break,
        }
    }
    ending(&world)
}

/// When the worker looks at what is due at `wake`.
fn looked_at(wake: Timestamp, start: Timestamp, ticks: Ticks) -> Timestamp {
    match ticks {
        Ticks::Prompt | Ticks::Twice => wake,
        Ticks::Late(seconds) => later(wake, seconds),
        Ticks::NoneForAWeek(from) => {
            let (from, until) = (later(start, from), later(start, from + 7 * 86_400));
            match from <= wake && wake < until {
                true => until,
                false => wake,
            }
        }
    }
}

/// Operations and deliveries, until there is nothing to do.
fn works(world: &mut World) {
    loop {
        let worked = world.settle_down().len();
        let delivered = world.begin().is_some();
        if delivered {
            world.complete(world.sent());
        }
        if worked == 0 && !delivered {
            return;
        }
    }
}

fn ending(world: &World) -> Ending {
    let mut ending = Ending {
        outcomes: BTreeMap::new(),
        asked: BTreeSet::new(),
        messages: world.outbox.iter().filter(|row| row.departed).count(),
    };
    for effect in &world.effects {
        match effect {
            Effect::NeedSettled { need, outcome } => {
                let values = outcome.slots.iter();
                let values = values.map(|(name, slot)| (name.clone(), slot.value.plain()));
                let outcome = (outcome.outcome, values.collect());
                ending.outcomes.insert(need.to_string(), outcome);
            }
            Effect::Send(message) => {
                let asked = message.plan.items.iter().filter_map(|item| match item {
                    PlanItem::Question { slot, .. } => Some(slot.to_string()),
                    _ => None,
                });
                ending.asked.extend(asked);
            }
            _ => {}
        }
    }
    ending
}

/// Each question is registered at most once and answered at most once, while its need is open: what
/// answers nothing waits for an operator, whenever it is read.
fn events() -> impl Strategy<Value = Vec<(i64, Event)>> {
    const SLOTS: [(&str, &str); 4] = [
        ("arranged_by", "Please arrange it for me."),
        ("rent", "The rent is 1200."),
        ("pets", "No, pets are not allowed."),
        ("day", "14 May 2027 suits me."),
    ];
    let one = |(slot, text): (&'static str, &'static str)| {
        (
            0..1_000_000_i64,
            select(vec![30_i64, 200, 400]),
            // After which part of the time until its deadline it is answered, if it is.
            proptest::option::of(1..100_i64),
        )
            .prop_map(move |(at, hours, answered)| {
                let mut events = vec![(at, Event::Registers(slot, hours))];
                if let Some(percent) = answered {
                    events.push((at + hours * 36 * percent, Event::Writes(text)));
                }
                events
            })
    };
    SLOTS.map(one).prop_map(|all| {
        let mut events = all.concat();
        events.sort_by_key(|(at, _)| *at);
        events
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_tick_that_comes_late_twice_or_not_for_a_week_changes_only_when(
        events in events(),
        late in 1..7_200_i64,
        from in 0..1_000_000_i64,
    ) {
        let prompt = plays(&events, Ticks::Prompt);
        prop_assert_eq!(&plays(&events, Ticks::Twice), &prompt);
        for ticks in [Ticks::Late(late), Ticks::NoneForAWeek(from)] {
            // What goes into which message may differ: a question that comes up while another
            // waits joins it. How each need ends may not.
            let other = plays(&events, ticks);
            prop_assert_eq!(&other.outcomes, &prompt.outcomes, "{:?}", ticks);
        }
    }
}

//! Needs that are amended or taken back, at any time.

use super::{LATER, NOW, asked_about, calm, rent_was_asked};
use crate::world::{
    State, World, amendment, instant, kind, narrow_kind, need, slot, slot_change, slot_key,
};
use liaison_core::{
    amendment::{Amendment, SlotChange},
    conversation::Owed,
    effect::{Effect, NeedEvent},
    input::Input,
    need::OutcomeKind,
    phase::Phase,
    plan::PlanItem,
    policy::Wait,
    slot::{Confirm, Standing},
};

fn refused(world: &World) -> Vec<&str> {
    let events = world.effects.iter().filter_map(|effect| match effect {
        Effect::Event {
            event: NeedEvent::AmendmentRefused { why },
            ..
        } => Some(why.as_str()),
        _ => None,
    });
    events.collect()
}

fn withdrawals(world: &World) -> Vec<&str> {
    let items = world.outbox.iter().filter(|row| row.state == State::Sent);
    let items = items.flat_map(|row| &row.message.plan.items);
    items
        .filter_map(|item| match item {
            PlanItem::Withdraw { question, .. } => Some(question.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn a_later_deadline_keeps_a_need_open_and_an_earlier_one_ends_it() {
    let mut world = rent_was_asked(calm());
    world.amend(Amendment {
        deadline: Some(instant("2027-08-30T10:00:00Z")),
        ..amendment("n1")
    });
    world.settle_down();
    world.goes_to(LATER);
    world.settle_down();
    assert!(world.outcome("n1").is_none());
    world.amend(Amendment {
        deadline: Some(instant("2027-06-30T11:00:00Z")),
        ..amendment("n1")
    });
    world.settle_down();
    world.goes_to("2027-06-30T11:00:00Z");
    world.settle_down();
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Expired);
}

#[test]
fn a_deadline_that_is_moved_in_time_counts_even_if_the_tick_comes_late() {
    let mut world = rent_was_asked(calm());
    world.goes_to("2027-06-30T09:59:59Z");
    world.amend(Amendment {
        deadline: Some(instant("2027-08-30T10:00:00Z")),
        ..amendment("n1")
    });
    world.goes_to("2027-06-30T12:00:00Z");
    world.settle_down();
    assert!(world.outcome("n1").is_none());
}

#[test]
fn an_added_slot_is_asked_and_waited_for() {
    let mut world = rent_was_asked(calm());
    world.amend(Amendment {
        add: vec![slot("pets")],
        ..amendment("n1")
    });
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("pets", false)]);
    world.writes("The rent is 1200.");
    world.settle_down();
    assert!(world.outcome("n1").is_none());
    world.writes("Yes.");
    world.settle_down();
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
    assert_eq!(outcome.slots.len(), 2);
}

#[test]
fn a_removed_question_that_was_asked_is_taken_back_and_the_rest_settles() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("The rent is 1200.");
    world.settle_down();
    world.delivers();
    world.amend(Amendment {
        remove: vec!["pets".to_owned()],
        ..amendment("n1")
    });
    world.settle_down();
    let outcome = world.outcome("n1").expect("it has ended");
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
    world.delivers();
    assert_eq!(withdrawals(&world), ["Are pets allowed?"]);
}

#[test]
fn a_question_with_other_constraints_is_asked_anew() {
    let mut world = rent_was_asked(calm());
    world.amend(Amendment {
        change: vec![SlotChange {
            kind: Some(narrow_kind("rent")),
            question: Some("How much is the rent, at most 1250?".to_owned()),
            ..slot_change("rent")
        }],
        ..amendment("n1")
    });
    world.settle_down();
    let message = world.delivers();
    assert_eq!(asked_about(&message), [("rent", false)]);
    assert!(message.draft.body.contains("at most 1250"));
}

#[test]
fn other_words_alone_are_not_asked_again_and_the_reminder_has_them() {
    let mut world = rent_was_asked(calm());
    world.amend(Amendment {
        change: vec![SlotChange {
            kind: Some(kind("rent")),
            question: Some("What does the flat cost a month?".to_owned()),
            ..slot_change("rent")
        }],
        ..amendment("n1")
    });
    world.settle_down();
    assert_eq!(world.outbox.len(), 1);
    world.now = world.next_wake().expect("a reminder is due");
    world.settle_down();
    let message = world.delivers();
    assert_eq!(asked_about(&message), [("rent", true)]);
    assert!(message.draft.body.contains("What does the flat cost"));
}

#[test]
fn a_known_value_that_fits_the_changed_question_answers_it() {
    for (said, fits) in [("The rent is 1200.", true), ("The rent is 1300.", false)] {
        let mut world = World::new(NOW, calm());
        world.register(need("n1", &["rent", "pets"], LATER));
        world.settle_down();
        world.delivers();
        world.writes(said);
        world.settle_down();
        world.delivers();
        world.amend(Amendment {
            change: vec![SlotChange {
                kind: Some(narrow_kind("rent")),
                ..slot_change("rent")
            }],
            ..amendment("n1")
        });
        world.settle_down();
        let known = matches!(world.standing("n1", "rent"), Standing::Filled(_));
        assert_eq!(known, fits, "{said}");
        let asks = world.outbox.len() == 3;
        assert_eq!(asks, !fits, "{said}");
        let earlier = &world.conversation.slots[&slot_key("n1", "rent")].earlier;
        assert_eq!(earlier.len(), usize::from(!fits), "nothing is forgotten");
    }
}

#[test]
fn a_question_that_changes_while_it_waits_to_go_does_not_go() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Queued);
    world.amend(Amendment {
        change: vec![SlotChange {
            kind: Some(narrow_kind("rent")),
            ..slot_change("rent")
        }],
        ..amendment("n1")
    });
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    assert_eq!(asked_about(&world.delivers()), [("rent", false)]);
}

#[test]
fn a_question_that_changes_while_it_is_handed_over_is_asked_anew_afterwards() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin();
    world.amend(Amendment {
        change: vec![SlotChange {
            kind: Some(narrow_kind("rent")),
            ..slot_change("rent")
        }],
        ..amendment("n1")
    });
    world.settle_down();
    world.complete(world.sent());
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("rent", false)]);
}

#[test]
fn a_held_need_is_amended_and_cancelled_and_nothing_is_sent() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.delivers();
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "wait".to_owned(),
        need: None,
        until: None,
    });
    world.amend(Amendment {
        remove: vec!["pets".to_owned()],
        facts: Some(vec!["The flat is on the third floor.".to_owned()]),
        ..amendment("n1")
    });
    world.settle_down();
    let changed = world
        .conversation
        .needs
        .values()
        .next()
        .expect("it is there");
    assert_eq!(changed.slots.len(), 1);
    assert_eq!(changed.facts.len(), 1);
    assert_eq!(world.phase(), Phase::AwaitOperator);
    world.cancel("n1");
    world.settle_down();
    assert_eq!(
        world.outcome("n1").map(|outcome| outcome.outcome),
        Some(OutcomeKind::Cancelled)
    );
    assert_eq!(world.outbox.len(), 1);
    let owed = world.conversation.reply_items.len();
    assert_eq!(owed, 2, "both questions are taken back once it is resumed");
}

#[test]
fn a_need_cancelled_while_its_question_is_handed_over_is_taken_back_afterwards() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin();
    world.cancel("n1");
    world.settle_down();
    assert!(world.conversation.reply_items.is_empty());
    world.complete(world.sent());
    world.settle_down();
    world.delivers();
    assert_eq!(withdrawals(&world), ["How much is the rent?"]);
}

#[test]
fn a_question_that_never_left_is_not_taken_back() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.cancel("n1");
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    assert!(world.conversation.reply_items.is_empty());
    assert_eq!(world.phase(), Phase::Idle);
}

#[test]
fn a_question_that_is_added_again_is_not_taken_back_in_the_same_message() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.delivers();
    world.amend(Amendment {
        remove: vec!["pets".to_owned()],
        ..amendment("n1")
    });
    world.amend(Amendment {
        add: vec![slot("pets")],
        ..amendment("n1")
    });
    world.settle_down();
    let message = world.delivers();
    assert_eq!(asked_about(&message), [("pets", false)]);
    assert!(withdrawals(&world).is_empty());
}

#[test]
fn an_amendment_that_does_not_fit_changes_nothing_and_says_why() {
    let mut world = rent_was_asked(calm());
    let mut sharing = need("n2", &["rent"], LATER);
    sharing.subject = Some("property:42".to_owned());
    world.register(sharing);
    world.register(need("n3", &["rent"], LATER));
    world.cancel("n3");
    world.settle_down();
    let before = world.conversation.needs.clone();
    let misfits = [
        Amendment {
            deadline: Some(instant("2027-05-03T10:00:00Z")),
            add: vec![slot("pets")],
            ..amendment("n1")
        },
        Amendment {
            remove: vec!["pets".to_owned()],
            ..amendment("n1")
        },
        Amendment {
            remove: vec!["rent".to_owned()],
            ..amendment("n1")
        },
        Amendment {
            add: vec![slot("rent")],
            ..amendment("n1")
        },
        Amendment {
            change: vec![SlotChange {
                kind: Some(narrow_kind("rent")),
                ..slot_change("rent")
            }],
            ..amendment("n1")
        },
        amendment("n3"),
        amendment("n4"),
    ];
    let count = misfits.len();
    for misfit in misfits {
        world.amend(misfit);
    }
    world.settle_down();
    assert_eq!(world.conversation.needs, before);
    let said = refused(&world);
    assert_eq!(said.len(), count, "{said:?}");
    assert!(said[4].contains("need n2"), "{said:?}");
    assert!(said[5].contains("ended"), "{said:?}");
}

#[test]
fn what_is_owed_for_a_removed_slot_goes_with_it() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("The rent is 1200 or 1300.");
    world.settle_down();
    assert_eq!(world.conversation.reply_items.len(), 1);
    world.amend(Amendment {
        remove: vec!["rent".to_owned()],
        ..amendment("n1")
    });
    world.settle_down();
    assert!(
        !world
            .conversation
            .reply_items
            .iter()
            .any(|item| matches!(item.what, Owed::Clarification { .. }))
    );
}

#[test]
fn a_slot_that_rests_on_another_from_now_on_is_asked_after_it() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.amend(Amendment {
        change: vec![SlotChange {
            depends_on: Some(vec!["rent".to_owned()]),
            ..slot_change("pets")
        }],
        ..amendment("n1")
    });
    world.settle_down();
    let message = world.outbox.last().expect("it is asked").message.clone();
    assert_eq!(message.plan.items.len(), 2, "what is on its way goes");
    world.delivers();
    world.now = world.next_wake().expect("a reminder is due");
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("rent", true)]);
}

#[test]
fn a_known_value_that_has_to_be_confirmed_from_now_on_is_asked_about() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent", "pets"], LATER));
    world.settle_down();
    world.delivers();
    world.writes("The rent is 1200.");
    world.settle_down();
    world.amend(Amendment {
        change: vec![SlotChange {
            confirm: Some(Confirm::Always),
            ..slot_change("rent")
        }],
        ..amendment("n1")
    });
    world.settle_down();
    let rent = &world.conversation.slots[&slot_key("n1", "rent")];
    assert!(
        matches!(rent.standing, Standing::Unconfirmed(_)),
        "{rent:?}"
    );
}

#[test]
fn a_known_value_that_is_older_than_may_be_from_now_on_is_asked_anew() {
    for (hours, anew) in [(12, true), (48, false)] {
        let mut world = World::new(NOW, calm());
        world.register(need("n1", &["rent", "pets"], LATER));
        world.settle_down();
        world.delivers();
        world.writes("The rent is 1200.");
        world.settle_down();
        world.passes(24);
        world.amend(Amendment {
            change: vec![SlotChange {
                max_age: Some(Wait::hours(hours)),
                ..slot_change("rent")
            }],
            ..amendment("n1")
        });
        world.settle_down();
        let rent = &world.conversation.slots[&slot_key("n1", "rent")];
        assert_eq!(rent.standing == Standing::Missing, anew, "{rent:?}");
    }
}

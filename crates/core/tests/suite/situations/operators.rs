//! What operators do, and what must come of it.

use super::{LATER, NOW, another_need_for_the_rent, asked_about, calm, rent_was_asked, unknown};
use crate::world::{ADDRESS, Reader, State, World, address, instant, later, need, slot_key};
use jiff::Timestamp;
use liaison_core::{
    conversation::{Action, Guard, Guidance, Heard, Hold, Origin, Via},
    effect::{Effect, NeedEvent},
    id::{HoldId, NeedId},
    input::{Fate, Input},
    need::OutcomeKind,
    phase::Phase,
    plan::PlanItem,
    policy::{Policy, Wait},
    slot::{Evidence, Standing},
    value::Value,
};

fn hold(world: &mut World, need: Option<&str>, until: Option<Timestamp>) {
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "let me look".to_owned(),
        need: need.map(NeedId::new),
        until,
    });
    world.settle_down();
}

fn take_over(world: &mut World) {
    let by = "olga".to_owned();
    world.input(Input::TakenOver { by });
    world.settle_down();
}

fn hand_back(world: &mut World) {
    let by = "olga".to_owned();
    world.input(Input::HandedBack { by });
    world.settle_down();
}

fn rent_by_phone() -> Action {
    Action::Fill {
        slot: slot_key("property:42", "rent"),
        value: Value::Number(1_200.into()),
        note: "she called".to_owned(),
        heard: Some(Heard {
            via: Via::Phone,
            at: Some(instant("2027-05-03T09:30:00Z")),
        }),
    }
}

fn escalations(world: &World) -> Vec<&str> {
    let event = |effect| match effect {
        &Effect::Event {
            ref need,
            event: NeedEvent::HoldEscalated { .. },
        } => Some(need.as_str()),
        _ => None,
    };
    world.effects.iter().filter_map(event).collect()
}

fn waiting(world: &World) -> usize {
    let waits = |row: &&crate::world::Row| row.state == State::Queued;
    world.outbox.iter().filter(waits).count()
}

#[test]
fn a_held_need_is_neither_asked_about_nor_chased_while_others_are() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.register(need("n2", &["pets"], LATER));
    hold(&mut world, Some("n1"), None);
    let first = world.delivers();
    assert_eq!(asked_about(&first), [("pets", false)]);

    world.passes(3 * 24);
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("pets", true)]);

    let held = world.conversation.holds[0].id.clone();
    world.operator(Action::Release { hold: held });
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("rent", false)]);
}

#[test]
fn a_question_that_a_held_need_shares_is_asked_for_the_other_one() {
    let mut world = World::new(NOW, calm());
    for id in ["n1", "n2"] {
        let mut need = need(id, &["rent"], LATER);
        need.subject = Some("property:42".to_owned());
        world.register(need);
    }
    hold(&mut world, Some("n1"), None);
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
}

#[test]
fn a_hold_over_a_need_takes_back_the_message_that_speaks_of_it() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert_eq!(world.last_message().plan.items.len(), 2);
    hold(&mut world, Some("n1"), None);
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    assert_eq!(asked_about(world.last_message()), [("pets", false)]);
}

#[test]
fn a_held_need_still_takes_its_answer_and_still_expires() {
    let mut world = rent_was_asked(calm());
    hold(&mut world, Some("n1"), None);
    world.writes("The rent is 1200.");
    world.settle_down();
    let outcome = world.outcome("n1").expect("it is settled");
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
    assert_eq!(
        world.conversation.holds,
        [],
        "a need that has ended is not held"
    );

    let mut world = rent_was_asked(calm());
    hold(&mut world, Some("n1"), None);
    world.goes_to(LATER);
    world.settle_down();
    let outcome = world.outcome("n1").expect("it is settled");
    assert_eq!(outcome.outcome, OutcomeKind::Expired);
}

#[test]
fn an_unclear_answer_of_a_held_need_is_not_asked_about_until_it_is_released() {
    let mut world = rent_was_asked(calm());
    hold(&mut world, Some("n1"), None);
    world.writes("The rent is 1200 or 1300.");
    world.settle_down();
    assert!(matches!(
        world.standing("property:42", "rent"),
        Standing::Unclear { .. }
    ));
    assert_eq!(waiting(&world), 0);
    world.operator(Action::Resume);
    world.settle_down();
    assert!(matches!(
        world.last_message().plan.items[..],
        [PlanItem::Clarify { .. }]
    ));
}

#[test]
fn a_snooze_ends_by_itself() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    let until = later(instant(NOW), 2 * 86_400);
    hold(&mut world, None, Some(until));
    assert_eq!(world.phase(), Phase::AwaitOperator);
    assert_eq!(world.next_wake(), Some(until));
    world.now = until;
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
    assert_eq!(waiting(&world), 1);
    assert_eq!(escalations(&world), Vec::<&str>::new());
}

#[test]
fn a_hold_that_nobody_attends_to_is_escalated_once() {
    let mut world = rent_was_asked(calm());
    another_need_for_the_rent(&mut world);
    world.writes("Can I pass by the office to grab the keys?");
    world.settle_down();
    assert_eq!(world.holds(), ["stakeholder_question"]);
    assert_eq!(world.next_wake(), Some(later(instant(NOW), 86_400)));

    world.passes(24);
    world.settle_down();
    assert_eq!(escalations(&world), ["n1", "n2"]);
    assert_eq!(world.conversation.holds[0].escalated_at, Some(world.now));
    world.passes(24);
    world.settle_down();
    assert_eq!(escalations(&world).len(), 2);
}

#[test]
fn an_operator_who_does_something_is_not_called() {
    let mut world = rent_was_asked(calm());
    world.writes("Can I pass by the office to grab the keys?");
    world.settle_down();
    world.passes(23);
    world.operator(Action::Guide {
        text: "Be brief.".to_owned(),
        until: None,
    });
    world.settle_down();
    world.passes(23);
    world.settle_down();
    assert_eq!(escalations(&world), Vec::<&str>::new());
    world.passes(1);
    world.settle_down();
    assert_eq!(escalations(&world), ["n1"]);
}

#[test]
fn what_is_held_is_not_escalated_while_snoozed() {
    let mut world = rent_was_asked(calm());
    world.writes("Can I pass by the office to grab the keys?");
    world.settle_down();
    hold(&mut world, None, Some(later(instant(NOW), 4 * 86_400)));
    world.passes(4 * 24);
    world.settle_down();
    assert_eq!(world.holds(), ["stakeholder_question"]);
    assert_eq!(escalations(&world), Vec::<&str>::new());
    world.passes(24);
    world.settle_down();
    assert_eq!(escalations(&world), ["n1"]);
}

#[test]
fn a_policy_without_a_time_for_it_escalates_nothing() {
    let policy = Policy {
        escalate_holds_after: None,
        ..calm()
    };
    let mut world = rent_was_asked(policy);
    hold(&mut world, None, None);
    assert_eq!(world.next_wake(), Some(instant(LATER)));
}

#[test]
fn strangers_cannot_make_the_document_grow() {
    let mut world = rent_was_asked(calm());
    for stranger in 0..Hold::MOST_OF_A_KIND + 7 {
        let mut message = world.letter("Hello.");
        message.origin = Origin::Stranger;
        message.from = address(&format!("stranger.{stranger}@example.com"));
        world.arrives(message);
        world.settle_down();
    }
    assert_eq!(world.conversation.holds.len(), Hold::MOST_OF_A_KIND);
    let latest = world.conversation.holds.last().expect("a hold");
    assert_eq!(latest.further, 7);
}

#[test]
fn resuming_leaves_what_came_after_the_command() {
    let mut world = rent_was_asked(calm());
    hold(&mut world, None, None);
    // The operator resumes without having seen the question that arrived in the same moment.
    world.writes("Can I pass by the office to grab the keys?");
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(world.holds(), ["stakeholder_question"]);
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
}

#[test]
fn one_hold_is_released_and_the_others_stand() {
    let mut world = rent_was_asked(calm());
    world.writes("Can I pass by the office to grab the keys?");
    world.settle_down();
    hold(&mut world, None, None);
    let question = world.conversation.holds[0].id.clone();
    world.operator(Action::Release { hold: question });
    world.settle_down();
    assert_eq!(world.holds(), ["operator"]);
}

#[test]
fn a_command_that_changes_nothing_says_why() {
    let mut world = rent_was_asked(calm());
    let gone = Action::Release {
        hold: HoldId::new("gone"),
    };
    let unfit = Action::Fill {
        slot: slot_key("property:42", "rent"),
        value: Value::Boolean(true),
        note: "she called".to_owned(),
        heard: None,
    };
    world.operator(gone);
    world.operator(unfit);
    world.settle_down();
    let ignored = world.conversation.ignored.iter();
    let ignored: Vec<_> = ignored
        .map(|one| (one.action.as_str(), one.why.as_str()))
        .collect();
    assert_eq!(
        ignored,
        [
            ("release", "there is no such hold any more"),
            ("fill", "the slot does not take such a value"),
        ]
    );
}

#[test]
fn a_message_of_unknown_fate_is_not_released_but_resolved() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.complete(unknown());
    world.settle_down();
    let hold = world.conversation.holds[0].id.clone();
    world.operator(Action::Release { hold });
    world.settle_down();
    assert_eq!(world.holds(), ["unknown_send"]);
    assert_eq!(world.conversation.ignored.len(), 1);
}

fn guarded(guard: Guard) -> Action {
    Action::Guarded {
        guard,
        then: vec![rent_by_phone()],
    }
}

#[test]
fn a_command_for_another_revision_changes_nothing_and_says_so() {
    let mut world = rent_was_asked(calm());
    let revision = Some(world.conversation.revision);
    world.writes("Can I pass by the office to grab the keys?");
    let guard = Guard {
        revision,
        expires_at: None,
    };
    // It is folded together with the message that the operator had not seen.
    world.operator(guarded(guard));
    world.settle_down();
    assert_eq!(*world.standing("property:42", "rent"), Standing::Missing);
    let ignored = &world.conversation.ignored[0];
    assert_eq!(ignored.action, "fill");
    assert!(ignored.why.contains("changed"), "{}", ignored.why);

    let revision = Some(world.conversation.revision);
    world.operator(guarded(Guard {
        revision,
        expires_at: None,
    }));
    world.settle_down();
    assert!(world.outcome("n1").is_some());
}

#[test]
fn a_command_that_comes_too_late_changes_nothing_and_says_so() {
    for (seconds, taken) in [(59, true), (60, false)] {
        let mut world = rent_was_asked(calm());
        let expires_at = Some(later(world.now, 60));
        world.now = later(world.now, seconds);
        world.operator(guarded(Guard {
            revision: None,
            expires_at,
        }));
        world.settle_down();
        assert_eq!(world.outcome("n1").is_some(), taken);
        assert_eq!(world.conversation.ignored.is_empty(), taken);
    }
}

#[test]
fn an_answer_by_phone_has_its_provenance_and_ends_the_chase_at_once() {
    let mut world = rent_was_asked(calm());
    another_need_for_the_rent(&mut world);
    world.passes(3 * 24);
    world.settle_down();
    assert_eq!(waiting(&world), 1, "a reminder is about to go");
    world.operator(rent_by_phone());
    world.settle_down();
    assert_eq!(waiting(&world), 0, "it does not go");
    let outcome = world.outcome("n2").expect("it is settled");
    let rent = &outcome.slots["rent"];
    assert_eq!(rent.as_of, instant("2027-05-03T09:30:00Z"));
    let Evidence::Operator { by, note, heard } = &rent.evidence else {
        panic!("{:?}", rent.evidence);
    };
    assert_eq!((by.as_str(), note.as_str()), ("olga", "she called"));
    assert_eq!(heard.map(|heard| heard.via), Some(Via::Phone));
    world.goes_to(LATER);
    world.settle_down();
    assert_eq!(waiting(&world), 0, "and nothing follows");
}

#[test]
fn an_answer_by_phone_is_recorded_while_an_operator_has_taken_over() {
    let mut world = rent_was_asked(calm());
    take_over(&mut world);
    world.writes("I will call you.");
    world.settle_down();
    world.operator(rent_by_phone());
    world.settle_down();
    let outcome = world.outcome("n1").expect("the workflow has it at once");
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
    assert_eq!(world.conversation.inbox.len(), 1, "and nothing was read");
    assert_eq!(waiting(&world), 0, "or sent");
}

#[test]
fn what_an_operator_wants_said_waits_until_the_conversation_is_handed_back() {
    let mut world = rent_was_asked(calm());
    take_over(&mut world);
    world.operator(Action::Answer {
        text: "At any time.".to_owned(),
    });
    world.settle_down();
    assert_eq!(waiting(&world), 0);
    hand_back(&mut world);
    assert_eq!(waiting(&world), 1);
}

#[test]
fn guidance_is_given_to_the_writers_until_it_expires() {
    let mut world = World::new(NOW, calm());
    let until = Some(later(instant(NOW), 86_400));
    for (text, until) in [("Be formal.", None), ("No emoji today.", until)] {
        world.operator(Action::Guide {
            text: text.to_owned(),
            until,
        });
    }
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    assert_eq!(
        world.delivers().plan.guidance,
        ["Be formal.", "No emoji today."]
    );
    world.passes(3 * 24);
    world.settle_down();
    assert_eq!(world.delivers().plan.guidance, ["Be formal."]);
    let guidance = world.conversation.guidance[0].id.clone();
    world.operator(Action::Unguide { guidance });
    world.passes(5 * 24);
    world.settle_down();
    assert_eq!(world.delivers().plan.guidance, Vec::<String>::new());
}

#[test]
fn guidance_is_bounded_and_makes_what_waits_be_worded_anew() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    for number in 0..Guidance::MOST + 2 {
        world.operator(Action::Guide {
            text: format!("{number}{}", "x".repeat(2 * Guidance::LONGEST)),
            until: None,
        });
        world.settle_down();
    }
    assert_eq!(world.conversation.guidance.len(), Guidance::MOST);
    let longest = world.conversation.guidance.iter();
    assert!(longest.map(|one| one.text.len()).max() <= Some(Guidance::LONGEST));
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    assert_eq!(waiting(&world), 1);
}

#[test]
fn a_contact_is_revived_with_grounds() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.complete(Fate::Refused {
        address_is_bad: true,
        reason: "no such mailbox".to_owned(),
    });
    world.settle_down();
    assert_eq!(world.holds(), ["unreachable"]);
    let revive = Action::Revive {
        address: address(ADDRESS),
        note: "the mailbox was full, she says".to_owned(),
    };
    world.operator(revive.clone());
    world.settle_down();
    assert_eq!(world.holds(), Vec::<&str>::new());
    let contact = &world.conversation.stakeholder.contacts[0];
    let revived = contact.revived.as_ref().expect("the grounds are kept");
    assert_eq!(revived.by, "olga");
    assert_eq!(asked_about(&world.delivers()), [("rent", false)]);

    world.operator(revive);
    world.settle_down();
    assert_eq!(world.conversation.ignored[0].action, "revive");
}

#[test]
fn a_person_who_opted_out_is_written_to_again_only_on_an_operators_grounds() {
    let mut world = rent_was_asked(calm());
    world.writes("STOP");
    world.settle_down();
    let outcome = world.outcome("n1").expect("it is settled");
    assert_eq!(outcome.outcome, OutcomeKind::OptedOut);
    world.operator(Action::Revive {
        address: address(ADDRESS),
        note: "she asked for it by phone".to_owned(),
    });
    world.settle_down();
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("pets", false)]);
}

// A draft is pinned to the state that it was written for.

#[test]
fn a_message_that_waits_is_void_when_the_person_writes() {
    let mut world = rent_was_asked(calm());
    world.passes(3 * 24);
    world.settle_down();
    assert_eq!(waiting(&world), 1, "a reminder waits");
    world.writes("The rent is 1200.");
    assert!(
        world.begin().is_none(),
        "nothing passes the point of no return over an input"
    );
    world.settle_down();
    assert_eq!(world.outbox[1].state, State::Withdrawn);
    let said = &world.last_message().plan.items;
    assert!(
        matches!(said[..], [PlanItem::Acknowledge { .. }]),
        "what goes now is written for what is known now: {said:?}"
    );
}

#[test]
fn nothing_is_written_while_a_message_waits_to_be_read() {
    let policy = Policy {
        burst: Wait::seconds(60),
        ..calm()
    };
    let mut world = rent_was_asked(policy);
    world.passes(3 * 24);
    world.reader = Reader::Down;
    world.writes("The rent is 1200.");
    world.settle_down();
    assert_eq!(
        waiting(&world),
        0,
        "the reminder is due, and is not written"
    );
    world.reader = Reader::Honest;
    world.passes(1);
    world.settle_down();
    assert!(world.outcome("n1").is_some());
}

#[test]
fn a_reminder_that_is_being_handed_over_when_the_answer_comes_is_followed_by_no_other() {
    let mut world = rent_was_asked(calm());
    world.passes(3 * 24);
    world.settle_down();
    world
        .begin()
        .expect("a reminder passes the point of no return");
    world.writes("The rent is 1200.");
    world.settle_down();
    assert!(world.outcome("n1").is_some(), "the answer counts at once");
    assert_eq!(
        waiting(&world),
        0,
        "one message of ours is still on its way"
    );
    let sent = world.sent();
    world.complete(sent);
    world.settle_down();
    let said = &world.last_message().plan.items;
    assert!(
        matches!(said[..], [PlanItem::Acknowledge { .. }]),
        "{said:?}"
    );
}

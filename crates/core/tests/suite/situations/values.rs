//! What becomes of values: shared, corrected, resting on one another, confirmed.

use super::{LATER, NOW, asked_about, calm};
use crate::world::{State, World, instant, need, slot, slot_key};
use jiff::civil::date;
use liaison_core::{
    conversation::{Action, MessageKind},
    effect::{Effect, NeedEvent, OutboundMessage},
    input::Input,
    need::{OutcomeKind, Registration, TranscriptEntry},
    plan::PlanItem,
    policy::{Policy, Wait},
    sharing,
    slot::{Confirm, Evidence, Standing},
    value::{Kind, Value},
};
use rstest::rstest;

/// A need about property 42.
fn about_42(id: &str, slots: &[&str]) -> Registration {
    let mut need = need(id, slots, LATER);
    need.subject = Some("property:42".to_owned());
    need
}

fn quiet() -> Policy {
    Policy {
        acknowledge: false,
        ..calm()
    }
}

/// Registers a need, asks for it, and has the stakeholder answer.
fn answered(need: Registration, text: &str) -> World {
    let mut world = World::new(NOW, quiet());
    world.register(need);
    world.settle_down();
    world.delivers();
    world.writes(text);
    world.settle_down();
    world
}

fn number(value: i64) -> Value {
    Value::Number(value.into())
}

fn events<'a>(world: &'a World, id: &str) -> Vec<&'a NeedEvent> {
    let effects = world.effects.iter();
    effects
        .filter_map(|effect| match effect {
            Effect::Event { need, event } if need.as_str() == id => Some(event),
            _ => None,
        })
        .collect()
}

fn value_told<'a>(world: &'a World, id: &str, slot: &str) -> Option<&'a Value> {
    let outcome = world.outcome(id)?;
    Some(&outcome.slots.get(slot)?.value)
}

fn to_confirm(message: &OutboundMessage) -> Vec<(&str, bool)> {
    let items = message.plan.items.iter();
    items
        .filter_map(|item| match item {
            PlanItem::Confirm {
                value, asked_on, ..
            } => Some((value.as_str(), asked_on.is_some())),
            _ => None,
        })
        .collect()
}

#[rstest]
#[case::of_any_age(None, 40 * 24, true)]
#[case::young_enough(Some(Wait::days(30)), 30 * 24 - 1, true)]
#[case::just_too_old(Some(Wait::days(30)), 30 * 24, false)]
#[case::never(Some(Wait::seconds(0)), 0, false)]
fn an_answer_that_another_need_brought_is_taken_over(
    #[case] max_age: Option<Wait>,
    #[case] hours: i64,
    #[case] taken: bool,
) {
    let mut world = answered(about_42("n1", &["rent"]), "The rent is 1200.");
    let first = world.outcome("n1").expect("it has one").slots["rent"].clone();
    assert!(!first.reused);
    world.passes(hours);
    let mut second = about_42("n2", &["rent"]);
    second.deadline = instant("2027-12-31T10:00:00Z");
    second.slots[0].max_age = max_age;
    world.register(second);
    world.settle_down();
    if taken {
        let told = &world.outcome("n2").expect("it needs no question").slots["rent"];
        assert!(told.reused);
        assert_eq!((&told.value, told.as_of), (&first.value, first.as_of));
        assert_eq!(told.evidence, first.evidence);
        assert_eq!(world.outbox.len(), 1, "nothing is asked again");
        return;
    }
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
    world.delivers();
    world.writes("The rent is 1300.");
    world.settle_down();
    let told = &world.outcome("n2").expect("it has one").slots["rent"];
    assert_eq!((&told.value, told.reused), (&number(1_300), false));
    let slot = &world.conversation.slots[&slot_key("property:42", "rent")];
    assert_eq!(slot.earlier[0].value, number(1_200), "the version before");
    assert!(
        matches!(events(&world, "n1")[..], [NeedEvent::Amended { was, .. }] if **was == number(1_200)),
        "who was told the old answer hears of the new one"
    );
}

#[test]
fn one_reply_settles_several_needs_of_which_one_shares_a_question() {
    let mut world = World::new(NOW, quiet());
    world.register(about_42("n1", &["rent"]));
    world.register(about_42("n2", &["rent", "pets"]));
    world.register(need("n3", &["day"], LATER));
    world.settle_down();
    let asked = world.delivers();
    assert_eq!(
        asked_about(&asked),
        [("rent", false), ("pets", false), ("day", false)]
    );
    world.writes("The rent is 1200.");
    world.writes("No, pets are not allowed.");
    world.writes("14 May 2027 suits me.");
    world.settle_down();
    for (id, slot, value) in [
        ("n1", "rent", number(1_200)),
        ("n2", "rent", number(1_200)),
        ("n2", "pets", Value::Boolean(false)),
        ("n3", "day", Value::Date(date(2027, 5, 14))),
    ] {
        assert_eq!(value_told(&world, id, slot), Some(&value), "{id}: {slot}");
        assert!(!world.outcome(id).expect("it has one").slots[slot].reused);
    }
}

fn with_bounds(id: &str) -> Registration {
    let mut need = about_42(id, &["rent"]);
    if let Kind::Number(number) = &mut need.slots[0].kind {
        number.maximum = Some(5_000.into());
    }
    need
}

#[test]
fn two_needs_that_would_read_an_answer_differently_do_not_share_a_question() {
    let mut world = World::new(NOW, quiet());
    world.register(about_42("n1", &["rent"]));
    // It landed at the same moment.
    world.register(with_bounds("n2"));
    let clash = sharing::clash(&world.conversation, &world.pending[..1], &with_bounds("n2"));
    let clash = clash.expect("the one that waits counts");
    assert_eq!((clash.place, clash.with.as_str()), (0, "n1"));
    world.settle_down();
    let outcome = world.outcome("n2").expect("it ends at once");
    assert_eq!(outcome.outcome, OutcomeKind::Cancelled);
    let [NeedEvent::Rejected { why }] = events(&world, "n2")[..] else {
        panic!("{:?}", events(&world, "n2"));
    };
    assert!(
        why.contains("n1") && why.contains("property:42/rent"),
        "{why}"
    );
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
    world.delivers();
    world.writes("The rent is 1200.");
    world.settle_down();
    assert_eq!(value_told(&world, "n1", "rent"), Some(&number(1_200)));
    assert_eq!(events(&world, "n2").len(), 1, "no answer is news for it");
}

#[test]
fn what_only_ended_needs_have_asked_binds_nobody() {
    let mut world = answered(about_42("n1", &["rent"]), "The rent is 1200.");
    assert_eq!(
        sharing::clash(&world.conversation, &[], &with_bounds("n2")),
        None
    );
    world.register(with_bounds("n2"));
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("rent", false)]);
    world.delivers();
    world.writes("The rent is 1300.");
    world.settle_down();
    assert_eq!(value_told(&world, "n2", "rent"), Some(&number(1_300)));
    assert!(events(&world, "n1").is_empty(), "it is another question");
}

#[test]
fn a_need_that_was_cancelled_while_its_registration_waits_binds_nobody() {
    let mut world = World::new(NOW, quiet());
    world.register(about_42("n1", &["rent"]));
    world.cancel("n1");
    let clash = sharing::clash(&world.conversation, &world.pending, &with_bounds("n2"));
    assert_eq!(clash, None);
}

#[test]
fn a_correction_after_the_end_is_told_and_changes_no_outcome() {
    let mut world = answered(about_42("n1", &["rent"]), "The rent is 1200.");
    world.conversation.policy.acknowledge = true;
    let outcome = world.outcome("n1").cloned();
    world.passes(24);
    let message = world.writes("Correction: the rent is 1300.");
    world.settle_down();
    let [event] = events(&world, "n1")[..] else {
        panic!("{:?}", events(&world, "n1"));
    };
    assert_eq!(
        *event,
        NeedEvent::Amended {
            slot: "rent".to_owned(),
            value: number(1_300),
            evidence: Evidence::Message {
                message,
                quote: "Correction: the rent is 1300.".to_owned(),
            },
            was: Box::new(number(1_200)),
        }
    );
    assert_eq!(world.outcome("n1").cloned(), outcome);
    let slot = &world.conversation.slots[&slot_key("property:42", "rent")];
    assert_eq!(slot.earlier[0].value, number(1_200));
    assert!(matches!(
        world.last_message().plan.items[..],
        [PlanItem::Acknowledge { .. }]
    ));
}

#[test]
fn a_contradiction_after_the_end_changes_nothing_and_goes_to_an_operator() {
    let mut world = answered(about_42("n1", &["rent"]), "The rent is 1200.");
    world.writes("The rent is 1300.");
    world.settle_down();
    let told = events(&world, "n1");
    assert!(
        matches!(
            &told[..],
            [NeedEvent::CorrectionUnclear { slot, candidates, was, .. }]
                if slot == "rent" && candidates.contains(&number(1_300)) && **was == number(1_200)
        ),
        "who has the outcome hears of it: {told:?}"
    );
    assert_eq!(
        world.standing("property:42", "rent").value(),
        Some(&number(1_200))
    );
    assert_eq!(world.holds(), ["nothing_understood"]);
}

#[test]
fn a_contradiction_asks_which_of_the_two_was_meant() {
    let mut world = answered(about_42("n1", &["day", "pets"]), "14 May 2027 suits me.");
    world.writes("16 May 2027 suits me.");
    world.settle_down();
    let standing = world.standing("property:42", "day");
    assert!(matches!(standing, Standing::Unclear { .. }), "{standing:?}");
    let message = world.delivers();
    assert!(
        message
            .draft
            .body
            .contains("Did you mean “Friday 14 May 2027” or “Sunday 16 May 2027”?"),
        "{}",
        message.draft.body
    );
    world.writes("14 May 2027 suits me.");
    world.settle_down();
    assert_eq!(
        world.standing("property:42", "day").value(),
        Some(&Value::Date(date(2027, 5, 14)))
    );
}

#[test]
fn a_correction_that_does_not_fit_leaves_the_value_as_it_is() {
    let mut first = with_bounds("n1");
    first.slots.push(slot("pets"));
    let mut world = answered(first, "The rent is 1200.");
    world.writes("Correction: the rent is 9000.");
    world.settle_down();
    assert_eq!(
        world.standing("property:42", "rent").value(),
        Some(&number(1_200))
    );
    assert_eq!(world.holds(), ["nothing_understood"]);
}

/// A need whose note rests on its day.
fn note_on_a_day() -> Registration {
    let mut need = about_42("n1", &["note", "day", "pets"]);
    need.slots[0].depends_on = vec!["day".to_owned()];
    need
}

#[test]
fn what_rests_on_another_answer_is_asked_once_that_is_there() {
    let mut world = World::new(NOW, quiet());
    world.register(note_on_a_day());
    world.settle_down();
    let first = world.delivers();
    assert_eq!(asked_about(&first), [("day", false), ("pets", false)]);
    world.writes("14 May 2027 suits me.");
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("note", false)]);
}

#[test]
fn what_rests_on_an_answer_that_changes_is_asked_again_with_the_reason() {
    let mut world = answered(note_on_a_day(), "14 May 2027 suits me.");
    world.delivers();
    world.writes("Note: the key is under the mat.");
    world.settle_down();
    assert!(world.standing("property:42", "note").value().is_some());
    world.writes("Correction: 15 May 2027 suits me.");
    world.settle_down();
    assert_eq!(*world.standing("property:42", "note"), Standing::Missing);
    let earlier = &world.conversation.slots[&slot_key("property:42", "note")].earlier;
    assert_eq!(earlier.len(), 1, "the version before is kept");
    let message = world.delivers();
    let [PlanItem::Question { slot, because, .. }] = &message.plan.items[..] else {
        panic!("{:?}", message.plan.items);
    };
    assert_eq!(slot.name, "note");
    let change = because.as_ref().expect("the reason");
    assert_eq!(change.value, "Saturday 15 May 2027");
    assert!(
        message.draft.body.contains("has changed")
            && message.draft.body.contains("Saturday 15 May 2027"),
        "{}",
        message.draft.body
    );
    world.writes("Note: the key is under the mat.");
    world.settle_down();
    assert!(world.standing("property:42", "note").value().is_some());
}

#[test]
fn an_operators_correction_makes_what_rests_on_it_missing_as_well() {
    let mut world = answered(note_on_a_day(), "14 May 2027 suits me.");
    world.delivers();
    world.writes("Note: the key is under the mat.");
    world.settle_down();
    world.operator(Action::Fill {
        slot: slot_key("property:42", "day"),
        value: Value::Date(date(2027, 5, 20)),
        note: "by phone".to_owned(),
        heard: None,
    });
    world.settle_down();
    assert_eq!(*world.standing("property:42", "note"), Standing::Missing);
}

/// A need for the rent that wants it confirmed, and its answer.
fn rent_is_confirmed(confirm: Confirm, answer: &str) -> World {
    let mut need = about_42("n1", &["rent"]);
    need.slots[0].confirm = confirm;
    answered(need, answer)
}

#[test]
fn a_value_that_wants_it_counts_once_the_person_has_confirmed_it() {
    let mut world = rent_is_confirmed(Confirm::Always, "The rent is 1200.");
    assert_eq!(world.outcome("n1"), None);
    let message = world.delivers();
    assert_eq!(message.plan.kind, MessageKind::Reply);
    assert_eq!(to_confirm(&message), [("1200", false)]);
    world.writes("Yes, that is right.");
    world.settle_down();
    let told = &world.outcome("n1").expect("it has one").slots["rent"];
    assert_eq!(told.value, number(1_200));
    let quote = |evidence: &Evidence| match evidence {
        Evidence::Message { quote, .. } => quote.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(quote(&told.evidence), "The rent is 1200.");
    let confirmed_by = told.confirmed_by.as_ref().expect("both quotes");
    assert_eq!(quote(confirmed_by), "Yes, that is right.");
}

#[test]
fn a_value_that_is_not_right_is_asked_for_again() {
    let mut world = rent_is_confirmed(Confirm::Always, "The rent is 1200.");
    world.delivers();
    world.writes("No, that is not right.");
    world.settle_down();
    let standing = world.standing("property:42", "rent");
    assert!(matches!(standing, Standing::Unclear { .. }), "{standing:?}");
    let message = world.delivers();
    assert!(matches!(message.plan.items[..], [PlanItem::Clarify { .. }]));
    world.writes("The rent is 1300.");
    world.settle_down();
    assert_eq!(to_confirm(&world.delivers()), [("1300", false)]);
    world.writes("Yes, that is right.");
    world.settle_down();
    assert_eq!(value_told(&world, "n1", "rent"), Some(&number(1_300)));
}

#[test]
fn another_value_instead_of_a_yes_is_the_one_to_confirm() {
    let mut world = rent_is_confirmed(Confirm::Always, "The rent is 1200.");
    world.delivers();
    world.writes("The rent is 1300.");
    world.settle_down();
    assert_eq!(to_confirm(&world.delivers()), [("1300", false)]);
    world.writes("The rent is 1300.");
    world.settle_down();
    assert_eq!(
        value_told(&world, "n1", "rent"),
        Some(&number(1_300)),
        "who repeats it says that it is right"
    );
}

#[test]
fn a_yes_before_the_question_confirms_nothing() {
    let mut world = World::new(NOW, quiet());
    let mut need = about_42("n1", &["rent"]);
    need.slots[0].confirm = Confirm::Always;
    world.register(need);
    world.input(Input::HoldRequested {
        by: "olga".to_owned(),
        note: "nothing is to be sent".to_owned(),
        need: None,
        until: None,
    });
    for text in ["The rent is 1200.", "Yes."] {
        world.writes(text);
        world.settle_down();
    }
    let standing = world.standing("property:42", "rent");
    assert!(matches!(standing, Standing::Unconfirmed(_)), "{standing:?}");
}

#[test]
fn a_reminder_asks_whether_it_is_right_and_not_the_question_again() {
    let mut world = rent_is_confirmed(Confirm::Always, "The rent is 1200.");
    world.delivers();
    world.now = world.next_wake().expect("a reminder");
    assert_eq!(world.now, instant("2027-05-06T10:00:00Z"));
    world.settle_down();
    let reminder = world.delivers();
    assert_eq!(reminder.plan.kind, MessageKind::FollowUp);
    assert_eq!(to_confirm(&reminder), [("1200", true)]);
    assert!(asked_about(&reminder).is_empty());
}

#[rstest]
#[case::named("14 May 2027 suits me.", false)]
#[case::named_without_the_year("14 May suits me.", false)]
#[case::relative("Next Tuesday suits me.", true)]
#[case::tomorrow("Tomorrow suits me.", true)]
fn a_day_that_was_told_relative_to_another_is_inferred(#[case] text: &str, #[case] inferred: bool) {
    let mut need = about_42("n1", &["day"]);
    need.slots[0].confirm = Confirm::WhenInferred;
    let mut world = answered(need, text);
    assert_eq!(world.outcome("n1").is_none(), inferred, "{text}");
    if inferred {
        assert_eq!(to_confirm(&world.delivers()).len(), 1);
    }
}

#[test]
fn what_a_transcript_says_is_inferred_and_confirmed_with_the_first_questions() {
    let mut world = World::new(NOW, quiet());
    let mut first = about_42("n1", &["rent", "pets"]);
    first.slots[0].confirm = Confirm::WhenInferred;
    first.transcript = vec![TranscriptEntry {
        at: instant("2027-05-01T10:00:00Z"),
        text: "The rent is 1200.".to_owned(),
    }];
    world.register(first);
    world.settle_down();
    let message = world.delivers();
    assert_eq!(message.plan.kind, MessageKind::Ask);
    assert_eq!(to_confirm(&message), [("1200", false)]);
    assert_eq!(asked_about(&message), [("pets", false)]);
}

#[test]
fn a_need_that_wants_it_has_an_answer_confirmed_that_it_takes_over() {
    let mut world = answered(about_42("n1", &["rent"]), "The rent is 1200.");
    let mut second = about_42("n2", &["rent"]);
    second.slots[0].confirm = Confirm::Always;
    world.register(second);
    world.settle_down();
    assert_eq!(world.outcome("n2"), None);
    assert_eq!(to_confirm(&world.delivers()), [("1200", false)]);
    world.cancel("n2");
    world.register(about_42("n3", &["rent"]));
    world.settle_down();
    assert_eq!(
        value_told(&world, "n3", "rent"),
        Some(&number(1_200)),
        "nobody wants it confirmed any more"
    );
}

#[test]
fn a_question_for_a_yes_is_recalled_when_the_need_that_wanted_it_ends() {
    let mut world = rent_is_confirmed(Confirm::Always, "The rent is 1200.");
    assert_eq!(to_confirm(world.last_message()), [("1200", false)]);
    world.register(about_42("n2", &["rent", "pets"]));
    world.cancel("n1");
    world.settle_down();
    assert_eq!(
        world.standing("property:42", "rent").value(),
        Some(&number(1_200))
    );
    let mut messages = world.outbox.iter();
    let asks = messages.find(|row| !to_confirm(&row.message).is_empty());
    assert_eq!(asks.expect("it was decided").state, State::Withdrawn);
}

#[test]
fn a_question_on_its_way_is_recalled_when_a_transcript_answers_it() {
    let mut world = World::new(NOW, quiet());
    world.register(about_42("n1", &["rent"]));
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Queued);
    let mut second = about_42("n2", &["rent"]);
    second.transcript = vec![TranscriptEntry {
        at: instant("2027-05-01T10:00:00Z"),
        text: "The rent is 1200.".to_owned(),
    }];
    world.register(second);
    world.settle_down();
    assert_eq!(world.outbox[0].state, State::Withdrawn);
    assert_eq!(value_told(&world, "n1", "rent"), Some(&number(1_200)));
}

#[test]
fn an_operators_word_needs_no_confirmation() {
    let mut world = rent_is_confirmed(Confirm::Always, "I would like to think about it.");
    world.operator(Action::Fill {
        slot: slot_key("property:42", "rent"),
        value: number(1_250),
        note: "by phone".to_owned(),
        heard: None,
    });
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(value_told(&world, "n1", "rent"), Some(&number(1_250)));
}

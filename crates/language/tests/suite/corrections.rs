//! Answers that are put right, days from which something is so, and bounds.

use crate::{
    replies::outcome,
    requests::{arranged_by, boolean, date, number, request, slot},
};
use liaison_core::{
    form::SlotQuestion,
    gate::{self, Verdict},
};
use liaison_language::rules::RulesReader;
use rstest::rstest;

fn verdicts(texts: &[&str], slots: Vec<SlotQuestion>) -> Vec<String> {
    let request = request(texts, slots);
    let reading = RulesReader.read(&request);
    outcome(&gate::judge(&request, &reading))
}

/// The candidates of the only slot, which has to be unclear.
#[track_caller]
fn offered(texts: &[&str], slot: SlotQuestion) -> Vec<String> {
    let request = request(texts, vec![slot]);
    let reading = RulesReader.read(&request);
    let judgement = gate::judge(&request, &reading);
    let Verdict::Unclear { candidates, .. } = &judgement.slots[0].verdict else {
        panic!("{reading:?} {judgement:?}");
    };
    candidates.iter().map(|value| value.plain()).collect()
}

fn moving_day() -> SlotQuestion {
    slot("day", date(), "On which day do you move?")
}

fn free_from() -> SlotQuestion {
    slot("free_from", date(), "From which day is the flat free?")
}

const ARRANGE: &str = "Please arrange it for me.";

#[rstest]
#[case(&[ARRANGE, "Sorry, I meant: I'll do it myself."], "Is(\"landlord\")")]
#[case(&[ARRANGE, "Sorry, I meant I'll do it myself."], "Unclear")]
#[case(&[ARRANGE, "Sorry, I meant the other one."], "Unclear")]
#[case(&["Please arrange it for me. Sorry, I meant: I'll do it myself."], "Is(\"landlord\")")]
#[case(&[ARRANGE, "I'll do it myself."], "Unclear")]
fn an_explicit_correction_in_the_same_burst_wins(#[case] texts: &[&str], #[case] expected: &str) {
    assert_eq!(
        verdicts(texts, vec![arranged_by()]),
        [expected],
        "{texts:?}"
    );
}

#[rstest]
#[case(&["We move on 22 May.", "No, wait, not on 22 May: make it 24 May."], "Is(\"Monday 24 May 2027\")")]
#[case(&["On Thursday 20 May.", "No, wait, not Thursday: make it Friday 21 May."], "Is(\"Friday 21 May 2027\")")]
#[case(&["Correction: we do not move on 22 May but on 24 May."], "Is(\"Monday 24 May 2027\")")]
#[case(&["We move on 22 May.", "We move on 24 May."], "Unclear")]
#[case(&["Correction: we do not move on 22 May, but on 24 May my sister visits."], "Unclear")]
#[case(&["Correction: we move on 22 May but not on 24 May."], "Unclear")]
fn a_day_in_the_place_of_a_denied_one_wins_when_it_is_a_correction(
    #[case] texts: &[&str],
    #[case] expected: &str,
) {
    assert_eq!(verdicts(texts, vec![moving_day()]), [expected], "{texts:?}");
}

#[test]
fn a_denied_day_is_replaced_by_the_one_that_stands_instead() {
    let known = SlotQuestion {
        current: Some("Saturday 22 May 2027".to_owned()),
        ..moving_day()
    };
    let piano = || slot("piano", boolean(), "Do you have a piano?");
    assert_eq!(
        verdicts(
            &["Correction: we do not move on 22 May but on 24 May."],
            vec![piano(), known.clone()]
        ),
        ["Nothing", "Corrects(\"Monday 24 May 2027\")"]
    );
    assert_eq!(
        verdicts(&["We do not move on 22 May but on 24 May."], vec![known]),
        ["Nothing"],
        "without words of correction nothing is replaced"
    );
}

#[test]
fn whoever_gave_two_answers_is_offered_both() {
    assert_eq!(
        offered(&[ARRANGE, "I'll do it myself."], arranged_by()),
        ["agency", "landlord"]
    );
    assert_eq!(
        offered(&["We move on 22 May.", "We move on 24 May."], moving_day()),
        ["Saturday 22 May 2027", "Monday 24 May 2027"]
    );
}

#[rstest]
#[case("The flat is free from 19 April 2027.", "Is(\"Monday 19 April 2027\")")]
#[case("It is free from 19 April 2027 on.", "Is(\"Monday 19 April 2027\")")]
#[case("From 19 April 2027.", "Is(\"Monday 19 April 2027\")")]
#[case("As of 19 April 2027", "Is(\"Monday 19 April 2027\")")]
#[case("19 April 2027", "Is(\"Monday 19 April 2027\")")]
#[case("Maybe from 19 April 2027.", "Unclear")]
#[case("From about 19 April 2027.", "Unclear")]
#[case("From 19 April 2027 or from 26 April 2027.", "Unclear")]
#[case("The garage is free from 19 April 2027.", "Unclear")]
#[case("Not from 19 April 2027.", "Unclear")]
fn a_first_day_answers_the_question_from_which_day(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(verdicts(&[text], vec![free_from()]), [expected], "{text}");
}

#[rstest]
#[case(
    "How many guests can you cook for at most?",
    "For 80 guests at most.",
    "Is(\"80\")"
)]
#[case(
    "How many guests can you cook for at most?",
    "Up to 80 guests.",
    "Is(\"80\")"
)]
#[case(
    "What is the minimum number of guests?",
    "At least 20 guests.",
    "Is(\"20\")"
)]
#[case("How many guests will come?", "80 guests at most.", "Unclear")]
#[case("How many guests will come?", "Up to 80 guests.", "Unclear")]
#[case(
    "How many guests can you cook for at most?",
    "At least 20 guests.",
    "Unclear"
)]
#[case(
    "How many guests can you cook for at most?",
    "About 80 guests.",
    "Unclear"
)]
#[case(
    "How many guests can you cook for at most?",
    "Maybe 80 guests at most.",
    "Unclear"
)]
fn a_bound_answers_the_question_for_one(
    #[case] question: &str,
    #[case] text: &str,
    #[case] expected: &str,
) {
    let guests = slot("guests", number(Some("guests"), true), question);
    assert_eq!(verdicts(&[text], vec![guests]), [expected], "{text}");
}

#[test]
fn a_first_day_is_taken_beside_another_answer() {
    let keys = slot(
        "keys",
        number(Some("keys"), true),
        "How many sets of keys are there?",
    );
    assert_eq!(
        verdicts(
            &["The flat is free from 19 April 2027. There are 3 sets of keys."],
            vec![free_from(), keys]
        ),
        ["Is(\"Monday 19 April 2027\")", "Is(\"3\")"]
    );
}

#[test]
fn a_first_day_is_never_silently_passed_over_by_another_question() {
    assert_eq!(
        offered(&["From 20 May 2027."], moving_day()),
        ["Thursday 20 May 2027"]
    );
}

//! What is raised beside the slots.

use super::*;
use crate::gate::{Concern, ConcernKind};

fn concerns(text: &str, message: MessageForm) -> Vec<Concern> {
    let reading = Reading {
        message,
        slots: vec![SlotForm::silent(0)],
    };
    judge(&request(&[text], &["who"]), &reading).concerns
}

fn kinds(concerns: &[Concern]) -> Vec<ConcernKind> {
    concerns.iter().map(|concern| concern.kind).collect()
}

#[test]
fn code_sees_a_question_that_the_reader_misses() {
    let text = "I contacted the tenant, and he will not be able to attend the inspection. \
                Can I pass by the office to grab the keys?";
    let found = concerns(text, MessageForm::default());
    assert_eq!(kinds(&found), [ConcernKind::Question]);
    assert_eq!(
        found[0].quote.text,
        "Can I pass by the office to grab the keys?"
    );
    // The same question, raised by both, is raised once.
    let message = MessageForm {
        question: "Can I pass by the office to grab the keys?".to_owned(),
        ..MessageForm::default()
    };
    assert_eq!(concerns(text, message).len(), 1);
}

#[test]
fn a_polite_tail_asks_too() {
    let found = concerns("I'll come on Friday. Is that OK?", MessageForm::default());
    assert_eq!(found[0].quote.text, "Is that OK?");
}

#[test]
fn a_question_is_raised_although_its_sentence_also_answers() {
    let text = "Could you arrange it for me?";
    let request = request(&[text], &["who"]);
    let judgement = judged(&request, vec![claim(text, json!("agency"))]);
    assert!(matches!(
        judgement.slots[0].verdict,
        Verdict::Unclear { .. }
    ));
    assert_eq!(kinds(&judgement.concerns), [ConcernKind::Question]);
}

#[test]
fn a_concern_whose_quote_is_loose_still_counts() {
    let text = "Good day. The heating in the basement has failed again.";
    let message = MessageForm {
        out_of_scope: "the basement heating failed".to_owned(),
        wants_person: "someone should ring".to_owned(),
        ..MessageForm::default()
    };
    let found = concerns(text, message);
    assert_eq!(
        kinds(&found),
        [ConcernKind::WantsPerson, ConcernKind::OutOfScope]
    );
    assert_eq!(
        found[1].quote.text,
        "The heating in the basement has failed again."
    );
    assert_eq!(found[0].quote.text, text);
}

#[test]
fn an_empty_field_in_words_is_no_concern() {
    let message = MessageForm {
        question: "None.".to_owned(),
        wants_person: " N/A ".to_owned(),
        out_of_scope: "\"\"".to_owned(),
        ..MessageForm::default()
    };
    assert_eq!(concerns("I'll do it myself.", message), []);
}

#[test]
fn the_answer_itself_is_not_out_of_scope() {
    let text = "Please arrange it for me. The roof leaks.";
    let judge_with = |out_of_scope: &str| {
        let reading = Reading {
            message: MessageForm {
                out_of_scope: out_of_scope.to_owned(),
                ..MessageForm::default()
            },
            slots: vec![claim("Please arrange it for me.", json!("agency"))],
        };
        judge(&request(&[text], &["who"]), &reading)
    };
    assert_eq!(judge_with("Please arrange it for me.").concerns, []);
    assert_eq!(judge_with("The roof leaks.").concerns.len(), 1);
    assert_eq!(judge_with(text).concerns.len(), 1);
}

#[test]
fn a_wish_to_be_left_alone_is_seen_by_code() {
    for (text, kind) in [
        ("STOP", ConcernKind::RefusesContact),
        ("Stop emailing me!", ConcernKind::OptsOut),
        ("Please do not contact me again.", ConcernKind::OptsOut),
        ("That's enough, stop writing to me.", ConcernKind::OptsOut),
        (
            "I want you to stop contacting us at once.",
            ConcernKind::OptsOut,
        ),
        // Whatever has a limit or a condition is for a person to weigh.
        (
            "Please do not contact me before Monday.",
            ConcernKind::RefusesContact,
        ),
        ("Do not email me, call me.", ConcernKind::RefusesContact),
        (
            "Stop writing to me if you can't fix it.",
            ConcernKind::RefusesContact,
        ),
        (
            "I told the tenant to stop writing to me.",
            ConcernKind::RefusesContact,
        ),
        ("Take me off this address.", ConcernKind::RefusesContact),
    ] {
        let found = concerns(text, MessageForm::default());
        assert_eq!(kinds(&found), [kind], "{text}");
    }
    assert_eq!(
        concerns("The bus will stop at the corner.", MessageForm::default()),
        []
    );
}

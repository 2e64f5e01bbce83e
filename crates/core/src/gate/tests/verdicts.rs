//! Corrections, promises, refusals, and words that two slots would share.

use super::*;
use rstest::rstest;

fn landlord_before(text: &str) -> ReadRequest {
    let mut request = request(&[text], &["who"]);
    request.slots[0].current = Some("arrange the inspection yourself".to_owned());
    request
}

fn correcting(quote: &str, value: &str) -> SlotForm {
    SlotForm {
        explicit_correction: true,
        ..claim(quote, json!(value))
    }
}

#[test]
fn a_correction_needs_the_readers_word_and_the_persons() {
    let text = "Actually, please arrange it for me.";
    let request = landlord_before(text);
    let verdict_of = verdict(&request, correcting(text, "agency"));
    assert!(
        matches!(&verdict_of, Verdict::Accepted { correction: true, value, .. }
            if *value == Value::Choice("agency".to_owned())),
        "{verdict_of:?}"
    );
    let both = vec![
        Value::Choice("landlord".to_owned()),
        Value::Choice("agency".to_owned()),
    ];
    // Without the reader's flag, or without words of correction, it contradicts.
    let plain = "Please arrange it for me.";
    for (request, form) in [
        (landlord_before(text), claim(text, json!("agency"))),
        (landlord_before(plain), correcting(plain, "agency")),
    ] {
        match verdict(&request, form) {
            Verdict::Unclear { candidates, .. } => assert_eq!(candidates, both),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_same_value_again_changes_nothing() {
    let text = "I'll do it myself.";
    let verdict = verdict(&landlord_before(text), claim(text, json!("landlord")));
    assert_eq!(verdict, Verdict::Silent);
}

#[rstest]
#[case("Actually, could you arrange it for me?", "agency")]
#[case("Actually, maybe the agency.", "agency")]
#[case("Actually, the tenant.", "tenant")]
#[case("Actually, hello.", "agency")]
#[case("Actually, I'd rather not say.", "agency")]
fn an_invalid_correction_erases_nothing(#[case] text: &str, #[case] value: &str) {
    for answer in [
        Answer::Value,
        Answer::Promise,
        Answer::Refusal,
        Answer::Neither,
    ] {
        let form = SlotForm {
            answer,
            ..correcting(text, value)
        };
        let verdict = verdict(&landlord_before(text), form);
        assert!(
            matches!(verdict, Verdict::Refused { .. } | Verdict::Silent),
            "{answer:?}: {verdict:?}"
        );
    }
}

#[rstest]
#[case("I'll let you know by Friday.", "2027-05-07", true)]
#[case("I will tell you tomorrow.", "2027-05-04", true)]
#[case("I'll get back to you next week.", "2027-05-16", true)]
#[case("I'll let you know. By 7 May 2027 at the latest.", "2027-05-07", true)]
#[case("I'll let you know soon.", "2027-05-07", false)]
#[case("I'll let you know by Friday.", "2027-05-08", false)]
#[case("I'll let you know by Friday.", "Friday", false)]
#[case("I'll let you know by Friday.", "", false)]
#[case("The tenant moves out on 7 May 2027.", "2027-05-07", false)]
#[case("I'll let you know by 7 May 2031.", "2031-05-07", false)]
#[case("I told you on 1 May 2027 that I will tell you.", "2027-05-01", false)]
#[case("Will you let me know by Friday?", "2027-05-07", false)]
fn a_promise_needs_its_words_and_its_day(
    #[case] text: &str,
    #[case] day: &str,
    #[case] believed: bool,
) {
    let request = request(&[text], &["who"]);
    let quote = text.split_inclusive('.').next().unwrap();
    let form = SlotForm {
        answer: Answer::Promise,
        value: json!(null),
        promised_date: day.to_owned(),
        ..claim(quote, json!(null))
    };
    match verdict(&request, form) {
        Verdict::Promised { until, quote } => {
            assert!(believed, "{text}");
            assert_eq!(until.to_string(), day);
            assert!(text.contains(&quote.text));
        }
        Verdict::Refused { .. } => assert!(!believed, "{text}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_refusal_needs_words_that_refuse() {
    let judge = |text: &str| {
        let form = SlotForm {
            answer: Answer::Refusal,
            ..claim(text, json!(null))
        };
        verdict(&request(&[text], &["rent"]), form)
    };
    assert!(matches!(
        judge("I'd rather not say."),
        Verdict::Declined { .. }
    ));
    assert!(matches!(
        judge("That is none of your business."),
        Verdict::Declined { .. }
    ));
    for declines in [
        "I refuse to say.",
        "I decline to answer.",
        "I won't tell you.",
    ] {
        assert!(
            matches!(judge(declines), Verdict::Declined { .. }),
            "{declines}"
        );
    }
    for prefers in [
        "I refuse to do it myself.",
        "I refuse to let you arrange it.",
        "I decline to have you arrange it.",
        "I'd rather not arrange it myself.",
    ] {
        assert!(
            matches!(judge(prefers), Verdict::Unclear { .. }),
            "{prefers}"
        );
    }
    assert!(matches!(judge("No."), Verdict::Unclear { .. }));
    assert!(matches!(
        judge("Maybe I'd rather not say."),
        Verdict::Unclear { .. }
    ));
    let invented = SlotForm {
        answer: Answer::Refusal,
        ..claim("I refuse to answer", json!(null))
    };
    assert!(matches!(
        verdict(&request(&["Hello"], &["rent"]), invented),
        Verdict::Refused { .. }
    ));
}

#[test]
fn one_yes_does_not_answer_two_questions() {
    let judge = |text: &str| {
        let forms = vec![claim(text, json!(true)), claim(text, json!(true))];
        judged(&request(&[text], &["yes", "yes"]), forms)
    };
    for slot in judge("Yes.").slots {
        assert!(matches!(slot.verdict, Verdict::Unclear { .. }));
    }
    for slot in judge("Yes to both.").slots {
        assert!(is_accepted(&slot.verdict), "{:?}", slot.verdict);
    }
}

#[test]
fn one_file_is_not_two_documents() {
    let mut request = request(&["Attached."], &["file", "file"]);
    request.words[0].attachments = vec![file("a.pdf", "application/pdf")];
    let forms = vec![
        claim("a.pdf", json!("a.pdf")),
        claim("a.pdf", json!("a.pdf")),
    ];
    for slot in judged(&request, forms).slots {
        assert!(matches!(slot.verdict, Verdict::Unclear { .. }));
    }
}

#[test]
fn a_reading_that_lacks_forms_is_silent_about_them() {
    let request = request(&["Yes"], &["yes", "day"]);
    let judgement = judged(&request, vec![]);
    assert_eq!(judgement.slots.len(), 2);
    assert!(
        judgement
            .slots
            .iter()
            .all(|slot| slot.verdict == Verdict::Silent)
    );
}

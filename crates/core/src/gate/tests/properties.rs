//! What holds for every reading of every text.

use super::*;
use crate::form::Tone;
use crate::value::Grounds;
use proptest::prelude::*;

const KINDS: [&str; 8] = ["who", "time", "yes", "day", "rent", "keys", "note", "file"];

/// Words that answers are made of, so that random texts come near to giving values.
const PIECES: [&str; 50] = [
    "please",
    "arrange",
    "it",
    "for me",
    "myself",
    "I'll",
    "do",
    "the agency",
    "landlord",
    "morning",
    "afternoon",
    "yes",
    "no",
    "not",
    "5 May 2027",
    "tomorrow",
    "1,250",
    "3 keys",
    "12",
    "maybe",
    "if",
    "actually",
    "no wait",
    "let you know",
    "by Friday",
    "rather not say",
    "?",
    ".",
    ",",
    "!",
    "\n",
    "\n\n",
    "ß",
    "“",
    "’",
    "\u{a0}",
    "e\u{301}",
    "🙂",
    "1.",
    "-",
    "Please arrange it for me.",
    "I'll do it myself.",
    "Yes please.",
    "No, sorry.",
    "5 May 2027 is fine.",
    "It is 1,250.",
    "The afternoon works best.",
    "Thanks.",
    "I'd rather not say.",
    "I'll let you know by Friday.",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(prop::sample::select(&PIECES[..]), 0..20)
            .prop_map(|pieces| pieces.join(" ")),
        1 => "\\PC{0,60}",
        1 => "[ -~\n]{0,60}",
    ]
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|yes| json!(yes)),
        prop::sample::select(vec![
            json!("agency"),
            json!("landlord"),
            json!("morning"),
            json!("2027-05-05"),
            json!("2027-05-04"),
            json!("a.pdf"),
            json!("b.pdf"),
            json!(1250),
            json!(3),
            json!(12),
            json!(1e300),
            json!([1]),
            json!({"a": {}}),
        ]),
        any::<f64>().prop_map(|number| json!(number)),
        text().prop_map(|text| json!(text)),
    ]
}

/// A piece of one of the texts, an attachment's name, or anything.
fn quote(texts: Vec<String>) -> impl Strategy<Value = String> {
    (
        0..texts.len().max(1),
        any::<[prop::sample::Index; 2]>(),
        text(),
        0..4_u8,
    )
        .prop_map(move |(place, ends, other, choice)| {
            let text = texts.get(place).cloned().unwrap_or_default();
            let chars: Vec<char> = text.chars().collect();
            let at = |index: prop::sample::Index| index.index(chars.len() + 1);
            let (one, two) = (at(ends[0]), at(ends[1]));
            match choice {
                0 => other,
                1 => "a.pdf".to_owned(),
                2 => text,
                _ => chars[one.min(two)..one.max(two)].iter().collect(),
            }
        })
}

fn form(texts: Vec<String>) -> impl Strategy<Value = SlotForm> {
    let answer = prop::sample::select(vec![
        Answer::Value,
        Answer::Value,
        Answer::Promise,
        Answer::Refusal,
        Answer::Neither,
    ]);
    let day = prop::sample::select(vec!["", "2027-05-07", "2027-05-05", "2027-05-04", "x"]);
    (
        quote(texts),
        value(),
        answer,
        day,
        prop::bool::weighted(0.9),
        prop::bool::weighted(0.1),
        any::<bool>(),
        prop::collection::vec(prop::bool::weighted(0.9), 0..2),
    )
        .prop_map(
            |(quote, value, answer, day, clear, guess, correction, self_checks)| SlotForm {
                says: String::new(),
                quote,
                clear_value_present: clear,
                answer,
                would_be_guessing: guess,
                explicit_correction: correction,
                value,
                promised_date: day.to_owned(),
                self_checks,
            },
        )
}

/// The form of a reader that claims what code finds last, quoting its sentence.
fn honestly(request: &ReadRequest, slot: &SlotQuestion) -> Option<SlotForm> {
    let rules = slot.kind.rules();
    request
        .words
        .iter()
        .enumerate()
        .rev()
        .find_map(|(place, entry)| {
            let context = request.context(place);
            let sentences = crate::value::words::sentences(&entry.text);
            if rules.grounds() == Grounds::Verbatim {
                let sentence = &entry.text[sentences.last()?.clone()];
                return Some(claim(sentence, json!(sentence)));
            }
            let found = rules.find(&entry.text, &context).pop()?;
            let value = match &found.value {
                Value::Choice(name) => json!(name),
                Value::Boolean(yes) => json!(yes),
                Value::Date(day) => json!(day.to_string()),
                Value::Number(number) => serde_json::from_str(&number.to_string()).ok()?,
                Value::Text(text) => json!(text),
                Value::File(file) => return Some(claim(&file.name, json!(file.name))),
            };
            let sentence = sentences
                .into_iter()
                .find(|sentence| sentence.contains(&found.span.start))?;
            Some(SlotForm {
                explicit_correction: slot.current.is_some(),
                ..claim(&entry.text[sentence], value)
            })
        })
}

fn case() -> impl Strategy<Value = (ReadRequest, Reading)> {
    let texts = prop::collection::vec(text(), 0..4);
    let kinds = prop::collection::vec(prop::sample::select(&KINDS[..]), 0..4);
    (texts, kinds, any::<bool>()).prop_flat_map(|(texts, kinds, filled)| {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut request = request(&borrowed, &kinds);
        if let Some(words) = request.words.first_mut() {
            words.attachments = vec![file("a.pdf", "application/pdf")];
        }
        if let Some(slot) = request.slots.first_mut().filter(|_| filled) {
            slot.current = Some("arrange the inspection yourself".to_owned());
        }
        let forms = prop::collection::vec(form(texts.clone()), 0..5);
        let message = (
            quote(texts.clone()),
            quote(texts),
            prop::bool::weighted(0.1),
        );
        let honest = prop::collection::vec(any::<bool>(), 5);
        (forms, honest, message).prop_map(move |(mut slots, honest, message)| {
            let (question, other, automatic_reply) = message;
            let claims = slots.iter_mut().zip(&request.slots).zip(honest);
            for ((form, slot), _) in claims.filter(|(_, honest)| *honest) {
                *form = honestly(&request, slot).unwrap_or_else(|| form.clone());
            }
            let message = MessageForm {
                automatic_reply,
                question,
                out_of_scope: other,
                tone: Tone::Neutral,
                ..MessageForm::default()
            };
            (request.clone(), Reading { message, slots })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn whatever_is_claimed_only_what_stands_in_the_words_is_believed((request, reading) in case()) {
        let judgement = judge(&request, &reading);
        prop_assert_eq!(judgement.slots.len(), request.slots.len());
        let stands = |quote: &Quote| {
            request.words.get(quote.words).is_some_and(|words| {
                words.text.contains(&quote.text)
                    || words.attachments.iter().any(|file| file.name == quote.text)
            })
        };
        for concern in &judgement.concerns {
            prop_assert!(stands(&concern.quote));
        }
        for (slot, judged) in request.slots.iter().zip(&judgement.slots) {
            prop_assert_eq!(&slot.key, &judged.slot);
            let rules = slot.kind.rules();
            match &judged.verdict {
                Verdict::Accepted { value, quote, correction, .. } => {
                    prop_assert!(stands(quote));
                    prop_assert!(!quote.text.is_empty());
                    prop_assert!(rules.check(value).is_ok());
                    prop_assert!(!reading.message.automatic_reply);
                    prop_assert!(*correction == slot.current.is_some());
                    let context = request.context(quote.words);
                    let words = &request.words[quote.words];
                    if rules.grounds() != Grounds::Verbatim {
                        let found = rules.find(&words.text, &context);
                        prop_assert!(found.iter().any(|found| found.value == *value));
                    } else if let Value::Text(text) = value {
                        prop_assert!(words.text.contains(text));
                    }
                }
                Verdict::Unclear { candidates, quote, .. } => {
                    prop_assert!(stands(quote));
                    for candidate in candidates {
                        prop_assert!(rules.check(candidate).is_ok());
                    }
                }
                Verdict::Promised { until, quote } => {
                    prop_assert!(stands(quote));
                    prop_assert!(*until >= request.words[quote.words].written_at.date());
                    prop_assert!(slot.current.is_none());
                }
                Verdict::Declined { quote } => {
                    prop_assert!(stands(quote));
                    prop_assert!(slot.current.is_none());
                }
                Verdict::Refused { .. } | Verdict::Silent => {}
            }
        }
    }
}

#[test]
fn the_random_readings_come_near_enough_to_be_believed_at_times() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut accepted = 0;
    for _ in 0..1_000 {
        let (request, reading) = case().new_tree(&mut runner).unwrap().current();
        let judgement = judge(&request, &reading);
        accepted += judgement
            .slots
            .iter()
            .filter(|slot| is_accepted(&slot.verdict))
            .count();
    }
    // Otherwise the property above would hold of nothing.
    assert!(accepted >= 50, "{accepted}");
}

#[test]
fn no_text_is_too_long_or_too_monotonous_to_be_judged() {
    // A message of the greatest length that a reader is given; what grows with its square or worse
    // would not come back.
    const KINDS: [&str; 3] = ["who", "rent", "note"];
    for piece in ["I do it ", "agency ", "1250 ", "maybe ", "“"] {
        let text = piece.repeat(crate::conversation::Received::MOST_TEXT / piece.len());
        let request = request(&[&text], &KINDS);
        let forms = KINDS
            .iter()
            .map(|_| claim(&text, json!("agency")))
            .collect();
        assert_eq!(judged(&request, forms).slots.len(), KINDS.len());
    }
}

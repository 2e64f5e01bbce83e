//! A reader that knows the few sentences of the tests, and one that makes things up.

use super::Reader;
use jiff::civil;
use liaison_core::{
    form::{Answer, MessageForm, ReadRequest, Reading, SlotForm},
    journal::Work,
    value::{Kind, Value, words},
};

pub(super) fn read(reader: Reader, request: &ReadRequest) -> Work {
    let honest = Reading {
        message: message_form(request),
        slots: request
            .slots
            .iter()
            .enumerate()
            .map(|(place, _)| slot_form(request, place))
            .collect(),
    };
    match reader {
        Reader::Honest => Work::Reading(Box::new(honest)),
        Reader::Lying(seed) => Work::Reading(Box::new(lie(request, honest, seed))),
        Reader::Down => Work::ReadingFailed {
            error: "it cannot be reached".to_owned(),
        },
    }
}

fn message_form(request: &ReadRequest) -> MessageForm {
    let find = |cue: &str| {
        let texts = request.words.iter().map(|words| words.text.as_str());
        let mut sentences = texts.flat_map(|text| {
            let sentences = words::sentences(text).into_iter();
            sentences.map(move |sentence| &text[sentence])
        });
        sentences
            .find(|sentence| sentence.contains(cue))
            .unwrap_or_default()
            .to_owned()
    };
    MessageForm {
        question: find("?"),
        wants_person: find("speak to a person"),
        names_another: find("my assistant"),
        out_of_scope: find("invoice"),
        ..MessageForm::default()
    }
}

/// Takes the newest words that say something of the slot's kind.
fn slot_form(request: &ReadRequest, place: usize) -> SlotForm {
    let slot = &request.slots[place];
    let silent = SlotForm::silent(slot.self_checks.len());
    for (at, words) in request.words.iter().enumerate().rev() {
        let said = |answer| SlotForm {
            quote: words.text.clone(),
            answer,
            self_checks: vec![true; slot.self_checks.len()],
            ..silent.clone()
        };
        if words.text.contains("rather not say") {
            return said(Answer::Refusal);
        }
        if words.text.contains("by Friday") {
            let friday = words
                .written_at
                .date()
                .nth_weekday(1, civil::Weekday::Friday);
            return SlotForm {
                promised_date: friday.map(|day| day.to_string()).unwrap_or_default(),
                ..said(Answer::Promise)
            };
        }
        let value = match (&slot.kind, words.text.strip_prefix("Note: ")) {
            (Kind::Text(_), Some(note)) => Some(Value::Text(note.to_owned())),
            (Kind::Text(_), None) => None,
            (kind, _) => {
                let found = kind.rules().find(&words.text, &request.context(at));
                found.last().map(|candidate| candidate.value.clone())
            }
        };
        if let Some(value) = value {
            return SlotForm {
                clear_value_present: true,
                explicit_correction: words.text.contains("orrection"),
                value: proposal(&value),
                ..said(Answer::Value)
            };
        }
    }
    silent
}

/// A value as a form proposes it.
fn proposal(value: &Value) -> serde_json::Value {
    match value {
        Value::Boolean(yes) => (*yes).into(),
        Value::Date(day) => day.to_string().into(),
        Value::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or_default(),
        other => other.plain().into(),
    }
}

/// A reading that a confused model might give.
fn lie(request: &ReadRequest, mut reading: Reading, seed: u8) -> Reading {
    for (place, form) in reading.slots.iter_mut().enumerate() {
        match (usize::from(seed) + place) % 8 {
            0 => form.quote = "words that nobody wrote".to_owned(),
            1 => {
                form.answer = Answer::Value;
                form.clear_value_present = true;
                form.quote = request.words[0].text.clone();
                form.value = match &request.slots[place].kind {
                    Kind::Boolean(_) => true.into(),
                    Kind::Number(_) => 1200.into(),
                    Kind::Date(_) => "2027-05-14".into(),
                    Kind::Choice(_) => "agency".into(),
                    _ => "anything".into(),
                };
            }
            2 => form.would_be_guessing = true,
            3 => form.explicit_correction = true,
            4 => form.answer = Answer::Refusal,
            5 => {
                form.answer = Answer::Promise;
                form.promised_date = "9999-12-31".to_owned();
            }
            6 => form.value = serde_json::Value::Null,
            _ => form.self_checks.push(false),
        }
    }
    match seed % 5 {
        0 => reading.slots.truncate(1),
        1 => reading.message.automatic_reply = true,
        2 => reading.message.question = "What?".to_owned(),
        _ => {}
    }
    reading
}

mod accepted;
mod concerns;
mod properties;
mod refused;
mod verdicts;

use super::{Judgement, Quote, Verdict, judge};
use crate::{
    form::{Answer, MessageForm, ReadRequest, Reading, SlotForm, SlotQuestion, Words},
    id::BlobId,
    slot::SlotKey,
    value::{
        Boolean, Choice, ChoiceOption, DateKind, FileKind, FileRef, Kind, Number, Text, Value,
    },
};
use jiff::civil::{date, datetime};
use serde_json::json;

/// The kinds that the tables name in one word.
fn kind(name: &str) -> Kind {
    let option = |value: &str, label: &str| ChoiceOption {
        value: value.to_owned(),
        label: Some(label.to_owned()),
        synonyms: Vec::new(),
    };
    match name {
        "who" => Kind::Choice(Choice {
            options: vec![
                option("landlord", "arrange the inspection yourself"),
                option("agency", "have us arrange it for you"),
            ],
        }),
        "time" => Kind::Choice(Choice {
            options: vec![
                option("morning", "in the morning"),
                option("afternoon", "in the afternoon"),
            ],
        }),
        "yes" => Kind::Boolean(Boolean::default()),
        "day" => Kind::Date(DateKind {
            earliest: Some(date(2027, 1, 1)),
            latest: Some(date(2028, 12, 31)),
        }),
        "rent" => Kind::Number(Number::default()),
        "keys" => Kind::Number(Number {
            whole: true,
            unit: Some("keys".to_owned()),
            ..Number::default()
        }),
        "note" => Kind::Text(Text::default()),
        "file" => Kind::File(FileKind {
            accept: vec!["application/pdf".to_owned()],
        }),
        other => panic!("no kind is called {other}"),
    }
}

fn slot(place: usize, kind: Kind) -> SlotQuestion {
    SlotQuestion {
        form: format!("s{}", place + 1),
        key: SlotKey {
            subject: "property:42".to_owned(),
            name: format!("slot_{place}"),
        },
        kind,
        question: "?".to_owned(),
        asked: true,
        current: None,
        self_checks: Vec::new(),
        confirming: None,
    }
}

fn said(text: &str) -> Words {
    Words {
        message: None,
        // A Monday.
        written_at: datetime(2027, 5, 3, 10, 0, 0, 0),
        subject: String::new(),
        text: text.to_owned(),
        attachments: Vec::new(),
    }
}

fn request(texts: &[&str], kinds: &[&str]) -> ReadRequest {
    ReadRequest {
        words: texts.iter().map(|text| said(text)).collect(),
        slots: kinds
            .iter()
            .enumerate()
            .map(|(place, name)| slot(place, kind(name)))
            .collect(),
        facts: Vec::new(),
        day_first: None,
    }
}

/// A proposal by a reader that is sure of itself.
fn claim(quote: &str, value: serde_json::Value) -> SlotForm {
    SlotForm {
        says: "They answer.".to_owned(),
        quote: quote.to_owned(),
        clear_value_present: true,
        answer: Answer::Value,
        would_be_guessing: false,
        explicit_correction: false,
        value,
        promised_date: String::new(),
        self_checks: Vec::new(),
    }
}

fn file(name: &str, media_type: &str) -> FileRef {
    FileRef {
        blob: BlobId::new(name),
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        size: 1,
    }
}

fn judged(request: &ReadRequest, forms: Vec<SlotForm>) -> Judgement {
    let reading = Reading {
        message: MessageForm::default(),
        slots: forms,
    };
    judge(request, &reading)
}

fn verdict(request: &ReadRequest, form: SlotForm) -> Verdict {
    judged(request, vec![form]).slots.remove(0).verdict
}

fn is_accepted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Accepted { .. })
}

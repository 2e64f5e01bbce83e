//! Requests to read, as tests put them together.

use jiff::civil;
use liaison_core::{
    form::{ReadRequest, SlotQuestion, Words},
    id::{BlobId, MessageId},
    slot::SlotKey,
    value::{Boolean, Choice, ChoiceOption, DateKind, FileKind, FileRef, Kind, Number, Text},
};

/// When test messages are written: a Monday.
pub(crate) fn written_at() -> civil::DateTime {
    civil::datetime(2027, 5, 3, 10, 0, 0, 0)
}

pub(crate) fn request(texts: &[&str], slots: Vec<SlotQuestion>) -> ReadRequest {
    ReadRequest {
        words: texts
            .iter()
            .enumerate()
            .map(|(at, text)| Words {
                message: Some(MessageId::new(format!("m{at}"))),
                written_at: written_at(),
                subject: String::new(),
                text: (*text).to_owned(),
                attachments: Vec::new(),
            })
            .collect(),
        slots: slots
            .into_iter()
            .enumerate()
            .map(|(at, slot)| SlotQuestion {
                form: format!("s{}", at + 1),
                ..slot
            })
            .collect(),
        facts: Vec::new(),
        day_first: Some(true),
    }
}

pub(crate) fn slot(name: &str, kind: Kind, question: &str) -> SlotQuestion {
    SlotQuestion {
        form: String::new(),
        key: SlotKey {
            subject: "property:42".to_owned(),
            name: name.to_owned(),
        },
        kind,
        question: question.to_owned(),
        asked: true,
        current: None,
        self_checks: Vec::new(),
        confirming: None,
    }
}

/// The slot of the main job.
pub(crate) fn arranged_by() -> SlotQuestion {
    slot(
        "arranged_by",
        choice(&[
            ("landlord", "arrange the inspection yourself"),
            ("agency", "have us arrange it for you"),
        ]),
        "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
    )
}

pub(crate) fn choice(options: &[(&str, &str)]) -> Kind {
    Kind::Choice(Choice {
        options: options
            .iter()
            .map(|(value, label)| ChoiceOption {
                value: (*value).to_owned(),
                label: (!label.is_empty()).then(|| (*label).to_owned()),
                synonyms: Vec::new(),
            })
            .collect(),
    })
}

pub(crate) fn boolean() -> Kind {
    Kind::Boolean(Boolean {})
}

pub(crate) fn date() -> Kind {
    Kind::Date(DateKind::default())
}

pub(crate) fn number(unit: Option<&str>, whole: bool) -> Kind {
    Kind::Number(Number {
        whole,
        unit: unit.map(str::to_owned),
        ..Number::default()
    })
}

pub(crate) fn text() -> Kind {
    Kind::Text(Text::default())
}

pub(crate) fn file() -> Kind {
    Kind::File(FileKind::default())
}

pub(crate) fn attachment(name: &str, media_type: &str, size: u64) -> FileRef {
    FileRef {
        blob: BlobId::new(format!("blob-{name}")),
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        size,
    }
}

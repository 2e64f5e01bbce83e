//! Registering a need.

use crate::{FieldFault, field::read};
use jiff::Timestamp;
use liaison_core::{
    ladder::Ladder,
    need::TranscriptEntry,
    policy::Wait,
    slot::Confirm,
    stakeholder::Channel,
    value::{Boolean, Choice, DateKind, FileKind, Kind, Number, Text},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The body of `POST /v1/needs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterNeed {
    /// The person.
    pub stakeholder: StakeholderSpec,
    /// What it is for, as the stakeholder may read it; one line, 1 to 500 characters.
    pub goal: String,
    /// What the slots are about (`property:42`), 1 to 200 characters. Needs of one stakeholder
    /// with the same subject share equally named slots: one question, one answer. Without a
    /// subject nothing is shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The values to wait for, 1 to 50, in the order in which they are asked.
    pub slots: Vec<SlotSpec>,
    /// When the need ends, answered or not; at most two years ahead.
    pub deadline: Deadline,
    /// What the stakeholder may be told when it helps; at most 50, each 1 to 2,000 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What the stakeholder must be told once; at most 20, each 1 to 2,000 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub briefs: Vec<String>,
    /// When to remind, instead of the tenant's rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// What the stakeholder said before, oldest first; read before anything is asked. At most
    /// 200 entries, each 1 to 20,000 bytes, none from the future.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transcript: Vec<TranscriptEntry>,
}

/// The person that a need is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StakeholderSpec {
    /// The caller's own name for this person, 1 to 200 characters. Needs with the same key go to
    /// the same conversation, whatever the addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How the person is addressed; one line, 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A BCP 47 language tag; without one, `en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The person's time zone (`Europe/Paris`); without one, the tenant's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The country whose weekends and holidays they keep, as two letters (ISO 3166-1, `FR`); the
    /// tenant's policy says which these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// A mail address: short for one contact of channel `email`, before the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Where the person can be reached, best first; at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<ContactSpec>,
}

/// An address of the stakeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactSpec {
    /// The channel that it belongs to.
    pub channel: Channel,
    /// The address.
    pub address: String,
}

/// A value to wait for. On the wire, the fields of the kind stand beside the others:
/// `{"name": "keys", "kind": "number", "whole": true, "question": "How many keys are there?"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotSpec {
    /// Its name: 1 to 64 of `a-z`, `0-9` and `_`; unique in the need.
    pub name: String,
    /// The question as the stakeholder reads it, 1 to 1,000 characters.
    pub question: String,
    /// Whether the need waits for it; without a word, yes. One slot of a need must be required.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub required: bool,
    /// Yes-or-no questions that a reader must answer about its own proposal; a no makes the value
    /// unclear. At most 10, each 1 to 300 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_checks: Vec<String>,
    /// How old an answer that another need has brought may be to be taken over; an older one is
    /// asked for again. Without it, any age will do. Only slots with a subject are shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Wait>,
    /// The names of other slots of this need that it rests on: it is asked once they are answered,
    /// and asked again when the value of one of them changes. At most 10. What a required slot
    /// rests on must be required too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// When a value counts only once the person has confirmed it: `never` (the default),
    /// `when_inferred` or `always`.
    #[serde(default, skip_serializing_if = "Confirm::is_never")]
    pub confirm: Confirm,
    /// What may fill it.
    #[serde(flatten)]
    pub kind: KindSpec,
}

impl SlotSpec {
    /// A slot that the need waits for, with nothing said beside what is asked.
    pub fn new(name: impl Into<String>, question: impl Into<String>, kind: KindSpec) -> Self {
        Self {
            name: name.into(),
            question: question.into(),
            required: true,
            self_checks: Vec::new(),
            max_age: None,
            depends_on: Vec::new(),
            confirm: Confirm::Never,
            kind,
        }
    }
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_yes(required: &bool) -> bool {
    *required
}

/// A kind and its constraints as they are written, not yet checked: [`KindSpec::read`] says what is
/// wrong with them, field by field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KindSpec(pub Map<String, Value>);

impl KindSpec {
    /// The kinds that there are.
    pub const KINDS: &[&str] = &["choice", "boolean", "date", "number", "text", "file"];

    /// Reads and checks the kind; a fault's field is relative to the slot (`options[1].value`).
    pub fn read(&self) -> Result<Kind, FieldFault> {
        let mut fields = self.0.clone();
        let name = match fields.shift_remove("kind") {
            Some(Value::String(name)) => name,
            Some(_) => return Err(FieldFault::new("kind", format!("expected {}", any_kind()))),
            None => {
                return Err(FieldFault::new(
                    "kind",
                    format!("this field is required: {}", any_kind()),
                ));
            }
        };
        let kind = match name.as_str() {
            "choice" => part::<Choice>(fields).map(Kind::Choice),
            "boolean" => part::<Boolean>(fields).map(Kind::Boolean),
            "date" => part::<DateKind>(fields).map(Kind::Date),
            "number" => {
                for bound in ["minimum", "maximum"] {
                    decimal_as_text(fields.get_mut(bound));
                }
                part::<Number>(fields).map(Kind::Number)
            }
            "text" => part::<Text>(fields).map(Kind::Text),
            "file" => part::<FileKind>(fields).map(Kind::File),
            _ => Err(FieldFault::new(
                "kind",
                format!("there is no such kind; use {}", any_kind()),
            )),
        }?;
        kind.rules()
            .validate()
            .map_err(|fault| FieldFault::new(fault.field, self.without_values(fault.remedy)))?;
        Ok(kind)
    }

    /// A remedy that says `this` where it repeats a text of the request: the field names the place,
    /// and the text may be an address.
    fn without_values(&self, mut remedy: String) -> String {
        fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
            match value {
                Value::String(text) => found.push(text),
                Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
                Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        self.0.values().for_each(|field| texts(field, &mut found));
        for text in found {
            remedy = remedy.replace(&format!("{text:?}"), "this");
        }
        remedy
    }
}

impl From<&Kind> for KindSpec {
    fn from(kind: &Kind) -> Self {
        match serde_json::to_value(kind) {
            Ok(Value::Object(fields)) => Self(fields),
            other => unreachable!("a kind is written as an object, not {other:?}"),
        }
    }
}

fn part<T: serde::de::DeserializeOwned>(fields: Map<String, Value>) -> Result<T, FieldFault> {
    read(Value::Object(fields))
}

/// A decimal is exact only as text; a JSON number is taken too, by its own digits.
pub(crate) fn decimal_as_text(value: Option<&mut Value>) {
    if let Some(value) = value
        && let Value::Number(number) = value
    {
        *value = Value::String(number.to_string());
    }
}

fn any_kind() -> String {
    let (last, others) = KindSpec::KINDS.split_last().expect("there are kinds");
    format!("{} or {last}", others.join(", "))
}

/// When a need ends: an instant (`2026-09-01T12:00:00Z`), or a length of time from its
/// registration (`15d`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// At this instant.
    At(Timestamp),
    /// This long after the registration.
    In(Wait),
}

impl Deadline {
    /// The instant, for a need that is registered at `now`.
    pub fn instant(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(instant) => instant,
            Self::In(wait) => wait.after(now),
        }
    }
}

impl std::str::FromStr for Deadline {
    type Err = DeadlineFault;

    fn from_str(text: &str) -> Result<Self, DeadlineFault> {
        if let Ok(wait) = text.parse() {
            return Ok(Self::In(wait));
        }
        text.parse().map(Self::At).map_err(|_| DeadlineFault)
    }
}

/// The text is neither an instant nor a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineFault;

impl std::fmt::Display for DeadlineFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "use an instant with its offset, like 2026-09-01T12:00:00Z, or a length of time from \
             now, like 15d (s, m, h, d, w; at most ten years)",
        )
    }
}

impl std::error::Error for DeadlineFault {}

/// The text is no instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstantFault;

impl std::fmt::Display for InstantFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("use an instant with its offset, like 2026-09-01T12:00:00Z")
    }
}

impl std::error::Error for InstantFault {}

impl Serialize for Deadline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::At(instant) => serializer.collect_str(instant),
            Self::In(wait) => serializer.collect_str(wait),
        }
    }
}

impl<'de> Deserialize<'de> for Deadline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn slot(value: Value) -> Result<Kind, FieldFault> {
        read::<SlotSpec>(value)?.kind.read()
    }

    #[test]
    fn a_slot_is_read_with_the_fields_of_its_kind() {
        let kind = slot(json!({
            "name": "rent", "kind": "number", "question": "How much?", "minimum": 0.1, "unit": "€"
        }));
        let Ok(Kind::Number(number)) = kind else {
            panic!("{kind:?}");
        };
        assert_eq!(
            number.minimum.map(|least| least.to_string()),
            Some("0.1".to_owned())
        );
        let written = KindSpec::from(&Kind::Number(number.clone()));
        assert_eq!(written.read(), Ok(Kind::Number(number)));
    }

    #[test]
    fn a_fault_in_a_kind_names_the_field() {
        let cases = [
            (json!({"name": "a", "question": "?"}), "kind"),
            (
                json!({"name": "a", "question": "?", "kind": "colour"}),
                "kind",
            ),
            (json!({"name": "a", "question": "?", "kind": 5}), "kind"),
            (
                json!({"name": "a", "question": "?", "kind": "choice"}),
                "options",
            ),
            (
                json!({"name": "a", "question": "?", "kind": "choice", "options": [{"label": "x"}]}),
                "options[0].value",
            ),
            (
                json!({"name": "a", "question": "?", "kind": "boolean", "requird": true}),
                "requird",
            ),
            (
                json!({"name": "a", "question": "?", "kind": "date", "earliest": "soon"}),
                "earliest",
            ),
            (json!({"name": "a", "kind": "boolean"}), "question"),
        ];
        for (value, field) in cases {
            let fault = slot(value.clone()).expect_err("does not fit");
            assert_eq!(fault.field, field, "{value}: {fault:?}");
        }
    }

    #[test]
    fn a_fault_in_a_kind_does_not_repeat_what_was_written() {
        let option = |value: &str| json!({"value": value, "label": format!("say {value}")});
        let fault = slot(json!({
            "name": "a", "question": "?", "kind": "choice",
            "options": [option("ana@example.com"), option("b")]
        }))
        .expect_err("no option's value");
        assert_eq!(fault.field, "options[0].value");
        assert!(fault.detail.starts_with("this must be"), "{}", fault.detail);
    }

    #[test]
    fn a_deadline_is_an_instant_or_a_length_of_time() {
        let read = |text: &str| serde_json::from_value::<Deadline>(json!(text));
        assert_eq!(read("15d").expect("reads"), Deadline::In(Wait::days(15)));
        let instant = read("2026-09-01T14:00:00+02:00").expect("reads");
        assert_eq!(json!(instant), json!("2026-09-01T12:00:00Z"));
        let fault = read("2026-09-01").expect_err("no offset").to_string();
        assert!(fault.contains("like 15d"), "{fault}");
    }
}

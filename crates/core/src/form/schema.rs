//! The JSON schema of a reading.
//!
//! It stays inside what strict structured output means everywhere: every field required, nothing
//! additional, null only through `anyOf`, no `format`, `allOf` or bounds. The order of
//! `properties` is the order in which a model answers, so it is the order of the structs.

use super::{ReadRequest, SlotQuestion};
use crate::{
    calendar::phrase::DayMonthOrder,
    value::{FileRef, ReadContext},
};
use jiff::civil;
use serde_json::{Map, Value, json};

/// The schema that a reader's answer to `request` must have: an object with `message` and one form
/// for each slot, named as [`SlotQuestion::form`] says.
pub fn schema(request: &ReadRequest) -> Value {
    let files = request.files();
    let context = request.reading_of(&files);
    let slots = request
        .slots
        .iter()
        .map(|slot| (slot.form.clone(), slot_form(slot, &context)));
    let message = [("message".to_owned(), message_form())];
    object(message.into_iter().chain(slots))
}

impl ReadRequest {
    /// What the words at this place are read relative to; for a place that there is none, as if
    /// they were without attachments and written when the last ones were.
    pub fn context(&self, words: usize) -> ReadContext<'_> {
        let last = self.words.last();
        let words = self.words.get(words);
        ReadContext {
            written_at: words
                .or(last)
                .map_or(civil::DateTime::MIN, |words| words.written_at),
            order: DayMonthOrder::of(self.day_first),
            attachments: words.map_or(&[], |words| &words.attachments),
        }
    }

    /// All that came with the words.
    fn files(&self) -> Vec<FileRef> {
        self.words
            .iter()
            .flat_map(|words| words.attachments.iter().cloned())
            .collect()
    }

    /// What the words as a whole are read relative to.
    fn reading_of<'a>(&self, files: &'a [FileRef]) -> ReadContext<'a> {
        let last = self.context(self.words.len());
        ReadContext {
            written_at: last.written_at,
            order: last.order,
            attachments: files,
        }
    }
}

/// The name of the self-check at this place, counted from 0, within a form.
pub(super) fn check_name(place: usize) -> String {
    format!("c{}", place + 1)
}

fn message_form() -> Value {
    object(fields([
        ("says", text()),
        ("automatic_reply", truth()),
        ("question", text()),
        ("out_of_scope", text()),
        ("wants_person", text()),
        ("refuses_contact", text()),
        ("names_another", text()),
        ("away_until", text()),
        (
            "tone",
            words(&["neutral", "friendly", "hurried", "annoyed"]),
        ),
    ]))
}

fn slot_form(slot: &SlotQuestion, context: &ReadContext<'_>) -> Value {
    let checks = (0..slot.self_checks.len()).map(|place| (check_name(place), truth()));
    object(fields([
        ("says", text()),
        ("quote", text()),
        ("clear_value_present", truth()),
        ("answer", words(&["value", "promise", "refusal", "neither"])),
        ("would_be_guessing", truth()),
        ("explicit_correction", truth()),
        ("value", slot.kind.rules().schema(context)),
        ("promised_date", text()),
        // An object and not a list, whose length no schema can fix everywhere.
        ("self_checks", object(checks)),
    ]))
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> impl Iterator<Item = (String, Value)> {
    fields
        .map(|(name, schema)| (name.to_owned(), schema))
        .into_iter()
}

fn object(properties: impl Iterator<Item = (String, Value)>) -> Value {
    let properties: Map<String, Value> = properties.collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn truth() -> Value {
    json!({ "type": "boolean" })
}

fn words(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names })
}

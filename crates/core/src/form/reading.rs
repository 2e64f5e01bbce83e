//! Reading a reader's answer.
//!
//! Some servers take a schema and do not enforce it, so everything is checked again here. What a
//! filled form *claims* is not checked here: that is the gate's.

use super::{MessageForm, ReadRequest, Reading, SlotForm, SlotQuestion, schema::check_name};
use serde_json::{Map, Value, json};

/// The longest answer, in bytes: every slot of a full request with a whole message as its quote is
/// far below it.
const LONGEST_ANSWER: usize = 1 << 20;
/// The longest summary, in characters. It is one sentence; a longer one is a model running away.
const LONGEST_SUMMARY: usize = 2_000;
/// The longest quote or value, in bytes: readers are never given more text than this.
const LONGEST_QUOTE: usize = crate::conversation::Received::MOST_TEXT;
/// The longest date.
const LONGEST_DATE: usize = 40;

/// Reads the JSON text of an answer to `request`; anything that is not of its form is a fault.
/// White space and a Markdown fence around the JSON are no part of it.
pub fn parse_reading(request: &ReadRequest, answer: &str) -> Result<Reading, FormFault> {
    if answer.len() > LONGEST_ANSWER {
        return Err(fault(
            "answer",
            format!("{} bytes are more than {LONGEST_ANSWER}", answer.len()),
        ));
    }
    let root: Value =
        serde_json::from_str(unfenced(answer)).map_err(|error| fault("answer", error))?;
    let Value::Object(mut root) = root else {
        return Err(fault("answer", "is no object"));
    };
    let message = take(&mut root, "message")?;
    let message: MessageForm =
        serde_json::from_value(message).map_err(|error| fault("message", error))?;
    check_message(&message)?;
    let mut slots = Vec::with_capacity(request.slots.len());
    for slot in &request.slots {
        let form = take(&mut root, &slot.form)?;
        slots.push(read_slot(slot, form)?);
    }
    match root.keys().next() {
        Some(other) => Err(fault(
            "answer",
            format!("{} is asked for nowhere", name(other)),
        )),
        None => Ok(Reading { message, slots }),
    }
}

/// The JSON of a filled form, as [`parse_reading`] reads it.
pub fn to_json(request: &ReadRequest, reading: &Reading) -> Value {
    let mut root = Map::new();
    root.insert("message".to_owned(), json!(reading.message));
    for (slot, form) in request.slots.iter().zip(&reading.slots) {
        let mut object = json!(form);
        let checks: Map<String, Value> = form
            .self_checks
            .iter()
            .enumerate()
            .map(|(place, passed)| (check_name(place), json!(passed)))
            .collect();
        object["self_checks"] = Value::Object(checks);
        root.insert(slot.form.clone(), object);
    }
    Value::Object(root)
}

/// Why an answer is not a filled form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is not a filled form: {0}")]
pub struct FormFault(pub String);

fn fault(place: &str, what: impl std::fmt::Display) -> FormFault {
    FormFault(format!("{place}: {what}"))
}

/// A name that a model made up, short enough for an error.
fn name(text: &str) -> String {
    text.chars().take(40).collect()
}

fn take(root: &mut Map<String, Value>, field: &str) -> Result<Value, FormFault> {
    root.shift_remove(field)
        .ok_or_else(|| fault(field, "is missing"))
}

fn unfenced(answer: &str) -> &str {
    let answer = answer.trim();
    let Some(inner) = answer
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
    else {
        return answer;
    };
    // The rest of the first line names a language.
    match inner.split_once('\n') {
        Some((language, json)) if language.trim().chars().all(char::is_alphanumeric) => json.trim(),
        _ => inner.trim(),
    }
}

fn check_message(message: &MessageForm) -> Result<(), FormFault> {
    summary("message.says", &message.says)?;
    for (field, text) in [
        ("message.question", &message.question),
        ("message.out_of_scope", &message.out_of_scope),
        ("message.wants_person", &message.wants_person),
        ("message.refuses_contact", &message.refuses_contact),
        ("message.names_another", &message.names_another),
    ] {
        within(field, text, LONGEST_QUOTE)?;
    }
    within("message.away_until", &message.away_until, LONGEST_DATE)
}

fn read_slot(slot: &SlotQuestion, form: Value) -> Result<SlotForm, FormFault> {
    let place = slot.form.as_str();
    let Value::Object(mut form) = form else {
        return Err(fault(place, "is no object"));
    };
    let checks = read_checks(
        slot,
        take(&mut form, "self_checks").map_err(|_| fault(place, "self_checks is missing"))?,
    )?;
    form.insert("self_checks".to_owned(), json!(checks));
    let form: SlotForm =
        serde_json::from_value(Value::Object(form)).map_err(|error| fault(place, error))?;
    summary(&format!("{place}.says"), &form.says)?;
    within(&format!("{place}.quote"), &form.quote, LONGEST_QUOTE)?;
    within(
        &format!("{place}.promised_date"),
        &form.promised_date,
        LONGEST_DATE,
    )?;
    match &form.value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => within(&format!("{place}.value"), text, LONGEST_QUOTE)?,
        Value::Array(_) | Value::Object(_) => {
            return Err(fault(place, "value is neither null nor a plain value"));
        }
    }
    Ok(form)
}

/// An object with one field for each check, as the schema has it; or a list of as many.
fn read_checks(slot: &SlotQuestion, checks: Value) -> Result<Vec<bool>, FormFault> {
    let wrong = |what: String| fault(&format!("{}.self_checks", slot.form), what);
    let wanted = slot.self_checks.len();
    let values: Vec<Value> = match checks {
        Value::Object(mut checks) => {
            let values = (0..wanted)
                .map(|place| {
                    let check = check_name(place);
                    checks
                        .shift_remove(&check)
                        .ok_or_else(|| wrong(format!("{check} is missing")))
                })
                .collect::<Result<_, _>>()?;
            if let Some(other) = checks.keys().next() {
                return Err(wrong(format!("{} is asked for nowhere", name(other))));
            }
            values
        }
        Value::Array(values) => values,
        _ => return Err(wrong("is no object".to_owned())),
    };
    if values.len() != wanted {
        return Err(wrong(format!(
            "{} answers to {wanted} checks",
            values.len()
        )));
    }
    values
        .into_iter()
        .map(|value| {
            value
                .as_bool()
                .ok_or_else(|| wrong("an answer is neither true nor false".to_owned()))
        })
        .collect()
}

fn summary(field: &str, text: &str) -> Result<(), FormFault> {
    let length = text.chars().count();
    if length > LONGEST_SUMMARY {
        return Err(fault(
            field,
            format!("{length} characters are more than {LONGEST_SUMMARY}"),
        ));
    }
    Ok(())
}

fn within(field: &str, text: &str, longest: usize) -> Result<(), FormFault> {
    if text.len() > longest {
        return Err(fault(
            field,
            format!("{} bytes are more than {longest}", text.len()),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;

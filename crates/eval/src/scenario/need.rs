//! A need as a scenario writes it: the request's body, less the person.

use super::{Person, ScenarioFault, file::Place};
use liaison_api::RegisterNeed;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Reads a need: whom it is about, and the request's body. What the API would not read is refused
/// here, with its line.
pub(super) fn read(
    place: &Place<'_>,
    mut table: toml::Table,
    people: &BTreeMap<String, Person>,
) -> Result<(String, Value), ScenarioFault> {
    let person = match table.remove("person") {
        Some(toml::Value::String(person)) => person,
        _ => return Err(place.fault("person", "say whom it is about")),
    };
    let Some(known) = people.get(&person) else {
        return Err(place.fault(
            "person",
            format!("there is no person {person:?} under [people]"),
        ));
    };
    let mut body = json_of(toml::Value::Table(table));
    if let Value::Object(body) = &mut body {
        body.insert("stakeholder".to_owned(), known.spec.clone());
    }
    let read: RegisterNeed = serde_path_to_error::deserialize(&body).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner().to_string();
        // An unknown field is named in the message, its table by the path.
        let field = match inner.strip_prefix("unknown field `") {
            Some(rest) => rest.split('`').next().unwrap_or_default().to_owned(),
            None => path,
        };
        place.fault(&field, inner)
    })?;
    for (number, slot) in read.slots.iter().enumerate() {
        slot.kind.read().map_err(|fault| {
            place.fault(&format!("slots[{number}].{}", fault.field), fault.detail)
        })?;
    }
    Ok((person, body))
}

/// A TOML value as JSON; its dates and times as text.
pub(super) fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(yes) => yes.into(),
        toml::Value::Datetime(at) => at.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(json_of).collect(),
        toml::Value::Table(table) => Value::Object(
            table
                .into_iter()
                .map(|(key, value)| (key, json_of(value)))
                .collect::<Map<_, _>>(),
        ),
    }
}

//! How a scenario says that it ends, beside its prose.

use super::{Need, ScenarioFault, file::Place};
use liaison_core::need::OutcomeKind;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// How the play must end. What is not said here is not looked at, but for holds: none may be left
/// that is not named.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its line in the file, from 1.
    pub line: usize,
    /// How each need ends, by the name that the file gives it; none for one that is still open.
    pub ends: BTreeMap<String, Option<OutcomeKind>>,
    /// Values of outcomes, by need and slot, as a person would write them.
    pub values: BTreeMap<String, BTreeMap<String, Value>>,
    /// The reasons of the holds that are left, in any order.
    pub holds: Vec<String>,
    /// How many messages were sent, over all people.
    pub messages: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectFile {
    ends: BTreeMap<String, String>,
    #[serde(default)]
    values: BTreeMap<String, toml::Table>,
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    messages: Option<usize>,
}

/// What is still open when the play is over.
pub(crate) const OPEN: &str = "open";

pub(super) fn read(
    place: &Place<'_>,
    file: ExpectFile,
    needs: &BTreeMap<String, Need>,
) -> Result<Expected, ScenarioFault> {
    let known = |field: &str, need: &str| match needs.contains_key(need) {
        true => Ok(()),
        false => Err(place.fault(field, format!("there is no need {need:?} under [needs]"))),
    };
    let mut ends = BTreeMap::new();
    for (need, ending) in file.ends {
        known("ends", &need)?;
        ends.insert(need, ending_of(place, &ending)?);
    }
    let mut values = BTreeMap::new();
    for (need, slots) in file.values {
        known("values", &need)?;
        if ends.get(&need).is_none_or(Option::is_none) {
            return Err(place.fault(
                "values",
                format!("{need:?} has values once it has ended; say under `ends` how it does"),
            ));
        }
        let slots = slots
            .into_iter()
            .map(|(slot, value)| (slot, super::need::json_of(value)))
            .collect();
        values.insert(need, slots);
    }
    Ok(Expected {
        line: place.line(),
        ends,
        values,
        holds: file.holds,
        messages: file.messages,
    })
}

fn ending_of(place: &Place<'_>, ending: &str) -> Result<Option<OutcomeKind>, ScenarioFault> {
    if ending == OPEN {
        return Ok(None);
    }
    serde_json::from_value(Value::String(ending.to_owned()))
        .map(Some)
        .map_err(|_| {
            place.fault(
                "ends",
                format!(
                    "{ending:?} is no ending; use fulfilled, declined, expired, cancelled, \
                     unreachable, opted_out, or {OPEN}"
                ),
            )
        })
}

//! How values are written into columns and read from them, alike in every database.
//!
//! Every error names the operation that met it.

use crate::store::StoreError;
use jiff::Timestamp;
use liaison_core::{journal::DocumentFault, stakeholder::EmailAddress};
use serde::{Serialize, de::DeserializeOwned};
use std::error::Error;

/// What is stored does not make sense.
pub fn corrupt(operation: &'static str, what: impl Into<String>) -> StoreError {
    StoreError::Corrupt {
        operation,
        what: what.into(),
    }
}

/// A fault of a document with what lies behind it.
pub fn with_source(fault: &DocumentFault) -> String {
    match fault.source() {
        Some(source) => format!("{fault}: {source}"),
        None => fault.to_string(),
    }
}

/// A fact's time, in whole microseconds.
pub fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// A time before which nothing may happen, rounded up: rounded down, whoever was told to wait would
/// be called a fraction too early, again and again.
pub fn micros_up(at: Timestamp) -> i64 {
    let whole = at.as_microsecond();
    // Before the epoch, the division that drops the fraction has rounded up already.
    if at.subsec_nanosecond() % 1_000 > 0 {
        whole + 1
    } else {
        whole
    }
}

/// The time in a column.
pub fn time(operation: &'static str, micros: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_microsecond(micros)
        .map_err(|_| corrupt(operation, format!("{micros} is no time")))
}

/// The time in a column that may be empty.
pub fn time_if_any(
    operation: &'static str,
    micros: Option<i64>,
) -> Result<Option<Timestamp>, StoreError> {
    micros.map(|micros| time(operation, micros)).transpose()
}

/// A value as JSON.
pub fn json<T: Serialize>(operation: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|error| corrupt(operation, format!("cannot be written as JSON: {error}")))
}

/// A value from JSON; `what` names it, should it not be readable.
pub fn from_json<T: DeserializeOwned>(
    operation: &'static str,
    what: &str,
    text: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| corrupt(operation, format!("{what} cannot be read: {error}")))
}

/// A simple enum's name on the wire, as it is stored.
pub fn name<T: Serialize>(operation: &'static str, value: &T) -> Result<String, StoreError> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => Ok(name),
        _ => Err(corrupt(operation, "a name is stored as text")),
    }
}

/// A simple enum from its name.
pub fn named<T: DeserializeOwned>(operation: &'static str, name: &str) -> Result<T, StoreError> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).map_err(|_| {
        corrupt(
            operation,
            format!("{name:?} is not a name that this version knows"),
        )
    })
}

/// A stored address.
pub fn address(operation: &'static str, text: &str) -> Result<EmailAddress, StoreError> {
    EmailAddress::parse(text).map_err(|error| {
        corrupt(
            operation,
            format!("a stored address cannot be read: {error}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_to_wait_for_is_never_rounded_towards_the_past() {
        for (nanoseconds, down, up) in [
            (0, 0, 0),
            (1_000, 1, 1),
            (1_001, 1, 2),
            (1_999, 1, 2),
            (-1, 0, 0),
            (-1_000, -1, -1),
            (-1_001, -1, -1),
        ] {
            let at = Timestamp::from_nanosecond(nanoseconds).expect("in range");
            assert_eq!((micros(at), micros_up(at)), (down, up), "{nanoseconds} ns");
        }
    }
}

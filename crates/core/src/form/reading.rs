//! Reading a reader's answer.

use super::{ReadRequest, Reading};

/// Reads the JSON text of an answer to `request`; anything that is not of its form is a fault.
pub fn parse_reading(_request: &ReadRequest, _answer: &str) -> Result<Reading, FormFault> {
    Err(FormFault(String::new()))
}

/// Why an answer is not a filled form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is not a filled form: {0}")]
pub struct FormFault(pub String);

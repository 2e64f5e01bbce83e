//! From proposals to verdicts.

use super::Judgement;
use crate::form::{ReadRequest, Reading};

/// Judges a reading of `request`.
pub fn judge(_request: &ReadRequest, _reading: &Reading) -> Judgement {
    Judgement {
        slots: Vec::new(),
        concerns: Vec::new(),
    }
}

//! Questions for the most, or the least, that there can be.

use super::SlotQuestion;
use crate::value::{Kind, cues::Cues, words};

/// Words by which a question asks for the most, and those by which an answer says it.
static MOST: [Cues; 2] = [
    Cues::new("at most, maximum, max, no more than"),
    Cues::new("at most, maximum, max, no more than, up to"),
];

static LEAST: [Cues; 2] = [
    Cues::new("at least, minimum, min, at minimum, no less than"),
    Cues::new("at least, minimum, min, at minimum, no less than"),
];

impl SlotQuestion {
    /// Whether the phrase, which beside a number makes it a bound, says no more than what the
    /// question asks for: `80 at most` answers `how many at most?`, and leaves `how many?` open.
    pub fn asks_bound(&self, phrase: &str) -> bool {
        let asked = || words::words(&self.question);
        matches!(self.kind, Kind::Number(_))
            && [&MOST, &LEAST]
                .iter()
                .any(|[asks, says]| says.iter().any(|word| word == phrase) && asks.among(&asked()))
    }
}

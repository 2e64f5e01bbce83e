//! Numbers in words: `three`, `twenty-five`, `one hundred and fifty`.

use super::{Found, Number};
use crate::value::words::{self, Word};
use rust_decimal::Decimal;

/// The numbers below a hundred that have a word of their own.
const SMALL: [(&str, u32); 28] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];

/// The numbers in `text` that are written out.
pub(super) fn find(text: &str, kind: &Number) -> Vec<Found> {
    let mut found = Vec::new();
    for sentence in words::sentences(text) {
        let words = words::words(&text[sentence.clone()]);
        let mut at = 0;
        while at < words.len() {
            let Some((value, length)) = number_at(&words[at..]) else {
                at += 1;
                continue;
            };
            let last = &words[at + length - 1];
            let span = sentence.start + words[at].span.start..sentence.start + last.span.end;
            let has_unit = kind.unit_follows(&text[span.end..]);
            if has_unit || !is_pronoun(&words, at, length) {
                found.push(Found {
                    span,
                    value: Decimal::from(value),
                    has_unit,
                });
            }
            at += length;
        }
    }
    found
}

/// `One` counts only when hardly anything else is said: elsewhere it mostly stands for a thing.
fn is_pronoun(words: &[Word], at: usize, length: usize) -> bool {
    let one = length == 1 && words[at].text == "one";
    let pointed_at = at > 0
        && [
            "no", "the", "this", "that", "which", "any", "each", "some", "every", "another",
        ]
        .contains(&words[at - 1].text.as_str());
    one && (pointed_at || words.len() > 3)
}

/// The number that `words` begin with, and how many words it takes.
fn number_at(words: &[Word]) -> Option<(u32, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let below_hundred = |at: usize| -> Option<(u32, usize)> {
        let value = small(word(at))?;
        match small(word(at + 1)) {
            Some(unit) if value >= 20 && (1..10).contains(&unit) => Some((value + unit, 2)),
            _ => Some((value, 1)),
        }
    };
    let below_thousand = |at: usize| -> Option<(u32, usize)> {
        let (value, length) = below_hundred(at)?;
        if word(at + length) != "hundred" || value == 0 {
            return Some((value, length));
        }
        let length = length + 1;
        let and = usize::from(word(at + length) == "and");
        match below_hundred(at + length + and) {
            Some((rest, more)) if rest > 0 => Some((value * 100 + rest, length + and + more)),
            _ => Some((value * 100, length)),
        }
    };
    let (value, length) = below_thousand(0)?;
    if word(length) != "thousand" || value == 0 {
        return Some((value, length));
    }
    let length = length + 1;
    let and = usize::from(word(length) == "and");
    match below_thousand(length + and) {
        Some((rest, more)) if rest > 0 => Some((value * 1_000 + rest, length + and + more)),
        _ => Some((value * 1_000, length)),
    }
}

fn small(word: &str) -> Option<u32> {
    SMALL
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, value)| *value)
}

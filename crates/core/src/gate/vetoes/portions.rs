//! Numbers that are a part of what is asked for, or stand for each of many.

use crate::value::{cues::Cues, words::Word};

/// `2 of the 3 keys`: which of the two is asked for, no code can know.
pub(super) fn is_part(before: &[Word], after: &[Word]) -> bool {
    let counts = |word: &Word| {
        word.text.starts_with(|c: char| c.is_ascii_digit()) || QUANTITIES.has(&word.text)
    };
    let part_before = before
        .iter()
        .rposition(|word| word.text == "of")
        .is_some_and(|of| {
            let part = before[..of]
                .iter()
                .rev()
                .find(|word| !matches!(word.text.as_str(), "out" | "keys" | "only" | "just"));
            before[of + 1..]
                .iter()
                .all(|word| DETERMINERS.has(&word.text))
                && part.is_some_and(counts)
        });
    let whole = after
        .iter()
        .position(|word| word.text == "of")
        .filter(|of| *of <= 2)
        .and_then(|of| {
            after[of + 1..]
                .iter()
                .find(|word| !DETERMINERS.has(&word.text))
        });
    part_before || whole.is_some_and(counts)
}

static QUANTITIES: Cues = Cues::new(
    "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen,
     fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty, thirty, forty, fifty,
     some, none, most, half, all, both, any, few, several, many, each, part, third, quarter",
);
static DETERMINERS: Cues =
    Cues::new("the, my, our, your, all, these, those, a, total, altogether, in, them, original");

/// `One key each`: a number for each of many is no total. What is paid `per month` is one sum.
pub(super) fn is_rate(words: &[Word]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).map_or("", |word| word.text.as_str());
        match word.text.as_str() {
            "each" | "every" => !PERIODS.has(next),
            "per" => {
                let as_per = at > 0 && words[at - 1].text == "as";
                !(as_per || PERIODS.has(next) || matches!(next, "your" | "the" | "email"))
            }
            "apiece" | "respectively" => true,
            _ => false,
        }
    })
}

static PERIODS: Cues = Cues::new(
    "month, calendar, year, week, day, annum, quarter, night, hour, single, 30, first, last",
);

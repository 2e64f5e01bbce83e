//! The words that dates are made of: months, weekdays, numbers, units.

use jiff::civil::Weekday;

use super::Grain;
use super::tokens::Reader;

/// A month's number and whether the word was written in full.
pub(super) fn month(word: &str) -> Option<(i8, bool)> {
    const MONTHS: [(&str, &[&str]); 12] = [
        ("january", &["jan"]),
        ("february", &["feb"]),
        ("march", &["mar"]),
        ("april", &["apr"]),
        ("may", &[]),
        ("june", &["jun"]),
        ("july", &["jul"]),
        ("august", &["aug"]),
        ("september", &["sep", "sept"]),
        ("october", &["oct"]),
        ("november", &["nov"]),
        ("december", &["dec"]),
    ];
    (1..).zip(MONTHS).find_map(|(number, (full, short))| {
        (word == full || short.contains(&word)).then_some((number, word == full))
    })
}

/// Months whose names are also verbs, so that a bare number beside them proves little.
pub(super) fn is_verb_too(word: &str) -> bool {
    matches!(word, "may" | "march")
}

/// A weekday and whether the word was written in full.
pub(super) fn weekday(word: &str) -> Option<(Weekday, bool)> {
    Some(match word {
        "monday" => (Weekday::Monday, true),
        "mon" => (Weekday::Monday, false),
        "tuesday" => (Weekday::Tuesday, true),
        "tue" | "tues" => (Weekday::Tuesday, false),
        "wednesday" => (Weekday::Wednesday, true),
        "wed" | "weds" => (Weekday::Wednesday, false),
        "thursday" => (Weekday::Thursday, true),
        "thu" | "thur" | "thurs" => (Weekday::Thursday, false),
        "friday" => (Weekday::Friday, true),
        "fri" => (Weekday::Friday, false),
        "saturday" => (Weekday::Saturday, true),
        "sat" => (Weekday::Saturday, false),
        "sunday" => (Weekday::Sunday, true),
        "sun" => (Weekday::Sunday, false),
        _ => return None,
    })
}

/// A unit of time that durations are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) grain: Grain,
    /// How many of that grain one such unit is: a fortnight is two weeks.
    pub(super) times: i64,
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    let (grain, times) = match word {
        "second" | "seconds" | "sec" | "secs" => (Grain::Second, 1),
        "minute" | "minutes" | "min" | "mins" => (Grain::Minute, 1),
        "hour" | "hours" | "hr" | "hrs" | "h" => (Grain::Hour, 1),
        "day" | "days" => (Grain::Day, 1),
        "week" | "weeks" | "wk" | "wks" => (Grain::Week, 1),
        "fortnight" | "fortnights" => (Grain::Week, 2),
        "month" | "months" => (Grain::Month, 1),
        "quarter" | "quarters" | "qtr" | "qtrs" => (Grain::Quarter, 1),
        "year" | "years" | "yr" | "yrs" => (Grain::Year, 1),
        _ => return None,
    };
    Some(Unit { grain, times })
}

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [(&str, u32); 8] = [
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

fn place_in(words: &[&str], word: &str) -> Option<u32> {
    (0..)
        .zip(words)
        .find_map(|(place, &known)| (known == word).then_some(place))
}

fn tens(word: &str) -> Option<u32> {
    TENS.iter()
        .find_map(|&(known, value)| (known == word).then_some(value))
}

/// Whether an expression may begin with this word. Most words of most messages may not, and trying every
/// rule on each of them would be nearly all the work; a test holds this list against the rules.
pub(super) fn may_begin(word: &str) -> bool {
    const OPENERS: &[&str] = &[
        "a",
        "about",
        "after",
        "all",
        "an",
        "another",
        "any",
        "anytime",
        "approximately",
        "around",
        "as",
        "ascension",
        "ash",
        "at",
        "bastille",
        "before",
        "beginning",
        "between",
        "boxing",
        "by",
        "christmas",
        "close",
        "cob",
        "coming",
        "current",
        "day",
        "early",
        "easter",
        "end",
        "eod",
        "eom",
        "eoy",
        "exactly",
        "following",
        "for",
        "from",
        "good",
        "half",
        "halloween",
        "in",
        "last",
        "late",
        "later",
        "maundy",
        "mid",
        "midday",
        "middle",
        "midnight",
        "new",
        "next",
        "no",
        "noon",
        "not",
        "on",
        "palm",
        "past",
        "pentecost",
        "previous",
        "q",
        "rest",
        "roughly",
        "saint",
        "since",
        "st",
        "start",
        "starting",
        "the",
        "this",
        "through",
        "til",
        "till",
        "today",
        "tonight",
        "tonite",
        "until",
        "up",
        "upcoming",
        "valentine's",
        "valentines",
        "weekend",
        "whit",
        "within",
        "wkend",
        "xmas",
        "yesterday",
    ];
    OPENERS.binary_search(&word).is_ok()
        || TOMORROW.contains(&word)
        || month(word).is_some()
        || weekday(word.trim_end_matches("'s")).is_some()
        || unit(word).is_some()
        || place_in(&SMALL, word).is_some()
        || place_in(&ORDINALS, word).is_some()
        || tens(word).is_some()
        || matches!(word, "twentieth" | "thirtieth")
}

/// Tomorrow, as it is spelt.
pub(super) const TOMORROW: &[&str] = &[
    "tomorrow",
    "tomorow",
    "tommorow",
    "tommorrow",
    "tmrw",
    "tmr",
];

/// A cardinal number below ten thousand, in digits or (below a hundred) in words.
pub(super) fn cardinal(reader: &Reader<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some((value, _)) = reader.digits(at) {
        return Some((value, at + 1));
    }
    let word = reader.word(at);
    if let Some(small) = place_in(&SMALL, word) {
        return Some((small, at + 1));
    }
    let high = tens(word)?;
    let next = reader.skip_mark(at + 1, &['-']);
    match place_in(&SMALL, reader.word(next)) {
        Some(low @ 1..=9) => Some((high + low, next + 1)),
        _ => Some((high, at + 1)),
    }
}

/// An ordinal up to thirty-nine: `12th`, `twelfth`, `twenty-first`. Says also whether it stood in digits.
pub(super) fn ordinal(reader: &Reader<'_>, at: usize) -> Option<(u32, bool, usize)> {
    if let Some((value, digits)) = reader.digits(at) {
        let suffixed =
            digits <= 2 && reader.is(at + 1, &["st", "nd", "rd", "th"]) && reader.glued(at + 1);
        return suffixed.then_some((value, true, at + 2));
    }
    let word = reader.word(at);
    if let Some(small @ 1..) = place_in(&ORDINALS, word) {
        return Some((small, false, at + 1));
    }
    match word {
        "twentieth" => return Some((20, false, at + 1)),
        "thirtieth" => return Some((30, false, at + 1)),
        _ => {}
    }
    let high = tens(word).filter(|&high| high <= 30)?;
    let next = reader.skip_mark(at + 1, &['-']);
    match place_in(&ORDINALS, reader.word(next)) {
        Some(low @ 1..=9) => Some((high + low, false, next + 1)),
        _ => None,
    }
}

//! Days and spans named by where they lie from the message: weekdays, tomorrow, next week.

use jiff::civil::{Date, DateTime};

use super::absolute;
use super::arithmetic::{add_days, floor, midnight, shift};
use super::hit::{Hit, Rule, longest};
use super::tokens::Reader;
use super::weekdays::{weekday_of_week, weekday_rule};
use super::words::{TOMORROW, cardinal, ordinal, unit};
use super::{DateMeaning, Grain};

pub(super) const RULES: &[Rule] = &[
    named_day,
    weekday_rule,
    weekday_of_week,
    this_or_next_unit,
    several_units,
    quarter,
    weekend,
];

/// A single date with nothing of its own hanging on another date; the days that offsets count from.
pub(super) fn anchor(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let best = longest(absolute::RULES, reader, at);
    let other = longest(RULES, reader, at);
    match (best, other) {
        (Some(one), Some(two)) if two.end > one.end => Some(two),
        (one, two) => one.or(two),
    }
}

fn named_day(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    let (distance, end) = if let Some(end) = reader.phrase(start, "day after") {
        reader.is(end, TOMORROW).then_some((2, end + 1))?
    } else if let Some(end) = reader.phrase(start, "day before yesterday") {
        (-2, end)
    } else if reader.is(at, TOMORROW) {
        (1, at + 1)
    } else {
        match reader.word(at) {
            "today" => (0, at + 1),
            "yesterday" => (-1, at + 1),
            _ => return None,
        }
    };
    if !reader.starts_cleanly(at) || !reader.ends_cleanly(end) {
        return None;
    }
    // "tomorrow week" is British for a week after tomorrow.
    let week = reader.word(end) == "week" && reader.is_closed(end + 1);
    let distance = distance + if week { 7 } else { 0 };
    Some(Hit::date(
        add_days(reader.today(), distance),
        end + usize::from(week),
    ))
}

/// Which one of a row of like things is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    This,
    Next,
    Coming,
    Following,
    Last,
    Past,
}

pub(super) fn which(reader: &Reader<'_>, at: usize) -> Option<(Which, usize)> {
    let start = reader.skip(at, &["the"]);
    if let Some(end) = reader.phrases(start, &["this coming", "this upcoming"]) {
        return Some((Which::Coming, end));
    }
    if let Some(end) = reader.phrases(start, &["this past", "this last"]) {
        return Some((Which::Past, end));
    }
    let which = match reader.word(start) {
        "this" | "current" => Which::This,
        "next" => Which::Next,
        "coming" | "upcoming" => Which::Coming,
        "following" => Which::Following,
        "last" => Which::Last,
        "past" | "previous" => Which::Past,
        _ => return None,
    };
    Some((which, start + 1))
}

/// The start of this, the next or the last unit; `None` also where "following" follows another date.
pub(super) fn move_by(reader: &Reader<'_>, which: Which, grain: Grain) -> Option<DateTime> {
    let count = match which {
        Which::This => 0,
        Which::Following if reader.after_another => return None,
        Which::Next | Which::Coming | Which::Following => 1,
        Which::Last | Which::Past => -1,
    };
    shift(floor(reader.reference, grain)?, count, grain)
}

fn long_unit(word: &str) -> Option<Grain> {
    Some(match word {
        "week" | "wk" => Grain::Week,
        "month" => Grain::Month,
        "quarter" | "qtr" => Grain::Quarter,
        "year" | "yr" => Grain::Year,
        _ => return None,
    })
}

/// `next week`, `this month`, `the year after next`: its start (if it has one), its grain, its end.
pub(super) fn unit_reference(
    reader: &Reader<'_>,
    at: usize,
) -> Option<(Option<DateTime>, Grain, usize)> {
    let start = reader.skip(at, &["the"]);
    if let Some(grain) = long_unit(reader.word(start)) {
        let (count, end) = match (
            reader.phrase(start + 1, "after next"),
            reader.phrase(start + 1, "before last"),
        ) {
            (Some(end), _) => (2, end),
            (_, Some(end)) => (-2, end),
            _ => return None,
        };
        let moved = floor(reader.reference, grain).and_then(|now| shift(now, count, grain));
        return Some((moved, grain, end));
    }
    let (which, end) = which(reader, at)?;
    let grain = long_unit(reader.word(end))?;
    let split_weekend = reader.word(end + 1) == "end";
    (reader.ends_cleanly(end + 1) && !split_weekend)
        .then(|| (move_by(reader, which, grain), grain, end + 1))
}

fn this_or_next_unit(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (start, grain, end) = unit_reference(reader, at)?;
    reader
        .starts_cleanly(at)
        .then(|| Hit::point(start, grain, end))
}

/// `next three weeks`, `the last 2 days`; "the upcoming two weeks" may begin now or on Monday.
fn several_units(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    if let Some((_, end)) = cardinal(reader, at)
        && reader.is(end, &["upcoming", "coming"])
        && unit(reader.word(end + 1)).is_some()
    {
        return Some(Hit::refused(end + 2));
    }
    let (which, start) = which(reader, at)?;
    let (count, end) = cardinal(reader, start)?;
    let unit = unit(reader.word(end))?;
    let count = i64::from(count).checked_mul(unit.times)?;
    let now = floor(reader.reference, unit.grain)?;
    let bounds = match which {
        Which::Next => {
            let first = shift(now, 1, unit.grain)?;
            shift(first, count, unit.grain).map(|last| (first, last))
        }
        Which::Last | Which::Past => shift(now, -count, unit.grain).map(|first| (first, now)),
        _ => None,
    };
    Some(Hit::interval(bounds, unit.grain, end + 1))
}

/// `Q3 2027`, `third quarter`, `3rd qtr of 2027`.
fn quarter(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    let (number, end) = if reader.word(start) == "q" && reader.glued(start + 1) {
        let (number, 1) = reader.digits(start + 1)? else {
            return None;
        };
        (number, start + 2)
    } else {
        let (number, _, end) = ordinal(reader, start)?;
        reader
            .is(end, &["quarter", "qtr"])
            .then_some((number, end + 1))?
    };
    let number = i8::try_from(number)
        .ok()
        .filter(|number| (1..=4).contains(number))?;
    if !reader.starts_cleanly(at) || !reader.ends_cleanly(end) {
        return None;
    }
    let (year, end) = absolute::year(reader, end).unwrap_or((reader.today().year(), end));
    Some(Hit::point(
        Date::new(year, number * 3 - 2, 1).ok().map(midnight),
        Grain::Quarter,
        end,
    ))
}

/// The word `weekend`, also as `week-end` and `week end`.
pub(super) fn weekend_word(reader: &Reader<'_>, at: usize) -> Option<usize> {
    if reader.is(at, &["weekend", "wkend"]) {
        return Some(at + 1);
    }
    let end = reader.skip_mark(at + 1, &['-']);
    (reader.word(at) == "week"
        && reader.word(end) == "end"
        && !reader.is(end + 2, &["day", "business", "play", "the"]))
    .then_some(end + 1)
}

/// From six on Friday evening until Monday begins.
pub(super) fn weekend_of(monday: Date) -> Option<(DateTime, DateTime)> {
    Some((
        add_days(monday, 4)?.at(18, 0, 0, 0),
        midnight(add_days(monday, 7)?),
    ))
}

fn weekend(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (which, start) = match which(reader, at) {
        Some(found) => found,
        None if reader.word(at) == "the" => (Which::This, at + 1),
        None => return None,
    };
    let end = weekend_word(reader, start)?;
    if !reader.starts_cleanly(at)
        || !reader.ends_cleanly(end)
        || reader.is(end, &["after", "before", "of"])
    {
        return Some(Hit::refused(end));
    }
    let monday = floor(reader.reference, Grain::Week)?.date();
    let days = match which {
        Which::This | Which::Coming => 0,
        Which::Last | Which::Past => -7,
        Which::Next if reader.today().weekday().to_monday_zero_offset() >= 5 => 7,
        // "next weekend" said in midweek is the coming one to some and the one after it to others.
        Which::Next => {
            let saturdays = [5, 12]
                .iter()
                .filter_map(|&days| add_days(monday, days))
                .collect();
            return Some(Hit::new(DateMeaning::Ambiguous(saturdays), end));
        }
        Which::Following => return Some(Hit::refused(end)),
    };
    Some(Hit::interval(
        add_days(monday, days).and_then(weekend_of),
        Grain::Hour,
        end,
    ))
}

//! Dates that name a day, month or year of the calendar.

use jiff::civil::Date;

use super::Grain;
use super::arithmetic::{days_between, midnight, shift, without_year};
use super::hit::{Hit, Rule};
use super::holidays::holiday;
use super::numeric::{iso, numeric};
use super::tokens::Reader;
use super::words::{is_verb_too, month, ordinal};

pub(super) const RULES: &[Rule] = &[
    iso,
    numeric,
    day_then_month,
    month_then_day,
    month_alone,
    day_of_month,
    year_alone,
    holiday,
];

/// Years that letters speak of; a number outside is more likely a price or a house.
pub(super) const YEARS: std::ops::RangeInclusive<u32> = 1900..=2199;

pub(super) fn new_date(year: u32, month: u32, day: u32) -> Option<Date> {
    Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    )
    .ok()
}

/// A year of four digits, also behind a comma: `12 May, 2027`.
pub(super) fn year(reader: &Reader<'_>, at: usize) -> Option<(i16, usize)> {
    let at = reader.skip_mark(at, &[',']);
    let at = reader.skip(at, &["of", "in"]);
    let (value, digits) = reader.digits(at)?;
    let plain = digits == 4 && YEARS.contains(&value) && reader.ends_cleanly(at + 1);
    plain.then(|| Some((i16::try_from(value).ok()?, at + 1)))?
}

/// A year of two digits is the one within fifty years of the message.
pub(super) fn full_year(reader: &Reader<'_>, value: u32, digits: usize) -> Option<u32> {
    match digits {
        4 => Some(value),
        2 => {
            let now = u32::try_from(reader.today().year()).ok()?;
            let guess = now / 100 * 100 + value;
            Some(if guess > now + 50 {
                guess.checked_sub(100)?
            } else if guess + 50 <= now {
                guess + 100
            } else {
                guess
            })
        }
        _ => None,
    }
}

/// A day of the month, in digits or as an ordinal. Says whether it was unmistakably an ordinal.
pub(super) fn day_number(reader: &Reader<'_>, at: usize) -> Option<(i8, bool, usize)> {
    let (value, sure, end) = match ordinal(reader, at) {
        Some((value, _, end)) => (value, true, end),
        None => match reader.digits(at)? {
            (value, 1..=2) => (value, false, at + 1),
            _ => return None,
        },
    };
    let day = i8::try_from(value)
        .ok()
        .filter(|day| (1..=31).contains(day))?;
    (reader.starts_cleanly(at)).then_some((day, sure, end))
}

/// A month's name standing at a place; its point of abbreviation is covered if a date goes on behind it.
pub(super) fn month_name(reader: &Reader<'_>, at: usize) -> Option<(i8, usize)> {
    let (number, full) = month(reader.word(at))?;
    let point = !full && reader.mark(at + 1, '.') && reader.glued(at + 1);
    Some((number, at + 1 + usize::from(point)))
}

/// `12 May`, `the 12th of May 2027`, `31-Oct-74`, `14april 2015`.
fn day_then_month(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    let (day, _, mut end) = day_number(reader, start)?;
    end = reader.skip(end, &["day"]);
    let of = reader.word(end) == "of";
    end = reader.skip(end, &["of"]);
    let hyphen = reader.mark(end, '-') && reader.glued(end);
    end = reader.skip_mark(end, &['-', '.']);
    let name = end;
    let (month, after) = month_name(reader, name)?;
    // "My son is 12. May is fine": a point and a space end a sentence, unless a year shows the date.
    if reader.mark(name - 1, '.') && !reader.glued(name) && year(reader, after).is_none() {
        return None;
    }
    if hyphen && reader.mark(after, '-') && reader.glued(after) {
        let (value, digits) = reader.digits(after + 1)?;
        let year = full_year(reader, value, digits)?;
        return Some(Hit::date(
            new_date(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?),
            after + 1 + 1,
        ));
    }
    // "the 12 may apply", "the 12th may be better".
    let verb = is_verb_too(reader.word(name)) && !of && !reader.capitalised(name);
    let closed = reader.is_closed(name + 1)
        || year(reader, name + 1).is_some()
        || clock_ahead(reader, name + 1);
    if verb && !closed {
        return None;
    }
    if reader.is_street(name + 1) {
        return Some(Hit::refused(name + 2));
    }
    finish(reader, month, day, name + 1, after)
}

/// A number that belongs to a time of day, behind a date.
fn clock_ahead(reader: &Reader<'_>, at: usize) -> bool {
    let at = reader.skip_mark(at, &[',']);
    reader.digits(at).is_some()
        && (reader.mark(at + 1, ':') || reader.is(at + 1, &["am", "pm", "a", "p", "h"]))
}

/// `May 12th, 2027`, `February the 15th`, `Aug 8`.
fn month_then_day(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (month, after) = month_name(reader, at)?;
    let start = reader.skip(after, &["the"]);
    let (day, sure, end) = day_number(reader, start)?;
    if !reader.starts_cleanly(at) || (!sure && clock_ahead(reader, start)) {
        return None;
    }
    if !sure
        && is_verb_too(reader.word(at))
        && !reader.is_closed(end)
        && year(reader, end).is_none()
        && !clock_ahead(reader, end)
    {
        return None;
    }
    finish(reader, month, day, end, end)
}

/// A day of a month whose year may stand at the given place.
pub(super) fn on_day(reader: &Reader<'_>, month: i8, day: i8, year_at: usize) -> Option<Hit> {
    finish(reader, month, day, year_at, year_at)
}

/// Adds the year, if one follows, or finds the year that is meant.
fn finish(reader: &Reader<'_>, month: i8, day: i8, end: usize, year_at: usize) -> Option<Hit> {
    if let Some((year, end)) = year(reader, year_at) {
        return Some(Hit::date(Date::new(year, month, day).ok(), end));
    }
    // A year in words is not read, and must not be overlooked.
    if reader.is(year_at, &["twenty", "nineteen"]) {
        return Some(Hit::refused(year_at + 1));
    }
    let apostrophe = reader.skip_mark(year_at, &['\'', '\u{2019}']);
    if let Some((value, 2)) = reader.digits(apostrophe)
        && !clock_ahead(reader, apostrophe)
        && reader.is_closed(apostrophe + 1)
    {
        // "14 April 15" may be a year or an hour; with an apostrophe it is a year.
        let year = full_year(reader, value, 2).and_then(|year| i16::try_from(year).ok());
        let date = year.and_then(|year| Date::new(year, month, day).ok());
        return Some(Hit::date(
            date.filter(|_| apostrophe > year_at),
            apostrophe + 1,
        ));
    }
    if !reader.ends_cleanly(end) && !reader.glued(end + 1) {
        return None;
    }
    Some(Hit::dates(without_year(reader.today(), month, day), end))
}

/// `May 2027`; `in March`; a bare `September`. Names that are also people or verbs need a word that says so.
fn month_alone(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (number, full) = month(reader.word(at))?;
    if !reader.starts_cleanly(at) {
        return None;
    }
    if let Some((year, end)) = year(
        reader,
        at + 1 + usize::from(!full && reader.mark(at + 1, '.')),
    ) {
        return Some(Hit::point(
            Date::new(year, number, 1).ok().map(midnight),
            Grain::Month,
            end,
        ));
    }
    if !reader.ends_cleanly(at + 1) {
        return None;
    }
    let before = reader.word_before(at);
    let alone = reader.tokens.len() == 1 && reader.capitalised(at);
    let said = matches!(
        before,
        "in" | "during" | "until" | "till" | "mid" | "early" | "late" | "through" | "throughout"
    );
    let plain = full && !matches!(number, 3 | 4 | 5 | 6 | 8);
    let someone = matches!(
        before,
        "dr" | "mr" | "mrs" | "ms" | "dear" | "hi" | "hello" | "miss" | "a" | "an"
    );
    // "March in a year" and "March after next" move the month by what follows.
    if reader
        .phrases(at + 1, &["after next", "in a", "in one", "before last"])
        .is_some()
        || reader.is(at + 1, &["in"]) && reader.digits(at + 2).is_some()
    {
        return Some(Hit::refused(at + 1));
    }
    // "the second half of October", "the ides of March" are less than the month.
    if someone || before == "of" || !(said || plain || alone) {
        return None;
    }
    let today = reader.today();
    let this_year = Date::new(today.year(), number, 1).ok().map(midnight)?;
    let start = if number < today.month() {
        shift(this_year, 1, Grain::Year)
    } else {
        Some(this_year)
    };
    Some(Hit::point(start, Grain::Month, at + 1))
}

/// `the 12th`, where nothing follows that it could count.
fn day_of_month(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let the = reader.word(at) == "the";
    let said = the
        || at == 0
        || matches!(
            reader.word_before(at),
            "on" | "by" | "until" | "till" | "before" | "after" | "from"
        );
    let (value, in_digits, end) = ordinal(reader, at + usize::from(the)).filter(|_| said)?;
    let day = i8::try_from(value)
        .ok()
        .filter(|day| (1..=31).contains(day))?;
    // "the first", "the second" and "the third" are options far more often than days.
    if !(in_digits || the && day > 3 && reader.word_before(at) == "on") || !reader.is_closed(end) {
        return None;
    }
    Some(Hit::dates(day_without_month(reader.today(), day), end))
}

/// How many days a bare day of the month may have passed and still be meant as past.
const JUST_PASSED_DAYS: i64 = 7;

/// The days that "the 12th" may mean, the coming one first.
pub(super) fn day_without_month(today: Date, day: i8) -> Vec<Date> {
    let first = midnight(today.first_of_month());
    let in_month = |offset: i64| {
        let month = shift(first, offset, Grain::Month)?.date();
        Date::new(month.year(), month.month(), day).ok()
    };
    let next = (0..=2).filter_map(in_month).find(|&date| date >= today);
    let previous = (-2..=0)
        .rev()
        .filter_map(in_month)
        .find(|&date| date < today);
    let recent = previous.filter(|&date| days_between(date, today) <= JUST_PASSED_DAYS);
    next.into_iter().chain(recent).collect()
}

/// `in 2028`: a bare number needs a word before it that makes it a year.
fn year_alone(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let said = matches!(
        reader.word_before(at),
        "in" | "during"
            | "since"
            | "until"
            | "till"
            | "by"
            | "after"
            | "before"
            | "through"
            | "early"
            | "late"
    );
    let (value, 4) = reader.digits(at)? else {
        return None;
    };
    let follows = said && YEARS.contains(&value) && reader.is_closed(at + 1);
    follows.then(|| Hit::point(new_date(value, 1, 1).map(midnight), Grain::Year, at + 1))
}

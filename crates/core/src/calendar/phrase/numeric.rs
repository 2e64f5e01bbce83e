//! Dates written in numbers: `2027-05-12`, `12.05.2027`, `5/12`.

use jiff::civil::Date;

use super::absolute::{YEARS, full_year, new_date};
use super::arithmetic::{midnight, without_year};
use super::hit::Hit;
use super::tokens::Reader;
use super::words::unit;
use super::{DayMonthOrder, Grain};

/// `2027-05-12`, `2027/5/12`, and the month `2027-05`.
pub(super) fn iso(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (year, 4) = reader.digits(at)? else {
        return None;
    };
    let separator = *['-', '/', '.']
        .iter()
        .find(|&&mark| reader.mark(at + 1, mark))?;
    let (month, month_digits @ 1..=2) = reader.digits(at + 2)? else {
        return None;
    };
    if !reader.starts_cleanly(at) || !reader.glued(at + 1) || !reader.glued(at + 2) {
        return None;
    }
    if reader.mark(at + 3, separator) && reader.glued(at + 3) && reader.glued(at + 4) {
        let (day, 1..=2) = reader.digits(at + 4)? else {
            return None;
        };
        // `2027-05-12T10:00` goes on; the clock behind the T is read by the caller.
        let timed = reader.word(at + 5) == "t" && reader.glued(at + 5);
        // Two dates may be joined by a slash (ISO 8601 intervals); a third number may not.
        if !timed && !reader.ends_cleanly(at + 5) {
            return Some(Hit::refused(at + 5));
        }
        return Some(Hit::date(new_date(year, month, day), at + 5));
    }
    // "2010-12" may as well be a span of years; "2014-10" cannot.
    let one_reading =
        separator != '.' && month_digits == 2 && month <= year % 100 && YEARS.contains(&year);
    let month = new_date(year, month, 1)
        .filter(|_| one_reading && reader.ends_cleanly(at + 3) && !is_numbered(reader, at))?;
    Some(Hit::point(Some(midnight(month)), Grain::Month, at + 3))
}

/// Words after which two numbers and a slash are no date.
const NUMBERED: &[&str] = &[
    "unit",
    "flat",
    "apartment",
    "apt",
    "room",
    "page",
    "no",
    "number",
    "ref",
    "reference",
    "tel",
    "phone",
    "code",
    "invoice",
    "order",
    "item",
    "chapter",
    "section",
    "level",
    "suite",
    "version",
    "v",
    "lot",
    "step",
    "part",
    "score",
    "scored",
    "rated",
    "rating",
    "ip",
    "odds",
    "size",
];

/// A word before this place makes it the number of something: `page 5/12`, `invoice no. 2027-05`.
fn is_numbered(reader: &Reader<'_>, at: usize) -> bool {
    let marked = at > 0
        && (reader.mark(at - 1, '.') || reader.mark(at - 1, ':') || reader.mark(at - 1, '#'));
    NUMBERED.contains(&reader.word_before(at - usize::from(marked)))
}

/// `12/05/2027`, `12.05.27`, `5/12`: day and month in the order that the reader was told.
pub(super) fn numeric(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (first, 1..=2) = reader.digits(at)? else {
        return None;
    };
    let separator = *['/', '.', '-']
        .iter()
        .find(|&&mark| reader.mark(at + 1, mark))?;
    let (second, 1..=2) = reader.digits(at + 2)? else {
        return None;
    };
    let tight = reader.starts_cleanly(at) && reader.glued(at + 1) && reader.glued(at + 2);
    if !tight || is_numbered(reader, at) {
        return None;
    }
    if reader.mark(at + 3, separator) && reader.glued(at + 3) && reader.glued(at + 4) {
        let (year, digits) = reader.digits(at + 4)?;
        // Bank sort codes and the like are three pairs joined by hyphens.
        if separator == '-' && digits == 2
            || !matches!(digits, 2 | 4)
            || !reader.ends_cleanly(at + 5)
        {
            return Some(Hit::refused(at + 5));
        }
        let year = full_year(reader, year, digits)?;
        let dates = ordered(reader.order, separator, first, second, |month, day| {
            new_date(year, month, day).into_iter().collect()
        });
        return Some(Hit::dates(dates, at + 5));
    }
    // "9/10 would recommend" is a mark, unless a word makes it a day.
    let mark = second == 10
        && first <= 10
        && !matches!(
            reader.word_before(at),
            "on" | "by" | "until" | "from" | "before" | "after"
        )
        && super::words::weekday(reader.word_before(at)).is_none();
    let idiom = mark
        || matches!((first, second), (24, 7) | (1, 1))
        || reader.is(at + 3, &["of", "a", "an", "full", "inch"]);
    if separator != '/'
        || idiom
        || !reader.ends_cleanly(at + 3)
        || reader.is_street(at + 3)
        || unit(reader.word(at + 3)).is_some()
    {
        return None;
    }
    let today = reader.today();
    let dates = ordered(reader.order, separator, first, second, |month, day| match (
        i8::try_from(month),
        i8::try_from(day),
    ) {
        (Ok(month), Ok(day)) => without_year(today, month, day),
        _ => Vec::new(),
    });
    (!dates.is_empty()).then(|| Hit::dates(dates, at + 3))
}

/// Reads two numbers as day and month in each order that may be meant. An order under which there is
/// no such day gives way to the other: nobody means the fifteenth month.
fn ordered(
    order: DayMonthOrder,
    separator: char,
    first: u32,
    second: u32,
    dates: impl Fn(u32, u32) -> Vec<Date>,
) -> Vec<Date> {
    let (day_first, month_first) = (dates(second, first), dates(first, second));
    let (preferred, other) = match (order, separator) {
        // Points between numbers are a custom of countries that put the day first.
        (DayMonthOrder::DayFirst, _) | (DayMonthOrder::Unknown, '.') => (day_first, month_first),
        (DayMonthOrder::MonthFirst, '/' | '-') => (month_first, day_first),
        _ => {
            let mut both = day_first;
            both.extend(month_first);
            return both;
        }
    };
    if preferred.is_empty() {
        other
    } else {
        preferred
    }
}

//! Parts of a month, week or year, and days counted within one: `end of May`, `the first Monday in June`.

use jiff::civil::{Date, DateTime};

use super::Grain;
use super::absolute;
use super::arithmetic::{add_days, floor, midnight, shift, weekday_after, weekday_before};
use super::hit::{Hit, Rule};
use super::relative::{unit_reference, weekend_of, weekend_word};
use super::tokens::Reader;
use super::words::{is_verb_too, month, ordinal, weekday};

pub(super) const RULES: &[Rule] = &[phase, month_and_year_ends, rest_of, nth_within, day_of_unit];

#[derive(Clone, Copy)]
enum Phase {
    Early,
    Middle,
    Late,
}

/// `the end of the month`, `early March`, `mid-May`, `beginning of next week`.
fn phase(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    let (phase, of) = match reader.word(start) {
        "early" => (Phase::Early, reader.skip(start + 1, &["in"])),
        "late" => (Phase::Late, reader.skip(start + 1, &["in"])),
        "mid" => (Phase::Middle, reader.skip_mark(start + 1, &['-'])),
        "beginning" | "start" => (Phase::Early, reader.phrase(start + 1, "of")?),
        "middle" => (Phase::Middle, reader.phrase(start + 1, "of")?),
        "end" => (Phase::Late, reader.phrase(start + 1, "of")?),
        _ => return None,
    };
    let of = reader.skip(of, &["around"]);
    let (unit_start, grain, end) = whole(reader, of)?;
    if !reader.starts_cleanly(at) || !reader.ends_cleanly(end) {
        return None;
    }
    let Some(unit_start) = unit_start else {
        return Some(Hit::refused(end));
    };
    Some(part_of(unit_start, grain, phase, end))
}

/// A month in thirds of ten days, a year in its first, middle and last four months (the first: three), a week
/// in its first three days, its middle three, and Friday to Sunday.
fn part_of(start: DateTime, grain: Grain, phase: Phase, end: usize) -> Hit {
    let (from, to, unit) = match (grain, phase) {
        (Grain::Month, Phase::Early) => (0, Some(10), Grain::Day),
        (Grain::Month, Phase::Middle) => (10, Some(20), Grain::Day),
        (Grain::Month, Phase::Late) => (20, None, Grain::Day),
        (Grain::Week, Phase::Early) => (0, Some(3), Grain::Day),
        (Grain::Week, Phase::Middle) => (1, Some(4), Grain::Day),
        (Grain::Week, Phase::Late) => (4, None, Grain::Day),
        (Grain::Year, Phase::Early) => (0, Some(3), Grain::Month),
        (Grain::Year, Phase::Middle) => (4, Some(8), Grain::Month),
        (Grain::Year, Phase::Late) => (8, None, Grain::Month),
        _ => return Hit::refused(end),
    };
    let first = shift(start, from, unit);
    let last = match to {
        Some(count) => shift(start, count, unit),
        None => shift(start, 1, grain),
    };
    Hit::interval(first.zip(last), unit, end)
}

/// The month, week or year that something is part of.
fn whole(reader: &Reader<'_>, at: usize) -> Option<(Option<DateTime>, Grain, usize)> {
    if let Some(found) = unit_reference(reader, at) {
        return Some(found);
    }
    let start = reader.skip(at, &["the"]);
    let grain = match reader.word(start) {
        "week" => Some(Grain::Week),
        "month" => Some(Grain::Month),
        "year" => Some(Grain::Year),
        _ => None,
    };
    if let Some(grain) = grain {
        // "the end of the week of 3 May", "the start of the week after" are elsewhere.
        let elsewhere = reader.is(
            start + 1,
            &["of", "after", "before", "commencing", "beginning"],
        );
        return (!elsewhere).then(|| (floor(reader.reference, grain), grain, start + 1));
    }
    if let Some((number, full)) = month(reader.word(at)) {
        if is_verb_too(reader.word(at))
            && !reader.capitalised(at)
            && reader.word_before(at) != "of"
            && reader.word_before(at) != "in"
        {
            return None;
        }
        let after = at + 1 + usize::from(!full && reader.mark(at + 1, '.') && reader.glued(at + 1));
        let (first, end) = match absolute::year(reader, after) {
            Some((year, end)) => (Date::new(year, number, 1).ok(), end),
            None => (coming_month(reader.today(), number), at + 1),
        };
        return Some((first.map(midnight), Grain::Month, end));
    }
    let (year, end) = absolute::year(reader, at)?;
    Some((Date::new(year, 1, 1).ok().map(midnight), Grain::Year, end))
}

/// The first day of the next such month, this month included.
fn coming_month(today: Date, month: i8) -> Option<Date> {
    let year = if month < today.month() {
        today.year().checked_add(1)?
    } else {
        today.year()
    };
    Date::new(year, month, 1).ok()
}

/// `EOM` and `EOY`, in capitals only.
fn month_and_year_ends(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    let grain = match reader.tokens.get(start)?.text {
        "EOM" => Grain::Month,
        "EOY" => Grain::Year,
        _ => return None,
    };
    let found = floor(reader.reference, grain)?;
    Some(part_of(found, grain, Phase::Late, start + 1))
}

/// `the rest of the week`, `all week`: from today on, or the whole of it.
fn rest_of(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let rest = reader.phrases(
        at,
        &[
            "rest of the",
            "the rest of the",
            "rest of this",
            "the rest of this",
        ],
    );
    let word = rest.or_else(|| reader.phrase(at, "all"))?;
    let grain = match reader.word(word) {
        "week" => Grain::Week,
        "month" if rest.is_some() => Grain::Month,
        "year" if rest.is_some() => Grain::Year,
        _ => return None,
    };
    let unit = floor(reader.reference, grain)?;
    let start = if rest.is_some() {
        midnight(reader.today())
    } else {
        unit
    };
    Some(Hit::interval(
        shift(unit, 1, grain).map(|end| (start, end)),
        Grain::Day,
        word + 1,
    ))
}

/// `the last Monday of March`, `first day of next month`, `fifth last day of May`, `last weekend of October`.
fn nth_within(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    let (nth, backwards, thing) = if reader.word(start) == "last" {
        (1, true, start + 1)
    } else {
        let (nth, _, end) = ordinal(reader, start)?;
        let backwards = reader.word(end) == "last";
        (i64::from(nth), backwards, end + usize::from(backwards))
    };
    let weekend_end = weekend_word(reader, thing);
    let day = weekday(reader.word(thing));
    let of = weekend_end.unwrap_or(thing + 1);
    let known = day.is_some() || weekend_end.is_some() || reader.is(thing, &["day", "week"]);
    if !known || !reader.is(of, &["of", "in"]) {
        return None;
    }
    let (unit, grain, end) = whole(reader, of + 1)?;
    let bounds = unit.and_then(|first| Some((first.date(), shift(first, 1, grain)?.date())));
    // Whether a month's first week is its first days or its first Monday's week, people disagree.
    let countable = nth >= 1 && reader.word(thing) != "week";
    let Some((first, after)) = bounds.filter(|_| countable || weekend_end.is_some()) else {
        return Some(Hit::refused(end));
    };
    let weeks = (nth - 1) * 7;
    let date = if weekend_end.is_some() {
        // A weekend belongs to the month that its Friday lies in.
        return Some(weekend_within(first, after, weeks, backwards, end));
    } else if let Some((day, _)) = day {
        if backwards {
            weekday_before(after, day).and_then(|date| add_days(date, -weeks))
        } else {
            add_days(first, -1)
                .and_then(|eve| weekday_after(eve, day))
                .and_then(|date| add_days(date, weeks))
        }
    } else if backwards {
        add_days(after, -nth)
    } else {
        add_days(first, nth - 1)
    };
    Some(Hit::date(
        date.filter(|&date| date >= first && date < after),
        end,
    ))
}

fn weekend_within(first: Date, after: Date, weeks: i64, backwards: bool, end: usize) -> Hit {
    let friday = jiff::civil::Weekday::Friday;
    let day = if backwards {
        weekday_before(after, friday).and_then(|date| add_days(date, -weeks))
    } else {
        add_days(first, -1)
            .and_then(|eve| weekday_after(eve, friday))
            .and_then(|date| add_days(date, weeks))
    };
    let monday = day
        .filter(|&date| date >= first && date < after)
        .and_then(|date| add_days(date, -4));
    Hit::interval(monday.and_then(weekend_of), Grain::Hour, end)
}

/// `the 20th of next month`, `20 of this month`.
fn day_of_unit(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (day, _, end) = absolute::day_number(reader, reader.skip(at, &["the"]))?;
    let of = reader.phrase(reader.skip(end, &["day"]), "of")?;
    let (first, Grain::Month, end) = whole(reader, of)? else {
        return None;
    };
    let date = first.and_then(|first| Date::new(first.year(), first.month(), day).ok());
    // Late in a month, "the 3rd of the month" is any month's.
    let any = reader.word(of) == "the" && reader.is(of + 1, &["month"]);
    let date = date.filter(|&date| date >= reader.today() || !any);
    // With a named month this is an absolute date, which knows about years better.
    month(reader.word(of))
        .is_none()
        .then(|| Hit::date(date, end))
}

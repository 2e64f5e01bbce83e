//! Weekdays, alone or with what says which one is meant.

use jiff::civil::{Date, Weekday};

use super::Grain;
use super::absolute;
use super::arithmetic::{
    add_days, days_between, floor, midnight, weekday_after, weekday_before, weekday_in_week,
};
use super::clocks::clock;
use super::hit::{Hit, Sense, longest};
use super::relative::{Which, move_by, unit_reference, which};
use super::tokens::Reader;
use super::words::{ordinal, weekday};

/// The weekday's name at a place. Short names that are words themselves must look like names.
pub(super) fn weekday_name(reader: &Reader<'_>, at: usize) -> Option<(Weekday, usize)> {
    let word = reader.word(at);
    // "Friday's fine" and "Monday's better" speak of the day; "Friday's meeting" does not.
    if let Some(contracted) = word.strip_suffix("'s") {
        let judged = reader.is(
            at + 1,
            &[
                "fine", "good", "ok", "okay", "great", "perfect", "better", "best", "not", "no",
                "alright", "out",
            ],
        );
        return weekday(contracted)
            .filter(|(_, full)| *full && judged)
            .map(|(day, _)| (day, at + 1));
    }
    let (day, full) = weekday(word)?;
    let point = !full && reader.mark(at + 1, '.') && reader.glued(at + 1);
    let end = at + 1 + usize::from(point);
    if matches!(reader.word(at), "sun" | "sat" | "wed") {
        let before = reader.word_before(at);
        let said = matches!(
            before,
            "on" | "this"
                | "next"
                | "last"
                | "by"
                | "until"
                | "till"
                | "before"
                | "after"
                | "or"
                | "and"
                | "coming"
                | "to"
        );
        let dated = absolute_date(reader, end).is_some() || clock(reader, end).is_some();
        let listed = reader.is(end, &["and", "or"]) && weekday(reader.word(end + 1)).is_some();
        if !reader.capitalised(at)
            || !(said || dated || listed || (at == 0 && reader.tokens.len() == end))
        {
            return None;
        }
    }
    let name_of_something = point && reader.glued(end);
    let joined = reader.mark(at + 1, '-') && weekday(reader.word(at + 2)).is_some();
    ((joined || reader.ends_cleanly(at + 1)) && !name_of_something).then_some((day, end))
}

/// A calendar date behind a weekday: `, Feb 18`, `the 19th`, `12/5`, `15th`.
fn absolute_date(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let mut start = reader.skip_mark(at, &[',']);
    start = reader.skip(start, &["on"]);
    if let Some(hit) = longest(absolute::RULES, reader, start)
        .filter(|hit| !hit.candidates().is_empty() || matches!(hit.sense, Sense::Refused))
    {
        return Some(hit);
    }
    let start = reader.skip(start, &["the"]);
    // "Friday the 13th", "Monday 3rd", "Monday 3": the caller holds the number against the weekday.
    let (day, sure, end) = absolute::day_number(reader, start)?;
    if clock(reader, start).is_some() || !(sure || start == at && reader.ends_cleanly(end)) {
        return None;
    }
    let dates = if reader.is_closed(end) {
        absolute::day_without_month(reader.today(), day)
    } else {
        Vec::new()
    };
    Some(Hit::dates(dates, end))
}

/// `Friday`, `next Friday`, `Friday the 13th`, `Friday week`, `Friday of next week`, `the Friday after 12 May`.
pub(super) fn weekday_rule(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (which, start) = which(reader, at)
        .map_or((None, reader.skip(at, &["the"])), |(which, end)| {
            (Some(which), end)
        });
    let (day, end) = weekday_name(reader, start)?;
    if !reader.starts_cleanly(at) {
        return None;
    }
    // "every Friday", "on a Friday", "Black Friday" name no one day.
    if which.is_none()
        && matches!(
            reader.word_before(at),
            "every"
                | "each"
                | "any"
                | "a"
                | "an"
                | "one"
                | "some"
                | "most"
                | "alternate"
                | "other"
                | "black"
                | "cyber"
                | "shrove"
                | "no"
                | "usual"
                | "another"
        )
    {
        return Some(Hit::refused(end));
    }
    // "the first Monday of every month": with a month that is one, another rule covers it.
    let nth = at
        .checked_sub(1)
        .is_some_and(|before| ordinal(reader, before).is_some());
    if which.is_none() && nth {
        return Some(Hit::refused(end));
    }
    if let Some(date) = absolute_date(reader, end) {
        let mut dates = date.candidates();
        dates.retain(|date| date.weekday() == day);
        return Some(Hit::dates(dates, date.end));
    }
    if let Some(hit) = weekday_moved(reader, which, day, start, end) {
        return Some(hit);
    }
    Some(Hit::dates(resolve(reader, which, day)?, end))
}

/// The weekday that a date is said to be, behind it: `18 July, Friday`, `12/5 (Thu)`.
pub(super) fn weekday_behind(reader: &Reader<'_>, at: usize) -> Option<(Weekday, usize)> {
    let start = reader.skip_mark(at, &[',', '(']);
    let (day, end) = weekday_name(reader, start)?;
    let named_before = reader.word_before(at) != "day" && weekday(reader.word_before(at)).is_none();
    let own_date = absolute_date(reader, end).is_some()
        || reader.is(end, &["week", "next", "this", "last", "of", "in"]);
    let bracket = start > at && reader.mark(start - 1, '(');
    let closed = if bracket {
        reader.mark(end, ')')
    } else {
        reader.is_closed(end)
    };
    (named_before && !own_date && closed).then_some((day, end + usize::from(bracket)))
}

/// A weekday whose week is told by what follows it.
fn weekday_moved(
    reader: &Reader<'_>,
    which: Option<Which>,
    day: Weekday,
    start: usize,
    end: usize,
) -> Option<Hit> {
    let today = reader.today();
    let coming = weekday_after(today, day);
    for (word, days) in [("week", 7), ("fortnight", 14)] {
        if reader.word(end) == word && reader.is_closed(end + 1) {
            let one_meaning = matches!(which, None | Some(Which::Coming | Which::This));
            let date = coming
                .filter(|_| one_meaning)
                .and_then(|date| add_days(date, days));
            return Some(Hit::date(date, end + 1));
        }
    }
    if reader.phrase(end, "after next").is_some() {
        return Some(Hit::refused(end + 2));
    }
    if let Some((week, Grain::Week, after)) =
        unit_reference(reader, reader.skip(end, &["of", "from", "in"]))
    {
        return Some(Hit::date(weekday_in_week(week?.date(), day), after));
    }
    // "Friday last" and "Saturday next".
    if reader.is(end, &["last", "next"]) && reader.is_closed(end + 1) {
        return Some(Hit::refused(end + 1));
    }
    let before = reader.word(end) == "before";
    if before || reader.is(end, &["after", "following"]) {
        let named = longest(absolute::RULES, reader, end + 1);
        if let Some(named) = named {
            let date = named.only_day().and_then(|date| {
                if before {
                    weekday_before(date, day)
                } else {
                    weekday_after(date, day)
                }
            });
            return Some(Hit::date(date, named.end));
        }
        // "the Friday after" hangs on something said elsewhere.
        if start
            .checked_sub(1)
            .is_some_and(|the| reader.word(the) == "the")
        {
            return Some(Hit::refused(end + 1));
        }
    }
    None
}

/// How near a weekday of this week must be for "next" to pass it by: nobody calls tomorrow
/// "next Wednesday", but people disagree about a day that is still several days off.
const TOO_NEAR_FOR_NEXT: i64 = 2;

pub(super) fn resolve(
    reader: &Reader<'_>,
    which: Option<Which>,
    day: Weekday,
) -> Option<Vec<Date>> {
    let today = reader.today();
    let coming = weekday_after(today, day)?;
    let past = weekday_before(today, day)?;
    let this_week =
        |date: Date| floor(midnight(date), Grain::Week) == floor(midnight(today), Grain::Week);
    Some(match which {
        None | Some(Which::Coming) => vec![coming],
        Some(Which::This) if today.weekday() == day => vec![today, coming],
        Some(Which::This) => vec![coming],
        Some(Which::Next) if !this_week(coming) => vec![coming],
        Some(Which::Next) => {
            let later = add_days(coming, 7)?;
            if days_between(today, coming) <= TOO_NEAR_FOR_NEXT {
                vec![later]
            } else {
                vec![coming, later]
            }
        }
        Some(Which::Following) if reader.after_another => Vec::new(),
        Some(Which::Following) => vec![coming],
        Some(Which::Past) => vec![past],
        Some(Which::Last) if this_week(past) => vec![past, add_days(past, -7)?],
        Some(Which::Last) => vec![past],
    })
}

/// `next week on Friday`, `last week's Sunday`.
pub(super) fn weekday_of_week(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (which, end) = which(reader, at)?;
    if !reader.is(end, &["week", "week's"]) {
        return None;
    }
    let start = reader.skip_mark(end + 1, &[',']);
    let (day, end) = weekday_name(reader, reader.skip(start, &["on"]))?;
    if absolute_date(reader, end).is_some() {
        return Some(Hit::refused(end));
    }
    let week = move_by(reader, which, Grain::Week);
    Some(Hit::date(
        week.and_then(|week| weekday_in_week(week.date(), day)),
        end,
    ))
}

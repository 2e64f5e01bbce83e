//! A date and a time of day put together, in either order, or either alone.

use jiff::civil::Date;

use super::absolute;
use super::arithmetic::{add_days, shift, whole_day};
use super::clocks::{bare_hour, clock};
use super::hit::{Hit, Rule, Sense, longest};
use super::times::{Clock, Part, end_of_day, part_after, part_of_near_day};
use super::tokens::{Kind, Reader};
use super::weekdays::weekday_behind;
use super::{DateMeaning, Grain, offsets, phases, relative};

pub(super) const RULES: &[Rule] = &[date_first, clock_first, end_of_day_first];

/// A date without any time of day.
pub(super) fn date(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    [
        absolute::RULES,
        relative::RULES,
        offsets::RULES,
        phases::RULES,
    ]
    .into_iter()
    .filter_map(|rules| longest(rules, reader, at))
    .reduce(|best, hit| if hit.end > best.end { hit } else { best })
}

/// A date with the part of the day that goes with it.
pub(super) struct DayPart {
    pub(super) date: Hit,
    pub(super) part: Option<Part>,
    /// The part is of today: a clock beside it that has passed is not what was meant.
    pub(super) today: bool,
}

/// `Friday`, `Friday morning`, `tonight`, `12 May in the afternoon`.
pub(super) fn day_part(reader: &Reader<'_>, at: usize) -> Option<DayPart> {
    if let Some((part, days, end)) = part_of_near_day(reader, at) {
        let date = Hit::date(add_days(reader.today(), days), end);
        return Some(DayPart {
            date,
            part: Some(part),
            today: days == 0,
        });
    }
    let mut date = date(reader, at)?;
    if let Some((day, end)) =
        weekday_behind(reader, date.end).filter(|_| !date.candidates().is_empty())
    {
        let mut dates = date.candidates();
        dates.retain(|date| date.weekday() == day);
        date = Hit::dates(dates, end);
    }
    let mut part = None;
    if !date.candidates().is_empty()
        && let Some((found, end)) = part_after(reader, reader.skip_mark(date.end, &[',']))
    {
        part = Some(found);
        date.end = end;
    }
    Some(DayPart {
        date,
        part,
        today: false,
    })
}

/// A clock behind a date: `at 3`, `, 3pm`, `T15:00`.
fn clock_after(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    if reader.word(at) == "t" && reader.glued(at) && reader.glued(at + 1) {
        return clock(reader, at + 1);
    }
    let start = reader.skip_mark(at, &[',']);
    let (said, hour) = introduced(reader, start).unwrap_or((false, start));
    if let Some(found) = clock(reader, hour) {
        return Some(found);
    }
    let (found, end) = bare_hour(reader, hour).filter(|_| said)?;
    let closed = reader.is_closed(end) || part_after(reader, end).is_some() || found.elsewhere;
    closed.then_some((found, end))
}

/// Moves past `at`, `@`, `around`; says whether they make an hour of a bare number.
fn introduced(reader: &Reader<'_>, at: usize) -> Option<(bool, usize)> {
    if reader.mark(at, '@') {
        return Some((true, at + 1));
    }
    match reader.word(at) {
        "at" => Some((
            true,
            reader.skip(at + 1, &["around", "about", "exactly", "approximately"]),
        )),
        "around" | "about" => Some((true, at + 1)),
        "for" => Some((false, at + 1)),
        _ => None,
    }
}

fn date_first(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let DayPart {
        date,
        mut part,
        today,
    } = day_part(reader, at)?;
    let candidates = date.candidates();
    if candidates.is_empty() {
        return Some(date);
    }
    let mut end = date.end;
    let found = clock_after(reader, end);
    if let Some((_, after)) = found {
        end = after;
        if let Some((later, after)) = part_after(reader, after).filter(|_| part.is_none()) {
            part = Some(later);
            end = after;
        }
    }
    let mut clock = found.map(|(clock, _)| clock);
    if let Some((_, after)) = found.and_then(|_| another_hour(reader, end)) {
        // "Friday at 3 or 4": the day stands, the hour is open.
        (clock, part, end) = (None, None, after);
    }
    let [day] = candidates.as_slice() else {
        return Some(Hit { end, ..date });
    };
    Some(put_together(reader, *day, part, clock, today, end))
}

/// A second hour offered behind a first.
fn another_hour(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    let start = at + 1;
    if !reader.is(at, &["or", "and"]) {
        return None;
    }
    let start = reader.skip(start, &["at"]);
    let (found, end) = clock(reader, start)
        .or_else(|| bare_hour(reader, start).filter(|&(_, end)| reader.is_closed(end)))?;
    date(reader, reader.skip(end, &["on"]))
        .is_none()
        .then_some((found, end))
}

/// A day, perhaps a part of it, perhaps a clock.
pub(super) fn put_together(
    reader: &Reader<'_>,
    day: Date,
    part: Option<Part>,
    clock: Option<Clock>,
    today: bool,
    end: usize,
) -> Hit {
    match (clock, part) {
        (None, None) => Hit::new(whole_day(day), end),
        (None, Some(part)) => Hit::interval(part.on(day), Grain::Hour, end),
        (Some(clock), _) if clock.elsewhere => Hit::refused(end),
        (Some(clock), _) => match clock.settled(part) {
            Some(settled) if today && settled.on(day) < reader.reference => Hit::refused(end),
            Some(settled) => Hit::point(Some(settled.on(day)), settled.grain, end),
            // The day stands even where the hour may be either; with a part of the day named they contradict.
            None if part.is_none() => Hit::new(whole_day(day), end),
            None => Hit::refused(end),
        },
    }
}

/// `3pm`, `at 3`, `3pm on Friday`, `half past three tomorrow`.
fn clock_first(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (said, start) = introduced(reader, at).unwrap_or((false, at));
    if !reader.starts_cleanly(start) {
        return None;
    }
    let certain = clock(reader, start);
    let opens = at == 0 || matches!(reader.tokens[at - 1].kind, Kind::Mark(_) | Kind::Break);
    let (clock, mut end) = match certain {
        Some(found) => found,
        None if said || opens => bare_hour(reader, start)?,
        None => return None,
    };
    let mut part = None;
    if let Some((found, after)) = part_after(reader, end) {
        part = Some(found);
        end = after;
    }
    let comma = reader.skip_mark(end, &[',']);
    let on = reader.skip(comma, &["on", "of"]);
    if let Some(day) = day_part(reader, on).filter(|day| !day.date.candidates().is_empty())
        && (certain.is_some() || said || day.part.is_some())
    {
        let end = day.date.end;
        let Some(date) = day.date.only_day() else {
            return Some(day.date);
        };
        return Some(put_together(
            reader,
            date,
            part.or(day.part),
            Some(clock),
            day.today,
            end,
        ));
    }
    let believable = certain.is_some()
        || said && (part.is_some() || (reader.is_closed(end) && reader.ends_cleanly(end)));
    if !believable || reader.is_street(end) && certain.is_none() {
        return None;
    }
    Some(Hit {
        day_named: false,
        ..next_time(reader, part, clock, end)
    })
}

/// A clock without a day is today's, or tomorrow's once it has passed; but an hour that was only guessed
/// to be morning or afternoon is not guessed a second time.
fn next_time(reader: &Reader<'_>, part: Option<Part>, clock: Clock, end: usize) -> Hit {
    let Some(settled) = clock.settled(part).filter(|_| !clock.elsewhere) else {
        return Hit::refused(end);
    };
    let today = settled.on(reader.today());
    if today >= reader.reference {
        return Hit::point(Some(today), settled.grain, end);
    }
    let sure = clock.marked || part.is_some();
    Hit::point(
        shift(today, 1, Grain::Day).filter(|_| sure),
        settled.grain,
        end,
    )
}

/// `EOD Friday`, `end of day on the 12th`, `EOD`.
fn end_of_day_first(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let end = end_of_day(reader, at)?;
    let on = reader.skip(reader.skip_mark(end, &[',']), &["on", "of"]);
    if let Some(day) = date(reader, on).filter(|day| !day.candidates().is_empty()) {
        let end = day.end;
        return Some(match day.only_day() {
            Some(date) => put_together(reader, date, Some(Part::EndOfDay), None, false, end),
            None => day,
        });
    }
    // "at the end of the day" is a figure of speech more often than a time.
    if reader
        .phrases(at, &["end of the day", "the end of the day"])
        .is_some()
    {
        return None;
    }
    Some(put_together(
        reader,
        reader.today(),
        Some(Part::EndOfDay),
        None,
        false,
        end,
    ))
}

/// Whether a hit is a single moment or span that a bound can be taken from.
pub(super) fn is_known(hit: &Hit) -> bool {
    matches!(
        hit.sense,
        Sense::Means(DateMeaning::Point { .. } | DateMeaning::Interval { .. })
    )
}

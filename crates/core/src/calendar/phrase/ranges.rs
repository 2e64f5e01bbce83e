//! Spans with two ends (`from 13 to 15 July`, `Friday 9-11am`) and with one (`by Friday`, `after 5 May`).

use jiff::civil::{Date, DateTime};

use super::absolute::{day_number, month_name, on_day};
use super::arithmetic::{midnight, shift};
use super::clocks::{bare_hour, clock};
use super::hit::{Hit, Rule, Sense};
use super::moments::{day_part, is_known};
use super::times::{Clock, part_after};
use super::tokens::Reader;
use super::{DateMeaning, Direction, Grain, moments};

pub(super) const RULES: &[Rule] = &[days_of_a_month, two_moments, clock_span, open, open_behind];

/// What opens a span; says whether "and" may join its ends.
fn opening(reader: &Reader<'_>, at: usize) -> (bool, usize) {
    match reader.word(at) {
        "between" => (true, at + 1),
        "from" => (false, at + 1),
        "later" if reader.word(at + 1) == "than" => (false, at + 2),
        _ => (false, at),
    }
}

/// What joins the two ends of a span.
fn joint(reader: &Reader<'_>, at: usize, between: bool) -> Option<usize> {
    let mark = reader.skip_mark(at, &['-', '\u{2013}', '\u{2014}']);
    if mark > at {
        return Some(mark);
    }
    // ISO 8601 joins two timestamps with a slash.
    if reader.mark(at, '/') && reader.glued(at) && matches!(reader.digits(at + 1), Some((_, 4))) {
        return Some(at + 1);
    }
    let plain = reader.is(at, &["to", "till", "til", "until", "thru", "through"])
        || (between && reader.word(at) == "and");
    if plain {
        Some(at + 1)
    } else {
        reader.phrases(at, &["but before", "up to"])
    }
}

/// `13 to 15 July 2027`, `August 27th - 29th`.
fn days_of_a_month(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (between, start) = opening(reader, at);
    let day_at = |place: usize| day_number(reader, reader.skip(place, &["the"]));
    let (month, first, second, end) = if let Some((month, after)) = month_name(reader, start) {
        let (first, _, after) = day_at(after)?;
        let (second, _, end) = second_day(reader, joint(reader, after, between)?)?;
        (month, first, second, end)
    } else {
        let (first, _, after) = day_at(start)?;
        let (second, _, after) = second_day(reader, joint(reader, after, between)?)?;
        let (month, end) = month_name(reader, reader.skip(after, &["of"]))?;
        (month, first, second, end)
    };
    let first = on_day(reader, month, first, end)?;
    let second = on_day(reader, month, second, end)?;
    if month_name(reader, end).is_some() || reader.is(end, &["am", "pm"]) {
        return None;
    }
    Some(span_of_days(first.only_day(), second.only_day(), first.end))
}

/// A day that stands behind a hyphen, where a clean start cannot be asked for.
fn second_day(reader: &Reader<'_>, at: usize) -> Option<(i8, bool, usize)> {
    let at = reader.skip(at, &["the"]);
    if let Some(found) = day_number(reader, at) {
        return Some(found);
    }
    let (value, 1..=2) = reader.digits(at)? else {
        return None;
    };
    let day = i8::try_from(value)
        .ok()
        .filter(|day| (1..=31).contains(day))?;
    Some((day, false, reader.skip(at + 1, &["st", "nd", "rd", "th"])))
}

fn span_of_days(first: Option<Date>, last: Option<Date>, end: usize) -> Hit {
    let bounds = first.zip(last).filter(|(first, last)| first < last);
    let bounds = bounds
        .and_then(|(first, last)| Some((midnight(first), shift(midnight(last), 1, Grain::Day)?)));
    Hit::interval(bounds, Grain::Day, end)
}

/// `Aug 8 - Aug 12`, `Monday to Friday`, `tomorrow 3pm until Friday noon`.
fn two_moments(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (between, start) = opening(reader, at);
    let first = moments_at(reader, start)?;
    let after = joint(reader, first.end, between)?;
    let second = moments_at(reader, after)?;
    if !first.day_named || !second.day_named {
        return None;
    }
    let Some((from, grain)) = first.as_point() else {
        return Some(Hit::refused(second.end));
    };
    // "Monday to Friday" means the Friday after that Monday, "the 30th to the 2nd" the 2nd after that.
    let mut second = second;
    if second.as_point().is_none_or(|(to, _)| to <= from) {
        let later = Reader {
            tokens: reader.tokens,
            reference: from,
            order: reader.order,
            after_another: true,
        };
        second = moments_at(&later, after)?;
    }
    let Some((to, second_grain)) = second.as_point() else {
        return Some(Hit::refused(second.end));
    };
    if grain != second_grain && (is_clock(grain) != is_clock(second_grain) || !is_clock(grain)) {
        return Some(Hit::refused(second.end));
    }
    let finer = grain.max(second_grain);
    let end_moment = if is_clock(finer) {
        Some(to)
    } else {
        shift(to, 1, finer)
    };
    let bounds = end_moment.filter(|_| from < to).map(|to| (from, to));
    Some(Hit::interval(bounds, finer, second.end))
}

fn moments_at(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    super::hit::longest(moments::RULES, reader, at)
}

fn is_clock(grain: Grain) -> bool {
    matches!(grain, Grain::Hour | Grain::Minute | Grain::Second)
}

/// `9:30 - 11:00`, `from 3 to 4 in the afternoon`, with its day before or behind it.
fn clock_span(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let before = day_part(reader, at).filter(|day| !day.date.candidates().is_empty());
    let start = before
        .as_ref()
        .map_or(at, |day| reader.skip_mark(day.date.end, &[',']));
    let (between, hour_at) = opening(reader, reader.skip(start, &["at"]));
    let opened = hour_at > start;
    if before.is_none() && !reader.starts_cleanly(hour_at) {
        return None;
    }
    let (first, first_sure, after) = hour(reader, hour_at)?;
    let (second, second_sure, mut end) = hour(reader, joint(reader, after, between)?)?;
    let mut part = before.as_ref().and_then(|day| day.part);
    if let Some((found, after)) = part_after(reader, end) {
        part = Some(found);
        end = after;
    }
    let on = reader.skip(reader.skip_mark(end, &[',']), &["on"]);
    let behind =
        day_part(reader, on).filter(|day| before.is_none() && !day.date.candidates().is_empty());
    if let Some(behind) = &behind {
        end = behind.date.end;
        part = part.or(behind.part);
    }
    let day = before.or(behind);
    // Two bare numbers are hours only where a day or a part of one stands beside them and a word opens them.
    if !(first_sure
        || second_sure
        || part.is_some()
        || (opened && day.is_some() && reader.is_closed(end)))
    {
        return None;
    }
    if first.elsewhere || second.elsewhere || !reader.ends_cleanly(end) {
        return Some(Hit::refused(end));
    }
    let Some((first, second)) = settle_both(first, second, part) else {
        return Some(Hit::refused(end));
    };
    let day_named = day.is_some();
    let date = match day {
        Some(day) => day.date.only_day(),
        None if first.on(reader.today()) >= reader.reference => Some(reader.today()),
        None => {
            super::arithmetic::add_days(reader.today(), 1).filter(|_| first_sure && second_sure)
        }
    };
    let bounds = date.map(|date| (first.on(date), second.on(date)));
    Some(Hit {
        day_named,
        ..Hit::interval(bounds, first.grain.max(second.grain), end)
    })
}

/// A clock, or a number that stands where an hour would; says which.
fn hour(reader: &Reader<'_>, at: usize) -> Option<(Clock, bool, usize)> {
    if let Some((clock, end)) = clock(reader, at) {
        return Some((clock, true, end));
    }
    bare_hour(reader, at).map(|(clock, end)| (clock, false, end))
}

/// Settles the halves of the day of both ends: they share one unless that would turn the span around.
fn settle_both(
    first: Clock,
    second: Clock,
    part: Option<super::times::Part>,
) -> Option<(Clock, Clock)> {
    let halves = |clock: Clock| {
        let later = (!clock.marked).then(|| Clock {
            hour: clock.hour % 12 + 12,
            marked: true,
            ..clock
        });
        let earlier = Clock {
            hour: if clock.marked {
                clock.hour
            } else {
                clock.hour % 12
            },
            marked: true,
            ..clock
        };
        [Some(earlier), later].into_iter().flatten()
    };
    let (first, second) = if !first.marked && second.marked && part.is_none() {
        let nearest = halves(first).rfind(|clock| clock.minutes() < second.minutes())?;
        (nearest, second)
    } else {
        let first = first.settled(part)?;
        (
            first,
            halves(second).find(|clock| clock.minutes() > first.minutes())?,
        )
    };
    (first.minutes() < second.minutes()).then_some((first, second))
}

/// `by Friday`, `until Monday`, `after 5 May`, `not before 3pm`.
fn open(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    const BEFORE: &[&str] = &[
        "no later than",
        "not later than",
        "not after",
        "at the latest by",
        "up to",
        "up until",
        "by",
        "before",
        "until",
        "till",
        "til",
        "through",
    ];
    const AFTER: &[&str] = &[
        "no earlier than",
        "not earlier than",
        "not before",
        "not until",
        "not till",
        "anytime after",
        "any time after",
        "later than",
        "starting from",
        "starting",
        "as of",
        "as from",
        "after",
        "since",
        "from",
    ];
    let (direction, start) = match (reader.phrases(at, AFTER), reader.phrases(at, BEFORE)) {
        (Some(end), _) => (Direction::After, end),
        (None, Some(end)) => (Direction::Before, end),
        (None, None) => return None,
    };
    let start = reader.skip(start, &["around", "about"]);
    let hit = moments_at(reader, start).or_else(|| phase_with_article(reader, start))?;
    let first_counts = !reader.is(start - 1, &["after", "than"]) || direction == Direction::Before;
    Some(bound(hit, direction, first_counts))
}

/// `the EOY`: an article that the rules for a bare moment do not expect.
fn phase_with_article(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    (reader.word(at) == "the")
        .then(|| moments_at(reader, at + 1))
        .flatten()
}

/// The bound a moment makes. Of a span, "by" means its last unit, "from" its first, "after" its last.
fn bound(hit: Hit, direction: Direction, first_counts: bool) -> Hit {
    if !is_known(&hit) {
        return Hit::refused(hit.end);
    }
    let Hit {
        sense,
        end,
        day_named,
    } = hit;
    let (bound, grain): (Option<DateTime>, Grain) = match sense {
        Sense::Means(DateMeaning::Point { start, grain }) => (Some(start), grain),
        Sense::Means(DateMeaning::Interval { start, grain, .. })
            if direction == Direction::After && first_counts =>
        {
            (Some(start), grain)
        }
        Sense::Means(DateMeaning::Interval {
            start,
            end,
            grain: Grain::Hour,
        }) if end.time() == jiff::civil::Time::midnight() => {
            // "by the end of Friday" means that Friday, "by the weekend" the day it begins on, and
            // "after the weekend" the day it ends on.
            let last = direction == Direction::After;
            let day = if last {
                shift(end, -1, Grain::Day)
            } else {
                Some(midnight(start.date()))
            };
            (day, Grain::Day)
        }
        Sense::Means(DateMeaning::Interval { end, grain, .. }) => (shift(end, -1, grain), grain),
        _ => (None, Grain::Day),
    };
    match bound {
        Some(bound) => Hit {
            sense: Sense::Means(DateMeaning::Open {
                bound,
                grain,
                direction,
            }),
            end,
            day_named,
        },
        None => Hit::refused(end),
    }
}

/// `Friday at the latest`, `from 3pm onwards`, `the 12th or later`.
fn open_behind(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let hit = moments_at(reader, reader.skip(at, &["from"]))?;
    let before = reader.phrases(
        hit.end,
        &[
            "at the latest",
            "at latest",
            "or earlier",
            "or before",
            "or sooner",
            "latest",
        ],
    );
    let after = reader.phrases(
        hit.end,
        &[
            "at the earliest",
            "at earliest",
            "or later",
            "or after",
            "or thereafter",
            "onwards",
            "onward",
        ],
    );
    let (direction, end) = before
        .map(|end| (Direction::Before, end))
        .or(after.map(|end| (Direction::After, end)))?;
    Some(bound(Hit { end, ..hit }, direction, true))
}

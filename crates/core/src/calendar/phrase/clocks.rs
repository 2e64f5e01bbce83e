//! Clocks as they are written: `3pm`, `15:30`, `half past three`, `noon`.

use super::Grain;
use super::times::Clock;
use super::tokens::Reader;
use super::words::cardinal;

/// `am`, `pm`, `a.m.`, `in the PM`; a single glued letter where the caller allows it.
fn half(reader: &Reader<'_>, at: usize, letter: bool) -> Option<(bool, usize)> {
    let start = reader.phrase(at, "in the").unwrap_or(at);
    match reader.word(start) {
        "am" => Some((false, start + 1)),
        "pm" => Some((true, start + 1)),
        word @ ("a" | "p") if start == at => {
            let point =
                reader.mark(at + 1, '.') && reader.word(at + 2) == "m" && reader.glued(at + 2);
            let after = at + 3 + usize::from(reader.mark(at + 3, '.') && reader.glued(at + 3));
            if point {
                return Some((word == "p", after));
            }
            (letter && reader.glued(at) && reader.ends_cleanly(at + 1))
                .then_some((word == "p", at + 1))
        }
        _ => None,
    }
}

/// A clock that is recognisable as one by itself. Does not look at what is attached on either side.
pub(super) fn clock(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    let (clock, end) = named(reader, at)
        .or_else(|| past_or_to(reader, at))
        .or_else(|| numbered(reader, at))?;
    Some(with_zone(reader, clock, end))
}

fn with_zone(reader: &Reader<'_>, clock: Clock, end: usize) -> (Clock, usize) {
    const ZONES: &[&str] = &[
        "gmt", "utc", "cet", "cest", "est", "edt", "pst", "pdt", "cst", "cdt", "mst", "mdt", "bst",
        "ist", "aest", "aedt", "jst", "eet", "eest", "wet", "sgt", "hkt", "nzst", "nzdt",
    ];
    let offset = (reader.mark(end, '+') || reader.mark(end, '-'))
        && reader.glued(end)
        && clock.marked
        && matches!(reader.digits(end + 1), Some((_, 4)));
    let bracket = usize::from(reader.mark(end, '(') && reader.is(end + 1, ZONES));
    if bracket > 0 {
        return (
            Clock {
                elsewhere: true,
                ..clock
            },
            end + 2 + usize::from(reader.mark(end + 2, ')')),
        );
    }
    // "3pm London time", "10:00 your time".
    if reader.word(end + 1) == "time"
        && !reader.word(end).is_empty()
        && !reader.is(
            end,
            &[
                "local", "this", "that", "any", "some", "next", "last", "in", "on", "or", "and",
                "every", "each", "the", "what", "if",
            ],
        )
    {
        return (
            Clock {
                elsewhere: true,
                ..clock
            },
            end + 2,
        );
    }
    if reader.is(end, ZONES) || (reader.word(end) == "z" && reader.glued(end)) {
        return (
            Clock {
                elsewhere: true,
                ..clock
            },
            end + 1,
        );
    }
    if offset || (reader.mark(end, '+') && reader.glued(end)) {
        return (
            Clock {
                elsewhere: true,
                ..clock
            },
            end + 2,
        );
    }
    (clock, end)
}

fn named(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    let start = reader.skip(at, &["the"]);
    let noon = Clock::new(12, None, None)?.marked();
    match reader.word(start) {
        "noon" | "midday" => Some((noon, start + 1)),
        "mid" if reader.word(start + 1) == "day" => Some((noon, start + 2)),
        "midnight" => Some((
            Clock {
                elsewhere: true,
                ..noon
            },
            start + 1,
        )),
        _ => None,
    }
}

/// `half past three`, `a quarter to 4pm`, `15 minutes past noon`, `20 to 2`.
fn past_or_to(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    let start = reader.skip(at, &["a"]);
    let (minutes, end, sure) = match reader.word(start) {
        "half" => (30, start + 1, true),
        "quarter" => (15, start + 1, true),
        _ => {
            let (value, end) =
                cardinal(reader, at).filter(|&(value, _)| (1..60).contains(&value))?;
            let said = reader.is(end, &["minutes", "minute", "mins", "min"]);
            (value, end + usize::from(said), said)
        }
    };
    let before = match reader.word(end) {
        "past" => false,
        "after" if sure => false,
        "to" | "till" => true,
        "before" if sure => true,
        _ => return None,
    };
    let hour_at = end + 1;
    let (hour, end) = match named(reader, hour_at).or_else(|| numbered(reader, hour_at)) {
        Some((clock, end)) if clock.grain == Grain::Hour || reader.is(end - 1, &["h"]) => {
            (clock, end)
        }
        Some(_) => return None,
        // "5 to 10" is a span of numbers, "5 past 10" is a clock.
        None if !before || sure => {
            let (hour, end) =
                cardinal(reader, hour_at).filter(|&(hour, _)| (1..=12).contains(&hour))?;
            (Clock::new(hour, None, None)?, end)
        }
        None => return None,
    };
    // "10 to 3pm" may be a span of hours; only numbers that cannot be hours, or rounder words, are minutes.
    if before && !sure && minutes <= 12 {
        return None;
    }
    let total = i32::from(hour.hour) * 60
        + if before {
            -i32::try_from(minutes).ok()?
        } else {
            i32::try_from(minutes).ok()?
        };
    let total = if total < 60 && !hour.marked {
        total + 12 * 60
    } else {
        total
    };
    let (hour_part, minute) = (
        i8::try_from(total.rem_euclid(24 * 60) / 60).ok()?,
        i8::try_from(total.rem_euclid(60)).ok()?,
    );
    Some((
        Clock {
            hour: hour_part,
            minute,
            grain: Grain::Minute,
            ..hour
        },
        end,
    ))
}

/// `3pm`, `3:15`, `3.15 pm`, `330 p.m.`, `15h30`, `three o'clock`.
fn numbered(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    let Some((value, digits)) = reader.digits(at) else {
        let (hour, end) = cardinal(reader, at).filter(|&(hour, _)| (1..=12).contains(&hour))?;
        return hour_alone(reader, Clock::new(hour, None, None)?, end, false);
    };
    let two_digits = |place: usize| {
        reader
            .digits(place)
            .filter(|&(_, digits)| digits == 2 && reader.glued(place))
            .map(|(value, _)| value)
    };
    if digits > 2 {
        let clock = Clock::new(value / 100, Some(value % 100), None)?;
        let (afternoon, end) = half(reader, at + 1, false)?;
        return Some((clock.halved(afternoon)?, end));
    }
    let padded = reader.tokens.get(at)?.text.starts_with('0');
    if reader.mark(at + 1, ':') && reader.glued(at + 1) {
        let minute = two_digits(at + 2)?;
        let second = (reader.mark(at + 3, ':') && reader.glued(at + 3))
            .then(|| two_digits(at + 4))
            .flatten();
        let mut end = at + 3 + if second.is_some() { 2 } else { 0 };
        let mut clock = Clock::new(value, Some(minute), second)?;
        clock.marked |= padded;
        // Fractions of a second carry nothing that a person means.
        if second.is_some()
            && reader.mark(end, '.')
            && reader.glued(end + 1)
            && reader.digits(end + 1).is_some()
        {
            end += 2;
        }
        return hour_alone(reader, clock, end, true).or(Some((clock, end)));
    }
    if reader.mark(at + 1, '.')
        && reader.glued(at + 1)
        && let Some(minute) = two_digits(at + 2)
    {
        let (afternoon, end) = half(reader, at + 3, false)?;
        return Some((
            Clock::new(value, Some(minute), None)?.halved(afternoon)?,
            end,
        ));
    }
    if reader.word(at + 1) == "h" && reader.glued(at + 1) {
        let minute = two_digits(at + 2);
        let mut clock = Clock::new(value, Some(minute.unwrap_or(0)), None)?.marked();
        // "15h" alone may be fifteen hours of work.
        let said = minute.is_some()
            || matches!(reader.word_before(at), "at" | "past" | "to")
            || reader.tokens.get(at + 2).is_none();
        clock.elsewhere = !said;
        return Some((clock, at + 2 + usize::from(minute.is_some())));
    }
    hour_alone(reader, Clock::new(value, None, None)?, at + 1, false)
}

/// The words that make a clock of an hour: am, pm, o'clock.
fn hour_alone(
    reader: &Reader<'_>,
    clock: Clock,
    end: usize,
    minutes: bool,
) -> Option<(Clock, usize)> {
    let plain = reader.skip(end, &["o'clock", "oclock", "ish"]);
    let letter = minutes
        || matches!(
            reader.word_before(end - 1),
            "from" | "to" | "between" | "until"
        );
    if let Some((afternoon, after)) = half(reader, plain, letter) {
        let ish = reader.skip_mark(after, &['-']);
        let after = if reader.word(ish) == "ish" && reader.glued(ish) {
            ish + 1
        } else {
            after
        };
        return Some((clock.halved(afternoon)?, after));
    }
    reader
        .is(end, &["o'clock", "oclock"])
        .then_some((clock, plain))
}

/// A bare number that only the words around it make an hour: the 3 of "Friday at 3".
pub(super) fn bare_hour(reader: &Reader<'_>, at: usize) -> Option<(Clock, usize)> {
    let (hour, end) = cardinal(reader, at)?;
    if matches!(reader.digits(at), Some((_, 3..))) || hour == 0 {
        return None;
    }
    Some(with_zone(reader, Clock::new(hour, None, None)?, end))
}

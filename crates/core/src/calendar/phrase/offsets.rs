//! Durations counted from the message or from another date: `in two weeks`, `a week from Friday`.

use jiff::civil::DateTime;

use super::arithmetic::{add_days, floor, midnight, shift, weekday_after};
use super::hit::{Hit, Rule};
use super::relative::anchor;
use super::tokens::Reader;
use super::words::{Unit, cardinal, unit, weekday};
use super::{DateMeaning, Direction, Grain};

pub(super) const RULES: &[Rule] = &[
    in_duration,
    from_now,
    from_anchor,
    day_beside,
    weekdays_from_now,
    week_of,
];

/// A length of time: so many of a grain.
#[derive(Clone, Copy)]
struct Duration {
    count: i64,
    grain: Grain,
}

impl Duration {
    /// How exactly a moment this far away is meant: "in two weeks" names a day, "in an hour" a minute.
    /// "In ten days" names a day too, not the hour at which the message happened to be written.
    fn precision(self) -> Grain {
        match self.grain {
            Grain::Year => Grain::Month,
            Grain::Quarter | Grain::Month | Grain::Week | Grain::Day => Grain::Day,
            Grain::Hour => Grain::Minute,
            Grain::Minute | Grain::Second => Grain::Second,
        }
    }

    fn from(self, moment: DateTime, sign: i64) -> Option<DateTime> {
        let moved = shift(moment, self.count.checked_mul(sign)?, self.grain)?;
        floor(moved, self.precision())
    }
}

/// `two weeks`, `a fortnight`, `half an hour`, `2.5 hours`, `a couple of days`.
fn duration(reader: &Reader<'_>, at: usize) -> Option<(Duration, usize)> {
    let at = reader.skip(
        at,
        &[
            "about",
            "around",
            "roughly",
            "approximately",
            "exactly",
            "another",
        ],
    );
    if let Some(end) = reader.phrases(at, &["half an hour", "half hour"]) {
        return Some((
            Duration {
                count: 30,
                grain: Grain::Minute,
            },
            end,
        ));
    }
    let (count, end) =
        if let Some(end) = reader.phrases(at, &["a couple of", "a couple", "a pair of"]) {
            (2, end)
        } else if reader.is(at, &["a", "an"]) {
            (1, at + 1)
        } else {
            cardinal(reader, at).filter(|_| reader.starts_cleanly(at))?
        };
    if reader.mark(end, '.')
        && let (Some((5, 1)), "hours") = (reader.digits(end + 1), reader.word(end + 2))
    {
        let count = i64::from(count) * 60 + 30;
        return Some((
            Duration {
                count,
                grain: Grain::Minute,
            },
            end + 3,
        ));
    }
    let end = reader.skip(end, &["more"]);
    let Unit { grain, times } = unit(reader.word(end).trim_end_matches("'s"))?;
    Some((
        Duration {
            count: i64::from(count) * times,
            grain,
        },
        end + 1,
    ))
}

/// The duration goes on in a way that changes it: "an hour and a half", "a week or two".
fn goes_on(reader: &Reader<'_>, end: usize) -> bool {
    let joined = reader.is(end, &["or", "and", "to"])
        || reader.mark(end, '-')
        || reader.mark(end, '\u{2013}');
    joined
        && (reader.is(
            end + 1,
            &[
                "a", "an", "half", "more", "couple", "longer", "possibly", "maybe",
            ],
        ) || (cardinal(reader, end + 1).is_some() && unit(reader.word(end + 2)).is_some())
            || (reader.is(end, &["or"]) && cardinal(reader, end + 1).is_some()))
}

/// What stands before the duration makes it a bound or half of a choice: "2 or 3 weeks ago", "over a year ago".
fn is_bounded(reader: &Reader<'_>, at: usize) -> bool {
    matches!(
        reader.word_before(at),
        "or" | "to"
            | "than"
            | "over"
            | "least"
            | "most"
            | "nearly"
            | "almost"
            | "under"
            | "every"
            | "maximum"
            | "minimum"
            | "once"
            | "twice"
            | "times"
            | "days"
            | "hours"
            | "nights"
            | "per"
    )
}

/// `in two weeks`, `in a week's time`, `within 10 days`.
fn in_duration(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let within = reader.word(at) == "within";
    if !within && reader.word(at) != "in" {
        return None;
    }
    let (duration, mut end) = duration(reader, at + 1)?;
    if reader.mark(end, '\'') || reader.mark(end, '\u{2019}') {
        end = reader.phrase(end + 1, "time").unwrap_or(end);
    } else {
        end = reader.skip(end, &["time"]);
    }
    end = reader
        .phrases(end, &["from now", "from today"])
        .unwrap_or(end);
    if !reader.ends_cleanly(end) || goes_on(reader, end) {
        return Some(Hit::refused(end));
    }
    // "within two weeks of the repair", "in a week from Friday" count from elsewhere.
    if reader.is(end, &["of", "from", "after", "before"]) {
        return Some(Hit::refused(end + 1));
    }
    let start = duration.from(reader.reference, 1);
    let grain = duration.precision();
    Some(match start {
        Some(bound) if within => Hit::new(
            DateMeaning::Open {
                bound,
                grain,
                direction: Direction::Before,
            },
            end,
        ),
        _ => Hit::point(start, grain, end),
    })
}

/// `two weeks from now`, `three months hence`, `7 days ago`.
fn from_now(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (duration, end) = duration(reader, at)?;
    let (sign, end) = if reader.is(end, &["ago"]) {
        (-1, end + 1)
    } else if reader.is(end, &["hence"]) {
        (1, end + 1)
    } else {
        (
            1,
            reader.phrases(
                end,
                &[
                    "from now",
                    "from right now",
                    "from today",
                    "from this moment",
                ],
            )?,
        )
    };
    if is_bounded(reader, at) || !reader.ends_cleanly(end) {
        return Some(Hit::refused(end));
    }
    Some(Hit::point(
        duration.from(reader.reference, sign),
        duration.precision(),
        end,
    ))
}

/// `a week from Friday`, `3 days after Easter`, `two weeks before 12 May`.
fn from_anchor(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (duration, end) = duration(reader, at)?;
    let (sign, start) = match reader.word(end) {
        "from" | "after" | "on" => (1, end + 1),
        "before" => (-1, end + 1),
        // "a week today", "two weeks tomorrow", "a week Friday".
        word if duration.grain == Grain::Week
            && (matches!(word, "today" | "tomorrow") || weekday(word).is_some()) =>
        {
            (1, end)
        }
        _ => return None,
    };
    let named = anchor(reader, start)?;
    let dates = named.candidates();
    // A year after a date without a year may count from the last such date or the next.
    let counts_days = matches!(
        duration.grain,
        Grain::Day | Grain::Week | Grain::Month | Grain::Quarter
    );
    // "for a week on Friday" and "three days on Monday" may be lengths; only "a week on Friday" is a date.
    let length = reader.word(end) == "on"
        && !(duration.grain == Grain::Week && duration.count <= 2)
        || reader.word_before(at) == "for";
    if dates.is_empty() || !counts_days || length || is_bounded(reader, at) {
        return Some(Hit::refused(named.end));
    }
    let moved = dates
        .into_iter()
        .filter_map(|date| shift(midnight(date), duration.count * sign, duration.grain));
    Some(Hit::dates(
        moved.map(|moment| moment.date()).collect(),
        named.end,
    ))
}

/// `the day after Friday`, `the day before the 12th`. A week beside a date may begin anywhere.
fn day_beside(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let unit = reader.word(at + 1);
    if reader.word(at) != "the"
        || !matches!(
            unit,
            "day" | "week" | "weekend" | "month" | "night" | "morning"
        )
    {
        return None;
    }
    let days = match reader.word(at + 2) {
        "after" | "following" => 1,
        "before" => -1,
        _ => return None,
    };
    let Some(named) = anchor(reader, at + 3) else {
        // "the day after" hangs on something said elsewhere; "the week after next" has its own rule.
        return (unit == "day" && !reader.is(at + 3, &["next", "last"]))
            .then(|| Hit::refused(at + 3));
    };
    let dates = named.candidates().into_iter().filter(|_| unit == "day");
    Some(Hit::dates(
        dates.filter_map(|date| add_days(date, days)).collect(),
        named.end,
    ))
}

/// `3 Fridays from now`.
fn weekdays_from_now(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let (count, end) = cardinal(reader, at).filter(|_| reader.starts_cleanly(at))?;
    let (day, _) = weekday(reader.word(end).strip_suffix('s')?)?;
    let end = reader.phrase(end + 1, "from now")?;
    let first = weekday_after(reader.today(), day)?;
    let later = i64::from(count)
        .checked_sub(1)
        .filter(|_| count > 0 && !is_bounded(reader, at));
    Some(Hit::date(
        later.and_then(|weeks| add_days(first, weeks * 7)),
        end,
    ))
}

/// `the week of 7 October`, `week commencing Monday`.
fn week_of(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let start = reader.skip(at, &["the"]);
    // A weekend may be named by either of its days, or by one near it.
    if let Some(of) = reader.phrase(start, "weekend of") {
        return anchor(reader, of).map(|named| Hit::refused(named.end));
    }
    if reader.word(start) != "week"
        || !reader.is(start + 1, &["of", "commencing", "beginning", "starting"])
    {
        return None;
    }
    let named = anchor(reader, start + 2)?;
    let monday = named
        .only_day()
        .and_then(|date| floor(midnight(date), Grain::Week));
    (!named.candidates().is_empty()).then(|| Hit::point(monday, Grain::Week, named.end))
}

//! Checked steps on the civil calendar; everything here answers `None` beyond the calendar's ends.

use jiff::Span;
use jiff::civil::{Date, DateTime, Time, Weekday};

use super::{DateMeaning, Grain};

/// The first moment of a day.
pub(super) fn midnight(date: Date) -> DateTime {
    date.to_datetime(Time::midnight())
}

/// A point of day grain.
pub(super) fn whole_day(date: Date) -> DateMeaning {
    DateMeaning::Point {
        start: midnight(date),
        grain: Grain::Day,
    }
}

pub(super) fn add_days(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(days).ok()?).ok()
}

/// Moves by a number of units. Months keep the day where the month has it, else take its last.
pub(super) fn shift(from: DateTime, count: i64, grain: Grain) -> Option<DateTime> {
    let span = Span::new();
    let span = match grain {
        Grain::Year => span.try_years(count),
        Grain::Quarter => span.try_months(count.checked_mul(3)?),
        Grain::Month => span.try_months(count),
        Grain::Week => span.try_weeks(count),
        Grain::Day => span.try_days(count),
        Grain::Hour => span.try_hours(count),
        Grain::Minute => span.try_minutes(count),
        Grain::Second => span.try_seconds(count),
    };
    from.checked_add(span.ok()?).ok()
}

/// The first moment of the unit that a moment lies in. Weeks begin on Monday (ISO 8601).
pub(super) fn floor(moment: DateTime, grain: Grain) -> Option<DateTime> {
    let date = moment.date();
    let (hour, minute, second) = (moment.hour(), moment.minute(), moment.second());
    Some(match grain {
        Grain::Year => midnight(Date::new(date.year(), 1, 1).ok()?),
        Grain::Quarter => midnight(Date::new(date.year(), (date.month() - 1) / 3 * 3 + 1, 1).ok()?),
        Grain::Month => midnight(date.first_of_month()),
        Grain::Week => midnight(add_days(
            date,
            -i64::from(date.weekday().to_monday_zero_offset()),
        )?),
        Grain::Day => midnight(date),
        Grain::Hour => date.at(hour, 0, 0, 0),
        Grain::Minute => date.at(hour, minute, 0, 0),
        Grain::Second => date.at(hour, minute, second, 0),
    })
}

/// The first such weekday strictly after a date.
pub(super) fn weekday_after(date: Date, weekday: Weekday) -> Option<Date> {
    let distance = i64::from(date.weekday().until(weekday));
    add_days(date, if distance == 0 { 7 } else { distance })
}

/// The last such weekday strictly before a date.
pub(super) fn weekday_before(date: Date, weekday: Weekday) -> Option<Date> {
    let distance = i64::from(weekday.until(date.weekday()));
    add_days(date, if distance == 0 { -7 } else { -distance })
}

/// The weekday within the ISO week that begins on a Monday.
pub(super) fn weekday_in_week(monday: Date, weekday: Weekday) -> Option<Date> {
    add_days(monday, i64::from(weekday.to_monday_zero_offset()))
}

/// How many days before the message a date without a year may lie and still be meant as past:
/// "on 10 January", written on 20 January, speaks of ten days ago at least as often as of next year.
const RECENT_DAYS: i64 = 31;

/// The dates that a day and month without a year may mean, most likely first; empty if there is no such day.
pub(super) fn without_year(today: Date, month: i8, day: i8) -> Vec<Date> {
    // Eight years always hold a 29 February, also around a century that has none.
    let in_year = |offset: i16| Date::new(today.year().checked_add(offset)?, month, day).ok();
    let next = (0..=8).filter_map(in_year).find(|&date| date >= today);
    let previous = (-8..=0)
        .rev()
        .filter_map(in_year)
        .find(|&date| date < today);
    let recent = previous.filter(|&date| days_between(date, today) <= RECENT_DAYS);
    recent.into_iter().chain(next).collect()
}

/// Whole days from one date to a later one.
pub(super) fn days_between(from: Date, to: Date) -> i64 {
    from.until(to)
        .map_or(i64::MAX, |span| i64::from(span.get_days()))
}

/// Gregorian Easter Sunday, by the anonymous algorithm (Meeus, Astronomical Algorithms, chapter 8).
pub(super) fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y.rem_euclid(19), y.div_euclid(100), y.rem_euclid(100));
    let (d, e) = (b / 4, b % 4);
    let f = (b + 8) / 25;
    let g = (b - f + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let sum = h + l - 7 * m + 114;
    Date::new(
        year,
        i8::try_from(sum / 31).ok()?,
        i8::try_from(sum % 31 + 1).ok()?,
    )
    .ok()
}

//! When a person may be written to: quiet hours, working days and holidays, on their own clock.

use jiff::{
    Timestamp,
    civil::{Date, Time, Weekday},
    tz::TimeZone,
};
use serde::{Deserialize, Serialize};

/// The part of each day in which nobody is written to. It may span midnight; when both ends are
/// the same there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    /// Its beginning, inclusive.
    #[serde(with = "clock_time")]
    pub from: Time,
    /// Its end, exclusive.
    #[serde(with = "clock_time")]
    pub until: Time,
}

impl Default for QuietHours {
    /// From eight in the evening to eight in the morning.
    fn default() -> Self {
        Self {
            from: Time::constant(20, 0, 0, 0),
            until: Time::constant(8, 0, 0, 0),
        }
    }
}

/// What decides when a person may be written to.
#[derive(Clone, Debug)]
pub struct Hours<'a> {
    /// The clock that they live by.
    pub zone: TimeZone,
    /// Their quiet hours.
    pub quiet: Option<QuietHours>,
    /// The days of the week that are left alone.
    pub weekend: &'a [Weekday],
    /// Further days that are left alone: those of everybody, and those of the person's country.
    pub holidays: [&'a [Date]; 2],
}

impl Hours<'_> {
    fn is_holiday(&self, day: Date) -> bool {
        self.holidays.iter().any(|days| days.contains(&day))
    }

    fn every_day_is_the_same(&self) -> bool {
        self.weekend.is_empty() && self.holidays.iter().all(|days| days.is_empty())
    }
}

/// Whether a person may be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Yes, until then; none when it never ends.
    Open {
        /// The first instant at which that may change.
        until: Option<Timestamp>,
    },
    /// No, until then.
    Closed {
        /// The first instant that is open.
        until: Timestamp,
        /// Why not.
        why: Closure,
    },
}

/// Why a person may not be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closure {
    /// It is the quiet part of the day.
    QuietHours,
    /// It is the weekend.
    Weekend,
    /// It is a holiday.
    Holiday,
}

/// Says whether `now` is open. The answer stays the same until the instant that it names.
pub fn opening(hours: &Hours<'_>, now: Timestamp) -> Opening {
    /// Two boundaries a day for a little over a year: no list of holidays is longer, and the loop
    /// must end for one that is.
    const MOST_BOUNDARIES: usize = 900;

    let (closure, mut boundary) = state_at(hours, now);
    let Some(why) = closure else {
        return Opening::Open { until: boundary };
    };
    for _ in 0..MOST_BOUNDARIES {
        let Some(at) = boundary else { break };
        match state_at(hours, at) {
            (None, _) => return Opening::Closed { until: at, why },
            (Some(_), next) => boundary = next,
        }
    }
    Opening::Closed {
        until: boundary.unwrap_or(Timestamp::MAX),
        why,
    }
}

/// Whether `at` is closed, and the next instant at which that may be different.
fn state_at(hours: &Hours<'_>, at: Timestamp) -> (Option<Closure>, Option<Timestamp>) {
    let local = hours.zone.to_datetime(at);
    let quiet = hours.quiet.filter(|quiet| quiet.from != quiet.until);
    let closed_day = day_closure(hours, local.date());

    let in_quiet = quiet.is_some_and(|quiet| {
        let time = local.time();
        if quiet.from < quiet.until {
            quiet.from <= time && time < quiet.until
        } else {
            quiet.from <= time || time < quiet.until
        }
    });
    let closure = closed_day.or(in_quiet.then_some(Closure::QuietHours));
    if quiet.is_none() && hours.every_day_is_the_same() {
        return (closure, None);
    }

    // The next point on the wall clock at which something begins or ends.
    let midnight = local.date().tomorrow().map(|day| day.at(0, 0, 0, 0)).ok();
    let next_local = [quiet.map(|q| q.from), quiet.map(|q| q.until)]
        .into_iter()
        .flatten()
        .map(|time| local.date().to_datetime(time))
        .filter(|point| *point > local)
        .chain(midnight)
        .min();
    let Some(next_local) = next_local else {
        return (closure, None);
    };

    // Counted on with the offset of `at`. If the zone changes its offset before then, the change
    // itself is the boundary: between two changes the wall clock runs evenly.
    let offset = hours.zone.to_offset(at);
    let Ok(next) = offset.to_timestamp(next_local) else {
        return (closure, None);
    };
    let changes = hours.zone.to_offset(next) != offset;
    let boundary = if changes {
        hours
            .zone
            .following(at)
            .next()
            .map_or(next, |change| change.timestamp().min(next))
    } else {
        next
    };
    (closure, Some(boundary))
}

fn day_closure(hours: &Hours<'_>, day: Date) -> Option<Closure> {
    if hours.is_holiday(day) {
        Some(Closure::Holiday)
    } else if hours.weekend.contains(&day.weekday()) {
        Some(Closure::Weekend)
    } else {
        None
    }
}

mod clock_time {
    use jiff::civil::Time;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&time.strftime("%H:%M"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Time, D::Error> {
        let text = String::deserialize(deserializer)?;
        Time::strptime("%H:%M", &text).map_err(|_| {
            serde::de::Error::custom(format!("{text:?} is not a time of day like 20:00"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn hours(zone: &str) -> Hours<'static> {
        Hours {
            zone: TimeZone::get(zone).expect("a zone"),
            quiet: Some(QuietHours::default()),
            weekend: &[],
            holidays: [&[], &[]],
        }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[rstest]
    #[case::an_evening("Europe/Paris", "2026-12-01T21:00:00Z", "2026-12-02T07:00:00Z")]
    #[case::after_midnight("Europe/Paris", "2026-12-02T02:00:00Z", "2026-12-02T07:00:00Z")]
    // Clocks go forward on 29 March 2026 at 01:00 UTC: the night is an hour shorter.
    #[case::the_short_night("Europe/Paris", "2026-03-28T20:00:00Z", "2026-03-29T06:00:00Z")]
    // Clocks go back on 25 October 2026 at 01:00 UTC: it is an hour longer.
    #[case::the_long_night("Europe/Paris", "2026-10-24T20:00:00Z", "2026-10-25T07:00:00Z")]
    // Lord Howe moves by half an hour, on 4 October 2026 at 15:30 UTC the day before.
    #[case::half_an_hour("Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-03T21:00:00Z")]
    fn a_night_ends_at_eight_on_the_persons_own_clock(
        #[case] zone: &str,
        #[case] now: &str,
        #[case] until: &str,
    ) {
        assert_eq!(
            opening(&hours(zone), at(now)),
            Opening::Closed {
                until: at(until),
                why: Closure::QuietHours
            }
        );
    }

    #[test]
    fn quiet_hours_end_when_the_gap_swallows_their_end() {
        // 02:30 does not exist on 29 March 2026 in Paris; the first later moment is 03:00.
        let mut hours = hours("Europe/Paris");
        hours.quiet = Some(QuietHours {
            from: Time::constant(22, 0, 0, 0),
            until: Time::constant(2, 30, 0, 0),
        });
        assert_eq!(
            opening(&hours, at("2026-03-29T00:00:00Z")),
            Opening::Closed {
                until: at("2026-03-29T01:00:00Z"),
                why: Closure::QuietHours
            }
        );
    }

    #[test]
    fn weekends_and_holidays_join_into_one_pause() {
        let holidays = [Date::constant(2026, 12, 25)];
        let hours = Hours {
            weekend: crate::calendar::SATURDAY_AND_SUNDAY,
            holidays: [&holidays, &[]],
            ..hours("UTC")
        };
        // Thursday the 24th, in the evening, to Monday the 28th, in the morning.
        assert_eq!(
            opening(&hours, at("2026-12-24T22:00:00Z")),
            Opening::Closed {
                until: at("2026-12-28T08:00:00Z"),
                why: Closure::QuietHours
            }
        );
    }

    #[test]
    fn a_week_without_a_working_day_is_given_up_looking_for() {
        let hours = Hours {
            weekend: &[
                Weekday::Monday,
                Weekday::Tuesday,
                Weekday::Wednesday,
                Weekday::Thursday,
                Weekday::Friday,
                Weekday::Saturday,
                Weekday::Sunday,
            ],
            ..hours("UTC")
        };
        let now = at("2026-12-24T10:00:00Z");
        assert!(matches!(opening(&hours, now), Opening::Closed { until, .. } if until > now));
    }

    #[test]
    fn an_open_moment_says_when_it_ends() {
        assert_eq!(
            opening(&hours("UTC"), at("2026-12-01T12:00:00Z")),
            Opening::Open {
                until: Some(at("2026-12-01T20:00:00Z"))
            }
        );
    }
}

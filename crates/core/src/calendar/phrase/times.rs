//! Times of day: what a clock means, and the parts of a day (`in the morning`).

use jiff::civil::{Date, DateTime};

use super::Grain;
use super::arithmetic::{add_days, midnight};
use super::tokens::Reader;

/// A time of day as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) second: i8,
    pub(super) grain: Grain,
    /// The half of the day is certain: am or pm was said, or the 24-hour clock was used.
    pub(super) marked: bool,
    /// It names a moment that this reader cannot place: another time zone, or a midnight that may
    /// begin or end its day.
    pub(super) elsewhere: bool,
}

impl Clock {
    pub(super) fn new(hour: u32, minute: Option<u32>, second: Option<u32>) -> Option<Self> {
        let grain = match (minute, second) {
            (_, Some(_)) => Grain::Second,
            (Some(_), None) => Grain::Minute,
            (None, None) => Grain::Hour,
        };
        let (minute, second) = (minute.unwrap_or(0), second.unwrap_or(0));
        let small = |value: u32, limit: u32| i8::try_from(value).ok().filter(|_| value < limit);
        let (hour, minute, second) = (small(hour, 24)?, small(minute, 60)?, small(second, 60)?);
        Some(Self {
            hour,
            minute,
            second,
            grain,
            marked: hour > 12 || hour == 0,
            elsewhere: false,
        })
    }

    pub(super) fn marked(self) -> Self {
        Self {
            marked: true,
            ..self
        }
    }

    /// Applies am or pm; `None` where they contradict ("15 am").
    pub(super) fn halved(self, afternoon: bool) -> Option<Self> {
        let hour = match (self.hour, afternoon) {
            (0..=12, false) => self.hour % 12,
            (1..=12, true) => self.hour % 12 + 12,
            (13.., true) => self.hour,
            _ => return None,
        };
        Some(Self {
            hour,
            ..self.marked()
        })
    }

    pub(super) fn on(self, date: Date) -> DateTime {
        date.at(self.hour, self.minute, self.second, 0)
    }

    /// Minutes since midnight, for comparing two clocks.
    pub(super) fn minutes(self) -> i32 {
        i32::from(self.hour) * 60 + i32::from(self.minute)
    }

    /// With the half of the day settled by the part of it that was named, or by what people mean:
    /// one to six are afternoons, nine to eleven mornings, twelve is noon. Seven and eight may be breakfast or
    /// dinner, so `None`.
    pub(super) fn settled(self, part: Option<Part>) -> Option<Self> {
        let Some(part) = part else {
            return match self.hour {
                _ if self.marked => Some(self),
                1..=6 => self.halved(true),
                9..=12 => Some(self.marked()),
                _ => None,
            };
        };
        let clock = match (self.marked, part, self.hour) {
            (true, ..) => self,
            (_, Part::Morning | Part::EarlyMorning, 1..=11) => self.marked(),
            (_, Part::Lunch, 11 | 12) => self.marked(),
            (_, Part::Lunch, 1 | 2) | (_, Part::Afternoon, 1..=6) | (_, Part::Evening, 5..=11) => {
                self.halved(true)?
            }
            (_, Part::Night | Part::LateNight, 6..=11) => self.halved(true)?,
            _ => return None,
        };
        let (from, to) = part.hours();
        // "in the evening" begins at five for some.
        (clock.hour + 1 >= from && clock.hour <= to).then_some(clock)
    }
}

/// A part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    EarlyMorning,
    Morning,
    Lunch,
    Afternoon,
    Evening,
    Night,
    LateNight,
    EndOfDay,
}

impl Part {
    /// First hour and exclusive last hour; 24 is the end of the day.
    fn hours(self) -> (i8, i8) {
        match self {
            Self::EarlyMorning => (0, 9),
            Self::Morning => (0, 12),
            Self::Lunch => (12, 14),
            Self::Afternoon => (12, 19),
            Self::Evening | Self::Night => (18, 24),
            Self::LateNight => (21, 24),
            Self::EndOfDay => (17, 24),
        }
    }

    pub(super) fn on(self, date: Date) -> Option<(DateTime, DateTime)> {
        let (from, to) = self.hours();
        let end = if to == 24 {
            midnight(add_days(date, 1)?)
        } else {
            date.at(to, 0, 0, 0)
        };
        Some((date.at(from, 0, 0, 0), end))
    }
}

fn part_word(word: &str) -> Option<Part> {
    Some(match word {
        "morning" => Part::Morning,
        "lunch" | "lunchtime" => Part::Lunch,
        "afternoon" | "afternoonish" => Part::Afternoon,
        "evening" => Part::Evening,
        "night" => Part::Night,
        "eod" | "cob" => Part::EndOfDay,
        _ => return None,
    })
}

/// A part of the day behind a day or a clock: `morning`, `in the afternoon`, `at lunch`, `EOD`.
pub(super) fn part_after(reader: &Reader<'_>, at: usize) -> Option<(Part, usize)> {
    if let Some(end) = reader.phrases(at, &["early in the morning", "early morning"]) {
        return Some((Part::EarlyMorning, end));
    }
    if let Some(end) = end_of_day(reader, at) {
        return Some((Part::EndOfDay, end));
    }
    let start = reader
        .phrases(at, &["in the", "in", "at", "during the"])
        .unwrap_or(at);
    let part = part_word(reader.word(start))?;
    reader.ends_cleanly(start + 1).then_some((part, start + 1))
}

/// `end of day`, `close of business`.
pub(super) fn end_of_day(reader: &Reader<'_>, at: usize) -> Option<usize> {
    reader.phrases(
        at,
        &[
            "end of the day",
            "end of day",
            "end of business",
            "close of business",
            "close of play",
            "the end of the day",
            "eod",
            "cob",
        ],
    )
}

/// A part of a day that needs no other day beside it: `tonight`, `this morning`, `last night`.
/// The number says how many days from the message it lies.
pub(super) fn part_of_near_day(reader: &Reader<'_>, at: usize) -> Option<(Part, i64, usize)> {
    let start = reader.skip(at, &["late", "early"]);
    let (part, days, end) = if reader.is(start, &["tonight", "tonite"]) {
        (Part::Night, 0, start + 1)
    } else if let Some(end) = reader.phrase(start, "last night") {
        (Part::Night, -1, end)
    } else if reader.word(start) == "this" {
        (part_word(reader.word(start + 1))?, 0, start + 2)
    } else {
        return None;
    };
    let part = match (reader.word(at), part) {
        ("late", Part::Night | Part::Evening) => Part::LateNight,
        ("early", Part::Morning) => Part::EarlyMorning,
        ("late" | "early", _) => return None,
        _ => part,
    };
    Some((part, days, end))
}

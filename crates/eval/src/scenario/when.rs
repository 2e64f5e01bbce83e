//! When a step happens, as people say it.

use jiff::{
    Span, Timestamp,
    civil::{DateTime, Time, Weekday},
    tz::TimeZone,
};
use liaison_core::conversation::MessageKind;
use std::str::FromStr;

/// When something happens.
#[derive(Clone, Debug)]
pub enum When {
    /// At the same instant as the step before: no time is given.
    AtOnce,
    /// On this day at this time: `2027-03-01 09:00`.
    On(DateTime),
    /// Later than the step before: `+3d`, `+2 days 18:00`, `18:00`.
    Later {
        /// By how much; days and weeks by the calendar.
        span: Span,
        /// At which time of that day.
        clock: Option<Time>,
    },
    /// On the next such day after the step before: `thursday 09:00`.
    NextWeekday(Weekday, Time),
    /// Later than something that happens by itself: `2 days after the first question, 18:00`.
    After {
        /// By how much.
        span: Span,
        /// After what.
        anchor: Anchor,
        /// At which time of that day.
        clock: Option<Time>,
    },
}

/// Something that happens by itself: the second reminder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Of which kind; none for any message.
    pub kind: Option<MessageKind>,
    /// Which of them.
    pub which: Which,
}

/// Which of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first is 0.
    Nth(usize),
    /// The latest at the time of the step before.
    Last,
}

/// A message to the person that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Happening {
    /// Of which kind.
    pub kind: MessageKind,
    /// When.
    pub at: Timestamp,
}

impl When {
    /// The instant, when the step before it happened at `before`; none as long as what it waits for
    /// has not happened.
    pub fn instant(
        &self,
        before: Timestamp,
        zone: &TimeZone,
        happened: &[Happening],
    ) -> Result<Option<Timestamp>, jiff::Error> {
        let later = |from: Timestamp, span: Span, clock: Option<Time>| {
            let mut at = from.to_zoned(zone.clone()).checked_add(span)?;
            if let Some(clock) = clock {
                at = at.with().time(clock).build()?;
            }
            Ok::<_, jiff::Error>(at.timestamp())
        };
        Ok(Some(match self {
            Self::AtOnce => before,
            Self::On(local) => zone.to_ambiguous_timestamp(*local).compatible()?,
            Self::Later { span, clock } => later(before, *span, *clock)?,
            Self::NextWeekday(day, clock) => {
                let date = zone.to_datetime(before).date().nth_weekday(1, *day)?;
                zone.to_ambiguous_timestamp(date.to_datetime(*clock))
                    .compatible()?
            }
            Self::After {
                span,
                anchor,
                clock,
            } => {
                let mut fitting = happened
                    .iter()
                    .filter(|message| anchor.kind.is_none_or(|kind| kind == message.kind));
                let found = match anchor.which {
                    Which::Nth(place) => fitting.nth(place),
                    Which::Last => fitting.next_back(),
                };
                match found {
                    Some(message) => later(message.at, *span, *clock)?,
                    None => return Ok(None),
                }
            }
        }))
    }
}

/// The text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is no time; use one like 2027-03-01 09:00, +3d, +2 days 18:00, 18:00, thursday 09:00, or \
     2 days after the first question, 18:00 (question, reminder, reply or message)"
)]
pub struct WhenFault;

impl FromStr for When {
    type Err = WhenFault;

    fn from_str(text: &str) -> Result<Self, WhenFault> {
        let text = text.trim().to_lowercase();
        let (rest, clock) = clock_at_end(&text);
        if let Some((span, anchor)) = rest.split_once(" after the ") {
            return Ok(Self::After {
                span: read_span(span)?,
                anchor: read_anchor(anchor)?,
                clock,
            });
        }
        if let Some(span) = rest.strip_prefix('+') {
            return Ok(Self::Later {
                span: read_span(span)?,
                clock,
            });
        }
        match (rest, clock) {
            ("", Some(_)) => Ok(Self::Later {
                span: Span::new(),
                clock,
            }),
            (rest, Some(clock)) => match read_weekday(rest) {
                Some(day) => Ok(Self::NextWeekday(day, clock)),
                None => rest
                    .parse::<jiff::civil::Date>()
                    .map(|date| Self::On(date.to_datetime(clock)))
                    .map_err(|_| WhenFault),
            },
            _ => Err(WhenFault),
        }
    }
}

/// Cuts a time of day from the end, and the comma before it.
fn clock_at_end(text: &str) -> (&str, Option<Time>) {
    let (rest, last) = match text.rsplit_once(' ') {
        Some((rest, last)) => (rest, last),
        None => ("", text),
    };
    let read = |format| Time::strptime(format, last).ok();
    match read("%H:%M").or_else(|| read("%H:%M:%S")) {
        Some(clock) => (rest.trim().trim_end_matches(',').trim(), Some(clock)),
        None => (text, None),
    }
}

fn read_span(text: &str) -> Result<Span, WhenFault> {
    let span: Span = text.trim().parse().map_err(|_| WhenFault)?;
    // What happens after something cannot happen before it.
    match span.is_negative() {
        true => Err(WhenFault),
        false => Ok(span),
    }
}

fn read_anchor(text: &str) -> Result<Anchor, WhenFault> {
    const ORDINALS: [&str; 10] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    let (which, kind) = text.trim().split_once(' ').ok_or(WhenFault)?;
    let which = match ORDINALS.iter().position(|ordinal| *ordinal == which) {
        Some(place) => Which::Nth(place),
        None if which == "last" => Which::Last,
        None => return Err(WhenFault),
    };
    let kind = match kind.trim() {
        "question" => Some(MessageKind::Ask),
        "reminder" => Some(MessageKind::FollowUp),
        "reply" => Some(MessageKind::Reply),
        "message" => None,
        _ => return Err(WhenFault),
    };
    Ok(Anchor { kind, which })
}

fn read_weekday(text: &str) -> Option<Weekday> {
    let day = match text {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    };
    Some(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2027-03-01 09:00", Some("2027-03-01T09:00:00Z"))]
    #[case("+3d", Some("2027-03-29T20:30:00Z"))]
    #[case("+1 day 18:00", Some("2027-03-27T18:00:00Z"))]
    // The clocks go forward on the 28th: a day by the calendar has 23 hours.
    #[case("+2 days 18:00", Some("2027-03-28T17:00:00Z"))]
    #[case("+48h", Some("2027-03-28T21:30:00Z"))]
    #[case("23:59:30", Some("2027-03-26T23:59:30Z"))]
    #[case("Thursday 09:00", Some("2027-04-01T08:00:00Z"))]
    #[case("2 days after the first question, 18:05", Some("2027-03-03T18:05:00Z"))]
    #[case("1h after the last message", Some("2027-03-08T11:00:00Z"))]
    #[case("1h after the second reminder", None)]
    fn a_time_is_read_as_people_say_it(#[case] text: &str, #[case] expected: Option<&str>) {
        let zone = TimeZone::get("Europe/London").expect("a zone");
        let before: Timestamp = "2027-03-26T21:30:00Z".parse().expect("an instant");
        let happened = [
            (MessageKind::Ask, "2027-03-01T10:00:00Z"),
            (MessageKind::FollowUp, "2027-03-08T10:00:00Z"),
        ];
        let happened = happened.map(|(kind, at)| Happening {
            kind,
            at: at.parse().expect("an instant"),
        });
        let when: When = text.parse().expect("a time");
        let instant = when
            .instant(before, &zone, &happened)
            .expect("there is one");
        let expected = expected.map(|at| at.parse().expect("an instant"));
        assert_eq!(instant, expected);
    }

    #[rstest]
    #[case("soon")]
    #[case("+")]
    #[case("+-3d")]
    #[case("2 days ago after the first question")]
    #[case("2 days after the zeroth question")]
    #[case("2 days after the first meal")]
    #[case("2027-03-01")]
    #[case("someday 09:00")]
    #[case("25:00")]
    fn what_is_no_time_is_refused(#[case] text: &str) {
        assert_eq!(text.parse::<When>().err(), Some(WhenFault));
    }
}

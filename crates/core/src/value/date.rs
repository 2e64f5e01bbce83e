//! `date`.

use super::{Candidate, KindRules, ReadContext, SpecFault, Value, ValueFault, cues::Cues, words};
use crate::calendar::phrase::{self, DateMeaning, Direction, Grain};
use jiff::civil;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::ops::Range;

/// A calendar day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateKind {
    /// The first day that is acceptable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earliest: Option<jiff::civil::Date>,
    /// The last day that is acceptable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<jiff::civil::Date>,
}

impl KindRules for DateKind {
    fn validate(&self) -> Result<(), SpecFault> {
        match (self.earliest, self.latest) {
            (Some(earliest), Some(latest)) if earliest > latest => Err(SpecFault::new(
                "earliest",
                format!("{earliest} is after latest, {latest}; no day is acceptable"),
            )),
            _ => Ok(()),
        }
    }

    fn schema(&self, _context: &ReadContext<'_>) -> serde_json::Value {
        // The form of the text is said in words: `format` and patterns are refused by some servers.
        json!({
            "anyOf": [
                { "type": "string", "description": "YYYY-MM-DD" },
                { "type": "null" }
            ]
        })
    }

    fn read(
        &self,
        proposed: &serde_json::Value,
        _context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        match proposed {
            serde_json::Value::Null => Ok(None),
            serde_json::Value::String(text) => day(text)
                .map(|day| Some(Value::Date(day)))
                .ok_or_else(|| ValueFault(format!("{text:?} is no day of the form YYYY-MM-DD"))),
            _ => Err(ValueFault(
                "a date value is a string of the form YYYY-MM-DD, or null".to_owned(),
            )),
        }
    }

    fn find(&self, text: &str, context: &ReadContext<'_>) -> Vec<Candidate> {
        mentions(text, context)
            .into_iter()
            .flat_map(|mention| {
                mention.days.into_iter().map(move |day| Candidate {
                    span: mention.span.clone(),
                    value: Value::Date(day),
                })
            })
            .collect()
    }

    fn must_be_found(&self) -> bool {
        true
    }

    fn is_relative(&self, value: &Value, text: &str, context: &ReadContext<'_>) -> bool {
        /// No weekday, `tomorrow` or `the 3rd of next month` means the same day this much earlier,
        /// and a day and month that are named do, but around the turn of a year.
        const EARLIER: i64 = 40;
        let Ok(written_at) = context
            .written_at
            .checked_sub(jiff::Span::new().days(EARLIER))
        else {
            return true;
        };
        let earlier = ReadContext {
            written_at,
            ..*context
        };
        !self
            .find(text, &earlier)
            .iter()
            .any(|found| found.value == *value)
    }

    fn check(&self, value: &Value) -> Result<(), ValueFault> {
        let Value::Date(day) = value else {
            return Err(ValueFault::not_a("date", value));
        };
        match (self.earliest, self.latest) {
            (Some(earliest), _) if *day < earliest => Err(ValueFault(format!(
                "{} is before {}, the first acceptable day",
                value.plain(),
                Value::Date(earliest).plain()
            ))),
            (_, Some(latest)) if *day > latest => Err(ValueFault(format!(
                "{} is after {}, the last acceptable day",
                value.plain(),
                Value::Date(latest).plain()
            ))),
            _ => Ok(()),
        }
    }

    fn show(&self, value: &Value) -> String {
        value.plain()
    }

    fn hint(&self) -> Option<String> {
        let say = |day| Value::Date(day).plain();
        match (self.earliest, self.latest) {
            (Some(earliest), Some(latest)) => {
                Some(format!("a day from {} to {}", say(earliest), say(latest)))
            }
            (Some(earliest), None) => Some(format!("a day from {}", say(earliest))),
            (None, Some(latest)) => Some(format!("a day up to {}", say(latest))),
            (None, None) => None,
        }
    }
}

/// A day in the form of the forms, `YYYY-MM-DD` and nothing else.
pub(crate) fn day(text: &str) -> Option<civil::Date> {
    let figures = text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| match i {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
    figures.then(|| text.parse().ok()).flatten()
}

/// The days from which something is so (`free from 19 April`), each where it stands behind the words
/// that make it a beginning.
pub(crate) fn beginnings(text: &str, context: &ReadContext<'_>) -> Vec<Candidate> {
    let reading = phrase::Reading {
        reference: context.written_at,
        order: context.order,
    };
    phrase::find_dates(text, &reading)
        .into_iter()
        .filter(|found| found.day_named)
        .filter_map(|found| {
            let DateMeaning::Open {
                bound,
                grain,
                direction: Direction::After,
            } = found.meaning
            else {
                return None;
            };
            let words = words::words(&text[found.span.clone()]);
            let begins = BEGINNINGS.starts(&words)?;
            let day = words.get(begins)?;
            (grain >= Grain::Day).then(|| Candidate {
                span: found.span.start + day.span.start..found.span.end,
                value: Value::Date(bound.date()),
            })
        })
        .collect()
}

/// Words that make the day behind them the first one. `After` does not count that day, and `since`
/// tells of the past.
pub(crate) static BEGINNINGS: Cues = Cues::new("starting from, starting, as of, as from, from");

/// Whether a question asks for the day from which something is so.
pub(crate) fn asks_from(question: &str) -> bool {
    let words = words::words(question);
    ASKS_FROM.among(&words) || FROM.ends(&words)
}

static FROM: Cues = Cues::new("from");

static ASKS_FROM: Cues = Cues::new(
    "from which day, from which date, from what day, from what date, from when, starting when,
     starting from, starting which, as of when, as of which, as from",
);

/// Words that are about time, and what they mean.
pub(crate) struct Mention {
    /// Where they stand.
    pub(crate) span: Range<usize>,
    /// The one day that they name; several when they can be read in several ways; none when they
    /// name no day (`next week`, `3 hours`).
    pub(crate) days: Vec<civil::Date>,
    /// The last day that they could mean, also when that is the end of a week or a month.
    pub(crate) until: Option<civil::Date>,
}

/// Everything about time in `text`.
pub(crate) fn mentions(text: &str, context: &ReadContext<'_>) -> Vec<Mention> {
    let reading = phrase::Reading {
        reference: context.written_at,
        order: context.order,
    };
    phrase::find_dates(text, &reading)
        .into_iter()
        .map(|found| {
            let (mut days, until) = meant(&found.meaning);
            if !found.day_named {
                // `At 3pm` says no day.
                days.clear();
            }
            Mention {
                span: found.span,
                days,
                until,
            }
        })
        .collect()
}

/// The days that are named, and the last that is meant.
fn meant(meaning: &DateMeaning) -> (Vec<civil::Date>, Option<civil::Date>) {
    match meaning {
        DateMeaning::Point { start, grain } if *grain >= Grain::Day => {
            (vec![start.date()], Some(start.date()))
        }
        DateMeaning::Point { start, grain } => (Vec::new(), last_day(start.date(), *grain)),
        DateMeaning::Interval { start, end, .. } => {
            let last = end
                .checked_sub(jiff::Span::new().nanoseconds(1))
                .map_or(end.date(), civil::DateTime::date);
            let days = if last == start.date() {
                vec![last]
            } else {
                Vec::new()
            };
            (days, Some(last))
        }
        DateMeaning::Open {
            bound,
            direction: Direction::Before,
            ..
        } => (Vec::new(), Some(bound.date())),
        DateMeaning::Open { .. } => (Vec::new(), None),
        DateMeaning::Ambiguous(days) => (days.clone(), None),
    }
}

/// The last day of the unit that begins on `first`.
pub(crate) fn last_day(first: civil::Date, grain: Grain) -> Option<civil::Date> {
    let length = match grain {
        Grain::Year => jiff::Span::new().years(1),
        Grain::Quarter => jiff::Span::new().months(3),
        Grain::Month => jiff::Span::new().months(1),
        Grain::Week => jiff::Span::new().weeks(1),
        Grain::Day | Grain::Hour | Grain::Minute | Grain::Second => return Some(first),
    };
    first.checked_add(length).ok()?.yesterday().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::testing::context;
    use jiff::civil::date;
    use rstest::rstest;

    #[rstest]
    #[case("The 5th of May 2027 at 10 suits me", &[date(2027, 5, 5)])]
    #[case("tomorrow morning", &[date(2027, 5, 4)])]
    #[case("sometime next week", &[])]
    #[case("after 5 May", &[])]
    #[case("at 3pm", &[])]
    #[case("on 03/04/2027", &[date(2027, 4, 3), date(2027, 3, 4)])]
    fn only_a_day_that_is_named_is_found(#[case] text: &str, #[case] expected: &[civil::Date]) {
        let mut found: Vec<_> = DateKind::default()
            .find(text, &context())
            .into_iter()
            .map(|candidate| candidate.value)
            .collect();
        let mut expected: Vec<_> = expected.iter().map(|day| Value::Date(*day)).collect();
        found.sort_by_key(|value| format!("{value:?}"));
        expected.sort_by_key(|value| format!("{value:?}"));
        assert_eq!(found, expected, "{text}");
    }

    #[rstest]
    #[case("next week", Some(date(2027, 5, 16)))]
    #[case("by Friday", Some(date(2027, 5, 7)))]
    #[case("in June", Some(date(2027, 6, 30)))]
    #[case("after 5 May", None)]
    fn a_mention_knows_the_last_day_that_it_could_mean(
        #[case] text: &str,
        #[case] until: Option<civil::Date>,
    ) {
        let found = mentions(text, &context());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].until, until);
    }

    #[test]
    fn a_day_is_shown_with_month_year_and_weekday() {
        let value = Value::Date(date(2027, 5, 5));
        let shown = DateKind::default().show(&value);
        assert_eq!(shown, "Wednesday 5 May 2027");
        let found = DateKind::default().find(&shown, &context());
        assert_eq!(found.first().map(|found| &found.value), Some(&value));
    }

    #[test]
    fn bounds_are_checked_and_said() {
        let kind = DateKind {
            earliest: Some(date(2027, 5, 5)),
            latest: Some(date(2027, 5, 7)),
        };
        kind.validate().unwrap();
        assert!(kind.check(&Value::Date(date(2027, 5, 5))).is_ok());
        assert!(kind.check(&Value::Date(date(2027, 5, 8))).is_err());
        assert!(kind.check(&Value::Date(date(2027, 5, 4))).is_err());
        assert!(kind.check(&Value::Boolean(true)).is_err());
        assert_eq!(
            kind.hint().unwrap(),
            "a day from Wednesday 5 May 2027 to Friday 7 May 2027"
        );
        let empty = DateKind {
            earliest: kind.latest,
            latest: kind.earliest,
        };
        assert_eq!(empty.validate().unwrap_err().field, "earliest");
    }

    #[rstest]
    #[case(json!("2027-02-29"), None)]
    #[case(json!("2028-02-29"), Some(date(2028, 2, 29)))]
    #[case(json!("2027-05-05T10:00"), None)]
    #[case(json!("5 May"), None)]
    #[case(json!(20270505), None)]
    fn a_proposed_day_has_exactly_one_form(
        #[case] proposed: serde_json::Value,
        #[case] expected: Option<civil::Date>,
    ) {
        let read = DateKind::default().read(&proposed, &context());
        assert_eq!(read.ok().flatten(), expected.map(Value::Date));
        assert_eq!(DateKind::default().read(&json!(null), &context()), Ok(None));
    }
}

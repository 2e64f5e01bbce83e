//! What a rule answers.

use jiff::civil::{Date, DateTime};

use super::arithmetic::whole_day;
use super::{DateMeaning, Grain};

/// What a rule made of the words it covers.
#[derive(Clone, Debug)]
pub(super) enum Sense {
    Means(DateMeaning),
    /// These words speak of time, but they contradict themselves, are no such date, or mean something
    /// that cannot be told: nothing inside them may be taken for a date of its own.
    Refused,
}

/// A rule's answer, with the place of the first token after it.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) sense: Sense,
    pub(super) end: usize,
    /// The words say which day, or which days; a lone time of day does not.
    pub(super) day_named: bool,
}

/// A rule: looks at one place and says whether its kind of expression begins there.
pub(super) type Rule = fn(&super::tokens::Reader<'_>, usize) -> Option<Hit>;

impl Hit {
    pub(super) fn new(meaning: DateMeaning, end: usize) -> Self {
        Self {
            sense: Sense::Means(meaning),
            end,
            day_named: true,
        }
    }

    pub(super) fn refused(end: usize) -> Self {
        Self {
            sense: Sense::Refused,
            end,
            day_named: true,
        }
    }

    /// One date, several, or (if arithmetic found none) a refusal.
    pub(super) fn dates(mut dates: Vec<Date>, end: usize) -> Self {
        dates.dedup();
        match dates.as_slice() {
            [] => Self::refused(end),
            [date] => Self::new(whole_day(*date), end),
            _ => Self::new(DateMeaning::Ambiguous(dates), end),
        }
    }

    pub(super) fn date(date: Option<Date>, end: usize) -> Self {
        Self::dates(date.into_iter().collect(), end)
    }

    pub(super) fn point(start: Option<DateTime>, grain: Grain, end: usize) -> Self {
        match start {
            Some(start) => Self::new(DateMeaning::Point { start, grain }, end),
            None => Self::refused(end),
        }
    }

    pub(super) fn interval(bounds: Option<(DateTime, DateTime)>, grain: Grain, end: usize) -> Self {
        match bounds {
            Some((start, end_moment)) if start < end_moment => Self::new(
                DateMeaning::Interval {
                    start,
                    end: end_moment,
                    grain,
                },
                end,
            ),
            _ => Self::refused(end),
        }
    }

    /// The days it may mean, if it means days.
    pub(super) fn candidates(&self) -> Vec<Date> {
        match &self.sense {
            Sense::Means(DateMeaning::Point {
                start,
                grain: Grain::Day,
            }) => vec![start.date()],
            Sense::Means(DateMeaning::Ambiguous(dates)) => dates.clone(),
            _ => Vec::new(),
        }
    }

    /// The one day it means, if it means exactly one.
    pub(super) fn only_day(&self) -> Option<Date> {
        match self.candidates().as_slice() {
            [date] => Some(*date),
            _ => None,
        }
    }

    /// The start and grain of a single moment.
    pub(super) fn as_point(&self) -> Option<(DateTime, Grain)> {
        match self.sense {
            Sense::Means(DateMeaning::Point { start, grain }) => Some((start, grain)),
            _ => None,
        }
    }
}

/// The answer that covers most; of equals, the one whose rule stands first.
pub(super) fn longest(
    rules: &[Rule],
    reader: &super::tokens::Reader<'_>,
    at: usize,
) -> Option<Hit> {
    rules
        .iter()
        .filter_map(|rule| rule(reader, at))
        .reduce(|best, hit| if hit.end > best.end { hit } else { best })
}

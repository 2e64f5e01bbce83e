//! Finds the dates and times that a person wrote in an English message, and says what they mean
//! relative to that message's own date.
//!
//! It is conservative: refusing costs one question, being wrong costs the person. Words that contradict
//! themselves ("Monday 3 May" when that is a Tuesday) are refused whole; words with several meanings are
//! answered with all of them; two expressions that touch without a word between them are refused both,
//! since together they mean something that neither says. It sees words, not sentences: whether a date is
//! asked about, denied or past is for the caller to judge.
//!
//! A text becomes tokens; at each token every rule of a table is tried and the one that
//! covers most wins. Everything is pure and bounded.

mod absolute;
mod arithmetic;
mod clocks;
mod hit;
mod holidays;
mod lists;
mod moments;
mod numeric;
mod offsets;
mod phases;
mod ranges;
mod relative;
mod times;
mod tokens;
mod weekdays;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

use jiff::civil::{Date, DateTime};

use hit::{Hit, Rule, Sense, longest};
use tokens::{Kind, Reader, tokenize};

/// One date expression found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// Byte range in the text, on character boundaries.
    pub span: Range<usize>,
    /// What the words mean.
    pub meaning: DateMeaning,
    /// Whether the words say which day. "At 3pm" does not: its day is assumed to be the next one on which
    /// that time comes, which is no answer to the question which day.
    pub day_named: bool,
}

/// What a date expression means, in wall-clock time where the message was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DateMeaning {
    /// A single calendar moment: the start of one unit of the grain ("12 May", "next week", "3pm").
    Point {
        /// Where that unit begins.
        start: DateTime,
        /// How exactly it was said.
        grain: Grain,
    },
    /// A span ("between the 3rd and the 5th", "this weekend", "tomorrow morning", "end of May").
    Interval {
        /// Its first moment.
        start: DateTime,
        /// The first moment after it.
        end: DateTime,
        /// How exactly its ends were said.
        grain: Grain,
    },
    /// A bound on one side ("by Friday", "until Monday", "after 5 May", "within two weeks").
    Open {
        /// The start of the moment that was named: Friday for "by Friday" and for "before Friday"; of a
        /// span its last unit for "by" ("by the end of May": 31 May).
        bound: DateTime,
        /// How exactly the bound was said.
        grain: Grain,
        /// On which side of the bound the time lies.
        direction: Direction,
    },
    /// It names a day, but there are several that it may mean ("03/04" in an unknown order, "next Friday"
    /// said on a Tuesday, "10 January" written on 20 January). At least two, most likely first.
    Ambiguous(Vec<Date>),
}

/// How exactly a moment is said, from coarse to fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    /// "In 2028".
    Year,
    /// "Next quarter".
    Quarter,
    /// "In May".
    Month,
    /// "Next week". Weeks begin on Monday.
    Week,
    /// "On Friday".
    Day,
    /// "At 3pm".
    Hour,
    /// "At 15:30".
    Minute,
    /// "In one minute".
    Second,
}

/// The side of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Up to the bound.
    Before,
    /// From the bound on.
    After,
}

/// The order in which a person writes a numeric day and month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DayMonthOrder {
    /// `5/12` is 5 December.
    DayFirst,
    /// `5/12` is May 12.
    MonthFirst,
    /// `5/12` is ambiguous, `15/12` is not.
    Unknown,
}

impl DayMonthOrder {
    /// The order that a policy names, if it names one: whether the day comes first.
    pub fn of(day_first: Option<bool>) -> Self {
        match day_first {
            Some(true) => Self::DayFirst,
            Some(false) => Self::MonthFirst,
            None => Self::Unknown,
        }
    }
}

/// What a text is read relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The wall clock where and when the message was written.
    pub reference: DateTime,
    /// The writer's order of day and month.
    pub order: DayMonthOrder,
}

/// Texts are read up to this many bytes: a message that a person typed is shorter, and what lies beyond is
/// a pasted document whose dates answer nothing.
const READ_BYTES: usize = 20_000;

/// At each place the one that covers most wins; of equals, the earlier.
const TABLES: [&[Rule]; 3] = [lists::RULES, ranges::RULES, moments::RULES];

/// Every date expression in a text, left to right, without overlaps; where several begin at one place, the
/// longest. Texts over 20,000 bytes are read to that length.
pub fn find_dates(text: &str, reading: &Reading) -> Vec<DateMention> {
    let text = &text[..text.floor_char_boundary(READ_BYTES)];
    let tokens = tokenize(text);
    let mut reader = Reader {
        tokens: &tokens,
        reference: reading.reference,
        order: reading.order,
        after_another: false,
    };
    let mut hits: Vec<(usize, Hit)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match hit_at(&reader, at) {
            Some(hit) if hit.end > at && hit.end <= tokens.len() => {
                let end = hit.end;
                reader.after_another = true;
                hits.push((at, hit));
                at = end;
            }
            _ => at += 1,
        }
    }
    let alone = |index: usize| {
        let before = index.checked_sub(1).map(|before| (before, index));
        let after = (index + 1 < hits.len()).then_some((index, index + 1));
        !before
            .into_iter()
            .chain(after)
            .any(|(left, right)| belong_together(&reader, &hits[left], &hits[right]))
    };
    (0..hits.len())
        .filter(|&index| alone(index))
        .filter_map(|index| {
            let (start, hit) = &hits[index];
            let Sense::Means(meaning) = &hit.sense else {
                return None;
            };
            Some(DateMention {
                span: tokens.get(*start)?.span.start..tokens.get(hit.end.checked_sub(1)?)?.span.end,
                meaning: meaning.clone(),
                day_named: hit.day_named,
            })
        })
        .collect()
}

/// Whether two neighbours mean something together that neither says alone: they touch ("Friday in two
/// weeks"), or are the halves of a choice of which one could not be read ("tomorrow or the day after").
fn belong_together(reader: &Reader<'_>, left: &(usize, Hit), right: &(usize, Hit)) -> bool {
    let (gap_start, gap_end) = (left.1.end, right.0);
    let refused = |hit: &Hit| matches!(hit.sense, Sense::Refused);
    gap_start == gap_end
        || (gap_start + 1 == gap_end
            && reader.word(gap_start) == "or"
            && (refused(&left.1) || refused(&right.1)))
}

/// The expression that begins at a place, refused if something is attached to it on either side.
fn hit_at(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let begins = match reader.tokens.get(at)?.kind {
        Kind::Word => words::may_begin(reader.word(at)),
        Kind::Number { .. } | Kind::Mark('@') => true,
        Kind::Mark(_) | Kind::Break | Kind::Address => false,
    };
    if begins { tried(reader, at) } else { None }
}

/// Every rule tried at a place.
fn tried(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let hit = TABLES
        .iter()
        .filter_map(|rules| longest(rules, reader, at))
        .reduce(|best, hit| if hit.end > best.end { hit } else { best })?;
    let clean = reader.starts_cleanly(at) && reader.ends_cleanly(hit.end);
    Some(if clean { hit } else { Hit::refused(hit.end) })
}

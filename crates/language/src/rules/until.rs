//! The day by which a sentence says that something will happen.

use super::scan::Sentence;
use jiff::{Span, civil};
use liaison_core::{
    calendar::phrase::{self, DateMeaning, Direction, Grain},
    form::ReadRequest,
};

/// The last day that the first time in the sentence can mean; none without a time, or when it can
/// mean several days.
pub(super) fn last_day(request: &ReadRequest, sentence: &Sentence<'_>) -> Option<civil::Date> {
    let reading = phrase::Reading {
        reference: sentence.of.written_at,
        order: request.context(sentence.index).order,
    };
    phrase::find_dates(sentence.text, &reading)
        .into_iter()
        .find_map(|mention| match mention.meaning {
            DateMeaning::Point { start, grain } => last_of(start.date(), grain),
            DateMeaning::Interval { start, end, .. } => {
                let last = end.checked_sub(Span::new().nanoseconds(1)).ok()?;
                (last >= start).then(|| last.date())
            }
            DateMeaning::Open {
                bound,
                direction: Direction::Before,
                ..
            } => Some(bound.date()),
            // `After Friday` names no end, and of several days none can be taken.
            DateMeaning::Open { .. } | DateMeaning::Ambiguous(_) => None,
        })
}

/// The last day of the unit that begins on `first`.
fn last_of(first: civil::Date, grain: Grain) -> Option<civil::Date> {
    let length = match grain {
        Grain::Year => Span::new().years(1),
        Grain::Quarter => Span::new().months(3),
        Grain::Month => Span::new().months(1),
        Grain::Week => Span::new().weeks(1),
        Grain::Day | Grain::Hour | Grain::Minute | Grain::Second => return Some(first),
    };
    first.checked_add(length).ok()?.yesterday().ok()
}

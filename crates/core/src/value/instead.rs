//! A value that stands in the place of a denied one: `not on 22 May but on 24 May`.

use super::{Candidate, cues::Cues, words};
use std::ops::Range;

/// The value among `found`, all of the sentence at `sentence` of `text`, that is named in the place
/// of others which a clause before it denies. None when it is not plain that it is meant so: beside
/// it nothing may stand but the words that place it (`make it Friday`, `but on 24 May`).
pub fn instead<'f>(
    text: &str,
    sentence: &Range<usize>,
    found: &'f [Candidate],
) -> Option<&'f Candidate> {
    let within = |clause: &Range<usize>, candidate: &Candidate| {
        clause.start <= candidate.span.start && candidate.span.end <= clause.end
    };
    let clauses: Vec<(Range<usize>, Vec<&Candidate>)> = words::clauses(text, sentence.clone())
        .into_iter()
        .map(|clause| {
            let own = found.iter().filter(|one| within(&clause, one)).collect();
            (clause, own)
        })
        .collect();
    let placed: usize = clauses.iter().map(|(_, own)| own.len()).sum();
    let mut holding = clauses.iter().filter(|(_, own)| !own.is_empty());
    let ((denied, out), (clause, meant)) = (holding.next()?, holding.next()?);
    if holding.next().is_some() || placed != found.len() {
        return None;
    }
    let first = out.iter().map(|one| one.span.start).min()?;
    let not = words::words(&text[denied.start..first]);
    let only = meant.first()?;
    let is_plain = meant.iter().all(|one| one.value == only.value)
        && out.iter().all(|one| one.value != only.value)
        && not.iter().any(|word| word.text == "not")
        && beside(text, clause, meant).all(|word| PLACING.has(&word));
    is_plain.then_some(*only)
}

/// The words of a clause that are no part of its values.
fn beside<'t>(
    text: &'t str,
    clause: &'t Range<usize>,
    values: &'t [&Candidate],
) -> impl Iterator<Item = String> + 't {
    words::words(&text[clause.clone()])
        .into_iter()
        .filter(move |word| {
            let span = clause.start + word.span.start..clause.start + word.span.end;
            let meets = |one: &&Candidate| one.span.start < span.end && span.start < one.span.end;
            !values.iter().any(meets)
        })
        .map(|word| word.text)
}

static PLACING: Cues = Cues::new(
    "on, at, in, by, the, a, for, make, it, is, will, be, rather, instead, please, then, that, we,
     i, mean, meant",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        calendar::phrase::DayMonthOrder,
        value::{DateKind, KindRules, ReadContext, Value},
    };
    use jiff::civil::{date, datetime};
    use rstest::rstest;

    #[rstest]
    #[case("We do not move on 22 May but on 24 May.", Some(24))]
    #[case("No, wait, not on 22 May: make it 24 May.", Some(24))]
    #[case("I meant not 22 May, but 24 May", Some(24))]
    #[case("We do not move on 22 May, but on 24 May the cleaners come.", None)]
    #[case("We move on 22 May but not on 24 May.", None)]
    #[case("We move on 22 May, not on 24 May.", None)]
    #[case("Not on 22 May but on 24 May or on 26 May.", None)]
    #[case("Not on 22 May but on 24 May, and 26 May is fine.", None)]
    #[case("We do not know, 22 May or so, but 24 May is a holiday.", None)]
    #[case("On 24 May.", None)]
    fn only_a_value_that_plainly_replaces_a_denied_one_is_meant(
        #[case] text: &str,
        #[case] day: Option<i8>,
    ) {
        let context = ReadContext {
            written_at: datetime(2027, 5, 3, 10, 0, 0, 0),
            order: DayMonthOrder::Unknown,
            attachments: &[],
        };
        let found = DateKind::default().find(text, &context);
        let meant = instead(text, &(0..text.len()), &found).map(|one| &one.value);
        let expected = day.map(|day| Value::Date(date(2027, 5, day)));
        assert_eq!(meant, expected.as_ref(), "{text}");
    }
}

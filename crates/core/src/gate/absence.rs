//! Absences: what a message says of its writer's being away. Code reads them by itself, also in a
//! program's note; a reader's claim counts only if the words name its day and speak of their writer.

use super::{Quote, vetoes};
use crate::{
    calendar::phrase::{self, DateMeaning, Direction},
    form::{MessageForm, ReadRequest},
    value::{
        ReadContext,
        cues::Cues,
        date,
        words::{self, Word},
    },
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// An absence for longer than this many days is read as one without an end: a slip of the pen in
/// the year must not silence a conversation.
const LONGEST: i64 = 366;

/// What words say of their writer's absence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Away {
    /// The words.
    pub quote: Quote,
    /// The first day of it, when they name one that is to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// The last day of it, when they name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
}

/// The absence that the newest words tell of.
pub(super) fn absence(request: &ReadRequest, form: &MessageForm) -> Option<Away> {
    (0..request.words.len()).rev().find_map(|words| {
        let text = &request.words[words].text;
        let context = request.context(words);
        let found = find(text, &context).or_else(|| claimed(text, &context, &form.away_until))?;
        Some(Away {
            quote: Quote {
                words,
                text: found.quote.to_owned(),
            },
            from: found.from,
            until: found.until,
        })
    })
}

/// What a text says of its writer's absence.
pub(crate) struct Found<'t> {
    /// The sentence.
    pub(crate) quote: &'t str,
    /// The first day, when it is to come.
    pub(crate) from: Option<Date>,
    /// The last day, when one is named.
    pub(crate) until: Option<Date>,
}

/// Finds what `text` says of its writer's absence: of several sentences the one that names the
/// latest end.
pub(crate) fn find<'t>(text: &'t str, context: &ReadContext<'_>) -> Option<Found<'t>> {
    words::sentences(text)
        .into_iter()
        .map(|span| &text[span])
        .filter(|sentence| is_absence(sentence))
        .map(|quote| {
            let (from, until) = days(quote, context);
            Found { quote, from, until }
        })
        // Of equals the first counts, as it is the one that people read.
        .reduce(|best, next| if next.until > best.until { next } else { best })
}

static THEMSELVES: Cues = Cues::new("i, we, my, our, me, us");

/// The sentence that names the day which a reader takes for the last one, if the writer speaks of
/// themselves in it.
fn claimed<'t>(text: &'t str, context: &ReadContext<'_>, claim: &str) -> Option<Found<'t>> {
    let claim = date::day(claim.trim())?;
    words::sentences(text)
        .into_iter()
        .map(|span| &text[span])
        .find_map(|quote| {
            let words = words::words(quote);
            let of_themselves = THEMSELVES.among(&words);
            if !of_themselves || vetoes::is_question(quote) || vetoes::is_conditional(&words) {
                return None;
            }
            let (from, until) = days(quote, context);
            let named = until == Some(claim)
                || date::mentions(quote, context)
                    .iter()
                    .any(|mention| mention.until == Some(claim) || mention.days == [claim]);
            let until = in_bounds(Some(claim), context);
            (named && until.is_some()).then_some(Found { quote, from, until })
        })
}

/// The first and the last day of an absence that a sentence tells of.
fn days(sentence: &str, context: &ReadContext<'_>) -> (Option<Date>, Option<Date>) {
    let returns = RETURNS.among(&words::words(sentence));
    let reading = phrase::Reading {
        reference: context.written_at,
        order: context.order,
    };
    let mut first = None;
    let mut last = None;
    for mention in phrase::find_dates(sentence, &reading) {
        // `Until Monday` ends on it; `back on Monday`, and `back by Monday`, on the day before.
        let until = UNTIL.among(&words::words(&sentence[mention.span.clone()]))
            || UNTIL.ends(&words::words(&sentence[..mention.span.start]));
        let end = |start: Date, end: Option<Date>| {
            if returns && !until {
                start.yesterday().ok()
            } else {
                end
            }
        };
        match mention.meaning {
            DateMeaning::Point { start, grain } => {
                if !returns && !until {
                    first = first.or(Some(start.date()));
                }
                last = last.max(end(start.date(), date::last_day(start.date(), grain)));
            }
            DateMeaning::Interval {
                start, end: after, ..
            } => {
                let before = after
                    .checked_sub(jiff::Span::new().nanoseconds(1))
                    .map_or(after, |before| before);
                first = first.or(Some(start.date()));
                last = last.max(end(start.date(), Some(before.date())));
            }
            DateMeaning::Open {
                bound,
                direction: Direction::Before,
                ..
            } => last = last.max(end(bound.date(), Some(bound.date()))),
            // `From 3 May` names no end, and of several days none can be taken.
            DateMeaning::Open {
                bound,
                direction: Direction::After,
                ..
            } => first = first.or(Some(bound.date())),
            DateMeaning::Ambiguous(_) => {}
        }
    }
    let today = context.written_at.date();
    (
        first.filter(|first| *first > today && Some(*first) <= last),
        in_bounds(last, context),
    )
}

fn in_bounds(until: Option<Date>, context: &ReadContext<'_>) -> Option<Date> {
    let today = context.written_at.date();
    until.filter(|until| {
        today
            .until(*until)
            .is_ok_and(|span| (0..=LONGEST).contains(&i64::from(span.get_days())))
    })
}

fn is_absence(sentence: &str) -> bool {
    let words = words::words(sentence);
    (AWAY.among(&words) || bare(&words))
        && !vetoes::is_question(sentence)
        && !vetoes::is_conditional(&words)
        && !WAS.among(&words)
}

/// A sentence without a subject, as absence notes have them: `On leave until 14 May.`
fn bare(words: &[Word]) -> bool {
    BARE.starts(words).is_some()
}

static AWAY: Cues = Cues::new(
    "out of office, out of the office, i am away, i will be away, we are away, we will be away,
     i am currently away, we are currently away, currently away, i am on leave, i will be on leave,
     i am on annual leave, i am on parental leave, i am on maternity leave, i am on paternity leave,
     i am on sick leave, i am currently on, i am on vacation, i will be on vacation, i am on holiday,
     i will be on holiday, i am on holidays, we are on holiday, we are on vacation,
     we will be on holiday, i am travelling, i am traveling, i will be travelling,
     i will be traveling, i am abroad, i will be abroad, i will be back on, i am back on,
     i am back in, i will be back in, we will be back on, we are back on, back in the office,
     return to the office, i return on, i will return on, i will be returning on, am returning on,
     office is closed, office will be closed, we are closed, we will be closed, my annual leave,
     i am not in the office, i will not be in the office, i am not in until",
);

static BARE: Cues = Cues::new(
    "on leave, on annual leave, on holiday, on holidays, on vacation, away until, away till,
     away from, back on, returning on, return on, currently on leave, currently on annual leave,
     currently on holiday, currently on vacation, currently out",
);

static WAS: Cues = Cues::new("was away, was on, were away, were on, was out of, have been away");

static RETURNS: Cues = Cues::new("back, return, returning");

static UNTIL: Cues = Cues::new("until, till, through, including");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::phrase::DayMonthOrder;
    use jiff::civil::{date, datetime};
    use rstest::rstest;

    /// Written on Monday, 3 May 2027, at ten.
    fn context() -> ReadContext<'static> {
        ReadContext {
            written_at: datetime(2027, 5, 3, 10, 0, 0, 0),
            order: DayMonthOrder::Unknown,
            attachments: &[],
        }
    }

    #[rstest]
    #[case::until("I am out of the office until 14 May.", None, Some(date(2027, 5, 14)))]
    #[case::returning("I'm away. I'll be back on 17 May.", None, Some(date(2027, 5, 16)))]
    #[case::bare("On annual leave until 14 May 2027.", None, Some(date(2027, 5, 14)))]
    #[case::own("I'm away until the 14th.", None, Some(date(2027, 5, 14)))]
    #[case::to_come(
        "I will be on holiday from 10 May to 14 May.",
        Some(date(2027, 5, 10)),
        Some(date(2027, 5, 14))
    )]
    #[case::no_end(
        "I am currently out of office with limited access to email.",
        None,
        None
    )]
    #[case::over("I am away until 14 March 2027.", None, None)]
    #[case::far_off("I am away until 14 May 2029.", None, None)]
    fn an_absence_is_read_with_its_days(
        #[case] text: &str,
        #[case] from: Option<Date>,
        #[case] until: Option<Date>,
    ) {
        let found = find(text, &context()).expect("an absence");
        assert_eq!((found.from, found.until), (from, until));
        assert!(text.contains(found.quote));
    }

    #[rstest]
    #[case("The tenant is on holiday until 14 May.")]
    #[case("Are you out of the office until 14 May?")]
    #[case("I was on holiday until yesterday.")]
    #[case("14 May suits me.")]
    #[case("If I am away, ask my neighbour.")]
    fn what_is_no_absence_of_the_writer_is_none(#[case] text: &str) {
        assert!(find(text, &context()).is_none());
    }

    #[test]
    fn a_claim_counts_only_for_a_day_that_the_writer_names_of_themselves() {
        let claim = |text| claimed(text, &context(), "2027-05-14").map(|found| found.until);
        assert_eq!(
            claim("I'm hiking in Spain until 14 May."),
            Some(Some(date(2027, 5, 14)))
        );
        assert_eq!(claim("The tenant is hiking until 14 May."), None);
        assert_eq!(claim("I'm hiking until 15 May."), None);
    }
}

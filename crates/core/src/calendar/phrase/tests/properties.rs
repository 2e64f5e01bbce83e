//! What holds for any text, any order and any date of writing.

use jiff::civil::{DateTime, date};
use proptest::prelude::*;

use crate::calendar::phrase::{
    DateMeaning, DateMention, DayMonthOrder, Reader, Reading, find_dates, hit_at, tokenize, tried,
};

/// Pieces of dates, so that random texts reach deep into the rules.
const PIECES: &[&str] = &[
    "no later than",
    "up to",
    "as of",
    "starting",
    "end of day",
    "close of business",
    "boxing day",
    "new year's eve",
    "rest of the",
    "weekend of",
    "any time after",
    "half an hour",
    "a couple of",
    "st patrick's day",
    "week end",
    "not until",
    "the",
    "of",
    "in",
    "on",
    "at",
    "by",
    "from",
    "to",
    "until",
    "between",
    "and",
    "or",
    "after",
    "before",
    "a",
    "an",
    "next",
    "last",
    "this",
    "coming",
    "following",
    "every",
    "end",
    "early",
    "mid",
    "week",
    "weeks",
    "month",
    "year",
    "day",
    "days",
    "weekend",
    "Monday",
    "friday",
    "Sat",
    "sun",
    "May",
    "may",
    "march",
    "Jan",
    "Feb.",
    "29",
    "30",
    "31",
    "31st",
    "12th",
    "second",
    "fifth",
    "2027",
    "9999",
    "1900",
    "0",
    "3pm",
    "3:30",
    "15h30",
    "noon",
    "midnight",
    "half",
    "past",
    "quarter",
    "o'clock",
    "morning",
    "evening",
    "tonight",
    "today",
    "tomorrow",
    "yesterday",
    "Easter",
    "christmas",
    "now",
    "ago",
    "hence",
    "two",
    "twenty",
    "9999 years",
    "fortnight",
    "hours",
    "GMT",
    "time",
    "EOD",
    "5/12",
    "5/12/27",
    "31.12.9999",
    "2027-05-12",
    "2027-05",
    "-",
    "\u{2013}",
    "/",
    ",",
    ".",
    "(",
    ")",
    "'",
    "\u{2019}s",
    "@",
    ":",
    "\n\n",
    "\u{a3}",
    "%",
    "q3",
    "rest",
    "all",
    "within",
    "couple",
    "é",
    "\u{130}",
];

fn any_reference() -> impl Strategy<Value = DateTime> {
    prop_oneof![
        Just(DateTime::MAX),
        Just(DateTime::MIN),
        (-9999i16..=9999, 1i8..=12, 1i8..=28, 0i8..24)
            .prop_map(|(year, month, day, hour)| { date(year, month, day).at(hour, 59, 59, 0) }),
    ]
}

fn any_order() -> impl Strategy<Value = DayMonthOrder> {
    prop_oneof![
        Just(DayMonthOrder::DayFirst),
        Just(DayMonthOrder::MonthFirst),
        Just(DayMonthOrder::Unknown),
    ]
}

fn holds_for(text: &str, reading: &Reading) -> Result<(), TestCaseError> {
    let mentions = find_dates(text, reading);
    let mut end = 0;
    for DateMention { span, meaning, .. } in &mentions {
        prop_assert!(
            span.start >= end && span.start < span.end,
            "{text:?} {span:?}"
        );
        prop_assert!(text.get(span.clone()).is_some());
        end = span.end;
        match meaning {
            DateMeaning::Interval { start, end, .. } => prop_assert!(start < end),
            DateMeaning::Ambiguous(days) => {
                prop_assert!(days.len() >= 2);
                prop_assert!((1..days.len()).all(|place| !days[..place].contains(&days[place])));
            }
            DateMeaning::Point { .. } | DateMeaning::Open { .. } => {}
        }
    }
    prop_assert_eq!(mentions, find_dates(text, reading));
    Ok(())
}

/// No rule begins with a word that is not even tried.
fn nothing_is_passed_over(text: &str, reading: &Reading) -> Result<(), TestCaseError> {
    let tokens = tokenize(text);
    let reader = Reader {
        tokens: &tokens,
        reference: reading.reference,
        order: reading.order,
        after_another: false,
    };
    for (at, token) in tokens.iter().enumerate() {
        let passed_over = hit_at(&reader, at).is_none() && tried(&reader, at).is_some();
        prop_assert!(!passed_over, "{:?} in {text:?}", token.text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read_without_harm(text in "\\PC*", reference in any_reference(), order in any_order()) {
        holds_for(&text, &Reading { reference, order })?;
    }

    #[test]
    fn any_heap_of_date_words_is_read_without_harm(
        pieces in prop::collection::vec((prop::sample::select(PIECES), any::<bool>()), 0..16),
        reference in any_reference(),
        order in any_order(),
    ) {
        let text: String = pieces.iter().flat_map(|(piece, glue)| [*piece, if *glue { "" } else { " " }]).collect();
        holds_for(&text, &Reading { reference, order })?;
        nothing_is_passed_over(&text, &Reading { reference, order })?;
    }
}

//! Measures the date finder against a public set of English date phrases, found through the environment.
//!
//! A phrase is *right* if exactly one mention covers it, apart from small words around it, and start and
//! grain are as expected; *wrong* if that mention says something else, the day included or only how
//! exactly; and *refused* if there is no such mention. Run with `--nocapture` to see the table, and with
//! `LIAISON_CORPUS_VERBOSE=1` to see each phrase that is not right.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::civil::DateTime;
use liaison_core::calendar::phrase::{
    DateMeaning, DateMention, DayMonthOrder, Direction, Grain, Reading, find_dates,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Score {
    Right,
    /// Another moment than the expected one.
    WrongMoment,
    /// The same day, said more or less exactly than expected.
    WrongPrecision,
    Refused,
    /// A mention was found in the phrase, but left words that matter uncovered; counts as refused.
    Partial,
}

struct Row<'t> {
    phrase: &'t str,
    start: DateTime,
    end: Option<DateTime>,
    grain: Grain,
    kind: &'t str,
    reference: DateTime,
}

fn row(line: &str) -> Option<Row<'_>> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [phrase, start, grain, kind, end, _, _, _, reference] = columns.as_slice() else {
        return None;
    };
    Some(Row {
        phrase,
        // Years before the common era are written shorter than the parser takes them.
        start: start
            .strip_prefix('-')
            .map_or((*start).to_owned(), |year| format!("-00{year}"))
            .parse()
            .ok()?,
        end: end.parse().ok(),
        grain: match *grain {
            "year" => Grain::Year,
            "quarter" => Grain::Quarter,
            "month" => Grain::Month,
            "week" => Grain::Week,
            "day" => Grain::Day,
            "hour" => Grain::Hour,
            "minute" => Grain::Minute,
            "second" => Grain::Second,
            _ => return None,
        },
        kind,
        // The wall clock is what counts here; the offset behind it is dropped.
        reference: reference.get(..19)?.parse().ok()?,
    })
}

/// Words beside a date that do not change which date it is.
const SMALL_WORDS: &[&str] = &[
    "on", "at", "the", "in", "for", "during", "around", "about", "@",
];

fn covers(phrase: &str, mention: &DateMention) -> bool {
    let (before, after) = (&phrase[..mention.span.start], &phrase[mention.span.end..]);
    before
        .split_whitespace()
        .chain(after.split_whitespace())
        .map(|word| {
            word.trim_matches(|c: char| c.is_ascii_punctuation())
                .to_lowercase()
        })
        .all(|word| word.is_empty() || SMALL_WORDS.contains(&word.as_str()))
}

fn step(grain: Grain) -> jiff::Span {
    let span = jiff::Span::new();
    match grain {
        Grain::Year => span.years(1),
        Grain::Quarter => span.months(3),
        Grain::Month => span.months(1),
        Grain::Week => span.weeks(1),
        Grain::Day => span.days(1),
        Grain::Hour => span.hours(1),
        Grain::Minute => span.minutes(1),
        Grain::Second => span.seconds(1),
    }
}

fn judge(row: &Row<'_>, mentions: &[DateMention]) -> Score {
    let [mention] = mentions else {
        return if mentions.is_empty() {
            Score::Refused
        } else {
            Score::Partial
        };
    };
    if !covers(row.phrase, mention) {
        return Score::Partial;
    }
    let (right, same_day) = match (&mention.meaning, row.kind) {
        (DateMeaning::Ambiguous(_), _) => return Score::Refused,
        (DateMeaning::Point { start, grain }, "instant")
        | (DateMeaning::Interval { start, grain, .. }, "interval") => (
            *start == row.start && *grain == row.grain,
            start.date() == row.start.date(),
        ),
        // The set writes "by 2pm" as a span from now to its end; here it is a bound, whose own unit counts.
        (
            DateMeaning::Open {
                bound,
                grain,
                direction: Direction::Before,
            },
            "interval",
        ) if row.start == row.reference => {
            let after = bound.checked_add(step(*grain)).ok();
            let right = row.end == Some(*bound) || row.end == after;
            (right, row.end.map(DateTime::date) == Some(bound.date()))
        }
        (
            DateMeaning::Open {
                bound,
                grain,
                direction,
            },
            kind,
        ) => {
            let expected = match direction {
                Direction::Before => "open_before",
                Direction::After => "open_after",
            };
            let right = kind == expected && *bound == row.start && *grain == row.grain;
            (right, kind == expected && bound.date() == row.start.date())
        }
        (DateMeaning::Point { start, .. } | DateMeaning::Interval { start, .. }, _) => {
            (false, start.date() == row.start.date())
        }
    };
    match (right, same_day) {
        (true, _) => Score::Right,
        (false, true) => Score::WrongPrecision,
        (false, false) => Score::WrongMoment,
    }
}

#[test]
fn date_phrases_of_the_corpus_are_mostly_right_and_hardly_ever_wrong() {
    let folder = std::env::var_os("LIAISON_CORPORA").filter(|folder| !folder.is_empty());
    let Some(folder) = folder.map(PathBuf::from) else {
        eprintln!("SKIPPED date corpus: LIAISON_CORPORA names no folder");
        return;
    };
    let path = folder.join("duckling_en_time.tsv");
    let text = std::fs::read_to_string(&path).expect("the corpus is readable");
    let verbose = std::env::var_os("LIAISON_CORPUS_VERBOSE").is_some();
    let mut scores: BTreeMap<(&str, Score), usize> = BTreeMap::new();
    let mut rows = 0;
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let row = row(line).unwrap_or_else(|| panic!("unexpected row: {line}"));
        let reading = Reading {
            reference: row.reference,
            order: DayMonthOrder::MonthFirst,
        };
        let mentions = find_dates(row.phrase, &reading);
        let score = judge(&row, &mentions);
        if verbose && score != Score::Right {
            let found: Vec<String> = mentions
                .iter()
                .map(|mention| {
                    format!(
                        "{:?}={:?}",
                        &row.phrase[mention.span.clone()],
                        mention.meaning
                    )
                })
                .collect();
            eprintln!(
                "{score:?}\t{}\t{} {} {:?}\t{}",
                row.phrase,
                row.kind,
                row.start,
                row.grain,
                found.join("; ")
            );
        }
        *scores.entry((row.kind, score)).or_default() += 1;
        rows += 1;
    }
    let count = |kind: Option<&str>, wanted: &[Score]| -> usize {
        scores
            .iter()
            .filter(|((of, score), _)| {
                kind.is_none_or(|kind| kind == *of) && wanted.contains(score)
            })
            .map(|(_, count)| count)
            .sum()
    };
    let line = |name: &str, kind: Option<&str>| {
        let wrong = [Score::WrongMoment, Score::WrongPrecision];
        let refused = [Score::Refused, Score::Partial];
        eprintln!(
            "{name:<12} right {:>3}  wrong {:>2} (same day {:>2})  refused {:>3} (partial {:>2})",
            count(kind, &[Score::Right]),
            count(kind, &wrong),
            count(kind, &[Score::WrongPrecision]),
            count(kind, &refused),
            count(kind, &[Score::Partial]),
        );
    };
    for kind in ["instant", "interval", "open_after", "open_before"] {
        line(kind, Some(kind));
    }
    line("all", None);
    let right = count(None, &[Score::Right]);
    let wrong_moment = count(None, &[Score::WrongMoment]);
    let wrong = wrong_moment + count(None, &[Score::WrongPrecision]);
    // Shares, not counts, so that the same test measures other parts of the set. Nearly all of what is
    // wrong is "in seven days", to which the set gives the hour of writing and the finder only the day.
    assert!(right * 100 >= rows * 70, "{right} of {rows} right");
    assert!(wrong * 100 <= rows * 3, "{wrong} of {rows} wrong");
    assert!(
        wrong_moment * 100 <= rows,
        "{wrong_moment} of {rows} of another day"
    );
}

//! Numbers in figures: `1,250`, `1.250,50`, `1 250`, `-5`.

use super::{Found, Number};
use crate::value::{cues::Cues, words};
use rust_decimal::Decimal;
use std::{ops::Range, str::FromStr};

/// More digits than this are a telephone or account number, not a quantity.
const MOST_DIGITS: usize = 15;

/// The numbers in `text` that may count something.
pub(super) fn find(text: &str, kind: &Number) -> Vec<Found> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..]
        .find(|c: char| c.is_ascii_digit())
        .map(|at| rest + at)
    {
        let end = run_end(text, start);
        rest = end;
        if !stands_alone(text, start..end, kind) {
            continue;
        }
        let (negative, span) = with_sign(text, start..end);
        let has_unit = kind.unit_follows(&text[end..]);
        for value in readings(&text[start..end], kind.whole) {
            found.push(Found {
                span: span.clone(),
                value: if negative { -value } else { value },
                has_unit,
            });
        }
    }
    found
}

/// Where the run of digits and separators that starts at `start` ends. A separator belongs to it
/// only between digits, a space or an apostrophe only before groups of three.
fn run_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| {
        bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let first = digits_from(start);
    let mut end = start + first;
    let mut spaced = None;
    loop {
        let Some(c) = text[end..].chars().next() else {
            return end;
        };
        let after = end + c.len_utf8();
        let digits = digits_from(after);
        let goes_on = match c {
            '.' | ',' => digits > 0,
            ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’' => {
                digits == 3 && first <= 3 && spaced.is_none_or(|separator| separator == c)
            }
            _ => false,
        };
        if !goes_on {
            return end;
        }
        if !matches!(c, '.' | ',') {
            spaced = Some(c);
        }
        end = after + digits;
    }
}

/// What a run of digits and separators can mean; nothing for version numbers and addresses.
fn readings(run: &str, whole: bool) -> Vec<Decimal> {
    let plain: String = run
        .chars()
        .filter(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    if digits > MOST_DIGITS {
        return Vec::new();
    }
    let parse = |text: &str| Decimal::from_str(text).ok();
    let join = |separator: char| plain.replace(separator, "");
    let dots = plain.matches('.').count();
    let commas = plain.matches(',').count();
    let spaced = plain.len() != run.len();
    match (dots, commas) {
        (0, 0) => parse(&plain).into_iter().collect(),
        (1, 1) => {
            // The last separator parts the decimals, the other one the thousands.
            let (thousands, decimal) = if plain.rfind('.') > plain.rfind(',') {
                (',', '.')
            } else {
                ('.', ',')
            };
            let (head, _) = plain.split_once(decimal).unwrap_or((plain.as_str(), ""));
            grouped(head, thousands)
                .then(|| parse(&join(thousands).replace(decimal, ".")))
                .flatten()
                .into_iter()
                .collect()
        }
        (1, 0) | (0, 1) => {
            let separator = if dots == 1 { '.' } else { ',' };
            let as_decimal = parse(&plain.replace(separator, "."));
            let can_group = !spaced && grouped(&plain, separator);
            match (can_group, separator) {
                (false, _) => as_decimal.into_iter().collect(),
                // 1,250 is twelve hundred and fifty: hardly anybody writes three decimals.
                (true, ',') => parse(&join(',')).into_iter().collect(),
                (true, _) if whole => parse(&join('.')).into_iter().collect(),
                // 1.250 is one thing in Berlin and another in Boston.
                (true, _) => [parse(&join('.')), as_decimal]
                    .into_iter()
                    .flatten()
                    .collect(),
            }
        }
        (0, _) if grouped(&plain, ',') => parse(&join(',')).into_iter().collect(),
        (_, 0) if grouped(&plain, '.') => parse(&join('.')).into_iter().collect(),
        (1, _) if plain.rfind('.') > plain.rfind(',') => {
            let (head, _) = plain.split_once('.').unwrap_or((plain.as_str(), ""));
            grouped(head, ',')
                .then(|| parse(&join(',')))
                .flatten()
                .into_iter()
                .collect()
        }
        (_, 1) if plain.rfind(',') > plain.rfind('.') => {
            let (head, _) = plain.split_once(',').unwrap_or((plain.as_str(), ""));
            grouped(head, '.')
                .then(|| parse(&join('.').replace(',', ".")))
                .flatten()
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether `separator` parts groups of three after a first one of one to three digits.
fn grouped(digits: &str, separator: char) -> bool {
    let mut groups = digits.split(separator);
    let first = groups.next().unwrap_or_default();
    let leads = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let mut rest = groups.peekable();
    leads && rest.peek().is_some() && rest.all(|group| group.len() == 3)
}

/// What stands before a number that names a thing instead of counting it.
static NAMES: Cues = Cues::new(
    "apartment, apt, flat, unit, room, house, building, block, suite, box, invoice, order,
     ticket, ref, reference, case, number, no, nr, phone, tel, mobile, line, option,
     question, iso",
);

/// Units that may be written straight after the figures.
static GLUED: Cues =
    Cues::new("m, m2, m², sqm, sq, km, cm, kg, eur, euro, euros, usd, gbp, chf, kwh, kw");

/// Whether the figures at `span` are a quantity by their surroundings: no ordinal, no time, no
/// part of a telephone number, a name, an address or a list.
fn stands_alone(text: &str, span: Range<usize>, kind: &Number) -> bool {
    let before = &text[..span.start];
    let after = &text[span.end..];
    if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '#' | '_' | '/' | '@' | '+'))
        || (before.ends_with(['.', ',', ':']) && !before.ends_with("..."))
            && before[..before.len() - 1].ends_with(|c: char| c.is_alphanumeric())
    {
        return false;
    }
    if after.starts_with(['/', '_', '@', '%']) && !kind.unit_follows(after) {
        return false;
    }
    if after.starts_with(':') && after[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let glued: String = after
        .chars()
        .take_while(|c| c.is_alphanumeric())
        .collect::<String>()
        .to_lowercase();
    if !glued.is_empty() && !GLUED.has(&glued) && !kind.unit_follows(after) {
        return false;
    }
    !(is_list_item(before, after)
        || is_part_of_a_long_number(text, &span)
        || (names(before) && !kind.unit_follows(after)))
}

fn names(before: &str) -> bool {
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(40))..];
    // Only directly before: `no. 5`, `flat 12`, and not `the flat has 12`.
    let last = words::words(near).pop();
    last.is_some_and(|word| {
        NAMES.has(&word.text)
            && near[word.span.end..]
                .chars()
                .all(|c| matches!(c, ' ' | '.' | ':' | '#'))
            // `No, 5` answers and `no. 5` names, but `no 5` at the very start could be either.
            && !near[word.span.end..].is_empty()
    })
}

fn is_list_item(before: &str, after: &str) -> bool {
    let line_start = before
        .rsplit('\n')
        .next()
        .is_some_and(|line| line.trim().is_empty());
    let marked = after.strip_prefix(['.', ')']);
    line_start && marked.is_some_and(|rest| rest.trim_start_matches([' ', '\t']).len() < rest.len())
}

/// How far around a number the rest of a telephone number is looked for: none is longer.
const NEAR: usize = 30;

/// Whether other groups of figures stand so close that all together are one long number, as in
/// `030 1234567` and `123-4567`.
fn is_part_of_a_long_number(text: &str, span: &Range<usize>) -> bool {
    let near = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '+' | '/' | '.');
    let start = text[..span.start]
        .char_indices()
        .rev()
        .take(NEAR)
        .take_while(|(_, c)| near(*c))
        .last()
        .map_or(span.start, |(at, _)| at);
    let end = text[span.end..]
        .char_indices()
        .take_while(|(at, c)| *at < NEAR && near(*c))
        .last()
        .map_or(span.end, |(at, c)| span.end + at + c.len_utf8());
    let run = text[start..end].trim();
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let groups = run
        .split(|c: char| !c.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .count();
    let leads = run.starts_with(['+', '0', '(']) && !run.starts_with("0.");
    digits >= 7 && groups > 1 && (leads || run.contains('-'))
        || (digits >= 7 && run.starts_with('0'))
}

fn with_sign(text: &str, span: Range<usize>) -> (bool, Range<usize>) {
    let before = &text[..span.start];
    for sign in ["-", "−", "minus "] {
        let Some(head) = before
            .len()
            .checked_sub(sign.len())
            .filter(|at| before.is_char_boundary(*at) && before[*at..].eq_ignore_ascii_case(sign))
        else {
            continue;
        };
        if !before[..head].ends_with(|c: char| !c.is_whitespace() && c != '(') {
            return (true, head..span.end);
        }
    }
    (false, span)
}

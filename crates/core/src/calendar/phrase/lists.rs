//! Several days that share one month or one week: `3, 4 or 5 May`, `Thursday or Friday next week`.
//!
//! Read one by one, the first of them would fall into the wrong month or week, or only the last be seen.

use jiff::civil::Date;

use super::DateMeaning;
use super::Grain;
use super::absolute::{day_number, day_without_month, month_name, on_day};
use super::arithmetic::weekday_in_week;
use super::hit::{Hit, Rule};
use super::relative::{unit_reference, which};
use super::tokens::Reader;
use super::weekdays::{resolve, weekday_name};

pub(super) const RULES: &[Rule] = &[days_of_one_month, weekdays_of_one_week];

/// A list is no longer than a person would write; what follows is read by itself.
const LONGEST_LIST: usize = 8;

/// What stands between two items: `,`, `or`, `, and`, `/`.
fn separator(reader: &Reader<'_>, at: usize) -> Option<usize> {
    let mark = reader.skip_mark(at, &[',', '/', '&']);
    let end = reader.skip(mark, &["or", "and"]);
    (end > at).then_some(end)
}

fn several(mut dates: Vec<Date>, count: usize, end: usize) -> Hit {
    dates.sort();
    dates.dedup();
    if dates.len() < count.max(2) {
        Hit::refused(end)
    } else {
        Hit::new(DateMeaning::Ambiguous(dates), end)
    }
}

/// A day's number in a list, with whether it was an ordinal.
fn day_item(reader: &Reader<'_>, at: usize) -> Option<(i8, bool, usize)> {
    let start = reader.skip(reader.skip(at, &["on"]), &["the"]);
    let behind_slash = reader.glued(start) && start > 0 && reader.mark(start - 1, '/');
    if behind_slash && let Some((value, 1..=2)) = reader.digits(start) {
        let end = reader.skip(start + 1, &["st", "nd", "rd", "th"]);
        let day = i8::try_from(value)
            .ok()
            .filter(|day| (1..=31).contains(day))?;
        return Some((day, end > start + 1, end));
    }
    day_number(reader, start)
}

/// `3, 4 or 5 May 2027`, `May 3 or 4`, `3 May or the 5th`, `the 3rd or 4th`.
fn days_of_one_month(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let mut month = month_name(reader, at);
    let leading = month.is_some();
    let mut next = month.map_or(at, |(_, after)| after);
    let mut end = next;
    let mut days = Vec::new();
    let mut all_ordinals = reader.word(at) == "the" || at == 0;
    let mut comma = false;
    while days.len() < LONGEST_LIST
        && let Some((day, sure, after)) = day_item(reader, next)
    {
        let named = month_name(reader, reader.skip(after, &["of"]));
        // Behind the month, a further number belongs to the list only if nothing else claims it:
        // "May 3 or 4 people", "3 May or 4 June", "3 May, 4pm".
        let claimed = named.is_some() || !reader.is_closed(after) || (comma && !leading);
        if !days.is_empty() && month.is_some() && claimed {
            break;
        }
        days.push(day);
        all_ordinals &= sure;
        end = after;
        if month.is_none() && named.is_some() {
            month = named;
            end = named.map_or(after, |(_, behind)| behind);
        }
        let Some(item) = separator(reader, end) else {
            break;
        };
        comma = reader.mark(end, ',') && item == end + 1;
        next = item;
    }
    if days.len() < 2 {
        return None;
    }
    let Some((month, _)) = month else {
        // "the 3rd or 4th floor" counts something.
        if !all_ordinals {
            return None;
        }
        if !reader.is_closed(end) {
            return Some(Hit::refused(end));
        }
        let coming = |&day: &i8| day_without_month(reader.today(), day).first().copied();
        return Some(several(
            days.iter().filter_map(coming).collect(),
            days.len(),
            end,
        ));
    };
    let hits: Vec<Hit> = days
        .iter()
        .filter_map(|&day| on_day(reader, month, day, end))
        .collect();
    let end = hits.iter().map(|hit| hit.end).max()?;
    Some(several(
        hits.iter().flat_map(Hit::candidates).collect(),
        days.len(),
        end,
    ))
}

/// `Thursday or Friday next week`, `next Thursday or Friday`, `next week Monday or Tuesday`.
fn weekdays_of_one_week(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    let week_before = unit_reference(reader, at).filter(|(_, grain, _)| *grain == Grain::Week);
    let (said, start) = match week_before {
        Some((_, _, end)) => (
            None,
            reader.skip(reader.skip_mark(end, &[',']), &["on", "either"]),
        ),
        None => which(reader, at).map_or((None, at), |(which, end)| (Some(which), end)),
    };
    let mut days = Vec::new();
    let mut end = start;
    while days.len() < LONGEST_LIST
        && let Some((day, after)) = weekday_name(reader, reader.skip(end, &["on"]))
    {
        days.push(day);
        end = after;
        match separator(reader, end) {
            Some(next) if weekday_name(reader, reader.skip(next, &["on"])).is_some() => end = next,
            _ => break,
        }
    }
    if days.len() < 2 {
        return None;
    }
    let week_behind = unit_reference(reader, reader.skip(end, &["of", "in"]))
        .filter(|(_, grain, _)| *grain == Grain::Week);
    let in_week = |monday: Date| {
        days.iter()
            .filter_map(|&day| weekday_in_week(monday, day))
            .collect::<Vec<_>>()
    };
    match (week_before, week_behind, said) {
        (Some((Some(monday), ..)), None, None) => {
            Some(several(in_week(monday.date()), days.len(), end))
        }
        (None, Some((Some(monday), _, end)), None) => {
            Some(several(in_week(monday.date()), days.len(), end))
        }
        (None, None, Some(which)) => {
            let dates = days
                .iter()
                .filter_map(|&day| resolve(reader, Some(which), day))
                .flatten();
            Some(several(dates.collect(), days.len(), end))
        }
        // A plain list of weekdays is read one by one.
        (None, None, None) => None,
        _ => Some(Hit::refused(end)),
    }
}

//! Days that have a name.

use jiff::civil::Date;

use super::absolute::year;
use super::arithmetic::{add_days, easter};
use super::hit::Hit;
use super::tokens::Reader;

/// Holidays that fall on the same day wherever English is written, and the ones that hang on Easter.
pub(super) fn holiday(reader: &Reader<'_>, at: usize) -> Option<Hit> {
    const FIXED: &[(&str, i8, i8)] = &[
        ("christmas eve", 12, 24),
        ("xmas eve", 12, 24),
        ("christmas day", 12, 25),
        ("xmas day", 12, 25),
        ("christmas", 12, 25),
        ("xmas", 12, 25),
        ("boxing day", 12, 26),
        ("new year's eve", 12, 31),
        ("new years eve", 12, 31),
        ("new year's day", 1, 1),
        ("new years day", 1, 1),
        ("valentine's day", 2, 14),
        ("valentines day", 2, 14),
        ("halloween", 10, 31),
        ("april fool's day", 4, 1),
        ("april fools day", 4, 1),
        ("bastille day", 7, 14),
        ("saint patrick's day", 3, 17),
        ("st patrick's day", 3, 17),
    ];
    const EASTER: &[(&str, i64)] = &[
        ("good friday", -2),
        ("easter sunday", 0),
        ("easter monday", 1),
        ("easter", 0),
        ("ash wednesday", -46),
        ("palm sunday", -7),
        ("maundy thursday", -3),
        ("whit monday", 50),
        ("pentecost", 49),
        ("ascension day", 39),
    ];
    let greeting = matches!(
        reader.word_before(at),
        "merry" | "happy" | "lovely" | "nice" | "great" | "every"
    );
    let today = reader.today();
    let (end, next_in): (usize, Box<dyn Fn(i16) -> Option<Date>>) = if let Some((end, month, day)) =
        FIXED
            .iter()
            .find_map(|&(words, month, day)| Some((reader.phrase(at, words)?, month, day)))
    {
        (end, Box::new(move |year| Date::new(year, month, day).ok()))
    } else {
        let (end, days) = EASTER
            .iter()
            .find_map(|&(words, days)| Some((reader.phrase(at, words)?, days)))?;
        (end, Box::new(move |year| add_days(easter(year)?, days)))
    };
    // "the Christmas party", "Christmas cards": only a bare name is a day.
    if greeting
        || !reader.starts_cleanly(at)
        || (reader.word(end - 1) != "day" && !reader.is_closed(end) && year(reader, end).is_none())
    {
        return None;
    }
    if let Some((year, end)) = year(reader, end) {
        return Some(Hit::date(next_in(year), end));
    }
    let this = next_in(today.year()).filter(|&date| date >= today);
    Some(Hit::date(
        this.or_else(|| next_in(today.year().checked_add(1)?)),
        end,
    ))
}

//! What is found and what is not.

mod properties;

use jiff::civil::{Date, DateTime, date};
use rstest::rstest;

use super::{DateMeaning, DateMention, DayMonthOrder, Grain, READ_BYTES, Reading, find_dates};

/// A Tuesday, a quarter past ten.
fn reading(order: DayMonthOrder) -> Reading {
    Reading {
        reference: date(2027, 4, 27).at(10, 15, 0, 0),
        order,
    }
}

/// What was found, as `words = meaning` per mention: days as dates, clocks to the minute.
fn told(text: &str, order: DayMonthOrder) -> Vec<String> {
    find_dates(text, &reading(order))
        .iter()
        .map(|DateMention { span, meaning, .. }| {
            format!("{} = {}", &text[span.clone()], meaning_told(meaning))
        })
        .collect()
}

fn meaning_told(meaning: &DateMeaning) -> String {
    let moment = |moment: DateTime, grain: Grain| match grain {
        Grain::Hour | Grain::Minute => moment.strftime("%F %H:%M").to_string(),
        Grain::Second => moment.to_string(),
        _ => moment.date().to_string(),
    };
    match meaning {
        DateMeaning::Point { start, grain } => format!("{grain:?} {}", moment(*start, *grain)),
        DateMeaning::Interval { start, end, grain } => {
            format!("{}..{}", moment(*start, *grain), moment(*end, *grain))
        }
        DateMeaning::Open {
            bound,
            grain,
            direction,
        } => {
            format!("{direction:?} {}", moment(*bound, *grain))
        }
        DateMeaning::Ambiguous(days) => {
            let days: Vec<String> = days.iter().map(Date::to_string).collect();
            days.join(" / ")
        }
    }
}

#[rstest]
// Named days.
#[case("Could you come 2027-05-20?", &["2027-05-20 = Day 2027-05-20"])]
#[case("We said 20 May, I think.", &["20 May = Day 2027-05-20"])]
#[case("May 20th, 2028 suits us", &["May 20th, 2028 = Day 2028-05-20"])]
#[case("the 20th of June", &["the 20th of June = Day 2027-06-20"])]
#[case("20-Jun-28", &["20-Jun-28 = Day 2028-06-20"])]
#[case("the 14th works", &["the 14th = Day 2027-05-14"])]
#[case("20.05.2027", &["20.05.2027 = Day 2027-05-20"])]
#[case("08.05.2027", &["08.05.2027 = Day 2027-05-08"])]
#[case("20 February", &["20 February = Day 2028-02-20"])]
#[case("29 February", &["29 February = Day 2028-02-29"])]
#[case("Christmas Eve at 6pm", &["Christmas Eve at 6pm = Hour 2027-12-24 18:00"])]
#[case("two days before Easter 2028", &["two days before Easter 2028 = Day 2028-04-14"])]
// Weekdays.
#[case("Thursday is fine", &["Thursday = Day 2027-04-29"])]
#[case("Tuesday", &["Tuesday = Day 2027-05-04"])]
#[case("Thursday's fine", &["Thursday's = Day 2027-04-29"])]
#[case("this Saturday", &["this Saturday = Day 2027-05-01"])]
#[case("next Monday", &["next Monday = Day 2027-05-03"])]
#[case("next Wednesday", &["next Wednesday = Day 2027-05-05"])]
#[case("next Saturday", &["next Saturday = 2027-05-01 / 2027-05-08"])]
#[case("last Thursday", &["last Thursday = Day 2027-04-22"])]
#[case("Thursday week", &["Thursday week = Day 2027-05-06"])]
#[case("a week on Thursday", &["a week on Thursday = Day 2027-05-06"])]
#[case("a week today", &["a week today = Day 2027-05-04"])]
#[case("Thursday of next week", &["Thursday of next week = Day 2027-05-06"])]
#[case("next week, on Sunday", &["next week, on Sunday = Day 2027-05-09"])]
#[case("the Saturday after 20 May", &["the Saturday after 20 May = Day 2027-05-22"])]
#[case("Thursday the 20th", &["Thursday the 20th = Day 2027-05-20"])]
#[case("Thursday, May 20", &["Thursday, May 20 = Day 2027-05-20"])]
#[case("20 May (Thursday)", &["20 May (Thursday) = Day 2027-05-20"])]
#[case("the last Friday in June", &["the last Friday in June = Day 2027-06-25"])]
// Counted from the message or another day.
#[case("tomorrow", &["tomorrow = Day 2027-04-28"])]
#[case("the day after tomorrow", &["the day after tomorrow = Day 2027-04-29"])]
#[case("in 10 days", &["in 10 days = Day 2027-05-07"])]
#[case("in two weeks' time", &["in two weeks' time = Day 2027-05-11"])]
#[case("three weeks from now", &["three weeks from now = Day 2027-05-18"])]
#[case("in twenty-five minutes", &["in twenty-five minutes = Second 2027-04-27T10:40:00"])]
#[case("the day after 20 May", &["the day after 20 May = Day 2027-05-21"])]
#[case("next month", &["next month = Month 2027-05-01"])]
#[case("week commencing 10 May", &["week commencing 10 May = Week 2027-05-10"])]
// Times of day.
#[case("20 May, 15:30", &["20 May, 15:30 = Minute 2027-05-20 15:30"])]
#[case("half past three on Thursday", &["half past three on Thursday = Minute 2027-04-29 15:30"])]
#[case("Thursday at 4", &["Thursday at 4 = Hour 2027-04-29 16:00"])]
#[case("Thursday at 7", &["Thursday at 7 = Day 2027-04-29"])]
#[case("Thursday at 7 in the evening", &["Thursday at 7 in the evening = Hour 2027-04-29 19:00"])]
#[case("Thursday at 3 or 4", &["Thursday at 3 or 4 = Day 2027-04-29"])]
#[case("noon tomorrow", &["noon tomorrow = Hour 2027-04-28 12:00"])]
#[case("Thursday evening", &["Thursday evening = 2027-04-29 18:00..2027-04-30 00:00"])]
#[case("9am", &["9am = Hour 2027-04-28 09:00"])]
#[case("2027-05-20T08:00", &["2027-05-20T08:00 = Minute 2027-05-20 08:00"])]
// Spans and bounds.
#[case("between the 20th and the 22nd of May", &["between the 20th and the 22nd of May = 2027-05-20..2027-05-23"])]
#[case("20-22 May", &["20-22 May = 2027-05-20..2027-05-23"])]
#[case("Saturday to Tuesday", &["Saturday to Tuesday = 2027-05-01..2027-05-05"])]
#[case("29 December to 2 January", &["29 December to 2 January = 2027-12-29..2028-01-03"])]
#[case("Thursday between 10 and 12", &["Thursday between 10 and 12 = 2027-04-29 10:00..2027-04-29 12:00"])]
#[case("11-1pm on Thursday", &["11-1pm on Thursday = 2027-04-29 11:00..2027-04-29 13:00"])]
#[case("end of next week", &["end of next week = 2027-05-07..2027-05-10"])]
#[case("mid June", &["mid June = 2027-06-11..2027-06-21"])]
#[case("this weekend", &["this weekend = 2027-04-30 18:00..2027-05-03 00:00"])]
#[case("by Thursday", &["by Thursday = Before 2027-04-29"])]
#[case("by the end of May", &["by the end of May = Before 2027-05-31"])]
#[case("within two weeks", &["within two weeks = Before 2027-05-11"])]
#[case("not before 20 May", &["not before 20 May = After 2027-05-20"])]
#[case("not until Thursday", &["not until Thursday = After 2027-04-29"])]
#[case("20 May at the latest", &["20 May at the latest = Before 2027-05-20"])]
// Several at once.
#[case("Thursday or Saturday", &["Thursday = Day 2027-04-29", "Saturday = Day 2027-05-01"])]
#[case("3, 4 or 5 June", &["3, 4 or 5 June = 2027-06-03 / 2027-06-04 / 2027-06-05"])]
#[case("the 3rd or the 4th of June", &["the 3rd or the 4th of June = 2027-06-03 / 2027-06-04"])]
#[case("Thursday or Friday next week", &["Thursday or Friday next week = 2027-05-06 / 2027-05-07"])]
fn a_date_is_found_and_understood(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(told(text, DayMonthOrder::Unknown), expected);
}

#[rstest]
#[case("5/12", DayMonthOrder::DayFirst, &["5/12 = Day 2027-12-05"])]
#[case("5/12", DayMonthOrder::MonthFirst, &["5/12 = Day 2027-05-12"])]
#[case("5/12", DayMonthOrder::Unknown, &["5/12 = 2027-12-05 / 2027-05-12"])]
#[case("5/5", DayMonthOrder::Unknown, &["5/5 = Day 2027-05-05"])]
#[case("25/12", DayMonthOrder::Unknown, &["25/12 = Day 2027-12-25"])]
#[case("12/25/27", DayMonthOrder::Unknown, &["12/25/27 = Day 2027-12-25"])]
// A weekday tells what the order does not.
#[case("Wed 5/12", DayMonthOrder::Unknown, &["Wed 5/12 = Day 2027-05-12"])]
#[case("05.12.2027", DayMonthOrder::MonthFirst, &["05.12.2027 = 2027-12-05 / 2027-05-12"])]
fn numbers_are_read_in_the_writers_order(
    #[case] text: &str,
    #[case] order: DayMonthOrder,
    #[case] expected: &[&str],
) {
    assert_eq!(told(text, order), expected);
}

#[rstest]
// Numbers that count, cost, dial or live somewhere.
#[case("I have 3 keys and 2 flats on the 12th floor.")]
#[case("It is $12.05, or £1,200 a month, or 12.05 EUR.")]
#[case("Call 020 7946 0958 or 555-12-05, sort code 12-05-27.")]
#[case("We live at 12 May Street, unit 5/12, not at 5/12 Smith Road.")]
#[case("version 1.2.27, 10.0.0.1, 24/7, 9/10 would recommend")]
#[case("Write to anna@friday.org, see https://example.org/2027-05-12/may")]
#[case("12 people, at 5 locations, in 2000 cases")]
// Words that are more than months and days.
#[case("I may come. May I? He may march 12 miles. March on!")]
#[case("The sun shone, we sat and they wed; I second the second option.")]
#[case("I will ask May, and April said yes.")]
#[case("Merry Christmas and a happy Easter!")]
#[case("At the end of the day it is your choice.")]
// Days that are no one day.
#[case("every Friday")]
#[case("on a Friday, on Fridays, any Friday")]
#[case("the day after, the Friday before")]
#[case("Friday after next")]
#[case("Friday in two weeks")]
#[case("in two or three weeks, in 2-3 weeks, a week or two from now")]
#[case("in a few days")]
#[case("the first Monday of every month")]
#[case("Friday last")]
#[case("the weekend of 8 May")]
#[case("I turn 12. May is my birth month.")]
// One half of a choice alone would be a wrong answer.
#[case("tomorrow or the day after")]
// Contradictions and days that do not exist.
#[case("Monday 4 May")]
#[case("20 May, Friday")]
#[case("Friday the 20th")]
#[case("31 April, 30 February, 32 May, 2027-13-01, 45/67/2027")]
#[case("this evening at 2")]
#[case("15 May twenty twenty-nine")]
// Another zone's clock.
#[case("Thursday 8:00 GMT")]
#[case("2027-05-20T08:00:00Z")]
#[case("3pm London time")]
fn what_names_no_certain_day_is_left_alone(#[case] text: &str) {
    assert_eq!(told(text, DayMonthOrder::Unknown), Vec::<String>::new());
}

#[test]
fn a_day_that_has_just_passed_may_be_meant_as_past() {
    let found = told("on 20 April", DayMonthOrder::Unknown);
    assert_eq!(found, ["20 April = 2027-04-20 / 2028-04-20"]);
    let found = told("the 24th", DayMonthOrder::Unknown);
    assert_eq!(found, ["the 24th = 2027-05-24 / 2027-04-24"]);
}

#[test]
fn a_lone_time_does_not_say_which_day() {
    let named = |text: &str| {
        let found = find_dates(text, &reading(DayMonthOrder::Unknown));
        found
            .iter()
            .map(|mention| mention.day_named)
            .collect::<Vec<_>>()
    };
    assert_eq!(named("at 3pm"), [false]);
    assert_eq!(named("between 3 and 5pm"), [false]);
    assert_eq!(named("before noon"), [false]);
    assert_eq!(named("3pm on Thursday"), [true]);
    assert_eq!(named("Thursday, 3-5pm"), [true]);
}

#[test]
fn the_following_week_is_the_next_one_only_where_no_other_date_comes_before() {
    let found = told("the following week", DayMonthOrder::Unknown);
    assert_eq!(found, ["the following week = Week 2027-05-03"]);
    let found = told(
        "On 20 May, and the following week too",
        DayMonthOrder::Unknown,
    );
    assert_eq!(found, ["20 May = Day 2027-05-20"]);
}

#[test]
fn a_text_is_read_up_to_its_bound_on_a_character_boundary() {
    let text = format!("{}20 May", "é".repeat(READ_BYTES / 2));
    assert_eq!(find_dates(&text, &reading(DayMonthOrder::Unknown)), []);
    let text = format!("x{}20 May", "é ".repeat(READ_BYTES));
    assert_eq!(find_dates(&text, &reading(DayMonthOrder::Unknown)), []);
    let text = format!("20 May {}", "é".repeat(READ_BYTES));
    assert_eq!(find_dates(&text, &reading(DayMonthOrder::Unknown)).len(), 1);
}

#[test]
fn a_date_beyond_the_calendar_is_refused() {
    let reading = Reading {
        reference: DateTime::MAX,
        order: DayMonthOrder::DayFirst,
    };
    for text in [
        "tomorrow",
        "next year",
        "in 9999 years",
        "Friday",
        "1 January",
        "this weekend",
    ] {
        assert_eq!(find_dates(text, &reading), [], "{text}");
    }
}

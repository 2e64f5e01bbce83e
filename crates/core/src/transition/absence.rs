//! Noting that the person is away.

use crate::calendar::phrase::DayMonthOrder;
use crate::{
    conversation::{Absence, Conversation, Received},
    gate::absence::find,
    value::ReadContext,
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// Looks for an absence in a program's note. Such a note is no answer, and no reader sees it.
pub(super) fn of_a_program(c: &mut Conversation, message: &Received) {
    let zone = c.zone();
    let context = ReadContext {
        written_at: zone.to_datetime(message.written_at),
        order: DayMonthOrder::of(c.policy.day_first),
        attachments: &[],
    };
    let found = find(&message.text, &context)
        .map(|found| (found.quote.to_owned(), found.from, found.until));
    if let Some((quote, from, until)) = found {
        note(c, message, &quote, from, until);
    }
}

/// Notes an absence from one day to another, both inclusive, on the person's own clock. One without
/// an end leaves one with an end that still runs as it is.
pub(super) fn note(
    c: &mut Conversation,
    message: &Received,
    quote: &str,
    from: Option<Date>,
    until: Option<Date>,
) {
    let at = message.written_at.min(message.received_at);
    let runs = c.absence.as_ref().and_then(|known| known.until);
    if until.is_none() && runs.is_some_and(|until| at < until) {
        return;
    }
    let zone = c.zone();
    c.absence = Some(Absence {
        message: message.message.clone(),
        quote: quote.to_owned(),
        of: message.from.clone(),
        from: from
            .and_then(|day| beginning(day, &zone))
            .map_or(at, |from| from.max(at)),
        until: until
            .and_then(|day| day.tomorrow().ok())
            .and_then(|day| beginning(day, &zone)),
    });
}

fn beginning(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    let midnight = day.at(0, 0, 0, 0).to_zoned(zone.clone());
    midnight.map(|midnight| midnight.timestamp()).ok()
}

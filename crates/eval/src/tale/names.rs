//! Names for ids, and times as people write them.

use jiff::{Timestamp, tz::TimeZone};
use std::collections::BTreeMap;

/// What the reader of a transcript calls things.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    pub(super) fn add(&mut self, id: String, name: String) {
        self.0.insert(id, name);
    }

    /// The name of an id.
    pub(super) fn of(&self, id: &str) -> String {
        self.0.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }

    /// A text with names instead of ids, and instants as they stand on the clock of `zone`.
    pub(super) fn in_text(&self, text: &str, zone: &TimeZone) -> String {
        let words: Vec<String> = text
            .split_whitespace()
            .map(|word| {
                let core = word.trim_matches(|c: char| !c.is_alphanumeric());
                match core.parse::<Timestamp>() {
                    Ok(at) => word.replacen(core, &moment(at, zone), 1),
                    Err(_) => word.to_owned(),
                }
            })
            .collect();
        let mut text = words.join(" ");
        for (id, name) in &self.0 {
            if !id.is_empty() && text.contains(id.as_str()) {
                // A sentence that says "Message <id>" means what is called "Message 3".
                text = text.replace(&format!("Message {id}"), name);
                text = text.replace(id.as_str(), name);
            }
        }
        text
    }
}

/// An instant on a clock: the day, and the time with seconds only where there are some.
pub(super) fn moment(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_zoned(zone.clone());
    let format = match local.second() {
        0 => "%a %-d %b %H:%M",
        _ => "%a %-d %b %H:%M:%S",
    };
    local.strftime(format).to_string()
}

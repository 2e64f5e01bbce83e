//! The page that a transcript is written on.

use crate::visible::visible;
use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// Lines are broken at this width where there is a space.
const WIDTH: usize = 100;

/// The width of the column of times.
const MARGIN: usize = 10;

pub(super) struct Page {
    text: String,
    day: Option<(Date, String)>,
    clock: String,
    shown: bool,
    several_zones: bool,
}

impl Page {
    pub(super) fn new(title: &str, story: &str, several_zones: bool) -> Self {
        let mut page = Self {
            text: String::new(),
            day: None,
            clock: String::new(),
            shown: false,
            several_zones,
        };
        let title = visible(title);
        page.text.push_str(&title);
        page.text.push('\n');
        page.text.push_str(&"=".repeat(title.chars().count()));
        page.text.push('\n');
        let story: Vec<&str> = story.split_whitespace().collect();
        page.wrapped("", "", &story.join(" "));
        page
    }

    /// What follows happens at this time on this clock.
    pub(super) fn time(&mut self, at: Timestamp, zone: &TimeZone) {
        let local = at.to_zoned(zone.clone());
        let place = match self.several_zones {
            true => zone.iana_name().unwrap_or_default().to_owned(),
            false => local.strftime("%Z").to_string(),
        };
        let day = (local.date(), place);
        if self.day.as_ref() != Some(&day) {
            let heading = format!("{}, {}", local.strftime("%a %-d %b %Y"), day.1);
            self.heading(&heading);
            self.day = Some(day);
            self.clock.clear();
        }
        let clock = match local.second() {
            0 => local.strftime("%H:%M").to_string(),
            _ => local.strftime("%H:%M:%S").to_string(),
        };
        if clock != self.clock {
            self.clock = clock;
            self.shown = false;
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(&visible(text));
        self.text.push('\n');
    }

    /// What happens.
    pub(super) fn line(&mut self, text: &str) {
        self.marked("", text);
    }

    /// What happens, with a sign of its sort before it.
    pub(super) fn mark(&mut self, sign: &str, text: &str) {
        self.marked(&format!("{sign} "), text);
    }

    /// Somebody's words.
    pub(super) fn quote(&mut self, text: &str) {
        let margin = " ".repeat(MARGIN);
        let text = visible(text);
        self.text.push_str(format!("{margin}  | {text}").trim_end());
        self.text.push('\n');
    }

    /// A line outside the course of time.
    pub(super) fn plain(&mut self, text: &str) {
        self.wrapped("  ", "      ", text);
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn marked(&mut self, sign: &str, text: &str) {
        let clock = match self.shown {
            true => "",
            false => self.clock.as_str(),
        };
        let first = format!("{clock:<MARGIN$}{sign}");
        self.shown = true;
        let further = " ".repeat(MARGIN + 2);
        self.wrapped(&first, &further, text);
    }

    fn wrapped(&mut self, first: &str, further: &str, text: &str) {
        let mut line = first.to_owned();
        let mut words = 0;
        let text = visible(text);
        for word in text.split(' ') {
            if words > 0 && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.text.push_str(line.trim_end());
                self.text.push('\n');
                line = further.to_owned();
                words = 0;
            }
            if words > 0 {
                line.push(' ');
            }
            line.push_str(word);
            words += 1;
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

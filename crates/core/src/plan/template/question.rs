//! Questions: new ones and reminders.

use super::{clean, letter::Letter};
use crate::{
    conversation::MessageKind,
    ladder::Tone,
    plan::{Change, PlanItem, Promised},
};
use jiff::civil;

/// Asks the questions of one message, numbered when there is more than one.
pub(super) struct Asking {
    numbered: bool,
    asked: usize,
    tone: Tone,
}

impl Asking {
    /// Makes ready to ask the questions among `items`, in this tone.
    pub(super) fn of(items: &[&PlanItem], tone: Tone) -> Self {
        let questions = items
            .iter()
            .filter(|item| matches!(item, PlanItem::Question { .. }))
            .count();
        Self {
            numbered: questions > 1,
            asked: 0,
            tone,
        }
    }

    /// Asks questions that are new, or that were first asked on the same day.
    pub(super) fn ask(
        &mut self,
        letter: &mut Letter,
        kind: MessageKind,
        group: &[&PlanItem],
        said: bool,
    ) {
        let (asked_on, promised, because) = match group[0] {
            PlanItem::Question {
                asked_on,
                promised,
                because,
                ..
            } => (*asked_on, *promised, because.as_ref()),
            _ => (None, None, None),
        };
        let several = group.len() > 1;
        let lead = match (promised, asked_on, because) {
            (Some(promised), ..) => Some(reminded_of(promised, several)),
            (None, None, Some(change)) => {
                tell_change(letter, change, several);
                None
            }
            _ => self.lead(kind, asked_on, several, said),
        };
        if let Some(lead) = lead {
            letter.line(&lead);
            letter.gap();
        }
        for item in group {
            let PlanItem::Question {
                question,
                hint: fits,
                ..
            } = item
            else {
                continue;
            };
            self.asked += 1;
            let marker = if self.numbered {
                format!("{}. ", self.asked)
            } else {
                String::new()
            };
            letter.item_lines(&marker, &clean::lines(question));
            hint(letter, &" ".repeat(marker.len()), fits.as_deref());
            letter.gap();
        }
    }

    /// What leads up to the questions; nothing where the purpose of the message just did.
    fn lead(
        &self,
        kind: MessageKind,
        asked_on: Option<civil::Date>,
        several: bool,
        said: bool,
    ) -> Option<String> {
        let Some(day) = asked_on else {
            return match (kind, said, several) {
                (MessageKind::Ask, true, false) if self.asked == 0 => None,
                (MessageKind::Ask, true, true) if self.asked == 0 => {
                    Some("These are my questions:")
                }
                (_, true, false) => Some("I also have this question:"),
                (_, true, true) => Some("I also have these questions:"),
                (_, false, false) => Some("I have a question for you:"),
                (_, false, true) => Some("I have some questions for you:"),
            }
            .map(str::to_owned);
        };
        let day = day.strftime("%A %-d %B").to_string();
        Some(match (kind, said, several) {
            (MessageKind::FollowUp, false, several) => reminder(self.tone, &day, several),
            (_, _, false) => format!("My question of {day} is still open:"),
            (_, _, true) => format!("My questions of {day} are still open:"),
        })
    }
}

/// What leads up to the questions of a reminder.
fn reminder(tone: Tone, day: &str, several: bool) -> String {
    match (tone, several) {
        (Tone::Friendly, false) => {
            format!("This is just a friendly reminder of my question of {day}:")
        }
        (Tone::Friendly, true) => {
            format!("This is just a friendly reminder of my questions of {day}:")
        }
        (Tone::Plain, false) => {
            format!("I wrote on {day} about this question and would still be glad of your answer:")
        }
        (Tone::Plain, true) => format!(
            "I wrote on {day} about these questions and would still be glad of your answers:"
        ),
        (Tone::Firm, false) => {
            format!("I wrote on {day} about this question and still need your answer:")
        }
        (Tone::Firm, true) => {
            format!("I wrote on {day} about these questions and still need your answers:")
        }
    }
}

/// What leads up to questions whose answers were promised.
fn reminded_of(promised: Promised, several: bool) -> String {
    let what = if several {
        "these questions"
    } else {
        "this question"
    };
    format!(
        "You wrote on {} that you would answer {what} by {}:",
        promised.on.strftime("%A %-d %B"),
        promised.by.strftime("%A %-d %B")
    )
}

/// Says why questions that were answered are asked again.
fn tell_change(letter: &mut Letter, change: &Change, several: bool) {
    letter.line("An answer of yours has changed:");
    letter.gap();
    let question = clean::one_line(&change.question);
    let value = clean::one_line(&change.value);
    if !question.is_empty() {
        letter.item("- ", &question);
        letter.item("  ", &format!("Your answer now: {value}"));
    } else {
        letter.item("- ", &format!("Your answer now: {value}"));
    }
    letter.gap();
    letter.line(if several {
        "Since that has changed, I have to ask you these questions again:"
    } else {
        "Since that has changed, I have to ask you this question again:"
    });
    letter.gap();
}

/// Says which answers fit, when there is something to say.
pub(super) fn hint(letter: &mut Letter, inset: &str, fits: Option<&str>) {
    let fits = fits.map(clean::one_line).unwrap_or_default();
    if !fits.is_empty() {
        letter.item(inset, &format!("Answers that fit: {fits}"));
    }
}

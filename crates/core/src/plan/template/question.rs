//! Questions: new ones and reminders.

use super::{clean, letter::Letter};
use crate::{conversation::MessageKind, plan::PlanItem};
use jiff::civil;

/// Asks the questions of one message, numbered when there is more than one.
pub(super) struct Asking {
    numbered: bool,
    asked: usize,
}

impl Asking {
    /// Makes ready to ask the questions among `items`.
    pub(super) fn of(items: &[&PlanItem]) -> Self {
        let questions = items
            .iter()
            .filter(|item| matches!(item, PlanItem::Question { .. }))
            .count();
        Self {
            numbered: questions > 1,
            asked: 0,
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
        let asked_on = match group[0] {
            PlanItem::Question { asked_on, .. } => *asked_on,
            _ => None,
        };
        if let Some(lead) = self.lead(kind, asked_on, group.len() > 1, said) {
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
        let day = day.strftime("%A %-d %B");
        Some(match (kind, said, several) {
            (MessageKind::FollowUp, false, false) => {
                format!(
                    "I wrote on {day} about this question and would still be glad of your answer:"
                )
            }
            (MessageKind::FollowUp, false, true) => {
                format!(
                    "I wrote on {day} about these questions and would still be glad of your answers:"
                )
            }
            (_, _, false) => format!("My question of {day} is still open:"),
            (_, _, true) => format!("My questions of {day} are still open:"),
        })
    }
}

/// Says which answers fit, when there is something to say.
pub(super) fn hint(letter: &mut Letter, inset: &str, fits: Option<&str>) {
    let fits = fits.map(clean::one_line).unwrap_or_default();
    if !fits.is_empty() {
        letter.item(inset, &format!("Answers that fit: {fits}"));
    }
}

//! Questions whether answers were understood.

use super::{clean, letter::Letter};
use crate::plan::PlanItem;

/// Repeats what was understood, each under its question, and asks once whether it is right.
pub(super) fn ask(letter: &mut Letter, group: &[&PlanItem]) {
    let asked_on = match group[0] {
        PlanItem::Confirm { asked_on, .. } => *asked_on,
        _ => None,
    };
    letter.line(&match asked_on {
        None => "This is what I understood:".to_owned(),
        Some(day) => format!(
            "I wrote on {} to ask whether I understood this:",
            day.strftime("%A %-d %B")
        ),
    });
    letter.gap();
    for item in group {
        let PlanItem::Confirm {
            question, value, ..
        } = item
        else {
            continue;
        };
        let (question, value) = (clean::one_line(question), clean::one_line(value));
        let answer = format!("Your answer: {value}");
        match (question.is_empty(), value.is_empty()) {
            (false, false) => {
                letter.item("- ", &question);
                letter.item("  ", &answer);
            }
            (false, true) => letter.item("- ", &question),
            (true, _) => letter.item("- ", &answer),
        }
    }
    letter.gap();
    letter.line("Is that right?");
    letter.gap();
}

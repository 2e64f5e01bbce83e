//! The templates: a wording for every plan.
//!
//! One voice: first person, short sentences, nothing that the plan does not say. What a plan
//! brings is set off from the template's own words by punctuation or a line of its own, so that
//! no sentence can form across the seam that neither of them says; [`crate::gate::draft`] relies
//! on it.

pub(crate) mod clean;
mod confirm;
#[cfg(test)]
pub(crate) mod example;
pub(crate) mod letter;
mod purpose;
mod question;
pub(crate) mod subject;
#[cfg(test)]
mod tests;

use super::{Draft, MessagePlan, PlanItem, Wording};
use crate::{conversation::MessageKind, ladder::Tone};
use letter::Letter;
use question::Asking;

/// Words a plan in English. Deterministic, and never at a loss.
pub fn render(plan: &MessagePlan) -> Draft {
    Draft {
        subject: subject::line(plan),
        body: body(plan),
        by: Wording::Template,
    }
}

fn body(plan: &MessagePlan) -> String {
    let items: Vec<&PlanItem> = plan
        .items
        .iter()
        .filter(|item| !says_nothing(item))
        .collect();
    let mut letter = Letter::new();
    letter.line(&greeting(plan.name.as_deref()));
    letter.gap();

    let mut said = plan.kind == MessageKind::Ask && purpose::tell(&mut letter, &plan.goals);
    let mut thanked = false;
    let mut asking = Asking::of(&items, plan.tone);
    let last_thanks = items
        .iter()
        .rposition(|item| matches!(item, PlanItem::Acknowledge { .. }));
    let mut place = 0;
    for group in items.chunk_by(|one, next| same_sort(one, next)) {
        place += group.len();
        match group[0] {
            PlanItem::Acknowledge { .. } => {
                let closes = last_thanks.is_some_and(|last| last < place);
                acknowledge(&mut letter, group, !thanked, closes);
                thanked = true;
            }
            PlanItem::Answer { .. } => answer(&mut letter, group),
            PlanItem::Withdraw { .. } => withdraw(&mut letter, group),
            PlanItem::Brief { .. } => brief(&mut letter, group),
            PlanItem::Clarify { .. } => clarify(&mut letter, group),
            PlanItem::Confirm { .. } => confirm::ask(&mut letter, group),
            PlanItem::Question { .. } => asking.ask(&mut letter, plan.kind, group, said),
        }
        said = true;
    }
    if !said {
        letter.line("There is nothing that you need to do at the moment.");
        letter.gap();
    }
    if items.iter().any(|item| is_question(item)) {
        letter.line(match plan.kind {
            MessageKind::FollowUp if plan.tone == Tone::Firm => {
                "Please reply to this message. A short answer in your own words is enough."
            }
            MessageKind::Ask => "Just reply to this message. Your own words are enough.",
            MessageKind::FollowUp => "A short reply in your own words is enough.",
            MessageKind::Reply => "A reply in your own words is enough.",
        });
        letter.gap();
    }
    letter.line("Kind regards,");
    letter.line(&clean::one_line(&plan.signature));
    letter.finish()
}

fn greeting(name: Option<&str>) -> String {
    match name.map(clean::one_line) {
        Some(name) if !name.is_empty() => format!("Hello {name},"),
        _ => "Hello,".to_owned(),
    }
}

/// Thanks for answers, each repeated under its question.
fn acknowledge(letter: &mut Letter, group: &[&PlanItem], first: bool, closes: bool) {
    let answers: Vec<(String, String)> = group
        .iter()
        .filter_map(|item| match item {
            PlanItem::Acknowledge { answers, .. } => Some(answers),
            _ => None,
        })
        .flatten()
        .map(|(question, value)| (clean::one_line(question), clean::one_line(value)))
        .filter(|(question, value)| !question.is_empty() || !value.is_empty())
        .collect();
    if answers.is_empty() {
        letter.line("Thank you for your message.");
        letter.gap();
        return;
    }
    letter.line(if first {
        "Thank you. I have noted:"
    } else {
        "I have also noted:"
    });
    letter.gap();
    for (question, value) in &answers {
        match (question.is_empty(), value.is_empty()) {
            (false, false) => {
                letter.item("- ", question);
                letter.item("  ", &format!("Your answer: {value}"));
            }
            (false, true) => letter.item("- ", question),
            _ => letter.item("- ", &format!("Your answer: {value}")),
        }
    }
    letter.gap();
    if closes {
        letter.line("If that is not right, just reply.");
        letter.gap();
    }
}

/// An operator's words, under the words that they answer.
fn answer(letter: &mut Letter, group: &[&PlanItem]) {
    for item in group {
        let PlanItem::Answer { text, question, .. } = item else {
            continue;
        };
        let question = question.as_deref().map(clean::one_line).unwrap_or_default();
        if !question.is_empty() {
            letter.line(&format!("You asked: “{question}”"));
            letter.gap();
        }
        letter.item_lines("", &clean::lines(text));
        letter.gap();
    }
}

fn withdraw(letter: &mut Letter, group: &[&PlanItem]) {
    let questions: Vec<String> = group
        .iter()
        .filter_map(|item| match item {
            PlanItem::Withdraw { question, .. } => Some(clean::one_line(question)),
            _ => None,
        })
        .collect();
    if let [question] = questions.as_slice() {
        letter.line(&format!(
            "You no longer need to answer this question: “{question}”"
        ));
    } else {
        letter.line("You no longer need to answer these questions:");
        letter.gap();
        for question in &questions {
            letter.item("- ", question);
        }
    }
    letter.gap();
}

fn brief(letter: &mut Letter, group: &[&PlanItem]) {
    let facts: Vec<Vec<String>> = group
        .iter()
        .filter_map(|item| match item {
            PlanItem::Brief { text, .. } => Some(clean::lines(text)),
            _ => None,
        })
        .collect();
    match facts.as_slice() {
        [fact] if fact.len() == 1 => {
            letter.line(&format!("Something you should know: {}", fact[0]));
        }
        [fact] => {
            letter.line("Something you should know:");
            letter.gap();
            letter.item_lines("", fact);
        }
        several => {
            letter.line("Some things you should know:");
            letter.gap();
            for fact in several {
                letter.item_lines("- ", fact);
            }
        }
    }
    letter.gap();
}

/// Questions about answers that could be read in more than one way.
fn clarify(letter: &mut Letter, group: &[&PlanItem]) {
    for (place, item) in group.iter().enumerate() {
        let PlanItem::Clarify {
            question,
            candidates,
            hint,
            asked_on,
            ..
        } = item
        else {
            continue;
        };
        let asked_on = asked_on.map(|day| day.strftime("%A %-d %B").to_string());
        let candidates: Vec<String> = candidates
            .iter()
            .map(|candidate| clean::one_line(candidate))
            .filter(|candidate| !candidate.is_empty())
            .collect();
        let question = clean::one_line(question);
        let reminds = asked_on.map(|day| {
            format!("I wrote on {day} because I am not sure that I understood your answer")
        });
        letter.line(&match (question.is_empty(), place) {
            (true, _) if reminds.is_some() => format!("{}.", reminds.unwrap_or_default()),
            (false, _) if reminds.is_some() => {
                format!("{} to “{question}”", reminds.unwrap_or_default())
            }
            (true, 0) => "I am not sure that I understood your answer.".to_owned(),
            (true, _) => "I am not sure about another answer either.".to_owned(),
            (false, 0) => format!("I am not sure that I understood your answer to “{question}”"),
            (false, _) => format!("Nor am I sure about your answer to “{question}”"),
        });
        letter.gap();
        match candidates.as_slice() {
            [] => {
                letter.line("Could you tell me again in other words?");
                question::hint(letter, "", hint.as_deref());
            }
            [one] => letter.line(&format!("Did you mean this: “{one}”?")),
            // Two that end in no punctuation of their own fit into one question.
            [one, other] if are_plain(&[one, other]) => {
                letter.line(&format!("Did you mean “{one}” or “{other}”?"));
            }
            several => {
                letter.line("Which of these did you mean?");
                letter.gap();
                for candidate in several {
                    letter.item("- ", candidate);
                }
            }
        }
        letter.gap();
    }
}

/// Whether texts are short and of one piece, so that a sentence can hold them.
fn are_plain(texts: &[&str]) -> bool {
    const LONGEST: usize = 80;
    texts.iter().all(|text| {
        text.chars().count() <= LONGEST && !text.contains(['.', '!', '?', '“', '”', ';', '…'])
    })
}

/// Whether two items are said in one breath.
fn same_sort(one: &PlanItem, next: &PlanItem) -> bool {
    match (one, next) {
        (
            PlanItem::Question {
                asked_on: one,
                promised: one_promised,
                because: reason,
                ..
            },
            PlanItem::Question {
                asked_on: next,
                promised: next_promised,
                because: next_reason,
                ..
            },
        ) => (one, one_promised, reason) == (next, next_promised, next_reason),
        (PlanItem::Confirm { asked_on: one, .. }, PlanItem::Confirm { asked_on: next, .. }) => {
            one == next
        }
        _ => std::mem::discriminant(one) == std::mem::discriminant(next),
    }
}

fn is_question(item: &PlanItem) -> bool {
    matches!(
        item,
        PlanItem::Question { .. } | PlanItem::Clarify { .. } | PlanItem::Confirm { .. }
    )
}

/// Whether nothing of an item is left to read. Thanks and clarifications say something of
/// themselves.
fn says_nothing(item: &PlanItem) -> bool {
    match item {
        PlanItem::Acknowledge { .. } | PlanItem::Clarify { .. } | PlanItem::Confirm { .. } => false,
        PlanItem::Answer { text, .. } | PlanItem::Brief { text, .. } => {
            clean::one_line(text).is_empty()
        }
        PlanItem::Withdraw { question, .. } | PlanItem::Question { question, .. } => {
            clean::one_line(question).is_empty()
        }
    }
}

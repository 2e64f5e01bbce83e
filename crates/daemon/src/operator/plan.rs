//! A plan in words.

use super::lines;
use liaison_api::{PlanAhead, PlanEnd, Planned, PlannedQuestion, PlannedStep};

/// Says what will happen if nobody writes.
pub(crate) fn describe(plan: &PlanAhead) -> String {
    let mut text = vec![format!("If nobody writes, from {} on:", plan.at)];
    if plan.entries.is_empty() {
        text.push(format!("  nothing until {}", plan.until));
    }
    for entry in &plan.entries {
        text.push(format!("  {}  {}", entry.at, step(&entry.step)));
        text.extend(
            entry
                .waits
                .iter()
                .map(|wait| format!("      not sooner: {}", wait.why)),
        );
    }
    if !plan.afterwards.is_empty() {
        text.push(format!("After {}:", plan.until));
        text.extend(
            plan.afterwards
                .iter()
                .map(|Planned { at, step: what, .. }| format!("  {at}  {}", step(what))),
        );
    }
    text.push(match &plan.end {
        PlanEnd::Done => "Then nothing is left to do.".to_owned(),
        PlanEnd::Held { why } => format!("Then an operator is waited for: {}", why.join("; ")),
        PlanEnd::TakenOver { by } => format!("{by} has taken over; nothing is sent meanwhile."),
        PlanEnd::Unread { at } => {
            format!("What is read at {at} decides the rest.")
        }
        PlanEnd::TooFar => "It goes on; this is as far as is looked ahead.".to_owned(),
    });
    lines(text)
}

fn step(step: &PlannedStep) -> String {
    match step {
        PlannedStep::Message {
            kind,
            channel,
            questions,
            also,
        } => {
            let kind = serde_json::to_value(kind).unwrap_or_default();
            let said = questions
                .iter()
                .map(question)
                .chain(also.iter().cloned())
                .collect::<Vec<_>>();
            format!(
                "{} by {channel}: {}",
                kind.as_str().unwrap_or("message"),
                said.join(", ")
            )
        }
        PlannedStep::Probe { need } => format!("ask the caller whether it waits for need {need}"),
        PlannedStep::Hold { sentence, .. } => format!("hold: {sentence}"),
        PlannedStep::Ends { need, outcome } => format!("need {need} ends: {}", outcome.name()),
    }
}

fn question(question: &PlannedQuestion) -> String {
    match question.reminder {
        true => format!("{} again", question.slot),
        false => question.slot.to_string(),
    }
}

//! What a first message is for, in one sentence.

use super::{clean, letter::Letter};

/// Goals are often written as a task ("Decide who ..."). These begin a sentence with "help me".
const TASKS: &[&str] = &[
    "agree",
    "arrange",
    "book",
    "check",
    "choose",
    "clarify",
    "collect",
    "complete",
    "confirm",
    "decide",
    "determine",
    "establish",
    "fill",
    "find",
    "finish",
    "fix",
    "get",
    "know",
    "learn",
    "make",
    "obtain",
    "organise",
    "organize",
    "pick",
    "plan",
    "prepare",
    "receive",
    "resolve",
    "schedule",
    "see",
    "select",
    "set",
    "settle",
    "sort",
    "understand",
    "update",
    "verify",
];

/// Says the goals. Answers whether there was one to say.
pub(super) fn tell(letter: &mut Letter, goals: &[String]) -> bool {
    let mut told: Vec<String> = Vec::new();
    for goal in goals.iter().map(|goal| clean::one_line(goal)) {
        // Two needs of one workflow often share their goal.
        if !goal.is_empty() && !told.contains(&goal) {
            told.push(goal);
        }
    }
    match told.as_slice() {
        [] => return false,
        [goal] => letter.line(&sentence(goal)),
        several => {
            letter.line("I hope you can help me with these things:");
            letter.gap();
            for goal in several {
                letter.item("- ", goal);
            }
        }
    }
    letter.gap();
    true
}

fn sentence(goal: &str) -> String {
    let stop = if goal.ends_with(|c: char| c.is_alphanumeric() || c == ')') {
        "."
    } else {
        ""
    };
    let first = goal.split(' ').next().unwrap_or_default();
    let task = first.to_ascii_lowercase();
    if TASKS.contains(&task.as_str()) && first.len() < goal.len() {
        format!(
            "I hope you can help me {task}{}{stop}",
            &goal[first.len()..]
        )
    } else {
        format!("I hope you can help me with this: {goal}{stop}")
    }
}

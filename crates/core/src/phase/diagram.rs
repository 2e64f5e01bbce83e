//! The rules as a picture, made from the table that decides.

use super::{RULES, RuleName};
use std::fmt::Write;

/// A Mermaid flowchart of [`RULES`] and a table of why each stands where it stands, in Markdown.
pub fn diagram() -> String {
    let mut text =
        String::from("```mermaid\nflowchart TD\n    look([look at the state and the time])\n");
    let mut before = "look".to_owned();
    for (place, rule) in RULES.iter().enumerate() {
        let name = name(rule.name);
        let edge = match place {
            0 => "-->",
            _ => "-- no -->",
        };
        let then = match waits(rule.name) {
            true => "wait",
            false => "operation",
        };
        line(
            &mut text,
            &format!(
                "    {before} {edge} {name}{{{{\"{}. {name}\"}}}}",
                place + 1
            ),
        );
        line(&mut text, &format!("    {name} -- yes --> {then}"));
        before = name;
    }
    line(&mut text, &format!("    {before} -- no --> wait"));
    line(
        &mut text,
        "    operation[one operation, one commit] --> look",
    );
    line(
        &mut text,
        "    wait([wait until next_wake, or until something arrives]) --> look",
    );
    line(&mut text, "```\n");
    line(&mut text, "| # | rule | why it stands there |");
    line(&mut text, "|---:|---|---|");
    for (place, rule) in RULES.iter().enumerate() {
        let name = name(rule.name);
        line(
            &mut text,
            &format!("| {} | `{name}` | {} |", place + 1, rule.place),
        );
    }
    text
}

fn line(text: &mut String, what: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{what}");
}

/// Whether there is nothing to do in the rule's phase but wait, as [`super::Phase::is_waiting`]
/// says of the phase itself.
fn waits(rule: RuleName) -> bool {
    matches!(rule, RuleName::HandsOff | RuleName::AwaitOperator)
}

fn name(rule: RuleName) -> String {
    match serde_json::to_value(rule) {
        Ok(serde_json::Value::String(name)) => name,
        other => unreachable!("a rule's name is written as text, not {other:?}"),
    }
}

//! The subject of a message.

use super::{clean, says_nothing};
use crate::plan::MessagePlan;

/// A subject of ours: what the lists of mail programs show.
const LONGEST: usize = 70;
/// A subject that the thread already has is kept, unless it is absurd.
const LONGEST_REPLY: usize = 110;

/// The subject for a plan, one line.
pub(crate) fn line(plan: &MessagePlan) -> String {
    if let Some(thread) = &plan.thread_subject {
        let thread = clean::one_line(thread);
        let bare = without_reply_mark(&thread);
        let bare = shortened(bare, LONGEST_REPLY).unwrap_or_else(|| stock(plan).to_owned());
        return format!("Re: {bare}");
    }
    plan.goals
        .iter()
        .map(|goal| clean::one_line(goal))
        .find(|goal| goal.chars().any(char::is_alphanumeric))
        .and_then(|goal| shortened(&goal, LONGEST))
        .unwrap_or_else(|| stock(plan).to_owned())
}

fn stock(plan: &MessagePlan) -> &'static str {
    let asks = plan
        .items
        .iter()
        .any(|item| super::is_question(item) && !says_nothing(item));
    if asks {
        "A question for you"
    } else {
        "A message for you"
    }
}

fn without_reply_mark(subject: &str) -> &str {
    let mut bare = subject.trim();
    while bare
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("re:"))
    {
        bare = bare[3..].trim_start();
    }
    bare
}

/// The text, or as many of its first words as fit; nothing when not even one does.
fn shortened(text: &str, most: usize) -> Option<String> {
    let ends = |c: char| matches!(c, '.' | ',' | ';' | ':') || c.is_whitespace();
    if text.chars().count() <= most {
        let text = text.trim_end_matches(ends);
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let mut short = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        // One more for the space before the word, one for the mark of omission.
        length += word.chars().count() + 1;
        if length + 1 > most {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    let short = short.trim_end_matches(ends);
    (!short.is_empty()).then(|| format!("{short}…"))
}

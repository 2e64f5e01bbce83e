//! Lines below which the earlier message begins.

use super::words;

/// "-----Original Message-----" and kin, or the line above which answers are
/// asked for.
pub(super) fn is_separator(line: &str) -> bool {
    /// Longer lines are prose that mentions these words.
    const MAX_CHARS: usize = 120;
    let line = line.trim().trim_matches('*').trim();
    if line.is_empty() || line.chars().count() > MAX_CHARS {
        return false;
    }
    let lower = line.to_lowercase();
    if words::BARE_SEPARATORS.contains(&lower.as_str()) {
        return true;
    }
    let asks_above = words::REPLY_ABOVE
        .iter()
        .any(|phrase| lower.contains(phrase));
    if asks_above && lower.split_whitespace().count() <= 14 {
        return true;
    }
    let Some(inner) = between_dashes(&lower) else {
        return false;
    };
    words::SEPARATORS
        .iter()
        .any(|&words| inner == words || inner.strip_prefix("forwarded by ").is_some())
        || inner
            .strip_suffix(" wrote")
            .is_some_and(|who| !who.is_empty())
}

/// A line of nothing but signs, as people and programs draw under a text.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    // The mark that a mail tracker leaves at the end of a text.
    line == "\u{1427}" || line.chars().count() >= 2 && line.chars().all(|c| "-_=*#~+–—".contains(c))
}

/// What stands between at least two dashes on each side, or only before it.
fn between_dashes(lower: &str) -> Option<&str> {
    let is_dash = |c: char| "-–—_=".contains(c);
    let rest = lower.trim_start_matches(is_dash);
    if lower.chars().count() - rest.chars().count() < 2 {
        return None;
    }
    let inner = rest.trim_end_matches(|c: char| is_dash(c) || c.is_whitespace() || c == ':');
    Some(inner.trim())
}

#[cfg(test)]
mod tests {
    use super::{is_rule, is_separator};

    #[test]
    fn separators_are_known_by_their_dashes_and_words() {
        for line in [
            "-----Original Message-----",
            "----- Original Message -----",
            "-------- Ursprüngliche Nachricht --------",
            "*-----Mensaje original-----*",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "---- Ann Lee wrote ----",
            "##- Please type your reply above this line -##",
            "-- REPLY ABOVE THIS LINE --",
        ] {
            assert!(is_separator(line), "{line}");
        }
        for line in [
            "",
            "--",
            "----------",
            "the original message",
            "-- I lost the original message, sorry --",
            "------ enter feedback below ------",
        ] {
            assert!(!is_separator(line), "{line}");
        }
    }

    #[test]
    fn a_rule_is_all_signs() {
        assert!(is_rule("-----") && is_rule("~~~ ") && is_rule("***"));
        assert!(!is_rule("-") && !is_rule("- a -") && !is_rule(""));
    }
}

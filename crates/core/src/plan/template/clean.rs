//! What is left of a text before it stands in a message: words and spaces, nothing that a mail
//! program could take for structure or that hides what is written.

/// The most bytes without a space. A line may have 998 (RFC 5322, section 2.1.1); so a run of this
/// length still leaves room for what stands around it. Long signed links are a few hundred.
const LONGEST_RUN: usize = 800;

/// The text as one line: line breaks and tabs are spaces, one space at a time, none at the ends.
pub(crate) fn one_line(text: &str) -> String {
    let visible: String = text
        .chars()
        .filter_map(|c| match c {
            c if c == ' ' || c == '\t' || breaks_line(c) => Some(' '),
            c if is_hidden(c) => None,
            c => Some(c),
        })
        .collect();
    let mut line = String::with_capacity(visible.len());
    for run in visible.split(' ').filter(|run| !run.is_empty()) {
        for part in parts(run) {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(part);
        }
    }
    line.trim().to_owned()
}

/// The text as lines, each as [`one_line`] leaves it; empty lines only between others, one at a
/// time.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(breaks_line).map(one_line) {
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Whether a character is never shown, or changes how others are shown: the control characters;
/// the marks of direction, among them U+202E, which make a text read otherwise than it is (Unicode
/// Standard Annex 9, section 2); characters of no width; and tags. Joiners (U+200C, U+200D) stay:
/// scripts and emoji need them.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

fn breaks_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// A run without spaces in pieces that fit a line.
fn parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = run;
    while rest.len() > LONGEST_RUN {
        let (part, after) = rest.split_at(rest.floor_char_boundary(LONGEST_RUN));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("  a \t b  ", "a b")]
    #[case("a\r\nBcc: x@y.z", "a Bcc: x@y.z")]
    #[case("a\u{2028}b\u{85}c", "a b c")]
    #[case("a\0b\u{7}c", "abc")]
    #[case("evil\u{202e}txt.exe\u{2066}", "eviltxt.exe")]
    #[case("\u{feff}a\u{200b}b", "ab")]
    #[case("family 👨\u{200d}👩\u{200d}👧", "family 👨\u{200d}👩\u{200d}👧")]
    #[case("1\u{a0}200 €", "1\u{a0}200 €")]
    #[case("\u{a0} a \u{a0}", "a")]
    fn one_line_keeps_what_is_seen(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(one_line(text), expected);
    }

    #[test]
    fn paragraphs_survive_and_empty_lines_do_not_pile_up() {
        assert_eq!(
            lines("\r\n a\r\nb \n\n\n\nc\n\n"),
            ["a", "b", "", "c"].map(str::to_owned)
        );
        assert!(lines(" \u{202e}\n\0").is_empty());
    }

    #[test]
    fn a_run_too_long_for_a_line_is_broken_between_characters() {
        let cleaned = one_line(&"é".repeat(1_000));
        assert!(cleaned.split(' ').all(|run| run.len() <= LONGEST_RUN));
        assert_eq!(cleaned.replace(' ', ""), "é".repeat(1_000));
    }
}

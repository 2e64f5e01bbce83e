//! Texts of files and messages, fit for a terminal.

/// A text in which nothing moves a terminal's cursor, or turns its line about: what a file or a
/// message holds is shown, not carried out.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' => shown.push(' '),
            c if c.is_control() || turns_about(c) => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

/// The marks that embed, override or isolate a direction of writing (Unicode Annex 9, section 2).
fn turns_about(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_shown() {
        assert_eq!(
            visible("\u{1b}[2J\u{7} gpj.exe\u{202e}, Zoë\r\na\tb"),
            "\\u{1b}[2J\\u{7} gpj.exe\\u{202e}, Zoë\\r a b"
        );
    }
}

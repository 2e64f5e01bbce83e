//! What a far side said, made fit to be stored and shown.

/// Characters of a remark that are kept. An SMTP reply line has at most 512 bytes (RFC 5321,
/// section 4.5.3.1.5); its beginning is what says why.
const MOST_CHARS: usize = 200;

/// The text on one line, without control characters, bounded.
pub(super) fn remark(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_CHARS {
        return line;
    }
    let mut cut: String = line.chars().take(MOST_CHARS - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_one_bounded_line_of_printable_characters() {
        assert_eq!(
            remark("550 no\r\n\tsuch \0user\u{1b}[2J"),
            "550 no such user [2J"
        );
        let long = remark(&"ä".repeat(5_000));
        assert_eq!(long.chars().count(), MOST_CHARS);
        assert!(long.ends_with('…'));
    }
}

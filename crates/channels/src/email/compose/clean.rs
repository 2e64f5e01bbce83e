//! Text from plans and models, made safe for headers and bodies.

/// Characters of a Message-ID. RFC 5322 folds lines at 998; real ids stay below 200.
const MOST_ID: usize = 250;

/// The text on one line of at most `most` characters: nothing in it ends a header, moves a
/// terminal's cursor, turns the reading direction or hides.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let visible: String = text
        .chars()
        .filter(|&c| !turns_or_hides(c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    // `split_whitespace` knows the line and paragraph separators of Unicode too.
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    // An ASCII text may spell an encoded word (RFC 2047, section 2), which the reader's program
    // would decode into anything.
    let line = line.replace("=?", "= ?");
    line.chars()
        .take(most)
        .collect::<String>()
        .trim_end()
        .to_owned()
}

/// The text of a message: lines ended by CRLF, tabs the only control characters.
pub(super) fn body(text: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let clean: String = unix
        .chars()
        .filter(|&c| c == '\n' || c == '\t' || !c.is_control())
        .collect();
    clean.trim_end().replace('\n', "\r\n")
}

/// A Message-ID with its angle brackets, or `None` when the text is none that could be repeated
/// in a header.
pub(in crate::email) fn message_id(text: &str) -> Option<String> {
    let inner = text.trim();
    let inner = inner
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .unwrap_or(inner);
    let fits = inner.contains('@')
        && inner.len() <= MOST_ID
        // Printable ASCII without what would end the id.
        && inner.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte));
    fits.then(|| format!("<{inner}>"))
}

/// Direction marks and overrides, and characters of no width. The joiners U+200C and U+200D stay:
/// Persian and many emoji need them.
fn turns_or_hides(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}'
            | '\u{061C}'
            | '\u{200B}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("The inspection", "The inspection")]
    #[case("a\r\nBcc: b@example.com", "a Bcc: b@example.com")]
    #[case("a\0\u{b}\u{85}\u{2028}b", "a b")]
    #[case("pay \u{202e}gpj.exe", "pay gpj.exe")]
    #[case("=?utf-8?q?=0D=0ABcc:_x?=", "= ?utf-8?q?=0D=0ABcc:_x?=")]
    #[case("=\u{200b}?utf-8?q?x?=", "= ?utf-8?q?x?=")]
    #[case("  ", "")]
    fn a_header_text_is_one_line(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(one_line(text, 100), expected);
    }

    #[rstest]
    #[case("a@b", Some("<a@b>"))]
    #[case("<a@b>", Some("<a@b>"))]
    #[case("<a@b>\r\nBcc: x@y", None)]
    #[case("<a@b> <c@d>", None)]
    #[case("no id", None)]
    #[case("<ä@b>", None)]
    fn a_message_id_is_taken_whole_or_not_at_all(
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(message_id(text).as_deref(), expected);
    }

    #[test]
    fn a_body_has_one_kind_of_line_end() {
        assert_eq!(body("a\nb\rc\r\nd\0\u{7}\te\n\n"), "a\r\nb\r\nc\r\nd\te");
    }
}

//! Bytes to text, for senders whose declared character set is wrong.

use mail_parser::decoders::charsets::map::charset_decoder;

/// Decodes `bytes`, trusting the bytes over the label where they disagree:
/// text that is valid UTF-8 beyond ASCII is UTF-8 whatever a single-byte label
/// says, since other text is hardly ever valid UTF-8 by accident; what calls
/// itself UTF-8 and mostly is not is read as Windows-1252.
pub(super) fn decode(bytes: &[u8], declared: Option<&str>) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let declared = declared.unwrap_or_default().trim().to_ascii_lowercase();
    let text = if is_utf8_name(&declared) || is_guess(&declared) {
        utf8_or_windows_1252(bytes)
    } else {
        match charset_decoder(declared.as_bytes()) {
            Some(decoder) => decoder(bytes),
            None => utf8_or_windows_1252(bytes),
        }
    };
    // NUL is in no text; stores and models choke on it.
    if text.contains('\0') {
        text.replace('\0', "")
    } else {
        text
    }
}

fn is_utf8_name(name: &str) -> bool {
    matches!(name, "utf-8" | "utf8" | "unicode-1-1-utf-8")
}

/// Labels that software puts on everything.
fn is_guess(name: &str) -> bool {
    matches!(
        name,
        "" | "us-ascii"
            | "ascii"
            | "ansi_x3.4-1968"
            | "iso-8859-1"
            | "latin1"
            | "iso8859-1"
            | "windows-1252"
            | "cp1252"
            | "unknown-8bit"
            | "x-unknown"
    )
}

fn utf8_or_windows_1252(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let lossy = String::from_utf8_lossy(bytes);
    let broken = lossy.matches('\u{FFFD}').count();
    let multibyte = lossy.chars().filter(|c| !c.is_ascii()).count() - broken;
    if multibyte > broken {
        return lossy.into_owned();
    }
    match charset_decoder(b"windows-1252") {
        Some(decoder) => decoder(bytes),
        None => lossy.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn the_bytes_win_over_a_label_that_lies() {
        for (bytes, label, expected) in [
            ("Grüße".as_bytes(), Some("iso-8859-1"), "Grüße"),
            ("Grüße".as_bytes(), Some("us-ascii"), "Grüße"),
            (b"Gr\xFC\xDFe", Some("utf-8"), "Grüße"),
            (b"Gr\xFC\xDFe", None, "Grüße"),
            (b"Gr\xFC\xDFe", Some("no-such-charset"), "Grüße"),
            (b"price 5\x80", Some("iso-8859-1"), "price 5€"),
            (b"\xEF\xBB\xBFyes", Some("utf-8"), "yes"),
            (b"\xBF\xE0\xD8\xD2\xD5\xE2", Some("iso-8859-5"), "Привет"),
            (b"a\0b", Some("utf-8"), "ab"),
        ] {
            assert_eq!(decode(bytes, label), expected, "{label:?}");
        }
    }

    #[test]
    fn one_broken_byte_does_not_spoil_utf8() {
        let mut bytes = "Grüße aus Köln".as_bytes().to_vec();
        bytes.push(0xC3);
        assert_eq!(decode(&bytes, Some("utf-8")), "Grüße aus Köln\u{FFFD}");
    }
}

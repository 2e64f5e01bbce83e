//! Transfer encodings (RFC 2045 section 6), decoded as far as they can be:
//! what does not belong is skipped, never a reason to give up.

use std::borrow::Cow;

/// Undoes the `Content-Transfer-Encoding` named in lower case.
pub(super) fn decode<'a>(bytes: &'a [u8], encoding: &str) -> Cow<'a, [u8]> {
    match encoding {
        "base64" => Cow::Owned(base64(bytes)),
        "quoted-printable" => Cow::Owned(quoted_printable(bytes)),
        _ => Cow::Borrowed(bytes),
    }
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3 + 3);
    let (mut word, mut digits) = (0_u32, 0_u32);
    for &byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            // Padding ends one run; mails glued together have several.
            b'=' => {
                flush_base64(&mut out, word, digits);
                (word, digits) = (0, 0);
                continue;
            }
            _ => continue,
        };
        word = word << 6 | u32::from(value);
        digits += 1;
        if digits == 4 {
            flush_base64(&mut out, word, digits);
            (word, digits) = (0, 0);
        }
    }
    flush_base64(&mut out, word, digits);
    out
}

fn flush_base64(out: &mut Vec<u8>, word: u32, digits: u32) {
    if digits < 2 {
        return;
    }
    let [_, a, b, c] = (word << (6 * (4 - digits))).to_be_bytes();
    out.extend_from_slice(&[a, b, c][..digits as usize - 1]);
}

fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'=' => match (bytes.get(at), bytes.get(at + 1)) {
                (Some(&high), Some(&low))
                    if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
                {
                    out.push(hex(high) << 4 | hex(low));
                    at += 2;
                }
                _ => match soft_break(&bytes[at..]) {
                    Some(length) => at += length,
                    None => out.push(b'='),
                },
            },
            // Blanks at a line's end were added on the way (RFC 2045 6.7 (3)).
            b'\n' => {
                let carriage = out.last() == Some(&b'\r');
                while matches!(out.last(), Some(b' ' | b'\t' | b'\r')) {
                    out.pop();
                }
                if carriage {
                    out.push(b'\r');
                }
                out.push(b'\n');
            }
            _ => out.push(byte),
        }
    }
    out
}

/// The length of the blanks and the line's end after a `=`.
fn soft_break(rest: &[u8]) -> Option<usize> {
    let blanks = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    match rest.get(blanks) {
        Some(b'\n') => Some(blanks + 1),
        None => Some(blanks),
        Some(_) => None,
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.wrapping_sub(b'A').wrapping_add(10),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn encodings_are_undone_as_far_as_they_go() {
        for (encoding, encoded, expected) in [
            ("base64", "SGVsbG8=", "Hello"),
            ("base64", "SGVs\r\nbG8", "Hello"),
            ("base64", "SGVs!!bG8=V29ybGQ=", "HelloWorld"),
            ("base64", "S", ""),
            ("quoted-printable", "a=3Db", "a=b"),
            ("quoted-printable", "soft =\r\nbreak", "soft break"),
            ("quoted-printable", "soft =  \nbreak", "soft break"),
            ("quoted-printable", "100 = 100", "100 = 100"),
            ("quoted-printable", "end  \r\nnext", "end\r\nnext"),
            ("quoted-printable", "cut=", "cut"),
            ("7bit", "as it is", "as it is"),
        ] {
            let decoded = decode(encoded.as_bytes(), encoding);
            assert_eq!(decoded, expected.as_bytes(), "{encoding} {encoded:?}");
        }
    }
}

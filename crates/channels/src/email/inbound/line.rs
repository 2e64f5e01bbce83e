//! Text as lines that remember what the markup said about them.

use super::limits::{MAX_TEXT_BYTES, MAX_TEXT_LINES};

/// What is known of a line before anybody looks at its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing; plain text is all this.
    Own,
    /// Inside a quotation.
    Quoted,
    /// Inside what the mail client keeps as the signature.
    Signature,
    /// The first line of the earlier message; all that follows belongs to it.
    CutFromHere,
}

/// One line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) mark: Mark,
}

impl Line {
    pub(super) fn own(text: impl Into<String>) -> Line {
        Line {
            text: text.into(),
            mark: Mark::Own,
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// The lines of plain text, whatever its line ends.
pub(super) fn of_plain(text: &str) -> Vec<Line> {
    text.replace("\r\n", "\n")
        .split(['\n', '\r', '\u{2028}', '\u{2029}'])
        .map(|line| Line::own(clean(line)))
        .collect()
}

/// The lines of `format=flowed` text, its soft breaks undone (RFC 3676): a
/// line that ends in a blank goes on in the next one of the same quote depth.
pub(super) fn of_flowed(text: &str, delete_space: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open_depth = None;
    for line in of_plain(text) {
        let raw = line.text;
        let depth = raw.chars().take_while(|&c| c == '>').count();
        let content = &raw[depth..];
        // One blank is stuffing (section 4.4).
        let content = content.strip_prefix(' ').unwrap_or(content);
        let soft = content.ends_with(' ') && content != "-- ";
        let kept = if soft && delete_space {
            &content[..content.len() - 1]
        } else {
            content
        };
        match lines.last_mut() {
            Some(last) if open_depth == Some(depth) && content != "-- " => {
                last.text.push_str(kept);
            }
            _ => {
                let marks = ">".repeat(depth);
                let gap = if depth > 0 { " " } else { "" };
                lines.push(Line::own(format!("{marks}{gap}{kept}")));
            }
        }
        open_depth = soft.then_some(depth);
    }
    lines
}

/// Cuts a text at its limits and says whether it was longer.
pub(super) fn limit(lines: &mut Vec<Line>) -> bool {
    let mut room = MAX_TEXT_BYTES;
    for at in 0..lines.len() {
        // The mark and the line's end count, too.
        let needed = lines[at].text.len() + 3;
        if at >= MAX_TEXT_LINES || needed > room {
            let kept = truncated(&lines[at].text, room.saturating_sub(3)).to_owned();
            lines.truncate(at + 1);
            lines[at].text = kept;
            return true;
        }
        room -= needed;
    }
    false
}

/// The lines as one text, quotations marked with `> `.
pub(super) fn join(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let text = line.text.trim_end();
        if out.is_empty() && text.is_empty() {
            continue;
        }
        if line.mark == Mark::Quoted {
            out.push_str(if text.is_empty() { ">" } else { "> " });
        }
        out.push_str(text);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// At most `bytes` of the text, cut between characters.
pub(super) fn truncated(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// One line of text without what cannot be seen: other control characters,
/// byte order marks, soft hyphens. A no-break space is a blank to every reader.
pub(super) fn clean(line: &str) -> String {
    line.chars()
        .filter_map(|c| match c {
            '\u{00A0}' | '\u{202F}' => Some(' '),
            '\t' => Some('\t'),
            '\u{200B}' | '\u{FEFF}' | '\u{00AD}' => None,
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{join, of_flowed, of_plain};

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(join(&of_plain("a\r\nb\rc\nd")), "a\nb\nc\nd");
    }

    #[test]
    fn flowed_lines_are_joined_within_their_depth() {
        let text = "> a question that \n> goes on\nan answer that \ngoes on\n-- \nme";
        assert_eq!(
            join(&of_flowed(text, false)),
            "> a question that goes on\nan answer that goes on\n--\nme"
        );
        assert_eq!(join(&of_flowed("ab \ncd", true)), "abcd");
    }
}

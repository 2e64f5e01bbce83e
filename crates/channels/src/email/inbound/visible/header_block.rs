//! The block of "From: Sent: To: Subject:" lines above an earlier message.

use super::{Fate, separator, words};

/// Lines that a header block may have: seven headers, some of them wrapped.
const MAX_LINES: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    From,
    Sent,
    To,
    Copy,
    Subject,
    Other,
}

/// The length of the header block that starts at this line, a rule above it
/// included. Three kinds of header make one, the sender among them: nobody
/// types that. Below a rule, two are enough.
pub(super) fn length_at(texts: &[&str], fates: &[Fate], at: usize) -> Option<usize> {
    let mut start = at;
    let mut ruled = false;
    if separator::is_rule(texts[at]) {
        ruled = true;
        start = (at + 1..texts.len().min(at + 4)).find(|&line| !texts[line].trim().is_empty())?;
    }
    kind(texts[start])?;
    let mut kinds: Vec<Kind> = Vec::new();
    let mut end = start;
    let mut strangers = 0;
    for line in start..texts.len().min(start + MAX_LINES) {
        if fates[line] != Fate::Own {
            break;
        }
        if let Some(found) = kind(texts[line]) {
            if !kinds.contains(&found) {
                kinds.push(found);
            }
            end = line + 1;
            strangers = 0;
        } else {
            // A wrapped value, or a blank line where each header is a
            // paragraph of its own.
            strangers += 1;
            if strangers > 2 {
                break;
            }
        }
    }
    let enough = kinds.len() >= 3 || ruled && kinds.len() >= 2;
    let sender = kinds.contains(&Kind::From);
    let about = kinds.contains(&Kind::Sent) || kinds.contains(&Kind::Subject);
    (enough && sender && about).then_some(end - at)
}

fn kind(line: &str) -> Option<Kind> {
    /// The longest label has under thirty characters.
    const MAX_LABEL_BYTES: usize = 60;
    let line = line.trim_start().trim_start_matches('*');
    let colon = line.find([':', '：'])?;
    if colon > MAX_LABEL_BYTES {
        return None;
    }
    let label = line[..colon]
        .trim_matches(|c: char| c == '*' || c.is_whitespace())
        .to_lowercase();
    let is = |list: &[&str]| list.contains(&label.as_str());
    if is(words::FROM) {
        Some(Kind::From)
    } else if is(words::SENT) {
        Some(Kind::Sent)
    } else if is(words::TO) {
        Some(Kind::To)
    } else if is(words::COPY) {
        Some(Kind::Copy)
    } else if is(words::SUBJECT) {
        Some(Kind::Subject)
    } else if is(words::OTHER_HEADERS) {
        Some(Kind::Other)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fate;
    use super::length_at;

    fn length(text: &str) -> Option<usize> {
        let texts: Vec<&str> = text.lines().collect();
        length_at(&texts, &vec![Fate::Own; texts.len()], 0)
    }

    #[test]
    fn blocks_in_several_languages_and_dresses() {
        for (text, expected) in [
            ("From: Ann\nSent: Monday\nTo: Bob\nSubject: Keys\n\nHi", 4),
            (
                "*From:* Ann [mailto:\nann@x.example]\n*Sent:* Monday\n*Subject:* Keys",
                4,
            ),
            ("Von: Ann\nGesendet: Montag\nAn: Bob\nBetreff: Schlüssel", 4),
            ("________________\nDe : Ann\nEnvoyé : lundi", 3),
            ("From: Ann\n\nSent: Monday\n\nTo: Bob\n\nSubject: Keys", 7),
        ] {
            assert_eq!(length(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_few_labels_are_not_a_block() {
        for text in [
            "From: the station\nTo: the office",
            "Date: Monday\nSubject: inspection\nTo: do",
            "Note: I will come.\nFrom: Ann\nSent: now\nSubject: x",
            "---\nI will come\nFrom: Monday",
        ] {
            assert_eq!(length(text), None, "{text}");
        }
    }
}

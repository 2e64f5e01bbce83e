//! Signatures under a text.

use super::super::Address;
use super::{separator, words};

/// The words of the sender's name, to know it under a text.
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn of(sender: Option<&Address>) -> Names {
        let Some(sender) = sender else {
            return Names(Vec::new());
        };
        let local = sender.address.split('@').next().unwrap_or_default();
        let name = sender.name.as_deref().unwrap_or_default();
        Names(
            tokens(name)
                .chain(tokens(local))
                .filter(|token| token.chars().count() >= 2)
                .collect(),
        )
    }

    fn known(&self) -> bool {
        !self.0.is_empty()
    }

    fn appear_in(&self, line: &str) -> bool {
        tokens(line).any(|token| self.0.contains(&token))
    }
}

fn tokens(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(str::to_lowercase)
}

/// Cuts signatures off the end of a text and says whether there were any.
/// `all` allows the whole text to be one, where other text stands before it.
pub(super) fn strip(lines: &mut Vec<String>, names: &Names, all: bool) -> bool {
    /// Name, delimiter, device, footer: each round takes at least one line.
    const MAX_ROUNDS: usize = 12;
    let mut stripped = false;
    for _ in 0..MAX_ROUNDS {
        trim(lines, all);
        let keep = if all { 0 } else { 1 };
        let Some(start) = signature_start(lines, names).filter(|&start| {
            keep == 0 || lines[..start].iter().any(|line| !line.trim().is_empty())
        }) else {
            break;
        };
        lines.truncate(start);
        stripped = true;
    }
    stripped
}

/// Whether a text is nothing but what a device adds.
pub(super) fn is_only_device_lines(text: &str) -> bool {
    text.lines()
        .all(|line| line.trim().is_empty() || separator::is_rule(line) || is_device_line(line))
}

/// Takes blank lines and rules off the end.
fn trim(lines: &mut Vec<String>, all: bool) {
    let first = lines.iter().position(|line| !line.trim().is_empty());
    while let Some(last) = lines.last() {
        let blank = last.trim().is_empty();
        let others = first.is_some_and(|first| first < lines.len() - 1);
        if blank || separator::is_rule(last) && (others || all) {
            lines.pop();
        } else {
            return;
        }
    }
}

fn signature_start(lines: &[String], names: &Names) -> Option<usize> {
    let last = lines.len().checked_sub(1)?;
    if is_device_line(&lines[last]) {
        return Some(last);
    }
    delimiter(lines)
        .or_else(|| closing(lines, names))
        .or_else(|| dashed_name(&lines[last], names).then_some(last))
}

/// The `-- ` line (RFC 3676 section 4.3) and its looser kin. The looser, the
/// shorter must be what follows.
fn delimiter(lines: &[String]) -> Option<usize> {
    /// Lines at the end in which one may start, blank ones included.
    const REACH: usize = 80;
    (lines.len().saturating_sub(REACH)..lines.len()).find(|&at| {
        let below: Vec<&str> = lines[at + 1..]
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .collect();
        let line = lines[at].trim_end();
        match line {
            // With its blank it is the standard's, and disclaimers run to a
            // page; without, it may divide a text, which then asks or argues.
            "--" if lines[at].ends_with("-- ") => (1..=25).contains(&below.len()),
            "--" | "\u{2014}" | "\u{2013}" => {
                (1..=15).contains(&below.len()) && !below.iter().any(|line| line.ends_with('?'))
            }
            _ if line.trim().chars().count() >= 20 && line.trim().chars().all(|c| c == '_') => {
                is_footer(&below)
            }
            // A drawn line divides text, too: only a few short lines are a name.
            _ if separator::is_rule(line) => {
                !below.is_empty()
                    && below.len() <= 4
                    && below.iter().all(|line| {
                        line.chars().count() <= 40 && !line.ends_with(['.', '?', '!', ':'])
                    })
                    && looks_like_name(below[0])
            }
            _ => false,
        }
    })
}

/// What mailing lists and companies add below a line of underscores.
fn is_footer(below: &[&str]) -> bool {
    let text = below.join(" ").to_lowercase();
    [
        "mailing list",
        "listinfo",
        "unsubscribe",
        "confidential",
        "disclaimer",
        "vertraulich",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// "Kind regards" and the name, title and numbers under it.
fn closing(lines: &[String], names: &Names) -> Option<usize> {
    /// Name, title, company, address in three lines, two numbers, web, mail.
    const MAX_LINES: usize = 10;
    let mut below: Vec<&str> = Vec::new();
    for at in (0..lines.len()).rev() {
        let line = lines[at].trim();
        if line.is_empty() {
            continue;
        }
        let lower = line.to_lowercase();
        let bare = lower.trim_matches(|c: char| ",.!;:-–—*/ ".contains(c));
        let formal = words::FORMAL_CLOSINGS.contains(&bare);
        let casual = words::CASUAL_CLOSINGS.contains(&bare);
        if formal || casual {
            let name = *below.last()?;
            let named = if names.known() {
                names.appear_in(name) && looks_like_signature(name)
                    || formal && looks_like_name(name)
            } else {
                looks_like_name(name)
            };
            let rest_fits = below.iter().all(|line| looks_like_signature(line));
            return (named && rest_fits).then_some(at);
        }
        below.push(line);
        if below.len() > MAX_LINES {
            return None;
        }
    }
    None
}

/// "-Ann" on a line of its own.
fn dashed_name(line: &str, names: &Names) -> bool {
    let Some(name) = line.trim().strip_prefix('-') else {
        return false;
    };
    let name = name.trim_end_matches('.');
    let fits = name.starts_with(char::is_alphabetic)
        && name.chars().count() <= 30
        && name.split_whitespace().count() <= 3
        && !is_answer(name);
    let is_name = name.split_whitespace().count() == 1 || looks_like_name(name);
    fits && is_name && (!names.known() || names.appear_in(name))
}

/// One to five words, each with a capital or small like "van", no digits.
fn looks_like_name(line: &str) -> bool {
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| ".,!*()\"'".contains(c)))
        .filter(|word| !word.is_empty())
        .collect();
    let particles = [
        "van", "von", "de", "der", "da", "di", "du", "la", "le", "el", "bin", "al", "dos",
    ];
    (1..=5).contains(&words.len())
        && !line.ends_with(['?', ':'])
        && words.iter().all(|word| {
            word.chars()
                .all(|c| c.is_alphabetic() || "-.'’".contains(c))
                && (word.starts_with(char::is_uppercase) || particles.contains(word))
        })
        && words[0].starts_with(char::is_uppercase)
        && !words.iter().any(|word| is_answer(word))
}

fn is_answer(word: &str) -> bool {
    words::NOT_NAMES.contains(&word.to_lowercase().as_str())
}

/// Short, no question, no sentence, no postscript.
fn looks_like_signature(line: &str) -> bool {
    let lower = line.to_lowercase();
    let postscript = ["ps", "p.s", "nb", "n.b"].iter().any(|mark| {
        lower
            .strip_prefix(mark)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let contact = lower.contains('@')
        || lower.contains("www.")
        || lower.contains("http")
        || lower.chars().filter(char::is_ascii_digit).count() >= 6;
    let words = lower.split_whitespace().count();
    !postscript
        && !line.ends_with('?')
        && line.chars().count() <= 100
        && (contact || words <= 6 && !(words >= 4 && line.ends_with(['.', '!'])))
}

/// "Sent from my iPhone" and what other devices and clients add.
fn is_device_line(line: &str) -> bool {
    /// With a link in brackets; longer lines are somebody's words.
    const MAX_CHARS: usize = 160;
    let line = line
        .trim()
        .trim_matches(|c: char| "()<>[]*_-–—\"' ".contains(c));
    if line.is_empty() || line.chars().count() > MAX_CHARS {
        return false;
    }
    let lower = without_link(&line.to_lowercase().replace(['[', ']'], ""));
    if lower.contains('?') {
        return false;
    }
    let Some(prefix) = words::SENT_FROM
        .iter()
        .find(|prefix| lower.starts_with(*prefix))
    else {
        return false;
    };
    let rest = lower[prefix.len()..].trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let device_at = words.iter().position(|word| {
        words::DEVICES
            .iter()
            .any(|device| names_device(word, device))
    });
    let prefix_names_it = words::DEVICES.iter().any(|device| prefix.contains(device));
    let excused = words::EXCUSES.iter().any(|excuse| lower.contains(excuse));
    match device_at {
        Some(at) => at < 5 && (words.len() <= 9 || excused) && !says_more(&words[at..], excused),
        None if prefix_names_it => words.len() <= 6,
        // "Sent from my TI-85": any device of three words, if it ends there.
        None => rest.starts_with("my ") && words.len() <= 4 && !says_more(&words, false),
    }
}

/// Languages hang their endings on a name: "iPhonesta", "Gmaila". A plural is
/// no device that something is sent from.
fn names_device(word: &str, device: &str) -> bool {
    word.find(device)
        .is_some_and(|at| (at == 0 || !device.is_ascii()) && &word[at + device.len()..] != "s")
}

/// After the device, a person may go on: ", yes please", ": Monday is fine".
fn says_more(words: &[&str], excused: bool) -> bool {
    !excused
        && words
            .iter()
            .take(words.len().saturating_sub(1))
            .any(|word| word.ends_with([',', ':', ';', '.', '!']))
}

/// Without the link that a client adds to its advertisement.
fn without_link(text: &str) -> String {
    let end = ["<http", "(http", "<mailto", "https://", "http://"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .unwrap_or(text.len());
    let after = text[end..]
        .find([')', '>'])
        .map_or("", |close| &text[end + close + 1..]);
    format!("{} {}", text[..end].trim_end(), after.trim())
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::Address;
    use super::{Names, is_device_line, strip};

    fn stripped(text: &str, name: Option<&str>) -> String {
        let sender = name.map(|name| Address {
            name: Some(name.to_owned()),
            address: "x@y.example".to_owned(),
        });
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        strip(&mut lines, &Names::of(sender.as_ref()), false);
        lines.join("\n")
    }

    #[test]
    fn device_lines_are_known() {
        for line in [
            "Sent from my iPhone",
            "Sent from my Galaxy S9, please excuse typos.",
            "Sent from Mail for Windows 10",
            "Get Outlook for iOS<https://aka.ms/o0ukef>",
            "Von meinem iPhone gesendet",
            "Envoyé de mon iPhone",
            "Enviado desde mi iPhone",
            "Verstuurd vanaf mijn iPad",
            "(sent from a phone)",
            "发自我的 iPhone",
        ] {
            assert!(is_device_line(line), "{line}");
        }
        for line in [
            "Sent from my desk, is much easier than my phone.",
            "Sent from my phone: yes, the agency please",
            "Sent from my phone so keep it short, the agency please",
            "Sent by post on Monday",
            "Sent from a magnificent torch of pixels",
            "From my side Monday is fine",
            "Gesendet von Herrn Maier am Montag",
            "Can it be sent from my phone?",
        ] {
            assert!(!is_device_line(line), "{line}");
        }
    }

    #[test]
    fn signatures_are_cut() {
        for (text, name) in [
            ("Monday works.\n-- \nAnn Lee\nLee Ltd", None),
            ("Monday works.\n--\nAnn Lee", None),
            (
                "Monday works.\n\nKind regards,\n\nAnn Lee\nCEO, Lee Ltd\n+44 20 7946 0000",
                None,
            ),
            ("Monday works.\n\nThanks!\nAnn", Some("Ann Lee")),
            ("Monday works.\nBest regards\nann", Some("Ann Lee")),
            ("Monday works.\n-Ann", Some("Ann Lee")),
            (
                "Monday works.\n\nCordialement,\nAnn Lee\n\nEnvoyé de mon iPhone",
                None,
            ),
        ] {
            assert_eq!(stripped(text, name), "Monday works.", "{text}");
        }
    }

    #[test]
    fn answers_below_a_closing_are_kept() {
        for (text, name) in [
            ("Thanks!\nAgency", None),
            ("Hello.\nThanks!\nLandlord", Some("Ann Lee")),
            ("Hello.\nThanks,\nMonday works", None),
            ("Hello.\nRegards\nAnn Lee\nPS: the agency, please", None),
            ("Hello.\nRegards,\nAnn\n\nIs Monday fine?", None),
            ("Options:\n-agency", None),
            ("Hello.\n-yes", None),
            ("Hello.\n---\nI would rather do it on Monday.", None),
            ("Best Regards", None),
        ] {
            assert_eq!(stripped(text, name), text, "{text}");
        }
    }
}

//! The line (often wrapped) that introduces a quotation: "On Monday, Ann Lee
//! <ann@example.com> wrote:", in any language that puts a date and an address
//! there, and with the verb in those we know.

use super::{Fate, words};

/// An introduction found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attribution {
    /// Lines it takes.
    pub(super) lines: usize,
    /// Sure enough to cut on, even if no marked quotation follows.
    pub(super) stands_alone: bool,
}

/// Lines that one introduction is wrapped over, blank ones included: Polymail
/// writes name, empty line, `<`, address and verb on lines of their own.
const MAX_LINES: usize = 6;

/// Characters of one introduction. Names and addresses of 64 and 254
/// characters, a date, twice a `mailto:`.
const MAX_CHARS: usize = 600;

/// The introduction that starts at this line.
pub(super) fn at(texts: &[&str], fates: &[Fate], at: usize) -> Option<Attribution> {
    if texts[at].trim().is_empty() {
        return None;
    }
    let mut joined = String::new();
    let last = texts.len().min(at + MAX_LINES);
    for line in at..last {
        let text = texts[line].trim();
        if fates[line] != Fate::Own {
            return None;
        }
        if text.is_empty() {
            let goes_on = texts[line + 1..last]
                .iter()
                .map(|next| next.trim())
                .find(|next| !next.is_empty())
                .is_some_and(|next| next.starts_with('<') && next.len() < 60);
            if line == at || !goes_on {
                return None;
            }
            continue;
        }
        joined.push(' ');
        joined.push_str(text);
        if joined.len() > MAX_CHARS {
            return None;
        }
        if !may_end(text) {
            continue;
        }
        let shape = Shape::of(&joined);
        let followed = quote_follows(fates, texts, line + 1);
        let name_first_fits = line - at <= 1 && texts[at].contains('@') || line == at;
        let Some(stands_alone) = shape.verdict(followed, name_first_fits) else {
            continue;
        };
        // Own words that run into the introduction below them are not part of
        // it: it starts where its last start is.
        let starts_again = |later: usize| {
            starts_dated(&texts[later].trim().to_lowercase())
                && self::at(texts, fates, later).is_some()
        };
        if (at + 1..=line).any(starts_again) {
            return None;
        }
        return Some(Attribution {
            lines: line + 1 - at,
            stands_alone,
        });
    }
    None
}

/// The words before an introduction that stands in the middle of a line, where
/// a converter lost the line ends. Only the complete shape counts here.
pub(super) fn in_the_middle(line: &str) -> Option<&str> {
    /// From the first word to the bracket: a date and a name.
    const MAX_LEAD_BYTES: usize = 160;
    let opening = line.find("> wrote:").or_else(|| line.find("> schrieb:"))?;
    let bracket = line[..opening].rfind('<')?;
    if !line[bracket..opening].contains('@') {
        return None;
    }
    let start = [" On ", " Am "]
        .iter()
        .filter_map(|word| line[..bracket].rfind(word))
        .max()?;
    let lead = &line[start..bracket];
    (lead.len() <= MAX_LEAD_BYTES && has_date(lead)).then(|| line[..start].trim_end())
}

/// What the last line of an introduction must have; most lines do not, which
/// spares looking at them.
fn may_end(line: &str) -> bool {
    line.contains('@') || {
        let tail = line.trim_end_matches(|c: char| ":：-* ".contains(c));
        tail.len() < line.len() || {
            let lower = tail.to_lowercase();
            words::WROTE.iter().any(|verb| lower.ends_with(verb))
        }
    }
}

fn quote_follows(fates: &[Fate], texts: &[&str], from: usize) -> bool {
    (from..texts.len())
        .find(|&line| !texts[line].trim().is_empty() || fates[line] == Fate::Quoted)
        .is_some_and(|line| fates[line] == Fate::Quoted)
}

/// What a candidate looks like. Only the cheap questions are answered at once.
struct Shape {
    lower: String,
    starts_dated: bool,
    address_end: Option<usize>,
    colon: bool,
    short: bool,
}

impl Shape {
    fn of(text: &str) -> Shape {
        let lower = text.trim().trim_matches('*').to_lowercase();
        let bare = lower.trim_end_matches(|c: char| c == '-' || c.is_whitespace());
        Shape {
            starts_dated: starts_dated(&lower),
            address_end: address_end(&lower),
            colon: bare.ends_with([':', '：']),
            short: lower.split_whitespace().count() <= 30,
            lower,
        }
    }

    /// Whether it introduces a quotation, and if so whether it stands alone.
    fn verdict(&self, followed: bool, name_first_fits: bool) -> Option<bool> {
        let address = self.address_end.is_some();
        if !self.short || !(self.starts_dated || address || followed) {
            return None;
        }
        let date = has_date(&self.lower);
        let dated = self.starts_dated && date;
        if dated && address && (self.colon && self.ends_at_address() || self.verb_at_end()) {
            return Some(true);
        }
        if dated && has_time(&self.lower) && self.verb_at_end() {
            return Some(true);
        }
        // "Ann Lee <ann@example.com> schrieb am 28. April:"
        if name_first_fits && self.colon && (date || followed) && self.verb_after_address() {
            return Some(date);
        }
        if !followed {
            return None;
        }
        let with_verb = (self.colon || date) && (dated || name_first_fits) && self.verb_at_end();
        // "Am 04.03.24 um 09:13 schrieb Ann Lee:"
        let with_verb_inside = dated && self.colon && self.verb_inside();
        let with_address = dated && address && self.ends_at_address();
        (with_verb || with_verb_inside || with_address).then_some(false)
    }

    fn verb_at_end(&self) -> bool {
        let end = self
            .lower
            .trim_end_matches(|c: char| ":：*-".contains(c) || c.is_whitespace());
        words::WROTE.iter().any(|verb| ends_with_word(end, verb))
    }

    fn verb_inside(&self) -> bool {
        words::WROTE.iter().any(|verb| {
            // Short and everyday words stand inside any sentence.
            verb.len() >= 5
                && self.lower.find(verb).is_some_and(|at| {
                    self.lower[..at].ends_with(' ')
                        && self.lower[at + verb.len()..].starts_with(' ')
                })
        })
    }

    /// What follows the last address, without the signs at the end.
    fn after_address(&self) -> Option<&str> {
        let after = self.lower[self.address_end?..].trim_start();
        Some(after.trim_end_matches(|c: char| ":：-".contains(c) || c.is_whitespace()))
    }

    fn ends_at_address(&self) -> bool {
        self.after_address().is_some_and(str::is_empty)
    }

    fn verb_after_address(&self) -> bool {
        self.after_address()
            .is_some_and(|after| words::WROTE.iter().any(|verb| after.starts_with(verb)))
    }
}

/// The end of the last address, closing brackets and quotes included.
fn address_end(lower: &str) -> Option<usize> {
    let sign = lower.rfind('@')?;
    let domain = lower[sign + 1..]
        .find(|c: char| !(c.is_alphanumeric() || ".-_".contains(c)))
        .map_or(lower.len(), |end| sign + 1 + end);
    if domain == sign + 1 {
        return None;
    }
    let closing = lower[domain..]
        .find(|c: char| !(">)]\"'”*".contains(c) || c.is_whitespace()))
        .map_or(lower.len(), |end| domain + end);
    Some(closing)
}

/// Begins like a date: "On Mon", "Le 23", "2016-10-24", "pe 20.", "Wed,".
fn starts_dated(lower: &str) -> bool {
    let lower = lower.trim_start_matches(|c: char| "-–— ".contains(c));
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    if has_digit(first) && first.len() <= 40 {
        return true;
    }
    let near_digit = lower.split_whitespace().skip(1).take(4).any(has_digit);
    if !near_digit {
        return false;
    }
    words::ON.contains(&first)
        // A weekday, in whatever language: a short word, then the day.
        || first.trim_end_matches([',', '.']).chars().count() <= 10
            && lower.split_whitespace().nth(1).is_some_and(has_digit)
}

/// A year, a clock time, or a numeric date.
fn has_date(text: &str) -> bool {
    has_time(text)
        || digit_groups(text).any(|(group, next)| {
            let year = group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
            let part = group.len() <= 2 && matches!(next, Some('/' | '.' | '-' | '年' | '月'));
            year || part
        })
}

fn has_time(text: &str) -> bool {
    digit_groups(text)
        .any(|(group, next)| group.len() <= 2 && matches!(next, Some(':' | 'h' | '：')))
        || text.contains(" klo ")
}

/// Runs of digits, each with the character after it if a digit comes next.
fn digit_groups(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        let tail = &rest[start..];
        let end = tail
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (group, after) = tail.split_at(end);
        rest = after;
        let mut next = after.chars();
        let sign = next.next();
        let joined = next
            .next()
            .is_some_and(|c| c.is_ascii_digit() || c.is_alphabetic() || c == ' ');
        Some((group, sign.filter(|_| joined)))
    })
}

/// The verb at the end, as a word of its own; scripts without blanks aside.
fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(before) = text.strip_suffix(word) else {
        return false;
    };
    let boundary = before.chars().next_back();
    boundary.is_none_or(|c| !c.is_alphanumeric() || !word.is_ascii() && u32::from(c) > 0x2E00)
}

#[cfg(test)]
mod tests {
    use super::super::Fate;
    use super::{Attribution, at, in_the_middle};

    fn found(text: &str) -> Option<Attribution> {
        let texts: Vec<&str> = text.lines().collect();
        let fates: Vec<Fate> = texts
            .iter()
            .map(|line| {
                if line.starts_with('>') {
                    Fate::Quoted
                } else {
                    Fate::Own
                }
            })
            .collect();
        at(&texts, &fates, 0)
    }

    #[test]
    fn introductions_that_stand_alone() {
        for (text, lines) in [
            (
                "On Mon, Mar 4, 2024 at 9:13 AM Ann Lee <ann@x.example> wrote:",
                1,
            ),
            (
                "On Mon, Mar 4, 2024 at 9:13 AM Ann Lee <\nann@x.example> wrote:",
                2,
            ),
            (
                "On 4 Mar 2024, at 09:13, Ann Lee <ann@x.example>\nwrote:",
                2,
            ),
            ("Am 04.03.2024 um 09:13 schrieb Ann Lee <ann@x.example>:", 1),
            (
                "Le lun. 4 mars 2024 à 09:13, Ann Lee <ann@x.example> a écrit :",
                1,
            ),
            (
                "El lun, 4 mar 2024 a las 9:13, Ann (<ann@x.example>) escribió:",
                1,
            ),
            (
                "Em seg., 4 de mar. de 2024 às 09:13, Ann <ann@x.example> escreveu:",
                1,
            ),
            (
                "Il giorno lun 4 mar 2024 alle ore 09:13 Ann <ann@x.example> ha scritto:",
                1,
            ),
            (
                "Op ma 4 mrt 2024 om 09:13 schreef Ann Lee <ann@x.example>:",
                1,
            ),
            (
                "Den mån 4 mars 2024 kl 09:13 skrev Ann Lee <ann@x.example>:",
                1,
            ),
            (
                "pon., 4 mar 2024 o 09:13 Ann Lee <ann@x.example> napisał(a):",
                1,
            ),
            ("пн, 4 мар. 2024 г. в 09:13, Ann Lee <ann@x.example>:", 1),
            (
                "Ann Lee <ann@x.example> schrieb am Mo., 4. März 2024, 09:13:",
                1,
            ),
        ] {
            assert_eq!(
                found(text),
                Some(Attribution {
                    lines,
                    stands_alone: true
                }),
                "{text}"
            );
        }
    }

    #[test]
    fn introductions_that_need_their_quotation() {
        let line = "Ann Lee <ann@x.example> wrote:";
        assert_eq!(found(line), None);
        assert!(found(&format!("{line}\n\n> text")).is_some());
        assert!(found("Ann wrote:\n> text").is_some());
    }

    #[test]
    fn prose_is_not_an_introduction() {
        for text in [
            "On the other hand, I wrote:",
            "On Monday I can do 9 or 10.\nThe tenant wrote:",
            "Please mail it to ann@x.example before 12/05/2024:",
            "On 12 May the tenant wrote:\nI cannot come.",
            "My answers:\n> text",
            "Here is what I think on 4 March 2024 at 09:13:",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn own_words_are_not_drawn_into_the_introduction() {
        let text =
            "On Monday I am out 9 to 5.\nOn Mon, Mar 4, 2024 at 9:13 AM Ann <a@x.example> wrote:";
        assert_eq!(found(text), None);
    }

    #[test]
    fn an_introduction_in_the_middle_of_a_line() {
        assert_eq!(
            in_the_middle("Yes please. On 4/3/24, Ann <a@x.example> wrote: Will you?"),
            Some("Yes please.")
        );
        assert_eq!(in_the_middle("On the table I wrote: yes"), None);
    }
}

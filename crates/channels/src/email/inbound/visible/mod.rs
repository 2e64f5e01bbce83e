//! What a person wrote in this very message: quotations, introductions of
//! quotations and signatures cut away, replies between quoted lines kept.
//!
//! An answer that is lost is worse than a quotation that leaks, so every cut
//! needs a shape that people do not type, and a text of which nothing would be
//! left is given back as it was.

mod attribution;
mod header_block;
mod separator;
mod signature;
mod words;

use super::Address;
use super::line::{self, Line, Mark};

/// The person's own words and how they were told apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visible {
    /// The words. Empty when the whole text is a quotation.
    pub text: String,
    /// A quotation was cut away.
    pub quoted: bool,
    /// A signature was cut away.
    pub signature: bool,
    /// The quotation had no marks of its own and was cut to the end of the
    /// message: an answer typed inside it cannot be told from it.
    pub unmarked: bool,
    /// Cutting would have left nothing, so nothing was cut.
    pub fallback: bool,
}

/// The visible text of plain text, of at most its first megabyte. `sender` helps to recognise a name under
/// the text as the sender's.
pub fn visible(text: &str, sender: Option<&Address>) -> Visible {
    let mut lines = line::of_plain(text);
    line::limit(&mut lines);
    of_lines(&lines, sender)
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Own,
    /// Quoted, or the introduction of a quotation.
    Quoted,
    /// Below an introduction, without marks.
    Cut,
    Signature,
}

pub(super) fn of_lines(lines: &[Line], sender: Option<&Address>) -> Visible {
    let mut sheet = Sheet::new(lines);
    sheet.cut_at_markup();
    sheet.cut_at_separators();
    sheet.take_out_attributions();
    let quoted = sheet.fates.contains(&Fate::Quoted);
    let unmarked = sheet.fates.contains(&Fate::Cut);
    let mut signature = sheet.fates.contains(&Fate::Signature);

    let names = signature::Names::of(sender);
    let mut segments = sheet.segments(Fate::Own);
    // From the last one on: a signature below the quotation hides no other.
    while let Some(mut last) = segments.pop() {
        signature |= signature::strip(&mut last, &names, !segments.is_empty());
        if last.iter().any(|line| !line.trim().is_empty()) {
            segments.push(last);
            break;
        }
    }
    let mut text = join(&segments);
    if signature::is_only_device_lines(&text) {
        // A phone's line above a quotation: nothing was written.
        text.clear();
    }
    let mut seen = Visible {
        text,
        quoted: quoted || unmarked,
        signature,
        unmarked,
        fallback: false,
    };
    if seen.text.is_empty() {
        seen.fall_back(&sheet);
    }
    seen
}

impl Visible {
    /// Nothing is left. A message that is all quotation stays empty; one whose
    /// only own words looked like a signature shows them; one that was cut by
    /// an introduction at its very top may be answered below, unmarked.
    fn fall_back(&mut self, sheet: &Sheet<'_>) {
        let own = join(&sheet.segments(Fate::Own));
        let text = if !own.is_empty() && !signature::is_only_device_lines(&own) {
            own
        } else if sheet.cut_by_attribution && own.is_empty() {
            join(&[sheet.texts.iter().map(|&text| text.to_owned()).collect()])
        } else {
            return;
        };
        *self = Visible {
            text,
            fallback: true,
            ..Visible::default()
        };
    }
}

/// The lines and what becomes of them.
struct Sheet<'a> {
    texts: Vec<&'a str>,
    marks: Vec<Mark>,
    fates: Vec<Fate>,
    cut_by_attribution: bool,
}

impl<'a> Sheet<'a> {
    fn new(lines: &'a [Line]) -> Sheet<'a> {
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let fates = lines
            .iter()
            .enumerate()
            .map(|(at, line)| match line.mark {
                Mark::Quoted => Fate::Quoted,
                Mark::Signature => Fate::Signature,
                _ if is_quoted(&texts, at) => Fate::Quoted,
                _ => Fate::Own,
            })
            .collect();
        Sheet {
            texts,
            marks: lines.iter().map(|line| line.mark).collect(),
            fates,
            cut_by_attribution: false,
        }
    }

    fn cut_at_markup(&mut self) {
        if let Some(at) = self
            .marks
            .iter()
            .position(|&mark| mark == Mark::CutFromHere)
        {
            self.cut(at);
        }
    }

    /// "Original message" and header blocks: nothing below is the person's,
    /// unless what follows carries quote marks of its own.
    fn cut_at_separators(&mut self) {
        let mut at = 0;
        while at < self.texts.len() {
            let length = if self.fates[at] != Fate::Own {
                None
            } else if separator::is_separator(self.texts[at]) {
                Some(1)
            } else {
                header_block::length_at(&self.texts, &self.fates, at)
            };
            if let Some(length) = length {
                let end = at + length;
                let next = (end..self.texts.len()).find(|&i| !self.texts[i].trim().is_empty());
                if next.is_some_and(|next| self.fates[next] == Fate::Quoted) {
                    self.fates[at..end].fill(Fate::Quoted);
                } else {
                    self.cut(at);
                    return;
                }
            }
            at += length.unwrap_or(1);
        }
    }

    fn take_out_attributions(&mut self) {
        let mut at = 0;
        while at < self.texts.len() {
            if self.fates[at] == Fate::Own
                && let Some(found) = attribution::at(&self.texts, &self.fates, at)
            {
                let end = at + found.lines;
                let next = (end..self.texts.len()).find(|&i| !self.texts[i].trim().is_empty());
                let before_quote = next.is_none_or(|next| self.fates[next] != Fate::Own);
                if before_quote {
                    self.fates[at..end].fill(Fate::Quoted);
                    at = end;
                    continue;
                }
                if found.stands_alone {
                    if self.has_own_text_before(at) {
                        self.cut(at);
                        return;
                    }
                    // Answered below, or not at all: without marks nobody can
                    // tell, but marked lines further down do.
                    if self.fates[end..].contains(&Fate::Quoted) {
                        self.fates[at..end].fill(Fate::Quoted);
                    } else {
                        self.cut(at);
                        self.cut_by_attribution = true;
                        return;
                    }
                }
            } else if self.fates[at] == Fate::Own
                && let Some(head) = attribution::in_the_middle(self.texts[at])
            {
                // Everything on one line: what some converters make of HTML.
                self.cut(at + 1);
                self.texts[at] = head;
                return;
            }
            at += 1;
        }
    }

    fn has_own_text_before(&self, at: usize) -> bool {
        (0..at).any(|i| self.fates[i] == Fate::Own && !self.texts[i].trim().is_empty())
    }

    fn cut(&mut self, at: usize) {
        for (fate, text) in self.fates[at..].iter_mut().zip(&self.texts[at..]) {
            if *fate != Fate::Quoted && !text.trim().is_empty() {
                *fate = Fate::Cut;
            }
        }
    }

    /// Runs of lines with this fate.
    fn segments(&self, fate: Fate) -> Vec<Vec<String>> {
        let mut segments = Vec::new();
        let mut current: Vec<String> = Vec::new();
        for (text, found) in self.texts.iter().zip(&self.fates) {
            if *found == fate {
                current.push((*text).to_owned());
            } else if !current.is_empty() {
                segments.push(std::mem::take(&mut current));
            }
        }
        segments.push(current);
        segments.retain(|segment| segment.iter().any(|line| !line.trim().is_empty()));
        segments
    }
}

/// Marked with `>`. A single line that starts so and then goes on with a
/// number ("> 50 is too much") is a person comparing, unless it has company.
fn is_quoted(texts: &[&str], at: usize) -> bool {
    let Some(rest) = quote_mark(texts[at]) else {
        // A link that was wrapped in the middle of a quotation keeps the mark
        // of the line that it broke out of at its end.
        return texts[at].trim_end().ends_with(" >")
            && at > 0
            && quote_mark(texts[at - 1]).is_some()
            && texts
                .get(at + 1)
                .is_some_and(|next| quote_mark(next).is_some());
    };
    if is_verb(rest) {
        return false;
    }
    let alone = at
        .checked_sub(1)
        .is_none_or(|before| quote_mark(texts[before]).is_none())
        && texts
            .get(at + 1)
            .is_none_or(|after| quote_mark(after).is_none());
    let compares = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let introduced = texts[..at]
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.trim_end().ends_with(':'));
    !(alone && compares && !introduced)
}

/// "> wrote:", where the bracket closes an address on the line before.
fn is_verb(rest: &str) -> bool {
    let bare = rest.trim().trim_end_matches(':').trim_end().to_lowercase();
    words::WROTE.contains(&bare.as_str())
}

/// The rest of a line after its first quote mark.
fn quote_mark(line: &str) -> Option<&str> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent > 3 {
        return None;
    }
    line[indent..].strip_prefix('>')
}

fn join(segments: &[Vec<String>]) -> String {
    segments
        .iter()
        .map(|segment| {
            let lines: Vec<&str> = segment.iter().map(|line| line.trim_end()).collect();
            let text = lines.join("\n");
            // Indentation of the first line stays, blank lines go.
            let start = text.len() - text.trim_start_matches('\n').len();
            text[start..].trim_end().to_owned()
        })
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
        .trim()
        .to_owned()
}

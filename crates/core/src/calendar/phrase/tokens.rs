//! A text as words, numbers and punctuation, and the questions rules ask about a place in it.

use std::ops::Range;

use jiff::civil::{Date, DateTime};

use super::DayMonthOrder;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of letters, with inner apostrophes (`o'clock`, `week's`).
    Word,
    /// A run of ASCII digits. The value is meaningless beyond nine digits; no rule reads more than four.
    Number { value: u32, digits: usize },
    /// Any other single character.
    Mark(char),
    /// A blank line: no date expression reaches across it.
    Break,
    /// A web or mail address, in which nothing is a date.
    Address,
}

/// One token with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// As written.
    pub(super) text: &'t str,
    /// In lower case, with straight apostrophes.
    pub(super) lower: String,
    pub(super) span: Range<usize>,
    /// No white space stands between this token and the one before it.
    pub(super) glued: bool,
}

/// Splits a text into tokens. Their spans are byte ranges on character boundaries.
pub(super) fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut glued = false;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            let end = run(text, at, char::is_whitespace);
            if text[at..end].matches('\n').count() > 1 {
                push(&mut tokens, text, at..end, Kind::Break, false);
            }
            at = end;
            glued = false;
            continue;
        }
        let (kind, end) = if let Some(end) = (!glued).then(|| address_end(text, at)).flatten() {
            (Kind::Address, end)
        } else if first.is_ascii_digit() {
            let end = run(text, at, |c| c.is_ascii_digit());
            let digits = end - at;
            let value = text[at..end].parse().unwrap_or(u32::MAX);
            (Kind::Number { value, digits }, end)
        } else if first.is_alphabetic() {
            (Kind::Word, word_end(text, at))
        } else {
            (Kind::Mark(first), at + first.len_utf8())
        };
        push(&mut tokens, text, at..end, kind, glued);
        glued = true;
        at = end;
    }
    tokens
}

fn push<'t>(
    tokens: &mut Vec<Token<'t>>,
    text: &'t str,
    span: Range<usize>,
    kind: Kind,
    glued: bool,
) {
    let written = &text[span.clone()];
    tokens.push(Token {
        kind,
        text: written,
        lower: written.to_lowercase().replace('\u{2019}', "'"),
        span,
        glued,
    });
}

fn run(text: &str, at: usize, belongs: impl Fn(char) -> bool) -> usize {
    text[at..]
        .find(|c| !belongs(c))
        .map_or(text.len(), |length| at + length)
}

/// A word ends at the first character that is no letter, except an apostrophe between two letters.
fn word_end(text: &str, at: usize) -> usize {
    let mut end = run(text, at, char::is_alphabetic);
    loop {
        let mut rest = text[end..].chars();
        match (rest.next(), rest.next()) {
            (Some('\'' | '\u{2019}'), Some(letter)) if letter.is_alphabetic() => {
                end = run(text, text.len() - rest.as_str().len(), char::is_alphabetic);
            }
            _ => return end,
        }
    }
}

/// `@ 3pm` and `@3pm` are no addresses: something must stand before the sign.
fn address_end(text: &str, at: usize) -> Option<usize> {
    let end = run(text, at, |c| !c.is_whitespace());
    let chunk = &text[at..end];
    let address = chunk.contains("://")
        || chunk.starts_with("www.")
        || chunk.find('@').is_some_and(|place| place > 0);
    address.then_some(end)
}

/// The tokens of a text, and what its dates are relative to.
pub(super) struct Reader<'t> {
    pub(super) tokens: &'t [Token<'t>],
    pub(super) reference: DateTime,
    pub(super) order: DayMonthOrder,
    /// A date was found further left: "the following week" may then follow that date.
    pub(super) after_another: bool,
}

impl Reader<'_> {
    /// The day on which the message was written.
    pub(super) fn today(&self) -> Date {
        self.reference.date()
    }

    /// The word at a place, in lower case; empty if there is none.
    pub(super) fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Word => &token.lower,
            _ => "",
        }
    }

    /// The word before a place, in lower case; empty if there is none.
    pub(super) fn word_before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub(super) fn is(&self, at: usize, words: &[&str]) -> bool {
        let word = self.word(at);
        !word.is_empty() && words.contains(&word)
    }

    /// Moves past one of the words, if one is there.
    pub(super) fn skip(&self, at: usize, words: &[&str]) -> usize {
        at + usize::from(self.is(at, words))
    }

    /// Moves past a fixed sequence of words.
    pub(super) fn phrase(&self, at: usize, words: &str) -> Option<usize> {
        let mut end = at;
        for word in words.split(' ') {
            if self.word(end) != word {
                return None;
            }
            end += 1;
        }
        Some(end)
    }

    /// Moves past the first of several fixed sequences that stands here.
    pub(super) fn phrases(&self, at: usize, alternatives: &[&str]) -> Option<usize> {
        alternatives.iter().find_map(|words| self.phrase(at, words))
    }

    pub(super) fn mark(&self, at: usize, mark: char) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.kind == Kind::Mark(mark))
    }

    /// Moves past one of the marks, if one is there.
    pub(super) fn skip_mark(&self, at: usize, marks: &[char]) -> usize {
        let there = matches!(self.tokens.get(at), Some(Token { kind: Kind::Mark(c), .. }) if marks.contains(c));
        at + usize::from(there)
    }

    /// A run of at most four digits, with its length.
    pub(super) fn digits(&self, at: usize) -> Option<(u32, usize)> {
        match self.tokens.get(at)?.kind {
            Kind::Number { value, digits } if digits <= 4 => Some((value, digits)),
            _ => None,
        }
    }

    pub(super) fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.glued)
    }

    pub(super) fn capitalised(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.text.starts_with(char::is_uppercase))
    }

    /// Nothing is attached on the left that would make this part of something else: a price, a
    /// telephone number, a version, a hyphenated word.
    pub(super) fn starts_cleanly(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) else {
            return true;
        };
        if !self.glued(at) {
            return !matches!(
                before.kind,
                Kind::Mark('$' | '\u{20ac}' | '\u{a3}' | '#' | '+')
            );
        }
        // The second half of "Mon-Fri".
        let weekday_at = |place: usize| super::words::weekday(self.word(place)).is_some();
        if before.kind == Kind::Mark('-') && weekday_at(at) && at >= 2 && weekday_at(at - 2) {
            return true;
        }
        // The second half of an ISO 8601 interval.
        if before.kind == Kind::Mark('/') && matches!(self.digits(at), Some((_, 4))) {
            return true;
        }
        matches!(
            before.kind,
            Kind::Mark(
                '(' | '['
                    | '"'
                    | '\''
                    | '*'
                    | '_'
                    | '>'
                    | '<'
                    | '~'
                    | ','
                    | ';'
                    | ':'
                    | '!'
                    | '@'
                    | '\u{2013}'
                    | '\u{2014}'
                    | '\u{2018}'
                    | '\u{201c}'
            )
        ) && !(matches!(before.kind, Kind::Mark(',' | ':' | '@'))
            && self.glued(at - 1)
            && at >= 2
            && matches!(self.tokens[at - 2].kind, Kind::Number { .. }))
    }

    /// Nothing is attached on the right that would make this part of something else.
    pub(super) fn ends_cleanly(&self, end: usize) -> bool {
        let Some(next) = self.tokens.get(end).filter(|next| next.glued) else {
            return !matches!(
                self.tokens.get(end).map(|next| next.kind),
                Some(Kind::Mark('%' | '\u{20ac}' | '\u{a3}' | '$'))
            );
        };
        match next.kind {
            Kind::Word | Kind::Number { .. } | Kind::Address => false,
            Kind::Mark('-' | ':' | '.' | ',' | '\'' | '\u{2019}') => {
                !self.glued(end + 1)
                    || !matches!(
                        self.tokens.get(end + 1).map(|token| token.kind),
                        Some(Kind::Number { .. } | Kind::Word)
                    )
            }
            Kind::Mark(mark) => !matches!(
                mark,
                '/' | '%' | '\u{b0}' | '\u{20ac}' | '\u{a3}' | '$' | '@' | '_' | '=' | '&'
            ),
            Kind::Break => true,
        }
    }

    /// The clause goes on in a way that shows the number before it is not counting something:
    /// "at 3 or 4" and "the 12th works", but not "at 3 locations" or "the 12th floor".
    pub(super) fn is_closed(&self, end: usize) -> bool {
        const CLOSING: &[&str] = &[
            "and", "as", "at", "because", "but", "can", "could", "fits", "for", "from", "if", "in",
            "instead", "is", "might", "may", "on", "or", "please", "should", "so", "sounds",
            "suits", "thanks", "then", "till", "to", "until", "was", "when", "will", "with",
            "work", "works", "would", "today", "tomorrow", "tonight", "sharp", "i", "we", "it",
            "you", "that", "which", "by", "after", "before", "okay", "ok", "only", "too", "this",
            "next", "onwards", "onward", "latest",
        ];
        match self.tokens.get(end).map(|token| token.kind) {
            None | Some(Kind::Break) => true,
            Some(Kind::Mark(_)) => self.ends_cleanly(end),
            Some(Kind::Word) => self.is(end, CLOSING) && !self.glued(end),
            Some(Kind::Number { .. } | Kind::Address) => false,
        }
    }

    /// What follows makes an address of it: "12 May Street", "5/12 Smith Road".
    pub(super) fn is_street(&self, end: usize) -> bool {
        const STREETS: &[&str] = &[
            "street",
            "st",
            "road",
            "rd",
            "avenue",
            "ave",
            "lane",
            "ln",
            "drive",
            "dr",
            "court",
            "crescent",
            "square",
            "terrace",
            "way",
            "place",
            "gardens",
            "boulevard",
            "blvd",
            "grove",
            "hill",
            "close",
            "mews",
            "row",
        ];
        (end..end + 3)
            .take_while(|&place| self.capitalised(place) || self.is(place, STREETS))
            .any(|place| {
                self.is(place, STREETS)
                    && !(self.word(place) == "close" && self.word(place + 1) == "of")
            })
    }
}

//! Where a quote stands in the words, and what stands around it.

use super::Quote;
use crate::{form::ReadRequest, value::words};
use std::ops::Range;

/// A piece of one of the request's texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage<'r> {
    /// Which of the request's words.
    pub(super) words: usize,
    /// Their whole text.
    pub(super) text: &'r str,
    /// The piece.
    pub(super) span: Range<usize>,
}

impl<'r> Passage<'r> {
    /// Finds the words that a reader quoted, in the newest text that holds them. They must stand
    /// there verbatim, but for the width of white space and the shape of apostrophes and quotation
    /// marks, which models copy loosely; what is kept is always what stands in the text.
    pub(super) fn locate(request: &'r ReadRequest, quote: &str) -> Option<Self> {
        if quote.trim().is_empty() {
            return None;
        }
        request
            .words
            .iter()
            .enumerate()
            .rev()
            .find_map(|(words, entry)| {
                Some(Self {
                    words,
                    text: &entry.text,
                    span: find(&entry.text, quote)?,
                })
            })
    }

    /// The same text's piece at `span`.
    pub(super) fn at(&self, span: Range<usize>) -> Self {
        Self {
            span,
            ..self.clone()
        }
    }

    pub(super) fn quote(&self) -> Quote {
        Quote {
            words: self.words,
            text: self.text[self.span.clone()].to_owned(),
        }
    }

    /// The sentences that the piece touches.
    pub(super) fn sentences(&self) -> Vec<Range<usize>> {
        words::sentences(self.text)
            .into_iter()
            .filter(|sentence| meet(sentence, &self.span))
            .collect()
    }
}

/// Where `quote` stands in `text`, with the tolerance of [`Passage::locate`].
pub(super) fn find(text: &str, quote: &str) -> Option<Range<usize>> {
    let wanted = Folded::of(quote.trim());
    if wanted.text.is_empty() {
        return None;
    }
    Folded::of(text).find(&wanted.text)
}

/// Whether two ranges share a byte.
pub(super) fn meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The smallest range that holds both.
pub(super) fn join(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.min(other.start)..one.end.max(other.end)
}

/// A text with white space and quotation marks made alike, and where each of its bytes comes from.
struct Folded {
    text: String,
    /// For each byte of `text`, where its character begins in the original.
    from: Vec<usize>,
    /// For each byte of `text`, where its character ends in the original.
    to: Vec<usize>,
}

impl Folded {
    fn of(original: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(original.len()),
            from: Vec::with_capacity(original.len()),
            to: Vec::with_capacity(original.len()),
        };
        for (at, c) in original.char_indices() {
            let end = at + c.len_utf8();
            let c = match c {
                '’' | '‘' | 'ʼ' => '\'',
                '“' | '”' | '„' => '"',
                c if c.is_whitespace() => ' ',
                c => c,
            };
            if c == ' ' && folded.text.ends_with(' ') {
                if let Some(last) = folded.to.last_mut() {
                    *last = end;
                }
                continue;
            }
            folded.text.push(c);
            for _ in 0..c.len_utf8() {
                folded.from.push(at);
                folded.to.push(end);
            }
        }
        folded
    }

    /// Where `wanted` stands in the original: between word boundaries if it stands so anywhere.
    fn find(&self, wanted: &str) -> Option<Range<usize>> {
        let whole = |at: usize| {
            let cut = |before: Option<char>, after: Option<char>| {
                before.is_some_and(char::is_alphanumeric)
                    && after.is_some_and(char::is_alphanumeric)
            };
            let end = at + wanted.len();
            !cut(self.text[..at].chars().next_back(), wanted.chars().next())
                && !cut(wanted.chars().next_back(), self.text[end..].chars().next())
        };
        let at = self
            .text
            .match_indices(wanted)
            .map(|(at, _)| at)
            .find(|at| whole(*at))
            .or_else(|| self.text.find(wanted))?;
        let start = *self.from.get(at)?;
        let end = *self.to.get((at + wanted.len()).checked_sub(1)?)?;
        Some(start..end)
    }
}

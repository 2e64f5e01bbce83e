//! The sentences of a request, each with what its words show at once.

use super::cues;
use liaison_core::{
    form::{ReadRequest, Words},
    value::words::{self, Word},
};

/// One sentence.
pub(super) struct Sentence<'a> {
    /// The words that it is part of.
    pub(super) of: &'a Words,
    /// Their place in the request.
    pub(super) index: usize,
    /// Where it begins in their text.
    pub(super) start: usize,
    /// The sentence itself.
    pub(super) text: &'a str,
    /// Its words. Their spans count from the sentence's beginning.
    pub(super) words: Vec<Word>,
    /// Greeting, thanks, goodbye or name: nothing that could answer.
    pub(super) courtesy: bool,
    /// It asks us something.
    pub(super) question: bool,
    /// It promises an answer.
    pub(super) promise: bool,
    /// It refuses one.
    pub(super) refusal: bool,
    /// It is not sure, or not decided.
    pub(super) hedged: bool,
    /// It takes something back.
    pub(super) correction: bool,
}

/// The most sentences that are read. A message of 20,000 bytes seldom has more; a burst of them
/// is read from its newest words backwards.
const MOST_SENTENCES: usize = 600;

/// The sentences of a request, oldest first. Those that only repeat one of our own questions are
/// left out.
pub(super) fn sentences(request: &ReadRequest) -> Vec<Sentence<'_>> {
    let questions: Vec<Vec<String>> = request
        .slots
        .iter()
        .map(|slot| plain(&words::words(&slot.question)))
        .collect();
    let mut found: Vec<Sentence<'_>> = Vec::new();
    'all: for (index, of) in request.words.iter().enumerate().rev() {
        for span in words::sentences(&of.text).into_iter().rev() {
            let sentence = sentence(of, index, span.start, &of.text[span]);
            if sentence.words.is_empty() || questions.contains(&plain(&sentence.words)) {
                continue;
            }
            if found.len() == MOST_SENTENCES {
                break 'all;
            }
            found.push(sentence);
        }
    }
    found.reverse();
    found
}

fn sentence<'a>(of: &'a Words, index: usize, start: usize, text: &'a str) -> Sentence<'a> {
    let words = words::words(text);
    Sentence {
        of,
        index,
        start,
        text,
        courtesy: cues::is_courtesy(&words),
        question: cues::is_question(text, &words),
        promise: cues::is_promise(&words),
        refusal: cues::is_refusal(&words),
        hedged: cues::is_hedged(&words),
        correction: cues::correction(&words).is_some(),
        words,
    }
}

fn plain(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

//! Lists of words and phrases to look for.

use liaison_core::value::words::{self, Word};

/// Phrases parted by commas, each of words as [`words::words`] cuts them, with single spaces.
#[derive(Clone, Copy)]
pub(super) struct Phrases(pub(super) &'static str);

impl Phrases {
    /// The phrases.
    pub(super) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split(',').map(str::trim)
    }

    /// Whether this one word is in the list.
    pub(super) fn has(self, word: &Word) -> bool {
        self.iter().any(|phrase| phrase == word.text)
    }

    /// Whether any of the phrases stands among `words`.
    pub(super) fn among(self, words: &[Word]) -> bool {
        (0..words.len()).any(|at| self.begins(&words[at..]))
    }

    /// Whether `words` begin with one of the phrases.
    pub(super) fn begins(self, words: &[Word]) -> bool {
        self.rest(words).is_some()
    }

    /// What follows the phrase that `words` begin with.
    pub(super) fn rest(self, words: &[Word]) -> Option<&[Word]> {
        let phrase = self
            .iter()
            .find(|phrase| words::starts_with(words, phrase))?;
        words.get(phrase.split(' ').count()..)
    }

    /// `words` without the words of the list that they begin with.
    pub(super) fn skip(self, words: &[Word]) -> &[Word] {
        let skipped = words.iter().take_while(|word| self.has(word)).count();
        &words[skipped..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words() {
        let phrases = Phrases("let you know, maybe");
        let words = |text| words::words(text);
        assert!(phrases.among(&words("I'll let you know")));
        assert!(!phrases.among(&words("let you knowingly")));
        assert!(phrases.begins(&words("Maybe not")));
        assert_eq!(
            phrases.rest(&words("let you know soon")).map(<[_]>::len),
            Some(1)
        );
        assert_eq!(phrases.skip(&words("maybe maybe no")).len(), 1);
    }
}

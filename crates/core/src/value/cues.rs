//! Lists of words and phrases to look for.

use super::words::{self, Word};

/// Phrases parted by commas, each of words as [`words::words`] cuts them, with single spaces.
#[derive(Clone, Copy)]
pub(crate) struct Cues(pub(crate) &'static str);

impl Cues {
    /// The phrases.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split(',').map(str::trim)
    }

    /// Whether this one word is among the phrases.
    pub(crate) fn has(self, word: &str) -> bool {
        self.with_first(word).any(|cue| cue == word)
    }

    /// Whether any of the phrases stands among `words`.
    pub(crate) fn among(self, words: &[Word]) -> bool {
        self.first(words).is_some()
    }

    /// Where the first of the phrases begins among `words`.
    pub(crate) fn first(self, words: &[Word]) -> Option<usize> {
        (0..words.len()).find(|at| self.starts(&words[*at..]).is_some())
    }

    /// How many words the phrase has that `words` begin with.
    pub(crate) fn starts(self, words: &[Word]) -> Option<usize> {
        self.with_first(&words.first()?.text)
            .find(|cue| words::starts_with(words, cue))
            .map(|cue| cue.split_whitespace().count())
    }

    /// The phrases whose first word is this one, in their order. Looking for the word in the whole
    /// list is what makes a reading fast: a list is asked about every word of a message.
    fn with_first(self, word: &str) -> impl Iterator<Item = &'static str> {
        let list = self.0;
        list.match_indices(word).filter_map(move |(at, found)| {
            let before = list[..at].trim_end();
            if !(before.is_empty() || before.ends_with(',')) {
                return None;
            }
            let phrase = list[at..].split(',').next()?.trim_end();
            let after = phrase.get(found.len()..)?;
            (after.is_empty() || after.starts_with(char::is_whitespace)).then_some(phrase)
        })
    }

    /// Whether `words` end with one of the phrases.
    pub(crate) fn ends(self, words: &[Word]) -> bool {
        self.iter().any(|cue| {
            words
                .len()
                .checked_sub(cue.split_whitespace().count())
                .is_some_and(|at| words::starts_with(&words[at..], cue))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_are_found_as_whole_words() {
        let cues = Cues("let you know, maybe");
        let words = |text| words::words(text);
        assert!(cues.among(&words("I'll let you know")));
        assert_eq!(cues.first(&words("well, maybe")), Some(1));
        assert!(!cues.among(&words("let you knowingly")));
        assert!(cues.ends(&words("I'll let you know")));
        assert!(!cues.ends(&words("maybe not")));
        assert!(cues.has("maybe") && !cues.has("may"));
        assert!(!cues.has("let") && !cues.has("you"));
        assert_eq!(cues.starts(&words("let you know soon")), Some(3));
    }
}

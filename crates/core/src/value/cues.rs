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
        self.iter().any(|cue| cue == word)
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
        self.iter()
            .find(|cue| words::starts_with(words, cue))
            .map(|cue| cue.split_whitespace().count())
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
    }
}

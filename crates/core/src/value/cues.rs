//! Lists of words and phrases to look for.
//!
//! A message is held against a hundred such lists, each at every one of its words. So a list is put
//! in order once, when it is first used, and is then searched by a phrase's first word.

use super::words::Word;
use std::sync::OnceLock;

/// Phrases of words as [`words`](super::words::words) cuts them. It wants to be a `static`: what is made anew is
/// put in order anew.
#[derive(Debug)]
pub struct Cues {
    list: &'static str,
    phrases: OnceLock<Vec<Phrase>>,
}

#[derive(Debug)]
struct Phrase {
    /// All of it, with single spaces.
    text: String,
    /// Its words.
    words: Vec<String>,
}

impl Phrase {
    fn first(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn begins(&self, words: &[Word]) -> bool {
        self.words.len() <= words.len()
            && self
                .words
                .iter()
                .zip(words)
                .all(|(own, word)| *own == word.text)
    }
}

impl Cues {
    /// The phrases in `list`, which commas part.
    pub const fn new(list: &'static str) -> Self {
        Self {
            list,
            phrases: OnceLock::new(),
        }
    }

    /// Whether this one word is among the phrases.
    pub fn has(&self, word: &str) -> bool {
        self.with_first(word).any(|phrase| phrase.words.len() == 1)
    }

    /// The phrases, with single spaces, in the order of their first words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.phrases().iter().map(|phrase| phrase.text.as_str())
    }

    /// Whether any of the phrases stands among `words`.
    pub fn among(&self, words: &[Word]) -> bool {
        self.first(words).is_some()
    }

    /// Where the first of the phrases begins among `words`.
    pub fn first(&self, words: &[Word]) -> Option<usize> {
        (0..words.len()).find(|at| self.begins(&words[*at..]))
    }

    /// Whether `words` begin with one of the phrases.
    pub fn begins(&self, words: &[Word]) -> bool {
        self.starts(words).is_some()
    }

    /// How many words the phrase has that `words` begin with; that of the first in the list, if
    /// there are several.
    pub fn starts(&self, words: &[Word]) -> Option<usize> {
        self.with_first(&words.first()?.text)
            .find(|phrase| phrase.begins(words))
            .map(|phrase| phrase.words.len())
    }

    /// What follows the phrase that `words` begin with.
    pub fn rest<'w>(&self, words: &'w [Word]) -> Option<&'w [Word]> {
        words.get(self.starts(words)?..)
    }

    /// `words` without the words of the list that they begin with.
    pub fn skip<'w>(&self, words: &'w [Word]) -> &'w [Word] {
        let skipped = words.iter().take_while(|word| self.has(&word.text)).count();
        &words[skipped..]
    }

    /// Whether `words` end with one of the phrases.
    pub fn ends(&self, words: &[Word]) -> bool {
        self.phrases().iter().any(|phrase| {
            words
                .len()
                .checked_sub(phrase.words.len())
                .is_some_and(|at| phrase.begins(&words[at..]))
        })
    }

    /// The phrases whose first word is this one, as they follow each other in the list.
    fn with_first(&self, word: &str) -> impl Iterator<Item = &Phrase> {
        let phrases = self.phrases();
        let from = phrases.partition_point(|phrase| phrase.first() < word);
        phrases[from..]
            .iter()
            .take_while(move |phrase| phrase.first() == word)
    }

    /// The phrases in the order of their first words.
    fn phrases(&self) -> &[Phrase] {
        self.phrases.get_or_init(|| {
            let mut phrases: Vec<_> = self
                .list
                .split(',')
                .map(|phrase| {
                    let words: Vec<_> = phrase.split_whitespace().map(str::to_owned).collect();
                    Phrase {
                        text: words.join(" "),
                        words,
                    }
                })
                .collect();
            phrases.sort_by(|a, b| a.first().cmp(b.first()));
            phrases
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::words, *};

    #[test]
    fn cues_are_found_as_whole_words() {
        let cues = Cues::new("let you know, maybe");
        let words = |text| words::words(text);
        assert!(cues.among(&words("I'll let you know")));
        assert_eq!(cues.first(&words("well, maybe")), Some(1));
        assert!(!cues.among(&words("let you knowingly")));
        assert!(cues.ends(&words("I'll let you know")));
        assert!(!cues.ends(&words("maybe not")));
        assert!(cues.begins(&words("Maybe not")));
        assert!(cues.has("maybe") && !cues.has("may"));
        assert!(!cues.has("let") && !cues.has("you"));
        assert_eq!(cues.iter().collect::<Vec<_>>(), ["let you know", "maybe"]);
        assert_eq!(cues.starts(&words("let you know soon")), Some(3));
        assert_eq!(
            cues.rest(&words("let you know soon")).map(<[_]>::len),
            Some(1)
        );
        assert_eq!(cues.skip(&words("maybe maybe no")).len(), 1);
    }

    #[test]
    fn of_two_phrases_that_fit_the_first_in_the_list_counts() {
        let words = words::words("as of when");
        assert_eq!(
            Cues::new("until, as of when, as of").starts(&words),
            Some(3)
        );
        assert_eq!(
            Cues::new("until, as of, as of when").starts(&words),
            Some(2)
        );
    }
}

//! What the words say against a value that stands in them.

use super::{Claim, values};
use crate::{
    gate::{
        passage::{Passage, meet},
        vetoes::{self, Beside},
    },
    value::{Candidate, Value, cues::Cues, date::BEGINNINGS, instead, words},
};
use std::ops::Range;

/// What speaks against taking any kind of value from these sentences.
pub(super) fn to_any(text: &str, around: &[Range<usize>]) -> Option<String> {
    if vetoes::addresses_software(text) {
        return Some("the words are addressed to the software".to_owned());
    }
    if around
        .first()
        .is_some_and(|first| is_signature(text, first))
    {
        return Some("the words are a signature".to_owned());
    }
    around.iter().find_map(|sentence| {
        let sentence = &text[sentence.clone()];
        if vetoes::is_question(sentence) {
            Some("the words ask".to_owned())
        } else if vetoes::promises(&words::words(sentence)) {
            Some("the words promise an answer for later".to_owned())
        } else {
            None
        }
    })
}

impl Claim<'_> {
    /// What the sentences around a found value say against it.
    pub(super) fn objection_to_found(
        &self,
        quoted: &Passage<'_>,
        around: &[Range<usize>],
        found: &[Candidate],
        own: &Candidate,
    ) -> Option<String> {
        let rules = self.rules();
        let text = quoted.text;
        for sentence in around {
            let words = words::words(&text[sentence.clone()]);
            let reason = if vetoes::hedges(&words) {
                "the words are not sure of it"
            } else if vetoes::is_conditional(&words) {
                "it hangs on a condition"
            } else if vetoes::is_undecided(&words) {
                "the words leave it open, or speak of the past"
            } else if vetoes::reports(&words) {
                "the words tell what somebody said"
            } else {
                continue;
            };
            return Some(reason.to_owned());
        }
        let correction = self.correction_before(text, around, found, own)
            || self.stands_instead(text, around, found, own);
        if values(found).len() > 1 && !correction {
            return Some("the words name several values".to_owned());
        }
        let beside = match (correction, rules.is_closed()) {
            (true, _) => Beside::Clause,
            (false, true) => Beside::Means,
            (false, false) => Beside::Sentence,
        };
        let sentence = around.iter().find(|sentence| meet(sentence, &own.span))?;
        if !rules.reads_negation() && vetoes::negates(text, sentence, &own.span, beside) {
            return Some("the words deny it".to_owned());
        }
        (!rules.is_closed()
            && vetoes::is_approximate(
                &text[sentence.clone()],
                &self.whole(text, sentence, own),
                |phrase| self.slot.asks_bound(phrase),
            ))
        .then(|| "the words give a bound or an estimate".to_owned())
    }

    /// Whether, of several values, the others stand before words of correction and only the
    /// proposed one after them.
    fn correction_before(
        &self,
        text: &str,
        around: &[Range<usize>],
        found: &[Candidate],
        own: &Candidate,
    ) -> bool {
        let cue = around.iter().find_map(|sentence| {
            vetoes::correction_at(&words::words(&text[sentence.clone()]))
                .map(|at| sentence.start + at)
        });
        cue.is_some_and(|cue| {
            own.span.start >= cue
                && found
                    .iter()
                    .all(|other| other.value == own.value || other.span.end <= cue)
        })
    }

    /// Where the value stands in its sentence; with the words before it that make it a beginning,
    /// where that is what the question asks for.
    fn whole(&self, text: &str, sentence: &Range<usize>, own: &Candidate) -> Range<usize> {
        let place = within(sentence, &own.span);
        if !self.slot.asks_from() {
            return place;
        }
        let before = words::words(&text[sentence.start..own.span.start]);
        let begins = (0..before.len())
            .find(|at| BEGINNINGS.starts(&before[*at..]) == Some(before.len() - at));
        match begins.and_then(|at| before.get(at)) {
            Some(word) => word.span.start..place.end,
            None => place,
        }
    }

    /// Whether a sentence that puts something right names the proposed value in the place of those
    /// that it denies.
    fn stands_instead(
        &self,
        text: &str,
        around: &[Range<usize>],
        found: &[Candidate],
        own: &Candidate,
    ) -> bool {
        let [sentence] = around else {
            return false;
        };
        vetoes::corrects(&words::words(&text[sentence.clone()]))
            && instead(text, sentence, found).is_some_and(|meant| meant.value == own.value)
    }

    /// What the rest of the words says against a value.
    pub(super) fn objection_elsewhere(
        &self,
        quoted: &Passage<'_>,
        around: &[Range<usize>],
        proposed: &Value,
    ) -> Option<String> {
        let (first, last) = (around.first()?, around.last()?);
        let puts_right = around
            .iter()
            .any(|sentence| vetoes::corrects(&words::words(&quoted.text[sentence.clone()])));
        for (place, entry) in self.request.words.iter().enumerate() {
            let context = self.request.context(place);
            let text = entry.text.as_str();
            for sentence in words::sentences(text) {
                let same = place == quoted.words;
                if same && around.contains(&sentence) {
                    continue;
                }
                let later = place > quoted.words || (same && sentence.start >= last.end);
                let words = words::words(&text[sentence.clone()]);
                if later && vetoes::retracts(&words) {
                    return Some("later words take something back".to_owned());
                }
                let is_taken = self
                    .taken
                    .iter()
                    .any(|(words, span)| *words == place && meet(span, &sentence));
                let nothing_in = |sentence| self.find(text, sentence, &context).is_empty();
                if later && !is_taken && vetoes::puts_right(&words) && nothing_in(&sentence) {
                    return Some("later words put something right".to_owned());
                }
                let next = same && later && text[last.end..sentence.start].trim().is_empty();
                if next && contrasts(&text[sentence.clone()], &words) {
                    return Some("the next words restrict it".to_owned());
                }
                if is_taken {
                    continue;
                }
                let matters = if later {
                    self.rules().is_closed() || vetoes::corrects(&words)
                } else {
                    let earlier = place < quoted.words || sentence.end <= first.start;
                    self.rules().is_closed() && !(earlier && puts_right)
                };
                let differs = || {
                    self.find(text, &sentence, &context)
                        .iter()
                        .any(|other| other.value != *proposed)
                };
                if matters && differs() {
                    return Some("other words name another value".to_owned());
                }
            }
        }
        None
    }
}

/// Whether the line before this one signs off, so that this one says who writes.
fn is_signature(text: &str, sentence: &Range<usize>) -> bool {
    let before = words::sentences(text)
        .into_iter()
        .take_while(|other| other.end <= sentence.start)
        .last();
    before.is_some_and(|before| {
        let before = &text[before];
        let words = words::words(before);
        let farewell = words.iter().any(|word| FAREWELL.has(&word.text));
        let thanks = before.ends_with(',') && words.iter().any(|word| THANKS.has(&word.text));
        words.len() <= LONGEST_FAREWELL && (farewell || thanks)
    })
}

/// `With best wishes and kind regards from`: more words say something.
const LONGEST_FAREWELL: usize = 7;
static FAREWELL: Cues = Cues::new("regards, sincerely, faithfully, greetings, wishes, rgds, truly");
static THANKS: Cues = Cues::new("thanks, thank, best, cheers, yours, thx");

/// Whether a sentence takes half of the one before it back: `But I am not sure`.
fn contrasts(sentence: &str, words: &[words::Word]) -> bool {
    let turns = words.first().is_some_and(|word| {
        matches!(
            word.text.as_str(),
            "but" | "though" | "although" | "however" | "unless" | "only" | "or" | "if" | "not"
        )
    });
    let doubts = vetoes::hedges(words)
        || vetoes::is_conditional(words)
        || vetoes::is_undecided(words)
        || vetoes::promises(words)
        || vetoes::is_question(sentence)
        || words
            .iter()
            .any(|word| matches!(word.text.as_str(), "not" | "only" | "never"));
    turns && doubts
}

/// A place in a text as a place in the sentence that holds it.
fn within(sentence: &Range<usize>, span: &Range<usize>) -> Range<usize> {
    span.start.saturating_sub(sentence.start)..span.end.saturating_sub(sentence.start)
}

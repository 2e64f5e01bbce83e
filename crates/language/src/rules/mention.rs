//! Where a slot's values are mentioned, whether they are meant for it, and how clearly.

use super::{cues, scan::Sentence, topic::Topic};
use liaison_core::{
    form::{ReadRequest, SlotQuestion},
    value::{Candidate, Kind, Value, cues::Cues, instead, words},
};

/// A sentence in which code finds values that would fit a slot.
pub(super) struct Mention {
    /// Its place among the sentences.
    pub(super) sentence: usize,
    /// The value that it comes down to; none when it holds several, or none for certain.
    pub(super) value: Option<Value>,
    /// It may be meant for another slot just as well, or for nothing that was asked.
    pub(super) doubtful: bool,
    /// It is unsure.
    pub(super) hedged: bool,
    /// It takes back what stands before it.
    pub(super) correction: bool,
}

impl Mention {
    /// Whether its value can be proposed.
    pub(super) fn clear(&self) -> Option<&Value> {
        (!self.doubtful && !self.hedged)
            .then_some(self.value.as_ref())
            .flatten()
    }
}

/// All that is needed to tell the slots of a request apart.
pub(super) struct Slots<'a> {
    request: &'a ReadRequest,
    sentences: &'a [Sentence<'a>],
    topics: Vec<Topic>,
    /// By slot, then by sentence.
    found: Vec<Vec<Vec<Candidate>>>,
}

impl<'a> Slots<'a> {
    pub(super) fn new(request: &'a ReadRequest, sentences: &'a [Sentence<'a>]) -> Self {
        let found = |slot: &SlotQuestion| {
            sentences
                .iter()
                .map(|sentence| match slot.kind {
                    // Files come beside the words, and any words are a text.
                    Kind::File(_) | Kind::Text(_) => Vec::new(),
                    _ => {
                        let context = request.context(sentence.index);
                        slot.find(sentence.text, &context)
                    }
                })
                .collect()
        };
        Self {
            request,
            sentences,
            topics: request.slots.iter().map(Topic::of).collect(),
            found: request.slots.iter().map(found).collect(),
        }
    }

    /// The sentences that mention a value for the slot at `slot`, oldest first.
    pub(super) fn mentions(&self, slot: usize) -> Vec<Mention> {
        (0..self.sentences.len())
            .filter_map(|sentence| self.mention(slot, sentence))
            .collect()
    }

    /// How much the sentence at `sentence` is about the slot at `slot`.
    pub(super) fn overlap(&self, slot: usize, sentence: usize) -> usize {
        self.topics[slot].overlap(&self.sentences[sentence].words)
    }

    /// Whether the slot waits for words: it has no value yet.
    pub(super) fn is_open(&self, slot: usize) -> bool {
        self.request.slots[slot].current.is_none()
    }

    fn mention(&self, slot: usize, at: usize) -> Option<Mention> {
        let sentence = &self.sentences[at];
        let candidates = &self.found[slot][at];
        if candidates.is_empty() || sentence.question || sentence.promise || sentence.refusal {
            return None;
        }
        let doubtful = match self.owner(slot, at) {
            Owner::This => self.is_strange(slot, at),
            Owner::Unknown => true,
            Owner::Another => return None,
        };
        Some(Mention {
            sentence: at,
            value: put_right(sentence, candidates)
                .cloned()
                .or_else(|| last_meant(sentence, candidates)),
            doubtful,
            hedged: cues::is_hedged_beyond(&sentence.words, |phrase| {
                self.request.slots[slot].asks_bound(phrase)
            }),
            correction: sentence.correction,
        })
    }

    /// Whose the values of a sentence are, of all slots that could take the same words.
    fn owner(&self, slot: usize, at: usize) -> Owner {
        let own = self.overlap(slot, at);
        let asked = self.request.slots[slot].asked;
        let correction = self.sentences[at].correction;
        let mut owner = Owner::This;
        for rival in (0..self.request.slots.len()).filter(|rival| *rival != slot) {
            let same_words = self.found[rival][at].iter().any(|theirs| {
                self.found[slot][at].iter().any(|ours| {
                    ours.span.start < theirs.span.end && theirs.span.start < ours.span.end
                })
            });
            // One question asked whether all that was understood is right, and one yes answers it.
            let together = [slot, rival]
                .iter()
                .all(|slot| self.request.slots[*slot].confirming.is_some());
            if !same_words || together {
                continue;
            }
            let theirs = self.overlap(rival, at);
            if theirs > own {
                return Owner::Another;
            }
            // What answers an open question is not taken for one that is settled or was not asked.
            let waits = |slot: usize| self.request.slots[slot].asked && self.is_open(slot);
            if theirs == own && waits(rival) {
                if !waits(slot) {
                    return Owner::Another;
                }
                owner = Owner::Unknown;
            }
        }
        // Nobody asked, or it is answered: the words must be about it.
        let expected = asked && (self.is_open(slot) || correction);
        if matches!(owner, Owner::This) && !expected && own == 0 {
            return Owner::Another;
        }
        owner
    }

    /// Whether the words beside the values make the sentence one about something else.
    fn is_strange(&self, slot: usize, at: usize) -> bool {
        let sentence = &self.sentences[at];
        let topic = &self.topics[slot];
        let candidates = &self.found[slot][at];
        let beside = |range: std::ops::Range<usize>| {
            sentence
                .words
                .iter()
                .filter(move |word| range.start <= word.span.start && word.span.end <= range.end)
                .filter(|word| {
                    !candidates.iter().any(|candidate| {
                        candidate.span.start < word.span.end && word.span.start < candidate.span.end
                    })
                })
        };
        let whole = 0..sentence.text.len();
        match self.request.slots[slot].kind {
            // Many dates and numbers stand in a message; the right one stands among words of the
            // question or by itself.
            Kind::Number(_) | Kind::Date(_) => {
                let asks_past = cues::tells(&words::words(&self.request.slots[slot].question));
                (cues::excludes(&sentence.words) && put_right(sentence, candidates).is_none())
                    || (cues::tells(&sentence.words) && !asks_past)
                    || words::clauses(sentence.text, whole)
                        .into_iter()
                        .filter(|clause| {
                            candidates.iter().any(|candidate| {
                                candidate.span.start < clause.end
                                    && clause.start < candidate.span.end
                            })
                        })
                        .any(|clause| topic.strange(beside(clause)) > 0)
            }
            // A plain yes or no at its clause's beginning carries any explanation; an idiom like
            // `no problem` may be about anything that is said beside it.
            Kind::Boolean(_) => {
                let confirming = self.request.slots[slot].confirming.is_some();
                let strange = |candidate: &Candidate| {
                    let said = sentence.text[candidate.span.clone()].to_lowercase();
                    let plain = PLAIN.iter().any(|word| said == word);
                    words::clauses(sentence.text, whole.clone())
                        .into_iter()
                        .any(|clause| {
                            let own = clause.start <= candidate.span.start
                                && candidate.span.start < clause.end;
                            match (own, plain) {
                                (true, true) => {
                                    topic.strange(beside(clause.start..candidate.span.start)) > 0
                                }
                                (true, false) => topic.strange(beside(clause)) > 0,
                                (false, true) => false,
                                (false, false) => {
                                    // Where only a yes or no was asked for, thanks beside it
                                    // take nothing from it.
                                    let thanks =
                                        confirming && topic.strange(beside(clause.clone())) == 0;
                                    let mut rest = beside(clause).peekable();
                                    !thanks && rest.peek().is_some() && topic.overlap(rest) == 0
                                }
                            }
                        })
                };
                cues::acknowledges(&sentence.words)
                    || cues::is_past(&sentence.words)
                    || candidates.iter().any(strange)
            }
            Kind::Choice(_) => cues::is_past(&sentence.words),
            Kind::Text(_) | Kind::File(_) => true,
        }
    }
}

static PLAIN: Cues = Cues::new("yes, no, yep, yeah, yup, nope, nah, no thanks, no thank you");

enum Owner {
    This,
    Another,
    Unknown,
}

/// The value that a sentence which takes something back names in the place of a denied one.
fn put_right<'c>(sentence: &Sentence<'_>, candidates: &'c [Candidate]) -> Option<&'c Value> {
    let whole = 0..sentence.text.len();
    let meant = instead(sentence.text, &whole, candidates).filter(|_| sentence.correction);
    meant.map(|meant| &meant.value)
}

/// The one value of a sentence; after words like `no wait`, the one that stands behind them.
fn last_meant(sentence: &Sentence<'_>, candidates: &[Candidate]) -> Option<Value> {
    let cue_end = cues::correction(&sentence.words)
        .and_then(|cue| sentence.words.get(cue.end.checked_sub(1)?))
        .map(|word| word.span.end);
    let behind = |candidate: &&Candidate| cue_end.is_none_or(|end| candidate.span.start >= end);
    let after: Vec<&Candidate> = candidates.iter().filter(behind).collect();
    let meant = if after.is_empty() {
        candidates.iter().collect()
    } else {
        after
    };
    let (first, rest) = meant.split_first()?;
    rest.iter()
        .all(|other| other.value == first.value)
        .then(|| first.value.clone())
}

//! Claims that the words give a value.

use super::{
    Quote, Verdict,
    passage::{Passage, join, meet},
    vetoes::{self, Beside},
};
use crate::{
    form::{ReadRequest, SlotForm, SlotQuestion},
    value::{Candidate, Grounds, KindRules, ReadContext, Value, words},
};
use std::ops::Range;

/// A verdict on a claim, and the words that an accepted value was read from.
pub(super) struct Judged<'r> {
    pub(super) verdict: Verdict,
    pub(super) evidence: Option<Passage<'r>>,
}

impl From<Verdict> for Judged<'_> {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            evidence: None,
        }
    }
}

/// A claim about one slot, as the parts of the gate see it.
pub(super) struct Claim<'r> {
    pub(super) request: &'r ReadRequest,
    pub(super) slot: &'r SlotQuestion,
    pub(super) form: &'r SlotForm,
    /// Where other slots' quotes stand: what is said there is said about those.
    pub(super) taken: Vec<(usize, Range<usize>)>,
}

impl<'r> Claim<'r> {
    fn rules(&self) -> &'r dyn KindRules {
        self.slot.kind.rules()
    }

    /// Judges the claim.
    pub(super) fn judge(&self) -> Judged<'r> {
        match self.rules().grounds() {
            Grounds::Attached => self.judge_attached().into(),
            Grounds::Found => self.judge_found(),
            Grounds::Verbatim => self.judge_verbatim(),
        }
    }

    /// A value that code must read from the same sentence.
    fn judge_found(&self) -> Judged<'r> {
        let Some(quoted) = Passage::locate(self.request, &self.form.quote) else {
            return refused("the quote does not stand in the words").into();
        };
        let context = self.request.context(quoted.words);
        let (around, found) = self.sentences_with_values(&quoted, &context);
        let proposed = match self.rules().read(&self.form.value, &context) {
            Ok(Some(proposed)) => proposed,
            Ok(None) => {
                return self
                    .unclear(&quoted, values(&found), "no value is proposed")
                    .into();
            }
            Err(fault) => return refused(&fault.0).into(),
        };
        let Some(own) = found.iter().rev().find(|other| other.value == proposed) else {
            if found.is_empty() {
                return refused("code finds no such value in the quoted sentence").into();
            }
            let why = "code reads another value from the quoted sentence";
            return self.unclear(&quoted, values(&found), why).into();
        };
        let span = own.span.clone();
        let quoted = quoted.at(best_quote(&quoted.span, &around, &span));
        let objection = self
            .doubts()
            .or_else(|| objection(quoted.text, &around))
            .or_else(|| self.objection_to_found(&quoted, &around, &found, own))
            .or_else(|| self.objection_elsewhere(&quoted, &around, &proposed));
        if let Some(why) = objection {
            return self.unclear(&quoted, values(&found), &why).into();
        }
        Judged {
            verdict: self.settle(proposed, &quoted, &around),
            evidence: Some(quoted.at(span)),
        }
    }

    /// Words that are themselves the value.
    fn judge_verbatim(&self) -> Judged<'r> {
        let Some(quoted) = Passage::locate(self.request, &self.form.quote) else {
            return refused("the quote does not stand in the words").into();
        };
        let context = self.request.context(quoted.words);
        let proposed = match self.rules().read(&self.form.value, &context) {
            Ok(Some(proposed)) => proposed,
            Ok(None) => {
                return self
                    .unclear(&quoted, Vec::new(), "no value is proposed")
                    .into();
            }
            Err(fault) => return refused(&fault.0).into(),
        };
        let around = quoted.sentences();
        let Some(piece) = around
            .first()
            .zip(around.last())
            .and_then(|(first, last)| piece_of(&quoted, &join(first, last), &proposed.plain()))
        else {
            return refused("the value does not stand in the quoted sentences").into();
        };
        // What stands in the text is taken, not a model's copy of it.
        let value = Value::Text(quoted.text[piece.clone()].to_owned());
        let around: Vec<_> = around
            .into_iter()
            .filter(|sentence| meet(sentence, &piece))
            .collect();
        let quoted = quoted.at(join(&quoted.span, &piece));
        let undecided = around.iter().find_map(|sentence| {
            let words = words::words(&quoted.text[sentence.clone()]);
            vetoes::is_undecided(&words).then(|| "the words leave it open".to_owned())
        });
        let other = self.rules().find(&quoted.text[piece.clone()], &context);
        let objection = self
            .doubts()
            .or_else(|| objection(quoted.text, &around))
            .or(undecided)
            .or_else(|| {
                (!other.is_empty() && !other.iter().any(|found| found.value == value))
                    .then(|| "code reads another value from the words".to_owned())
            });
        if let Some(why) = objection {
            return self.unclear(&quoted, vec![value], &why).into();
        }
        self.settle(value, &quoted, &around).into()
    }

    /// A file, which the words need not even mention.
    fn judge_attached(&self) -> Verdict {
        let name = self.form.quote.trim();
        let holds = |words: &usize| {
            let attachments = self.request.context(*words).attachments;
            !name.is_empty() && attachments.iter().any(|file| file.name == name)
        };
        let Some(words) = (0..self.request.words.len()).rev().find(holds) else {
            return refused("the quote is the name of no attachment");
        };
        let context = self.request.context(words);
        let text = self.request.words[words].text.as_str();
        let quote = Quote {
            words,
            text: name.to_owned(),
        };
        let found = self.rules().find(text, &context);
        let unclear = |why: &str| self.unclear_at(quote.clone(), values(&found), why);
        let proposed = match self.rules().read(&self.form.value, &context) {
            Ok(Some(proposed)) => proposed,
            Ok(None) => return unclear("no file is proposed"),
            Err(fault) => return refused(&fault.0),
        };
        if proposed.plain() != name {
            return refused("the quote names another file than the value");
        }
        if !found.iter().any(|other| other.value == proposed) {
            return refused("the file is not of an acceptable type");
        }
        // Of several files it is the one that the words name.
        let named: Vec<&Candidate> = found
            .iter()
            .filter(|file| text.contains(&file.value.plain()))
            .collect();
        let alone = match named[..] {
            [] => found.len() == 1,
            [only] => only.value == proposed,
            _ => false,
        };
        let sentences = words::sentences(text);
        let later = sentences
            .iter()
            .any(|sentence| vetoes::promises(&words::words(&text[sentence.clone()])));
        if let Some(why) = self.doubts() {
            return unclear(&why);
        }
        if vetoes::addresses_software(text) {
            return unclear("the words are addressed to the software");
        }
        if !alone {
            return unclear("several files came, and the words do not say which one it is");
        }
        if later {
            return unclear("the words promise something for later");
        }
        match self.rules().check(&proposed) {
            Err(fault) => refused(&fault.0),
            Ok(()) => self.against_current(proposed, quote, false),
        }
    }

    /// What the reader itself says against its proposal.
    fn doubts(&self) -> Option<String> {
        let form = self.form;
        if form.self_checks.len() != self.slot.self_checks.len() {
            return Some("not every self-check was answered".to_owned());
        }
        let failed = form.self_checks.iter().position(|passed| !passed);
        if let Some(check) = failed.and_then(|at| self.slot.self_checks.get(at)) {
            return Some(format!("a self-check failed: {check}"));
        }
        if !form.clear_value_present {
            return Some("the reader sees no clear value".to_owned());
        }
        form.would_be_guessing
            .then(|| "the reader would be guessing".to_owned())
    }

    /// The quoted sentences that hold a value; all quoted ones when none does. A model that copies
    /// the whole message as its quote is so held to the sentence that matters.
    fn sentences_with_values(
        &self,
        quoted: &Passage<'_>,
        context: &ReadContext<'_>,
    ) -> (Vec<Range<usize>>, Vec<Candidate>) {
        let mut found = Vec::new();
        let mut around = quoted.sentences();
        let mut holds = |sentence: &Range<usize>| {
            let values = self.find(quoted.text, sentence, context);
            let any = !values.is_empty();
            found.extend(values);
            any
        };
        let with: Vec<_> = around.iter().filter(|s| holds(s)).cloned().collect();
        if !with.is_empty() {
            around = with;
        }
        (around, found)
    }

    /// What code reads from one sentence, placed in the whole text.
    fn find(
        &self,
        text: &str,
        sentence: &Range<usize>,
        context: &ReadContext<'_>,
    ) -> Vec<Candidate> {
        let mut found = self.rules().find(&text[sentence.clone()], context);
        for candidate in &mut found {
            candidate.span =
                sentence.start + candidate.span.start..sentence.start + candidate.span.end;
        }
        found
    }

    /// What the sentences around a found value say against it.
    fn objection_to_found(
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
        let correction = self.correction_before(text, around, found, own);
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
            && vetoes::is_approximate(&text[sentence.clone()], &within(sentence, &own.span)))
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

    /// What the rest of the words says against a value.
    fn objection_elsewhere(
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
                let next = same && later && text[last.end..sentence.start].trim().is_empty();
                if next && contrasts(&text[sentence.clone()], &words) {
                    return Some("the next words restrict it".to_owned());
                }
                let is_taken = self
                    .taken
                    .iter()
                    .any(|(words, span)| *words == place && meet(span, &sentence));
                if is_taken {
                    continue;
                }
                let differs = self
                    .find(text, &sentence, &context)
                    .iter()
                    .any(|other| other.value != *proposed);
                let matters = if later {
                    self.rules().is_closed() || vetoes::corrects(&words)
                } else {
                    let earlier = place < quoted.words || sentence.end <= first.start;
                    self.rules().is_closed() && !(earlier && puts_right)
                };
                if differs && matters {
                    return Some("other words name another value".to_owned());
                }
            }
        }
        None
    }

    /// A value that nothing in the words speaks against.
    fn settle(&self, value: Value, quoted: &Passage<'_>, around: &[Range<usize>]) -> Verdict {
        if let Err(fault) = self.rules().check(&value) {
            return self.unclear(quoted, Vec::new(), &fault.0);
        }
        let before = words::sentences(quoted.text)
            .into_iter()
            .take_while(|sentence| {
                around
                    .first()
                    .is_some_and(|first| sentence.end <= first.start)
            })
            .last();
        let corrects = around
            .iter()
            .chain(&before)
            .any(|sentence| vetoes::corrects(&words::words(&quoted.text[sentence.clone()])));
        self.against_current(value, quoted.quote(), corrects)
    }

    /// Compares with the value that the slot has. Only words that put it right, in the reader's eyes
    /// and in code's, replace it.
    fn against_current(&self, value: Value, quote: Quote, corrects: bool) -> Verdict {
        let Some(current) = &self.slot.current else {
            return Verdict::Accepted {
                value,
                quote,
                correction: false,
            };
        };
        if self.rules().show(&value) == *current {
            return Verdict::Silent;
        }
        if corrects && self.form.explicit_correction {
            return Verdict::Accepted {
                value,
                quote,
                correction: true,
            };
        }
        let mut candidates: Vec<Value> = self.recall(current).into_iter().collect();
        candidates.push(value);
        Verdict::Unclear {
            candidates,
            quote,
            why: format!("it was {current}, and the words do not say that this is a correction"),
        }
    }

    /// The value that is shown so.
    fn recall(&self, shown: &str) -> Option<Value> {
        let rules = self.rules();
        let context = self.request.context(self.request.words.len());
        let read = rules.read(&serde_json::Value::String(shown.to_owned()), &context);
        rules
            .find(shown, &context)
            .into_iter()
            .map(|found| found.value)
            .chain(read.ok().flatten())
            .find(|value| rules.show(value) == shown)
    }

    /// A verdict on words that do not settle the slot. A value that the slot has is not given up for
    /// them: then they change nothing.
    fn unclear(&self, quoted: &Passage<'_>, candidates: Vec<Value>, why: &str) -> Verdict {
        self.unclear_at(quoted.quote(), candidates, why)
    }

    fn unclear_at(&self, quote: Quote, mut candidates: Vec<Value>, why: &str) -> Verdict {
        if self.slot.current.is_some() {
            return refused(why);
        }
        candidates.retain(|value| self.rules().check(value).is_ok());
        Verdict::Unclear {
            candidates,
            quote,
            why: why.to_owned(),
        }
    }

    /// Words that the reader takes to be about the slot without proposing a value. They are unclear
    /// when code reads a value from them, and nothing otherwise.
    pub(super) fn judge_without_value(&self) -> Verdict {
        let Some(quoted) = Passage::locate(self.request, &self.form.quote) else {
            return Verdict::Silent;
        };
        if self.rules().grounds() != Grounds::Found {
            return Verdict::Silent;
        }
        let context = self.request.context(quoted.words);
        let (_, found) = self.sentences_with_values(&quoted, &context);
        if found.is_empty() {
            return Verdict::Silent;
        }
        match self.unclear(
            &quoted,
            values(&found),
            "the reader does not take it for an answer",
        ) {
            Verdict::Refused { .. } => Verdict::Silent,
            unclear => unclear,
        }
    }
}

pub(super) fn refused(why: &str) -> Verdict {
    Verdict::Refused {
        why: why.to_owned(),
    }
}

/// What speaks against taking any kind of value from these sentences.
fn objection(text: &str, around: &[Range<usize>]) -> Option<String> {
    if vetoes::addresses_software(text) {
        return Some("the words are addressed to the software".to_owned());
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

/// The different values among candidates, in order.
fn values(found: &[Candidate]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for candidate in found {
        if !values.contains(&candidate.value) {
            values.push(candidate.value.clone());
        }
    }
    values
}

/// The words to keep as evidence: the quote, with the value in it; of a quote that runs over other
/// sentences, only those that hold values.
fn best_quote(
    quoted: &Range<usize>,
    around: &[Range<usize>],
    value: &Range<usize>,
) -> Range<usize> {
    let whole = join(quoted, value);
    match (around.first(), around.last()) {
        (Some(first), Some(last)) => whole.start.max(first.start)..whole.end.min(last.end),
        _ => whole,
    }
}

/// A place in a text as a place in the sentence that holds it.
fn within(sentence: &Range<usize>, span: &Range<usize>) -> Range<usize> {
    span.start.saturating_sub(sentence.start)..span.end.saturating_sub(sentence.start)
}

/// Where a proposed text stands within the quoted sentences, apart from the width of white space.
fn piece_of(quoted: &Passage<'_>, around: &Range<usize>, proposed: &str) -> Option<Range<usize>> {
    let at = super::passage::find(&quoted.text[around.clone()], proposed)?;
    Some(around.start + at.start..around.start + at.end)
}

//! Claims that the words give a value.

mod attached;
mod objections;
mod verbatim;

use super::{
    Quote, Verdict,
    passage::{Passage, join, meet},
    vetoes,
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
                let candidates = self.with_those_elsewhere(&quoted, &around, &found);
                return self
                    .unclear(&quoted, candidates, "no value is proposed")
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
            .or_else(|| objections::to_any(quoted.text, &around))
            .or_else(|| self.objection_to_found(&quoted, &around, &found, own));
        if let Some(why) = objection {
            return self.unclear(&quoted, values(&found), &why).into();
        }
        if let Some(why) = self.objection_elsewhere(&quoted, &around, &proposed) {
            let candidates = self.with_those_elsewhere(&quoted, &around, &found);
            return self.unclear(&quoted, candidates, &why).into();
        }
        Judged {
            verdict: self.settle(proposed, &quoted, &around),
            evidence: Some(quoted.at(span)),
        }
    }

    /// The values in the quoted sentences together with those that other sentences name, in the
    /// order of the words: whoever is asked what was meant has to find the right one among them.
    fn with_those_elsewhere(
        &self,
        quoted: &Passage<'_>,
        around: &[Range<usize>],
        found: &[Candidate],
    ) -> Vec<Value> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (place, entry) in self.request.words.iter().enumerate() {
            let context = self.request.context(place);
            let text = entry.text.as_str();
            for sentence in words::sentences(text) {
                let same = place == quoted.words;
                let spoken_for = (same && around.contains(&sentence))
                    || self
                        .taken
                        .iter()
                        .any(|(words, span)| *words == place && meet(span, &sentence))
                    || vetoes::is_question(&text[sentence.clone()]);
                if spoken_for {
                    continue;
                }
                let earlier = place < quoted.words
                    || (same && around.first().is_some_and(|own| sentence.end <= own.start));
                let side = if earlier { &mut before } else { &mut after };
                side.extend(self.find(text, &sentence, &context));
            }
        }
        before.extend(found.iter().cloned());
        before.extend(after);
        values(&before)
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
        let mut found = self.slot.find(&text[sentence.clone()], context);
        for candidate in &mut found {
            candidate.span =
                sentence.start + candidate.span.start..sentence.start + candidate.span.end;
        }
        found
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
        let inferred = self.is_inferred(&value, quoted, around);
        self.against_current(value, quoted.quote(), corrects, inferred)
    }

    /// Whether a found value is not stated outright: several sentences hold it, or none would
    /// without the day on which they were written.
    fn is_inferred(&self, value: &Value, quoted: &Passage<'_>, around: &[Range<usize>]) -> bool {
        if self.rules().grounds() != Grounds::Found {
            return false;
        }
        let context = self.request.context(quoted.words);
        around.len() > 1
            || around.iter().any(|sentence| {
                self.rules()
                    .is_relative(value, &quoted.text[sentence.clone()], &context)
            })
    }

    /// Compares with the value that the slot has. Only words that put it right, in the reader's eyes
    /// and in code's, replace it.
    fn against_current(
        &self,
        value: Value,
        quote: Quote,
        corrects: bool,
        inferred: bool,
    ) -> Verdict {
        let Some(current) = &self.slot.current else {
            return Verdict::Accepted {
                value,
                quote,
                correction: false,
                inferred,
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
                inferred,
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

/// More values than this nobody is asked to choose among.
const MOST_CANDIDATES: usize = 5;

/// The different values among candidates, in order, up to a bound.
fn values(found: &[Candidate]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for candidate in found {
        if values.len() == MOST_CANDIDATES {
            break;
        }
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

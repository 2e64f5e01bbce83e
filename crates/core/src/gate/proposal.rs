//! From proposals to verdicts.

use super::{
    Judgement, SlotJudgement, Verdict, absence, concerns, confirmations,
    passage::{Passage, meet},
    promises,
    values::{Claim, Judged, refused},
};
use crate::{
    form::{Answer, ReadRequest, Reading, SlotForm, SlotQuestion},
    value::words,
};
use std::ops::Range;

/// Judges a reading of `request`. Nothing in the reading is believed: what is accepted stands in
/// the words, is read from them by code too where the kind allows it, and nothing around it speaks
/// against it. A reading that does not fit the request gives silence for what it lacks.
pub fn judge(request: &ReadRequest, reading: &Reading) -> Judgement {
    let forms = || request.slots.iter().zip(&reading.slots);
    let judged: Vec<Judged<'_>> = if reading.message.automatic_reply {
        // A program's words are nobody's answer.
        forms().map(|(_, form)| automatic(form).into()).collect()
    } else {
        let quotes: Vec<_> = forms()
            .map(|(slot, form)| claimed(request, slot, form))
            .collect();
        let judged = forms().enumerate().map(|(at, (slot, form))| {
            let taken: Vec<(usize, Range<usize>)> = quotes
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .filter_map(|(_, quote)| quote.clone())
                .collect();
            judge_slot(request, slot, form, taken)
        });
        unshare(request, judged.collect())
    };
    let mut verdicts = judged.into_iter().map(|judged| judged.verdict);
    let slots: Vec<SlotJudgement> = request
        .slots
        .iter()
        .map(|slot| SlotJudgement {
            slot: slot.key.clone(),
            verdict: verdicts.next().unwrap_or(Verdict::Silent),
            confirms: slot.confirming.is_some(),
        })
        .collect();
    let concerns = concerns::concerns(request, &reading.message, &slots);
    Judgement {
        slots,
        concerns,
        absence: absence::absence(request, &reading.message),
    }
}

fn automatic(form: &SlotForm) -> Verdict {
    if form.answer == Answer::Neither && form.value.is_null() {
        return Verdict::Silent;
    }
    refused("a program wrote the words, and they answer nothing")
}

/// Where the words stand that a form takes its value from.
fn claimed(
    request: &ReadRequest,
    slot: &SlotQuestion,
    form: &SlotForm,
) -> Option<(usize, Range<usize>)> {
    if form.value.is_null() {
        return None;
    }
    let quoted = Passage::locate(request, &form.quote)?;
    let context = request.context(quoted.words);
    // Only a sentence that really holds a value for that slot is spoken for.
    let sentence = quoted.sentences().into_iter().find(|sentence| {
        !slot
            .find(&quoted.text[sentence.clone()], &context)
            .is_empty()
    })?;
    Some((quoted.words, sentence))
}

fn judge_slot<'r>(
    request: &'r ReadRequest,
    slot: &'r SlotQuestion,
    form: &'r SlotForm,
    taken: Vec<(usize, Range<usize>)>,
) -> Judged<'r> {
    let quoted = || Passage::locate(request, &form.quote);
    let claim = Claim {
        request,
        slot,
        form,
        taken,
    };
    // A value that is known is not given up for a promise or a refusal.
    let keep = |verdict: Verdict| match verdict {
        Verdict::Promised { .. } | Verdict::Declined { .. } | Verdict::Unclear { .. }
            if slot.current.is_some() =>
        {
            refused("the slot has a value, and the words give no other")
        }
        other => other,
    };
    match form.answer {
        Answer::Value => match &slot.confirming {
            Some(confirming) => confirmations::hold(request, confirming, claim.judge()),
            None => claim.judge(),
        },
        Answer::Promise => keep(promises::promise(request, form, quoted().as_ref())).into(),
        Answer::Refusal => keep(promises::refusal(quoted().as_ref())).into(),
        Answer::Neither => claim.judge_without_value().into(),
    }
}

/// Two slots of one kind cannot both live on the same words: `Yes` answers one question, unless it
/// says that it answers all.
fn unshare<'r>(request: &ReadRequest, mut judged: Vec<Judged<'r>>) -> Vec<Judged<'r>> {
    let mut shared = vec![false; judged.len()];
    for later in 0..judged.len() {
        for earlier in 0..later {
            let kinds = |at: usize| request.slots.get(at).map(|slot| slot.kind.name());
            // One question asked whether all values were understood, and one yes answers it.
            let confirms = |at: usize| {
                let slot = request.slots.get(at);
                slot.is_some_and(|slot| slot.confirming.is_some())
            };
            if confirms(earlier) && confirms(later) {
                continue;
            }
            if kinds(earlier) == kinds(later) && is_shared(&judged[earlier], &judged[later]) {
                shared[earlier] = true;
                shared[later] = true;
            }
        }
    }
    for (at, judged) in judged.iter_mut().enumerate() {
        if !shared[at] {
            continue;
        }
        if let Verdict::Accepted { value, quote, .. } = &judged.verdict {
            let has_value = request
                .slots
                .get(at)
                .is_some_and(|slot| slot.current.is_some());
            let why = "two questions were answered with the same words";
            judged.verdict = if has_value {
                refused(why)
            } else {
                Verdict::Unclear {
                    candidates: vec![value.clone()],
                    quote: quote.clone(),
                    why: why.to_owned(),
                }
            };
        }
    }
    judged
}

fn is_shared(one: &Judged<'_>, other: &Judged<'_>) -> bool {
    let (
        Verdict::Accepted { quote, value, .. },
        Verdict::Accepted {
            quote: quote_2,
            value: value_2,
            ..
        },
    ) = (&one.verdict, &other.verdict)
    else {
        return false;
    };
    match (&one.evidence, &other.evidence) {
        (Some(one), Some(other)) => {
            let same = one.words == other.words && meet(&one.span, &other.span) && value == value_2;
            let for_all = one.sentences().into_iter().any(|sentence| {
                words::holds_any(
                    &words::words(&one.text[sentence]),
                    &["both", "all", "each", "same", "every", "everything"],
                )
            });
            same && !for_all
        }
        // Attachments have no place in the text.
        (None, None) => quote == quote_2 && value == value_2,
        _ => false,
    }
}

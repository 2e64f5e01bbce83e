//! Reading: what a reader's judged answer changes.

use super::{
    absence, consent,
    courtesy::is_courtesy,
    delegate,
    fold::{hold, hold_over},
    needs::recall_what_asks_nothing_open,
    questions::request,
    taking::{Source, Taking},
    values::owe,
};
use crate::{
    conversation::{Conversation, HoldReason, Owed, ReadingAttempts},
    effect::Effect,
    form::Reading,
    gate::{self, Concern, ConcernKind, Judgement, SlotJudgement},
    id::Ids,
    phase::Phase,
    policy::Wait,
    slot::SlotKey,
};
use jiff::Timestamp;

/// Judges a reading and lets what passes change the state.
pub(super) fn take(
    c: &mut Conversation,
    phase: &Phase,
    reading: &Reading,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) -> Judgement {
    let request = request(c, phase);
    let judgement = gate::judge(&request, reading);
    let source = Source::of(c, phase);

    let mut taking = Taking {
        c,
        source: &source,
        now,
        ids,
        effects,
        thanked: Vec::new(),
        answered: Vec::new(),
        changed: Vec::new(),
    };
    let mut understood = false;
    for (question, SlotJudgement { slot, verdict, .. }) in
        request.slots.iter().zip(&judgement.slots)
    {
        understood |= match &question.confirming {
            Some(confirming) => taking.take_confirmation(slot, &confirming.value, verdict),
            None => taking.take_verdict(slot, verdict),
        };
    }
    let filled = taking.finish();
    c.reading = ReadingAttempts::default();
    if let Phase::CatchUp { need } = phase {
        c.transcripts.retain(|transcript| transcript.need != *need);
        // What was said earlier may answer a question that is on its way.
        recall_what_asks_nothing_open(c, effects);
        return judgement;
    }
    if !filled.is_empty() && c.policy.acknowledge {
        owe_thanks(c, filled, now, ids);
    }
    understood |= take_absence(c, &judgement, &source);
    if !reading.message.automatic_reply {
        take_concerns(c, &judgement, &source, understood, now, ids, effects);
    }
    c.inbox.retain(|message| {
        !source
            .messages
            .iter()
            .any(|read| read.message == message.message)
    });
    judgement
}

/// Records that the reader failed. After the policy's number of tries an operator is told.
pub(super) fn failed(c: &mut Conversation, error: &str, now: Timestamp, ids: &mut Ids) {
    let backoff = c
        .policy
        .reading_backoff
        .doubled(c.reading.failed, Wait::hours(1));
    c.reading.failed += 1;
    c.reading.error = Some(error.to_owned());
    if c.reading.failed >= c.policy.reading_tries.max(1) {
        c.reading.retry_at = None;
        let reason = HoldReason::ReadingFailed {
            error: error.to_owned(),
        };
        hold(c, reason, now, ids);
    } else {
        c.reading.retry_at = Some(backoff.after(now));
    }
}

fn owe_thanks(c: &mut Conversation, filled: Vec<SlotKey>, now: Timestamp, ids: &mut Ids) {
    // Thanks that are on their way are worded already.
    let waiting = c.reply_items.iter().position(|item| {
        matches!(item.what, Owed::Acknowledgement { .. }) && !c.is_on_its_way(&item.id)
    });
    if let Some(place) = waiting
        && let Owed::Acknowledgement { slots } = &mut c.reply_items[place].what
    {
        slots.retain(|slot| !filled.contains(slot));
        slots.extend(filled);
        return;
    }
    owe(c, Owed::Acknowledgement { slots: filled }, now, ids);
}

fn take_concerns(
    c: &mut Conversation,
    judgement: &Judgement,
    source: &Source,
    understood: bool,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for Concern { kind, quote } in &judgement.concerns {
        let Some(from) = source.messages.get(quote.words) else {
            continue;
        };
        let message = from.message.clone();
        let quote = quote.text.clone();
        let reason = match kind {
            ConcernKind::OptsOut => {
                consent::opt_out(c, &message, from.received_at, effects);
                continue;
            }
            ConcernKind::RefusesContact => {
                consent::drop_courtesies(c);
                HoldReason::RefusesContact { message, quote }
            }
            ConcernKind::WantsPerson => HoldReason::WantsPerson { message, quote },
            ConcernKind::NamesAnother => {
                let delegate = delegate::named(c, &quote, &from.text);
                HoldReason::NamesAnother {
                    message,
                    quote,
                    delegate,
                }
            }
            ConcernKind::Question => HoldReason::StakeholderQuestion { message, quote },
            ConcernKind::OutOfScope => HoldReason::OutOfScope { message, quote },
        };
        let proposed = match &reason {
            HoldReason::NamesAnother {
                quote,
                delegate: Some(delegate),
                ..
            } => Some((quote.clone(), delegate.clone())),
            _ => None,
        };
        let opened = hold_over(c, reason, &from.from, now, ids);
        if let Some((quote, delegate)) = proposed {
            delegate::propose(c, opened.as_ref(), &quote, &delegate, effects);
        }
    }
    if understood || !judgement.concerns.is_empty() {
        return;
    }
    // Nobody may write something that matters and be met with silence.
    let unread = source
        .messages
        .iter()
        .find(|message| !is_courtesy(&message.text) || !message.attachments.is_empty());
    if let Some(message) = unread {
        let reason = HoldReason::NothingUnderstood {
            message: message.message.clone(),
            quote: message.text.chars().take(200).collect(),
        };
        let from = message.from.clone();
        hold_over(c, reason, &from, now, ids);
    }
}

/// Notes that the person is away. Says whether they do say so.
fn take_absence(c: &mut Conversation, judgement: &Judgement, source: &Source) -> bool {
    let Some(away) = &judgement.absence else {
        return false;
    };
    let Some(message) = source.messages.get(away.quote.words) else {
        return false;
    };
    absence::note(c, message, &away.quote.text, away.from, away.until);
    true
}

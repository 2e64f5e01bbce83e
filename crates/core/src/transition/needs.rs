//! Needs: taking them in, ending them, asking after their callers.

use super::{
    amend::amend,
    consent,
    fold::{hold, pause, recall_all},
    outlived::lift_outlived,
    values::{owe, reconcile_confirmations, take_over},
};
use crate::{
    conversation::{Conversation, HoldReason, NeedOperation, Owed, Transcript},
    effect::{Effect, NeedEvent},
    id::{Ids, NeedId},
    ladder::Silence,
    need::{Brief, Need, NeedSlot, NeedStatus, Outcome, OutcomeKind, Registration, SlotOutcome},
    phase::{Survey, Watch},
    policy::SilentCaller,
    sharing::{Clash, clash},
    slot::{SlotKey, Standing},
};
use indexmap::IndexMap;
use jiff::Timestamp;
use std::collections::BTreeSet;

pub(super) fn apply_operations(
    c: &mut Conversation,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for operation in std::mem::take(&mut c.need_operations) {
        match operation {
            NeedOperation::Register { registration, at } => {
                register(c, *registration, at, now, effects);
            }
            NeedOperation::Amend { amendment, at } => {
                amend(c, *amendment, at, now, ids, effects);
            }
            NeedOperation::Cancel { need, .. } => cancel(c, &need, now, ids, effects),
        }
    }
}

pub(super) fn expire(
    c: &mut Conversation,
    needs: &[NeedId],
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    for need in needs {
        end(c, need, OutcomeKind::Expired, now, effects);
    }
    recall_what_asks_nothing_open(c, effects);
    lift_outlived(c, now);
    forget_settled(c);
}

pub(super) fn settle(
    c: &mut Conversation,
    needs: &[(NeedId, OutcomeKind)],
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    for (need, outcome) in needs {
        end(c, need, *outcome, now, effects);
    }
    recall_what_asks_nothing_open(c, effects);
    lift_outlived(c, now);
    forget_settled(c);
}

pub(super) fn escalate_silence(
    c: &mut Conversation,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let silent = Survey::new(c).silent(&Watch::new(now));
    if silent.iter().any(|(_, silence)| *silence == Silence::Hold) {
        hold(c, HoldReason::Silence, now, ids);
    }
    let unreachable: BTreeSet<NeedId> = silent
        .iter()
        .filter(|(_, silence)| *silence == Silence::Unreachable)
        .flat_map(|(key, _)| c.waiting_for(key).map(|(id, _)| id.clone()))
        .collect();
    for need in unreachable {
        end(c, &need, OutcomeKind::Unreachable, now, effects);
    }
    recall_what_asks_nothing_open(c, effects);
    lift_outlived(c, now);
    forget_settled(c);
}

pub(super) fn escalate_promises(c: &mut Conversation, now: Timestamp, ids: &mut Ids) {
    for key in Survey::new(c).broken(&Watch::new(now)) {
        let promises = c.slots.get(&key).map(|slot| slot.promises.clone());
        let reason = HoldReason::PromisesBroken {
            slot: key,
            promises: promises.unwrap_or_default(),
        };
        hold(c, reason, now, ids);
    }
}

pub(super) fn probe_callers(
    c: &mut Conversation,
    needs: &[NeedId],
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    for id in needs {
        if let Some(need) = c.needs.get_mut(id) {
            need.caller_probed_at = Some(now);
            effects.push(Effect::Event {
                need: id.clone(),
                event: NeedEvent::StillWaiting { at: now },
            });
        }
    }
}

/// Does what the policy says with the needs of callers that are gone.
pub(super) fn escalate_callers(
    c: &mut Conversation,
    needs: &[NeedId],
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for id in needs {
        let Some(need) = c.needs.get_mut(id) else {
            continue;
        };
        need.caller_gone_at = Some(now);
        match c.policy.silent_caller {
            SilentCaller::Keep => {}
            SilentCaller::Cancel => cancel(c, id, now, ids, effects),
            SilentCaller::Hold => {
                let reason = HoldReason::CallerGone { need: id.clone() };
                pause(c, reason, Some(id), None, now, ids);
            }
        }
    }
    recall_what_asks_nothing_open(c, effects);
}

fn register(
    c: &mut Conversation,
    registration: Registration,
    at: Timestamp,
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    let id = registration.need.clone();
    if c.needs.contains_key(&id) {
        return;
    }
    if let Some(clash) = clash(c, &[], &registration) {
        reject(c, registration, &clash, at, now, effects);
        return;
    }
    let slots = registration
        .slots
        .iter()
        .map(|wanted| {
            let key = registration.key(&wanted.name);
            let reused = take_over(c, &key, wanted, at);
            NeedSlot::new(&key.subject, wanted, reused)
        })
        .collect();
    if !registration.transcript.is_empty() {
        c.transcripts.push(Transcript {
            need: id.clone(),
            entries: registration.transcript.clone(),
            by: None,
        });
        recall_all(c, "what was said before is read first", effects);
    }
    c.needs.insert(id, open_need(registration, slots, at));
    reconcile_confirmations(c, effects);
}

fn open_need(registration: Registration, slots: Vec<NeedSlot>, at: Timestamp) -> Need {
    Need {
        goal: registration.goal,
        slots,
        deadline: registration.deadline,
        registered_at: at,
        facts: registration.facts,
        briefs: registration
            .briefs
            .into_iter()
            .map(|text| Brief { text, told: None })
            .collect(),
        ladder: registration.ladder,
        caller_seen_at: at,
        caller_probed_at: None,
        caller_gone_at: None,
        status: NeedStatus::Open,
    }
}

/// Ends a need that cannot share a question with another one, because they would read its answer
/// differently. The server refuses such a registration; only one that raced another gets here. It
/// has no slots, so that no answer is ever news for it.
fn reject(
    c: &mut Conversation,
    registration: Registration,
    clash: &Clash,
    at: Timestamp,
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    let id = registration.need.clone();
    let why = format!(
        "need {} already asks about slot {} {}; use the same kind and constraints, another \
         subject, or another slot name",
        clash.with,
        clash.slot,
        match clash.other_kind {
            true => "as another kind",
            false => "with other constraints",
        }
    );
    c.needs
        .insert(id.clone(), open_need(registration, Vec::new(), at));
    effects.push(Effect::Event {
        need: id.clone(),
        event: NeedEvent::Rejected { why },
    });
    end(c, &id, OutcomeKind::Cancelled, now, effects);
}

fn cancel(
    c: &mut Conversation,
    id: &NeedId,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let Some(need) = c.needs.get(id).filter(|need| need.is_open()) else {
        return;
    };
    let keys: Vec<SlotKey> = need.slots.iter().map(|slot| slot.key.clone()).collect();
    end(c, id, OutcomeKind::Cancelled, now, effects);
    recall_what_asks_nothing_open(c, effects);
    take_back(c, &keys, now, ids);
    lift_outlived(c, now);
    forget_settled(c);
}

/// Takes back those of these questions that no open need waits for any more. Whoever was asked is
/// told; whoever is being asked just now is told should the message go all the same. Whoever asked
/// not to be written to is not.
pub(super) fn take_back(c: &mut Conversation, keys: &[SlotKey], now: Timestamp, ids: &mut Ids) {
    if consent::refuses_contact(c) {
        return;
    }
    for key in keys {
        if c.waiting_for(key).next().is_some() {
            continue;
        }
        let Some(slot) = c.slots.get(key).filter(|slot| slot.standing.is_open()) else {
            continue;
        };
        let question = slot.question.clone();
        if c.asks.iter().any(|ask| ask.slot == *key) {
            owe(c, Owed::Withdrawal { question }, now, ids);
            continue;
        }
        for message in &mut c.outgoing {
            if message.asks.iter().any(|(asked, _)| asked == key) {
                message.taken_back.push((key.clone(), question.clone()));
            }
        }
    }
}

/// Gives a need its one outcome.
fn end(
    c: &mut Conversation,
    id: &NeedId,
    kind: OutcomeKind,
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    let slots = &c.slots;
    let Some(need) = c.needs.get_mut(id).filter(|need| need.is_open()) else {
        return;
    };
    need.status = NeedStatus::Settled {
        outcome: kind,
        at: now,
    };
    let filled: IndexMap<String, SlotOutcome> = need
        .slots
        .iter_mut()
        .filter_map(
            |wanted| match slots.get(&wanted.key).map(|slot| &slot.standing) {
                Some(Standing::Filled(filled)) => {
                    wanted.told = Some(filled.value.clone());
                    let outcome = SlotOutcome::of(filled, wanted.reused);
                    Some((wanted.key.name.clone(), outcome))
                }
                _ => None,
            },
        )
        .collect();
    effects.push(Effect::NeedSettled {
        need: id.clone(),
        outcome: Box::new(Outcome {
            outcome: kind,
            at: now,
            slots: filled,
        }),
    });
    c.transcripts.retain(|transcript| transcript.need != *id);
    c.holds.retain(|hold| hold.need.as_ref() != Some(id));
    let still_wanted: BTreeSet<SlotKey> = c
        .open_needs()
        .flat_map(|(_, need)| need.slots.iter().map(|slot| slot.key.clone()))
        .collect();
    c.reply_items.retain(|item| match &item.what {
        Owed::Clarification { slot, .. } | Owed::Confirmation { slot } => {
            still_wanted.contains(slot)
        }
        _ => true,
    });
    // The need that wanted a value confirmed may have been this one.
    reconcile_confirmations(c, effects);
}

/// Nobody has to decide about a caller that came back.
pub(super) fn caller_is_back(c: &mut Conversation, id: &NeedId) {
    c.holds
        .retain(|hold| !matches!(&hold.reason, HoldReason::CallerGone { need } if need == id));
}

/// A message on its way that asks something which nobody waits for any more, or which is answered,
/// must not go.
pub(super) fn recall_what_asks_nothing_open(c: &Conversation, effects: &mut Vec<Effect>) {
    let is_closed = |key: &SlotKey| {
        let slot = c.slots.get(key);
        !c.may_be_asked(key) || slot.is_some_and(|slot| !slot.standing.is_open())
    };
    let asks_what_is_closed = c
        .outgoing
        .iter()
        .any(|message| message.asks.iter().any(|(slot, _)| is_closed(slot)));
    if asks_what_is_closed {
        recall_all(c, "a question in it needs no answer any more", effects);
    }
}

/// Keeps the document bounded: of the settled needs only the latest stay, and the slots that only
/// the others had go with them.
pub(super) fn forget_settled(c: &mut Conversation) {
    let mut settled: Vec<(Timestamp, NeedId)> = c
        .needs
        .iter()
        .filter_map(|(id, need)| match need.status {
            NeedStatus::Settled { at, .. } => Some((at, id.clone())),
            NeedStatus::Open => None,
        })
        .collect();
    settled.sort();
    let surplus = settled.len().saturating_sub(Conversation::MOST_SETTLED);
    for (_, id) in settled.into_iter().take(surplus) {
        c.needs.remove(&id);
    }
    let kept: BTreeSet<&SlotKey> = c
        .needs
        .values()
        .flat_map(|need| need.slots.iter().map(|slot| &slot.key))
        .collect();
    c.slots.retain(|key, _| kept.contains(key));
    let slots = &c.slots;
    c.asks.retain(|ask| slots.contains_key(&ask.slot));
}

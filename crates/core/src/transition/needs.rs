//! Needs: taking them in, ending them, asking after their callers.

use super::fold::{hold, recall_all};
use crate::{
    conversation::{Conversation, HoldReason, NeedOperation, Owed, ReplyItem, Transcript},
    effect::{Effect, NeedEvent},
    id::{Ids, NeedId, ReplyItemId},
    ladder::Silence,
    need::{Brief, Need, NeedSlot, NeedStatus, Outcome, OutcomeKind, Registration, SlotOutcome},
    phase::{Watch, broken_slots, silent_slots},
    slot::{Slot, SlotKey, Standing},
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
    forget_settled(c);
}

pub(super) fn escalate_silence(
    c: &mut Conversation,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let silent = silent_slots(c, &Watch::new(now));
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
    forget_settled(c);
}

pub(super) fn escalate_promises(c: &mut Conversation, now: Timestamp, ids: &mut Ids) {
    for key in broken_slots(c, &Watch::new(now)) {
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

fn register(
    c: &mut Conversation,
    registration: Registration,
    at: Timestamp,
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    let id = registration.need;
    if c.needs.contains_key(&id) {
        return;
    }
    let subject = registration.subject.unwrap_or_else(|| id.to_string());
    let key = |name: &str| SlotKey {
        subject: subject.clone(),
        name: name.to_owned(),
    };
    let clash = registration.slots.iter().find(|wanted| {
        c.slots
            .get(&key(&wanted.name))
            .is_some_and(|known| known.kind != wanted.kind)
    });
    let clash = clash.map(|wanted| {
        format!(
            "slot {} is already asked about as another kind, or with other constraints",
            key(&wanted.name)
        )
    });

    for wanted in &registration.slots {
        take_up_again(c, &key(&wanted.name), at);
    }
    let need = Need {
        goal: registration.goal,
        slots: registration
            .slots
            .iter()
            .map(|wanted| NeedSlot {
                key: key(&wanted.name),
                required: wanted.required,
            })
            .collect(),
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
        status: NeedStatus::Open,
    };
    c.needs.insert(id.clone(), need);
    if let Some(why) = clash {
        // Two needs cannot share a question whose answers they would read differently. The server
        // refuses such a registration; only one that raced another gets here.
        effects.push(Effect::Event {
            need: id.clone(),
            event: NeedEvent::Rejected { why },
        });
        end(c, &id, OutcomeKind::Cancelled, now, effects);
        return;
    }
    for wanted in registration.slots {
        c.slots.entry(key(&wanted.name)).or_insert_with(|| Slot {
            kind: wanted.kind,
            question: wanted.question,
            self_checks: wanted.self_checks,
            standing: Standing::Missing,
            earlier: Vec::new(),
            promises: Vec::new(),
        });
    }
    if !registration.transcript.is_empty() {
        c.transcripts.push(Transcript {
            need: id,
            entries: registration.transcript,
            by: None,
        });
    }
}

/// Makes a question that no open need waits for any more ready for one, registered at `at`, that
/// does. If the person was about to be told that it needs no answer, it simply stays open;
/// otherwise what was asked before then is over, and it is asked anew.
fn take_up_again(c: &mut Conversation, key: &SlotKey, at: Timestamp) {
    let Some(slot) = c.slots.get(key).filter(|slot| slot.standing.is_open()) else {
        return;
    };
    if c.waiting_for(key).next().is_some() {
        return;
    }
    let withdrawal = c.reply_items.iter().position(|item| {
        matches!(&item.what, Owed::Withdrawal { question } if *question == slot.question)
            && !c.is_on_its_way(&item.id)
    });
    match withdrawal {
        Some(place) => {
            c.reply_items.remove(place);
        }
        None => c.asks.retain(|ask| ask.slot != *key || ask.at >= at),
    }
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
    for key in keys {
        let wanted_by_others = c.waiting_for(&key).next().is_some();
        let Some(slot) = c.slots.get(&key) else {
            continue;
        };
        let asked = c.asks.iter().any(|ask| ask.slot == key);
        if asked && slot.standing.is_open() && !wanted_by_others {
            let question = slot.question.clone();
            c.reply_items.push(ReplyItem {
                id: ReplyItemId::new(ids.draw()),
                since: now,
                what: Owed::Withdrawal { question },
            });
        }
    }
    forget_settled(c);
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
        .iter()
        .filter_map(
            |wanted| match slots.get(&wanted.key).map(|slot| &slot.standing) {
                Some(Standing::Filled(filled)) => Some((
                    wanted.key.name.clone(),
                    SlotOutcome {
                        value: filled.value.clone(),
                        evidence: filled.evidence.clone(),
                        as_of: filled.as_of,
                    },
                )),
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
        Owed::Clarification { slot, .. } => still_wanted.contains(slot),
        _ => true,
    });
}

/// A message on its way that asks something which nobody waits for any more must not go.
fn recall_what_asks_nothing_open(c: &Conversation, effects: &mut Vec<Effect>) {
    let asks_what_is_closed = c
        .outgoing
        .iter()
        .any(|message| message.asks.iter().any(|(slot, _)| !c.may_be_asked(slot)));
    if asks_what_is_closed {
        recall_all(c, "a question in it needs no answer any more", effects);
    }
}

/// Keeps the document bounded: of the settled needs only the latest stay, and the slots that only
/// the others had go with them.
fn forget_settled(c: &mut Conversation) {
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

//! Values: what follows when one is known, replaced, taken over by another need, or in need of
//! confirmation. Nothing else gives a slot another standing.

use super::needs::recall_what_asks_nothing_open;
use crate::{
    conversation::{Conversation, Owed, ReplyItem},
    effect::{Effect, NeedEvent},
    id::{Ids, ReplyItemId},
    need::{NeedStatus, SlotRequest},
    slot::{Filled, Promise, Slot, SlotKey, Standing},
    value::Value,
};
use jiff::Timestamp;

/// Gives a slot a value. The value before it stays among the earlier ones, nothing more has to be
/// cleared up, and needs that have ended are told what they do not know. Says whether another value
/// stood before: then what rests on the slot has to be [overturned](overturn).
pub(super) fn fill(
    c: &mut Conversation,
    key: &SlotKey,
    filled: Filled,
    effects: &mut Vec<Effect>,
) -> bool {
    let Some(slot) = c.slots.get(key) else {
        return false;
    };
    let changed = slot
        .last_value()
        .is_some_and(|before| *before != filled.value);
    tell_those_that_ended(c, key, &filled, effects);
    stands(c, key, Standing::Filled(filled));
    changed
}

/// Changes what is known of a slot. Whatever was to be cleared up about it is over, and the value
/// that a need took over, if one did, is none that was there before it.
pub(super) fn stands(c: &mut Conversation, key: &SlotKey, standing: Standing) {
    let Some(slot) = c.slots.get_mut(key) else {
        return;
    };
    slot.stands(standing);
    clear_up(c, key);
    for need in c.needs.values_mut().filter(|need| need.is_open()) {
        for wanted in need.slots.iter_mut().filter(|wanted| wanted.key == *key) {
            wanted.reused = false;
        }
    }
}

/// Enters a promise. One that was not broken yet is replaced: whoever puts the day off in time has
/// broken nothing.
pub(super) fn promise(c: &mut Conversation, key: &SlotKey, promise: Promise) {
    let Some(slot) = c.slots.get_mut(key) else {
        return;
    };
    slot.promises.retain(|kept| kept.until <= promise.made_at);
    slot.promises.push(promise);
    if slot.promises.len() > Promise::MOST {
        slot.promises.remove(0);
    }
}

/// Takes a value as what was understood, and has the person asked whether it is right.
pub(super) fn await_confirmation(
    c: &mut Conversation,
    key: &SlotKey,
    candidate: Filled,
    now: Timestamp,
    ids: &mut Ids,
) {
    stands(c, key, Standing::Unconfirmed(candidate));
    owe(c, Owed::Confirmation { slot: key.clone() }, now, ids);
}

/// Owes the person the question what an answer meant.
pub(super) fn owe_clarification(
    c: &mut Conversation,
    key: &SlotKey,
    candidates: &[Value],
    now: Timestamp,
    ids: &mut Ids,
) {
    clear_up(c, key);
    let what = Owed::Clarification {
        slot: key.clone(),
        candidates: candidates.to_vec(),
    };
    owe(c, what, now, ids);
}

/// Owes the person something with the next message.
pub(super) fn owe(c: &mut Conversation, what: Owed, since: Timestamp, ids: &mut Ids) {
    c.reply_items.push(ReplyItem {
        id: ReplyItemId::new(ids.draw()),
        since,
        what,
    });
}

/// Leaves nothing to be asked about what an answer meant.
pub(super) fn clear_up(c: &mut Conversation, key: &SlotKey) {
    c.reply_items.retain(|item| match &item.what {
        Owed::Clarification { slot, .. } | Owed::Confirmation { slot } => slot != key,
        _ => true,
    });
}

/// Makes the slots that rest on `key`, whose value has changed, missing again, apart from those
/// that were answered together with the change. They are asked anew, with the reason.
///
/// What rests on *them* is left as it is until they have a new value of their own: it may turn out
/// to be the same.
pub(super) fn overturn(c: &mut Conversation, key: &SlotKey, answered_with_it: &[SlotKey]) {
    let dependents: Vec<SlotKey> = c
        .open_needs()
        .flat_map(|(_, need)| &need.slots)
        .filter(|wanted| wanted.depends_on.contains(key) && !answered_with_it.contains(&wanted.key))
        .map(|wanted| wanted.key.clone())
        .collect();
    for dependent in dependents {
        let Some(slot) = c.slots.get(&dependent) else {
            continue;
        };
        // What was asked and not answered stays asked, and a promise stays one.
        let answered = matches!(
            slot.standing,
            Standing::Filled(_) | Standing::Unconfirmed(_) | Standing::Unclear { .. }
        );
        if !answered {
            continue;
        }
        ask_anew(c, &dependent);
        if let Some(slot) = c.slots.get_mut(&dependent) {
            slot.overturned_by = Some(key.clone());
        }
    }
}

/// Makes a slot missing, as if it had never been asked; what stood stays among its versions.
pub(super) fn ask_anew(c: &mut Conversation, key: &SlotKey) {
    stands(c, key, Standing::Missing);
    c.asks.retain(|ask| ask.slot != *key);
}

/// Gives a need that was registered at `at` what is known of a slot that it wants, before the need
/// is one of those that wait for it. Says whether it takes over a value.
pub(super) fn take_over(
    c: &mut Conversation,
    key: &SlotKey,
    wanted: &SlotRequest,
    at: Timestamp,
) -> bool {
    let known = |slot: &Slot| slot.kind == wanted.kind;
    if c.waiting_for(key).next().is_none() && !c.slots.get(key).is_some_and(known) {
        forget(c, key);
    }
    let slot = c.slots.entry(key.clone()).or_insert_with(|| Slot {
        kind: wanted.kind.clone(),
        question: wanted.question.clone(),
        self_checks: wanted.self_checks.clone(),
        standing: Standing::Missing,
        earlier: Vec::new(),
        promises: Vec::new(),
        overturned_by: None,
    });
    let Standing::Filled(filled) = &slot.standing else {
        take_up_again(c, key, at);
        return false;
    };
    let is_fresh = wanted
        .max_age
        .is_none_or(|most| most.after(filled.as_of) > at);
    if !is_fresh {
        ask_anew(c, key);
    }
    is_fresh
}

/// Drops a slot that only ended needs have, because its name stands for another question now. They
/// keep their outcomes, and hear no more of it.
fn forget(c: &mut Conversation, key: &SlotKey) {
    c.slots.remove(key);
    c.asks.retain(|ask| ask.slot != *key);
    for need in c.needs.values_mut() {
        need.slots.retain(|wanted| wanted.key != *key);
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

/// Brings values in line with what the needs that wait now want confirmed: a value that one of them
/// wants confirmed does not count yet, and a candidate that none of them does counts.
pub(super) fn reconcile_confirmations(c: &mut Conversation, effects: &mut Vec<Effect>) {
    let wanted: Vec<SlotKey> = c
        .slots
        .keys()
        .filter(|key| c.waiting_for(key).next().is_some())
        .cloned()
        .collect();
    for key in wanted {
        let confirm = c.confirmation_of(&key);
        match c.slots.get(&key).map(|slot| slot.standing.clone()) {
            Some(Standing::Filled(filled)) if confirm.wants(&filled) => {
                stands(c, &key, Standing::Unconfirmed(filled));
            }
            Some(Standing::Unconfirmed(candidate)) if !confirm.wants(&candidate) => {
                let changed = fill(c, &key, candidate, effects);
                if changed {
                    overturn(c, &key, &[]);
                }
                recall_what_asks_nothing_open(c, effects);
            }
            _ => {}
        }
    }
}

/// Tells needs that have ended of a value that they do not know: an answer that came too late for
/// them, or a correction of what they were told.
fn tell_those_that_ended(
    c: &mut Conversation,
    key: &SlotKey,
    filled: &Filled,
    effects: &mut Vec<Effect>,
) {
    for (id, need) in &mut c.needs {
        let NeedStatus::Settled { outcome, .. } = need.status else {
            continue;
        };
        for wanted in need.slots.iter_mut().filter(|wanted| wanted.key == *key) {
            let slot = key.name.clone();
            let value = filled.value.clone();
            let evidence = filled.evidence.clone();
            let event = match wanted.told.replace(value.clone()) {
                Some(was) if was == value => continue,
                Some(was) => NeedEvent::Amended {
                    slot,
                    value,
                    evidence,
                    was: Box::new(was),
                },
                None => NeedEvent::LateAnswer {
                    after: outcome,
                    slot,
                    value,
                    evidence,
                },
            };
            effects.push(Effect::Event {
                need: id.clone(),
                event,
            });
        }
    }
}

//! Amending an open need.

use super::{
    fold::recall_all,
    needs::{forget_settled, recall_what_asks_nothing_open, take_back},
    outlived::lift_outlived,
    values::{ask_anew, clear_up, reconcile_confirmations, take_over},
};
use crate::{
    amendment::{Amendment, Present, SlotChange},
    conversation::{Conversation, Owed},
    effect::{Effect, NeedEvent},
    id::{Ids, NeedId},
    need::{NeedSlot, SlotRequest},
    policy::Wait,
    slot::{SlotKey, Standing},
    value::Kind,
};
use jiff::Timestamp;

/// Applies an amendment that was stored at `at`, or tells the workflow why it cannot be.
pub(super) fn amend(
    c: &mut Conversation,
    amendment: Amendment,
    at: Timestamp,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let id = amendment.need.clone();
    if let Err(why) = check(c, &amendment, at) {
        // The server refuses what does not fit; only what raced something else gets here.
        effects.push(Effect::Event {
            need: id,
            event: NeedEvent::AmendmentRefused { why },
        });
        return;
    }
    let subject = subject(c, &id);
    let key = |name: &str| SlotKey {
        subject: subject.clone(),
        name: name.to_owned(),
    };
    let Some(need) = c.needs.get_mut(&id) else {
        return;
    };
    if let Some(deadline) = amendment.deadline {
        need.deadline = deadline;
    }
    if let Some(facts) = &amendment.facts {
        need.facts.clone_from(facts);
    }
    let removed: Vec<SlotKey> = amendment.remove.iter().map(|name| key(name)).collect();
    remove(c, &id, &removed, now, ids, effects);
    for change in &amendment.change {
        self::change(c, &id, &key(&change.name), change, at, effects);
    }
    for wanted in &amendment.add {
        add(c, &id, key(&wanted.name), wanted, at);
    }
    if !removed.is_empty() {
        lift_outlived(c, now);
    }
    forget_settled(c);
    reconcile_confirmations(c, effects);
    effects.push(Effect::NeedAmended {
        amendment: Box::new(amendment),
    });
}

fn check(c: &Conversation, amendment: &Amendment, at: Timestamp) -> Result<(), String> {
    let id = &amendment.need;
    let need = c
        .needs
        .get(id)
        .filter(|need| need.is_open())
        .ok_or("the need has ended")?;
    if amendment.deadline.is_some_and(|deadline| deadline <= at) {
        return Err("deadline: this is not in the future".to_owned());
    }
    amendment
        .check(need.slots.iter().map(|slot| {
            Present {
                name: &slot.key.name,
                required: slot.required,
                depends_on: slot
                    .depends_on
                    .iter()
                    .map(|key| key.name.as_str())
                    .collect(),
            }
        }))
        .map_err(|fault| fault.to_string())?;
    let subject = subject(c, id);
    let key = |name: &str| SlotKey {
        subject: subject.clone(),
        name: name.to_owned(),
    };
    let sharer = |key: &SlotKey, kind: &Kind| {
        let differs = c.slots.get(key).is_some_and(|slot| slot.kind != *kind);
        let mut waiting = c.waiting_for(key).map(|(other, _)| other);
        waiting.find(|other| *other != id && differs).cloned()
    };
    for change in &amendment.change {
        let Some(kind) = &change.kind else { continue };
        let key = key(&change.name);
        if let Some(other) = sharer(&key, kind) {
            return Err(format!(
                "need {other} waits for slot {key} too, and would read its answers differently"
            ));
        }
    }
    for wanted in &amendment.add {
        let key = key(&wanted.name);
        if let Some(other) = sharer(&key, &wanted.kind) {
            return Err(format!(
                "need {other} already asks about slot {key} as another kind, or with other \
                 constraints"
            ));
        }
    }
    Ok(())
}

/// What all slots of a need are about.
fn subject(c: &Conversation, id: &NeedId) -> String {
    c.needs
        .get(id)
        .and_then(|need| need.slots.first())
        .map_or_else(|| id.to_string(), |slot| slot.key.subject.clone())
}

fn remove(
    c: &mut Conversation,
    id: &NeedId,
    keys: &[SlotKey],
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    if let Some(need) = c.needs.get_mut(id) {
        need.slots.retain(|slot| !keys.contains(&slot.key));
        for slot in &mut need.slots {
            slot.depends_on.retain(|key| !keys.contains(key));
        }
    }
    recall_what_asks_nothing_open(c, effects);
    take_back(c, keys, now, ids);
    for key in keys {
        if c.waiting_for(key).next().is_some() {
            continue;
        }
        clear_up(c, key);
    }
}

fn change(
    c: &mut Conversation,
    id: &NeedId,
    key: &SlotKey,
    change: &SlotChange,
    at: Timestamp,
    effects: &mut Vec<Effect>,
) {
    if let Some(need) = c.needs.get_mut(id) {
        for slot in need.slots.iter_mut().filter(|slot| slot.key == *key) {
            slot.required = change.required.unwrap_or(slot.required);
            slot.confirm = change.confirm.unwrap_or(slot.confirm);
            if let Some(names) = &change.depends_on {
                let names = names.iter().map(|name| SlotKey {
                    subject: key.subject.clone(),
                    name: name.clone(),
                });
                slot.depends_on = names.collect();
            }
        }
    }
    let Some(slot) = c.slots.get_mut(key) else {
        return;
    };
    if let Some(question) = &change.question {
        slot.question.clone_from(question);
    }
    if let Some(self_checks) = &change.self_checks {
        slot.self_checks.clone_from(self_checks);
    }
    if let Some(kind) = change.kind.clone().filter(|kind| *kind != slot.kind) {
        slot.kind = kind;
        becomes_another_question(c, id, key, effects);
    }
    if let Some(most) = change.max_age {
        outdate(c, key, most, at);
    }
}

/// Asks anew what is known for longer than `most`.
fn outdate(c: &mut Conversation, key: &SlotKey, most: Wait, at: Timestamp) {
    let standing = c.slots.get(key).map(|slot| &slot.standing);
    if let Some(Standing::Filled(known) | Standing::Unconfirmed(known)) = standing
        && most.after(known.as_of) <= at
    {
        ask_anew(c, key);
    }
}

/// A value that fits the new question answers it; anything else that was said, asked or is on its
/// way was about another one.
fn becomes_another_question(
    c: &mut Conversation,
    id: &NeedId,
    key: &SlotKey,
    effects: &mut Vec<Effect>,
) {
    // Those that have ended wait for late answers to the question as they asked it.
    for (other, need) in &mut c.needs {
        if other != id && !need.is_open() {
            need.slots.retain(|slot| slot.key != *key);
        }
    }
    let Some(slot) = c.slots.get_mut(key) else {
        return;
    };
    if let Standing::Filled(known) | Standing::Unconfirmed(known) = &slot.standing
        && slot.kind.rules().check(&known.value).is_ok()
    {
        return;
    }
    slot.promises.clear();
    slot.overturned_by = None;
    if c.outgoing
        .iter()
        .any(|message| message.asks.iter().any(|(asked, _)| asked == key))
    {
        recall_all(c, "a question in it has changed", effects);
    }
    ask_anew(c, key);
    let question = slot_question(c, key);
    never_asked(c, key, &question);
}

fn slot_question(c: &Conversation, key: &SlotKey) -> String {
    c.slots
        .get(key)
        .map(|slot| slot.question.clone())
        .unwrap_or_default()
}

/// What is on its way asked another question: should it go all the same, this one is still to be
/// asked. It is not handed over a second time.
fn never_asked(c: &mut Conversation, key: &SlotKey, question: &str) {
    for message in &mut c.outgoing {
        let before = message.asks.len();
        message.asks.retain(|(asked, _)| asked != key);
        message.confirms.retain(|asked| asked != key);
        let marked = message.taken_back.iter().any(|(taken, _)| taken == key);
        if message.asks.len() < before && !marked {
            message.taken_back.push((key.clone(), question.to_owned()));
        }
    }
}

fn add(c: &mut Conversation, id: &NeedId, key: SlotKey, wanted: &SlotRequest, at: Timestamp) {
    if !c.slots.contains_key(&key) {
        // Whoever is about to read that a question is over would then be asked it again.
        let on_its_way: Vec<_> = c
            .outgoing
            .iter()
            .flat_map(|message| message.items.iter().cloned())
            .collect();
        c.reply_items.retain(|item| {
            !matches!(&item.what, Owed::Withdrawal { question } if *question == wanted.question)
                || on_its_way.contains(&item.id)
        });
        never_asked(c, &key, &wanted.question);
    }
    let reused = take_over(c, &key, wanted, at);
    if let Some(need) = c.needs.get_mut(id) {
        need.slots.push(NeedSlot::new(&key.subject, wanted, reused));
    }
}

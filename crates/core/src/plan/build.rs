//! Building the plan of the next message: everything that is due to be said, in one message.

use super::{MessagePlan, PlanItem};
use crate::{
    conversation::{Conversation, MessageKind, Owed, ReplyItem},
    ladder::{self, Chase},
    phase::{Phase, unasked_slots, untold_briefs},
    sending,
    slot::{Slot, SlotKey},
};
use jiff::{Timestamp, civil};

/// Plans the message that `phase` sends; none when there is nothing to say or nobody to say it to.
///
/// Whatever the phase, the plan carries all that is due: a reply also asks what was never asked,
/// and a reminder brings every open question, so that one message does where two might.
pub fn plan_message(c: &Conversation, phase: &Phase, now: Timestamp) -> Option<MessagePlan> {
    let kind = match phase {
        Phase::Reply => MessageKind::Reply,
        Phase::Ask => MessageKind::Ask,
        Phase::FollowUp => MessageKind::FollowUp,
        _ => return None,
    };
    let contact = sending::contact(c)?;
    let mut items: Vec<PlanItem> = c
        .reply_items
        .iter()
        .filter(|item| c.may_be_said(item))
        .filter_map(|item| reply_item(c, item))
        .collect();
    items.extend(briefs(c));
    items.extend(first_questions(c));
    if kind == MessageKind::FollowUp {
        items.extend(reminders(c, now));
    }
    if items.is_empty() {
        return None;
    }
    Some(MessagePlan {
        kind,
        channel: contact.channel,
        to: contact.address.clone(),
        name: c.stakeholder.name.clone(),
        language: c.stakeholder.language.clone(),
        signature: c.policy.signature.clone(),
        thread_subject: c.thread.subject.clone(),
        references: c.thread.message_ids.clone(),
        goals: goals(c, &items),
        items,
        guidance: c
            .guidance
            .iter()
            .filter(|guidance| guidance.counts_at(now))
            .map(|guidance| guidance.text.clone())
            .collect(),
    })
}

fn reply_item(c: &Conversation, item: &ReplyItem) -> Option<PlanItem> {
    let id = item.id.clone();
    Some(match &item.what {
        Owed::Acknowledgement { slots } => PlanItem::Acknowledge {
            id,
            answers: slots
                .iter()
                .filter_map(|key| {
                    let slot = c.slots.get(key)?;
                    let value = slot.standing.value()?;
                    Some((slot.question.clone(), slot.kind.rules().show(value)))
                })
                .collect(),
        },
        Owed::Clarification {
            slot: key,
            candidates,
        } => {
            let slot = c.slots.get(key)?;
            PlanItem::Clarify {
                id,
                slot: key.clone(),
                question: slot.question.clone(),
                candidates: candidates
                    .iter()
                    .map(|v| slot.kind.rules().show(v))
                    .collect(),
                hint: slot.kind.rules().hint(),
            }
        }
        Owed::Answer { text, question, .. } => PlanItem::Answer {
            id,
            text: text.clone(),
            question: question.clone(),
        },
        Owed::Withdrawal { question } => PlanItem::Withdraw {
            id,
            question: question.clone(),
        },
    })
}

fn briefs(c: &Conversation) -> Vec<PlanItem> {
    c.active_needs()
        .flat_map(|(id, need)| {
            untold_briefs(c, id, need).map(|(place, text)| PlanItem::Brief {
                need: id.clone(),
                place,
                text: text.to_owned(),
            })
        })
        .collect()
}

fn first_questions(c: &Conversation) -> Vec<PlanItem> {
    let mut keys: Vec<&SlotKey> = Vec::new();
    for (_, need) in c.active_needs() {
        for key in unasked_slots(c, need) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys.into_iter()
        .filter_map(|key| Some(question(key, c.slots.get(key)?, None)))
        .collect()
}

/// Every open question that was asked and has a reminder left, promised ones excepted: being due
/// within the same message is better than another message tomorrow.
fn reminders(c: &Conversation, now: Timestamp) -> Vec<PlanItem> {
    let zone = c.zone();
    let mut keys: Vec<&SlotKey> = Vec::new();
    for (_, need) in c.active_needs() {
        for wanted in need.slots.iter().filter(|wanted| wanted.required) {
            if !keys.contains(&&wanted.key) {
                keys.push(&wanted.key);
            }
        }
    }
    keys.into_iter()
        .filter_map(|key| {
            let slot = c.slots.get(key).filter(|slot| slot.standing.is_open())?;
            let promised = match &slot.standing {
                crate::slot::Standing::Promised { until, .. } => *until > now,
                _ => false,
            };
            if promised || !matches!(ladder::chase(c, key, slot), Chase::Remind { .. }) {
                return None;
            }
            let first = c
                .asks
                .iter()
                .filter(|ask| ask.slot == *key)
                .map(|ask| ask.at)
                .min();
            // What was promised without having been asked is asked now for the first time.
            let asked_on = first.map(|at| zone.to_datetime(at).date());
            Some(question(key, slot, asked_on))
        })
        .collect()
}

fn question(key: &SlotKey, slot: &Slot, asked_on: Option<civil::Date>) -> PlanItem {
    PlanItem::Question {
        slot: key.clone(),
        question: slot.question.clone(),
        hint: slot.kind.rules().hint(),
        asked_on,
    }
}

/// The goals that the items serve, each once, oldest need first.
fn goals(c: &Conversation, items: &[PlanItem]) -> Vec<String> {
    let spoken_of = |key: &SlotKey| {
        items.iter().any(|item| match item {
            PlanItem::Question { slot, .. } | PlanItem::Clarify { slot, .. } => slot == key,
            _ => false,
        })
    };
    let mut goals: Vec<String> = Vec::new();
    for (id, need) in &c.needs {
        let active = c.active_needs().any(|(active, _)| active == id);
        let asks = active && need.slots.iter().any(|slot| spoken_of(&slot.key));
        let tells = items
            .iter()
            .any(|item| matches!(item, PlanItem::Brief { need, .. } if need == id));
        if (asks || tells) && !goals.contains(&need.goal) {
            goals.push(need.goal.clone());
        }
    }
    goals
}

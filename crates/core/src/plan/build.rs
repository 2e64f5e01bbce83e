//! Building the plan of the next message: everything that is due to be said, in one message.

use super::{Change, MessagePlan, PlanItem, Promised};
use crate::{
    conversation::{Conversation, MessageKind, Owed, ReplyItem},
    id::ReplyItemId,
    ladder::{self, Chase, Tone},
    need::NeedSlot,
    phase::{Phase, Survey, Watch, untold_briefs},
    policy::Wait,
    sending::{self, Permission},
    slot::{Evidence, Slot, SlotKey, Standing},
    stakeholder::Contact,
    value::Value,
};
use jiff::{Timestamp, civil, tz::TimeZone};

/// Plans the message that `phase` sends; none when there is nothing to say or nobody to say it to.
///
/// Whatever the phase, the plan carries all that is due: a reply also asks what was never asked,
/// and a reminder brings every open question, so that one message does where two might.
pub fn plan_message(c: &Conversation, phase: &Phase, now: Timestamp) -> Option<MessagePlan> {
    let kind = match phase {
        Phase::Reply => MessageKind::Reply,
        // A question that goes out when a reminder may as well takes it along, and counts as one.
        Phase::Ask if may_remind(c, now) => MessageKind::FollowUp,
        Phase::Ask => MessageKind::Ask,
        Phase::FollowUp => MessageKind::FollowUp,
        _ => return None,
    };
    let main = sending::contact(c)?;
    let owed: Vec<(&Contact, &ReplyItem)> = c
        .reply_items
        .iter()
        .filter(|item| c.may_be_said(item))
        .filter_map(|item| Some((sending::contact_for(c, item)?, item)))
        .collect();
    // Who asked something and is not written to any more gets the answer, and nothing else.
    let another = owed.iter().find(|(to, _)| to.address != main.address);
    let contact = match another {
        Some((to, _)) if kind == MessageKind::Reply => to,
        _ => main,
    };
    let mut items: Vec<PlanItem> = owed
        .iter()
        .filter(|(to, _)| to.address == contact.address)
        .filter_map(|(_, item)| reply_item(c, item))
        .collect();
    if contact.address == main.address {
        items.extend(briefs(c));
        items.extend(first_questions(c));
    }
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
        name: addressed(c, contact),
        language: c.stakeholder.language.clone(),
        tone: match kind {
            MessageKind::FollowUp => tone(c, &items),
            MessageKind::Ask | MessageKind::Reply => Tone::default(),
        },
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

/// How whoever reads a contact is addressed: somebody who speaks for the person never by the
/// person's name.
fn addressed(c: &Conversation, contact: &Contact) -> Option<String> {
    let persons_own = || {
        c.stakeholder
            .name
            .clone()
            .filter(|_| !contact.is_delegate())
    };
    contact.name.clone().or_else(persons_own)
}

/// Whether a reminder is due, and may go now.
fn may_remind(c: &Conversation, now: Timestamp) -> bool {
    Survey::new(c).reminder_due(&Watch::new(now))
        && sending::may_send(c, MessageKind::FollowUp, now) == Permission::Now
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
            clarification(Some(id), key, slot, candidates, None)
        }
        Owed::Confirmation { slot: key } => {
            let slot = c.slots.get(key)?;
            confirmation(Some(id), key, slot, None)?
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
    for key in Survey::new(c).unasked() {
        if !keys.contains(key) {
            keys.push(key);
        }
    }
    keys.into_iter()
        .filter_map(|key| {
            let slot = c.slots.get(key)?;
            let asked = meant_or_right(key, slot, None, None);
            asked.or_else(|| Some(question(c, key, slot, None, None)))
        })
        .collect()
}

/// Every open question that was asked and has a reminder left, promised ones excepted: being due
/// within the same message is better than another message tomorrow.
fn reminders(c: &Conversation, now: Timestamp) -> Vec<PlanItem> {
    let zone = c.zone();
    let mut keys: Vec<&SlotKey> = Vec::new();
    for (_, need) in c.active_needs() {
        let due = |wanted: &&NeedSlot| wanted.required && c.is_ripe(wanted);
        for wanted in need.slots.iter().filter(due) {
            if !keys.contains(&&wanted.key) {
                keys.push(&wanted.key);
            }
        }
    }
    keys.into_iter()
        .filter_map(|key| {
            let slot = c.slots.get(key).filter(|slot| slot.standing.is_open())?;
            let promised = ladder::quiet_until(c, key, slot).is_some_and(|until| until > now);
            if promised || !matches!(ladder::chase(c, key, slot), Chase::Remind { .. }) {
                return None;
            }
            let first = c.asks_about(key).map(|ask| ask.at).min();
            // What was promised without having been asked is asked now for the first time.
            let asked_on = first.map(|at| zone.to_datetime(at).date());
            let promised = asked_on.and_then(|_| broken_promise(slot, &zone, now));
            let anew = c.asks_about(key).filter(|ask| !ask.reminder);
            let anew = anew.map(|ask| ask.at).max();
            let cleared_up_on = anew.map(|at| zone.to_datetime(at).date());
            meant_or_right(key, slot, asked_on, cleared_up_on)
                .or_else(|| Some(question(c, key, slot, asked_on, promised)))
        })
        .collect()
}

fn tone(c: &Conversation, items: &[PlanItem]) -> Tone {
    let reminded = items.iter().filter_map(|item| match item {
        PlanItem::Question {
            slot,
            asked_on: Some(_),
            ..
        }
        | PlanItem::Clarify {
            slot,
            asked_on: Some(_),
            ..
        } => Some(ladder::tone(c, slot)),
        _ => None,
    });
    reminded.max().unwrap_or_default()
}

/// The promise for a slot that was broken, if that is the last that the person said about it.
fn broken_promise(slot: &Slot, zone: &TimeZone, now: Timestamp) -> Option<Promised> {
    let until = slot
        .standing
        .promised_until()
        .filter(|until| *until <= now)?;
    let promise = slot.promises.last().filter(|last| last.until == until)?;
    let day = |at| zone.to_datetime(at).date();
    Some(Promised {
        on: day(promise.made_at),
        // Until the end of the day is until the next one's beginning.
        by: day(Wait::seconds(1).before(until)),
    })
}

fn question(
    c: &Conversation,
    key: &SlotKey,
    slot: &Slot,
    asked_on: Option<civil::Date>,
    promised: Option<Promised>,
) -> PlanItem {
    PlanItem::Question {
        slot: key.clone(),
        question: slot.question.clone(),
        hint: slot.kind.rules().hint(),
        asked_on,
        promised,
        because: slot
            .overturned_by
            .as_ref()
            .and_then(|changed| c.slots.get(changed))
            .and_then(|changed| {
                let value = changed.standing.value()?;
                Some(Change {
                    question: changed.question.clone(),
                    value: changed.kind.rules().show(value),
                })
            }),
    }
}

/// The question that an answer has left open: what it meant, or whether it was understood. Until
/// that is answered, it stands in the place of the question itself.
fn meant_or_right(
    key: &SlotKey,
    slot: &Slot,
    asked_on: Option<civil::Date>,
    cleared_up_on: Option<civil::Date>,
) -> Option<PlanItem> {
    match &slot.standing {
        // What they said before they were ever asked is no answer of theirs to a question of ours.
        Standing::Unclear {
            candidates,
            evidence: Evidence::Message { .. },
            ..
        } => {
            let on = asked_on.and(cleared_up_on.or(asked_on));
            Some(clarification(None, key, slot, candidates, on))
        }
        _ => confirmation(None, key, slot, asked_on),
    }
}

/// The question what an answer meant.
fn clarification(
    id: Option<ReplyItemId>,
    key: &SlotKey,
    slot: &Slot,
    candidates: &[Value],
    asked_on: Option<civil::Date>,
) -> PlanItem {
    let rules = slot.kind.rules();
    PlanItem::Clarify {
        id,
        slot: key.clone(),
        question: slot.question.clone(),
        candidates: candidates.iter().map(|value| rules.show(value)).collect(),
        hint: rules.hint(),
        asked_on,
    }
}

/// The question whether a slot's value was understood, while it waits to be confirmed.
fn confirmation(
    id: Option<ReplyItemId>,
    key: &SlotKey,
    slot: &Slot,
    asked_on: Option<civil::Date>,
) -> Option<PlanItem> {
    let Standing::Unconfirmed(candidate) = &slot.standing else {
        return None;
    };
    Some(PlanItem::Confirm {
        id,
        slot: key.clone(),
        question: slot.question.clone(),
        value: slot.kind.rules().show(&candidate.value),
        asked_on,
    })
}

/// The goals that the items serve, each once, oldest need first.
fn goals(c: &Conversation, items: &[PlanItem]) -> Vec<String> {
    let spoken_of = |key: &SlotKey| {
        items.iter().any(|item| match item {
            PlanItem::Question { slot, .. }
            | PlanItem::Clarify { slot, .. }
            | PlanItem::Confirm { slot, .. } => slot == key,
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

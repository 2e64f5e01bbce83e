//! What a reader is asked.

use crate::{
    conversation::Conversation,
    form::{Confirming, ReadRequest, SlotQuestion, Words},
    id::NeedId,
    need::{Need, NeedStatus, OutcomeKind},
    phase::Phase,
    slot::{SlotKey, Standing},
    value::{Boolean, Kind},
};
use jiff::Timestamp;

/// A reader is asked about at most this many slots at once; forms beyond that are no longer small.
/// The open ones come first.
const MOST_SLOTS: usize = 40;

/// Of the answers that only needs which have ended rest on, this many can still be corrected by a
/// message, the latest first: a longer list would make each reading dearer for something rare.
const MOST_TOLD: usize = 10;

/// What a reader is given for `phase`.
pub(super) fn request(c: &Conversation, phase: &Phase) -> ReadRequest {
    let zone = c.zone();
    let words = match phase {
        Phase::CatchUp { need } => c
            .transcripts
            .iter()
            .filter(|transcript| transcript.need == *need)
            .flat_map(|transcript| &transcript.entries)
            .map(|entry| Words {
                message: None,
                written_at: zone.to_datetime(entry.at),
                subject: String::new(),
                text: entry.text.clone(),
                attachments: Vec::new(),
            })
            .collect(),
        Phase::ReadInbox { messages } => c
            .inbox
            .iter()
            .filter(|message| messages.contains(&message.message))
            .map(|message| Words {
                message: Some(message.message.clone()),
                written_at: zone.to_datetime(message.written_at),
                subject: message.subject.clone(),
                text: message.text.clone(),
                attachments: message.attachments.clone(),
            })
            .collect(),
        _ => Vec::new(),
    };
    ReadRequest {
        words,
        slots: questions(c),
        facts: c
            .open_needs()
            .flat_map(|(_, need)| need.facts.iter().cloned())
            .collect(),
        day_first: c.policy.day_first,
    }
}

fn questions(c: &Conversation) -> Vec<SlotQuestion> {
    let mut keys: Vec<&SlotKey> = Vec::new();
    let mut add = |key| {
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    let open = |key: &SlotKey| c.slots.get(key).is_some_and(|slot| slot.standing.is_open());
    for (_, need) in c.open_needs() {
        need.slots
            .iter()
            .filter(|s| open(&s.key))
            .for_each(|s| add(&s.key));
    }
    // An answer may be corrected while its need is open, and may come after it has expired.
    for (_, need) in c.open_needs() {
        need.slots.iter().for_each(|s| add(&s.key));
    }
    let ended = ended_needs(c);
    for need in ended.iter().filter(|need| ended_without_answer(need)) {
        need.slots
            .iter()
            .filter(|s| open(&s.key) && (!is_cancelled(need) || c.is_asked(&s.key)))
            .for_each(|s| add(&s.key));
    }
    // What an ended need was told may turn out to be wrong.
    let told = ended.iter().flat_map(|need| &need.slots);
    told.filter(|s| s.told.is_some() && !open(&s.key))
        .take(MOST_TOLD)
        .for_each(|s| add(&s.key));
    keys.into_iter()
        .flat_map(|key| slot_questions(c, key))
        .take(MOST_SLOTS)
        .enumerate()
        .map(|(place, question)| SlotQuestion {
            form: format!("s{}", place + 1),
            ..question
        })
        .collect()
}

/// What a reader is asked about a slot: its value, and whether one that was understood is right,
/// where the person was asked that.
fn slot_questions(c: &Conversation, key: &SlotKey) -> Vec<SlotQuestion> {
    let Some(slot) = c.slots.get(key) else {
        return Vec::new();
    };
    let value = SlotQuestion {
        form: String::new(),
        key: key.clone(),
        kind: slot.kind.clone(),
        question: slot.question.clone(),
        asked: c.is_asked(key),
        current: slot
            .standing
            .value()
            .map(|value| slot.kind.rules().show(value)),
        self_checks: slot.self_checks.clone(),
        confirming: None,
    };
    let Standing::Unconfirmed(candidate) = &slot.standing else {
        return vec![value];
    };
    if !c.is_confirmation_asked(key) {
        return vec![value];
    }
    let confirmation = SlotQuestion {
        kind: Kind::Boolean(Boolean::default()),
        question: format!(
            "Is it right that the answer to “{}” is “{}”?",
            slot.question,
            slot.kind.rules().show(&candidate.value)
        ),
        asked: true,
        self_checks: Vec::new(),
        confirming: Some(Confirming {
            kind: slot.kind.clone(),
            value: candidate.value.clone(),
        }),
        ..value.clone()
    };
    if matches!(slot.kind, Kind::Boolean(_)) {
        // A yes cannot be both the value and the word that it is right.
        return vec![confirmation];
    }
    vec![value, confirmation]
}

/// The needs that have ended, the latest first.
fn ended_needs(c: &Conversation) -> Vec<&Need> {
    let mut ended: Vec<(Timestamp, &NeedId, &Need)> = c
        .needs
        .iter()
        .filter_map(|(id, need)| match need.status {
            NeedStatus::Settled { at, .. } => Some((at, id, need)),
            NeedStatus::Open => None,
        })
        .collect();
    ended.sort_by_key(|(at, id, _)| std::cmp::Reverse((*at, *id)));
    ended.into_iter().map(|(_, _, need)| need).collect()
}

fn ended_without_answer(need: &Need) -> bool {
    matches!(
        need.status,
        NeedStatus::Settled {
            outcome: OutcomeKind::Expired | OutcomeKind::Unreachable | OutcomeKind::Cancelled,
            ..
        }
    )
}

/// Whether a need was called off: then only what the person was really asked can be answered late.
fn is_cancelled(need: &Need) -> bool {
    matches!(
        need.status,
        NeedStatus::Settled {
            outcome: OutcomeKind::Cancelled,
            ..
        }
    )
}

//! The ladder: when an unanswered question is asked after again, and what lasting silence means.

use crate::{
    conversation::Conversation,
    policy::Wait,
    slot::{Slot, SlotKey, Standing},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// When to remind, and what comes after the last reminder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ladder {
    /// How long to wait before each reminder, counted from the last ask that was really sent. Its
    /// length is the number of reminders; at most [`Ladder::MOST_RUNGS`].
    pub waits: Vec<Wait>,
    /// How long to wait after the last reminder before [`Ladder::silence`] applies.
    pub patience: Wait,
    /// What silence means then.
    pub silence: Silence,
}

impl Ladder {
    /// More reminders than this are harassment, whoever configures them.
    pub const MOST_RUNGS: usize = 12;
}

impl Default for Ladder {
    /// Reminders after three, five and seven days; a week later an operator is asked.
    fn default() -> Self {
        Self {
            waits: vec![Wait::days(3), Wait::days(5), Wait::days(7)],
            patience: Wait::days(7),
            silence: Silence::Hold,
        }
    }
}

/// What it means that nobody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// An operator decides.
    Hold,
    /// The needs that wait settle as `unreachable`.
    Unreachable,
    /// Nothing more is sent; the deadline ends it.
    Expire,
}

/// What the ladder says about one open question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chase {
    /// It was never really asked: there is nothing to chase.
    Unasked,
    /// The next reminder is due then.
    Remind {
        /// When.
        at: Timestamp,
    },
    /// There is no reminder left, and silence means something then.
    UsedUp {
        /// When.
        at: Timestamp,
        /// What.
        silence: Silence,
    },
}

/// Says what the ladder makes of an open slot, from the ask ledger alone: from the last ask that
/// was really sent, never from what the stakeholder wrote last.
pub fn chase(conversation: &Conversation, key: &SlotKey, slot: &Slot) -> Chase {
    let from = conversation.chase_from.unwrap_or(Timestamp::MIN);
    let mut last = None;
    let mut reminders = 0;
    for ask in conversation.asks.iter().filter(|ask| ask.slot == *key) {
        last = last.max(Some(ask.at));
        if ask.reminder && ask.at >= from {
            reminders += 1;
        }
    }
    let Some(last) = last else {
        // A promise that came unasked is still a promise.
        return match &slot.standing {
            Standing::Promised { until, .. } => Chase::Remind { at: *until },
            _ => Chase::Unasked,
        };
    };
    let last = last.max(from);
    // Of several needs that share the question, the oldest one's ladder counts.
    let ladder = conversation
        .active_needs()
        .filter(|(_, need)| need.slots.iter().any(|wanted| wanted.key == *key))
        .find_map(|(_, need)| need.ladder.as_ref())
        .unwrap_or(&conversation.policy.ladder);
    let promised = match &slot.standing {
        Standing::Promised { until, .. } => *until,
        _ => Timestamp::MIN,
    };
    match ladder
        .waits
        .get(reminders)
        .filter(|_| reminders < Ladder::MOST_RUNGS)
    {
        Some(wait) => Chase::Remind {
            at: wait.after(last).max(promised),
        },
        None => Chase::UsedUp {
            at: ladder.patience.after(last).max(promised),
            silence: ladder.silence,
        },
    }
}

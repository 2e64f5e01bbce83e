//! The ladder: when an unanswered question is asked after again, and what lasting silence means.

use crate::{
    conversation::{Ask, Conversation},
    id::NeedId,
    need::Need,
    policy::Wait,
    slot::{Slot, SlotKey},
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
    /// How each reminder sounds, in their order; the last one named goes on. Without any, they
    /// grow from friendly over plain to firm, so that nobody gets the same words again and again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tones: Vec<Tone>,
    /// How long to wait after the last reminder before [`Ladder::silence`] applies.
    pub patience: Wait,
    /// What silence means then.
    pub silence: Silence,
}

impl Ladder {
    /// More reminders than this are harassment, whoever configures them.
    pub const MOST_RUNGS: usize = 12;

    /// How long before a deadline a last reminder may go out, though the person promised an answer
    /// for later, or is away until later: long enough for some answer.
    pub const LAST_CALL: Wait = Wait::hours(24);
}

impl Default for Ladder {
    /// Reminders after three, five and seven days; a week later an operator is asked.
    fn default() -> Self {
        Self {
            waits: vec![Wait::days(3), Wait::days(5), Wait::days(7)],
            tones: Vec::new(),
            patience: Wait::days(7),
            silence: Silence::Hold,
        }
    }
}

/// How a reminder sounds, the gentlest first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// It makes light of the delay.
    Friendly,
    /// It says what is open.
    #[default]
    Plain,
    /// It says that the answer is still needed.
    Firm,
}

impl Tone {
    /// What reminders sound like one after the other where nobody said.
    const GROWING: [Self; 3] = [Self::Friendly, Self::Plain, Self::Firm];
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "next", rename_all = "snake_case")]
pub enum Chase {
    /// It was never really asked: there is nothing to chase.
    Unasked,
    /// The next reminder is due then.
    Remind {
        /// When.
        at: Timestamp,
    },
    /// A second promise was broken then: an operator decides how to go on.
    Broken {
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
    let waiting: Vec<_> = conversation.waiting_for(key).collect();
    let deadlines = waiting.iter().map(|(_, need)| need.deadline);
    let question = Question {
        slot,
        asks: conversation.asks.of(key),
        deadline: deadlines.min().unwrap_or(Timestamp::MAX),
        ladder: ladder_of(conversation, &waiting),
    };
    chase_of(conversation, &question)
}

/// An open slot with what its chase rests on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    /// The slot.
    pub(crate) slot: &'a Slot,
    /// The asks about it.
    pub(crate) asks: &'a [Ask],
    /// The first deadline of the open needs that wait for it.
    pub(crate) deadline: Timestamp,
    /// Their ladder: see [`ladder_of`].
    pub(crate) ladder: &'a Ladder,
}

/// The same for whoever has found what it rests on.
pub(crate) fn chase_of(conversation: &Conversation, question: &Question<'_>) -> Chase {
    let Question {
        slot,
        deadline,
        ladder,
        ..
    } = *question;
    let from = conversation.chase_from.unwrap_or(Timestamp::MIN);
    let asks = || {
        let asks = question.asks.iter();
        asks.filter(|ask| ask.counts_for(&slot.standing))
    };
    let promised = slot.standing.promised_until();
    let quiet = promised.map(|until| respected(until, deadline));
    let Some(last) = asks().map(|ask| ask.at).max() else {
        // A promise that came unasked is still a promise.
        return quiet.map_or(Chase::Unasked, |at| Chase::Remind { at });
    };
    if let Some(until) = promised.filter(|until| *until > from && *until < deadline) {
        let broken_before = slot.promises.iter().rev().skip(1);
        if broken_before.filter(|before| before.until > from).count() > 0 {
            return Chase::Broken { at: until };
        }
        if last < until {
            // The reminder that names the promise comes once it is broken, whatever the rungs say.
            return Chase::Remind { at: until };
        }
    }
    let last = last.max(from);
    let reminders = reminders(asks(), from);
    let quiet = quiet.unwrap_or(Timestamp::MIN);
    match ladder
        .waits
        .get(reminders)
        .filter(|_| reminders < Ladder::MOST_RUNGS)
    {
        Some(wait) => Chase::Remind {
            at: wait.after(last).max(quiet),
        },
        None => Chase::UsedUp {
            at: patience_ends(conversation, ladder, last).max(quiet),
            silence: ladder.silence,
        },
    }
}

/// How the next reminder of a question sounds.
pub fn tone(conversation: &Conversation, key: &SlotKey) -> Tone {
    let waiting: Vec<_> = conversation.waiting_for(key).collect();
    let tones = match &ladder_of(conversation, &waiting).tones[..] {
        [] => &Tone::GROWING[..],
        named => named,
    };
    let from = conversation.chase_from.unwrap_or(Timestamp::MIN);
    let reminders = reminders(conversation.asks_about(key), from);
    let rung = tones.get(reminders).or(tones.last());
    rung.copied().unwrap_or_default()
}

/// Of several needs that share the question, the oldest one's ladder counts.
fn ladder_of<'a>(conversation: &'a Conversation, waiting: &[(&'a NeedId, &'a Need)]) -> &'a Ladder {
    waiting
        .iter()
        .filter(|(id, _)| conversation.is_active(id))
        .find_map(|(_, need)| need.ladder.as_ref())
        .unwrap_or(&conversation.policy.ladder)
}

/// How many of the asks are reminders since the ladder began.
fn reminders<'a>(asks: impl Iterator<Item = &'a Ask>, from: Timestamp) -> usize {
    asks.filter(|ask| ask.reminder && ask.at >= from).count()
}

/// Until when a question is left alone because the person said when they will answer; never so long
/// that they could not be reminded before the deadline.
pub fn quiet_until(conversation: &Conversation, key: &SlotKey, slot: &Slot) -> Option<Timestamp> {
    let deadline = conversation
        .waiting_for(key)
        .map(|(_, need)| need.deadline)
        .min()?;
    Some(respected(slot.standing.promised_until()?, deadline))
}

/// How long `until`, which the person named, keeps us quiet: to its end, unless that is past the
/// deadline. Then a last reminder still goes out a day before that, so that they hear of it.
pub(crate) fn respected(until: Timestamp, deadline: Timestamp) -> Timestamp {
    if until < deadline {
        until
    } else {
        Ladder::LAST_CALL.before(deadline)
    }
}

/// When silence after the last reminder means something. While the person is away it means nothing.
fn patience_ends(conversation: &Conversation, ladder: &Ladder, last: Timestamp) -> Timestamp {
    let at = ladder.patience.after(last);
    let away = conversation
        .absence
        .as_ref()
        .filter(|absence| absence.from < at)
        .and_then(|absence| absence.until)
        .filter(|until| *until > last);
    away.map_or(at, |until| ladder.patience.after(until))
}

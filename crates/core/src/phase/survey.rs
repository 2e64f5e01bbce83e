//! What the rules look at: the conversation, and what one pass over its needs, slots and asks finds.
//!
//! Nothing found here depends on the present instant, so one survey serves every rule at every
//! instant. The pass goes through slots and asks side by side, in the order of their keys: with
//! hundreds of slots, looking each up by its key would cost more than all the rest.

use super::Watch;
use crate::{
    conversation::{Ask, Conversation, Owed},
    id::NeedId,
    ladder::{self, Chase, Ladder, Question, Silence},
    need::{Need, OutcomeKind},
    slot::{Slot, SlotKey, Standing},
    stakeholder::Consent,
};
use jiff::Timestamp;
use std::{cell::OnceCell, ops::Deref};

/// A conversation under its rules. What the pass finds is computed when it is first asked for.
#[derive(Debug)]
pub struct Survey<'a> {
    conversation: &'a Conversation,
    findings: OnceCell<Findings<'a>>,
}

impl Deref for Survey<'_> {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        self.conversation
    }
}

impl<'a> Survey<'a> {
    /// A survey of a conversation.
    pub fn new(conversation: &'a Conversation) -> Self {
        Self {
            conversation,
            findings: OnceCell::new(),
        }
    }

    /// The open needs, oldest first, each with how it ends as things stand; none while it waits.
    pub(super) fn outcomes(&self) -> &[(&'a NeedId, &'a Need, Option<OutcomeKind>)] {
        &self.findings().outcomes
    }

    /// The slots of the active needs, required or not, that were never asked and of which nothing
    /// is known, or nothing for certain that the next message would clear up anyway. What rests on
    /// other slots is asked once those are answered. In the needs' order; a slot that several
    /// share is named by each.
    pub(crate) fn unasked(&self) -> &[&'a SlotKey] {
        &self.findings().unasked
    }

    /// Since when something waits that was never asked or told; what is on its way does not wait.
    pub(crate) fn first_unsaid_at(&self) -> Option<Timestamp> {
        self.findings().first_unsaid_at
    }

    /// What the ladder says of every required open slot that can be asked.
    pub(super) fn chases(&self) -> &[(&'a SlotKey, Chase)] {
        &self.findings().chases
    }

    /// Whether some open question's next reminder is due.
    pub(crate) fn reminder_due(&self, w: &Watch) -> bool {
        self.due(w, Due::reminder).count() > 0
    }

    /// The questions whose answer was promised twice and did not come.
    pub(crate) fn broken(&self, w: &Watch) -> Vec<SlotKey> {
        let broken = self.due(w, Due::broken);
        broken.map(|(key, _)| (*key).clone()).collect()
    }

    /// The questions whose ladder is used up, with what that means.
    pub(crate) fn silent(&self, w: &Watch) -> Vec<(SlotKey, Silence)> {
        self.due(w, Due::silent)
            .filter_map(|(key, chase)| match chase {
                Chase::UsedUp { silence, .. } => Some(((*key).clone(), *silence)),
                _ => None,
            })
            .collect()
    }

    /// The chases of which one instant has come. Until the first has, the others need no look: the
    /// watch notes the earliest anyway.
    fn due(
        &self,
        w: &Watch,
        instant: fn(&Due) -> Option<Timestamp>,
    ) -> impl Iterator<Item = &(&'a SlotKey, Chase)> {
        let findings = self.findings();
        let some = instant(&findings.first).is_some_and(|first| w.reached(first));
        let chases = if some { self.chases() } else { &[] };
        chases
            .iter()
            .filter(move |(_, chase)| instant(&Due::of(*chase)).is_some_and(|at| w.reached(at)))
    }

    fn findings(&self) -> &Findings<'a> {
        self.findings
            .get_or_init(|| Findings::of(self.conversation))
    }
}

/// The briefs of a need that were never told, by place.
pub(crate) fn untold_briefs<'a>(
    c: &'a Conversation,
    id: &'a NeedId,
    need: &'a Need,
) -> impl Iterator<Item = (usize, &'a str)> {
    need.briefs
        .iter()
        .enumerate()
        .filter(move |(place, brief)| {
            brief.told.is_none()
                && !c.outgoing.iter().any(|message| {
                    message
                        .briefs
                        .iter()
                        .any(|(told, at)| told == id && at == place)
                })
        })
        .map(|(place, brief)| (place, brief.text.as_str()))
}

/// Whether the person wants no messages at any of their contacts.
fn opted_out_of_everything(c: &Conversation) -> bool {
    let contacts = &c.stakeholder.contacts;
    !contacts.is_empty()
        && contacts
            .iter()
            .all(|contact| matches!(contact.consent, Consent::OptedOut { .. }))
}

#[derive(Debug)]
struct Findings<'a> {
    outcomes: Vec<(&'a NeedId, &'a Need, Option<OutcomeKind>)>,
    unasked: Vec<&'a SlotKey>,
    first_unsaid_at: Option<Timestamp>,
    chases: Vec<(&'a SlotKey, Chase)>,
    /// The earliest instants of the chases.
    first: Due,
}

impl<'a> Findings<'a> {
    fn of(c: &'a Conversation) -> Self {
        let mut slots = Slots::of(c);
        let opted_out = opted_out_of_everything(c);
        let mut outcomes = Vec::new();
        let mut unasked = Vec::new();
        let mut first_unsaid_at: Option<Timestamp> = None;
        for (id, need) in c.open_needs() {
            let active = c.is_active(id);
            let (mut unanswered, mut declined, mut unsaid) = (false, false, false);
            for wanted in &need.slots {
                let Some(seen) = slots.find(&wanted.key) else {
                    continue;
                };
                seen.wanted_by(need, active);
                if wanted.required {
                    unanswered |= !matches!(seen.slot.standing, Standing::Filled(_));
                    declined |= matches!(seen.slot.standing, Standing::Declined { .. });
                }
                if active && seen.slot.standing.is_open() && c.is_ripe(wanted) {
                    seen.chased |= wanted.required;
                    if seen.is_unasked() {
                        unsaid = true;
                        unasked.push(seen.key);
                    }
                }
            }
            let told = need.briefs.iter().all(|brief| brief.told.is_some());
            let outcome = match () {
                () if told && !unanswered => Some(OutcomeKind::Fulfilled),
                () if declined => Some(OutcomeKind::Declined),
                () if opted_out => Some(OutcomeKind::OptedOut),
                () => None,
            };
            outcomes.push((id, need, outcome));
            if active && (unsaid || untold_briefs(c, id, need).next().is_some()) {
                let since = need.registered_at;
                first_unsaid_at = Some(first_unsaid_at.map_or(since, |first| first.min(since)));
            }
        }
        let mut findings = Self {
            outcomes,
            unasked,
            first_unsaid_at,
            chases: Vec::with_capacity(slots.seen.len()),
            first: Due::default(),
        };
        findings.look_at_chases(c, &slots);
        findings
    }

    fn look_at_chases(&mut self, c: &'a Conversation, slots: &Slots<'a>) {
        for seen in slots.seen.iter().filter(|seen| seen.chased) {
            let question = Question {
                slot: seen.slot,
                asks: seen.asks,
                deadline: seen.deadline,
                ladder: seen.ladder.unwrap_or(&c.policy.ladder),
            };
            let chase = ladder::chase_of(c, &question);
            self.first.take_earlier(&Due::of(chase));
            self.chases.push((seen.key, chase));
        }
    }
}

/// When what a chase says is to be done.
#[derive(Debug, Default)]
struct Due {
    reminder: Option<Timestamp>,
    broken: Option<Timestamp>,
    silent: Option<Timestamp>,
}

impl Due {
    fn of(chase: Chase) -> Self {
        let mut due = Self::default();
        match chase {
            Chase::Unasked => {}
            Chase::Remind { at } => due.reminder = Some(at),
            Chase::Broken { at } => due.broken = Some(at),
            // Where silence means expiry, the deadline does what is to be done.
            Chase::UsedUp {
                silence: Silence::Expire,
                ..
            } => {}
            Chase::UsedUp { at, .. } => due.silent = Some(at),
        }
        due
    }

    fn reminder(&self) -> Option<Timestamp> {
        self.reminder
    }

    fn broken(&self) -> Option<Timestamp> {
        self.broken
    }

    fn silent(&self) -> Option<Timestamp> {
        self.silent
    }

    fn take_earlier(&mut self, other: &Self) {
        let earlier = |one: Option<Timestamp>, other| one.into_iter().chain(other).min();
        self.reminder = earlier(self.reminder, other.reminder);
        self.broken = earlier(self.broken, other.broken);
        self.silent = earlier(self.silent, other.silent);
    }
}

/// A slot, with what the ledger, the messages on their way and the open needs say of it.
#[derive(Debug)]
struct Seen<'a> {
    key: &'a SlotKey,
    slot: &'a Slot,
    asks: &'a [Ask],
    /// Whether its question is in a message on its way.
    on_its_way: bool,
    /// Whether such a message asks if its value is right.
    confirming: bool,
    /// Whether the next message is to ask what an answer meant, or whether it was understood.
    owed: bool,
    /// The first deadline of the open needs that wait for it.
    deadline: Timestamp,
    /// The ladder of the oldest active one that has its own.
    ladder: Option<&'a Ladder>,
    /// Whether an active one requires it, and has what it rests on.
    chased: bool,
}

impl<'a> Seen<'a> {
    fn new(key: &'a SlotKey, slot: &'a Slot, asks: &'a [Ask]) -> Self {
        Self {
            key,
            slot,
            asks,
            on_its_way: false,
            confirming: false,
            owed: false,
            deadline: Timestamp::MAX,
            ladder: None,
            chased: false,
        }
    }

    fn wanted_by(&mut self, need: &'a Need, active: bool) {
        self.deadline = self.deadline.min(need.deadline);
        if active && self.ladder.is_none() {
            self.ladder = need.ladder.as_ref();
        }
    }

    fn is_unasked(&self) -> bool {
        let asked = !self.asks.is_empty() || self.on_its_way;
        match &self.slot.standing {
            Standing::Missing => !asked,
            Standing::Unclear { .. } => !asked && !self.owed,
            standing @ Standing::Unconfirmed(_) => {
                !self.confirming
                    && !self.owed
                    && !self.asks.iter().any(|ask| ask.counts_for(standing))
            }
            Standing::Promised { .. } | Standing::Filled(_) | Standing::Declined { .. } => false,
        }
    }
}

/// The slots in the order of their keys, so those of one subject side by side.
struct Slots<'a> {
    seen: Vec<Seen<'a>>,
    /// The subject of the slot that was found last: where its slots begin and end.
    subject: (usize, usize),
    /// The place after the slot that was found last, where the next one often is.
    next: usize,
}

impl<'a> Slots<'a> {
    fn of(c: &'a Conversation) -> Self {
        let mut seen = Vec::with_capacity(c.slots.len());
        let mut ledger = c.asks.by_slot().peekable();
        for (key, slot) in &c.slots {
            while ledger.next_if(|asks| asks[0].slot < *key).is_some() {}
            let asks = ledger.next_if(|asks| asks[0].slot == *key);
            seen.push(Seen::new(key, slot, asks.unwrap_or_default()));
        }
        let mut slots = Self {
            seen,
            subject: (0, 0),
            next: 0,
        };
        for message in &c.outgoing {
            for (key, _) in &message.asks {
                slots.mark(key, |seen| seen.on_its_way = true);
            }
            for key in &message.confirms {
                slots.mark(key, |seen| seen.confirming = true);
            }
        }
        for item in &c.reply_items {
            if let Owed::Clarification { slot: key, .. } | Owed::Confirmation { slot: key } =
                &item.what
            {
                slots.mark(key, |seen| seen.owed = true);
            }
        }
        slots
    }

    fn mark(&mut self, key: &SlotKey, mark: impl FnOnce(&mut Seen<'a>)) {
        if let Some(seen) = self.find(key) {
            mark(seen);
        }
    }

    /// Finds a slot. Whoever looks for several of one subject, one after the other, compares the
    /// long subject once for each, and then only the short names.
    fn find(&mut self, key: &SlotKey) -> Option<&mut Seen<'a>> {
        let known = self.seen.get(self.next).filter(|seen| seen.key == key);
        let place = match known {
            Some(_) => self.next,
            None => self.search(key)?,
        };
        self.next = place + 1;
        self.seen.get_mut(place)
    }

    fn search(&mut self, key: &SlotKey) -> Option<usize> {
        let (begin, end) = self.subject;
        let same = self.seen[begin..end].first();
        if same.is_none_or(|seen| seen.key.subject != key.subject) {
            let begin = self
                .seen
                .partition_point(|seen| seen.key.subject < key.subject);
            let rest = &self.seen[begin..];
            let slots = rest.partition_point(|seen| seen.key.subject == key.subject);
            self.subject = (begin, begin + slots);
        }
        let (begin, end) = self.subject;
        let place = self.seen[begin..end].binary_search_by(|seen| seen.key.name.cmp(&key.name));
        place.ok().map(|place| begin + place)
    }
}

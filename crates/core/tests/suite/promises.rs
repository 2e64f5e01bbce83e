//! What holds whatever happens, checked after every operation against records of the tests' own.

use crate::world::{Done, State, World, later};
use jiff::{
    Timestamp,
    civil::{Time, Weekday},
};
use liaison_core::{
    conversation::{
        Action, Author, Conversation, Guidance, Hold, IgnoredAction, MessageKind, NeedOperation,
        Origin, Owed, Received,
    },
    effect::{Effect, NeedEvent, OutboundMessage},
    gate::draft,
    id::{HoldId, MessageId, NeedId},
    input::{Fate, Input},
    journal::{self, Work},
    need::{Need, NeedSlot, NeedStatus, Outcome, OutcomeKind},
    phase::{self, Finding, Phase, RULES, Survey, Watch, determine_phase, explain},
    plan::PlanItem,
    slot::{Confirm, Evidence, Filled, Slot, SlotKey, Standing},
    stakeholder::{Consent, EmailAddress, Health},
    transition,
    value::Value,
};
use std::collections::{BTreeMap, BTreeSet};

/// What the tests themselves know of one message of ours.
struct Ours {
    decided_at: Timestamp,
    kind: MessageKind,
    asks: BTreeSet<SlotKey>,
    place: Place,
    unknown: bool,
    resent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    OnItsWay,
    Sent(Timestamp),
    Gone,
}

/// Watches a world, and panics when a promise is broken.
#[derive(Default)]
pub(crate) struct Promises {
    ours: BTreeMap<MessageId, Ours>,
    settled: BTreeMap<NeedId, usize>,
    /// What callers were told of their slots, last by an outcome or an event.
    told: BTreeMap<(NeedId, String), Value>,
    opted_out: bool,
    delegates: BTreeSet<EmailAddress>,
    operations: usize,
    escalated: BTreeSet<(HoldId, NeedId)>,
}

/// What the histories' guarded commands have said, if their guards let them.
pub(crate) const GUARDED_ANSWER: &str = "You can have the second key as well.";

impl Promises {
    /// Looks at one operation.
    pub(crate) fn observe(&mut self, world: &World, before: &Conversation, done: &Done) {
        self.operations += 1;
        for stored in &done.operation.inputs {
            self.take_in(&stored.input);
        }
        if done.operation.phase == Phase::RunQuickActions {
            for command in &done.folded.quick_actions {
                self.resolve(&command.action);
                // The person, so an operator says, has changed their mind.
                self.opted_out &=
                    !matches!(command.action, Action::Revive { .. } | Action::OptIn { .. });
                self.opted_out |= is_opt_out(&command.action);
                if matches!(command.action, Action::AcceptDelegate { .. }) {
                    self.delegate_accepted(&done.folded, &world.conversation);
                }
            }
        }
        self.opted_out |= reads_an_opt_out(done);
        for effect in &done.applied.effects {
            match effect {
                Effect::Send(message) => self.check_sending(&done.folded, message),
                Effect::Resend { message } => {
                    if let Some(ours) = self.ours.get_mut(message) {
                        ours.resent = true;
                    }
                }
                Effect::NeedSettled { need, outcome } => {
                    *self.settled.entry(need.clone()).or_default() += 1;
                    check_confirmed(&world.conversation, need, outcome);
                    for (slot, told) in &outcome.slots {
                        let key = (need.clone(), slot.clone());
                        self.told.insert(key, told.value.clone());
                    }
                }
                Effect::Event { need, event } => {
                    self.check_escalation(need, event);
                    self.hear(need, event);
                }
                Effect::Recall { .. } | Effect::Resolve { .. } | Effect::NeedAmended { .. } => {}
            }
        }
        check_guards(before, done);
        check_bounds(&world.conversation);
        self.check_told(&world.conversation);
        check_versions(&done.folded, &world.conversation, &done.operation.phase);
        self.forget_what_is_reset(&done.folded, &world.conversation);
        self.check_ledger(&world.conversation);
        self.check_outcomes(&world.conversation);
        self.forget_what_may_be_asked_anew(&done.folded, &world.conversation);
        self.forget_what_became_another_question(&done.folded, &world.conversation);
        check_evidence(world);
        check_explanation(&world.conversation, world.now);
        // Every operation is replayed at the end; some are repeated here as well.
        if self.operations.is_multiple_of(8) {
            check_repeatable(world, before, done);
        }
    }

    fn check_escalation(&mut self, need: &NeedId, event: &NeedEvent) {
        if let NeedEvent::HoldEscalated { hold, .. } = event {
            let first = self.escalated.insert((hold.clone(), need.clone()));
            assert!(first, "{hold} was escalated twice for {need}");
        }
    }

    fn hear(&mut self, need: &NeedId, event: &NeedEvent) {
        let (slot, value, was) = match event {
            NeedEvent::Amended {
                slot, value, was, ..
            } => (slot, value, Some(&**was)),
            NeedEvent::LateAnswer { slot, value, .. } => (slot, value, None),
            _ => return,
        };
        let key = (need.clone(), slot.clone());
        assert_ne!(Some(value), was, "an amendment that changes nothing");
        let before = self.told.insert(key, value.clone());
        assert_eq!(
            before.as_ref(),
            was,
            "need {need} was told something else of {slot}"
        );
    }

    /// A need that has ended knows the value of each of its slots.
    fn check_told(&self, state: &Conversation) {
        for (id, need) in state.needs.iter().filter(|(_, need)| !need.is_open()) {
            for wanted in &need.slots {
                let Some(value) = state
                    .slots
                    .get(&wanted.key)
                    .and_then(|slot| slot.standing.value())
                else {
                    continue;
                };
                let told = self.told.get(&(id.clone(), wanted.key.name.clone()));
                assert_eq!(told, Some(value), "what need {id} knows of {}", wanted.key);
            }
        }
    }

    /// A slot whose value does not count any more may be asked anew; [`check_versions`] sees to it
    /// that there is a reason.
    fn forget_what_is_reset(&mut self, before: &Conversation, after: &Conversation) {
        for (key, slot) in &after.slots {
            let reset = before.slots.get(key).is_some_and(|was| {
                was.kind != slot.kind
                    || (slot.standing == Standing::Missing && was.standing != Standing::Missing)
            });
            if reset {
                for ours in self.ours.values_mut() {
                    ours.asks.remove(key);
                }
            }
        }
    }

    fn take_in(&mut self, input: &Input) {
        match input {
            Input::Dispatched { message, fate } => {
                let Some(ours) = self.ours.get_mut(message) else {
                    return;
                };
                if ours.place != Place::OnItsWay {
                    return;
                }
                match fate {
                    Fate::Sent { at, .. } => ours.place = Place::Sent(*at),
                    Fate::Refused { .. } => ours.place = Place::Gone,
                    Fate::Unknown { .. } => ours.unknown = true,
                    Fate::Withdrawn { .. } if ours.resent => {}
                    Fate::Withdrawn { .. } => ours.place = Place::Gone,
                }
            }
            Input::Bounced {
                message,
                permanent: true,
                ..
            } => {
                if let Some(ours) = self.ours.get_mut(message) {
                    ours.place = Place::Gone;
                }
            }
            Input::OptedOut { .. } => self.opted_out = true,
            Input::QuickAction { action, .. } => self.opted_out |= is_opt_out(action),
            Input::MessageReceived(message) => {
                // Only whoever got a message can answer it.
                if let Some(ours) = message
                    .answers
                    .as_ref()
                    .and_then(|id| self.ours.get_mut(id))
                    && ours.place == Place::OnItsWay
                    && ours.unknown
                {
                    ours.place = Place::Sent(ours.decided_at);
                }
                self.opted_out |= message.author == Author::Person
                    && message.origin == Origin::Known
                    && message.text == "STOP";
            }
            _ => {}
        }
    }

    fn resolve(&mut self, action: &Action) {
        let Action::ResolveSend { message, sent } = action else {
            return;
        };
        if let Some(ours) = self.ours.get_mut(message)
            && ours.place == Place::OnItsWay
            && ours.unknown
        {
            ours.place = match sent {
                true => Place::Sent(ours.decided_at),
                false => Place::Gone,
            };
        }
    }

    /// Somebody else is asked as for the first time what is open.
    fn delegate_accepted(&mut self, folded: &Conversation, after: &Conversation) {
        let first = |state: &Conversation| state.stakeholder.contacts.first().cloned();
        if first(folded) == first(after) {
            return;
        }
        self.delegates
            .extend(first(after).map(|contact| contact.address));
        for (key, slot) in &folded.slots {
            for ours in self.ours.values_mut() {
                if slot.standing.is_open() && matches!(ours.place, Place::Sent(_)) {
                    ours.asks.remove(key);
                }
            }
        }
    }

    fn check_sending(&mut self, state: &Conversation, message: &OutboundMessage) {
        let at = message.at;
        assert!(!over_all(state), "sent while held");
        assert!(state.taken_over.is_none(), "sent while taken over");
        assert!(state.inbox.is_empty(), "sent over an unread message");
        assert!(state.outgoing.is_empty(), "two messages on their way");
        assert!(!self.opted_out, "sent after an opt-out");
        let contact = state.stakeholder.contact(&message.plan.to);
        assert!(
            contact
                .is_some_and(|contact| contact.consent == Consent::Given
                    && contact.health == Health::Working),
            "sent to a contact that may not be used"
        );
        check_hours(state, at);
        let known = message.plan.to.as_str().starts_with("ana");
        assert!(
            known || self.delegates.contains(&message.plan.to),
            "sent to somebody whom nobody agreed to write to"
        );
        if message.plan.kind == MessageKind::FollowUp {
            self.check_chasing(state, at);
        }
        if message.plan.kind != MessageKind::Reply {
            self.check_pace(state, at);
        }
        let faults = draft::faults(&message.plan, &message.draft);
        assert!(faults.is_empty(), "a template with faults: {faults:?}");
        check_addressee(state, message);
        self.check_questions(state, message);
        let asks = message.plan.items.iter().filter_map(asked).cloned();
        self.ours.insert(
            message.id.clone(),
            Ours {
                decided_at: at,
                kind: message.plan.kind,
                asks: asks.collect(),
                place: Place::OnItsWay,
                unknown: false,
                resent: false,
            },
        );
    }

    fn check_pace(&self, state: &Conversation, at: Timestamp) {
        let sent = |ours: &Ours| match ours.place {
            Place::Sent(at) => Some((ours.kind, at)),
            _ => None,
        };
        let gap = state.policy.minimum_gap;
        let mut in_seven_days = 0;
        for (kind, earlier) in self.ours.values().filter_map(sent) {
            assert!(at >= gap.after(earlier), "sent within the minimum gap");
            if kind != MessageKind::Reply && earlier > later(at, -7 * 86_400) {
                in_seven_days += 1;
            }
        }
        let cap = state.policy.weekly_cap.max(1);
        assert!(in_seven_days < cap, "sent over the weekly cap");
    }

    /// Nobody is chased twice a day, or while they are away unless a deadline is near.
    fn check_chasing(&self, state: &Conversation, at: Timestamp) {
        let day = |at| state.zone().to_datetime(at).date();
        for ours in self.ours.values() {
            let chased_today = matches!(ours.place, Place::Sent(sent) if day(sent) == day(at));
            assert!(
                !chased_today || ours.kind != MessageKind::FollowUp,
                "chased twice on {}",
                day(at)
            );
        }
        let away = state.absence.as_ref().filter(|absence| absence.covers(at));
        let Some(until) = away.and_then(|absence| absence.until) else {
            return;
        };
        let near = |deadline: Timestamp| deadline <= until && later(deadline, -86_400) <= at;
        assert!(
            state.open_needs().any(|(_, need)| near(need.deadline)),
            "chased while away until {until}"
        );
    }

    fn check_questions(&self, state: &Conversation, message: &OutboundMessage) {
        let mut in_this_one = BTreeSet::new();
        for item in &message.plan.items {
            let Some(key) = asked(item) else { continue };
            assert!(in_this_one.insert(key), "{key} twice in one message");
            assert!(
                wanted(state, key),
                "{key} was asked, and no open need that is not held waits for it"
            );
            let standing = &state.slots[key].standing;
            if matches!(item, PlanItem::Question { .. }) {
                assert!(
                    !matches!(
                        standing,
                        Standing::Unclear {
                            evidence: Evidence::Message { .. },
                            ..
                        }
                    ),
                    "{key} was asked again instead of what its answer meant"
                );
                let ripe = |(_, need): (&NeedId, &Need)| {
                    let mut wanted = need.slots.iter().filter(|wanted| wanted.key == *key);
                    wanted.any(|wanted| state.is_ripe(wanted))
                };
                assert!(
                    state.open_needs().any(ripe),
                    "{key} was asked before what it rests on"
                );
            }
            assert!(standing.is_open(), "{key} was asked, and is {standing:?}");
            let asked_before = self
                .ours
                .values()
                .any(|ours| matches!(ours.place, Place::Sent(_)) && ours.asks.contains(key));
            // That the ledger tells the truth is checked after every operation.
            let in_ledger = state.asks.iter().any(|ask| ask.slot == *key);
            match item {
                PlanItem::Clarify { asked_on, .. } => {
                    assert!(
                        matches!(standing, Standing::Unclear { .. }),
                        "{key} is not unclear"
                    );
                    assert!(
                        asked_on.is_none() || message.plan.kind == MessageKind::FollowUp,
                        "{key}: a reminder outside the ladder"
                    );
                }
                PlanItem::Confirm { .. } => assert!(
                    matches!(standing, Standing::Unconfirmed(_)),
                    "{key} is not to be confirmed"
                ),
                PlanItem::Question { asked_on: None, .. } => {
                    assert!(
                        !asked_before,
                        "{key} was asked again as if for the first time"
                    );
                }
                _ => {
                    assert!(
                        message.plan.kind == MessageKind::FollowUp,
                        "{key}: a reminder outside the ladder"
                    );
                    assert!(in_ledger, "{key}: a reminder of what was never asked");
                }
            }
        }
        assert!(
            !message.plan.items.is_empty(),
            "a message that says nothing"
        );
        for guidance in &message.plan.guidance {
            let stands = state.guidance.iter().any(|one| {
                one.text == *guidance && one.until.is_none_or(|until| message.at < until)
            });
            assert!(stands, "guidance that has expired");
        }
    }

    /// What is on its way and what was asked is what the tests themselves have seen.
    fn check_ledger(&self, state: &Conversation) {
        let on_its_way: BTreeSet<&MessageId> = self
            .ours
            .iter()
            .filter(|(_, ours)| ours.place == Place::OnItsWay)
            .map(|(id, _)| id)
            .collect();
        let outgoing: BTreeSet<&MessageId> = state.outgoing.iter().map(|o| &o.message).collect();
        assert_eq!(on_its_way, outgoing, "what is on its way");
        assert!(outgoing.len() <= 1, "two messages on their way");
        for ask in &state.asks {
            let ours = &self.ours[&ask.message];
            assert!(
                ours.place == Place::Sent(ask.at),
                "{} counts as asked, in a message that was not sent",
                ask.slot
            );
        }
    }

    fn check_outcomes(&self, state: &Conversation) {
        for (id, need) in &state.needs {
            let outcomes = self.settled.get(id).copied().unwrap_or(0);
            let expected = usize::from(need.status != NeedStatus::Open);
            assert_eq!(outcomes, expected, "outcomes of need {id}");
        }
        assert!(
            self.settled.values().all(|outcomes| *outcomes == 1),
            "a need has more than one outcome"
        );
        let settled = state.needs.values().filter(|need| !need.is_open()).count();
        assert!(
            settled <= Conversation::MOST_SETTLED + 1,
            "the document grows"
        );
    }

    /// A need that takes up a question after all that waited for it have ended may ask anew, unless
    /// it was asked since it was registered.
    fn forget_what_may_be_asked_anew(&mut self, folded: &Conversation, after: &Conversation) {
        for (_, need) in after.open_needs() {
            for wanted in &need.slots {
                if folded.waiting_for(&wanted.key).next().is_some() {
                    continue;
                }
                for ours in self.ours.values_mut() {
                    if matches!(ours.place, Place::Sent(at) if at < need.registered_at) {
                        ours.asks.remove(&wanted.key);
                    }
                }
            }
        }
    }

    /// A question that an amendment has changed may be asked anew, and so may one that a need waits
    /// for again.
    fn forget_what_became_another_question(&mut self, folded: &Conversation, after: &Conversation) {
        for operation in &folded.need_operations {
            let NeedOperation::Amend { amendment, .. } = operation else {
                continue;
            };
            let Some(need) = after.needs.get(&amendment.need) else {
                continue;
            };
            for NeedSlot { key, .. } in &need.slots {
                let before = folded.slots.get(key);
                let same = before.is_some_and(|before| before.kind == after.slots[key].kind)
                    && folded.waiting_for(key).next().is_some();
                if !same {
                    for ours in self.ours.values_mut() {
                        ours.asks.remove(key);
                    }
                }
            }
        }
    }
}

/// Whether a hold stands that is not over one need alone.
fn over_all(state: &Conversation) -> bool {
    state.holds.iter().any(|hold| hold.need.is_none())
}

/// Whether some open need waits for a slot that no hold is over.
fn wanted(state: &Conversation, key: &SlotKey) -> bool {
    let held = |id: &NeedId| {
        state
            .holds
            .iter()
            .any(|hold| hold.need.as_ref() == Some(id))
    };
    state.waiting_for(key).any(|(id, _)| !held(id))
}

/// An operator's answer goes to who asked, and nobody's question to somebody who was not named.
fn check_addressee(state: &Conversation, message: &OutboundMessage) {
    let speaks_for_them = |address: &EmailAddress| {
        let contact = state.stakeholder.contact(address);
        contact.is_some_and(liaison_core::stakeholder::Contact::is_delegate)
    };
    assert!(
        !state.policy.is_ours(&message.plan.to),
        "written to our own mailbox"
    );
    let answered = message.plan.items.iter().filter_map(|item| match item {
        PlanItem::Answer { id, .. } => state.reply_items.iter().find(|owed| owed.id == *id),
        _ => None,
    });
    for owed in answered {
        let Owed::Answer { to: Some(to), .. } = &owed.what else {
            continue;
        };
        let same_person =
            *to == message.plan.to || (!speaks_for_them(to) && !speaks_for_them(&message.plan.to));
        assert!(same_person, "an answer to somebody who asked nothing");
    }
    let to = &message.plan.to;
    if speaks_for_them(to) && message.plan.name.is_some() {
        assert_ne!(
            message.plan.name, state.stakeholder.name,
            "a delegate greeted by the person's name"
        );
    }
}

/// A guarded command is taken when it came in time, for the state that it was made for, and only
/// then.
fn check_guards(before: &Conversation, done: &Done) {
    let said = |state: &Conversation| {
        let is_guarded =
            |action: &Action| matches!(action, Action::Answer { text } if text == GUARDED_ANSWER);
        let commands = state.quick_actions.iter();
        commands.filter(|one| is_guarded(&one.action)).count()
    };
    let good = done
        .operation
        .inputs
        .iter()
        .enumerate()
        .filter(|(place, stored)| {
            let Input::QuickAction {
                action: Action::Guarded { guard, .. },
                ..
            } = &stored.input
            else {
                return false;
            };
            let same = guard
                .revision
                .is_none_or(|revision| *place == 0 && revision == before.revision);
            same && guard
                .expires_at
                .is_none_or(|expires_at| stored.at < expires_at)
        });
    assert_eq!(
        said(&done.folded),
        said(before) + good.count(),
        "guarded commands"
    );
}

/// What operators and strangers may add to without end stays small.
fn check_bounds(state: &Conversation) {
    assert!(state.guidance.len() <= Guidance::MOST);
    assert!(state.ignored.len() <= IgnoredAction::MOST);
    let mut kinds: BTreeMap<(&str, Option<&NeedId>), usize> = BTreeMap::new();
    for hold in &state.holds {
        *kinds
            .entry((hold.reason.name(), hold.need.as_ref()))
            .or_default() += 1;
        if let Some(need) = &hold.need {
            let ended = state.needs.get(need).is_some_and(|need| !need.is_open());
            assert!(!ended, "a hold over need {need}, which has ended");
        }
    }
    for (kind, count) in kinds {
        assert!(
            count <= Hold::MOST_OF_A_KIND,
            "{count} holds of kind {kind:?}"
        );
    }
}

/// Whether an operation reads words that end all contact. Code finds them, whatever the reader says,
/// unless it takes them for a program's.
/// Whether an operator says that the person wants no messages at all.
fn is_opt_out(action: &Action) -> bool {
    matches!(action, Action::OptOut { address: None, .. })
}

fn reads_an_opt_out(done: &Done) -> bool {
    let (Phase::ReadInbox { messages }, Work::Reading(reading)) =
        (&done.operation.phase, &done.operation.work)
    else {
        return false;
    };
    let read = |received: &Received| messages.contains(&received.message);
    !reading.message.automatic_reply
        && done
            .folded
            .inbox
            .iter()
            .any(|received| read(received) && received.text == "Stop writing to me.")
}

fn asked(item: &PlanItem) -> Option<&SlotKey> {
    match item {
        PlanItem::Question { slot, .. }
        | PlanItem::Clarify { slot, .. }
        | PlanItem::Confirm { slot, .. } => Some(slot),
        _ => None,
    }
}

/// A need is fulfilled only with values that were confirmed as it wished.
fn check_confirmed(state: &Conversation, need: &NeedId, outcome: &Outcome) {
    for wanted in &state.needs[need].slots {
        let Some(slot) = outcome.slots.get(&wanted.key.name) else {
            assert!(
                !wanted.required || outcome.outcome != OutcomeKind::Fulfilled,
                "fulfilled without {}",
                wanted.key
            );
            continue;
        };
        let vouched =
            slot.confirmed_by.is_some() || matches!(slot.evidence, Evidence::Operator { .. });
        let recalled = matches!(slot.evidence, Evidence::Transcript { .. });
        let must = match wanted.confirm {
            Confirm::Never => false,
            Confirm::WhenInferred => recalled,
            Confirm::Always => true,
        };
        assert!(vouched || !must, "{} was not confirmed", wanted.key);
    }
}

/// What replaces a value keeps it among the versions; a value is given up for nothing only at a
/// registration, or because what it rests on has changed; and then it always is.
fn check_versions(before: &Conversation, after: &Conversation, phase: &Phase) {
    let same = |key: &SlotKey| {
        let (was, is) = (before.slots.get(key)?, after.slots.get(key)?);
        (was.kind == is.kind).then_some((was, is))
    };
    for key in after.slots.keys() {
        let Some((was, is)) = same(key) else { continue };
        assert!(is.earlier.len() <= Slot::MOST_EARLIER, "{key} grows");
        let Standing::Filled(value) = &was.standing else {
            continue;
        };
        if is.standing == was.standing {
            continue;
        }
        assert!(is.earlier.contains(value), "a version of {key} is lost");
        assert!(
            is.standing != Standing::Missing
                || *phase == Phase::ApplyNeedOperations
                || is.overturned_by.is_some(),
            "{key} lost its value for no reason"
        );
    }
    for (id, need) in before.open_needs() {
        if !after.needs.get(id).is_some_and(Need::is_open) {
            continue;
        }
        for wanted in &need.slots {
            let changed = wanted.depends_on.iter().any(|key| {
                same(key).is_some_and(|(was, is)| {
                    let value = is.standing.value();
                    value.is_some() && was.last_value().is_some() && was.last_value() != value
                })
            });
            let Some((was, is)) = same(&wanted.key) else {
                continue;
            };
            assert!(
                !(changed && was.standing.value().is_some() && was.standing == is.standing),
                "{} stands, and what it rests on has changed",
                wanted.key
            );
        }
    }
}

/// The same as the calendar says, computed in another way: from the wall clock alone.
fn check_hours(state: &Conversation, at: Timestamp) {
    let local = state.zone().to_datetime(at);
    let policy = &state.policy;
    if let Some(quiet) = policy.quiet_hours {
        let second = |time: Time| {
            i64::from(time.hour()) * 3_600
                + i64::from(time.minute()) * 60
                + i64::from(time.second())
        };
        let since = |from: Time, until: Time| (second(until) - second(from)).rem_euclid(86_400);
        // When both ends are the same there are none, and nothing is less than 0.
        let is_quiet = since(quiet.from, local.time()) < since(quiet.from, quiet.until);
        assert!(!is_quiet, "sent in quiet hours, at {local}");
    }
    let country = state.stakeholder.country.as_ref();
    let country = country.and_then(|country| policy.countries.get(country));
    if policy.working_days_only {
        let day = local.date().weekday();
        let weekend = match country {
            Some(country) => country.weekend.contains(&day),
            None => matches!(day, Weekday::Saturday | Weekday::Sunday),
        };
        assert!(!weekend, "sent on a weekend, at {local}");
    }
    let national = country.is_some_and(|country| country.holidays.contains(&local.date()));
    assert!(!national, "sent on a holiday of their country, at {local}");
    assert!(
        !policy.holidays.contains(&local.date()),
        "sent on a holiday, at {local}"
    );
}

fn check_evidence(world: &World) {
    let state = &world.conversation;
    let values = |standing: &Standing| match standing {
        Standing::Filled(filled) | Standing::Unconfirmed(filled) => Some(filled.evidence.clone()),
        Standing::Promised { evidence, .. }
        | Standing::Unclear { evidence, .. }
        | Standing::Declined { evidence } => Some(evidence.clone()),
        Standing::Missing => None,
    };
    for (key, slot) in &state.slots {
        let earlier = slot
            .earlier
            .iter()
            .map(|Filled { evidence, .. }| evidence.clone());
        let confirmed = match &slot.standing {
            Standing::Filled(filled) => filled.confirmed_by.clone(),
            _ => None,
        };
        let all = values(&slot.standing)
            .into_iter()
            .chain(earlier)
            .chain(confirmed);
        for evidence in all {
            if let Evidence::Message { message, quote } = evidence {
                let source = &world.received[&message];
                let stands = source.text.contains(&quote)
                    || source.attachments.iter().any(|file| file.name == quote);
                assert!(
                    stands,
                    "{key} rests on {quote:?}, which is not in {message}"
                );
                assert!(!quote.is_empty(), "{key} rests on nothing");
                assert_eq!(
                    source.author,
                    Author::Person,
                    "{key} rests on a program's words"
                );
            }
        }
    }
}

fn check_explanation(state: &Conversation, now: Timestamp) {
    let explanation = explain(state, now);
    assert_eq!(explanation.phase, determine_phase(state, now));
    let winners = explanation.rules.iter().filter(|rule| rule.wins).count();
    let waits = matches!(explanation.phase, Phase::Wait { .. } | Phase::Idle);
    assert_eq!(winners, usize::from(!waits), "the rules that win");
    let first = explanation.rules.iter().find(|rule| rule.matches);
    assert_eq!(
        first.map(|rule| rule.rule),
        explanation
            .rules
            .iter()
            .find(|rule| rule.wins)
            .map(|rule| rule.rule)
    );
    for rule in &explanation.rules {
        assert!(!rule.why.is_empty(), "{:?} gives no reason", rule.rule);
        assert!(rule.until.is_none_or(|until| until > now));
        check_until(state, rule, now);
    }
}

/// What a rule finds holds until the instant that it names, and for good where it names none.
fn check_until(state: &Conversation, finding: &Finding, now: Timestamp) {
    let rule = RULES.iter().find(|rule| rule.name == finding.rule);
    let rule = rule.expect("a finding is of a rule");
    let last = match finding.until {
        Some(until) => until
            .checked_sub(jiff::SignedDuration::from_micros(1))
            .expect("an instant that there is"),
        None => later(now, 400 * 86_400),
    };
    let matches = rule.check(&Survey::new(state), &Watch::new(last)).is_some();
    assert_eq!(matches, finding.matches, "{finding:?} at {last}");
}

/// The same operation on the same state gives the same, also when state and operation have been
/// stored and read again in between.
fn check_repeatable(world: &World, before: &Conversation, done: &Done) {
    let text = serde_json::to_string(before).expect("it is stored");
    let mut again = journal::read_document(&text).expect("it is read");
    assert_eq!(again, *before, "a stored state is another one");
    let text = serde_json::to_string(&done.operation).expect("it is stored");
    let operation = serde_json::from_str(&text).expect("it is read");
    let applied = transition::apply(&mut again, &operation).expect("it applies again");
    assert_eq!(
        applied, done.applied,
        "the same operation decided something else"
    );
    assert_eq!(
        again, world.conversation,
        "the same operation led elsewhere"
    );
}

/// What must hold once a conversation waits.
pub(crate) fn check_rest(world: &World) {
    let state = &world.conversation;
    assert!(world.phase().is_waiting());
    assert_eq!(state.quick_actions, [], "a command waits");
    for (id, need) in &state.needs {
        let over = state.policy.expiry_grace.after(need.deadline);
        assert!(
            !need.is_open() || world.now < over,
            "need {id} is open after its deadline and grace"
        );
    }
    check_constancy(state, world.now);
}

/// A phase stays as it is until the wake that is announced, and changes then.
pub(crate) fn check_constancy(state: &Conversation, now: Timestamp) {
    let phase = determine_phase(state, now);
    let span = match phase::next_wake(state, now) {
        Some(wake) => {
            assert!(wake > now, "a wake that is over");
            assert_ne!(
                determine_phase(state, wake),
                phase,
                "a wake that changes nothing"
            );
            wake.as_microsecond() - now.as_microsecond()
        }
        // Nothing is to change ever again; a year stands for it.
        None => 366 * 86_400 * 1_000_000,
    };
    for share in [1, span / 7, span / 3, span / 2, span - span / 5, span - 1] {
        let at = Timestamp::from_microsecond(now.as_microsecond() + share.min(span - 1))
            .expect("an instant that there is");
        assert_eq!(
            determine_phase(state, at),
            phase,
            "it changed at {at}, unannounced"
        );
    }
}

/// What a dispatcher must find at the point of no return.
pub(crate) fn check_departure(world: &World) {
    let state = &world.conversation;
    let goes = world.outbox.iter().find(|row| row.state == State::Queued);
    let Some(row) = goes.filter(|_| world.pending.is_empty()) else {
        return;
    };
    assert!(!over_all(state), "it goes while held");
    assert!(state.taken_over.is_none(), "it goes while taken over");
    assert!(state.inbox.is_empty(), "it goes over an unread message");
    for key in row.message.plan.items.iter().filter_map(asked) {
        assert!(
            wanted(state, key),
            "{key} goes, and no open need that is not held waits for it"
        );
        let standing = &state.slots[key].standing;
        assert!(standing.is_open(), "{key} goes, and is {standing:?}");
    }
}

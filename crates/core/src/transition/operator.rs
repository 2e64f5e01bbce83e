//! What operators command, and what time does to their holds.

use super::{
    consent,
    delegate::{self, Meant},
    fold::{self, recall_all},
    values::{fill, overturn, owe},
};
use crate::{
    conversation::{
        Action, Conversation, Guard, Guidance, Heard, Hold, HoldReason, IgnoredAction, Owed,
        QuickAction, ReadingAttempts,
    },
    effect::{Effect, NeedEvent},
    id::{GuidanceId, HoldId, Ids, MessageId, NeedId},
    need::{Need, NeedStatus},
    policy::Wait,
    slot::{Evidence, Filled, SlotKey},
    stakeholder::{Consent, EmailAddress, Health, Revival},
    value::Value,
};
use jiff::Timestamp;

/// Notes commands that were given at `at`, and keeps from going what they make wrong.
/// `first` when nothing else was folded before them in the same operation.
pub(super) fn take_command(
    c: &mut Conversation,
    by: &str,
    action: &Action,
    at: Timestamp,
    first: bool,
    effects: &mut Vec<Effect>,
) {
    attend(c, at);
    let Action::Guarded { guard, then } = action else {
        return note(c, by, action, at, effects);
    };
    if let Some(why) = obstacle(c, *guard, at, first) {
        return ignore(c, by, at, action, why);
    }
    for action in then {
        note(c, by, action, at, effects);
    }
}

fn note(c: &mut Conversation, by: &str, action: &Action, at: Timestamp, effects: &mut Vec<Effect>) {
    match action {
        // The question of a reminder that is about to go may just have been answered.
        Action::Fill { .. } => recall_all(c, "an operator entered an answer", effects),
        Action::OptOut { .. } => recall_all(c, "the person has opted out", effects),
        Action::Guide { .. } | Action::Unguide { .. } => {
            recall_all(c, "an operator changed the guidance", effects);
        }
        _ => {}
    }
    c.quick_actions.push(QuickAction {
        by: by.to_owned(),
        at,
        action: action.clone(),
        stood: Some(c.holds.iter().map(|hold| hold.id.clone()).collect()),
    });
}

/// An operator did something: what is held has been attended to.
pub(super) fn attend(c: &mut Conversation, at: Timestamp) {
    c.attended_at = c.attended_at.max(Some(at));
}

/// What keeps a guarded command from changing anything.
fn obstacle(c: &Conversation, guard: Guard, at: Timestamp, first: bool) -> Option<&'static str> {
    if guard.expires_at.is_some_and(|expires_at| at >= expires_at) {
        return Some("it came after it had expired");
    }
    let same = |revision| revision == c.revision && first;
    if guard.revision.is_some_and(|revision| !same(revision)) {
        return Some("the conversation had changed since it was offered");
    }
    None
}

fn ignore(c: &mut Conversation, by: &str, at: Timestamp, action: &Action, why: &str) {
    if c.ignored.len() >= IgnoredAction::MOST {
        c.ignored.remove(0);
    }
    c.ignored.push(IgnoredAction {
        by: by.to_owned(),
        at,
        action: action.name().to_owned(),
        why: why.to_owned(),
    });
}

pub(super) fn run_quick_actions(
    c: &mut Conversation,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for command in std::mem::take(&mut c.quick_actions) {
        let QuickAction { by, at, .. } = &command;
        if let Err(why) = run(c, &command, now, ids, effects) {
            ignore(c, by, *at, &command.action, &why);
        }
    }
}

/// Runs one command, or says why it changes nothing.
fn run(
    c: &mut Conversation,
    command: &QuickAction,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) -> Result<(), String> {
    let (by, at) = (&command.by, command.at);
    let stood = command.stood.as_deref();
    match &command.action {
        Action::Answer { text } => answer(c, by, at, text, stood, ids),
        Action::Resume => {
            resume(c, stood, now);
            // Whoever resumes wants to know soon whether reading works again; but a hold over it
            // that they have not seen stands, and so does what it says.
            let failing = |hold: &Hold| matches!(hold.reason, HoldReason::ReadingFailed { .. });
            if !c.holds.iter().any(failing) {
                c.reading = ReadingAttempts::default();
            }
        }
        Action::Fill {
            slot,
            value,
            note,
            heard,
        } => record(c, by, at, slot, value, note, *heard, effects)?,
        Action::ResolveSend { message, sent } => resolve(c, message, *sent, ids, effects)?,
        Action::Release { hold } => release(c, hold, now)?,
        Action::Guide { text, until } => guide(c, by, at, text, *until, now, ids),
        Action::Unguide { guidance } => {
            let before = c.guidance.len();
            c.guidance.retain(|one| one.id != *guidance);
            if c.guidance.len() == before {
                return Err("there is no such guidance any more".to_owned());
            }
        }
        Action::Revive { address, note } => revive(c, by, at, address, note)?,
        Action::OptOut { address, note } => {
            consent::enter_opt_out(c, by, at, address.as_ref(), note)?;
        }
        Action::OptIn { address, note } => {
            consent::opt_in(c, by, at, address.as_ref(), note)?;
        }
        Action::AcceptDelegate {
            hold,
            address,
            name,
        } => {
            let meant = Meant {
                hold: hold.as_ref(),
                address: address.as_ref(),
                name: name.as_deref(),
                stood,
            };
            delegate::accept(c, &meant, by, at, effects)?;
        }
        Action::RejectDelegate { hold } => {
            let meant = Meant {
                hold: hold.as_ref(),
                address: None,
                name: None,
                stood,
            };
            delegate::reject(c, &meant)?;
        }
        // A guard is looked at when the command arrives; what stands behind it is stored.
        Action::Guarded { .. } => {
            return Err("a guarded command cannot hold another one".to_owned());
        }
    }
    Ok(())
}

/// Owes an operator's words to whoever wrote what they answer. Where several questions wait, nobody
/// can tell which one they answer: then none is quoted.
fn answer(
    c: &mut Conversation,
    by: &str,
    at: Timestamp,
    text: &str,
    stood: Option<&[HoldId]>,
    ids: &mut Ids,
) {
    let meant = |hold: &&Hold| stood.is_none_or(|stood| stood.contains(&hold.id));
    let held: Vec<&Hold> = c.holds.iter().filter(meant).collect();
    let mut questions = held.iter().filter_map(|hold| match &hold.reason {
        HoldReason::StakeholderQuestion { quote, .. } => Some((quote, &hold.written_by)),
        _ => None,
    });
    let (question, to) = match (questions.next(), questions.next()) {
        (Some((quote, asker)), None) => (Some(quote.clone()), asker.clone()),
        _ => (
            None,
            held.iter().rev().find_map(|hold| hold.written_by.clone()),
        ),
    };
    let answer = Owed::Answer {
        text: text.to_owned(),
        by: by.to_owned(),
        question,
        to,
    };
    owe(c, answer, at, ids);
}

/// Enters an answer that reached an operator and not the daemon.
#[expect(clippy::too_many_arguments, reason = "a command's fields, each once")]
fn record(
    c: &mut Conversation,
    by: &str,
    at: Timestamp,
    key: &SlotKey,
    value: &Value,
    note: &str,
    heard: Option<Heard>,
    effects: &mut Vec<Effect>,
) -> Result<(), &'static str> {
    let slot = c.slots.get(key).ok_or("there is no such slot any more")?;
    if slot.kind.rules().check(value).is_err() {
        return Err("the slot does not take such a value");
    }
    let evidence = Evidence::Operator {
        by: by.to_owned(),
        note: note.to_owned(),
        heard,
    };
    // Nobody heard it after they wrote it down.
    let as_of = heard
        .and_then(|heard| heard.at)
        .map_or(at, |said| said.min(at));
    if fill(c, key, Filled::new(value.clone(), evidence, as_of), effects) {
        overturn(c, key, &[]);
    }
    recall_all(c, "an operator entered an answer", effects);
    Ok(())
}

fn resolve(
    c: &mut Conversation,
    message: &MessageId,
    sent: bool,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) -> Result<(), &'static str> {
    let place = c
        .outgoing
        .iter()
        .position(|o| o.message == *message && o.unknown_since.is_some())
        .ok_or("no message with this id has an unknown fate any more")?;
    let why = "an operator said what became of it";
    fold::resolve(c, place, sent, why, ids, effects);
    Ok(())
}

/// Lifts the holds that stood when the command was given, but not those over messages whose fate
/// is unknown: they stand until somebody says what became of the message, or it would be sent
/// blindly again.
fn resume(c: &mut Conversation, stood: Option<&[HoldId]>, now: Timestamp) {
    let meant = |hold: &Hold| stood.is_none_or(|stood| stood.contains(&hold.id));
    let lifts = |hold: &Hold| meant(hold) && !matches!(hold.reason, HoldReason::UnknownSend { .. });
    lift(c, lifts, now);
}

fn release(c: &mut Conversation, id: &HoldId, now: Timestamp) -> Result<(), &'static str> {
    let hold = c
        .holds
        .iter()
        .find(|hold| hold.id == *id)
        .ok_or("there is no such hold any more")?;
    if matches!(hold.reason, HoldReason::UnknownSend { .. }) {
        return Err("say what became of the message instead");
    }
    lift(c, |hold| hold.id == *id, now);
    Ok(())
}

/// Lifts holds, and lets what they were about begin anew.
fn lift(c: &mut Conversation, lifts: impl Fn(&Hold) -> bool, now: Timestamp) {
    let (over, standing): (Vec<Hold>, _) =
        std::mem::take(&mut c.holds).into_iter().partition(lifts);
    c.holds = standing;
    for Hold { reason, .. } in over {
        match reason {
            // What was promised in vain counts no more either.
            HoldReason::Silence | HoldReason::PromisesBroken { .. } => c.chase_from = Some(now),
            HoldReason::ReadingFailed { .. } => c.reading = ReadingAttempts::default(),
            _ => {}
        }
    }
}

fn guide(
    c: &mut Conversation,
    by: &str,
    at: Timestamp,
    text: &str,
    until: Option<Timestamp>,
    now: Timestamp,
    ids: &mut Ids,
) {
    c.guidance.retain(|guidance| guidance.counts_at(now));
    if c.guidance.len() >= Guidance::MOST {
        // The server refuses one too many; only one that raced another gets here.
        c.guidance.remove(0);
    }
    c.guidance.push(Guidance {
        id: GuidanceId::new(ids.draw()),
        text: text.chars().take(Guidance::LONGEST).collect(),
        by: by.to_owned(),
        since: at,
        until,
    });
}

fn revive(
    c: &mut Conversation,
    by: &str,
    at: Timestamp,
    address: &EmailAddress,
    note: &str,
) -> Result<(), &'static str> {
    let contact = c
        .stakeholder
        .contacts
        .iter_mut()
        .find(|contact| contact.address.matches(address))
        .ok_or("the person has no such contact")?;
    if contact.usable() {
        return Err("the contact may be used anyway");
    }
    contact.health = Health::Working;
    contact.consent = Consent::Given;
    contact.revived = Some(Revival {
        by: by.to_owned(),
        at,
        note: note.to_owned(),
    });
    // There is somebody to write to again.
    c.holds
        .retain(|hold| hold.reason != HoldReason::Unreachable);
    Ok(())
}

/// The needs whose callers hear that a hold over everything is not attended to: those that wait; when
/// none does, those that have ended of late. What is held may be about their answers.
fn concerned(c: &Conversation, now: Timestamp) -> Vec<NeedId> {
    /// For so long after its end a caller is told that what the person wrote since waits for
    /// somebody.
    const AFTER_THE_END: Wait = Wait::days(30);

    let open: Vec<NeedId> = c.open_needs().map(|(id, _)| id.clone()).collect();
    if !open.is_empty() {
        return open;
    }
    let lately = |need: &Need| match need.status {
        NeedStatus::Open => false,
        NeedStatus::Settled { at, .. } => AFTER_THE_END.after(at) > now,
    };
    let ended = c.needs.iter().filter(|(_, need)| lately(need));
    ended.map(|(id, _)| id.clone()).collect()
}

/// Ends snoozes, and calls an operator to holds that nobody has attended to: once for each, by an
/// event for every need that waits because of it.
pub(super) fn tend_holds(
    c: &mut Conversation,
    over: &[HoldId],
    escalate: &[HoldId],
    now: Timestamp,
    effects: &mut Vec<Effect>,
) {
    let ended = c.holds.iter().filter(|hold| over.contains(&hold.id));
    if let Some(until) = ended.filter_map(|hold| hold.until).max() {
        attend(c, until);
    }
    lift(c, |hold| over.contains(&hold.id), now);
    for id in escalate {
        let Some(hold) = c.holds.iter_mut().find(|hold| hold.id == *id) else {
            continue;
        };
        hold.escalated_at = Some(now);
        let event = NeedEvent::HoldEscalated {
            hold: hold.id.clone(),
            since: hold.since,
            reason: hold.reason.name().to_owned(),
            why: hold.reason.sentence(),
        };
        let concerned: Vec<NeedId> = match &hold.need {
            Some(need) => vec![need.clone()],
            None => concerned(c, now),
        };
        effects.extend(concerned.into_iter().map(|need| Effect::Event {
            need,
            event: event.clone(),
        }));
    }
}

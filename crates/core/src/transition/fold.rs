//! Taking in what happened outside. Folding records facts; what follows from them is for the
//! rules.

use super::{
    absence, consent,
    operator::{attend, take_command},
    values::owe,
};
use crate::{
    conversation::{
        Ask, Author, Conversation, Hold, HoldReason, NeedOperation, Origin, Outgoing, Owed,
        Received, ReplyItem, Sent, TakenOver, Thread, Transcript,
    },
    effect::Effect,
    id::{HoldId, Ids, MessageId, NeedId},
    input::{Fate, Input, StoredInput},
    need::TranscriptEntry,
    policy::{UnknownSend, Wait},
    sending,
    slot::Standing,
    stakeholder::{Contact, EmailAddress, Health, Stakeholder},
};
use jiff::Timestamp;

/// Folds the inputs of one operation into the state, in their order. What is on its way may have
/// to be recalled.
pub(super) fn fold(
    conversation: &mut Conversation,
    inputs: &[StoredInput],
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for (place, stored) in inputs.iter().enumerate() {
        fold_one(conversation, stored, place == 0, ids, effects);
    }
}

fn fold_one(
    c: &mut Conversation,
    stored: &StoredInput,
    first: bool,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let at = stored.at;
    match &stored.input {
        Input::NeedRegistered {
            registration,
            stakeholder,
        } => {
            merge_stakeholder(&mut c.stakeholder, stakeholder);
            c.need_operations.push(NeedOperation::Register {
                registration: registration.clone(),
                at,
            });
        }
        Input::NeedAmended { amendment } => c.need_operations.push(NeedOperation::Amend {
            amendment: amendment.clone(),
            at,
        }),
        Input::NeedCancelled { need } => c.need_operations.push(NeedOperation::Cancel {
            need: need.clone(),
            at,
        }),
        Input::CallerSeen { need } => {
            if let Some(need) = c.needs.get_mut(need) {
                need.caller_seen_at = need.caller_seen_at.max(at);
            }
            super::needs::caller_is_back(c, need);
        }
        Input::MessageReceived(message) => receive(c, message, at, ids, effects),
        Input::Dispatched { message, fate } => dispatched(c, message, fate, at, ids, effects),
        Input::Bounced {
            message,
            permanent,
            reason,
        } => bounced(c, message, *permanent, reason, at, effects),
        Input::OptedOut { message, .. } => consent::opt_out(c, message, at, effects),
        Input::TranscriptAdded { by, need, entries } => {
            attend(c, at);
            add_transcript(c, need, entries, by, effects);
        }
        Input::QuickAction { by, action } => take_command(c, by, action, at, first, effects),
        Input::HoldRequested {
            by,
            note,
            need,
            until,
        } => {
            attend(c, at);
            let reason = HoldReason::Operator {
                by: by.clone(),
                note: note.clone(),
            };
            pause(c, reason, need.as_ref(), *until, at, ids);
            recall_what_may_not_be_asked(c, effects);
        }
        Input::TakenOver { by } => {
            attend(c, at);
            c.taken_over = Some(TakenOver {
                by: by.clone(),
                since: at,
            });
            recall_all(c, "an operator took the conversation over", effects);
        }
        Input::HandedBack { .. } => {
            attend(c, at);
            c.taken_over = None;
        }
        Input::PolicyChanged(policy) => c.policy = (**policy).clone(),
    }
}

/// Has what the person said before read before anything more is said. Of a need that has ended, or
/// that nobody registered, there is nothing to learn.
fn add_transcript(
    c: &mut Conversation,
    need: &NeedId,
    entries: &[TranscriptEntry],
    by: &str,
    effects: &mut Vec<Effect>,
) {
    if !is_open_or_coming(c, need) {
        return;
    }
    c.transcripts.push(Transcript {
        need: need.clone(),
        entries: entries.to_vec(),
        by: Some(by.to_owned()),
    });
    recall_all(c, "an operator handed over what was said before", effects);
}

/// Opens a hold over the whole conversation, unless one with the same reason stands.
pub(super) fn hold(c: &mut Conversation, reason: HoldReason, since: Timestamp, ids: &mut Ids) {
    pause(c, reason, None, None, since, ids);
}

/// Opens a hold over what a message says, and gives its id. Beyond the bound of one kind there is
/// none.
pub(super) fn hold_over(
    c: &mut Conversation,
    reason: HoldReason,
    from: &EmailAddress,
    since: Timestamp,
    ids: &mut Ids,
) -> Option<HoldId> {
    hold(c, reason.clone(), since, ids);
    let writer = c.stakeholder.contact(from).map(|one| one.address.clone());
    let opened = c.holds.iter_mut().find(|hold| hold.reason == reason)?;
    opened.written_by = writer;
    Some(opened.id.clone())
}

/// Opens a hold over the conversation or one of its open needs, unless one with the same reason
/// stands; then the new one says until when. Beyond a bound of one kind they are only counted.
pub(super) fn pause(
    c: &mut Conversation,
    reason: HoldReason,
    need: Option<&NeedId>,
    until: Option<Timestamp>,
    since: Timestamp,
    ids: &mut Ids,
) {
    if need.is_some_and(|id| !is_open_or_coming(c, id)) {
        // It has ended; there is nothing to pause.
        return;
    }
    let mut of_the_kind: Vec<&mut Hold> = c
        .holds
        .iter_mut()
        .filter(|hold| hold.is_of_the_kind_of(&reason, need))
        .collect();
    if let Some(same) = of_the_kind.iter_mut().find(|hold| hold.reason == reason) {
        same.until = until;
        return;
    }
    if of_the_kind.len() >= Hold::MOST_OF_A_KIND
        && let Some(latest) = of_the_kind.pop()
    {
        latest.further = latest.further.saturating_add(1);
        // What lasts longest counts: none of them may end before the one that was asked for last.
        latest.until = match (latest.until, until) {
            (Some(one), Some(other)) => Some(one.max(other)),
            _ => None,
        };
        return;
    }
    c.holds.push(Hold {
        need: need.cloned(),
        until,
        ..Hold::new(HoldId::new(ids.draw()), reason, since)
    });
}

/// Whether a need is open, or about to be.
fn is_open_or_coming(c: &Conversation, id: &NeedId) -> bool {
    let registers = |operation: &NeedOperation| matches!(operation, NeedOperation::Register { registration, .. } if registration.need == *id);
    match c.needs.get(id) {
        Some(need) => need.is_open(),
        None => c.need_operations.iter().any(registers),
    }
}

/// Keeps from going what asks about a need that has just been held, or anything at all once the
/// whole conversation is.
fn recall_what_may_not_be_asked(c: &Conversation, effects: &mut Vec<Effect>) {
    let is_active = |id: &NeedId| c.active_needs().any(|(active, _)| active == id);
    let speaks_of_held = c.outgoing.iter().any(|message| {
        message.asks.iter().any(|(slot, _)| !c.may_be_asked(slot))
            || message.briefs.iter().any(|(need, _)| !is_active(need))
    });
    if c.is_held() {
        recall_all(c, "an operator paused the conversation", effects);
    } else if speaks_of_held {
        recall_all(c, "an operator paused a need that it speaks of", effects);
    }
}

/// Asks for everything that has not gone to be kept from going, each message once.
pub(super) fn recall_all(c: &Conversation, why: &str, effects: &mut Vec<Effect>) {
    for outgoing in &c.outgoing {
        // One whose fate is unknown is out of reach, unless it waits to be handed over again.
        let in_reach = outgoing.unknown_since.is_none() || outgoing.resent;
        let recalled = effects.iter().any(
            |effect| matches!(effect, Effect::Recall { message, .. } if *message == outgoing.message),
        );
        if in_reach && !recalled {
            effects.push(Effect::Recall {
                message: outgoing.message.clone(),
                why: why.to_owned(),
            });
        }
    }
}

fn merge_stakeholder(known: &mut Stakeholder, named: &Stakeholder) {
    // It holds whichever addresses a caller names afterwards.
    let opted_out = known.opted_out().cloned();
    for contact in &named.contacts {
        if known.contact(&contact.address).is_none() {
            let mut contact = contact.clone();
            if let Some(opted_out) = &opted_out {
                contact.consent = opted_out.clone();
            }
            known.contacts.push(contact);
        }
    }
    known.key = known.key.take().or_else(|| named.key.clone());
    known.name = known.name.take().or_else(|| named.name.clone());
    known.zone = known.zone.take().or_else(|| named.zone.clone());
    known.country = known.country.take().or_else(|| named.country.clone());
}

fn receive(
    c: &mut Conversation,
    message: &Received,
    at: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    if let Some(id) = &message.transport_id {
        remember_in_thread(c, id.clone());
    }
    if let Some(ours) = &message.answers {
        arrived(c, ours, ids, effects);
    }
    if message.author == Author::Automatic {
        // It stays in the transcript; it is no answer, and nobody waits for one to it.
        if message.origin == Origin::Known {
            absence::of_a_program(c, message);
        }
        return;
    }
    recall_all(c, "the stakeholder wrote", effects);
    if message.origin == Origin::Stranger {
        let reason = HoldReason::UnknownSender {
            message: message.message.clone(),
            from: message.from.clone(),
        };
        hold(c, reason, at, ids);
        return;
    }
    if consent::asks_to_stop(&message.text) {
        consent::opt_out(c, &message.message, at, effects);
        return;
    }
    c.inbox.push(message.clone());
}

fn dispatched(
    c: &mut Conversation,
    message: &MessageId,
    fate: &Fate,
    at: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let Some(place) = c.outgoing.iter().position(|o| o.message == *message) else {
        // Its fate was settled before: by an operator, by a report that came back first, or by a
        // reply to it, which then is better word than `nobody can tell`.
        let was_sent = c.sent.iter().any(|sent| sent.message == *message);
        if was_sent && matches!(fate, Fate::Unknown { .. }) {
            effects.push(Effect::Resolve {
                message: message.clone(),
                sent: true,
            });
        }
        return;
    };
    match fate {
        Fate::Sent { at, transport_id } => {
            let outgoing = c.outgoing.remove(place);
            really_sent(c, outgoing, *at, transport_id.clone(), ids);
        }
        Fate::Refused {
            address_is_bad: true,
            reason,
        } => {
            let outgoing = c.outgoing.remove(place);
            fail_contact(c, &outgoing.to, reason, at);
            unknown_is_settled(c, message);
        }
        Fate::Refused {
            address_is_bad: false,
            reason,
        } => {
            c.outgoing.remove(place);
            unknown_is_settled(c, message);
            let reason = HoldReason::SendRefused {
                message: message.clone(),
                why: reason.clone(),
            };
            hold(c, reason, at, ids);
        }
        Fate::Unknown { why } => {
            let again = c.policy.unknown_send == UnknownSend::Resend
                && !c.outgoing[place].resent
                && sending::may_resend(c, &c.outgoing[place], ids.at());
            c.outgoing[place].unknown_since = Some(at);
            c.outgoing[place].resent |= again;
            if again {
                effects.push(Effect::Resend {
                    message: message.clone(),
                });
            } else {
                unknown(c, message, why, at, ids);
            }
        }
        // The second hand-over was prevented; what became of the first is as unknown as before.
        Fate::Withdrawn { why } if c.outgoing[place].resent => unknown(c, message, why, at, ids),
        Fate::Withdrawn { .. } => {
            c.outgoing.remove(place);
        }
    }
}

/// A message of ours whose fate nobody could tell is answered: it arrived.
fn arrived(c: &mut Conversation, message: &MessageId, ids: &mut Ids, effects: &mut Vec<Effect>) {
    let unknown = |o: &Outgoing| o.message == *message && o.unknown_since.is_some();
    if let Some(place) = c.outgoing.iter().position(unknown) {
        resolve(c, place, true, "it was answered", ids, effects);
    }
}

/// Settles the fate of the message at `place`, which was unknown until now.
pub(super) fn resolve(
    c: &mut Conversation,
    place: usize,
    sent: bool,
    why: &str,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    let outgoing = c.outgoing.remove(place);
    let message = outgoing.message.clone();
    if outgoing.resent {
        // It may be waiting to be handed over again.
        effects.push(Effect::Recall {
            message: message.clone(),
            why: why.to_owned(),
        });
    }
    unknown_is_settled(c, &message);
    effects.push(Effect::Resolve { message, sent });
    if sent {
        let decided_at = outgoing.decided_at;
        really_sent(c, outgoing, decided_at, None, ids);
    }
}

/// Leaves it to an operator to say what became of a message.
fn unknown(c: &mut Conversation, message: &MessageId, why: &str, at: Timestamp, ids: &mut Ids) {
    unknown_is_settled(c, message);
    let reason = HoldReason::UnknownSend {
        message: message.clone(),
        why: why.to_owned(),
    };
    hold(c, reason, at, ids);
}

/// Enters a message into the ledger: its questions are asked, its items said, its briefs told.
pub(super) fn really_sent(
    c: &mut Conversation,
    outgoing: Outgoing,
    at: Timestamp,
    transport_id: Option<String>,
    ids: &mut Ids,
) {
    unknown_is_settled(c, &outgoing.message);
    for (slot, reminder) in &outgoing.asks {
        c.asks.push(Ask {
            slot: slot.clone(),
            message: outgoing.message.clone(),
            channel: outgoing.channel,
            at,
            reminder: *reminder,
            confirms: outgoing.confirms.contains(slot),
        });
    }
    for (need, place) in &outgoing.briefs {
        if let Some(brief) = c
            .needs
            .get_mut(need)
            .and_then(|need| need.briefs.get_mut(*place))
        {
            brief.told = Some(outgoing.message.clone());
        }
    }
    let (carried, owed) = std::mem::take(&mut c.reply_items)
        .into_iter()
        .partition(|item| outgoing.items.contains(&item.id));
    c.reply_items = owed;
    for (slot, question) in outgoing.taken_back {
        // Unless somebody waits for it again.
        if c.waiting_for(&slot).next().is_none() {
            owe(c, Owed::Withdrawal { question }, at, ids);
        }
    }
    c.thread.subject.get_or_insert(outgoing.subject);
    if let Some(id) = transport_id {
        remember_in_thread(c, id);
    }
    let week_ago = Wait::days(7).before(at);
    c.sent.retain(|sent| sent.at >= week_ago);
    c.sent.push(Sent {
        message: outgoing.message,
        to: outgoing.to,
        at,
        kind: outgoing.kind,
        carried,
    });
}

fn bounced(
    c: &mut Conversation,
    message: &MessageId,
    permanent: bool,
    reason: &str,
    at: Timestamp,
    effects: &mut Vec<Effect>,
) {
    if !permanent {
        // A report of delay: the far side is still trying.
        return;
    }
    let to = if let Some(place) = c.outgoing.iter().position(|o| o.message == *message) {
        unknown_is_settled(c, message);
        let outgoing = c.outgoing.remove(place);
        if outgoing.resent {
            effects.push(Effect::Recall {
                message: message.clone(),
                why: "its first copy came back".to_owned(),
            });
        }
        Some(outgoing.to)
    } else if let Some(place) = c.sent.iter().position(|sent| sent.message == *message) {
        let sent = c.sent.remove(place);
        let Sent {
            to, at, carried, ..
        } = sent;
        for item in carried {
            if is_still_owed(c, &item, at) {
                c.reply_items.push(item);
            }
        }
        Some(to)
    } else {
        None
    };
    // What did not arrive was neither asked nor told.
    c.asks.retain(|ask| ask.message != *message);
    for brief in c.needs.values_mut().flat_map(|need| &mut need.briefs) {
        if brief.told.as_ref() == Some(message) {
            brief.told = None;
        }
    }
    if let Some(to) = to {
        fail_contact(c, &to, reason, at);
    }
}

/// Whether a reply item that was carried at `carried_at`, and has come back, still matters.
fn is_still_owed(c: &Conversation, item: &ReplyItem, carried_at: Timestamp) -> bool {
    let (Owed::Clarification { slot: key, .. } | Owed::Confirmation { slot: key }) = &item.what
    else {
        return true;
    };
    let asks_to_confirm = matches!(item.what, Owed::Confirmation { .. });
    let unclear = c.slots.get(key).is_some_and(|slot| match slot.standing {
        Standing::Unclear { .. } => !asks_to_confirm,
        Standing::Unconfirmed(_) => asks_to_confirm,
        _ => false,
    });
    let asked_since = c
        .asks
        .iter()
        .any(|ask| ask.slot == *key && ask.at > carried_at);
    unclear && c.waiting_for(key).next().is_some() && !c.owes_clarification(key) && !asked_since
}

fn fail_contact(c: &mut Conversation, address: &EmailAddress, reason: &str, at: Timestamp) {
    let failed = c
        .stakeholder
        .contacts
        .iter_mut()
        .filter(|contact: &&mut Contact| contact.address.matches(address));
    for contact in failed {
        contact.health = Health::Failed {
            since: at,
            reason: reason.to_owned(),
        };
    }
}

fn unknown_is_settled(c: &mut Conversation, message: &MessageId) {
    c.holds.retain(|hold| {
        !matches!(&hold.reason, HoldReason::UnknownSend { message: unknown, .. } if unknown == message)
    });
}

fn remember_in_thread(c: &mut Conversation, id: String) {
    let ids = &mut c.thread.message_ids;
    if ids.contains(&id) {
        return;
    }
    ids.push(id);
    if ids.len() > Thread::MOST {
        // The first one names the thread; mail programs want it kept.
        ids.remove(1);
    }
}

//! Taking in what happened outside. Folding records facts; what follows from them is for the
//! rules.

use super::operator::{attend, take_command};
use crate::{
    conversation::{
        Ask, Author, Conversation, Hold, HoldReason, NeedOperation, Origin, Outgoing, Owed,
        Received, ReplyItem, Sent, TakenOver, Thread,
    },
    effect::Effect,
    id::{HoldId, Ids, MessageId, NeedId},
    input::{Fate, Input, StoredInput},
    policy::{UnknownSend, Wait},
    sending,
    slot::Standing,
    stakeholder::{Consent, Contact, EmailAddress, Health, Stakeholder},
};
use jiff::Timestamp;

/// Folds the inputs of one operation into the state, in their order. What is on its way may have
/// to be recalled.
pub fn fold(
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
        Input::NeedCancelled { need } => c.need_operations.push(NeedOperation::Cancel {
            need: need.clone(),
            at,
        }),
        Input::CallerSeen { need } => {
            if let Some(need) = c.needs.get_mut(need) {
                need.caller_seen_at = need.caller_seen_at.max(at);
            }
        }
        Input::MessageReceived(message) => receive(c, message, at, ids, effects),
        Input::Dispatched { message, fate } => dispatched(c, message, fate, at, ids, effects),
        Input::Bounced {
            message,
            permanent,
            reason,
        } => bounced(c, message, *permanent, reason, at, effects),
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

/// Opens a hold over the whole conversation, unless one with the same reason stands.
pub(super) fn hold(c: &mut Conversation, reason: HoldReason, since: Timestamp, ids: &mut Ids) {
    pause(c, reason, None, None, since, ids);
}

/// Opens a hold over the conversation or one of its open needs, unless one with the same reason
/// stands; then the new one says until when. Beyond a bound of one kind they are only counted.
fn pause(
    c: &mut Conversation,
    reason: HoldReason,
    need: Option<&NeedId>,
    until: Option<Timestamp>,
    since: Timestamp,
    ids: &mut Ids,
) {
    if need.is_some_and(|id| !may_be_paused(c, id)) {
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
fn may_be_paused(c: &Conversation, id: &NeedId) -> bool {
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
    // An opt-out holds for the person, whichever addresses a caller names afterwards.
    let opted_out = known
        .contacts
        .iter()
        .map(|contact| &contact.consent)
        .find(|consent| matches!(consent, Consent::OptedOut { .. }))
        .cloned();
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
    if message.author == Author::Automatic {
        // It stays in the transcript; it is no answer, and nobody waits for one to it.
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
    if asks_to_stop(&message.text) {
        opt_out(c, &message.message, at);
        return;
    }
    c.inbox.push(message.clone());
}

/// Whether the whole message is one word that everybody understands as "stop".
fn asks_to_stop(text: &str) -> bool {
    // The words that carriers and providers treat so (CTIA Messaging Principles, 5.1.3), which
    // people use by mail as well.
    const WORDS: [&str; 9] = [
        "stop",
        "stopall",
        "quit",
        "end",
        "revoke",
        "opt out",
        "optout",
        "cancel",
        "unsubscribe",
    ];
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    WORDS.contains(&words.join(" ").as_str())
}

/// An opt-out holds for the person, whichever address it came from.
fn opt_out(c: &mut Conversation, message: &MessageId, at: Timestamp) {
    for contact in &mut c.stakeholder.contacts {
        contact.consent = Consent::OptedOut {
            since: at,
            message: Some(message.clone()),
        };
    }
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
        // Its fate was settled before: by an operator, or by a report that came back first.
        return;
    };
    match fate {
        Fate::Sent { at, transport_id } => {
            let outgoing = c.outgoing.remove(place);
            really_sent(c, outgoing, *at, transport_id.clone());
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
) {
    unknown_is_settled(c, &outgoing.message);
    for (slot, reminder) in &outgoing.asks {
        c.asks.push(Ask {
            slot: slot.clone(),
            message: outgoing.message.clone(),
            channel: outgoing.channel,
            at,
            reminder: *reminder,
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
    let Owed::Clarification { slot: key, .. } = &item.what else {
        return true;
    };
    let unclear = c
        .slots
        .get(key)
        .is_some_and(|slot| matches!(slot.standing, Standing::Unclear { .. }));
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

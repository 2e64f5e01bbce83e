//! Whether the person lets us write: opting out.

use super::fold::recall_all;
use crate::{
    conversation::{Conversation, HoldReason, Owed},
    effect::Effect,
    id::MessageId,
    stakeholder::{Consent, Contact, EmailAddress, EnteredOptOut, Revival},
};
use jiff::Timestamp;

/// Whether the whole message is one word that everybody understands as "stop".
pub(super) fn asks_to_stop(text: &str) -> bool {
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

/// An opt-out holds for the person, whichever address it came from. What is on its way must not go.
pub(super) fn opt_out(
    c: &mut Conversation,
    message: &MessageId,
    at: Timestamp,
    effects: &mut Vec<Effect>,
) {
    for contact in &mut c.stakeholder.contacts {
        // The first one counts: it is since then that nothing may be sent.
        if matches!(contact.consent, Consent::OptedOut { .. }) {
            continue;
        }
        contact.consent = Consent::OptedOut {
            since: at,
            message: Some(message.clone()),
            entered: None,
        };
    }
    recall_all(c, "the stakeholder does not want to be written to", effects);
    drop_courtesies(c);
}

/// Opts a contact out because the person told an operator so; without an address, all of them. What
/// is on its way was recalled when the command arrived.
pub(super) fn enter_opt_out(
    c: &mut Conversation,
    by: &str,
    at: Timestamp,
    address: Option<&EmailAddress>,
    note: &str,
) -> Result<(), &'static str> {
    let entered = EnteredOptOut {
        by: by.to_owned(),
        note: note.to_owned(),
        alone: address.is_some(),
    };
    let mut changed = false;
    for contact in meant(c, address)? {
        // The first one counts: it is since then that nothing may be sent. But what was about one
        // contact alone is about the person now.
        match &mut contact.consent {
            Consent::OptedOut {
                entered: Some(before),
                ..
            } if before.alone && !entered.alone => *before = entered.clone(),
            Consent::OptedOut { .. } => continue,
            consent @ Consent::Given => {
                *consent = Consent::OptedOut {
                    since: at,
                    message: None,
                    entered: Some(entered.clone()),
                };
            }
        }
        changed = true;
    }
    if !changed {
        return Err("the person had opted out already");
    }
    if address.is_none() {
        drop_courtesies(c);
    }
    Ok(())
}

/// Takes opt-outs back because the person told an operator so: that of one contact, or without an
/// address all of them. An address that is known to be bad stays so.
pub(super) fn opt_in(
    c: &mut Conversation,
    by: &str,
    at: Timestamp,
    address: Option<&EmailAddress>,
    note: &str,
) -> Result<(), &'static str> {
    let mut changed = false;
    for contact in meant(c, address)? {
        if contact.consent == Consent::Given {
            continue;
        }
        contact.consent = Consent::Given;
        contact.revived = Some(Revival {
            by: by.to_owned(),
            at,
            note: note.to_owned(),
        });
        changed = true;
    }
    if !changed {
        return Err("the person has not opted out");
    }
    if c.stakeholder.contacts.iter().any(Contact::usable) {
        // There is somebody to write to again.
        c.holds
            .retain(|hold| hold.reason != HoldReason::Unreachable);
    }
    Ok(())
}

/// The contacts that an operator means.
fn meant<'c>(
    c: &'c mut Conversation,
    address: Option<&EmailAddress>,
) -> Result<Vec<&'c mut Contact>, &'static str> {
    let contacts = c.stakeholder.contacts.iter_mut();
    let meant: Vec<_> = contacts
        .filter(|contact| address.is_none_or(|address| contact.address.matches(address)))
        .collect();
    match meant.is_empty() {
        true => Err("the person has no such contact"),
        false => Ok(meant),
    }
}

/// Drops thanks and word of questions that are over: whoever asked not to be written to has no use
/// for them, not even once an operator lets messages go on.
pub(super) fn drop_courtesies(c: &mut Conversation) {
    c.reply_items.retain(|item| {
        !matches!(
            item.what,
            Owed::Acknowledgement { .. } | Owed::Withdrawal { .. }
        )
    });
}

/// Whether the person asked not to be written to, and nobody has said since that they may be.
pub(super) fn refuses_contact(c: &Conversation) -> bool {
    c.stakeholder.opted_out().is_some()
        || c.holds
            .iter()
            .any(|hold| matches!(hold.reason, HoldReason::RefusesContact { .. }))
}

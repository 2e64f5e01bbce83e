//! Talking to somebody whom the person named, once a person on our side agreed.

use super::{fold::recall_all, values::stands};
use crate::{
    conversation::{Conversation, HoldReason, Owed},
    effect::{Effect, NeedEvent},
    gate::delegate,
    slot::{SlotKey, Standing},
    stakeholder::{Channel, Contact, Delegate, EmailAddress, Grounds},
};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// The person whom a message names, when it gives an address. First the words that say so are
/// looked at, then the whole message.
pub(super) fn named(c: &Conversation, quote: &str, text: &str) -> Option<Delegate> {
    let known: Vec<&EmailAddress> = c
        .stakeholder
        .contacts
        .iter()
        .map(|contact| &contact.address)
        .collect();
    delegate::find(quote, &known).or_else(|| delegate::find(text, &known))
}

/// Tells the callers whom the person named, so that they can agree.
pub(super) fn propose(
    c: &Conversation,
    quote: &str,
    delegate: &Delegate,
    effects: &mut Vec<Effect>,
) {
    for (need, _) in c.open_needs() {
        effects.push(Effect::Event {
            need: need.clone(),
            event: NeedEvent::DelegateNamed {
                name: delegate.name.clone(),
                address: delegate.address.to_string(),
                quote: quote.to_owned(),
            },
        });
    }
}

/// Makes the person whom the stakeholder named the one who is written to. Without a hold that asks
/// for it nothing happens: nobody is written to whom the stakeholder did not name.
pub(super) fn accept(
    c: &mut Conversation,
    address: Option<&EmailAddress>,
    name: Option<&str>,
    by: &str,
    at: Timestamp,
    effects: &mut Vec<Effect>,
) -> Result<(), &'static str> {
    let proposal = c.holds.iter().find_map(|hold| match &hold.reason {
        HoldReason::NamesAnother {
            message,
            quote,
            delegate,
        } => Some((message.clone(), quote.clone(), delegate.clone())),
        _ => None,
    });
    let Some((message, quote, proposed)) = proposal else {
        return Err("the person has named nobody, or it was decided already");
    };
    let Some(address) = address
        .or(proposed.as_ref().map(|proposed| &proposed.address))
        .cloned()
    else {
        return Err("the person gave no address; name one");
    };
    let name = name.map(str::to_owned).or_else(|| {
        let proposed = proposed.filter(|proposed| proposed.address.matches(&address));
        proposed?.name
    });
    let contacts = &mut c.stakeholder.contacts;
    let known = contacts
        .iter()
        .position(|contact| contact.address.matches(&address));
    let mut contact = match known {
        Some(place) => contacts.remove(place),
        None => Contact::new(Channel::Email, address),
    };
    if let Some(opted_out) = c.stakeholder.opted_out() {
        contact.consent = opted_out.clone();
    }
    contact.name = name.or(contact.name);
    contact.grounds = Some(Grounds::Delegate {
        message,
        quote,
        agreed_by: by.to_owned(),
        at,
    });
    c.stakeholder.contacts.insert(0, contact);
    reject(c);
    ask_anew(c);
    recall_all(c, "somebody else is written to from now on", effects);
    Ok(())
}

/// Leaves it with the person.
pub(super) fn reject(c: &mut Conversation) {
    c.holds
        .retain(|hold| !matches!(hold.reason, HoldReason::NamesAnother { .. }));
}

/// The delegate was asked nothing yet: what is open is asked as for the first time, and what the
/// person promised binds nobody else.
fn ask_anew(c: &mut Conversation) {
    let open: BTreeSet<SlotKey> = c
        .slots
        .iter()
        .filter(|(_, slot)| slot.standing.is_open())
        .map(|(key, _)| key.clone())
        .collect();
    c.asks.retain(|ask| !open.contains(&ask.slot));
    for slot in c.slots.values_mut() {
        slot.promises.clear();
    }
    for key in &open {
        if c.slots[key].standing.promised_until().is_some() {
            stands(c, key, Standing::Missing);
        }
    }
    // Thanks and doubts about the person's own answers are nothing to say to somebody else.
    c.reply_items
        .retain(|item| matches!(item.what, Owed::Answer { .. }));
    c.absence = None;
}

//! Talking to somebody whom the person named, once a person on our side agreed.

use super::{fold::recall_all, values::stands};
use crate::{
    conversation::{Conversation, HoldReason, Owed},
    effect::{Effect, NeedEvent},
    gate::delegate,
    id::HoldId,
    sending,
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
    let ours = &c.policy.mailboxes;
    delegate::find(quote, &known, ours).or_else(|| delegate::find(text, &known, ours))
}

/// Tells the callers whom the person named, so that they can agree.
pub(super) fn propose(
    c: &Conversation,
    hold: Option<&HoldId>,
    quote: &str,
    delegate: &Delegate,
    effects: &mut Vec<Effect>,
) {
    for (need, _) in c.open_needs() {
        effects.push(Effect::Event {
            need: need.clone(),
            event: NeedEvent::DelegateNamed {
                hold: hold.cloned(),
                name: delegate.name.clone(),
                address: delegate.address.to_string(),
                quote: quote.to_owned(),
            },
        });
    }
}

/// Which proposal a command means, and as whom.
pub(super) struct Meant<'a> {
    /// The hold that it names.
    pub(super) hold: Option<&'a HoldId>,
    /// The address that it names.
    pub(super) address: Option<&'a EmailAddress>,
    /// The name that it gives them.
    pub(super) name: Option<&'a str>,
    /// The holds that stood when it was given: those that came later are none of its business.
    pub(super) stood: Option<&'a [HoldId]>,
}

/// Makes the person whom the stakeholder named the one who is written to. Without a hold that asks
/// for it nothing happens: nobody is written to whom the stakeholder did not name. Whom else they
/// had named by then is decided with it.
pub(super) fn accept(
    c: &mut Conversation,
    meant: &Meant<'_>,
    by: &str,
    at: Timestamp,
    effects: &mut Vec<Effect>,
) -> Result<(), String> {
    let proposal = c
        .proposal_meant(meant.hold, meant.address, meant.stood)
        .map_err(|fault| fault.to_string())?;
    let (message, quote) = (proposal.message.clone(), proposal.quote.to_owned());
    let proposed = proposal.delegate.cloned();
    let given = proposed.as_ref().map(|proposed| &proposed.address);
    let another = |address: &&EmailAddress| given.is_none_or(|given| !given.matches(address));
    let Some(address) = meant.address.filter(another).or(given).cloned() else {
        return Err("the person gave no address; name one".to_owned());
    };
    if c.policy.is_ours(&address) {
        return Err("this is a mailbox that we write from; nobody there answers".to_owned());
    }
    let name = meant.name.map(str::to_owned).or_else(|| {
        let proposed = proposed.filter(|proposed| proposed.address.matches(&address));
        proposed?.name
    });
    answers_stay_with_who_asked(c);
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
    let decided = |hold: &HoldId| meant.stood.is_none_or(|stood| stood.contains(hold));
    c.holds.retain(|hold| {
        !matches!(hold.reason, HoldReason::NamesAnother { .. }) || !decided(&hold.id)
    });
    ask_anew(c);
    recall_all(c, "somebody else is written to from now on", effects);
    Ok(())
}

/// Leaves it with the person: they are not asked to make way for the one who is meant.
pub(super) fn reject(c: &mut Conversation, meant: &Meant<'_>) -> Result<(), String> {
    let proposal = c
        .proposal_meant(meant.hold, meant.address, meant.stood)
        .map_err(|fault| fault.to_string())?;
    let (hold, delegate) = (proposal.hold.clone(), proposal.delegate.cloned());
    let same = |other: &Option<Delegate>| match (other, &delegate) {
        (Some(other), Some(delegate)) => other.address.matches(&delegate.address),
        _ => false,
    };
    c.holds.retain(|other| match &other.reason {
        HoldReason::NamesAnother { delegate, .. } => other.id != hold && !same(delegate),
        _ => true,
    });
    Ok(())
}

/// What the person who was written to so far asked is answered to them, not to somebody else.
fn answers_stay_with_who_asked(c: &mut Conversation) {
    let Some(before) = sending::contact(c).map(|contact| contact.address.clone()) else {
        return;
    };
    for item in &mut c.reply_items {
        if let Owed::Answer { to, .. } = &mut item.what {
            to.get_or_insert_with(|| before.clone());
        }
    }
    for hold in &mut c.holds {
        if matches!(hold.reason, HoldReason::StakeholderQuestion { .. }) {
            hold.written_by.get_or_insert_with(|| before.clone());
        }
    }
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

//! Whether the person lets us write: opting out.

use super::fold::recall_all;
use crate::{
    conversation::{Conversation, HoldReason, Owed},
    effect::Effect,
    id::MessageId,
    stakeholder::Consent,
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
        };
    }
    recall_all(c, "the stakeholder does not want to be written to", effects);
    drop_courtesies(c);
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

//! What a store derives from a document and from an outbox row, so that every store derives the
//! same.

use crate::store::OutboxState;
use jiff::Timestamp;
use liaison_core::{
    conversation::{Conversation, NeedOperation},
    id::{MessageId, NeedId},
    input::Fate,
    stakeholder::{Channel, Stakeholder},
};

/// The facts of a conversation that lists and look-ups need, beside its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The caller's own name for the stakeholder.
    pub key: Option<String>,
    /// The stakeholder's name, else the first address.
    pub label: String,
    /// How many needs are open, those included that are registered and not yet applied.
    pub open_needs: u32,
    /// Since when the oldest hold stands.
    pub held_since: Option<Timestamp>,
    /// The contacts, in the form to look them up by.
    pub contacts: Vec<(Channel, String)>,
}

impl Facts {
    /// The facts of `conversation`.
    pub fn of(conversation: &Conversation) -> Self {
        let applied = conversation.open_needs().count();
        let waiting = conversation
            .need_operations
            .iter()
            .filter(|operation| matches!(operation, NeedOperation::Register { .. }))
            .count();
        Self {
            key: conversation.stakeholder.key.clone(),
            label: label(&conversation.stakeholder),
            open_needs: u32::try_from(applied + waiting).unwrap_or(u32::MAX),
            held_since: conversation.holds.iter().map(|hold| hold.since).min(),
            contacts: contacts(&conversation.stakeholder),
        }
    }
}

/// The stakeholder's contacts, in the form to look them up by.
pub fn contacts(stakeholder: &Stakeholder) -> Vec<(Channel, String)> {
    stakeholder
        .contacts
        .iter()
        .map(|contact| (contact.channel, contact.address.lookup_form()))
        .collect()
}

fn label(stakeholder: &Stakeholder) -> String {
    match (&stakeholder.name, stakeholder.contacts.first()) {
        (Some(name), _) if !name.trim().is_empty() => name.clone(),
        (_, Some(contact)) => contact.address.to_string(),
        _ => stakeholder.key.clone().unwrap_or_default(),
    }
}

/// The dedupe key of the input that registers a need.
pub fn registration_key(need: &NeedId) -> String {
    format!("register:{need}")
}

/// What comes after every dedupe key that begins with `prefix`, which ends with a colon: a semicolon
/// comes after a colon. So those keys are a range, and a unique index finds them.
pub fn beyond(prefix: &str) -> String {
    format!("{};", prefix.strip_suffix(':').unwrap_or(prefix))
}

/// The dedupe key of the input that says what became of a message. A message of unknown fate may be
/// tried again and end in the same way, so the number of tries is part of it.
pub fn dispatch_key(message: &MessageId, attempts: u32, fate: &Fate) -> String {
    format!("dispatch:{message}:{attempts}:{}", state_after(fate).name())
}

/// Where an outbox row stands after a fate.
pub fn state_after(fate: &Fate) -> OutboxState {
    match fate {
        Fate::Sent { .. } => OutboxState::Sent,
        Fate::Refused { .. } => OutboxState::Refused,
        Fate::Unknown { .. } => OutboxState::Unknown,
        Fate::Withdrawn { .. } => OutboxState::Withdrawn,
    }
}

/// What a fate leaves behind as the row's last error.
pub fn error_of(fate: &Fate) -> Option<String> {
    match fate {
        Fate::Sent { .. } => None,
        Fate::Refused { reason, .. } => Some(reason.clone()),
        Fate::Unknown { why } | Fate::Withdrawn { why } => Some(why.clone()),
    }
}

/// What is said of a message whose dispatcher died while it handed it over.
pub const DISPATCHER_DIED: &str = "the dispatcher stopped while it handed the message over";

impl OutboxState {
    /// The state's name, as it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Claimed => "claimed",
            Self::Transmitting => "transmitting",
            Self::Sent => "sent",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The state with this name.
    pub fn named(name: &str) -> Option<Self> {
        [
            Self::Queued,
            Self::Claimed,
            Self::Transmitting,
            Self::Sent,
            Self::Refused,
            Self::Unknown,
            Self::Withdrawn,
        ]
        .into_iter()
        .find(|state| state.name() == name)
    }

    /// Whether the row's story is over. A row of unknown fate may still be resolved.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Sent | Self::Refused | Self::Withdrawn)
    }
}

//! The state of a conversation: recorded facts only. What happens next is never among them; it is
//! computed from them by [`crate::phase`].

mod absence;
mod command;
mod hold;
mod ledger;
mod message;
mod operator;
mod owed;
mod proposal;

pub use absence::Absence;
pub use command::{Action, QuickAction, TakenOver};
pub use hold::{Hold, HoldReason};
pub use ledger::Ledger;
pub use message::{Author, MessageKind, Origin, Outgoing, Received, Sent, Thread};
pub use operator::{Guard, Guidance, Heard, IgnoredAction, Via};
pub use owed::{Owed, ReplyItem};
pub use proposal::{Proposal, WhichProposal};

use crate::{
    amendment::Amendment,
    id::{ConversationId, MessageId, NeedId, ReplyItemId, TenantId},
    need::{Need, NeedSlot, Registration, TranscriptEntry},
    policy::Policy,
    slot::{Confirm, Slot, SlotKey, Standing},
    stakeholder::{Channel, Stakeholder},
};
use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the document that this code writes. Older ones are upgraded on reading, newer
/// ones refused; see [`crate::journal::read_document`].
pub const FORMAT: u32 = 1;

/// Everything that decisions about one stakeholder rest on.
///
/// The document is bounded: it holds what is open, what was sent in the last seven days, and the
/// latest [`Conversation::MOST_SETTLED`] settled needs. What was said is in the messages' rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The version of this document's form.
    pub format: u32,
    /// The conversation's id.
    pub id: ConversationId,
    /// Whose it is.
    pub tenant: TenantId,
    /// How many operations have been applied.
    pub revision: u64,
    /// When it began.
    pub opened_at: Timestamp,
    /// The person.
    pub stakeholder: Stakeholder,
    /// What binds a reply to this conversation; unguessable.
    pub reply_token: String,
    /// The tenant's rules, as of the last input that brought them.
    pub policy: Policy,
    /// The mail thread.
    pub thread: Thread,
    /// The needs, by id, so by age.
    pub needs: BTreeMap<NeedId, Need>,
    /// The slots that they wait for.
    pub slots: BTreeMap<SlotKey, Slot>,
    /// Registrations, amendments and cancellations that have not been applied.
    pub need_operations: Vec<NeedOperation>,
    /// Earlier transcripts that have not been read.
    pub transcripts: Vec<Transcript>,
    /// Messages that have not been read.
    pub inbox: Vec<Received>,
    /// How the reading of what waits has gone so far.
    pub reading: ReadingAttempts,
    /// What the next message owes the person.
    pub reply_items: Vec<ReplyItem>,
    /// The ask ledger: every question in every message that was really sent.
    pub asks: Ledger,
    /// Messages of ours whose fate is not known yet.
    pub outgoing: Vec<Outgoing>,
    /// The messages that were really sent in the last seven days, oldest first.
    pub sent: Vec<Sent>,
    /// Silence before this instant counts for nothing: an operator looked at it and let the
    /// ladder begin again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chase_from: Option<Timestamp>,
    /// When the person is away, by what they or their mail program said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<Absence>,
    /// What keeps us from sending.
    pub holds: Vec<Hold>,
    /// The operator who has taken over, if one has.
    pub taken_over: Option<TakenOver>,
    /// Operators' commands that have not been run.
    pub quick_actions: Vec<QuickAction>,
    /// When an operator last did something here, or a snooze ended: holds count as unattended from
    /// then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attended_at: Option<Timestamp>,
    /// Standing instructions to the writers, oldest first; at most [`Guidance::MOST`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidance: Vec<Guidance>,
    /// The latest commands that changed nothing, oldest first; at most [`IgnoredAction::MOST`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredAction>,
}

impl Conversation {
    /// How many settled needs stay in the document, so that late answers find their slots.
    pub const MOST_SETTLED: usize = 50;

    /// The open needs, oldest first.
    pub fn open_needs(&self) -> impl Iterator<Item = (&NeedId, &Need)> {
        self.needs.iter().filter(|(_, need)| need.is_open())
    }

    /// Whether a hold stands over the whole conversation.
    pub fn is_held(&self) -> bool {
        self.holds.iter().any(|hold| hold.need.is_none())
    }

    /// The open needs that no hold of their own keeps from being asked about, oldest first.
    pub fn active_needs(&self) -> impl Iterator<Item = (&NeedId, &Need)> {
        self.open_needs().filter(|(id, _)| self.is_active(id))
    }

    /// Whether no hold stands over a need.
    pub fn is_active(&self, need: &NeedId) -> bool {
        let over_it = |hold: &Hold| hold.need.as_ref() == Some(need);
        !self.holds.iter().any(over_it)
    }

    /// Whether the person may be asked about a slot: some open need waits for it that is not held.
    pub fn may_be_asked(&self, slot: &SlotKey) -> bool {
        self.active_needs()
            .any(|(_, need)| need.slots.iter().any(|wanted| wanted.key == *slot))
    }

    /// Whether the next message may carry a reply item: it asks about nothing that is held.
    pub fn may_be_said(&self, item: &ReplyItem) -> bool {
        match &item.what {
            Owed::Clarification { slot, .. } | Owed::Confirmation { slot } => {
                self.may_be_asked(slot)
            }
            _ => true,
        }
    }

    /// The clock that the stakeholder lives by.
    pub fn zone(&self) -> TimeZone {
        self.stakeholder
            .zone
            .as_ref()
            .unwrap_or(&self.policy.zone)
            .rules()
    }

    /// Whether a slot's question stands in a message that was sent, or is on its way.
    pub fn is_asked(&self, slot: &SlotKey) -> bool {
        !self.asks.of(slot).is_empty()
            || self
                .outgoing
                .iter()
                .any(|message| message.asks.iter().any(|(asked, _)| asked == slot))
    }

    /// Whether the next message is to ask what an answer about a slot meant, or whether it was
    /// understood.
    pub fn owes_clarification(&self, slot: &SlotKey) -> bool {
        self.reply_items.iter().any(|item| match &item.what {
            Owed::Clarification { slot: asked, .. } | Owed::Confirmation { slot: asked } => {
                asked == slot
            }
            _ => false,
        })
    }

    /// The asks about a slot that count as it stands: of a value that waits to be confirmed, those
    /// that asked whether it is right.
    pub fn asks_about<'a>(&'a self, key: &'a SlotKey) -> impl Iterator<Item = &'a Ask> {
        let slot = self.slots.get(key);
        self.asks
            .of(key)
            .iter()
            .filter(move |ask| slot.is_none_or(|slot| ask.counts_for(&slot.standing)))
    }

    /// Whether the person has been asked whether a slot's value is right, in a message that was
    /// sent, or will have been by one that is on its way.
    pub fn is_confirmation_asked(&self, key: &SlotKey) -> bool {
        self.asks_about(key).any(|ask| ask.confirms)
            || self
                .outgoing
                .iter()
                .any(|message| message.confirms.contains(key))
    }

    /// When a slot's value has to be confirmed: of the open needs that wait for it, the strictest
    /// one's wish counts.
    pub fn confirmation_of(&self, key: &SlotKey) -> Confirm {
        self.open_needs()
            .flat_map(|(_, need)| &need.slots)
            .filter(|wanted| wanted.key == *key)
            .map(|wanted| wanted.confirm)
            .max()
            .unwrap_or_default()
    }

    /// Whether everything that a need's slot rests on is answered, so that it can be asked.
    pub fn is_ripe(&self, wanted: &NeedSlot) -> bool {
        wanted.depends_on.iter().all(|key| {
            self.slots
                .get(key)
                .is_none_or(|slot| !slot.standing.is_open())
        })
    }

    /// Whether a reply item is in a message that is on its way.
    pub fn is_on_its_way(&self, item: &ReplyItemId) -> bool {
        self.outgoing
            .iter()
            .any(|message| message.items.contains(item))
    }

    /// The open needs that wait for a slot, oldest first.
    pub fn waiting_for<'a>(
        &'a self,
        slot: &'a SlotKey,
    ) -> impl Iterator<Item = (&'a NeedId, &'a Need)> {
        self.open_needs()
            .filter(move |(_, need)| need.slots.iter().any(|wanted| wanted.key == *slot))
    }
}

/// A change to the set of needs, waiting to be applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum NeedOperation {
    /// A workflow registered a need.
    Register {
        /// What it asked for.
        registration: Box<Registration>,
        /// When.
        at: Timestamp,
    },
    /// A workflow changed a need.
    Amend {
        /// What of it.
        amendment: Box<Amendment>,
        /// When.
        at: Timestamp,
    },
    /// A workflow took a need back.
    Cancel {
        /// Which.
        need: NeedId,
        /// When.
        at: Timestamp,
    },
}

/// What a stakeholder said before Liaison knew them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// The need that brought it.
    pub need: NeedId,
    /// What they said, oldest first.
    pub entries: Vec<TranscriptEntry>,
    /// The operator who handed it over, when it was not the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// How the reading of the inbox, or of a transcript, has failed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingAttempts {
    /// How often in a row.
    pub failed: u32,
    /// Not to be tried again before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// What the last failure was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One question in one message that was really sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// What was asked.
    pub slot: SlotKey,
    /// In which message.
    pub message: MessageId,
    /// By which channel.
    pub channel: Channel,
    /// When it was handed over.
    pub at: Timestamp,
    /// Whether it was a reminder.
    pub reminder: bool,
    /// Whether it asked if a value that was understood is right.
    #[serde(default)]
    pub confirms: bool,
}

impl Ask {
    /// Whether it counts for its slot as that stands: of a value that waits to be confirmed, those
    /// that asked whether it is right.
    pub(crate) fn counts_for(&self, standing: &Standing) -> bool {
        match standing {
            Standing::Unconfirmed(candidate) => self.confirms && self.at >= candidate.as_of,
            _ => true,
        }
    }
}

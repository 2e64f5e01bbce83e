//! Messages of both sides, as far as decisions rest on them.

use super::ReplyItem;
use crate::{
    id::{MessageId, NeedId, ReplyItemId},
    slot::SlotKey,
    stakeholder::{Channel, EmailAddress},
    value::FileRef,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What keeps our messages in one thread of the person's mail program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The subject of the first message that was sent, without `Re:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Message-IDs of both sides, oldest first; at most [`Thread::MOST`].
    pub message_ids: Vec<String>,
}

impl Thread {
    /// Mail programs thread by the last few; RFC 5322, section 3.6.4 lets `References` be cut.
    pub const MOST: usize = 12;
}

/// A message from the stakeholder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// Our id for it.
    pub message: MessageId,
    /// How it came.
    pub channel: Channel,
    /// From which address.
    pub from: EmailAddress,
    /// Whether that address is one of the stakeholder's.
    pub origin: Origin,
    /// When we got it.
    pub received_at: Timestamp,
    /// When they wrote it: the mail's own date, unless that cannot be.
    pub written_at: Timestamp,
    /// The subject.
    pub subject: String,
    /// What they wrote, without quotes and signature; at most [`Received::MOST_TEXT`] bytes.
    pub text: String,
    /// What came with it.
    pub attachments: Vec<FileRef>,
    /// Whether a person wrote it.
    pub author: Author,
    /// The mail's Message-ID, with its angle brackets, for threading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport_id: Option<String>,
    /// The message of ours that it answers, when it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<MessageId>,
}

impl Received {
    /// A longer message goes to the operator's eyes in full and to the readers cut: nobody answers
    /// a question after 20,000 bytes.
    pub const MOST_TEXT: usize = 20_000;
}

/// Whether a message came from an address that we know to be the stakeholder's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It did.
    Known,
    /// It carries the conversation's token or thread, but comes from somebody else's address.
    Stranger,
}

/// Whether a person or a program wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person, as far as can be told.
    Person,
    /// A program: an absence note, a receipt. Never an answer, and never answered.
    Automatic,
}

/// A message of ours between the decision and its fate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outgoing {
    /// The message, and the outbox row.
    pub message: MessageId,
    /// By which channel.
    pub channel: Channel,
    /// To which address.
    pub to: EmailAddress,
    /// When it was decided.
    pub decided_at: Timestamp,
    /// What kind of message.
    pub kind: MessageKind,
    /// Its subject.
    pub subject: String,
    /// The questions in it, each with whether it was a reminder.
    pub asks: Vec<(SlotKey, bool)>,
    /// Those of them that ask whether a value is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirms: Vec<SlotKey>,
    /// The reply items in it.
    pub items: Vec<ReplyItemId>,
    /// The briefs in it: need, and place in its list.
    pub briefs: Vec<(NeedId, usize)>,
    /// The questions in it that were taken back after it was decided, with their words: should it
    /// go all the same, the person hears that they need no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_back: Vec<(SlotKey, String)>,
    /// Since when its fate is unknown, if the hand-over was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_since: Option<Timestamp>,
    /// Whether it was handed over a second time, because its fate was unknown and the policy says
    /// so. There is no third time.
    #[serde(default)]
    pub resent: bool,
}

/// What a message is for, in the order of the rules that send them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// It answers what the person wrote. It does not count against the gap and the cap.
    Reply,
    /// It asks something for the first time.
    Ask,
    /// It asks again.
    FollowUp,
}

/// A message that was really sent. Kept for seven days, for the cap and in case it comes back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// Which.
    pub message: MessageId,
    /// To which address.
    pub to: EmailAddress,
    /// When it was handed over.
    pub at: Timestamp,
    /// What for.
    pub kind: MessageKind,
    /// The reply items that it carried; owed again should it come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<ReplyItem>,
}

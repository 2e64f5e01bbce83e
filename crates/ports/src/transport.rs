//! Carrying messages out.

use async_trait::async_trait;
use liaison_core::{
    effect::OutboundMessage,
    stakeholder::{Channel, EmailAddress},
};
use serde::{Deserialize, Serialize};

/// Hands messages of one channel to the far side.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// The channel that it serves.
    fn channel(&self) -> Channel;

    /// Makes the exact bytes of a message. Pure: the same message gives the same bytes, and they
    /// are stored before anything is sent.
    fn compose(&self, message: &OutboundMessage) -> Result<Composed, ComposeFault>;

    /// Hands the bytes over. Just before the far side could take them, it calls
    /// [`Handover::point_of_no_return`]; when that says no, nothing may be sent.
    async fn deliver(&self, composed: &Composed, handover: &dyn Handover) -> Delivery;

    /// Looks whether a message whose fate is unknown was sent.
    async fn look_up(&self, composed: &Composed) -> Finding;

    /// Whether the far side can be reached with what is configured; the error says what to do.
    async fn check(&self) -> Result<(), String>;
}

/// A message as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Composed {
    /// The envelope's sender.
    pub from: EmailAddress,
    /// The envelope's only recipient: one of the stakeholder's contacts.
    pub to: EmailAddress,
    /// The id that the far side will know it by (`<...@...>` for mail), when it is ours to choose.
    pub transport_id: Option<String>,
    /// The bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A message that cannot be put into bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message cannot be composed: {0}")]
pub struct ComposeFault(pub String);

/// What the dispatcher makes durable at the point of no return.
#[async_trait]
pub trait Handover: Send + Sync {
    /// Records that from here on nobody can tell whether the message went, and returns whether it
    /// may go at all: it may have been recalled in the meantime.
    async fn point_of_no_return(&self) -> Result<(), Recalled>;
}

/// The message may not be sent any more, or that it may could not be made durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled;

/// What became of a hand-over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The far side took it.
    Sent,
    /// The far side did not take it, and may later.
    RefusedForNow {
        /// What it said, bounded.
        reason: String,
    },
    /// The far side will never take it.
    Refused {
        /// Whether it is the address that will never work.
        address_is_bad: bool,
        /// What it said, bounded.
        reason: String,
    },
    /// The connection died where nobody can tell.
    Unknown {
        /// What broke off.
        why: String,
    },
    /// Nothing was sent, because [`Handover::point_of_no_return`] said no.
    Recalled,
}

/// What looking for a message of unknown fate finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It was sent.
    Sent,
    /// It was not sent.
    NotSent,
    /// The transport has nowhere to look.
    CannotTell,
}

//! Messages on their way in, before it is known whose they are.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, MessageId, TenantId},
    stakeholder::{Channel, EmailAddress},
};

/// Turns the raw bytes of a mail into what the engine can match. Pure.
pub trait MailDecoder: Send + Sync + 'static {
    /// Decodes `raw`, which arrived at `received_at`, for the mailbox of `tenant`.
    fn decode(
        &self,
        tenant: &TenantId,
        raw: &[u8],
        received_at: Timestamp,
    ) -> Result<InboundMessage, Undecodable>;
}

/// The bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a readable message: {0}")]
pub struct Undecodable(pub String);

/// Takes inbound messages; the engine implements it, receivers call it.
#[async_trait]
pub trait Intake: Send + Sync + 'static {
    /// Stores the message, and returns once it is durable. A receiver acknowledges only then.
    async fn take(&self, message: InboundMessage) -> Result<Taken, IntakeFault>;

    /// Puts a message that was filed as unmatched into a conversation of its tenant, because an
    /// operator says so; it leaves the unmatched list. [`Taken::Duplicate`] when it had been taken
    /// in the meantime, [`Taken::Unmatched`] when it is nothing that the conversation could take.
    async fn assign(
        &self,
        message: InboundMessage,
        assignment: Assignment,
    ) -> Result<Taken, IntakeFault>;

    /// Files bytes that no decoder could read, so that a person can look at them.
    async fn file_undecodable(
        &self,
        tenant: &TenantId,
        raw: &[u8],
        why: &str,
        received_at: Timestamp,
    ) -> Result<Taken, IntakeFault>;
}

/// A message as it came in.
#[derive(Clone, Debug, PartialEq)]
pub struct InboundMessage {
    /// Whose mailbox it came to.
    pub tenant: TenantId,
    /// By which channel.
    pub channel: Channel,
    /// When we got it.
    pub received_at: Timestamp,
    /// The date that it carries.
    pub written_at: Option<Timestamp>,
    /// The sender, when it is one address that one could write to. A mail that names several
    /// authors has none: anybody can put a trusted name beside their own.
    pub from: Option<EmailAddress>,
    /// The sender as written, bounded, for a person to read.
    pub from_text: String,
    /// Reply tokens found in the addresses that it was sent to.
    pub tokens: Vec<String>,
    /// Message-IDs that it answers, the most specific first.
    pub references: Vec<String>,
    /// Its own Message-ID.
    pub transport_id: Option<String>,
    /// The subject.
    pub subject: String,
    /// What the person wrote, without quotes and signature.
    pub text: String,
    /// What came with it.
    pub attachments: Vec<InboundFile>,
    /// What it is.
    pub kind: InboundKind,
    /// The same for the same message, however often and by whatever route it comes.
    pub dedupe_key: String,
    /// The bytes, kept when the message matches nothing.
    pub raw: Vec<u8>,
}

/// An attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundFile {
    /// Its name, made safe.
    pub name: String,
    /// What its bytes say it is.
    pub media_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What an inbound message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboundKind {
    /// A person's, as far as can be told.
    Person,
    /// A program's: absence note, receipt, newsletter.
    Automatic,
    /// A report that a message of ours did not arrive.
    Bounce {
        /// The Message-ID of ours, when the report names it.
        original: Option<String>,
        /// The addresses that it says were not reached; empty when it names none.
        recipients: Vec<String>,
        /// Whether the address will never work.
        permanent: bool,
        /// What the far side said, bounded.
        reason: String,
    },
    /// A report that the person wants no more mail: a complaint that their provider passes on (RFC
    /// 5965), or their mail program's button.
    OptOut {
        /// The Message-ID of ours, when the report names it.
        original: Option<String>,
        /// What it says, in a sentence.
        reason: String,
    },
}

/// An operator's word on whose a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The filed message.
    pub unmatched: MessageId,
    /// The conversation that it belongs to.
    pub conversation: ConversationId,
    /// Whether the operator knows that the stakeholder wrote it, whatever address it came from.
    pub from_stakeholder: bool,
    /// When they said so.
    pub at: Timestamp,
}

/// Where a message went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Into a conversation.
    Matched(ConversationId),
    /// It had been taken before.
    Duplicate,
    /// Into the unmatched list.
    Unmatched,
}

/// The message could not be stored; it must be offered again.
#[derive(Debug, thiserror::Error)]
#[error("an inbound message could not be stored")]
pub struct IntakeFault(#[source] pub crate::store::StoreError);

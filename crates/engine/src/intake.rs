//! Taking in what arrives: whose is it, and is it from whom it should be?

use crate::{Hub, Parts};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    conversation::{Author, Origin, Received},
    id::{BlobId, ConversationId, Ids, MessageId, TenantId},
    input::Input,
    stakeholder::EmailAddress,
    value::FileRef,
};
use liaison_ports::{
    inbound::{Assignment, InboundFile, InboundKind, InboundMessage, Intake, IntakeFault, Taken},
    store::{Appended, Direction, MessageRow, NewInput, NewMessage, StoreError, Unmatched},
};
use sha2::{Digest, Sha256};

/// A mail's own date is believed when it is this much older than its arrival at most: mail servers
/// give up after about five days (RFC 5321, section 4.5.4.1).
const OLDEST_DATE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Clocks differ by this much at most before a date is not believed.
const CLOCK_DIFFERENCE: SignedDuration = SignedDuration::from_mins(5);

/// Recipients of a report that are looked at. A message of ours has one; a report that names more
/// is about a mailing list, or made up.
const MOST_REPORTED: usize = 20;

/// How far back the latest message of ours is looked for, when a bounce does not name it.
const LATEST_MESSAGES: u32 = 20;

/// Why a message is filed that nobody can be said to have sent.
const NO_SENDER: &str = "it does not name one sender that can be written to";

/// The engine's [`Intake`].
#[derive(Clone)]
pub struct EngineIntake {
    parts: Parts,
    hub: Hub,
}

impl EngineIntake {
    pub(crate) fn new(parts: Parts, hub: Hub) -> Self {
        Self { parts, hub }
    }
}

/// Whose a message is.
enum Match {
    Conversation {
        id: ConversationId,
        answers: Option<MessageId>,
    },
    None(&'static str),
}

#[async_trait]
impl Intake for EngineIntake {
    async fn take(&self, message: InboundMessage) -> Result<Taken, IntakeFault> {
        let taken = self.store(message).await.map_err(IntakeFault)?;
        if matches!(taken, Taken::Matched(_)) {
            self.hub.work_arrived();
        }
        Ok(taken)
    }

    async fn assign(
        &self,
        message: InboundMessage,
        assignment: Assignment,
    ) -> Result<Taken, IntakeFault> {
        let id = assignment.conversation.clone();
        let taken = self
            .put_into(message, id, None, Some(assignment))
            .await
            .map_err(IntakeFault)?;
        if matches!(taken, Taken::Matched(_)) {
            self.hub.work_arrived();
        }
        Ok(taken)
    }

    async fn file_undecodable(
        &self,
        tenant: &TenantId,
        raw: &[u8],
        why: &str,
        received_at: Timestamp,
    ) -> Result<Taken, IntakeFault> {
        let unmatched = Unmatched {
            id: MessageId::new(self.ids(received_at).draw()),
            tenant: tenant.clone(),
            dedupe_key: format!("undecodable:{:x}", Sha256::digest(raw)),
            at: received_at,
            from: String::new(),
            subject: String::new(),
            why: format!("it cannot be read: {why}"),
            raw: raw.to_vec(),
        };
        self.file(unmatched).await.map_err(IntakeFault)
    }
}

impl EngineIntake {
    fn ids(&self, at: Timestamp) -> Ids {
        Ids::new(at, self.parts.entropy.draw())
    }

    async fn store(&self, message: InboundMessage) -> Result<Taken, StoreError> {
        let (id, answers) = match self.whose(&message).await? {
            Match::Conversation { id, answers } => (id, answers),
            Match::None(why) => return self.file_as_unmatched(message, why).await,
        };
        self.put_into(message, id, answers, None).await
    }

    /// Puts a message into a conversation that it answers something of, or that an operator says
    /// it belongs to. What cannot become an input of it is filed, if it is not already.
    async fn put_into(
        &self,
        message: InboundMessage,
        id: ConversationId,
        answers: Option<MessageId>,
        assignment: Option<Assignment>,
    ) -> Result<Taken, StoreError> {
        let assigned = assignment.is_some();
        let refused = |message: InboundMessage, why: &'static str| async move {
            match assigned {
                true => Ok(Taken::Unmatched),
                false => self.file_as_unmatched(message, why).await,
            }
        };
        if let InboundKind::Bounce {
            permanent,
            reason,
            recipients,
            ..
        } = &message.kind
        {
            if !recipients.is_empty() && !self.names_a_contact(&message, &id, recipients).await? {
                let why = "a bounce from addresses that are none of this person's";
                return refused(message, why).await;
            }
            let answers = match answers {
                Some(answers) => Some(answers),
                None => self.latest_of_ours(&message.tenant, &id).await?,
            };
            let Some(bounced) = answers else {
                return refused(message, "a bounce of no message of ours").await;
            };
            let input = Input::Bounced {
                message: bounced,
                permanent: *permanent,
                reason: reason.clone(),
            };
            let from = message.from_text.clone();
            let message_id = MessageId::new(self.ids(message.received_at).draw());
            let source = Source::of(message, assignment);
            return self
                .append(source, id, message_id, from, Vec::new(), input)
                .await;
        }
        if let InboundKind::OptOut { reason, .. } = &message.kind {
            let message_id = MessageId::new(self.ids(message.received_at).draw());
            let input = Input::OptedOut {
                message: message_id.clone(),
                why: reason.clone(),
            };
            let from = message.from_text.clone();
            let source = Source::of(message, assignment);
            return self
                .append(source, id, message_id, from, Vec::new(), input)
                .await;
        }
        let vouched = assignment.as_ref().is_some_and(|it| it.from_stakeholder);
        let sender = match message.from.clone() {
            None if vouched => self.first_contact(&message.tenant, &id).await?,
            from => from,
        };
        let Some(from) = sender else {
            return refused(message, NO_SENDER).await;
        };
        let known = vouched || self.is_a_contact(&message, &id, &from).await?;
        let origin = match known {
            true => Origin::Known,
            false => Origin::Stranger,
        };
        let source = Source::of(message, assignment);
        self.append_received(source, id, origin, from, answers)
            .await
    }

    /// By token, then by what it answers, then by its sender. A bounce's sender says nothing:
    /// whoever can write a mail can write a report in anybody's name, and only our own Message-ID
    /// or token shows that a message of ours came to it.
    async fn whose(&self, message: &InboundMessage) -> Result<Match, StoreError> {
        let store = &self.parts.store;
        let tenant = &message.tenant;
        let mut references = message.references.clone();
        if let InboundKind::Bounce {
            original: Some(original),
            ..
        }
        | InboundKind::OptOut {
            original: Some(original),
            ..
        } = &message.kind
        {
            references.insert(0, original.clone());
        }
        let answered = store.by_transport_id(tenant, &references).await?;
        for token in &message.tokens {
            if let Some(id) = store.by_token(tenant, token).await? {
                let answers = answered
                    .filter(|(of, _)| *of == id)
                    .map(|(_, message)| message);
                return Ok(Match::Conversation { id, answers });
            }
        }
        if let Some((id, answers)) = answered {
            return Ok(Match::Conversation {
                id,
                answers: Some(answers),
            });
        }
        if matches!(message.kind, InboundKind::Bounce { .. }) {
            return Ok(Match::None("a bounce that names no message of ours"));
        }
        let Some(from) = &message.from else {
            return Ok(Match::None(NO_SENDER));
        };
        let with_sender = store
            .by_address(tenant, message.channel, from, true)
            .await?;
        Ok(match with_sender.as_slice() {
            [one] => Match::Conversation {
                id: one.clone(),
                answers: None,
            },
            [] => Match::None("nobody is waiting for a message from this sender"),
            _ => Match::None(
                "the sender has several open conversations, and it answers none of them",
            ),
        })
    }

    async fn append_received(
        &self,
        source: Source,
        id: ConversationId,
        origin: Origin,
        from: EmailAddress,
        answers: Option<MessageId>,
    ) -> Result<Taken, StoreError> {
        let message = &source.message;
        let mut ids = self.ids(message.received_at);
        let message_id = MessageId::new(ids.draw());
        let files: Vec<_> = message
            .attachments
            .iter()
            .map(|file| (BlobId::new(ids.draw()), file.clone()))
            .collect();
        let attachments = files
            .iter()
            .map(|(blob, file)| FileRef {
                blob: blob.clone(),
                name: file.name.clone(),
                media_type: file.media_type.clone(),
                size: file.bytes.len() as u64,
            })
            .collect();
        let author = match message.kind {
            InboundKind::Person => Author::Person,
            InboundKind::Automatic | InboundKind::Bounce { .. } | InboundKind::OptOut { .. } => {
                Author::Automatic
            }
        };
        let received = Received {
            message: message_id.clone(),
            channel: message.channel,
            from: from.clone(),
            origin,
            received_at: message.received_at,
            written_at: believable(message.written_at, message.received_at),
            subject: message.subject.clone(),
            text: bounded(&message.text),
            attachments,
            author,
            transport_id: message.transport_id.clone(),
            answers,
        };
        let input = Input::MessageReceived(Box::new(received));
        let address = from.to_string();
        self.append(source, id, message_id, address, files, input)
            .await
    }

    async fn append(
        &self,
        source: Source,
        conversation: ConversationId,
        id: MessageId,
        address: String,
        files: Vec<(BlobId, InboundFile)>,
        input: Input,
    ) -> Result<Taken, StoreError> {
        let Source {
            message,
            was_unmatched,
            at,
        } = source;
        let assigned = was_unmatched.is_some();
        let row = MessageRow {
            id,
            conversation: conversation.clone(),
            direction: Direction::Inbound,
            channel: message.channel,
            at: message.received_at,
            address,
            subject: message.subject.clone(),
            text: bounded(&message.text),
            transport_id: message.transport_id.clone(),
        };
        let new = NewMessage {
            input: NewInput {
                conversation: conversation.clone(),
                dedupe_key: message.dedupe_key.clone(),
                at,
                input,
            },
            row,
            files,
            was_unmatched,
        };
        match self.parts.store.receive(new).await? {
            Appended::At(_) => Ok(Taken::Matched(conversation)),
            Appended::Duplicate => Ok(Taken::Duplicate),
            Appended::NoConversation if assigned => Ok(Taken::Unmatched),
            Appended::NoConversation => {
                self.file_as_unmatched(message, "its conversation no longer exists")
                    .await
            }
        }
    }

    /// Whether an address is one of the conversation's person. The store's table of contacts says
    /// so; the document, which says it too, would have to be read as a whole.
    async fn is_a_contact(
        &self,
        message: &InboundMessage,
        conversation: &ConversationId,
        address: &EmailAddress,
    ) -> Result<bool, StoreError> {
        let store = &self.parts.store;
        let with_address = store
            .by_address(&message.tenant, message.channel, address, false)
            .await?;
        Ok(with_address.contains(conversation))
    }

    /// Whether a report is about an address of the conversation's person.
    async fn names_a_contact(
        &self,
        message: &InboundMessage,
        conversation: &ConversationId,
        recipients: &[String],
    ) -> Result<bool, StoreError> {
        for recipient in recipients.iter().take(MOST_REPORTED) {
            if let Ok(address) = EmailAddress::parse(recipient)
                && self.is_a_contact(message, conversation, &address).await?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The address that a person whom an operator vouches for is known by.
    async fn first_contact(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<EmailAddress>, StoreError> {
        let row = self.parts.store.conversation(tenant, conversation).await?;
        let contacts = row.map(|row| row.document.stakeholder.contacts);
        Ok(contacts
            .into_iter()
            .flatten()
            .next()
            .map(|contact| contact.address))
    }

    async fn latest_of_ours(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<MessageId>, StoreError> {
        let messages = self
            .parts
            .store
            .transcript(tenant, conversation, LATEST_MESSAGES)
            .await?;
        Ok(messages
            .into_iter()
            .rev()
            .find(|message| message.direction == Direction::Outbound)
            .map(|message| message.id))
    }

    async fn file_as_unmatched(
        &self,
        message: InboundMessage,
        why: &str,
    ) -> Result<Taken, StoreError> {
        let unmatched = Unmatched {
            id: MessageId::new(self.ids(message.received_at).draw()),
            tenant: message.tenant,
            dedupe_key: message.dedupe_key,
            at: message.received_at,
            from: message.from_text,
            subject: message.subject,
            why: why.to_owned(),
            raw: message.raw,
        };
        self.file(unmatched).await
    }

    async fn file(&self, unmatched: Unmatched) -> Result<Taken, StoreError> {
        tracing::info!(message = %unmatched.id, why = unmatched.why, "a message matches nothing");
        Ok(match self.parts.store.file_unmatched(unmatched).await? {
            Appended::Duplicate => Taken::Duplicate,
            Appended::At(_) | Appended::NoConversation => Taken::Unmatched,
        })
    }
}

/// A message on its way into a conversation.
struct Source {
    message: InboundMessage,
    /// The filed message that it was.
    was_unmatched: Option<MessageId>,
    /// When it becomes an input: when it came, or when an operator assigned it.
    at: Timestamp,
}

impl Source {
    fn of(message: InboundMessage, assignment: Option<Assignment>) -> Self {
        match assignment {
            Some(assignment) => Self {
                was_unmatched: Some(assignment.unmatched),
                at: assignment.at,
                message,
            },
            None => Self {
                was_unmatched: None,
                at: message.received_at,
                message,
            },
        }
    }
}

/// The mail's own date, when it can be true; what people write is relative to it.
fn believable(written_at: Option<Timestamp>, received_at: Timestamp) -> Timestamp {
    let earliest = received_at
        .checked_sub(OLDEST_DATE)
        .unwrap_or(Timestamp::MIN);
    let latest = received_at
        .checked_add(CLOCK_DIFFERENCE)
        .unwrap_or(Timestamp::MAX);
    written_at
        .filter(|written| (earliest..=latest).contains(written))
        .unwrap_or(received_at)
}

fn bounded(text: &str) -> String {
    let mut end = text.len().min(Received::MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

//! A mail that came in, as the engine matches it.

use super::{
    compose::clean::message_id,
    inbound::{
        self, Address, Attachment, Class, DeliveryOutcome, DeliveryReport, FeedbackKind,
        InboundEmail,
    },
    remark::remark,
    subaddress,
};
use jiff::Timestamp;
use liaison_core::{
    conversation::Received,
    id::TenantId,
    stakeholder::{Channel, EmailAddress},
};
use liaison_ports::inbound::{InboundFile, InboundKind, InboundMessage, MailDecoder, Undecodable};
use sha2::{Digest, Sha256};

/// Reads mail that came to one mailbox, by whatever route.
#[derive(Clone, Debug)]
pub struct EmailDecoder {
    mailbox: EmailAddress,
}

impl EmailDecoder {
    /// A decoder for the mailbox whose sub-addresses carry the reply tokens.
    pub fn new(mailbox: EmailAddress) -> Self {
        Self { mailbox }
    }
}

/// Tokens of one mail. A reply has one; a person can answer two threads in one mail.
const MOST_TOKENS: usize = 10;
/// Message-IDs that a mail is looked up by; the newest come first.
const MOST_REFERENCES: usize = 20;
/// Characters of a subject.
const MOST_SUBJECT: usize = 250;
/// Addresses of one report. A mail of ours has one recipient; a forward of it can have some.
const MOST_RECIPIENTS: usize = 20;
/// Attachments that are taken over, and their bytes in all: what large providers let through.
const MOST_FILES: usize = 25;
const MOST_FILE_BYTES: usize = 25 * 1024 * 1024;

impl MailDecoder for EmailDecoder {
    fn decode(
        &self,
        tenant: &TenantId,
        raw: &[u8],
        received_at: Timestamp,
    ) -> Result<InboundMessage, Undecodable> {
        let mail = inbound::parse(raw).map_err(|fault| Undecodable(fault.to_string()))?;
        let from = mail.from.as_ref().filter(|_| !mail.several_authors);
        Ok(InboundMessage {
            tenant: tenant.clone(),
            channel: Channel::Email,
            received_at,
            written_at: mail.date.map(|date| date.instant),
            from: from.and_then(|from| EmailAddress::parse(&from.address).ok()),
            from_text: from_text(&mail),
            tokens: self.tokens(&mail),
            references: references(&mail),
            transport_id: mail.message_id.as_deref().and_then(message_id),
            subject: mail.subject.chars().take(MOST_SUBJECT).collect(),
            text: cut(&mail.visible.text, Received::MOST_TEXT).to_owned(),
            kind: self.kind(&mail),
            dedupe_key: dedupe_key(&mail, raw),
            attachments: files(mail.attachments),
            raw: raw.to_vec(),
        })
    }
}

impl EmailDecoder {
    fn tokens(&self, mail: &InboundEmail) -> Vec<String> {
        let written = mail.to.iter().chain(&mail.cc);
        let addresses = written
            .map(|to| to.address.as_str())
            // What servers noted on delivery also names us when we were in Bcc, and in bounces.
            .chain(mail.delivered_to.iter().map(String::as_str));
        let mut tokens: Vec<String> = Vec::new();
        for token in addresses.filter_map(|address| subaddress::token_in(&self.mailbox, address)) {
            if tokens.len() < MOST_TOKENS && !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        tokens
    }

    fn kind(&self, mail: &InboundEmail) -> InboundKind {
        match &mail.class {
            Class::Bounce(report) => bounce(report),
            Class::FeedbackReport {
                kind: kind @ (FeedbackKind::Abuse | FeedbackKind::OptOut),
                original_message_id,
            } => InboundKind::OptOut {
                original: original_message_id.as_deref().and_then(message_id),
                reason: match kind {
                    FeedbackKind::Abuse => "they reported a message of ours as unwanted",
                    _ => "their mail program asks for no more messages",
                }
                .to_owned(),
            },
            Class::AutomaticReply { .. }
            | Class::Delivered(_)
            | Class::ListOrBulk
            | Class::FeedbackReport { .. } => InboundKind::Automatic,
            // No person writes from our own mailbox: a forward or an alias sent our mail back.
            Class::Person if self.is_from_us(mail) => InboundKind::Automatic,
            Class::Person => InboundKind::Person,
        }
    }

    fn is_from_us(&self, mail: &InboundEmail) -> bool {
        [&mail.from, &mail.sender]
            .into_iter()
            .flatten()
            .any(|from| subaddress::is_ours(&self.mailbox, &from.address))
    }
}

/// What a report means for the one recipient that a mail of ours has.
fn bounce(report: &DeliveryReport) -> InboundKind {
    let failed: Vec<_> = report
        .recipients
        .iter()
        .filter(|recipient| recipient.outcome == DeliveryOutcome::Failed)
        .collect();
    // A server that still tries has not given up: the mail may arrive.
    if failed.is_empty() && !report.recipients.is_empty() {
        return InboundKind::Automatic;
    }
    let said: Vec<String> = failed
        .iter()
        .map(|recipient| {
            let status = recipient.status.as_deref().unwrap_or_default();
            if recipient.diagnostic.contains(status) {
                recipient.diagnostic.clone()
            } else {
                format!("{status} {}", recipient.diagnostic)
            }
        })
        .collect();
    let reason = remark(&said.join("; "));
    InboundKind::Bounce {
        original: report.original_message_id.as_deref().and_then(message_id),
        recipients: failed
            .iter()
            .filter(|recipient| !recipient.address.is_empty())
            .take(MOST_RECIPIENTS)
            .map(|recipient| recipient.address.clone())
            .collect(),
        permanent: failed.iter().any(|recipient| recipient.hard),
        reason: if reason.is_empty() {
            "the report gives no reason".to_owned()
        } else {
            reason
        },
    }
}

fn from_text(mail: &InboundEmail) -> String {
    let written = |address: &Address| match &address.name {
        Some(name) => format!("{name} <{}>", address.address),
        None => address.address.clone(),
    };
    let text = mail
        .from
        .as_ref()
        .or(mail.sender.as_ref())
        .map(written)
        .or_else(|| mail.return_path.clone())
        .unwrap_or_default();
    remark(&text)
}

/// What the mail answers, the most specific first: In-Reply-To, then References from the newest.
fn references(mail: &InboundEmail) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let written = mail.in_reply_to.iter().chain(mail.references.iter().rev());
    for id in written.filter_map(|id| message_id(id)) {
        if ids.len() < MOST_REFERENCES && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Over what survives every route. Two mails without Message-ID and date can hold the same word
/// and be two answers; of those every byte counts.
fn dedupe_key(mail: &InboundEmail, raw: &[u8]) -> String {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    if mail.message_id.is_none() && mail.date.is_none() {
        field(raw);
    } else {
        let from = mail.from.as_ref().map(|from| from.address.to_lowercase());
        let date = mail.date.map(|date| date.instant.as_second().to_string());
        field(mail.message_id.as_deref().unwrap_or_default().as_bytes());
        field(from.unwrap_or_default().as_bytes());
        field(date.unwrap_or_default().as_bytes());
        field(mail.visible.text.as_bytes());
    }
    let digest = hash.finalize();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("email:{hex}")
}

/// The attachments that are taken over: those that were attached before those that are shown in
/// the text, because a signature's logo must not crowd out a contract.
fn files(attachments: Vec<Attachment>) -> Vec<InboundFile> {
    let (shown, attached): (Vec<_>, Vec<_>) = attachments.into_iter().partition(|file| file.inline);
    let mut room = MOST_FILE_BYTES;
    attached
        .into_iter()
        .chain(shown)
        .filter(|file| {
            let fits = file.bytes.len() <= room;
            if fits {
                room -= file.bytes.len();
            }
            fits
        })
        .take(MOST_FILES)
        .map(|file| InboundFile {
            media_type: media_type(&file.media_type, file.sniffed).to_owned(),
            name: file.file_name,
            bytes: file.bytes,
        })
        .collect()
}

/// What the bytes say; of formats that live in a container, the container is all that they say.
fn media_type<'a>(declared: &'a str, sniffed: Option<&'static str>) -> &'a str {
    let inside: &[&str] = match sniffed {
        None => return declared,
        Some("application/zip") => &[
            "application/vnd.openxmlformats-officedocument.",
            "application/vnd.oasis.opendocument.",
            "application/epub+zip",
        ],
        Some("application/x-ole-storage") => &[
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            "application/vnd.ms-outlook",
        ],
        Some(sniffed) => return sniffed,
    };
    if inside.iter().any(|kind| declared.starts_with(kind)) {
        declared
    } else {
        sniffed.unwrap_or(declared)
    }
}

/// The beginning of `text`, at most `most` bytes, never half a character.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

//! Mail that came in: raw bytes to what a person wrote, or to what kind of
//! automatic mail it is. Pure: no input or output, no clock.
//!
//! [`parse`] is the only entry. It is total: every sequence of bytes gives an
//! [`InboundEmail`] or says why there is none, in time and memory proportional
//! to the bytes it looks at (see `limits`).

mod attachment;
mod body;
mod charset;
mod class;
mod header;
mod html;
mod limits;
mod line;
mod mime;
mod transfer;
mod visible;

use jiff::Timestamp;

pub use self::attachment::Attachment;
use self::body::Body;
pub use self::class::{
    AutomaticKind, Class, DeliveryOutcome, DeliveryReport, FeedbackKind, ReportedRecipient,
};
use self::header::Headers;
pub use self::visible::{Visible, visible};

/// A mailbox as the sender wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The display name, decoded; `None` when there is none.
    pub name: Option<String>,
    /// `local@domain`, as written; never empty, without blanks or brackets.
    pub address: String,
}

/// When a mail says it was sent, with the sender's own offset: "tomorrow" is
/// meant in the sender's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentAt {
    /// The instant.
    pub instant: Timestamp,
    /// Seconds east of Greenwich.
    pub offset_seconds: i32,
}

/// A mail that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct InboundEmail {
    /// Without its angle brackets.
    pub message_id: Option<String>,
    /// The author; the first one when there are several.
    pub from: Option<Address>,
    /// `From` names more than one address, or stands there more than once, which RFC 5322,
    /// section 3.6 forbids. Nobody vouches for the first author then: a server that checked the
    /// mail may have looked at another.
    pub several_authors: bool,
    /// Where the author wants answers.
    pub reply_to: Option<Address>,
    /// Who sent it on the author's behalf.
    pub sender: Option<Address>,
    /// `Return-Path`: `Some("")` for the null path of automatic mail.
    pub return_path: Option<String>,
    /// `To`.
    pub to: Vec<Address>,
    /// `Cc`.
    pub cc: Vec<Address>,
    /// The addresses that mail servers noted on delivery: `Delivered-To`,
    /// `X-Original-To`, `Envelope-To`, in that order.
    pub delivered_to: Vec<String>,
    /// Decoded, on one line; empty when there is none.
    pub subject: String,
    /// `Date`, unless it is missing or impossible. It is the sender's claim.
    pub date: Option<SentAt>,
    /// Message ids, without angle brackets.
    pub in_reply_to: Vec<String>,
    /// Message ids, without angle brackets, oldest first.
    pub references: Vec<String>,
    /// The whole text: plain text, or what a reader of the HTML sees.
    pub text: String,
    /// What the person wrote in this very message.
    pub visible: Visible,
    /// In the order of the message.
    pub attachments: Vec<Attachment>,
    /// What kind of mail it is.
    pub class: Class,
    /// Something lay beyond the limits and was left out.
    pub truncated: bool,
}

/// Why a mail could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There is nothing, or nothing but blanks.
    #[error("the message is empty")]
    Empty,
    /// It does not begin with a single header: not a mail.
    #[error("the message does not start with a header section")]
    NoHeader,
}

/// Parses raw RFC 5322 bytes. Whatever is malformed is read as well as it can
/// be; of what exceeds the limits, the beginning is read.
///
/// # Errors
///
/// [`Unreadable`] when there is nothing to read at all.
pub fn parse(raw: &[u8]) -> Result<InboundEmail, Unreadable> {
    if raw.iter().all(u8::is_ascii_whitespace) {
        return Err(Unreadable::Empty);
    }
    let within = &raw[..raw.len().min(limits::MAX_MESSAGE_BYTES)];
    let (root, parts_left_out) = mime::read(within);
    if root.headers.is_empty() {
        return Err(Unreadable::NoHeader);
    }
    let mut body = Body::of(&root);
    let text_cut = line::limit(&mut body.lines);
    let text = line::join(&body.lines);
    let headers = &root.headers;
    let mut authors = headers.addresses("from").into_iter();
    let from = authors.next();
    let several_authors = headers.all("from").nth(1).is_some()
        || from.as_ref().is_some_and(|first| {
            authors.any(|other| !other.address.eq_ignore_ascii_case(&first.address))
        });
    let visible = visible::of_lines(&body.lines, from.as_ref());
    let class = class::classify(&root, &text);
    Ok(InboundEmail {
        message_id: headers.message_ids("message-id").into_iter().next(),
        reply_to: headers.addresses("reply-to").into_iter().next(),
        sender: headers.addresses("sender").into_iter().next(),
        return_path: return_path(headers),
        to: headers.addresses("to"),
        cc: headers.addresses("cc"),
        delivered_to: ["delivered-to", "x-original-to", "envelope-to"]
            .iter()
            .flat_map(|name| headers.bare_addresses(name))
            .take(limits::MAX_ADDRESSES)
            .collect(),
        subject: headers.phrase("subject"),
        date: headers.date(),
        in_reply_to: headers.message_ids("in-reply-to"),
        references: headers.message_ids("references"),
        from,
        several_authors,
        text,
        visible,
        attachments: body.attachments,
        class,
        truncated: parts_left_out || text_cut || body.truncated || within.len() < raw.len(),
    })
}

fn return_path(headers: &Headers) -> Option<String> {
    let value = headers.first("return-path")?.trim();
    Some(value.trim_matches(['<', '>']).trim().to_owned())
}

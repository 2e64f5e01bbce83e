//! The exact bytes of a message.
//!
//! Pure and deterministic: one `text/plain` part, so no boundary; quoted-printable whatever the
//! text is, so that no server has to re-encode it and no line is long; the date and the ids come
//! from the message. The bytes are what is stored, sent and, should nobody know what became of
//! them, looked for.

pub(super) mod clean;

use self::clean::{body, message_id, one_line};
use super::subaddress;
use lettre::{
    Address,
    message::{
        Body, Mailbox, Message, SinglePart,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};
use liaison_core::{effect::OutboundMessage, stakeholder::EmailAddress};
use liaison_ports::transport::{ComposeFault, Composed};
use serde::Deserialize;
use std::time::{Duration, SystemTime};

/// Whose name mail goes out under, and the mailbox that answers come back to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sender {
    /// The display name in `From`; none shows the bare address.
    #[serde(default)]
    pub name: Option<String>,
    /// The mailbox: `From`, and with a token in it `Reply-To`.
    pub mailbox: EmailAddress,
    /// Whether the envelope's sender carries the token too, so that a bounce that names no
    /// Message-ID still finds its conversation. Turn it off for a server that lets an account send
    /// as exactly its own address.
    #[serde(default = "yes")]
    pub tagged_envelope: bool,
}

fn yes() -> bool {
    true
}

/// Characters of a subject; mail programs show about 80.
const MOST_SUBJECT: usize = 250;
/// Characters of a person's name.
const MOST_NAME: usize = 100;
/// Message-IDs in `References`. RFC 5322, section 3.6.4 sets no limit; mail programs thread by the
/// last few.
const MOST_REFERENCES: usize = 20;

/// Composes `message` as mail from `sender`.
pub(super) fn compose(
    sender: &Sender,
    message: &OutboundMessage,
) -> Result<Composed, ComposeFault> {
    let mailbox = &sender.mailbox;
    let plan = &message.plan;
    let reply_to = subaddress::with_token(mailbox, &message.reply_token)
        .map_err(|fault| ComposeFault(format!("its reply token makes no address: {fault}")))?;
    let domain = address(mailbox)?.domain().to_owned();
    let id = message_id(&format!("{}@{domain}", message.id))
        .ok_or_else(|| ComposeFault("its id makes no Message-ID".to_owned()))?;
    let references = newest(
        plan.references
            .iter()
            .filter_map(|id| message_id(id))
            .collect(),
    );

    let mut builder = Message::builder()
        .date(date(message)?)
        .from(Mailbox::new(
            name(sender.name.as_deref()),
            address(mailbox)?,
        ))
        .to(Mailbox::new(name(plan.name.as_deref()), address(&plan.to)?))
        .reply_to(Mailbox::new(None, address(&reply_to)?))
        .subject(one_line(&message.draft.subject, MOST_SUBJECT))
        .message_id(Some(id.clone()));
    if let Some(last) = references.last() {
        builder = builder
            .in_reply_to(last.clone())
            .references(references.join(" "));
    }
    let text = Body::new_with_encoding(
        body(&message.draft.body),
        ContentTransferEncoding::QuotedPrintable,
    )
    .map_err(|_| ComposeFault("its text cannot be encoded".to_owned()))?;
    let mail = builder
        // RFC 3834, section 5: keeps auto-responders from answering.
        .raw_header(header("Auto-Submitted", "auto-generated"))
        // The same for Exchange, which looks at this one only.
        .raw_header(header("X-Auto-Response-Suppress", "All"))
        .singlepart(
            SinglePart::builder()
                .header(ContentType::TEXT_PLAIN)
                .body(text),
        )
        .map_err(|fault| ComposeFault(fault.to_string()))?;

    Ok(Composed {
        from: if sender.tagged_envelope {
            reply_to
        } else {
            mailbox.clone()
        },
        to: plan.to.clone(),
        transport_id: Some(id),
        bytes: mail.formatted(),
    })
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

fn name(text: Option<&str>) -> Option<String> {
    text.map(|text| one_line(text, MOST_NAME))
        .filter(|name| !name.is_empty())
}

/// An address as lettre wants it. Letters beyond ASCII need a server that speaks SMTPUTF8
/// (RFC 6531) all the way to the recipient, which nobody can tell beforehand.
pub(super) fn address(address: &EmailAddress) -> Result<Address, ComposeFault> {
    if !address.as_str().is_ascii() {
        return Err(ComposeFault(format!(
            "{address} has letters beyond ASCII, which mail servers do not carry reliably"
        )));
    }
    address
        .as_str()
        .parse()
        .map_err(|fault| ComposeFault(format!("{address} is not a mail address: {fault}")))
}

/// The instant of the decision, in whole seconds. The header's format has four digits for the
/// year and begins with 1970.
fn date(message: &OutboundMessage) -> Result<SystemTime, ComposeFault> {
    const YEAR_10_000: u64 = 253_402_300_800;
    u64::try_from(message.at.as_second())
        .ok()
        .filter(|seconds| *seconds < YEAR_10_000)
        .map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        .ok_or_else(|| ComposeFault(format!("its date {} cannot be written", message.at)))
}

/// The first, which is the thread's own, and the newest ones.
fn newest(mut ids: Vec<String>) -> Vec<String> {
    if ids.len() > MOST_REFERENCES {
        ids.drain(1..=ids.len() - MOST_REFERENCES);
    }
    ids
}

#[cfg(test)]
mod tests;

//! The mail of a run: the daemon's, as the landlord's mailbox has it, and the landlord's answer.

use super::daemon::OFFICE;
use anyhow::{Context, Result};
use liaison_channels::email::{SinkMessage, inbound};
use liaison_client::MessageId;

/// The landlord's address.
pub(crate) const LANDLORD: &str = "landlord@example.com";
/// The landlord's words.
pub(crate) const WORDS: &str = "Please arrange it for me.";
/// What only thanks say.
const THANKS: &str = "Thank you. I have noted";

pub(crate) fn are_thanks(message: &SinkMessage) -> bool {
    String::from_utf8_lossy(&message.raw).contains(THANKS)
}

pub(crate) fn message_id(message: &MessageId) -> String {
    let (_, domain) = OFFICE.split_once('@').unwrap_or_default();
    format!("<{message}@{domain}>")
}

/// What an ordinary mail program makes of the landlord's words.
pub(crate) fn answer(question: &SinkMessage) -> Result<Vec<u8>> {
    let asked = inbound::parse(&question.raw).context("the question is no mail")?;
    let to = asked
        .reply_to
        .context("it says nowhere to answer to")?
        .address;
    let id = asked.message_id.context("it has no Message-ID")?;
    let quoted: String = asked
        .text
        .lines()
        .map(|line| format!("> {line}\r\n"))
        .collect();
    let mail = format!(
        "From: Lee Landlord <{LANDLORD}>\r\nTo: {to}\r\nSubject: Re: {subject}\r\n\
         Message-ID: <the-reply@example.com>\r\nIn-Reply-To: <{id}>\r\nReferences: <{id}>\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
         {WORDS}\r\n\r\nOn an earlier day, the agency wrote:\r\n{quoted}",
        subject = asked.subject,
    );
    Ok(mail.into_bytes())
}

//! The landlord's mail program: it reads the sink, and answers over SMTP as any other would.

use anyhow::{Context, Result};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
};
use liaison_channels::email::{SinkMessage, inbound};
use std::net::SocketAddr;

/// The landlord's address.
pub(super) const ADDRESS: &str = "landlord@example.com";

/// The landlord.
pub(super) struct Landlord {
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl Landlord {
    /// A landlord whose mail goes out through this server.
    pub(super) fn new(server: SocketAddr) -> Self {
        let transport =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.ip().to_string())
                .port(server.port())
                .build();
        Self { transport }
    }

    /// Answers a message: below the answer, what it answers, quoted.
    pub(super) async fn answer(&self, question: &SinkMessage, words: &str) -> Result<()> {
        let asked = inbound::parse(&question.raw).context("the question is no mail")?;
        let to = asked
            .reply_to
            .as_ref()
            .or(asked.from.as_ref())
            .context("the question says nowhere to answer to")?;
        let quoted: String = asked
            .text
            .lines()
            .map(|line| format!("> {line}\n"))
            .collect();
        let body = format!("{words}\n\nOn an earlier day, the agency wrote:\n{quoted}");
        let to: Mailbox = to.address.parse().context("the address to answer to")?;
        let from: Mailbox = format!("Lee Landlord <{ADDRESS}>").parse()?;
        let mut mail = Message::builder()
            .from(from)
            .to(to)
            .subject(format!("Re: {}", asked.subject.trim_start_matches("Re: ")))
            .header(ContentType::TEXT_PLAIN)
            .message_id(None);
        if let Some(id) = &asked.message_id {
            let id = format!("<{id}>");
            mail = mail.in_reply_to(id.clone()).references(id);
        }
        let mail = mail.body(body).context("the answer is no mail")?;
        self.transport
            .send(mail)
            .await
            .context("the answer was not taken by the mail server")?;
        Ok(())
    }
}

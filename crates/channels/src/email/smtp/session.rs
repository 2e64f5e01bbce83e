//! One connection to an SMTP server.

use super::{
    Settings,
    fault::{Fault, Step},
};
use crate::email::{compose, net::Stream};
use lettre::{
    Address,
    transport::smtp::{
        Error,
        authentication::DEFAULT_MECHANISMS,
        client::{AsyncSmtpConnection, AsyncTokioStream},
        commands::{Data, Mail, Noop, Rcpt, Rset},
        response::{Response, Severity},
    },
};
use liaison_ports::transport::{ComposeFault, Composed};
use std::{io, time::Duration};
use tokio::time::timeout;

/// Between whom a message goes.
pub(super) struct Envelope {
    from: Address,
    to: Address,
}

impl Envelope {
    pub(super) fn of(composed: &Composed) -> Result<Self, ComposeFault> {
        Ok(Self {
            from: compose::address(&composed.from)?,
            to: compose::address(&composed.to)?,
        })
    }
}

/// An open connection, greeted, encrypted and logged in as configured.
pub(super) struct Session {
    connection: AsyncSmtpConnection,
}

impl Session {
    pub(super) async fn open(settings: &Settings) -> Result<Self, Fault> {
        let limit = settings.connect;
        // With TLS from the first byte the two cannot be told apart by the step, but by the error.
        let stream = timeout(limit, settings.endpoint.connect())
            .await
            .map_err(|_| Fault::of_timeout(Step::Connect, limit))?
            .map_err(|error| Fault::of_io(step_of(&error), error))?;
        let connection = timeout(limit, greet(stream, settings))
            .await
            .map_err(|_| Fault::of_timeout(Step::Connect, limit))?
            .map_err(|error| Fault::of_reply(Step::Connect, error))?;
        let mut session = Self { connection };
        session.encrypt(settings).await?;
        session.log_in(settings).await?;
        Ok(session)
    }

    async fn encrypt(&mut self, settings: &Settings) -> Result<(), Fault> {
        let Some(parameters) = &settings.start_tls else {
            return Ok(());
        };
        let upgrade = self
            .connection
            .starttls(parameters.clone(), &settings.hello);
        within(Step::Encrypt, settings.connect, upgrade).await
    }

    async fn log_in(&mut self, settings: &Settings) -> Result<(), Fault> {
        let Some(credentials) = &settings.credentials else {
            return Ok(());
        };
        let auth = self.connection.auth(DEFAULT_MECHANISMS, credentials);
        within(Step::LogIn, settings.connect, auth).await.map(drop)
    }

    /// Names sender and recipient, and announces the message. After it the server waits for the
    /// message, and has nothing to deliver yet.
    pub(super) async fn announce(
        &mut self,
        settings: &Settings,
        envelope: &Envelope,
    ) -> Result<(), Fault> {
        let limit = settings.command;
        let mail = Mail::new(Some(envelope.from.clone()), Vec::new());
        let rcpt = Rcpt::new(envelope.to.clone(), Vec::new());
        let reply = within(Step::Sender, limit, self.connection.command(mail)).await?;
        expect(Step::Sender, Severity::PositiveCompletion, &reply)?;
        let reply = within(Step::Recipient, limit, self.connection.command(rcpt)).await?;
        expect(Step::Recipient, Severity::PositiveCompletion, &reply)?;
        let reply = within(Step::Data, limit, self.connection.command(Data)).await?;
        expect(Step::Data, Severity::PositiveIntermediate, &reply)
    }

    /// Sends the message that was announced, dots doubled, and the final dot.
    pub(super) async fn message(&mut self, settings: &Settings, bytes: &[u8]) -> Result<(), Fault> {
        // lettre ends the last line itself.
        let bytes = bytes.strip_suffix(b"\r\n").unwrap_or(bytes);
        let sent = self.connection.message(bytes);
        let reply = within(Step::Message, settings.message, sent).await?;
        expect(Step::Message, Severity::PositiveCompletion, &reply)
    }

    /// Forgets the message that was begun; whether the connection is good for another one.
    pub(super) async fn reset(&mut self, settings: &Settings) -> bool {
        within(Step::Ping, settings.command, self.connection.command(Rset))
            .await
            .is_ok()
    }

    pub(super) async fn ping(&mut self, settings: &Settings) -> Result<(), Fault> {
        within(Step::Ping, settings.command, self.connection.command(Noop))
            .await
            .map(drop)
    }

    /// Says goodbye; nobody minds if that fails.
    pub(super) async fn quit(mut self, settings: &Settings) {
        if timeout(settings.command, self.connection.quit())
            .await
            .is_err()
        {
            tracing::debug!("the SMTP server did not answer QUIT");
        }
    }
}

async fn greet(stream: Stream, settings: &Settings) -> Result<AsyncSmtpConnection, Error> {
    let stream: Box<dyn AsyncTokioStream> = Box::new(stream);
    AsyncSmtpConnection::connect_with_transport(stream, &settings.hello).await
}

async fn within<T>(
    step: Step,
    limit: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Fault> {
    timeout(limit, work)
        .await
        .map_err(|_| Fault::of_timeout(step, limit))?
        .map_err(|error| Fault::of_reply(step, error))
}

/// lettre takes 2xx and 3xx for the same; they are not: a 354 in the place of a 250 means that the
/// two sides are out of step.
fn expect(step: Step, severity: Severity, reply: &Response) -> Result<(), Fault> {
    if reply.code().severity == severity {
        return Ok(());
    }
    let text = reply.first_line().unwrap_or_default().to_owned();
    Err(Fault::of_unexpected_reply(step, reply.code().into(), text))
}

/// rustls reports what it rejects as invalid data.
fn step_of(error: &io::Error) -> Step {
    match error.kind() {
        io::ErrorKind::InvalidData => Step::Encrypt,
        _ => Step::Connect,
    }
}

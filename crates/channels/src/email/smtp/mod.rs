//! Mail out, over SMTP.

mod fault;
mod pool;
mod session;

use self::{
    fault::Fault,
    pool::Pool,
    session::{Envelope, Session},
};
use super::{
    compose::{self, Sender},
    imap::{ImapConfig, SentFolder},
    net::{ConfigFault, Endpoint, Login, Security, authorities},
    subaddress,
};
use async_trait::async_trait;
use lettre::transport::smtp::{
    authentication::Credentials,
    client::{Certificate, TlsParameters},
    extension::ClientId,
};
use liaison_core::{effect::OutboundMessage, stakeholder::Channel};
use liaison_ports::transport::{ComposeFault, Composed, Delivery, Finding, Handover, Transport};
use secrecy::ExposeSecret;
use serde::Deserialize;
use std::{path::PathBuf, time::Duration};

/// Where and how mail goes out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmtpConfig {
    /// The server's name or IP address.
    pub host: String,
    /// Its port: 465 for TLS, 587 for STARTTLS as a rule.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// The account to log in with.
    #[serde(default)]
    pub login: Option<Login>,
    /// A PEM file with authorities to trust beside the machine's own.
    #[serde(default)]
    pub authority: Option<PathBuf>,
    /// Lets [`Security::Plain`] leave this machine.
    #[serde(default)]
    pub allow_unencrypted: bool,
    /// The name to greet with (EHLO); without one, the mailbox's domain.
    #[serde(default)]
    pub hello: Option<String>,
    /// Who writes.
    pub sender: Sender,
    /// Connections at a time. Providers refuse more than some ten or twenty from one client.
    #[serde(default = "default_connections")]
    pub connections: usize,
    /// How long each step may take.
    #[serde(default)]
    pub timeouts: SmtpTimeouts,
}

fn default_connections() -> usize {
    8
}

/// How long each step of a hand-over may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SmtpTimeouts {
    /// Seconds to connect, greet, encrypt and log in.
    pub connect_seconds: u64,
    /// Seconds for the answer to one command. Shorter than the 5 minutes of RFC 5321, section
    /// 4.5.3.2: nothing is lost, the message is tried again later.
    pub command_seconds: u64,
    /// Seconds for the answer to the message itself. RFC 5321, section 4.5.3.2.6 asks for the 10
    /// minutes: giving up earlier leaves the message's fate unknown.
    pub message_seconds: u64,
}

impl Default for SmtpTimeouts {
    fn default() -> Self {
        Self {
            connect_seconds: 30,
            command_seconds: 60,
            message_seconds: 600,
        }
    }
}

/// Hands mail to one server, for one mailbox.
pub struct SmtpTransport {
    sender: Sender,
    pool: Pool,
    sent: Option<SentFolder>,
}

/// What a session needs to know.
struct Settings {
    endpoint: Endpoint,
    start_tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
    hello: ClientId,
    connect: Duration,
    command: Duration,
    message: Duration,
}

impl SmtpTransport {
    /// Checks the settings; connects to nothing yet.
    pub fn new(config: SmtpConfig) -> Result<Self, ConfigFault> {
        let endpoint = Endpoint::new(
            &config.host,
            config.port,
            config.security,
            config.authority.as_deref(),
            config.allow_unencrypted,
        )?;
        let start_tls = match config.security {
            Security::StartTls => Some(start_tls(&config)?),
            Security::Plain | Security::Tls => None,
        };
        check_mailbox(&config.sender)?;
        if let Some(login) = &config.login {
            login.check(&config.host)?;
        }
        let settings = Settings {
            endpoint,
            start_tls,
            credentials: config.login.as_ref().map(|login| {
                Credentials::new(
                    login.user.clone(),
                    login.password.expose_secret().to_owned(),
                )
            }),
            hello: hello(&config)?,
            connect: Duration::from_secs(config.timeouts.connect_seconds),
            command: Duration::from_secs(config.timeouts.command_seconds),
            message: Duration::from_secs(config.timeouts.message_seconds),
        };
        Ok(Self {
            sender: config.sender,
            pool: Pool::new(settings, config.connections.max(1)),
            sent: None,
        })
    }

    /// Lets messages of unknown fate be looked for in a folder in which the provider keeps copies
    /// of what was sent through it.
    pub fn with_sent_folder(mut self, config: ImapConfig) -> Result<Self, ConfigFault> {
        self.sent = Some(SentFolder::new(config)?);
        Ok(self)
    }

    /// A session that has been told sender and recipient and waits for the message.
    ///
    /// A connection that was kept may have died since; nothing was handed over on it, so the same
    /// is simply tried on a new one.
    async fn announce(&self, envelope: &Envelope) -> Result<Session, Fault> {
        if let Some(mut kept) = self.pool.kept() {
            match kept.announce(self.pool.settings(), envelope).await {
                Ok(()) => return Ok(kept),
                Err(fault) if fault.says_nothing_of_the_message() => {}
                Err(fault) => {
                    self.pool.keep_if_reset(kept).await;
                    return Err(fault);
                }
            }
        }
        let mut session = Session::open(self.pool.settings()).await?;
        match session.announce(self.pool.settings(), envelope).await {
            Ok(()) => Ok(session),
            Err(fault) => {
                if !fault.says_nothing_of_the_message() {
                    self.pool.keep_if_reset(session).await;
                }
                Err(fault)
            }
        }
    }
}

#[async_trait]
impl Transport for SmtpTransport {
    fn channel(&self) -> Channel {
        Channel::Email
    }

    fn compose(&self, message: &OutboundMessage) -> Result<Composed, ComposeFault> {
        compose::compose(&self.sender, message)
    }

    async fn deliver(&self, composed: &Composed, handover: &dyn Handover) -> Delivery {
        // Both were checked when the bytes were composed; what is stored may have changed since.
        let envelope = match fit_for_the_wire(&composed.bytes).and_then(|()| Envelope::of(composed))
        {
            Ok(envelope) => envelope,
            Err(ComposeFault(reason)) => {
                return Delivery::Refused {
                    address_is_bad: false,
                    reason,
                };
            }
        };
        let _place = self.pool.place().await;
        let mut session = match self.announce(&envelope).await {
            Ok(session) => session,
            Err(fault) => return fault.before_the_message(),
        };
        if handover.point_of_no_return().await.is_err() {
            // The server waits for the message; a connection that closes without the final dot
            // leaves it nothing to deliver (RFC 5321, section 3.8). QUIT would be taken for text.
            drop(session);
            return Delivery::Recalled;
        }
        match session.message(self.pool.settings(), &composed.bytes).await {
            Ok(()) => {
                self.pool.keep(session);
                Delivery::Sent
            }
            Err(fault) => fault.after_the_message(),
        }
    }

    /// SMTP itself has nowhere to look; a folder of sent copies can prove that a message went.
    async fn look_up(&self, composed: &Composed) -> Finding {
        match (&self.sent, &composed.transport_id) {
            (Some(folder), Some(id)) if folder.holds(id).await => Finding::Sent,
            _ => Finding::CannotTell,
        }
    }

    async fn check(&self) -> Result<(), String> {
        let settings = self.pool.settings();
        let advice = |fault: Fault| fault.advice(&settings.endpoint.host, settings.endpoint.port);
        let mut session = Session::open(settings).await.map_err(advice)?;
        session.ping(settings).await.map_err(advice)?;
        session.quit(settings).await;
        Ok(())
    }
}

/// Composed bytes are ASCII lines of at most 998 characters ended by CRLF. Anything else, from
/// wherever it came, could end the message early at a server that is lenient about line ends and
/// smuggle in a second one.
fn fit_for_the_wire(bytes: &[u8]) -> Result<(), ComposeFault> {
    let fault = |what: &str| Err(ComposeFault(format!("the message has {what}")));
    let Some(body) = bytes.strip_suffix(b"\r\n") else {
        return fault("a last line without an end");
    };
    if !bytes.is_ascii() {
        return fault("bytes beyond ASCII");
    }
    let mut rest = body;
    loop {
        let end = rest.windows(2).position(|pair| pair == b"\r\n");
        let line = &rest[..end.unwrap_or(rest.len())];
        if line.iter().any(|byte| b"\r\n".contains(byte)) {
            return fault("a bare carriage return or line feed");
        }
        if line.len() > 998 {
            return fault("a line of more than 998 characters");
        }
        match end {
            Some(end) => rest = &rest[end + 2..],
            None => return Ok(()),
        }
    }
}

/// lettre does the handshake of STARTTLS itself, with a TLS configuration of its own making: the
/// machine's authorities and ours, names checked.
fn start_tls(config: &SmtpConfig) -> Result<TlsParameters, ConfigFault> {
    let fault = |source: lettre::transport::smtp::Error| ConfigFault::Tls {
        host: config.host.clone(),
        source: source.into(),
    };
    let mut builder = TlsParameters::builder(config.host.clone());
    for certificate in authorities(config.authority.as_deref())? {
        let certificate = Certificate::from_der(certificate.to_vec()).map_err(fault)?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build_rustls().map_err(fault)
}

/// 26 characters as long as the engine's tokens.
const SAMPLE_TOKEN: &str = "00000000000000000000000000";

fn check_mailbox(sender: &Sender) -> Result<(), ConfigFault> {
    let fault = |why: String| ConfigFault::Mailbox {
        mailbox: sender.mailbox.to_string(),
        why,
    };
    subaddress::with_token(&sender.mailbox, SAMPLE_TOKEN).map_err(|why| fault(why.to_string()))?;
    compose::address(&sender.mailbox)
        .map(drop)
        .map_err(|ComposeFault(why)| fault(why))
}

fn hello(config: &SmtpConfig) -> Result<ClientId, ConfigFault> {
    let name = match &config.hello {
        Some(name) => name.as_str(),
        None => config
            .sender
            .mailbox
            .as_str()
            .rsplit_once('@')
            .map_or("localhost", |(_, domain)| domain),
    };
    let fits = !name.is_empty()
        && name.len() <= 255
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-[]:".contains(&byte));
    if fits {
        Ok(ClientId::Domain(name.to_owned()))
    } else {
        Err(ConfigFault::Hello(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::fit_for_the_wire;
    use rstest::rstest;

    #[rstest]
    #[case(b"A: b\r\n\r\n.\r\n..\r\n", true)]
    #[case(b"A: b\r\n\r\nx\r\n", true)]
    #[case(b"A: b\r\n\r\nx", false)]
    #[case(b"A: b\r\n\r\nx\n.\r\nMAIL FROM:<a@b>\r\n", false)]
    #[case(b"A: b\r\n\r\nx\r.\r\n", false)]
    #[case(b"A: b\r\n\r\nx\r\r\n", false)]
    #[case(b"A: b\r\n\r\nx\n\r\n", false)]
    #[case(b"A: b\r\n\r\n\xc3\xa4\r\n", false)]
    #[case(b"", false)]
    fn only_whole_ascii_lines_go_over_the_wire(#[case] bytes: &[u8], #[case] fits: bool) {
        assert_eq!(fit_for_the_wire(bytes).is_ok(), fits);
    }

    #[test]
    fn a_line_has_at_most_998_characters() {
        let line = |length: usize| format!("{}\r\n", "x".repeat(length)).into_bytes();
        assert!(fit_for_the_wire(&line(998)).is_ok());
        assert!(fit_for_the_wire(&line(999)).is_err());
    }
}

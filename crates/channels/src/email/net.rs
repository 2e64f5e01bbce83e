//! Connections to mail servers: plain, or by TLS with the server's name checked.

use lettre::transport::smtp::client::AsyncTokioStream;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, InvalidDnsNameError, ServerName, pem::PemObject},
};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// How a connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// Not at all; for a server on this machine.
    Plain,
    /// By TLS, which the client asks for after a greeting in clear. Never falls back to clear.
    StartTls,
    /// By TLS from the first byte.
    Tls,
}

/// An account on a mail server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The account's name.
    pub user: String,
    /// Its password.
    pub password: SecretString,
}

impl Login {
    /// Line breaks would end a command of either protocol, and a NUL a part of SMTP's AUTH PLAIN
    /// (RFC 4616, section 2).
    pub(super) fn check(&self, host: &str) -> Result<(), ConfigFault> {
        let fits = |text: &str| !text.contains(['\r', '\n', '\0']);
        if fits(&self.user) && fits(self.password.expose_secret()) {
            return Ok(());
        }
        Err(ConfigFault::Login {
            host: host.to_owned(),
        })
    }
}

/// Settings that can never work.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// The host is neither a name nor an IP address.
    #[error("{host:?} is not a host name")]
    Host {
        /// What was configured.
        host: String,
        /// Why it is none.
        #[source]
        source: InvalidDnsNameError,
    },
    /// Passwords and letters would cross a network in clear.
    #[error(
        "{host} is not this machine, so its connection must be encrypted: set security to \
         \"tls\" or \"starttls\""
    )]
    InClear {
        /// The server.
        host: String,
    },
    /// The file with an authority of one's own.
    #[error("the certificates in {path} cannot be read")]
    Authority {
        /// Which file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: rustls::pki_types::pem::Error,
    },
    /// A certificate that TLS cannot use.
    #[error("TLS cannot be set up for {host}")]
    Tls {
        /// The server.
        host: String,
        /// Why not.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The mailbox leaves no room for a reply token.
    #[error("{mailbox} cannot carry a reply token: {why}")]
    Mailbox {
        /// The mailbox.
        mailbox: String,
        /// Why not.
        why: String,
    },
    /// The name for EHLO.
    #[error("{0:?} is not a name that a mail server accepts in EHLO; use this machine's host name")]
    Hello(String),
    /// The account's name or password.
    #[error("the user name or password for {host} holds a line break or a NUL")]
    Login {
        /// The server.
        host: String,
    },
}

/// A server and how to reach it.
pub(super) struct Endpoint {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    name: ServerName<'static>,
    connector: Option<TlsConnector>,
}

impl Endpoint {
    /// Checks what can be checked without a connection.
    pub(super) fn new(
        host: &str,
        port: u16,
        security: Security,
        authority: Option<&Path>,
        allow_unencrypted: bool,
    ) -> Result<Self, ConfigFault> {
        let name = ServerName::try_from(host.to_owned()).map_err(|source| ConfigFault::Host {
            host: host.to_owned(),
            source,
        })?;
        if security == Security::Plain && !allow_unencrypted && !is_this_machine(host) {
            return Err(ConfigFault::InClear {
                host: host.to_owned(),
            });
        }
        let connector = match security {
            Security::Plain => None,
            Security::StartTls | Security::Tls => Some(connector(host, authority)?),
        };
        Ok(Self {
            host: host.to_owned(),
            port,
            security,
            name,
            connector,
        })
    }

    /// Connects, and does the TLS handshake when TLS comes first.
    pub(super) async fn connect(&self) -> io::Result<Stream> {
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await?;
        // Both protocols are a dialogue of small packets; waiting to fill one costs 40 ms each.
        tcp.set_nodelay(true)?;
        match self.security {
            Security::Plain => Ok(Stream::Plain(tcp)),
            Security::StartTls => Ok(Stream::BeforeTls { tcp, begun: false }),
            Security::Tls => self.encrypt(tcp).await,
        }
    }

    /// Does the TLS handshake on a connection that began in clear.
    pub(super) async fn upgrade(&self, stream: Stream) -> io::Result<Stream> {
        match stream {
            Stream::Plain(tcp) | Stream::BeforeTls { tcp, .. } => self.encrypt(tcp).await,
            Stream::Tls(_) => Ok(stream),
        }
    }

    async fn encrypt(&self, tcp: TcpStream) -> io::Result<Stream> {
        let connector = self
            .connector
            .as_ref()
            .ok_or_else(|| io::Error::other("the connection is configured without TLS"))?;
        let stream = connector.connect(self.name.clone(), tcp).await?;
        Ok(Stream::Tls(Box::new(stream)))
    }
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// The machine's authorities and the one of `authority`.
fn connector(host: &str, authority: Option<&Path>) -> Result<TlsConnector, ConfigFault> {
    let mut roots = RootCertStore::empty();
    // A machine has certificates that are too old or too odd for rustls; the rest serve.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in authorities(authority)? {
        roots.add(certificate).map_err(|source| ConfigFault::Tls {
            host: host.to_owned(),
            source: source.into(),
        })?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|source| ConfigFault::Tls {
            host: host.to_owned(),
            source: source.into(),
        })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The certificates in the PEM file `path`.
pub(super) fn authorities(
    path: Option<&Path>,
) -> Result<Vec<CertificateDer<'static>>, ConfigFault> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|source| ConfigFault::Authority {
            path: path.to_owned(),
            source,
        })
}

/// A connection.
#[derive(Debug)]
pub(super) enum Stream {
    /// In clear.
    Plain(TcpStream),
    /// In clear, until TLS begins on it.
    ///
    /// Until then it is read byte by byte. A client that reads ahead takes what an attacker
    /// appended to the answer to STARTTLS for a protected answer (CVE-2011-0411); unread, those
    /// bytes end up in the handshake, which fails.
    BeforeTls {
        /// The connection.
        tcp: TcpStream,
        /// Whether the handshake has begun.
        begun: bool,
    },
    /// Encrypted.
    Tls(Box<TlsStream<TcpStream>>),
}

/// The content type of a TLS handshake record (RFC 8446, section 5.1). No SMTP command starts with
/// it.
const HANDSHAKE: u8 = 22;

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(tcp) | Self::BeforeTls { tcp, .. } => tcp,
            Self::Tls(tls) => tls.get_ref().0,
        }
    }
}

impl AsyncTokioStream for Stream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.tcp().peer_addr()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_read(cx, buf),
            Self::BeforeTls { tcp, begun: true } => Pin::new(tcp).poll_read(cx, buf),
            Self::BeforeTls { tcp, begun: false } => {
                let mut byte = [0];
                let mut one = ReadBuf::new(&mut byte);
                let polled = Pin::new(tcp).poll_read(cx, &mut one);
                buf.put_slice(one.filled());
                polled
            }
            Self::Tls(tls) => Pin::new(tls).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_write(cx, buf),
            Self::BeforeTls { tcp, begun } => {
                *begun |= buf.first() == Some(&HANDSHAKE);
                Pin::new(tcp).poll_write(cx, buf)
            }
            Self::Tls(tls) => Pin::new(tls).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) | Self::BeforeTls { tcp, .. } => Pin::new(tcp).poll_flush(cx),
            Self::Tls(tls) => Pin::new(tls).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) | Self::BeforeTls { tcp, .. } => Pin::new(tcp).poll_shutdown(cx),
            Self::Tls(tls) => Pin::new(tls).poll_shutdown(cx),
        }
    }
}

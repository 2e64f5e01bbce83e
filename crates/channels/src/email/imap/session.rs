//! One connection to an IMAP server, logged in, with the folder open.

use super::Settings;
use crate::email::{
    net::{Security, Stream},
    remark::remark,
};
use async_imap::{Client, error::Error, types::UnsolicitedResponse};
use futures::TryStreamExt;
use liaison_ports::inbound::{InboundMessage, IntakeFault};
use secrecy::ExposeSecret;
use std::{io, sync::Arc, time::Duration};
use tokio::time::{sleep, timeout};

/// How long a server may take for an answer.
const COMMAND: Duration = Duration::from_secs(60);
/// How long it may take for a mail of 25 MB: a slow line carries 1 Mbit a second.
const TRANSFER: Duration = Duration::from_secs(300);

/// A mail, read or not.
pub(super) enum Mail {
    /// It could be read.
    Readable(Box<InboundMessage>),
    /// It could not, and why.
    Unreadable(String),
}

/// What ended a session.
#[derive(Debug, thiserror::Error)]
#[error("{doing} failed: {what}")]
pub(super) struct Fault {
    doing: &'static str,
    /// Never a part of a mail: the library's own messages can hold one.
    what: String,
}

impl Fault {
    fn new(doing: &'static str, what: impl ToString) -> Self {
        Self {
            doing,
            what: remark(&what.to_string()),
        }
    }

    fn of_imap(doing: &'static str, error: &Error) -> Self {
        match error {
            // The library quotes the whole input, mails included, in this one.
            Error::Io(error) if error.kind() == io::ErrorKind::Other => {
                Self::new(doing, "the server sent something that is no IMAP")
            }
            Error::Io(error) => Self::new(doing, error),
            Error::Parse(_) => Self::new(doing, "the server's answer makes no sense"),
            Error::Bad(said) | Error::No(said) => {
                Self::new(doing, format!("the server said {said}"))
            }
            error => Self::new(doing, error),
        }
    }

    pub(super) fn of_intake(fault: IntakeFault) -> Self {
        Self::new("storing a mail", format!("{fault}: {}", fault.0))
    }

    /// What to do about it, for a person who set the server up.
    pub(super) fn advice(&self, settings: &Settings) -> String {
        let todo = match self.doing {
            CONNECTING => {
                "check host and port, that the server runs, and that a firewall lets this machine \
                 out; check that security fits the port (993 is \"tls\", 143 \"starttls\"), that \
                 host is the name in the server's certificate, and that ca_file names its PEM \
                 file if your own authority signed it"
            }
            LOGGING_IN => {
                "check user and password; some providers want an app password, or have IMAP \
                 switched off until you allow it"
            }
            OPENING => "check that the folder exists; its name is written as the server lists it",
            _ => "the server accepts connections but not commands; its log says more",
        };
        let endpoint = &settings.endpoint;
        format!(
            "IMAP server {}:{}: {self}. To do: {todo}",
            endpoint.host, endpoint.port
        )
    }
}

const CONNECTING: &str = "connecting";
const LOGGING_IN: &str = "logging in";
const OPENING: &str = "opening the folder";

pub(super) struct Session {
    inner: async_imap::Session<Stream>,
    offers_idle: bool,
}

impl Session {
    pub(super) async fn open(settings: &Settings) -> Result<Self, Fault> {
        let client = within(CONNECTING, COMMAND, connect(settings)).await?;
        let login = &settings.login;
        let log_in = client.login(&login.user, login.password.expose_secret());
        let mut inner = timeout(COMMAND, log_in)
            .await
            .map_err(|_| no_answer(LOGGING_IN, COMMAND))?
            .map_err(|(error, _)| Fault::of_imap(LOGGING_IN, &error))?;
        let offers_idle = imap("asking what the server can do", inner.capabilities())
            .await?
            .has_str("IDLE");
        imap(OPENING, inner.select(&settings.folder)).await?;
        Ok(Self { inner, offers_idle })
    }

    pub(super) fn offers_idle(&self) -> bool {
        self.offers_idle
    }

    /// The unread mails.
    pub(super) async fn unread(&mut self) -> Result<Vec<u32>, Fault> {
        // What was announced until now is found by this very search.
        self.saw_arrivals();
        let found = imap("looking for new mail", self.inner.uid_search("UNSEEN")).await?;
        Ok(found.into_iter().collect())
    }

    /// Whether the folder holds a message with this Message-ID (with its angle brackets).
    pub(super) async fn has_message(&mut self, message_id: &str) -> Result<bool, Fault> {
        // It goes into a quoted string (RFC 3501, section 9).
        if !message_id
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
        {
            return Ok(false);
        }
        let query = format!("HEADER Message-ID \"{message_id}\"");
        let found = imap("looking for a sent copy", self.inner.uid_search(query)).await?;
        Ok(!found.is_empty())
    }

    /// Whether the server announced mail since this was last asked.
    pub(super) fn saw_arrivals(&mut self) -> bool {
        let mut seen = false;
        while let Ok(response) = self.inner.unsolicited_responses.try_recv() {
            seen |= matches!(response, UnsolicitedResponse::Exists(_));
        }
        seen
    }

    /// The sizes of those of `uids` that still exist, in the order of `uids`.
    pub(super) async fn sizes(&mut self, uids: &[u32]) -> Result<Vec<(u32, u32)>, Fault> {
        let set: Vec<String> = uids.iter().map(u32::to_string).collect();
        let fetching = async {
            let stream = self
                .inner
                .uid_fetch(set.join(","), "(UID RFC822.SIZE)")
                .await?;
            stream.try_collect::<Vec<_>>().await
        };
        let fetched = imap("asking for the sizes of mails", fetching).await?;
        let size_of = |uid: u32| {
            fetched
                .iter()
                .find(|fetch| fetch.uid == Some(uid))
                .and_then(|fetch| fetch.size)
        };
        Ok(uids
            .iter()
            .filter_map(|uid| Some((*uid, size_of(*uid)?)))
            .collect())
    }

    /// A mail, without marking it read; `None` when it is gone.
    pub(super) async fn fetch(&mut self, uid: u32) -> Result<Option<Arc<Vec<u8>>>, Fault> {
        self.fetch_part(uid, "(UID BODY.PEEK[])").await
    }

    /// The header of a mail, without marking it read; `None` when it is gone.
    pub(super) async fn fetch_header(&mut self, uid: u32) -> Result<Option<Arc<Vec<u8>>>, Fault> {
        self.fetch_part(uid, "(UID BODY.PEEK[HEADER])").await
    }

    async fn fetch_part(&mut self, uid: u32, query: &str) -> Result<Option<Arc<Vec<u8>>>, Fault> {
        let fetching = async {
            let stream = self.inner.uid_fetch(uid.to_string(), query).await?;
            stream.try_collect::<Vec<_>>().await
        };
        let fetched = timeout(TRANSFER, fetching)
            .await
            .map_err(|_| no_answer("fetching a mail", TRANSFER))?
            .map_err(|error| Fault::of_imap("fetching a mail", &error))?;
        Ok(fetched
            .iter()
            .filter(|fetch| fetch.uid == Some(uid))
            .find_map(|fetch| fetch.body().or_else(|| fetch.header()))
            .map(|bytes| Arc::new(bytes.to_vec())))
    }

    /// Marks a mail as read. The library's own call would pass over a refusal, and the mail would
    /// be taken again for ever.
    pub(super) async fn mark_read(&mut self, uid: u32) -> Result<(), Fault> {
        let command = format!("UID STORE {uid} +FLAGS.SILENT (\\Seen)");
        let stored = self.inner.run_command_and_check_ok(command);
        imap("marking a mail as read", stored).await
    }

    /// Returns when there may be new mail: the server said so, or it is time to look.
    pub(super) async fn wait(mut self, idle_for: Duration, poll: Duration) -> Result<Self, Fault> {
        if !self.offers_idle {
            sleep(poll).await;
            return Ok(self);
        }
        let offers_idle = self.offers_idle;
        let mut idle = self.inner.idle();
        imap("starting to idle", idle.init()).await?;
        let (waiting, _interrupt) = idle.wait_with_timeout(idle_for);
        // The library starts its time again with every sign of life; this one does not.
        match timeout(idle_for, waiting).await {
            Ok(Ok(_)) | Err(_) => {}
            Ok(Err(error)) => return Err(Fault::of_imap("idling", &error)),
        }
        self.inner = imap("ending to idle", idle.done()).await?;
        Ok(Self {
            inner: self.inner,
            offers_idle,
        })
    }

    /// Says goodbye; nobody minds if that fails.
    pub(super) async fn close(mut self) {
        if imap("logging out", self.inner.logout()).await.is_err() {
            tracing::debug!("the IMAP server did not answer LOGOUT");
        }
    }
}

async fn connect(settings: &Settings) -> Result<Client<Stream>, Error> {
    let endpoint = &settings.endpoint;
    let mut client = Client::new(endpoint.connect().await?);
    if client.read_response().await?.is_none() {
        return Err(Error::ConnectionLost);
    }
    if endpoint.security == Security::StartTls {
        client.run_command_and_check_ok("STARTTLS", None).await?;
        // No second greeting comes after the handshake (RFC 3501, section 6.2.1).
        client = Client::new(endpoint.upgrade(client.into_inner()).await?);
    }
    Ok(client)
}

/// Awaits the answer to a command.
async fn imap<T>(
    doing: &'static str,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Fault> {
    within(doing, COMMAND, work).await
}

async fn within<T>(
    doing: &'static str,
    limit: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Fault> {
    timeout(limit, work)
        .await
        .map_err(|_| no_answer(doing, limit))?
        .map_err(|error| Fault::of_imap(doing, &error))
}

fn no_answer(doing: &'static str, limit: Duration) -> Fault {
    Fault::new(
        doing,
        format!("no answer within {} seconds", limit.as_secs()),
    )
}

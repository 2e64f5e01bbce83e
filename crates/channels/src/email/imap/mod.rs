//! Mail in, over IMAP.
//!
//! The mailbox must be Liaison's alone: what is unread is new, and what was taken is marked read.
//! A mail that somebody else opens first is never seen.

mod sent;
mod session;

pub(super) use self::sent::SentFolder;

use self::session::{Fault, Mail, Session};
use super::net::{ConfigFault, Endpoint, Login, Security};
use liaison_core::id::TenantId;
use liaison_ports::{
    clock::Clock,
    inbound::{Intake, MailDecoder, Undecodable},
};
use serde::Deserialize;
use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Where mail comes in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImapConfig {
    /// The server's name or IP address.
    pub host: String,
    /// Its port: 993 for TLS, 143 for STARTTLS as a rule.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// The account.
    pub login: Login,
    /// A PEM file with authorities to trust beside the machine's own.
    #[serde(default)]
    pub authority: Option<PathBuf>,
    /// Lets [`Security::Plain`] leave this machine.
    #[serde(default)]
    pub allow_unencrypted: bool,
    /// The folder to read.
    #[serde(default = "default_folder")]
    pub folder: String,
    /// Seconds between looks at a server that does not offer IDLE; at least 1.
    #[serde(default = "default_poll")]
    pub poll_seconds: u64,
}

fn default_folder() -> String {
    "INBOX".to_owned()
}

fn default_poll() -> u64 {
    60
}

/// How long one IDLE lasts. RFC 2177 asks for at most 29 minutes; many routers forget a quiet
/// connection after less, and what comes while one is dead waits this long.
const IDLE_FOR: Duration = Duration::from_secs(5 * 60);
/// Mails whose sizes are asked for at once.
const BATCH: usize = 50;
/// Bytes of a mail that is fetched whole; the large providers let no more through.
const MOST_BYTES: u32 = 25 * 1024 * 1024;
/// The wait before the first new connection after a failure, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A session that lasted this long had worked; the next failure starts from the first pause.
const SOUND_AFTER: Duration = Duration::from_secs(60);
/// Mails that made trouble and are remembered to be tried last.
const MOST_TROUBLED: usize = 1_000;

/// Fetches the mail of one mailbox.
pub struct ImapReceiver {
    tenant: TenantId,
    settings: Settings,
    caught_up: CancellationToken,
}

/// What a session needs to know.
struct Settings {
    endpoint: Endpoint,
    login: Login,
    folder: String,
    poll: Duration,
}

impl Settings {
    fn new(config: ImapConfig) -> Result<Self, ConfigFault> {
        config.login.check(&config.host)?;
        Ok(Self {
            endpoint: Endpoint::new(
                &config.host,
                config.port,
                config.security,
                config.authority.as_deref(),
                config.allow_unencrypted,
            )?,
            login: config.login,
            folder: config.folder,
            poll: Duration::from_secs(config.poll_seconds.max(1)),
        })
    }
}

/// Whom the receiver works for.
struct Work {
    intake: Arc<dyn Intake>,
    decoder: Arc<dyn MailDecoder>,
    clock: Arc<dyn Clock>,
}

impl ImapReceiver {
    /// Checks the settings; connects to nothing yet.
    pub fn new(tenant: TenantId, config: ImapConfig) -> Result<Self, ConfigFault> {
        Ok(Self {
            tenant,
            settings: Settings::new(config)?,
            caught_up: CancellationToken::new(),
        })
    }

    /// Cancelled, for good, once everything that was unread in the mailbox has been taken in for
    /// the first time. Whoever sends only after that does not write over a reply that waits.
    pub fn caught_up(&self) -> CancellationToken {
        self.caught_up.clone()
    }

    /// Takes in mail until `shutdown`. It never gives up: every failure is logged, and followed by
    /// a pause and a new connection.
    ///
    /// A mail is marked read only once [`Intake::take`] said that it is durable. Being stopped in
    /// between only means that it is offered again; the intake knows it by its dedupe key.
    pub async fn run(
        &self,
        intake: Arc<dyn Intake>,
        decoder: Arc<dyn MailDecoder>,
        clock: Arc<dyn Clock>,
        shutdown: CancellationToken,
    ) {
        let work = Work {
            intake,
            decoder,
            clock,
        };
        shutdown
            .run_until_cancelled(self.keep_receiving(&work))
            .await;
    }

    /// Whether the mailbox can be opened with what is configured; the error says what to do.
    pub async fn check(&self) -> Result<(), String> {
        let session = Session::open(&self.settings)
            .await
            .map_err(|fault| fault.advice(&self.settings))?;
        session.close().await;
        Ok(())
    }

    async fn keep_receiving(&self, work: &Work) {
        let mut pause = FIRST_PAUSE;
        let mut troubled = BTreeSet::new();
        loop {
            let begun = now();
            let Err(fault) = self.receive(work, &mut troubled).await;
            if now().duration_since(begun) >= SOUND_AFTER {
                pause = FIRST_PAUSE;
            }
            tracing::warn!(
                host = %self.settings.endpoint.host,
                tenant = %self.tenant,
                error = %fault,
                again_in_seconds = pause.as_secs(),
                "receiving mail failed"
            );
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// One connection: takes what is new, waits for more, until something fails.
    async fn receive(
        &self,
        work: &Work,
        troubled: &mut BTreeSet<u32>,
    ) -> Result<std::convert::Infallible, Fault> {
        let mut session = Session::open(&self.settings).await?;
        tracing::info!(
            host = %self.settings.endpoint.host,
            tenant = %self.tenant,
            idle = session.offers_idle(),
            "receiving mail"
        );
        loop {
            let taken = self.take_new(&mut session, work, troubled).await?;
            // What arrived while we worked is announced only once, and was perhaps announced
            // then. A folder in which nothing could be taken is not looked at again at once.
            if taken > 0 || session.saw_arrivals() {
                continue;
            }
            self.caught_up.cancel();
            session = session.wait(IDLE_FOR, self.settings.poll).await?;
        }
    }

    /// Takes every unread mail once; how many were marked read.
    async fn take_new(
        &self,
        session: &mut Session,
        work: &Work,
        troubled: &mut BTreeSet<u32>,
    ) -> Result<usize, Fault> {
        let mut unread = session.unread().await?;
        // A mail that breaks the connection or that the store refuses must not keep back others.
        unread.sort_by_key(|uid| (troubled.contains(uid), *uid));
        let mut taken = 0;
        for batch in unread.chunks(BATCH) {
            for (uid, size) in session.sizes(batch).await? {
                match self.take(session, work, uid, size).await {
                    Ok(true) => {
                        troubled.remove(&uid);
                        taken += 1;
                    }
                    Ok(false) => {}
                    Err(fault) => {
                        if troubled.len() < MOST_TROUBLED {
                            troubled.insert(uid);
                        }
                        return Err(fault);
                    }
                }
            }
        }
        Ok(taken)
    }

    /// Takes one mail; false when it is gone.
    async fn take(
        &self,
        session: &mut Session,
        work: &Work,
        uid: u32,
        size: u32,
    ) -> Result<bool, Fault> {
        let fetched = if size > MOST_BYTES {
            session.fetch_header(uid).await?
        } else {
            session.fetch(uid).await?
        };
        let Some(raw) = fetched else {
            return Ok(false);
        };
        let received_at = work.clock.now();
        let mail = if size > MOST_BYTES {
            Mail::Unreadable(format!(
                "it has {size} bytes, more than {MOST_BYTES}; only its header was fetched"
            ))
        } else {
            self.decode(work, &raw, received_at).await
        };
        let kept = match mail {
            Mail::Readable(message) => work.intake.take(*message).await,
            Mail::Unreadable(why) => {
                let intake = &work.intake;
                intake
                    .file_undecodable(&self.tenant, &raw, &why, received_at)
                    .await
            }
        };
        let taken = kept.map_err(Fault::of_intake)?;
        tracing::debug!(uid, size, ?taken, "a mail was taken in");
        session.mark_read(uid).await?;
        Ok(true)
    }

    /// Decoding a large mail takes the processor for a while, and whatever the bytes do to the
    /// decoder must not end the receiver: so it runs in a task of its own.
    async fn decode(&self, work: &Work, raw: &Arc<Vec<u8>>, received_at: jiff::Timestamp) -> Mail {
        let (decoder, raw, tenant) = (
            Arc::clone(&work.decoder),
            Arc::clone(raw),
            self.tenant.clone(),
        );
        let decoding =
            tokio::task::spawn_blocking(move || decoder.decode(&tenant, &raw, received_at));
        match decoding.await {
            Ok(Ok(message)) => Mail::Readable(Box::new(message)),
            Ok(Err(Undecodable(why))) => Mail::Unreadable(why),
            Err(_) => Mail::Unreadable("reading it failed; this is a defect of Liaison".to_owned()),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a connection lasted is the machine's time, and decides nothing else"
)]
fn now() -> Instant {
    Instant::now()
}

//! Connections, lent one at a time.
//!
//! The driver has a pool, but it takes back whatever is dropped: a connection whose `BEGIN` was
//! cancelled comes back with its transaction open (sqlx issues 2054, 4385 and 4393), the test that a
//! connection passes on its way back does not look for that and has no time limit (pull request
//! 4146), and neither has the test of an idle one whose far side vanished without a word. Here a
//! connection comes back only when whoever had it says that all is well. Every other one is closed
//! by being dropped, and the server ends what it had begun.

use sqlx::{ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};
use std::{
    collections::VecDeque,
    io::ErrorKind,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};

/// A connection that was used a moment ago works. One that lay idle for longer is asked first.
const FRESH: Duration = Duration::from_secs(1);

/// How long an idle connection may take to say that it works. A network that is slower than this
/// is one to connect anew over.
const LONGEST_PING: Duration = Duration::from_secs(1);

/// How long a connection may lie idle. Balancers and firewalls drop what is silent for longer than
/// some minutes, and a replica gives back what a burst needed.
const LONGEST_IDLE: Duration = Duration::from_secs(240);

/// How long a connection may live. A server keeps memory for each that only grows, and after a
/// change of address the old one must end some day.
const LONGEST_LIFE: Duration = Duration::from_secs(1_800);

/// How long to wait before asking again whether a server that refuses connections has come up: the
/// first time, and at most.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// What every connection is told first.
///
/// A process that is stopped in the middle of a transaction holds its locks, so the server ends
/// transactions in which nothing happens for five seconds, long before a lease does; nobody waits
/// longer for a lock than that takes; and a statement is given up before its caller gives up.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '8s'; \
     SET statement_timeout = '20s'; SET TIME ZONE 'UTC'";
const READ_ONLY: &str = "SET default_transaction_read_only = on";

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// All are lent, or no server answered, for as long as one may wait.
    #[error("no connection to the database within {} s", waited.as_secs())]
    Late {
        /// How long.
        waited: Duration,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// The server does not let this program in.
    #[error("the database cannot be connected to: {0}")]
    Refused(#[source] sqlx::Error),
}

/// The connections of a store. Clones share them.
#[derive(Clone)]
pub(crate) struct Connections {
    shared: Arc<Shared>,
}

struct Shared {
    options: PgConnectOptions,
    read_only: bool,
    patience: Duration,
    /// The most recently used one is last.
    idle: Mutex<VecDeque<Idle>>,
    permits: Arc<Semaphore>,
}

struct Idle {
    connection: PgConnection,
    since: Instant,
    opened: Instant,
}

/// A connection on loan. Dropped, it is closed; only [`Lent::give_back`] keeps it.
pub(crate) struct Lent {
    connection: PgConnection,
    opened: Instant,
    shared: Arc<Shared>,
    _permit: OwnedSemaphorePermit,
}

impl Connections {
    /// At most `most` connections, each waited for at most `patience`.
    pub(crate) fn new(
        options: PgConnectOptions,
        most: u32,
        patience: Duration,
        read_only: bool,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                read_only,
                patience,
                idle: Mutex::default(),
                permits: Arc::new(Semaphore::new(most.max(1) as usize)),
            }),
        }
    }

    /// Lends a connection that works as far as anybody can tell.
    pub(crate) async fn lend(&self) -> Result<Lent, ConnectError> {
        let waited = self.shared.patience;
        timeout(waited, self.lend_some_time())
            .await
            .unwrap_or(Err(ConnectError::Late { waited }))
    }

    async fn lend_some_time(&self) -> Result<Lent, ConnectError> {
        let permit = Arc::clone(&self.shared.permits)
            .acquire_owned()
            .await
            .map_err(|_closed| ConnectError::Closed)?;
        let (connection, opened) = match self.idle_one().await {
            Some(idle) => (idle.connection, idle.opened),
            None => (self.connect().await?, now()),
        };
        Ok(Lent {
            connection,
            opened,
            shared: Arc::clone(&self.shared),
            _permit: permit,
        })
    }

    /// An idle connection that works. Those found dead on the way are closed.
    async fn idle_one(&self) -> Option<Idle> {
        loop {
            let mut idle = self.shared.idle().pop_back()?;
            let idle_for = idle.since.elapsed();
            if idle_for <= FRESH {
                return Some(idle);
            }
            if idle_for > LONGEST_IDLE || idle.opened.elapsed() > LONGEST_LIFE {
                continue;
            }
            if matches!(
                timeout(LONGEST_PING, idle.connection.ping()).await,
                Ok(Ok(()))
            ) {
                return Some(idle);
            }
            // What cut this one off has cut off those that have been idle for longer.
            self.forget_idle();
        }
    }

    /// Connects; as long as the server refuses because it starts or stops, again and again.
    async fn connect(&self) -> Result<PgConnection, ConnectError> {
        let (mut pause, longest) = BACKOFF;
        loop {
            match self.connect_once().await {
                Ok(connection) => return Ok(connection),
                Err(error) if comes_up_later(&error) => {
                    sleep(pause).await;
                    pause = (pause * 2).min(longest);
                }
                Err(error) => return Err(ConnectError::Refused(error)),
            }
        }
    }

    async fn connect_once(&self) -> Result<PgConnection, sqlx::Error> {
        let mut connection = self.shared.options.connect().await?;
        sqlx::raw_sql(SETTINGS).execute(&mut connection).await?;
        if self.shared.read_only {
            sqlx::raw_sql(READ_ONLY).execute(&mut connection).await?;
        }
        Ok(connection)
    }

    /// Closes the connections that nobody uses: something has happened to one like them.
    pub(crate) fn forget_idle(&self) {
        let forgotten = std::mem::take(&mut *self.shared.idle());
        drop(forgotten);
    }

    /// Lends nothing any more, and closes what is not lent; waits for what is, within bounds.
    pub(crate) async fn close(&self, most: u32) {
        let all = Arc::clone(&self.shared.permits).acquire_many_owned(most.max(1));
        if timeout(self.shared.patience, all).await.is_err() {
            tracing::warn!(
                "connections to the database were still in use when the store was closed"
            );
        }
        self.shared.permits.close();
        let idle = std::mem::take(&mut *self.shared.idle());
        for idle in idle {
            // The server notices anyway; saying goodbye only keeps its log free of complaints.
            let _gone = timeout(LONGEST_PING, idle.connection.close()).await;
        }
    }
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, VecDeque<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lent {
    /// The connection.
    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    /// Takes it back for others. Only for a connection that has answered everything it was asked,
    /// and has no transaction open.
    pub(crate) fn give_back(self) {
        let Self {
            connection,
            opened,
            shared,
            _permit,
        } = self;
        let mut idle = shared.idle();
        idle.push_back(Idle {
            connection,
            since: now(),
            opened,
        });
        // The longest idle one is first: a replica that has become quiet closes one at each return.
        if idle
            .front()
            .is_some_and(|first| first.since.elapsed() > LONGEST_IDLE)
        {
            idle.pop_front();
        }
    }
}

/// Whether a server that answered so is starting, stopping or full, so that asking again helps.
fn comes_up_later(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof
                // The socket's file is made at the server's start.
                | ErrorKind::NotFound
        ),
        sqlx::Error::Database(error) => matches!(
            error.code().as_deref(),
            // Too many connections, and: shutting down, crashed, starting up.
            Some("53300" | "57P01" | "57P02" | "57P03")
        ),
        _ => false,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a socket has been silent is nobody's time but the socket's"
)]
fn now() -> Instant {
    Instant::now()
}

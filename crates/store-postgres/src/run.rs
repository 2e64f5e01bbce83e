//! Running a write: in a task of its own, again where that is right, and never answered falsely.

use crate::{
    connections::{ConnectError, Connections, Lent},
    fault::{Remedy, fault, remedy},
    hints::{Hint, Hints},
};
use async_trait::async_trait;
use liaison_ports::store::StoreError;
use sqlx::PgConnection;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// How often a write is tried. Two transactions that lose against each other forever would need
/// worse luck than this; and of lost connections, the second already finds the idle ones closed.
const MOST_TRIES: u32 = 6;

/// How long the first pause between two tries is; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(5);

/// How long one try may take. The server gives up a statement sooner; this is for a server, or a
/// network, that does not say anything any more.
const LONGEST_TRY: Duration = Duration::from_secs(30);

/// A write.
#[async_trait]
pub(crate) trait Write: Send + Sync + 'static {
    /// What it is called in errors.
    const OPERATION: &'static str;

    /// Whether it is a single statement, which is a transaction by itself.
    const ALONE: bool = false;

    /// What it answers.
    type Answer: Send + 'static;

    /// Does it, in a transaction. It may be called several times; only the last call's work is
    /// kept. With `perhaps_done`, an earlier call's work may have been committed, because the
    /// answer to its commit was lost: then it says what it said that time.
    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<Self::Answer, StoreError>;

    /// What other replicas should hear of it.
    fn hints(&self, answer: &Self::Answer) -> Vec<Hint>;
}

/// Runs writes. Clones share everything.
#[derive(Clone)]
pub(crate) struct Runner {
    connections: Connections,
    hints: Hints,
    commits: Arc<AtomicU64>,
}

/// How a try ended.
enum Try<T> {
    Done(T),
    /// It was undone, and the connection works.
    Undone(StoreError),
    /// The connection is lost, before there was anything that could have been committed.
    Lost(StoreError),
    /// The connection is lost, and nobody can tell whether the work was committed.
    Unknown(StoreError),
}

impl Runner {
    pub(crate) fn new(connections: Connections, hints: Hints) -> Self {
        Self {
            connections,
            hints,
            commits: Arc::default(),
        }
    }

    /// How many writes have been committed.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Does a write, and answers once it is durable. Whoever asked may go away at any moment: a
    /// driver's call that is dropped half-way leaves its transaction open, so none is.
    pub(crate) async fn run<W: Write>(&self, write: W) -> Result<W::Answer, StoreError> {
        let runner = self.clone();
        let task = tokio::spawn(async move { runner.try_often(&write).await });
        task.await.unwrap_or_else(|ended| {
            tracing::error!(operation = W::OPERATION, error = %ended, "a write ended early");
            Err(StoreError::Unavailable {
                operation: W::OPERATION,
                source: "the write panicked".into(),
            })
        })
    }

    async fn try_often<W: Write>(&self, write: &W) -> Result<W::Answer, StoreError> {
        let mut perhaps_done = false;
        let mut pause = PAUSE;
        let mut tries = 1;
        loop {
            let lent = self
                .connections
                .lend()
                .await
                .map_err(no_connection(W::OPERATION))?;
            let error = match self.try_once(lent, write, perhaps_done).await {
                Try::Done(answer) => {
                    self.commits.fetch_add(1, Ordering::Relaxed);
                    self.hints.tell(write.hints(&answer));
                    return Ok(answer);
                }
                Try::Undone(error) => error,
                Try::Lost(error) => {
                    self.connections.forget_idle();
                    error
                }
                Try::Unknown(error) => {
                    self.connections.forget_idle();
                    perhaps_done = true;
                    error
                }
            };
            if tries == MOST_TRIES || remedy(&error) == Remedy::None {
                return Err(error);
            }
            tracing::debug!(operation = W::OPERATION, tries, %error, "trying again");
            sleep(pause).await;
            pause *= 2;
            tries += 1;
        }
    }

    async fn try_once<W: Write>(
        &self,
        mut lent: Lent,
        write: &W,
        perhaps_done: bool,
    ) -> Try<W::Answer> {
        // Set before anything is sent that could commit.
        let mut committing = false;
        let tried = timeout(
            LONGEST_TRY,
            transaction(lent.connection(), write, perhaps_done, &mut committing),
        )
        .await
        .unwrap_or_else(|_late| {
            Err(StoreError::Unavailable {
                operation: W::OPERATION,
                source: format!("no answer within {} s", LONGEST_TRY.as_secs()).into(),
            })
        });
        let error = match tried {
            Ok(answer) => {
                lent.give_back();
                return Try::Done(answer);
            }
            Err(error) => error,
        };
        if committing && was_not_answered(&error) {
            return Try::Unknown(error);
        }
        if was_not_answered(&error) || remedy(&error) == Remedy::AnotherConnection {
            return Try::Lost(error);
        }
        let undone = W::ALONE
            || matches!(
                timeout(LONGEST_TRY, execute(lent.connection(), "ROLLBACK")).await,
                Ok(Ok(()))
            );
        if undone {
            lent.give_back();
        }
        // Otherwise the connection is dropped here, and the server undoes what it had begun.
        Try::Undone(error)
    }
}

async fn transaction<W: Write>(
    connection: &mut PgConnection,
    write: &W,
    perhaps_done: bool,
    committing: &mut bool,
) -> Result<W::Answer, StoreError> {
    if W::ALONE {
        *committing = true;
        return write.run(connection, perhaps_done).await;
    }
    execute(connection, "BEGIN")
        .await
        .map_err(fault(W::OPERATION))?;
    let answer = write.run(connection, perhaps_done).await?;
    *committing = true;
    execute(connection, "COMMIT")
        .await
        .map_err(fault(W::OPERATION))?;
    Ok(answer)
}

/// Sends a statement without parameters.
async fn execute(connection: &mut PgConnection, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(sql).execute(connection).await.map(drop)
}

/// Whether an error stands in for an answer that never came. What the server itself said is an
/// answer, and it says nothing of the kind after a commit; except that it is going down, which it
/// may also say after one.
fn was_not_answered(error: &StoreError) -> bool {
    let StoreError::Unavailable { source, .. } = error else {
        return false;
    };
    match source.downcast_ref::<sqlx::Error>() {
        Some(sqlx::Error::Database(error)) => error
            .code()
            .is_some_and(|code| code.starts_with("57P0") || code.starts_with("08")),
        Some(sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_)) => true,
        // A value that cannot be read, say: the connection has answered.
        Some(_) => false,
        // Ours: it took too long.
        None => true,
    }
}

/// Why there is no connection, as the store says it.
pub(crate) fn no_connection(operation: &'static str) -> impl Fn(ConnectError) -> StoreError {
    move |error| StoreError::Unavailable {
        operation,
        source: Box::new(error),
    }
}

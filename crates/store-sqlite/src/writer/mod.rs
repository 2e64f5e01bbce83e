//! The one writer, and its group commit.
//!
//! A durable commit costs a flush of the disk, whatever it holds. So the writes that wait while one
//! is made go into the next together, and all are answered once that commit is durable. A write
//! runs in the writer's task: whoever asked for it may go away at any moment without leaving a
//! transaction open.
//!
//! A write that fails half-way must leave nothing, and its neighbours must not notice. A savepoint
//! around each would see to that, but costs every write the copies that SQLite then makes of the
//! pages it touches, for failures that hardly ever happen. So the writes run one after the other
//! without; when one fails, all is rolled back and they run again, each in a savepoint.

use crate::fault::shared_fault;
use futures::{FutureExt, future::BoxFuture};
use liaison_ports::store::StoreError;
use sqlx::{Connection, SqliteConnection};
use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// More writes than this in one commit gain nothing: the flush is spread thin enough, and the first
/// of them waits for the last.
const MOST_IN_A_COMMIT: usize = 256;

/// Writes that wait their turn. Beyond four full commits, whoever asks waits to ask.
const MOST_WAITING: usize = 4 * MOST_IN_A_COMMIT;

const BEGIN: &str = "BEGIN IMMEDIATE";
const MARK: &str = "SAVEPOINT one";
const KEEP: &str = "RELEASE one";
const UNDO: &str = "ROLLBACK TO one; RELEASE one";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// Hands writes to the writer's task.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    task: Mutex<Option<JoinHandle<()>>>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the task. It ends when the writer is dropped or closed, after the writes that wait.
    pub(crate) fn start(connection: SqliteConnection) -> Self {
        let (queue, jobs) = mpsc::channel(MOST_WAITING);
        let commits = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(write_all(connection, jobs, Arc::clone(&commits)));
        Self {
            queue: Mutex::new(Some(queue)),
            task: Mutex::new(Some(task)),
            commits,
        }
    }

    /// Runs one write, and answers when it is durable. `body` may run twice: what the first run
    /// did is rolled back then. [`StoreError::Fenced`] and [`StoreError::NewerInputs`] promise that
    /// it wrote nothing.
    pub(crate) async fn run<D, T>(
        &self,
        operation: &'static str,
        data: D,
        body: Body<D, T>,
    ) -> Result<T, StoreError>
    where
        D: Send + Sync + 'static,
        T: Send + 'static,
    {
        let closed = || StoreError::Unavailable {
            operation,
            source: "the store is closed".into(),
        };
        let queue = lock(&self.queue).clone().ok_or_else(closed)?;
        let (reply, answer) = oneshot::channel();
        let write = Write {
            operation,
            data,
            body,
            result: None,
            reply,
        };
        queue.send(Box::new(write)).await.map_err(|_| closed())?;
        // The task ends when nobody can send any more, and whoever only waits for an answer cannot.
        drop(queue);
        answer.await.map_err(|_| closed())?
    }

    /// How many commits there have been.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Does what waits, moves the log into the database and closes the connection.
    pub(crate) async fn close(&self) {
        drop(lock(&self.queue).take());
        let task = lock(&self.task).take();
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the writer did not end by itself");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a write does with its data.
pub(crate) type Body<D, T> =
    for<'a> fn(&'a mut SqliteConnection, &'a D) -> BoxFuture<'a, Result<T, StoreError>>;

/// One write, with the way to answer whoever asked for it.
trait Job: Send {
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, Done>;

    /// Answers; `failure` says why the commit that held it failed, if it did.
    fn answer(self: Box<Self>, failure: Option<&Failure>);
}

/// Whether a write is to be kept.
enum Done {
    /// It was done, or wrote nothing.
    Keep,
    /// It may have been done in part.
    Undo,
}

/// Why a whole commit failed.
type Failure = Arc<sqlx::Error>;

struct Write<D, T> {
    operation: &'static str,
    data: D,
    body: Body<D, T>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<D, T> Job for Write<D, T>
where
    D: Send + Sync,
    T: Send,
{
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, Done> {
        Box::pin(async move {
            // A panic is a fault of one write. The others in the commit, and all later ones, have
            // nothing to do with it.
            let body = async { (self.body)(connection, &self.data).await };
            let result = AssertUnwindSafe(body).catch_unwind().await;
            let result = result.unwrap_or_else(|_| {
                tracing::error!(
                    operation = self.operation,
                    "a write panicked; it was undone"
                );
                Err(StoreError::Unavailable {
                    operation: self.operation,
                    source: "the write panicked".into(),
                })
            });
            let done = match result {
                Ok(_) | Err(StoreError::Fenced | StoreError::NewerInputs) => Done::Keep,
                Err(_) => Done::Undo,
            };
            self.result = Some(result);
            done
        })
    }

    fn answer(self: Box<Self>, failure: Option<&Failure>) {
        let operation = self.operation;
        let result = match (failure, self.result) {
            // What was undone before the commit failed has its own reason.
            (_, Some(Err(error))) => Err(error),
            (None, Some(done)) => done,
            (Some(failure), _) => Err(shared_fault(operation, failure)),
            (None, None) => Err(StoreError::Unavailable {
                operation,
                source: "the write was not run".into(),
            }),
        };
        // Whoever asked may have gone away; the write is done all the same.
        let _gone = self.reply.send(result);
    }
}

async fn write_all(
    mut connection: SqliteConnection,
    mut jobs: mpsc::Receiver<Box<dyn Job>>,
    commits: Arc<AtomicU64>,
) {
    let mut batch = Vec::with_capacity(MOST_IN_A_COMMIT);
    while jobs.recv_many(&mut batch, MOST_IN_A_COMMIT).await > 0 {
        let failure = match commit_together(&mut connection, &mut batch).await {
            Ok(()) => {
                commits.fetch_add(1, Ordering::Relaxed);
                None
            }
            Err(error) => {
                // SQLite has rolled back by itself after some errors; then there is nothing to do.
                let _nothing_to_roll_back = execute(&mut connection, ROLLBACK).await;
                Some(Arc::new(error))
            }
        };
        for job in batch.drain(..) {
            job.answer(failure.as_ref());
        }
    }
    if let Err(error) = execute(&mut connection, "PRAGMA wal_checkpoint(TRUNCATE)").await {
        tracing::warn!(%error, "the write-ahead log could not be moved into the database");
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the database could not be closed");
    }
}

/// Runs the batch in one transaction.
async fn commit_together(
    connection: &mut SqliteConnection,
    batch: &mut [Box<dyn Job>],
) -> Result<(), sqlx::Error> {
    execute(connection, BEGIN).await?;
    for job in &mut *batch {
        if let Done::Undo = job.run(connection).await {
            // SQLite has rolled back by itself after some errors; then there is nothing to do.
            let _nothing_to_roll_back = execute(connection, ROLLBACK).await;
            return commit_apart(connection, batch).await;
        }
    }
    execute(connection, COMMIT).await
}

/// Runs the batch in one transaction, in which each write can be undone without the others.
async fn commit_apart(
    connection: &mut SqliteConnection,
    batch: &mut [Box<dyn Job>],
) -> Result<(), sqlx::Error> {
    execute(connection, BEGIN).await?;
    for job in batch {
        execute(connection, MARK).await?;
        let end = match job.run(connection).await {
            Done::Keep => KEEP,
            Done::Undo => UNDO,
        };
        execute(connection, end).await?;
    }
    execute(connection, COMMIT).await
}

async fn execute(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(sql).execute(connection).await.map(drop)
}

#[cfg(test)]
mod tests;

//! The one writer, and its group commit.
//!
//! A durable commit costs a flush of the disk, whatever it holds. So the writes that wait while one
//! is made go into the next together, each inside a savepoint of its own, and all are answered once
//! that commit is durable. A write runs in the writer's task: whoever asked for it may go away at
//! any moment without leaving a transaction open.

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

const BEGIN: &str = "BEGIN IMMEDIATE; SAVEPOINT one";
const KEEP: &str = "RELEASE one";
const UNDO: &str = "ROLLBACK TO one; RELEASE one";
const NEXT: &str = "SAVEPOINT one";
const KEEP_THEN_NEXT: &str = "RELEASE one; SAVEPOINT one";
const KEEP_THEN_COMMIT: &str = "RELEASE one; COMMIT";
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

    /// Runs one write, and answers when it is durable.
    pub(crate) async fn run<T, F>(&self, operation: &'static str, body: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        let closed = || StoreError::Unavailable {
            operation,
            source: "the store is closed".into(),
        };
        let queue = lock(&self.queue).clone().ok_or_else(closed)?;
        let (reply, answer) = oneshot::channel();
        let write = Write {
            operation,
            body: Some(body),
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

/// One write, with the way to answer whoever asked for it.
trait Job: Send {
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, Done>;

    /// Answers; `failure` says why the commit that held it failed, if it did.
    fn answer(self: Box<Self>, failure: Option<&Failure>);
}

/// Whether a write is to be kept.
enum Done {
    Keep,
    Undo,
}

/// Why a whole commit failed.
type Failure = Arc<sqlx::Error>;

struct Write<T, F> {
    operation: &'static str,
    body: Option<F>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Write<T, F>
where
    T: Send + 'static,
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send,
{
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, Done> {
        Box::pin(async move {
            let Some(body) = self.body.take() else {
                return Done::Undo;
            };
            // A panic is a fault of one write. The others in the commit, and all later ones, have
            // nothing to do with it.
            let result = AssertUnwindSafe(async { body(connection).await })
                .catch_unwind()
                .await;
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
            let done = if result.is_ok() {
                Done::Keep
            } else {
                Done::Undo
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

/// Runs the batch in one transaction. Statements that only mark where a write begins and ends are
/// joined, because each costs a way to the connection's thread and back.
async fn commit_together(
    connection: &mut SqliteConnection,
    batch: &mut [Box<dyn Job>],
) -> Result<(), sqlx::Error> {
    execute(connection, BEGIN).await?;
    let last = batch.len().saturating_sub(1);
    for (place, job) in batch.iter_mut().enumerate() {
        match (job.run(connection).await, place == last) {
            (Done::Keep, true) => return execute(connection, KEEP_THEN_COMMIT).await,
            (Done::Keep, false) => execute(connection, KEEP_THEN_NEXT).await?,
            (Done::Undo, true) => {
                execute(connection, UNDO).await?;
                return execute(connection, COMMIT).await;
            }
            (Done::Undo, false) => {
                execute(connection, UNDO).await?;
                execute(connection, NEXT).await?;
            }
        }
    }
    execute(connection, KEEP).await?;
    execute(connection, COMMIT).await
}

async fn execute(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(sql).execute(connection).await.map(drop)
}

#[cfg(test)]
mod tests;

//! What the machine allows: durable commits, and the same work written by hand.

use super::{
    process::{Stopwatch, cpu_time},
    report::Run,
};
use anyhow::{Context, Result};
use sqlx::{
    Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    task::JoinSet,
};

/// Long enough to average over a disk's moods.
const MEASURE_FOR: Duration = Duration::from_secs(3);

/// The most writes that share a commit; the store's own bound is of the same size.
const MOST_TOGETHER: usize = 256;

async fn open(path: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    SqliteConnection::connect_with(&options)
        .await
        .with_context(|| format!("{} cannot be opened", path.display()))
}

/// One-row commits a second, one after the other.
pub(super) async fn commits_per_second(folder: &Path) -> Result<f64> {
    let mut connection = open(&folder.join("commits.db")).await?;
    sqlx::query("CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        .execute(&mut connection)
        .await?;
    let watch = Stopwatch::start();
    let mut count = 0_u32;
    while watch.elapsed() < MEASURE_FOR {
        sqlx::query("INSERT INTO row (body) VALUES ('one durable row')")
            .execute(&mut connection)
            .await?;
        count += 1;
    }
    let rate = f64::from(count) / watch.elapsed().as_secs_f64();
    connection.close().await?;
    Ok(rate)
}

/// A statement with its number of the need, and who waits for it to be durable.
type Write = (&'static str, u32, oneshot::Sender<()>);

/// The least that the work can be: four durable steps for each need, one after the other, many
/// needs at the same time, writes that wait sharing a commit. No rules, no mail, no HTTP, no
/// journal.
pub(super) async fn by_hand(folder: &Path, needs: u32, concurrency: u32) -> Result<Run> {
    const STEPS: [&str; 4] = [
        "INSERT INTO need (id, state, question) VALUES (?1, 'registered', \
         'Would you prefer to arrange the inspection yourself, or have us arrange it for you?')",
        "UPDATE need SET state = 'asked', message = 'ask-' || ?1 WHERE id = ?1",
        "INSERT INTO reply (need, body) VALUES (?1, 'Please arrange it for me.')",
        "UPDATE need SET state = 'fulfilled', value = 'agency', \
         quote = (SELECT body FROM reply WHERE need = ?1) WHERE id = ?1",
    ];

    let mut connection = open(&folder.join("by-hand.db")).await?;
    for table in [
        "CREATE TABLE need (id INTEGER PRIMARY KEY, state TEXT NOT NULL, question TEXT NOT NULL, \
         message TEXT, value TEXT, quote TEXT)",
        "CREATE TABLE reply (need INTEGER PRIMARY KEY, body TEXT NOT NULL)",
    ] {
        sqlx::query(table).execute(&mut connection).await?;
    }
    let cpu = cpu_time()?;
    let watch = Stopwatch::start();
    let (writes, queue) = mpsc::channel::<Write>(MOST_TOGETHER);
    let writer = tokio::spawn(write(connection, queue));
    let permits = Arc::new(Semaphore::new(concurrency as usize));
    let mut running = JoinSet::new();
    for number in 0..needs {
        let permit = permits.clone().acquire_owned().await?;
        let writes = writes.clone();
        running.spawn(async move {
            for step in STEPS {
                let (done, durable) = oneshot::channel();
                writes.send((step, number, done)).await?;
                durable.await?;
            }
            drop(permit);
            anyhow::Ok(())
        });
    }
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    drop(writes);
    let commits = writer.await??;
    let seconds = watch.elapsed().as_secs_f64();
    let cpu = cpu_time()?.saturating_sub(cpu);
    let needs = f64::from(needs);
    Ok(Run {
        needs_per_second: needs / seconds,
        cpu_ms: cpu.as_secs_f64() * 1_000.0 / needs,
        commits: f64::from(commits) / needs,
    })
}

async fn write(mut connection: SqliteConnection, mut queue: mpsc::Receiver<Write>) -> Result<u32> {
    let mut commits = 0;
    let mut together = Vec::with_capacity(MOST_TOGETHER);
    while queue.recv_many(&mut together, MOST_TOGETHER).await > 0 {
        sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut connection)
            .await?;
        for (statement, number, _) in &together {
            sqlx::query(*statement)
                .bind(number)
                .execute(&mut connection)
                .await?;
        }
        sqlx::query("COMMIT").execute(&mut connection).await?;
        commits += 1;
        for (_, _, done) in together.drain(..) {
            // Whoever does not wait any more does not need to know.
            let _ = done.send(());
        }
    }
    connection.close().await?;
    Ok(commits)
}

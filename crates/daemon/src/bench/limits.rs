//! What the machine allows.

use super::process::Stopwatch;
use anyhow::{Context, Result};
use sqlx::{
    Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{path::Path, time::Duration};

/// Long enough to average over a disk's moods.
const MEASURE_FOR: Duration = Duration::from_secs(3);

/// A connection that promises what the store's does.
pub(super) async fn open(path: &Path) -> Result<SqliteConnection> {
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

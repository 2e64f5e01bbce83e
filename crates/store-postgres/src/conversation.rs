//! The lock of a conversation's row, which puts everything that happens to it in one order.
//!
//! A statement reads what was committed when it began; one that waits for a row's lock goes on with
//! the row as it is then, and with everything else as it was before the wait. So a statement that
//! reads inputs, a document or the outbox must begin when the lock is held.

use crate::fault::fault;
use liaison_ports::store::StoreError;
use sqlx::{PgConnection, Row};

/// Locks conversations until the end of the transaction, in the order of their ids, so that nobody
/// who locks several ever waits in a circle. Says which of them there are.
pub(crate) async fn lock(
    connection: &mut PgConnection,
    operation: &'static str,
    ids: &[String],
) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT id FROM conversations WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE",
    )
    .bind(ids)
    .fetch_all(connection)
    .await
    .map_err(fault(operation))?;
    rows.iter()
        .map(|row| row.try_get(0).map_err(fault(operation)))
        .collect()
}

/// Locks a conversation for whoever holds its claim. `false` when that is somebody else by now, or
/// nobody.
pub(crate) async fn lock_claimed(
    connection: &mut PgConnection,
    operation: &'static str,
    id: &str,
    fence: i64,
) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "SELECT 1 FROM conversations WHERE id = $1 AND fence = $2 AND owner IS NOT NULL \
         FOR NO KEY UPDATE",
    )
    .bind(id)
    .bind(fence)
    .fetch_optional(connection)
    .await
    .map_err(fault(operation))?;
    Ok(row.is_some())
}

/// [`StoreError::Fenced`], unless this write may have been done already and the claim has ended
/// without another one: that is what a write that gives it back leaves behind.
pub(crate) async fn unless_given_back(
    connection: &mut PgConnection,
    operation: &'static str,
    id: &str,
    fence: i64,
    perhaps_done: bool,
) -> Result<(), StoreError> {
    if !perhaps_done {
        return Err(StoreError::Fenced);
    }
    sqlx::query("SELECT 1 FROM conversations WHERE id = $1 AND fence = $2 AND owner IS NULL")
        .bind(id)
        .bind(fence)
        .fetch_optional(connection)
        .await
        .map_err(fault(operation))?
        .map(drop)
        .ok_or(StoreError::Fenced)
}

/// Locks names until the end of the transaction: what two who register the same thing at the same
/// time must agree on although there is no row of it yet.
pub(crate) async fn lock_names(
    connection: &mut PgConnection,
    operation: &'static str,
    mut names: Vec<String>,
) -> Result<(), StoreError> {
    names.sort();
    names.dedup();
    sqlx::query(
        "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name",
    )
    .bind(names)
    .execute(connection)
    .await
    .map(drop)
    .map_err(fault(operation))
}

//! API keys, by their hashes.

use crate::{
    codec::{micros, name, named, time, time_if_any},
    fault::fault,
    readers::Readers,
};
use jiff::Timestamp;
use liaison_core::id::TenantId;
use liaison_ports::store::{KeyRow, StoreError};
use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};

pub(crate) const ADD: &str = "add an API key";
pub(crate) const REVOKE: &str = "revoke an API key";
const READ: &str = "read API keys";

pub(crate) async fn add(connection: &mut SqliteConnection, key: &KeyRow) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO api_keys (id, tenant, name, scope, hash, created_at, revoked_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )
    .bind(&key.id)
    .bind(key.tenant.as_str())
    .bind(&key.name)
    .bind(name(ADD, &key.scope)?)
    .bind(&key.hash)
    .bind(micros(key.created_at))
    .bind(key.revoked_at.map(micros))
    .execute(connection)
    .await
    .map(drop)
    .map_err(fault(ADD))
}

pub(crate) async fn revoke(
    connection: &mut SqliteConnection,
    tenant: &TenantId,
    id: &str,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let revoked = sqlx::query(
        "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3) WHERE id = ?1 AND tenant = ?2",
    )
    .bind(id)
    .bind(tenant.as_str())
    .bind(micros(at))
    .execute(connection)
    .await
    .map_err(fault(REVOKE))?;
    Ok(revoked.rows_affected() == 1)
}

pub(crate) async fn by_hash(readers: &Readers, hash: &str) -> Result<Option<KeyRow>, StoreError> {
    let row = sqlx::query("SELECT * FROM api_keys WHERE hash = ?1")
        .bind(hash)
        .fetch_optional(&mut *readers.one().await.map_err(fault(READ))?)
        .await
        .map_err(fault(READ))?;
    row.as_ref().map(key).transpose()
}

pub(crate) async fn of_tenant(
    readers: &Readers,
    tenant: &TenantId,
) -> Result<Vec<KeyRow>, StoreError> {
    let rows = sqlx::query("SELECT * FROM api_keys WHERE tenant = ?1 ORDER BY id")
        .bind(tenant.as_str())
        .fetch_all(&mut *readers.one().await.map_err(fault(READ))?)
        .await
        .map_err(fault(READ))?;
    rows.iter().map(key).collect()
}

fn key(row: &SqliteRow) -> Result<KeyRow, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(fault(READ));
    Ok(KeyRow {
        id: text("id")?,
        tenant: TenantId::new(text("tenant")?),
        name: text("name")?,
        scope: named(READ, &text("scope")?)?,
        hash: text("hash")?,
        created_at: time(READ, row.try_get("created_at").map_err(fault(READ))?)?,
        revoked_at: time_if_any(READ, row.try_get("revoked_at").map_err(fault(READ))?)?,
    })
}

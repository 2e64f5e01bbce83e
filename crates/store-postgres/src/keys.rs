//! API keys, by their hashes.

use crate::{connections::Connections, fault::fault, hints::Hint, run::Write, text::clean};
use async_trait::async_trait;
use liaison_core::id::TenantId;
use liaison_ports::{
    codec::{micros, name, named, time, time_if_any},
    store::{KeyRow, StoreError},
};
use sqlx::{PgConnection, Row, postgres::PgRow};

const ADD: &str = "add an API key";
const REVOKE: &str = "revoke an API key";
const READ: &str = "read API keys";

/// Adding a key.
pub(crate) struct Adding(pub(crate) KeyRow);

#[async_trait]
impl Write for Adding {
    const OPERATION: &'static str = ADD;
    const ALONE: bool = true;
    type Answer = ();

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<(), StoreError> {
        let key = &self.0;
        if perhaps_done && self.is_there(connection).await? {
            return Ok(());
        }
        sqlx::query(
            "INSERT INTO api_keys (id, tenant, name, scope, hash, created_at, revoked_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(&key.id)
        .bind(key.tenant.as_str())
        .bind(clean(&key.name))
        .bind(name(ADD, &key.scope)?)
        .bind(&key.hash)
        .bind(micros(key.created_at))
        .bind(key.revoked_at.map(micros))
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(ADD))
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        Vec::new()
    }
}

impl Adding {
    async fn is_there(&self, connection: &mut PgConnection) -> Result<bool, StoreError> {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM api_keys WHERE id = $1 AND hash = $2)")
            .bind(&self.0.id)
            .bind(&self.0.hash)
            .fetch_one(connection)
            .await
            .map_err(fault(ADD))
    }
}

/// Revoking a key.
pub(crate) struct Revoking {
    pub(crate) tenant: String,
    pub(crate) id: String,
    pub(crate) at: i64,
}

#[async_trait]
impl Write for Revoking {
    const OPERATION: &'static str = REVOKE;
    const ALONE: bool = true;
    type Answer = bool;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<bool, StoreError> {
        let revoked = sqlx::query(
            "UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3) \
             WHERE id = $1 AND tenant = $2",
        )
        .bind(&self.id)
        .bind(&self.tenant)
        .bind(self.at)
        .execute(connection)
        .await
        .map_err(fault(REVOKE))?;
        Ok(revoked.rows_affected() == 1)
    }

    fn hints(&self, _answer: &bool) -> Vec<Hint> {
        Vec::new()
    }
}

pub(crate) async fn by_hash(
    connections: &Connections,
    hash: &str,
) -> Result<Option<KeyRow>, StoreError> {
    let row = connections.row(READ, || { sqlx::query("SELECT id, tenant, name, scope, hash, created_at, revoked_at FROM api_keys WHERE hash = $1")
        .bind(hash) }).await?;
    row.as_ref().map(key).transpose()
}

pub(crate) async fn of_tenant(
    connections: &Connections,
    tenant: &TenantId,
) -> Result<Vec<KeyRow>, StoreError> {
    let rows = connections.rows(READ, || { sqlx::query("SELECT id, tenant, name, scope, hash, created_at, revoked_at FROM api_keys WHERE tenant = $1 ORDER BY id")
        .bind(tenant.as_str()) }).await?;
    rows.iter().map(key).collect()
}

fn key(row: &PgRow) -> Result<KeyRow, StoreError> {
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

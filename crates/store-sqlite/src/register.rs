//! Registering needs.

use crate::{
    codec::{from_json, micros, name, time},
    fault::fault,
    readers::Readers,
};
use liaison_core::{
    id::{ConversationId, NeedId, TenantId},
    need::Outcome,
    stakeholder::Stakeholder,
};
use liaison_ports::{
    encoded::EncodedNeed,
    facts,
    store::{NeedRow, NewNeed, Registered, StoreError},
};
use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};

pub(crate) const REGISTER: &str = "register a need";

/// A registration, encoded by whoever asks, so that the writer only writes.
pub(crate) struct Registering(EncodedNeed);

impl Registering {
    pub(crate) fn prepare(need: NewNeed) -> Result<Self, StoreError> {
        EncodedNeed::of(REGISTER, need).map(Self)
    }

    pub(crate) async fn run(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<Registered, StoreError> {
        if let Some(before) = self.registered_before(connection).await? {
            return Ok(before);
        }
        let conversation =
            match home(connection, &self.0.need.tenant, &self.0.need.stakeholder).await? {
                Some(id) => id,
                None => {
                    self.open(connection).await?;
                    self.0.input.conversation.clone()
                }
            };
        self.insert(connection, &conversation).await?;
        Ok(Registered::New {
            conversation: ConversationId::new(conversation),
        })
    }

    async fn registered_before(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<Option<Registered>, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM needs WHERE tenant = ?1 AND idempotency_key = ?2 \
             UNION ALL SELECT * FROM needs WHERE id = ?3 LIMIT 1",
        )
        .bind(self.0.need.tenant.as_str())
        .bind(self.0.need.idempotency_key.as_deref())
        .bind(self.0.need.registration.need.as_str())
        .fetch_optional(connection)
        .await
        .map_err(fault(REGISTER))?;
        row.map(|row| compared(&row, &self.0.need.tenant, &self.0.need.request_hash))
            .transpose()
    }

    async fn open(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO conversations (id, tenant, stakeholder_key, label, reply_token, \
             last_activity, open_needs) VALUES (?, ?, ?, ?, ?, ?, 0); \
             INSERT INTO documents (conversation, document) VALUES (?, ?); \
             INSERT INTO openings (conversation, opening) VALUES (?, ?)",
        )
        .bind(&self.0.input.conversation)
        .bind(self.0.need.tenant.as_str())
        .bind(self.0.facts.key.as_deref())
        .bind(&self.0.facts.label)
        .bind(&self.0.need.opening.reply_token)
        .bind(micros(self.0.need.opening.at))
        .bind(&self.0.input.conversation)
        .bind(&self.0.document)
        .bind(&self.0.input.conversation)
        .bind(&self.0.opening)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(REGISTER))
    }

    async fn insert(
        &self,
        connection: &mut SqliteConnection,
        conversation: &str,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO needs (id, tenant, conversation, idempotency_key, request_hash, \
             registered_at, registration) VALUES (?, ?, ?, ?, ?, ?, ?); \
             INSERT OR IGNORE INTO contacts (tenant, channel, address, conversation) \
             SELECT ?, value ->> 0, value ->> 1, ? FROM json_each(?); \
             INSERT INTO inputs (conversation, tenant, dedupe_key, at, body) \
             VALUES (?, ?, ?, ?, ?); \
             UPDATE conversations SET wake_at = min(coalesce(wake_at, ?), ?), \
             last_activity = max(last_activity, ?), open_needs = open_needs + 1 WHERE id = ?",
        )
        .bind(self.0.need.registration.need.as_str())
        .bind(self.0.need.tenant.as_str())
        .bind(conversation)
        .bind(self.0.need.idempotency_key.as_deref())
        .bind(&self.0.need.request_hash)
        .bind(self.0.at)
        .bind(&self.0.registration)
        .bind(self.0.need.tenant.as_str())
        .bind(conversation)
        .bind(&self.0.contacts)
        .bind(conversation)
        .bind(self.0.need.tenant.as_str())
        .bind(&self.0.input.dedupe_key)
        .bind(self.0.at)
        .bind(&self.0.input.body)
        .bind(self.0.at)
        .bind(self.0.at)
        .bind(self.0.at)
        .bind(conversation)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(REGISTER))
    }
}

/// The conversation that a need about this person belongs to, if there is one: by the stakeholder's key, else
/// by the first contact where only one conversation has it.
pub(crate) async fn home(
    connection: &mut SqliteConnection,
    tenant: &TenantId,
    stakeholder: &Stakeholder,
) -> Result<Option<String>, StoreError> {
    let key = stakeholder.key.as_deref();
    let first = facts::contacts(stakeholder).into_iter().next();
    let (channel, address) = match &first {
        Some((channel, address)) => (Some(name(REGISTER, channel)?), Some(address.as_str())),
        None => (None, None),
    };
    let rows = sqlx::query(
        "SELECT 1 AS by_key, id FROM (SELECT id FROM conversations \
         WHERE tenant = ?1 AND stakeholder_key = ?2 ORDER BY id LIMIT 1) \
         UNION ALL \
         SELECT 0, id FROM (SELECT c.id FROM contacts k \
         JOIN conversations c ON c.id = k.conversation \
         WHERE k.tenant = ?1 AND k.channel = ?3 AND k.address = ?4 \
         AND (c.stakeholder_key IS NULL OR ?2 IS NULL) LIMIT 2)",
    )
    .bind(tenant.as_str())
    .bind(key)
    .bind(channel)
    .bind(address)
    .fetch_all(connection)
    .await
    .map_err(fault(REGISTER))?;
    let mut by_contact = Vec::new();
    for row in rows {
        let id: String = row.try_get("id").map_err(fault(REGISTER))?;
        if row.try_get::<i64, _>("by_key").map_err(fault(REGISTER))? == 1 {
            return Ok(Some(id));
        }
        by_contact.push(id);
    }
    Ok(by_contact.pop().filter(|_| by_contact.is_empty()))
}

/// A need from the columns of its table.
pub(crate) fn need_row(operation: &'static str, row: &SqliteRow) -> Result<NeedRow, StoreError> {
    let id: String = row.try_get("id").map_err(fault(operation))?;
    let registration: &str = row.try_get("registration").map_err(fault(operation))?;
    let outcome: Option<&str> = row.try_get("outcome").map_err(fault(operation))?;
    let conversation: String = row.try_get("conversation").map_err(fault(operation))?;
    let registered_at = row.try_get("registered_at").map_err(fault(operation))?;
    Ok(NeedRow {
        registration: from_json(operation, &format!("need {id}"), registration)?,
        outcome: outcome
            .map(|text| from_json::<Outcome>(operation, &format!("the outcome of need {id}"), text))
            .transpose()?,
        conversation: ConversationId::new(conversation),
        registered_at: time(operation, registered_at)?,
        id: NeedId::new(id),
    })
}

/// What became of an earlier registration with a key.
pub(crate) async fn with_key(
    readers: &Readers,
    tenant: &TenantId,
    idempotency_key: &str,
    request_hash: &str,
) -> Result<Option<Registered>, StoreError> {
    sqlx::query("SELECT * FROM needs WHERE tenant = ?1 AND idempotency_key = ?2")
        .bind(tenant.as_str())
        .bind(idempotency_key)
        .fetch_optional(&mut *readers.one().await.map_err(fault(REGISTER))?)
        .await
        .map_err(fault(REGISTER))?
        .map(|row| compared(&row, tenant, request_hash))
        .transpose()
}

/// Whether a registration is that of `row` again, or only uses its key or id.
fn compared(
    row: &SqliteRow,
    tenant: &TenantId,
    request_hash: &str,
) -> Result<Registered, StoreError> {
    let of: &str = row.try_get("tenant").map_err(fault(REGISTER))?;
    let hash: &str = row.try_get("request_hash").map_err(fault(REGISTER))?;
    Ok(if of == tenant.as_str() && hash == request_hash {
        Registered::Existing(Box::new(need_row(REGISTER, row)?))
    } else {
        Registered::KeyReused
    })
}

//! Inputs: stored first, acknowledged only then.

use crate::{
    codec::{from_json, json, micros, name, time},
    fault::{corrupt, fault},
};
use liaison_core::{
    id::ConversationId,
    input::{Input, StoredInput},
    need::Outcome,
    transition,
};
use liaison_ports::{
    facts::{self, Facts},
    store::{
        Appended, MessageRow, NeedRow, NewInput, NewMessage, NewNeed, Registered, StoreError,
        Unmatched,
    },
};
use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};

pub(crate) const REGISTER: &str = "register a need";
pub(crate) const APPEND: &str = "append inputs";
pub(crate) const RECEIVE: &str = "receive a message";
pub(crate) const FILE: &str = "file an unmatched message";

/// An input as it goes into its row.
pub(crate) struct EncodedInput {
    pub(crate) conversation: String,
    pub(crate) dedupe_key: String,
    pub(crate) at: i64,
    pub(crate) body: String,
}

impl EncodedInput {
    pub(crate) fn of(operation: &'static str, new: NewInput) -> Result<Self, StoreError> {
        Ok(Self {
            conversation: new.conversation.as_str().to_owned(),
            dedupe_key: new.dedupe_key,
            at: micros(new.at),
            body: json(operation, &new.input)?,
        })
    }
}

pub(crate) fn encode(
    operation: &'static str,
    inputs: Vec<NewInput>,
) -> Result<Vec<EncodedInput>, StoreError> {
    inputs
        .into_iter()
        .map(|input| EncodedInput::of(operation, input))
        .collect()
}

/// Appends an input, and makes its conversation due.
pub(crate) async fn append(
    connection: &mut SqliteConnection,
    operation: &'static str,
    input: &EncodedInput,
) -> Result<Appended, StoreError> {
    // `changes()` in the second statement counts what the first one did: nothing, for a duplicate.
    let rows = sqlx::query(
        "INSERT INTO inputs (conversation, tenant, dedupe_key, at, body) \
         SELECT id, tenant, ?, ?, ? FROM conversations WHERE id = ? \
         ON CONFLICT (tenant, dedupe_key) DO NOTHING RETURNING seq; \
         UPDATE conversations SET wake_at = min(coalesce(wake_at, ?), ?), \
         last_activity = max(last_activity, ?) WHERE id = ? AND changes() > 0",
    )
    .bind(&input.dedupe_key)
    .bind(input.at)
    .bind(&input.body)
    .bind(&input.conversation)
    .bind(input.at)
    .bind(input.at)
    .bind(input.at)
    .bind(&input.conversation)
    .fetch_all(&mut *connection)
    .await
    .map_err(fault(operation))?;
    if let Some(row) = rows.first() {
        return Ok(Appended::At(row.try_get(0).map_err(fault(operation))?));
    }
    let exists = sqlx::query("SELECT 1 FROM conversations WHERE id = ?1")
        .bind(&input.conversation)
        .fetch_optional(connection)
        .await
        .map_err(fault(operation))?;
    Ok(match exists {
        Some(_) => Appended::Duplicate,
        None => Appended::NoConversation,
    })
}

/// A stored input from the columns `seq`, `at` and `body`.
pub(crate) fn stored_input(
    operation: &'static str,
    row: &SqliteRow,
) -> Result<StoredInput, StoreError> {
    let seq: i64 = row.try_get("seq").map_err(fault(operation))?;
    let body: &str = row.try_get("body").map_err(fault(operation))?;
    Ok(StoredInput {
        seq,
        at: time(operation, row.try_get("at").map_err(fault(operation))?)?,
        input: from_json(operation, &format!("input {seq}"), body)?,
    })
}

/// A registration, encoded.
pub(crate) struct Registering {
    need: NewNeed,
    at: i64,
    registration: String,
    input: EncodedInput,
    opening: String,
    document: String,
    facts: Facts,
    contacts: String,
}

impl Registering {
    pub(crate) fn prepare(need: NewNeed) -> Result<Self, StoreError> {
        let document = transition::open(need.opening.clone());
        let input = Input::NeedRegistered {
            registration: Box::new(need.registration.clone()),
            stakeholder: Box::new(need.stakeholder.clone()),
        };
        Ok(Self {
            at: micros(need.at),
            registration: json(REGISTER, &need.registration)?,
            input: EncodedInput::of(
                REGISTER,
                NewInput {
                    conversation: need.opening.id.clone(),
                    dedupe_key: facts::registration_key(&need.registration.need),
                    at: need.at,
                    input,
                },
            )?,
            opening: json(REGISTER, &need.opening)?,
            document: json(REGISTER, &document)?,
            facts: Facts::of(&document),
            contacts: json(REGISTER, &facts::contacts(&need.stakeholder))?,
            need,
        })
    }

    pub(crate) async fn run(
        mut self,
        connection: &mut SqliteConnection,
    ) -> Result<Registered, StoreError> {
        if let Some(before) = self.registered_before(connection).await? {
            return Ok(before);
        }
        match self.home(connection).await? {
            Some(id) => self.input.conversation = id,
            None => self.open(connection).await?,
        }
        self.insert(connection).await?;
        Ok(Registered::New {
            conversation: ConversationId::new(self.input.conversation),
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
        .bind(self.need.tenant.as_str())
        .bind(self.need.idempotency_key.as_deref())
        .bind(self.need.registration.need.as_str())
        .fetch_optional(connection)
        .await
        .map_err(fault(REGISTER))?;
        let Some(row) = row else { return Ok(None) };
        let tenant: &str = row.try_get("tenant").map_err(fault(REGISTER))?;
        let hash: &str = row.try_get("request_hash").map_err(fault(REGISTER))?;
        let same = tenant == self.need.tenant.as_str() && hash == self.need.request_hash;
        Ok(Some(if same {
            Registered::Existing(Box::new(need_row(REGISTER, &row)?))
        } else {
            Registered::KeyReused
        }))
    }

    /// The conversation that the need belongs to, if there is one: by the stakeholder's key, else
    /// by the first contact where only one conversation has it.
    async fn home(&self, connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
        let key = self.need.stakeholder.key.as_deref();
        let first = facts::contacts(&self.need.stakeholder).into_iter().next();
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
        .bind(self.need.tenant.as_str())
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

    async fn open(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO conversations (id, tenant, stakeholder_key, label, reply_token, \
             last_activity, open_needs) VALUES (?, ?, ?, ?, ?, ?, 0); \
             INSERT INTO documents (conversation, document) VALUES (?, ?); \
             INSERT INTO openings (conversation, opening) VALUES (?, ?)",
        )
        .bind(&self.input.conversation)
        .bind(self.need.tenant.as_str())
        .bind(self.facts.key.as_deref())
        .bind(&self.facts.label)
        .bind(&self.need.opening.reply_token)
        .bind(micros(self.need.opening.at))
        .bind(&self.input.conversation)
        .bind(&self.document)
        .bind(&self.input.conversation)
        .bind(&self.opening)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(REGISTER))
    }

    async fn insert(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
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
        .bind(self.need.registration.need.as_str())
        .bind(self.need.tenant.as_str())
        .bind(&self.input.conversation)
        .bind(self.need.idempotency_key.as_deref())
        .bind(&self.need.request_hash)
        .bind(self.at)
        .bind(&self.registration)
        .bind(self.need.tenant.as_str())
        .bind(&self.input.conversation)
        .bind(&self.contacts)
        .bind(&self.input.conversation)
        .bind(self.need.tenant.as_str())
        .bind(&self.input.dedupe_key)
        .bind(self.at)
        .bind(&self.input.body)
        .bind(self.at)
        .bind(self.at)
        .bind(self.at)
        .bind(&self.input.conversation)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(REGISTER))
    }
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
        id: liaison_core::id::NeedId::new(id),
    })
}

/// A received message, encoded.
pub(crate) struct Receiving {
    message: NewMessage,
    input: EncodedInput,
}

impl Receiving {
    pub(crate) fn prepare(mut message: NewMessage) -> Result<Self, StoreError> {
        message.row.conversation = message.input.conversation.clone();
        Ok(Self {
            input: EncodedInput::of(RECEIVE, message.input.clone())?,
            message,
        })
    }

    pub(crate) async fn run(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<Appended, StoreError> {
        let appended = append(connection, RECEIVE, &self.input).await?;
        if !matches!(appended, Appended::At(_)) {
            return Ok(appended);
        }
        insert_message(connection, RECEIVE, &self.message.row).await?;
        for (id, file) in &self.message.files {
            sqlx::query(
                "INSERT INTO blobs (id, tenant, conversation, at, name, media_type, bytes) \
                 SELECT ?2, tenant, id, ?3, ?4, ?5, ?6 FROM conversations WHERE id = ?1",
            )
            .bind(&self.input.conversation)
            .bind(id.as_str())
            .bind(self.input.at)
            .bind(&file.name)
            .bind(&file.media_type)
            .bind(&file.bytes)
            .execute(&mut *connection)
            .await
            .map_err(fault(RECEIVE))?;
        }
        Ok(appended)
    }
}

async fn insert_message(
    connection: &mut SqliteConnection,
    operation: &'static str,
    row: &MessageRow,
) -> Result<(), StoreError> {
    let inserted = sqlx::query(
        "INSERT INTO messages (id, conversation, tenant, direction, channel, at, address, \
         subject, text, transport_id) \
         SELECT ?2, id, tenant, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM conversations WHERE id = ?1",
    )
    .bind(row.conversation.as_str())
    .bind(row.id.as_str())
    .bind(name(operation, &row.direction)?)
    .bind(name(operation, &row.channel)?)
    .bind(micros(row.at))
    .bind(&row.address)
    .bind(&row.subject)
    .bind(&row.text)
    .bind(row.transport_id.as_deref())
    .execute(connection)
    .await
    .map_err(fault(operation))?;
    match inserted.rows_affected() {
        1 => Ok(()),
        _ => Err(corrupt(operation, "a message has no conversation")),
    }
}

pub(crate) async fn file_unmatched(
    connection: &mut SqliteConnection,
    message: &Unmatched,
) -> Result<Appended, StoreError> {
    let rows = sqlx::query(
        "INSERT INTO unmatched (id, tenant, dedupe_key, at, sender, subject, why, raw) \
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 \
         WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE tenant = ?2 AND dedupe_key = ?3) \
         ON CONFLICT (tenant, dedupe_key) DO NOTHING RETURNING seq",
    )
    .bind(message.id.as_str())
    .bind(message.tenant.as_str())
    .bind(&message.dedupe_key)
    .bind(micros(message.at))
    .bind(&message.from)
    .bind(&message.subject)
    .bind(&message.why)
    .bind(&message.raw)
    .fetch_all(connection)
    .await
    .map_err(fault(FILE))?;
    match rows.first() {
        Some(row) => Ok(Appended::At(row.try_get(0).map_err(fault(FILE))?)),
        None => Ok(Appended::Duplicate),
    }
}

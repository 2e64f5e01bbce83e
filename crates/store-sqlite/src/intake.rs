//! Inputs: stored first, acknowledged only then.

use crate::{
    codec::{micros, name},
    fault::{corrupt, fault},
};
use liaison_core::input::StoredInput;
use liaison_ports::{
    encoded::{self, EncodedInput},
    facts,
    store::{Appended, CommandAppended, MessageRow, NewCommand, NewMessage, StoreError, Unmatched},
};
use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};

pub(crate) const APPEND: &str = "append inputs";
pub(crate) const COMMAND: &str = "append a command";
pub(crate) const RECEIVE: &str = "receive a message";
pub(crate) const FILE: &str = "file an unmatched message";

/// Appends inputs, each once.
pub(crate) async fn append_all(
    connection: &mut SqliteConnection,
    inputs: &[EncodedInput],
) -> Result<Vec<Appended>, StoreError> {
    let mut appended = Vec::with_capacity(inputs.len());
    for input in inputs {
        appended.push(append(connection, APPEND, input).await?);
    }
    Ok(appended)
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

/// A command, encoded.
pub(crate) struct Commanding {
    prefix: Option<String>,
    inputs: Vec<EncodedInput>,
}

impl Commanding {
    pub(crate) fn prepare(command: NewCommand) -> Result<Self, StoreError> {
        Ok(Self {
            prefix: command.prefix,
            inputs: EncodedInput::all(COMMAND, command.inputs)?,
        })
    }

    pub(crate) async fn run(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<CommandAppended, StoreError> {
        let Some(first) = self.inputs.first() else {
            return Ok(CommandAppended::Repeated);
        };
        if let Some(prefix) = &self.prefix {
            let tenant: Option<String> =
                sqlx::query_scalar("SELECT tenant FROM conversations WHERE id = ?1")
                    .bind(&first.conversation)
                    .fetch_optional(&mut *connection)
                    .await
                    .map_err(fault(COMMAND))?;
            let Some(tenant) = tenant else {
                return Ok(CommandAppended::NoConversation);
            };
            match key_that_begins(connection, &tenant, prefix).await? {
                Some(before) if before == first.dedupe_key => {
                    return Ok(CommandAppended::Repeated);
                }
                Some(_) => return Ok(CommandAppended::KeyReused),
                None => {}
            }
        }
        for input in &self.inputs {
            match append(connection, COMMAND, input).await? {
                Appended::At(_) => {}
                Appended::Duplicate => return Ok(CommandAppended::Repeated),
                Appended::NoConversation => return Ok(CommandAppended::NoConversation),
            }
        }
        Ok(CommandAppended::New)
    }
}

/// The first dedupe key of a tenant that begins with `prefix`, which ends with a colon.
pub(crate) async fn key_that_begins(
    connection: &mut SqliteConnection,
    tenant: &str,
    prefix: &str,
) -> Result<Option<String>, StoreError> {
    sqlx::query_scalar(
        "SELECT dedupe_key FROM inputs WHERE tenant = ?1 AND dedupe_key >= ?2 \
         AND dedupe_key < ?3 ORDER BY dedupe_key LIMIT 1",
    )
    .bind(tenant)
    .bind(prefix)
    .bind(facts::beyond(prefix))
    .fetch_optional(connection)
    .await
    .map_err(fault(COMMAND))
}

/// A stored input from the columns `seq`, `at` and `body`.
pub(crate) fn stored_input(
    operation: &'static str,
    row: &SqliteRow,
) -> Result<StoredInput, StoreError> {
    let seq: i64 = row.try_get("seq").map_err(fault(operation))?;
    let body: &str = row.try_get("body").map_err(fault(operation))?;
    let at = row.try_get("at").map_err(fault(operation))?;
    encoded::stored_input(operation, seq, at, body)
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
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<Appended, StoreError> {
        let appended = append(connection, RECEIVE, &self.input).await?;
        if !matches!(appended, Appended::At(_)) {
            return Ok(appended);
        }
        insert_message(connection, RECEIVE, &self.message.row).await?;
        if let Some(was) = &self.message.was_unmatched {
            sqlx::query(
                "DELETE FROM unmatched WHERE id = ?1 \
                 AND tenant = (SELECT tenant FROM conversations WHERE id = ?2)",
            )
            .bind(was.as_str())
            .bind(&self.input.conversation)
            .execute(&mut *connection)
            .await
            .map_err(fault(RECEIVE))?;
        }
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

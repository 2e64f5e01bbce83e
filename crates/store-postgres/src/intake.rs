//! Inputs: stored first, acknowledged only then.

use crate::{
    connections::Connections,
    conversation::{lock, lock_names},
    fault::{corrupt, fault},
    hints::Hint,
    run::Write,
    text::{clean, clean_if_any},
};
use async_trait::async_trait;
use liaison_core::input::StoredInput;
use liaison_ports::{
    codec::{micros, name},
    encoded::{self, EncodedInput},
    facts,
    store::{
        Appended, CommandAppended, MessageRow, NewCommand, NewInput, NewMessage, StoreError,
        Unmatched,
    },
};
use sqlx::{PgConnection, Row, postgres::PgRow};
use std::collections::HashSet;

const APPEND: &str = "append inputs";
const COMMAND: &str = "append a command";
const RECEIVE: &str = "receive a message";
const FILE: &str = "file an unmatched message";

/// Appends an input to a conversation whose row is locked, and makes it due.
pub(crate) async fn append_locked(
    connection: &mut PgConnection,
    operation: &'static str,
    input: &EncodedInput,
) -> Result<Appended, StoreError> {
    let row = sqlx::query(
        "WITH added AS (INSERT INTO inputs (conversation, tenant, dedupe_key, at, body) \
         SELECT id, tenant, $2, $3, $4 FROM conversations WHERE id = $1 \
         ON CONFLICT (tenant, dedupe_key) DO NOTHING RETURNING seq, conversation), \
         woken AS (UPDATE conversations c SET wake_at = least(c.wake_at, $3), \
         last_activity = greatest(c.last_activity, $3) FROM added WHERE c.id = added.conversation) \
         SELECT seq FROM added",
    )
    .bind(&input.conversation)
    .bind(clean(&input.dedupe_key))
    .bind(input.at)
    .bind(&input.body)
    .fetch_optional(connection)
    .await
    .map_err(fault(operation))?;
    match row {
        Some(row) => Ok(Appended::At(row.try_get(0).map_err(fault(operation))?)),
        None => Ok(Appended::Duplicate),
    }
}

/// Locks the conversations of inputs and appends each input once.
async fn append_all(
    connection: &mut PgConnection,
    operation: &'static str,
    inputs: &[EncodedInput],
) -> Result<Vec<Appended>, StoreError> {
    let ids: Vec<String> = inputs
        .iter()
        .map(|input| input.conversation.clone())
        .collect();
    let known: HashSet<String> = lock(connection, operation, &ids)
        .await?
        .into_iter()
        .collect();
    let mut appended = Vec::with_capacity(inputs.len());
    for input in inputs {
        appended.push(match known.contains(&input.conversation) {
            true => append_locked(connection, operation, input).await?,
            false => Appended::NoConversation,
        });
    }
    Ok(appended)
}

/// Inputs of any conversations.
pub(crate) struct Appending(Vec<EncodedInput>);

impl Appending {
    pub(crate) fn of(inputs: Vec<NewInput>) -> Result<Self, StoreError> {
        EncodedInput::all(APPEND, inputs).map(Self)
    }
}

#[async_trait]
impl Write for Appending {
    const OPERATION: &'static str = APPEND;
    type Answer = Vec<Appended>;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<Vec<Appended>, StoreError> {
        append_all(connection, APPEND, &self.0).await
    }

    fn hints(&self, _answer: &Vec<Appended>) -> Vec<Hint> {
        vec![Hint::Work]
    }
}

/// A command, encoded.
pub(crate) struct Commanding {
    prefix: Option<String>,
    inputs: Vec<EncodedInput>,
}

impl Commanding {
    pub(crate) fn of(command: NewCommand) -> Result<Self, StoreError> {
        Ok(Self {
            prefix: command.prefix,
            inputs: EncodedInput::all(COMMAND, command.inputs)?,
        })
    }
}

#[async_trait]
impl Write for Commanding {
    const OPERATION: &'static str = COMMAND;
    type Answer = CommandAppended;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<CommandAppended, StoreError> {
        let Some(first) = self.inputs.first() else {
            return Ok(CommandAppended::Repeated);
        };
        if let Some(prefix) = &self.prefix {
            let tenant: Option<String> =
                sqlx::query_scalar("SELECT tenant FROM conversations WHERE id = $1")
                    .bind(&first.conversation)
                    .fetch_optional(&mut *connection)
                    .await
                    .map_err(fault(COMMAND))?;
            let Some(tenant) = tenant else {
                return Ok(CommandAppended::NoConversation);
            };
            let name = format!("command {tenant} {}", clean(prefix));
            lock_names(connection, COMMAND, vec![name]).await?;
            let before: Option<String> = sqlx::query_scalar(BEGINS)
                .bind(&tenant)
                .bind(clean(prefix))
                .bind(clean(&facts::beyond(prefix)))
                .fetch_optional(&mut *connection)
                .await
                .map_err(fault(COMMAND))?;
            match before {
                Some(before) if before == clean(&first.dedupe_key) => {
                    return Ok(CommandAppended::Repeated);
                }
                Some(_) => return Ok(CommandAppended::KeyReused),
                None => {}
            }
        }
        for appended in append_all(connection, COMMAND, &self.inputs).await? {
            match appended {
                Appended::At(_) => {}
                Appended::Duplicate => return Ok(CommandAppended::Repeated),
                Appended::NoConversation => return Ok(CommandAppended::NoConversation),
            }
        }
        Ok(CommandAppended::New)
    }

    fn hints(&self, _answer: &CommandAppended) -> Vec<Hint> {
        vec![Hint::Work]
    }
}

const BEGINS: &str = "SELECT dedupe_key FROM inputs WHERE tenant = $1 AND dedupe_key >= $2 \
     AND dedupe_key < $3 ORDER BY dedupe_key LIMIT 1";

/// The first dedupe key of a tenant that begins with `prefix`.
pub(crate) async fn key_that_begins(
    connections: &Connections,
    tenant: &str,
    prefix: &str,
) -> Result<Option<String>, StoreError> {
    let row = connections
        .row(COMMAND, || {
            sqlx::query(BEGINS)
                .bind(tenant.to_owned())
                .bind(clean(prefix))
                .bind(clean(&facts::beyond(prefix)))
        })
        .await?;
    row.map(|row| row.try_get(0).map_err(fault(COMMAND)))
        .transpose()
}

/// A stored input from the columns `seq`, `at` and `body`.
pub(crate) fn stored_input(
    operation: &'static str,
    row: &PgRow,
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
    pub(crate) fn of(mut message: NewMessage) -> Result<Self, StoreError> {
        message.row.conversation = message.input.conversation.clone();
        Ok(Self {
            input: EncodedInput::of(RECEIVE, message.input.clone())?,
            message,
        })
    }
}

#[async_trait]
impl Write for Receiving {
    const OPERATION: &'static str = RECEIVE;
    type Answer = Appended;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<Appended, StoreError> {
        let inputs = std::slice::from_ref(&self.input);
        let appended = append_all(connection, RECEIVE, inputs).await?;
        let Some(&at @ Appended::At(_)) = appended.first() else {
            return Ok(appended
                .first()
                .copied()
                .unwrap_or(Appended::NoConversation));
        };
        insert_message(connection, &self.message.row).await?;
        if let Some(was) = &self.message.was_unmatched {
            sqlx::query(
                "DELETE FROM unmatched WHERE id = $1 \
                 AND tenant = (SELECT tenant FROM conversations WHERE id = $2)",
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
                 SELECT $2, tenant, id, $3, $4, $5, $6 FROM conversations WHERE id = $1",
            )
            .bind(&self.input.conversation)
            .bind(id.as_str())
            .bind(self.input.at)
            .bind(clean(&file.name))
            .bind(clean(&file.media_type))
            .bind(&file.bytes)
            .execute(&mut *connection)
            .await
            .map_err(fault(RECEIVE))?;
        }
        Ok(at)
    }

    fn hints(&self, _answer: &Appended) -> Vec<Hint> {
        vec![Hint::Work]
    }
}

async fn insert_message(connection: &mut PgConnection, row: &MessageRow) -> Result<(), StoreError> {
    let inserted = sqlx::query(
        "INSERT INTO messages (id, conversation, tenant, direction, channel, at, address, \
         subject, text, transport_id) \
         SELECT $2, id, tenant, $3, $4, $5, $6, $7, $8, $9 FROM conversations WHERE id = $1",
    )
    .bind(row.conversation.as_str())
    .bind(row.id.as_str())
    .bind(name(RECEIVE, &row.direction)?)
    .bind(name(RECEIVE, &row.channel)?)
    .bind(micros(row.at))
    .bind(clean(&row.address))
    .bind(clean(&row.subject))
    .bind(clean(&row.text))
    .bind(clean_if_any(row.transport_id.as_deref()))
    .execute(connection)
    .await
    .map_err(fault(RECEIVE))?;
    match inserted.rows_affected() {
        1 => Ok(()),
        _ => Err(corrupt(RECEIVE, "a message has no conversation")),
    }
}

/// A message that belongs to no conversation.
pub(crate) struct Filing(pub(crate) Unmatched);

#[async_trait]
impl Write for Filing {
    const OPERATION: &'static str = FILE;
    const ALONE: bool = true;
    type Answer = Appended;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<Appended, StoreError> {
        let message = &self.0;
        let row = sqlx::query(
            "INSERT INTO unmatched (id, tenant, dedupe_key, at, sender, subject, why, raw) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8 \
             WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE tenant = $2 AND dedupe_key = $3) \
             ON CONFLICT (tenant, dedupe_key) DO NOTHING RETURNING seq",
        )
        .bind(message.id.as_str())
        .bind(message.tenant.as_str())
        .bind(clean(&message.dedupe_key))
        .bind(micros(message.at))
        .bind(clean(&message.from))
        .bind(clean(&message.subject))
        .bind(clean(&message.why))
        .bind(&message.raw)
        .fetch_optional(connection)
        .await
        .map_err(fault(FILE))?;
        match row {
            Some(row) => Ok(Appended::At(row.try_get(0).map_err(fault(FILE))?)),
            None => Ok(Appended::Duplicate),
        }
    }

    fn hints(&self, _answer: &Appended) -> Vec<Hint> {
        Vec::new()
    }
}

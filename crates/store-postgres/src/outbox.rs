//! The outbox: messages decided and not yet carried out.

use crate::{
    connections::Connections,
    conversation::lock,
    fault::{corrupt, fault},
    hints::Hint,
    intake::append_locked,
    run::Write,
    text::{clean, clean_if_any},
};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, MessageId, TenantId},
    input::{Fate, Input},
};
use liaison_ports::{
    codec::{address, micros, micros_up, named, time, time_if_any},
    encoded::EncodedInput,
    facts,
    store::{
        ClaimRequest, Completion, CompletionResult, NewInput, OutboxItem, OutboxRow, OutboxState,
        StoreError,
    },
    transport::Composed,
};
use sqlx::{PgConnection, Row, postgres::PgRow};

const CLAIM: &str = "claim messages of the outbox";
const BEGIN: &str = "begin a hand-over";
const COMPLETE: &str = "complete a hand-over";
const NEXT: &str = "look for the next message of the outbox";
const LIST: &str = "list the outbox";

/// Rows `o` that nothing but time keeps from being claimed: they wait, nothing of their conversation
/// is before them, no input of it waits unfolded, and it is not quarantined.
macro_rules! may_go {
    () => {
        "o.state = 'queued' \
         AND NOT EXISTS (SELECT 1 FROM outbox e WHERE e.conversation = o.conversation \
         AND e.seq < o.seq AND e.state IN ('queued', 'claimed', 'transmitting')) \
         AND NOT EXISTS (SELECT 1 FROM inputs i \
         WHERE i.conversation = o.conversation AND NOT i.folded) \
         AND EXISTS (SELECT 1 FROM conversations c \
         WHERE c.id = o.conversation AND c.quarantine IS NULL)"
    };
}

pub(crate) const ANY_DUE: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM outbox WHERE lease_until IS NOT NULL AND lease_until <= $1), \
     EXISTS (SELECT 1 FROM outbox o WHERE o.due_at <= $1 AND ",
    may_go!(),
    ")"
);

pub(crate) const CLAIM_DUE: &str = concat!(
    "WITH due AS MATERIALIZED (SELECT o.seq FROM outbox o WHERE o.due_at <= $1 AND ",
    may_go!(),
    " ORDER BY o.due_at, o.seq LIMIT $4 FOR NO KEY UPDATE OF o SKIP LOCKED) \
     UPDATE outbox o SET state = 'claimed', owner = $2, lease_until = $3 FROM due \
     WHERE o.seq = due.seq RETURNING o.seq, o.due_at, o.message, o.tenant, o.conversation, \
     o.channel, o.attempts, o.sender, o.recipient, o.transport_id, o.bytes"
);

pub(crate) const NEXT_DUE: &str = concat!(
    "SELECT least((SELECT min(lease_until) FROM outbox WHERE lease_until IS NOT NULL), \
     (SELECT o.due_at FROM outbox o WHERE ",
    may_go!(),
    " ORDER BY o.due_at LIMIT 1))"
);

/// What a look at the outbox found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    /// Whether a dispatcher has let its lease run out.
    pub(crate) dead_dispatchers: bool,
    /// Whether something may be claimed.
    pub(crate) messages: bool,
}

/// Looks whether there is anything to claim, or a dead dispatcher's row to see to; asked first, so
/// that looking in vain costs no transaction.
pub(crate) async fn look(
    connections: &Connections,
    claim: &ClaimRequest,
) -> Result<Due, StoreError> {
    let now = micros(claim.now);
    let row = connections
        .row(CLAIM, || sqlx::query(ANY_DUE).bind(now))
        .await?
        .ok_or_else(|| corrupt(CLAIM, "a question was not answered"))?;
    Ok(Due {
        dead_dispatchers: row.try_get(0).map_err(fault(CLAIM))?,
        messages: row.try_get(1).map_err(fault(CLAIM))?,
    })
}

/// Claiming what is due.
pub(crate) struct Claiming(pub(crate) ClaimRequest);

#[async_trait]
impl Write for Claiming {
    const OPERATION: &'static str = CLAIM;
    const ALONE: bool = true;
    type Answer = Vec<OutboxItem>;

    /// A claim whose commit was not answered is not looked for: it ends with its lease.
    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<Vec<OutboxItem>, StoreError> {
        let claim = &self.0;
        let rows = sqlx::query(CLAIM_DUE)
            .bind(micros(claim.now))
            .bind(&claim.owner)
            .bind(micros_up(claim.lease_until))
            .bind(i64::from(claim.limit))
            .fetch_all(connection)
            .await
            .map_err(fault(CLAIM))?;
        let mut items = Vec::with_capacity(rows.len());
        for row in &rows {
            let order: (i64, i64) = (
                row.try_get("due_at").map_err(fault(CLAIM))?,
                row.try_get("seq").map_err(fault(CLAIM))?,
            );
            items.push((order, item(row)?));
        }
        items.sort_by_key(|(order, _)| *order);
        Ok(items.into_iter().map(|(_, item)| item).collect())
    }

    fn hints(&self, _answer: &Vec<OutboxItem>) -> Vec<Hint> {
        Vec::new()
    }
}

fn item(row: &PgRow) -> Result<OutboxItem, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(fault(CLAIM));
    Ok(OutboxItem {
        message: MessageId::new(text("message")?),
        tenant: TenantId::new(text("tenant")?),
        conversation: ConversationId::new(text("conversation")?),
        channel: named(CLAIM, &text("channel")?)?,
        attempts: attempts(CLAIM, row)?,
        composed: Composed {
            from: address(CLAIM, &text("sender")?)?,
            to: address(CLAIM, &text("recipient")?)?,
            transport_id: row.try_get("transport_id").map_err(fault(CLAIM))?,
            bytes: row.try_get("bytes").map_err(fault(CLAIM))?,
        },
    })
}

pub(crate) fn attempts(operation: &'static str, row: &PgRow) -> Result<u32, StoreError> {
    let attempts: i64 = row.try_get("attempts").map_err(fault(operation))?;
    u32::try_from(attempts).map_err(|_| corrupt(operation, format!("{attempts} attempts")))
}

/// Freeing the rows of dispatchers whose lease has run out. One that had not passed the point of no
/// return sent nothing; of one that had, nobody can tell.
pub(crate) struct BuryingDeadDispatchers {
    pub(crate) now: Timestamp,
}

#[async_trait]
impl Write for BuryingDeadDispatchers {
    const OPERATION: &'static str = CLAIM;
    type Answer = bool;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<bool, StoreError> {
        let handing_over: Vec<String> = sqlx::query_scalar(
            "SELECT DISTINCT conversation FROM outbox WHERE lease_until IS NOT NULL \
             AND lease_until <= $1 AND state = 'transmitting'",
        )
        .bind(micros(self.now))
        .fetch_all(&mut *connection)
        .await
        .map_err(fault(CLAIM))?;
        if !handing_over.is_empty() {
            lock(connection, CLAIM, &handing_over).await?;
        }
        let left = sqlx::query(
            "UPDATE outbox SET owner = NULL, lease_until = NULL, \
             attempts = attempts + CASE state WHEN 'transmitting' THEN 1 ELSE 0 END, \
             last_error = CASE state WHEN 'transmitting' THEN $2 ELSE last_error END, \
             state = CASE state WHEN 'transmitting' THEN 'unknown' ELSE 'queued' END \
             WHERE lease_until IS NOT NULL AND lease_until <= $1 \
             AND (state = 'claimed' OR conversation = ANY($3)) \
             RETURNING seq, conversation, message, attempts, state",
        )
        .bind(micros(self.now))
        .bind(facts::DISPATCHER_DIED)
        .bind(&handing_over)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault(CLAIM))?;
        let mut unknown = Vec::new();
        for row in &left {
            let state: &str = row.try_get("state").map_err(fault(CLAIM))?;
            if OutboxState::named(state) == Some(OutboxState::Unknown) {
                let seq: i64 = row.try_get("seq").map_err(fault(CLAIM))?;
                unknown.push((seq, row));
            }
        }
        unknown.sort_by_key(|(seq, _)| *seq);
        for (_, row) in &unknown {
            let conversation: &str = row.try_get("conversation").map_err(fault(CLAIM))?;
            let message: &str = row.try_get("message").map_err(fault(CLAIM))?;
            let attempts = attempts(CLAIM, row)?;
            let fate = Fate::Unknown {
                why: facts::DISPATCHER_DIED.to_owned(),
            };
            dispatched(
                connection,
                CLAIM,
                conversation,
                message,
                attempts,
                fate,
                self.now,
            )
            .await?;
        }
        Ok(!unknown.is_empty())
    }

    fn hints(&self, some_unknown: &bool) -> Vec<Hint> {
        if *some_unknown {
            vec![Hint::Work]
        } else {
            Vec::new()
        }
    }
}

/// Appends the input that says what became of a message. The conversation's row is locked.
pub(crate) async fn dispatched(
    connection: &mut PgConnection,
    operation: &'static str,
    conversation: &str,
    message: &str,
    attempts: u32,
    fate: Fate,
    at: Timestamp,
) -> Result<(), StoreError> {
    let message = MessageId::new(message);
    let new = NewInput {
        conversation: ConversationId::new(conversation),
        dedupe_key: facts::dispatch_key(&message, attempts, &fate),
        at,
        input: Input::Dispatched { message, fate },
    };
    append_locked(connection, operation, &EncodedInput::of(operation, new)?)
        .await
        .map(drop)
}

/// Passing the point of no return.
pub(crate) struct Beginning {
    message: String,
    owner: String,
    lease_until: i64,
}

impl Beginning {
    pub(crate) fn of(message: &MessageId, owner: &str, lease_until: Timestamp) -> Self {
        Self {
            message: message.as_str().to_owned(),
            owner: owner.to_owned(),
            lease_until: micros_up(lease_until),
        }
    }
}

#[async_trait]
impl Write for Beginning {
    const OPERATION: &'static str = BEGIN;
    const ALONE: bool = true;
    type Answer = bool;

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<bool, StoreError> {
        let begun = sqlx::query(
            "UPDATE outbox SET state = 'transmitting', lease_until = $3 \
             WHERE message = $1 AND owner = $2 AND state = 'claimed' \
             AND NOT EXISTS (SELECT 1 FROM inputs i \
             WHERE i.conversation = outbox.conversation AND NOT i.folded) \
             AND EXISTS (SELECT 1 FROM conversations c \
             WHERE c.id = outbox.conversation AND c.quarantine IS NULL)",
        )
        .bind(&self.message)
        .bind(&self.owner)
        .bind(self.lease_until)
        .execute(&mut *connection)
        .await
        .map_err(fault(BEGIN))?;
        if begun.rows_affected() == 1 || !perhaps_done {
            return Ok(begun.rows_affected() == 1);
        }
        // The owner passes it once for each claim, and this is that once.
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE message = $1 AND owner = $2 \
             AND state = 'transmitting' AND lease_until = $3)",
        )
        .bind(&self.message)
        .bind(&self.owner)
        .bind(self.lease_until)
        .fetch_one(connection)
        .await
        .map_err(fault(BEGIN))
    }

    fn hints(&self, _answer: &bool) -> Vec<Hint> {
        Vec::new()
    }
}

/// Saying what became of claimed rows.
pub(crate) struct Completing(pub(crate) Vec<Completion>);

#[async_trait]
impl Write for Completing {
    const OPERATION: &'static str = COMPLETE;
    type Answer = ();

    /// Done once, it does nothing the second time: the rows are nobody's then.
    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<(), StoreError> {
        let messages: Vec<&str> = self.0.iter().map(|done| done.message.as_str()).collect();
        let conversations: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT conversation FROM outbox WHERE message = ANY($1)")
                .bind(messages)
                .fetch_all(&mut *connection)
                .await
                .map_err(fault(COMPLETE))?;
        lock(connection, COMPLETE, &conversations).await?;
        for completion in &self.0 {
            complete(connection, completion).await?;
        }
        Ok(())
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        let any_final = self
            .0
            .iter()
            .any(|done| matches!(done.result, CompletionResult::Final(_)));
        if any_final {
            vec![Hint::Work]
        } else {
            Vec::new()
        }
    }
}

async fn complete(
    connection: &mut PgConnection,
    completion: &Completion,
) -> Result<(), StoreError> {
    let (state, tries, not_before, error) = match &completion.result {
        CompletionResult::PutBack => (OutboxState::Queued, 0, None, None),
        CompletionResult::Retry { not_before, error } => (
            OutboxState::Queued,
            1,
            Some(micros_up(*not_before)),
            Some(error.clone()),
        ),
        CompletionResult::Final(fate) => (facts::state_after(fate), 1, None, facts::error_of(fate)),
    };
    let row = sqlx::query(
        "UPDATE outbox SET state = $3, owner = NULL, lease_until = NULL, attempts = attempts + $4, \
         due_at = coalesce($5, due_at), \
         last_error = CASE WHEN $4 = 0 THEN last_error ELSE $6 END \
         WHERE message = $1 AND owner = $2 RETURNING conversation, attempts",
    )
    .bind(completion.message.as_str())
    .bind(&completion.owner)
    .bind(state.name())
    .bind(i64::from(tries))
    .bind(not_before)
    .bind(clean_if_any(error.as_deref()))
    .fetch_optional(&mut *connection)
    .await
    .map_err(fault(COMPLETE))?;
    let (Some(row), CompletionResult::Final(fate)) = (row, &completion.result) else {
        return Ok(());
    };
    if let Fate::Sent {
        transport_id: Some(id),
        ..
    } = fate
    {
        sqlx::query(
            "UPDATE messages SET transport_id = $2 \
             WHERE id = $1 AND transport_id IS DISTINCT FROM $2",
        )
        .bind(completion.message.as_str())
        .bind(clean(id))
        .execute(&mut *connection)
        .await
        .map_err(fault(COMPLETE))?;
    }
    let conversation: &str = row.try_get("conversation").map_err(fault(COMPLETE))?;
    dispatched(
        connection,
        COMPLETE,
        conversation,
        completion.message.as_str(),
        attempts(COMPLETE, &row)?,
        fate.clone(),
        completion.at,
    )
    .await
}

pub(crate) async fn next(connections: &Connections) -> Result<Option<Timestamp>, StoreError> {
    match connections.row(NEXT, || sqlx::query(NEXT_DUE)).await? {
        Some(row) => time_if_any(NEXT, row.try_get(0).map_err(fault(NEXT))?),
        None => Ok(None),
    }
}

pub(crate) async fn list(
    connections: &Connections,
    tenant: &TenantId,
    limit: u32,
) -> Result<Vec<OutboxRow>, StoreError> {
    let rows = connections
        .rows(LIST, || {
            sqlx::query(
                "SELECT message, conversation, state, attempts, due_at, last_error FROM outbox \
                 WHERE tenant = $1 AND state IN ('queued', 'claimed', 'transmitting', 'unknown') \
                 ORDER BY seq LIMIT $2",
            )
            .bind(tenant.as_str())
            .bind(i64::from(limit))
        })
        .await?;
    rows.iter().map(outbox_row).collect()
}

fn outbox_row(row: &PgRow) -> Result<OutboxRow, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(fault(LIST));
    let state = text("state")?;
    Ok(OutboxRow {
        message: MessageId::new(text("message")?),
        conversation: ConversationId::new(text("conversation")?),
        state: OutboxState::named(&state)
            .ok_or_else(|| corrupt(LIST, format!("{state:?} is no state of a message")))?,
        attempts: attempts(LIST, row)?,
        due_at: time(LIST, row.try_get("due_at").map_err(fault(LIST))?)?,
        last_error: row.try_get("last_error").map_err(fault(LIST))?,
    })
}

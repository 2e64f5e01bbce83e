//! The outbox: messages decided and not yet carried out.

use crate::{
    codec::{address, micros, micros_up, named, time, time_if_any},
    fault::{corrupt, fault},
    intake,
    readers::Readers,
};
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, MessageId, TenantId},
    input::{Fate, Input},
};
use liaison_ports::{
    encoded::EncodedInput,
    facts,
    store::{
        ClaimRequest, Completion, CompletionResult, NewInput, OutboxItem, OutboxRow, OutboxState,
        StoreError,
    },
    transport::Composed,
};
use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};

pub(crate) const CLAIM: &str = "claim messages of the outbox";
pub(crate) const BEGIN: &str = "begin a hand-over";
pub(crate) const COMPLETE: &str = "complete a hand-over";
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
         WHERE i.conversation = o.conversation AND i.folded = 0) \
         AND EXISTS (SELECT 1 FROM conversations c \
         WHERE c.id = o.conversation AND c.quarantine IS NULL)"
    };
}

pub(crate) const ANY_DUE: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM outbox WHERE lease_until IS NOT NULL AND lease_until <= ?1) \
     OR EXISTS (SELECT 1 FROM outbox o WHERE o.due_at <= ?1 AND ",
    may_go!(),
    ")"
);

pub(crate) const CLAIM_DUE: &str = concat!(
    "UPDATE outbox SET state = 'claimed', owner = ?2, lease_until = ?3 WHERE seq IN \
     (SELECT o.seq FROM outbox o WHERE o.due_at <= ?1 AND ",
    may_go!(),
    " ORDER BY o.due_at, o.seq LIMIT ?4 + 0) RETURNING *"
);

pub(crate) const NEXT_DUE: &str = concat!(
    "SELECT min(at) FROM ( \
     SELECT min(lease_until) AS at FROM outbox WHERE lease_until IS NOT NULL \
     UNION ALL SELECT * FROM (SELECT o.due_at FROM outbox o WHERE ",
    may_go!(),
    " ORDER BY o.due_at LIMIT 1))"
);

/// Whether there is anything to claim, or a dead dispatcher's row to see to; asked of a reader
/// first, so that looking in vain costs no write.
pub(crate) async fn any_due(readers: &Readers, claim: &ClaimRequest) -> Result<bool, StoreError> {
    let row = sqlx::query(ANY_DUE)
        .bind(micros(claim.now))
        .fetch_one(&mut *readers.one().await.map_err(fault(CLAIM))?)
        .await
        .map_err(fault(CLAIM))?;
    row.try_get(0).map_err(fault(CLAIM))
}

pub(crate) async fn claim(
    connection: &mut SqliteConnection,
    claim: &ClaimRequest,
) -> Result<Vec<OutboxItem>, StoreError> {
    bury_dead_dispatchers(connection, claim.now).await?;
    let rows = sqlx::query(CLAIM_DUE)
        .bind(micros(claim.now))
        .bind(&claim.owner)
        .bind(micros_up(claim.lease_until))
        .bind(claim.limit)
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

fn item(row: &SqliteRow) -> Result<OutboxItem, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(fault(CLAIM));
    Ok(OutboxItem {
        message: MessageId::new(text("message")?),
        tenant: TenantId::new(text("tenant")?),
        conversation: ConversationId::new(text("conversation")?),
        channel: named(CLAIM, &text("channel")?)?,
        attempts: row.try_get("attempts").map_err(fault(CLAIM))?,
        composed: Composed {
            from: address(CLAIM, &text("sender")?)?,
            to: address(CLAIM, &text("recipient")?)?,
            transport_id: row.try_get("transport_id").map_err(fault(CLAIM))?,
            bytes: row.try_get("bytes").map_err(fault(CLAIM))?,
        },
    })
}

/// Frees the rows of dispatchers whose lease has run out. One that had not passed the point of no
/// return sent nothing; of one that had, nobody can tell.
async fn bury_dead_dispatchers(
    connection: &mut SqliteConnection,
    now: Timestamp,
) -> Result<(), StoreError> {
    let left = sqlx::query(
        "UPDATE outbox SET owner = NULL, lease_until = NULL, \
         attempts = attempts + (state = 'transmitting'), \
         last_error = CASE state WHEN 'transmitting' THEN ?2 ELSE last_error END, \
         state = CASE state WHEN 'transmitting' THEN 'unknown' ELSE 'queued' END \
         WHERE lease_until IS NOT NULL AND lease_until <= ?1 \
         RETURNING seq, conversation, message, attempts, state",
    )
    .bind(micros(now))
    .bind(facts::DISPATCHER_DIED)
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
    for (_, row) in unknown {
        let conversation: &str = row.try_get("conversation").map_err(fault(CLAIM))?;
        let message: &str = row.try_get("message").map_err(fault(CLAIM))?;
        let attempts = row.try_get("attempts").map_err(fault(CLAIM))?;
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
            now,
        )
        .await?;
    }
    Ok(())
}

/// Appends the input that says what became of a message.
pub(crate) async fn dispatched(
    connection: &mut SqliteConnection,
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
    intake::append(connection, operation, &EncodedInput::of(operation, new)?)
        .await
        .map(drop)
}

pub(crate) async fn begin(
    connection: &mut SqliteConnection,
    message: &MessageId,
    owner: &str,
    lease_until: Timestamp,
) -> Result<bool, StoreError> {
    let begun = sqlx::query(
        "UPDATE outbox SET state = 'transmitting', lease_until = ?3 \
         WHERE message = ?1 AND owner = ?2 AND state = 'claimed' \
         AND NOT EXISTS (SELECT 1 FROM inputs i \
         WHERE i.conversation = outbox.conversation AND i.folded = 0) \
         AND EXISTS (SELECT 1 FROM conversations c \
         WHERE c.id = outbox.conversation AND c.quarantine IS NULL)",
    )
    .bind(message.as_str())
    .bind(owner)
    .bind(micros_up(lease_until))
    .execute(connection)
    .await
    .map_err(fault(BEGIN))?;
    Ok(begun.rows_affected() == 1)
}

pub(crate) async fn complete(
    connection: &mut SqliteConnection,
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
    let rows = sqlx::query(
        "UPDATE outbox SET state = ?3, owner = NULL, lease_until = NULL, attempts = attempts + ?4, \
         due_at = coalesce(?5, due_at), \
         last_error = CASE WHEN ?4 = 0 THEN last_error ELSE ?6 END \
         WHERE message = ?1 AND owner = ?2 RETURNING conversation, attempts",
    )
    .bind(completion.message.as_str())
    .bind(&completion.owner)
    .bind(state.name())
    .bind(tries)
    .bind(not_before)
    .bind(error)
    .fetch_all(&mut *connection)
    .await
    .map_err(fault(COMPLETE))?;
    let (Some(row), CompletionResult::Final(fate)) = (rows.first(), &completion.result) else {
        return Ok(());
    };
    if let Fate::Sent {
        transport_id: Some(id),
        ..
    } = fate
    {
        sqlx::query(
            "UPDATE messages SET transport_id = ?2 WHERE id = ?1 AND transport_id IS NOT ?2",
        )
        .bind(completion.message.as_str())
        .bind(id)
        .execute(&mut *connection)
        .await
        .map_err(fault(COMPLETE))?;
    }
    let conversation: &str = row.try_get("conversation").map_err(fault(COMPLETE))?;
    let attempts = row.try_get("attempts").map_err(fault(COMPLETE))?;
    let message = completion.message.as_str();
    let (fate, at) = (fate.clone(), completion.at);
    dispatched(
        connection,
        COMPLETE,
        conversation,
        message,
        attempts,
        fate,
        at,
    )
    .await
}

pub(crate) async fn next(readers: &Readers) -> Result<Option<Timestamp>, StoreError> {
    let row = sqlx::query(NEXT_DUE)
        .fetch_one(&mut *readers.one().await.map_err(fault(NEXT))?)
        .await
        .map_err(fault(NEXT))?;
    time_if_any(NEXT, row.try_get(0).map_err(fault(NEXT))?)
}

pub(crate) async fn list(
    readers: &Readers,
    tenant: &TenantId,
    limit: u32,
) -> Result<Vec<OutboxRow>, StoreError> {
    let rows = sqlx::query(
        "SELECT message, conversation, state, attempts, due_at, last_error FROM outbox \
         WHERE tenant = ?1 AND state IN ('queued', 'claimed', 'transmitting', 'unknown') \
         ORDER BY seq LIMIT ?2 + 0",
    )
    .bind(tenant.as_str())
    .bind(limit)
    .fetch_all(&mut *readers.one().await.map_err(fault(LIST))?)
    .await
    .map_err(fault(LIST))?;
    rows.iter().map(outbox_row).collect()
}

fn outbox_row(row: &SqliteRow) -> Result<OutboxRow, StoreError> {
    let state: &str = row.try_get("state").map_err(fault(LIST))?;
    Ok(OutboxRow {
        message: MessageId::new(row.try_get::<String, _>("message").map_err(fault(LIST))?),
        conversation: ConversationId::new(
            row.try_get::<String, _>("conversation")
                .map_err(fault(LIST))?,
        ),
        state: OutboxState::named(state)
            .ok_or_else(|| corrupt(LIST, format!("{state:?} is no state of a message")))?,
        attempts: row.try_get("attempts").map_err(fault(LIST))?,
        due_at: time(LIST, row.try_get("due_at").map_err(fault(LIST))?)?,
        last_error: row.try_get("last_error").map_err(fault(LIST))?,
    })
}

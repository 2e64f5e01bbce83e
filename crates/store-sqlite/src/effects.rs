//! Effects, stored with the state that decided them.

use crate::{
    codec::{from_json, json, micros},
    commit::COMMIT,
    fault::{corrupt, fault},
    outbox::dispatched,
};
use jiff::Timestamp;
use liaison_core::{
    amendment::Amendment, effect::OutboundMessage, input::Fate, need::Registration,
};
use liaison_ports::{encoded::EncodedEffect, store::StoreError, transport::Composed};
use sqlx::{Row, SqliteConnection};

/// Stores an effect.
pub(crate) async fn store(
    connection: &mut SqliteConnection,
    effect: &EncodedEffect,
    conversation: &str,
    tenant: &str,
) -> Result<(), StoreError> {
    match effect {
        EncodedEffect::Send {
            message,
            channel,
            composed,
        } => send(connection, conversation, tenant, message, channel, composed).await,
        EncodedEffect::Recall { message, why, at } => {
            recall(connection, conversation, message, why, *at).await
        }
        EncodedEffect::Resend { message, at } => sqlx::query(
            "UPDATE outbox SET state = 'queued', due_at = ?3 \
             WHERE message = ?1 AND conversation = ?2 AND state = 'unknown'",
        )
        .bind(message)
        .bind(conversation)
        .bind(micros(*at))
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(COMMIT)),
        EncodedEffect::Resolve { message, sent } => sqlx::query(
            "UPDATE outbox SET state = CASE WHEN ?3 THEN 'sent' ELSE 'withdrawn' END \
             WHERE message = ?1 AND conversation = ?2 AND state = 'unknown'",
        )
        .bind(message)
        .bind(conversation)
        .bind(*sent)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(COMMIT)),
        EncodedEffect::Settle { need, outcome } => {
            settle(connection, conversation, need, outcome).await
        }
        EncodedEffect::Amend { amendment } => amend(connection, conversation, amendment).await,
        EncodedEffect::Event { need, event, at } => {
            sqlx::query("INSERT INTO events (tenant, need, at, event) VALUES (?1, ?2, ?3, ?4)")
                .bind(tenant)
                .bind(need)
                .bind(micros(*at))
                .bind(event)
                .execute(connection)
                .await
                .map(drop)
                .map_err(fault(COMMIT))
        }
    }
}

async fn send(
    connection: &mut SqliteConnection,
    conversation: &str,
    tenant: &str,
    message: &OutboundMessage,
    channel: &str,
    composed: &Composed,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO messages (id, conversation, tenant, direction, channel, at, address, \
         subject, text, transport_id) VALUES (?, ?, ?, 'outbound', ?, ?, ?, ?, ?, ?); \
         INSERT INTO outbox (message, conversation, tenant, channel, state, due_at, sender, \
         recipient, transport_id, bytes) VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)",
    )
    .bind(message.id.as_str())
    .bind(conversation)
    .bind(tenant)
    .bind(channel)
    .bind(micros(message.at))
    .bind(message.plan.to.as_str())
    .bind(&message.draft.subject)
    .bind(&message.draft.body)
    .bind(composed.transport_id.as_deref())
    .bind(message.id.as_str())
    .bind(conversation)
    .bind(tenant)
    .bind(channel)
    .bind(micros(message.at))
    .bind(composed.from.as_str())
    .bind(composed.to.as_str())
    .bind(composed.transport_id.as_deref())
    .bind(&composed.bytes)
    .execute(connection)
    .await
    .map(drop)
    .map_err(fault(COMMIT))
}

async fn recall(
    connection: &mut SqliteConnection,
    conversation: &str,
    message: &str,
    why: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "UPDATE outbox SET state = 'withdrawn', owner = NULL, lease_until = NULL, last_error = ?3 \
         WHERE message = ?1 AND conversation = ?2 AND state IN ('queued', 'claimed') \
         RETURNING attempts",
    )
    .bind(message)
    .bind(conversation)
    .bind(why)
    .fetch_all(&mut *connection)
    .await
    .map_err(fault(COMMIT))?;
    let Some(row) = rows.first() else {
        return Ok(());
    };
    let attempts = row.try_get("attempts").map_err(fault(COMMIT))?;
    let fate = Fate::Withdrawn {
        why: why.to_owned(),
    };
    dispatched(
        connection,
        COMMIT,
        conversation,
        message,
        attempts,
        fate,
        at,
    )
    .await
}

async fn settle(
    connection: &mut SqliteConnection,
    conversation: &str,
    need: &str,
    outcome: &str,
) -> Result<(), StoreError> {
    let settled = sqlx::query(
        "UPDATE needs SET outcome = ?3 WHERE id = ?1 AND conversation = ?2 AND outcome IS NULL",
    )
    .bind(need)
    .bind(conversation)
    .bind(outcome)
    .execute(connection)
    .await
    .map_err(fault(COMMIT))?;
    match settled.rows_affected() {
        1 => Ok(()),
        _ => Err(corrupt(
            COMMIT,
            "a need is settled that is not open in this conversation",
        )),
    }
}

async fn amend(
    connection: &mut SqliteConnection,
    conversation: &str,
    amendment: &Amendment,
) -> Result<(), StoreError> {
    let need = amendment.need.as_str();
    let row = sqlx::query("SELECT registration FROM needs WHERE id = ?1 AND conversation = ?2")
        .bind(need)
        .bind(conversation)
        .fetch_optional(&mut *connection)
        .await
        .map_err(fault(COMMIT))?;
    let Some(row) = row else {
        return Err(corrupt(
            COMMIT,
            "a need is amended that is not in this conversation",
        ));
    };
    let text: &str = row.try_get(0).map_err(fault(COMMIT))?;
    let registered: Registration = from_json(COMMIT, &format!("need {need}"), text)?;
    let amended = registered
        .amended(amendment)
        .map_err(|misfit| corrupt(COMMIT, format!("need {need} cannot be amended: {misfit}")))?;
    sqlx::query("UPDATE needs SET registration = ?2 WHERE id = ?1")
        .bind(need)
        .bind(json(COMMIT, &amended)?)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(COMMIT))
}

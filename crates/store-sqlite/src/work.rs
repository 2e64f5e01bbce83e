//! The single writer of a conversation: claiming it and giving it back.

use crate::{
    codec::{micros, micros_up},
    fault::fault,
    intake::stored_input,
    readers::Readers,
};
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, TenantId},
    input::StoredInput,
};
use liaison_ports::{
    encoded::ClaimedText,
    store::{ClaimRequest, MOST_INPUTS_AT_ONCE, StoreError},
};
use sqlx::{Row, SqliteConnection};
use std::collections::HashMap;

pub(crate) const CLAIM: &str = "claim due conversations";
pub(crate) const END_CLAIMS: &str = "end the claims of a former run";
pub(crate) const RELEASE: &str = "release a conversation";
pub(crate) const QUARANTINE: &str = "quarantine a conversation";
pub(crate) const LIFT: &str = "lift a quarantine";
const PENDING: &str = "read pending inputs";

macro_rules! due {
    () => {
        "wake_at <= ?1 AND quarantine IS NULL AND (lease_until IS NULL OR lease_until <= ?1)"
    };
}

pub(crate) const ANY_DUE: &str = concat!("SELECT 1 FROM conversations WHERE ", due!(), " LIMIT 1");

pub(crate) const CLAIM_DUE: &str = concat!(
    "UPDATE conversations SET fence = fence + 1, owner = ?2, lease_until = ?3 \
     WHERE id IN (SELECT id FROM conversations WHERE ",
    due!(),
    " ORDER BY wake_at LIMIT ?4 + 0) RETURNING id, fence, wake_at, \
     (SELECT document FROM documents WHERE conversation = id) AS document"
);

pub(crate) const CLAIM_INPUTS: &str = "SELECT i.conversation, i.seq, i.at, i.body FROM json_each(?1) c \
     JOIN inputs i ON i.seq IN (SELECT seq FROM inputs WHERE conversation = c.value AND folded = 0 \
     ORDER BY seq LIMIT ?2 + 0)";

/// Whether there is anything to claim; asked of a reader first, so that looking in vain, which is
/// what a scheduler mostly does, costs no write.
pub(crate) async fn any_due(readers: &Readers, claim: &ClaimRequest) -> Result<bool, StoreError> {
    sqlx::query(ANY_DUE)
        .bind(micros(claim.now))
        .fetch_optional(&mut *readers.one().await.map_err(fault(CLAIM))?)
        .await
        .map(|row| row.is_some())
        .map_err(fault(CLAIM))
}

/// Lets every lease run out at `now`: what then happens with what it held is for the next claim.
pub(crate) async fn end_claims(
    connection: &mut SqliteConnection,
    now: Timestamp,
) -> Result<(), StoreError> {
    for all in [
        "UPDATE conversations SET lease_until = ?1 WHERE lease_until > ?1",
        "UPDATE outbox SET lease_until = ?1 WHERE lease_until > ?1",
    ] {
        sqlx::query(all)
            .bind(micros(now))
            .execute(&mut *connection)
            .await
            .map_err(fault(END_CLAIMS))?;
    }
    Ok(())
}

pub(crate) async fn claim(
    connection: &mut SqliteConnection,
    claim: &ClaimRequest,
) -> Result<Vec<ClaimedText>, StoreError> {
    let rows = sqlx::query(CLAIM_DUE)
        .bind(micros(claim.now))
        .bind(&claim.owner)
        .bind(micros_up(claim.lease_until))
        .bind(claim.limit)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault(CLAIM))?;
    let mut claimed = Vec::with_capacity(rows.len());
    for row in rows {
        let wake_at: i64 = row.try_get("wake_at").map_err(fault(CLAIM))?;
        let row = ClaimedText {
            id: row.try_get("id").map_err(fault(CLAIM))?,
            fence: row.try_get("fence").map_err(fault(CLAIM))?,
            document: row.try_get("document").map_err(fault(CLAIM))?,
            inputs: Vec::new(),
        };
        claimed.push((wake_at, row));
    }
    // The order in which an update returns its rows is not promised.
    claimed.sort_by(|(a, first), (b, second)| (a, &first.id).cmp(&(b, &second.id)));
    let mut claimed: Vec<_> = claimed.into_iter().map(|(_, row)| row).collect();
    add_inputs(connection, &mut claimed).await?;
    Ok(claimed)
}

async fn add_inputs(
    connection: &mut SqliteConnection,
    claimed: &mut [ClaimedText],
) -> Result<(), StoreError> {
    let mut places = HashMap::with_capacity(claimed.len());
    let mut ids = Vec::with_capacity(claimed.len());
    for (place, row) in claimed.iter().enumerate() {
        places.insert(row.id.clone(), place);
        ids.push(row.id.as_str());
    }
    let rows = sqlx::query(CLAIM_INPUTS)
        .bind(crate::codec::json(CLAIM, &ids)?)
        .bind(i64::try_from(MOST_INPUTS_AT_ONCE).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await
        .map_err(fault(CLAIM))?;
    for row in rows {
        let conversation: &str = row.try_get(0).map_err(fault(CLAIM))?;
        let input = (
            row.try_get(1).map_err(fault(CLAIM))?,
            row.try_get(2).map_err(fault(CLAIM))?,
            row.try_get(3).map_err(fault(CLAIM))?,
        );
        if let Some(row) = places
            .get(conversation)
            .and_then(|place| claimed.get_mut(*place))
        {
            row.inputs.push(input);
        }
    }
    for row in claimed {
        row.inputs.sort_by_key(|(seq, ..)| *seq);
    }
    Ok(())
}

pub(crate) async fn pending_inputs(
    readers: &Readers,
    conversation: &ConversationId,
    after: i64,
) -> Result<Vec<StoredInput>, StoreError> {
    let rows = sqlx::query(
        "SELECT seq, at, body FROM inputs WHERE conversation = ?1 AND folded = 0 AND seq > ?2 \
         ORDER BY seq LIMIT ?3 + 0",
    )
    .bind(conversation.as_str())
    .bind(after)
    .bind(i64::try_from(MOST_INPUTS_AT_ONCE).unwrap_or(i64::MAX))
    .fetch_all(&mut *readers.one().await.map_err(fault(PENDING))?)
    .await
    .map_err(fault(PENDING))?;
    rows.iter().map(|row| stored_input(PENDING, row)).collect()
}

pub(crate) async fn release(
    connection: &mut SqliteConnection,
    conversation: &ConversationId,
    fence: i64,
    wake_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    // An input that came during the claim must not wait for the time that was said.
    let released = sqlx::query(
        "UPDATE conversations SET owner = NULL, lease_until = NULL, \
         wake_at = min(coalesce(?3, waiting.at), coalesce(waiting.at, ?3)) \
         FROM (SELECT min(at) AS at FROM inputs WHERE conversation = ?1 AND folded = 0) AS waiting \
         WHERE id = ?1 AND fence = ?2 AND owner IS NOT NULL",
    )
    .bind(conversation.as_str())
    .bind(fence)
    .bind(wake_at.map(micros_up))
    .execute(connection)
    .await
    .map_err(fault(RELEASE))?;
    unless_fenced(released.rows_affected())
}

pub(crate) async fn quarantine(
    connection: &mut SqliteConnection,
    conversation: &ConversationId,
    fence: i64,
    error: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let quarantined = sqlx::query(
        "UPDATE conversations SET owner = NULL, lease_until = NULL, quarantine = ?3, \
         quarantined_at = ?4 WHERE id = ?1 AND fence = ?2 AND owner IS NOT NULL",
    )
    .bind(conversation.as_str())
    .bind(fence)
    .bind(error)
    .bind(micros(at))
    .execute(connection)
    .await
    .map_err(fault(QUARANTINE))?;
    unless_fenced(quarantined.rows_affected())
}

pub(crate) async fn lift_quarantine(
    connection: &mut SqliteConnection,
    tenant: &TenantId,
    conversation: &ConversationId,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let lifted = sqlx::query(
        "UPDATE conversations SET quarantine = NULL, quarantined_at = NULL, \
         wake_at = min(coalesce(wake_at, ?3), ?3) \
         WHERE id = ?1 AND tenant = ?2 AND quarantine IS NOT NULL",
    )
    .bind(conversation.as_str())
    .bind(tenant.as_str())
    .bind(micros(at))
    .execute(connection)
    .await
    .map_err(fault(LIFT))?;
    Ok(lifted.rows_affected() == 1)
}

fn unless_fenced(rows: u64) -> Result<(), StoreError> {
    match rows {
        1 => Ok(()),
        _ => Err(StoreError::Fenced),
    }
}

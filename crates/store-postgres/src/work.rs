//! The single writer of a conversation: claiming it and giving it back.

use crate::{
    connections::Connections,
    conversation::{lock_claimed, unless_given_back},
    fault::fault,
    hints::Hint,
    intake::stored_input,
    run::Write,
    text::clean,
};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, TenantId},
    input::StoredInput,
};
use liaison_ports::{
    codec::{micros, micros_up},
    encoded::ClaimedText,
    store::{ClaimRequest, MOST_INPUTS_AT_ONCE, StoreError},
};
use sqlx::{PgConnection, Row};
use std::collections::HashMap;

pub(crate) const CLAIM: &str = "claim due conversations";
const RELEASE: &str = "release a conversation";
const QUARANTINE: &str = "quarantine a conversation";
const LIFT: &str = "lift a quarantine";
const PENDING: &str = "read pending inputs";

macro_rules! due {
    () => {
        "wake_at <= $1 AND quarantine IS NULL AND (lease_until IS NULL OR lease_until <= $1)"
    };
}

pub(crate) const ANY_DUE: &str = concat!("SELECT 1 FROM conversations WHERE ", due!(), " LIMIT 1");

/// Those that somebody else is about to claim, or to change in any way, are left out: they are due
/// again when that is done.
pub(crate) const CLAIM_DUE: &str = concat!(
    "WITH due AS MATERIALIZED (SELECT id FROM conversations WHERE ",
    due!(),
    " ORDER BY wake_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED) \
     UPDATE conversations c SET fence = c.fence + 1, owner = $2, lease_until = $3 \
     FROM due WHERE c.id = due.id RETURNING c.id, c.fence, c.wake_at"
);

pub(crate) const CLAIM_DOCUMENTS: &str =
    "SELECT conversation, document FROM documents WHERE conversation = ANY($1)";

pub(crate) const CLAIM_INPUTS: &str = "SELECT i.conversation, i.seq, i.at, i.body \
     FROM unnest($1::text[]) AS claimed (id) CROSS JOIN LATERAL ( \
     SELECT conversation, seq, at, body FROM inputs \
     WHERE conversation = claimed.id AND NOT folded ORDER BY seq LIMIT $2) i";

/// Whether there is anything to claim; asked first, so that looking in vain, which is what a
/// scheduler mostly does, costs no transaction.
pub(crate) async fn any_due(
    connections: &Connections,
    claim: &ClaimRequest,
) -> Result<bool, StoreError> {
    let now = micros(claim.now);
    let row = connections
        .row(CLAIM, || sqlx::query(ANY_DUE).bind(now))
        .await?;
    Ok(row.is_some())
}

/// Claiming what is due.
pub(crate) struct Claiming(pub(crate) ClaimRequest);

#[async_trait]
impl Write for Claiming {
    const OPERATION: &'static str = CLAIM;
    type Answer = Vec<ClaimedText>;

    /// A claim whose commit was not answered is not looked for: it ends with its lease.
    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<Vec<ClaimedText>, StoreError> {
        let claim = &self.0;
        let rows = sqlx::query(CLAIM_DUE)
            .bind(micros(claim.now))
            .bind(&claim.owner)
            .bind(micros_up(claim.lease_until))
            .bind(i64::from(claim.limit))
            .fetch_all(&mut *connection)
            .await
            .map_err(fault(CLAIM))?;
        let mut claimed = Vec::with_capacity(rows.len());
        for row in rows {
            let wake_at: i64 = row.try_get("wake_at").map_err(fault(CLAIM))?;
            let text = ClaimedText {
                id: row.try_get("id").map_err(fault(CLAIM))?,
                fence: row.try_get("fence").map_err(fault(CLAIM))?,
                document: String::new(),
                inputs: Vec::new(),
            };
            claimed.push((wake_at, text));
        }
        // The order in which an update returns its rows is not promised.
        claimed.sort_by(|(a, first), (b, second)| (a, &first.id).cmp(&(b, &second.id)));
        let mut claimed: Vec<_> = claimed.into_iter().map(|(_, text)| text).collect();
        if !claimed.is_empty() {
            // Only now, under the locks, do statements see all that happened before the claim.
            add_documents_and_inputs(connection, &mut claimed).await?;
        }
        Ok(claimed)
    }

    fn hints(&self, _answer: &Vec<ClaimedText>) -> Vec<Hint> {
        Vec::new()
    }
}

async fn add_documents_and_inputs(
    connection: &mut PgConnection,
    claimed: &mut [ClaimedText],
) -> Result<(), StoreError> {
    let ids: Vec<String> = claimed.iter().map(|text| text.id.clone()).collect();
    let mut places: HashMap<&str, &mut ClaimedText> = HashMap::with_capacity(claimed.len());
    for (id, text) in ids.iter().zip(claimed.iter_mut()) {
        places.insert(id, text);
    }
    let documents = sqlx::query(CLAIM_DOCUMENTS)
        .bind(&ids)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault(CLAIM))?;
    for row in documents {
        let conversation: &str = row.try_get(0).map_err(fault(CLAIM))?;
        if let Some(text) = places.get_mut(conversation) {
            text.document = row.try_get(1).map_err(fault(CLAIM))?;
        }
    }
    let inputs = sqlx::query(CLAIM_INPUTS)
        .bind(&ids)
        .bind(i64::try_from(MOST_INPUTS_AT_ONCE).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await
        .map_err(fault(CLAIM))?;
    for row in inputs {
        let conversation: &str = row.try_get(0).map_err(fault(CLAIM))?;
        let input = (
            row.try_get(1).map_err(fault(CLAIM))?,
            row.try_get(2).map_err(fault(CLAIM))?,
            row.try_get(3).map_err(fault(CLAIM))?,
        );
        if let Some(text) = places.get_mut(conversation) {
            text.inputs.push(input);
        }
    }
    for text in claimed {
        text.inputs.sort_by_key(|(seq, ..)| *seq);
    }
    Ok(())
}

pub(crate) async fn pending_inputs(
    connections: &Connections,
    conversation: &ConversationId,
    after: i64,
) -> Result<Vec<StoredInput>, StoreError> {
    let rows = connections
        .rows(PENDING, || {
            sqlx::query(
                "SELECT seq, at, body FROM inputs \
                 WHERE conversation = $1 AND NOT folded AND seq > $2 ORDER BY seq LIMIT $3",
            )
            .bind(conversation.as_str())
            .bind(after)
            .bind(i64::try_from(MOST_INPUTS_AT_ONCE).unwrap_or(i64::MAX))
        })
        .await?;
    rows.iter().map(|row| stored_input(PENDING, row)).collect()
}

/// Giving a conversation back unchanged.
pub(crate) struct Releasing {
    id: String,
    fence: i64,
    wake_at: Option<i64>,
}

impl Releasing {
    pub(crate) fn of(id: &ConversationId, fence: i64, wake_at: Option<Timestamp>) -> Self {
        Self {
            id: id.as_str().to_owned(),
            fence,
            wake_at: wake_at.map(micros_up),
        }
    }
}

#[async_trait]
impl Write for Releasing {
    const OPERATION: &'static str = RELEASE;
    type Answer = ();

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<(), StoreError> {
        if !lock_claimed(connection, RELEASE, &self.id, self.fence).await? {
            return unless_given_back(connection, RELEASE, &self.id, self.fence, perhaps_done)
                .await;
        }
        // An input that came during the claim must not wait for the time that was said.
        sqlx::query(
            "UPDATE conversations SET owner = NULL, lease_until = NULL, wake_at = least($2, \
             (SELECT min(at) FROM inputs WHERE conversation = $1 AND NOT folded)) WHERE id = $1",
        )
        .bind(&self.id)
        .bind(self.wake_at)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(RELEASE))
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        Vec::new()
    }
}

/// Taking a conversation out of the work.
pub(crate) struct Quarantining {
    id: String,
    fence: i64,
    error: String,
    at: i64,
}

impl Quarantining {
    pub(crate) fn of(id: &ConversationId, fence: i64, error: &str, at: Timestamp) -> Self {
        Self {
            id: id.as_str().to_owned(),
            fence,
            error: clean(error).into_owned(),
            at: micros(at),
        }
    }
}

#[async_trait]
impl Write for Quarantining {
    const OPERATION: &'static str = QUARANTINE;
    type Answer = ();

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<(), StoreError> {
        if !lock_claimed(connection, QUARANTINE, &self.id, self.fence).await? {
            return unless_given_back(connection, QUARANTINE, &self.id, self.fence, perhaps_done)
                .await;
        }
        sqlx::query(
            "UPDATE conversations SET owner = NULL, lease_until = NULL, quarantine = $2, \
             quarantined_at = $3 WHERE id = $1",
        )
        .bind(&self.id)
        .bind(&self.error)
        .bind(self.at)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(QUARANTINE))
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        Vec::new()
    }
}

/// Putting a quarantined conversation back to work.
pub(crate) struct Lifting {
    tenant: String,
    id: String,
    at: i64,
}

impl Lifting {
    pub(crate) fn of(tenant: &TenantId, id: &ConversationId, at: Timestamp) -> Self {
        Self {
            tenant: tenant.as_str().to_owned(),
            id: id.as_str().to_owned(),
            at: micros(at),
        }
    }
}

#[async_trait]
impl Write for Lifting {
    const OPERATION: &'static str = LIFT;
    const ALONE: bool = true;
    type Answer = bool;

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<bool, StoreError> {
        let lifted = sqlx::query(
            "UPDATE conversations SET quarantine = NULL, quarantined_at = NULL, \
             wake_at = least(wake_at, $3) \
             WHERE id = $1 AND tenant = $2 AND quarantine IS NOT NULL",
        )
        .bind(&self.id)
        .bind(&self.tenant)
        .bind(self.at)
        .execute(&mut *connection)
        .await
        .map_err(fault(LIFT))?;
        if lifted.rows_affected() == 1 || !perhaps_done {
            return Ok(lifted.rows_affected() == 1);
        }
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = $1 AND tenant = $2)",
        )
        .bind(&self.id)
        .bind(&self.tenant)
        .fetch_one(connection)
        .await
        .map_err(fault(LIFT))
    }

    fn hints(&self, _answer: &bool) -> Vec<Hint> {
        vec![Hint::Work]
    }
}

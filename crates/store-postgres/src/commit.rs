//! Committing a run of operations.

use crate::{
    conversation::lock_claimed,
    effects,
    fault::{corrupt, fault},
    hints::Hint,
    run::Write,
    text::{clean, clean_if_any},
};
use async_trait::async_trait;
use liaison_core::id::NeedId;
use liaison_ports::{
    codec::micros,
    encoded::{EncodedCommit, EncodedEffect},
    store::{Commit, StoreError},
};
use sqlx::{PgConnection, Row};

pub(crate) const COMMIT: &str = "commit operations";

/// A run of operations, encoded.
pub(crate) struct Committing(EncodedCommit);

impl Committing {
    pub(crate) fn of(commit: Commit) -> Result<Self, StoreError> {
        EncodedCommit::of(COMMIT, commit).map(Self)
    }

    /// Writes document, journal and facts, if the inputs are as the operations saw them.
    async fn record(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let Self(encoded) = self;
        let rows = &encoded.journal;
        let row = sqlx::query(
            "WITH waiting AS MATERIALIZED ( \
             SELECT count(*) FILTER (WHERE seq <= $10) AS seen, \
             count(*) FILTER (WHERE seq > $10) > 0 AS newer \
             FROM inputs WHERE conversation = $1 AND NOT folded), \
             facts AS (UPDATE conversations c SET stakeholder_key = $4, label = $5, \
             open_needs = $6, held_since = $7, last_activity = greatest(c.last_activity, $3), \
             owner = CASE WHEN $9::bigint IS NULL THEN NULL ELSE c.owner END, lease_until = $9, \
             wake_at = CASE WHEN waiting.newer THEN least($8, $3) ELSE $8 END \
             FROM waiting WHERE c.id = $1), \
             known AS (UPDATE documents SET document = $11 WHERE conversation = $1), \
             journalled AS (INSERT INTO journal \
             (conversation, revision, at, operation, judgement, usage) \
             SELECT $1, entry.* FROM unnest($12::bigint[], $13::bigint[], $14::text[], $15::text[], \
             $16::text[]) AS entry), \
             folding AS (UPDATE inputs SET folded = TRUE, body = '' \
             WHERE conversation = $1 AND NOT folded AND seq <= $10), \
             reachable AS (INSERT INTO contacts (tenant, channel, address, conversation) \
             SELECT $2, contact ->> 0, contact ->> 1, $1 \
             FROM json_array_elements($17::json) contact ON CONFLICT DO NOTHING) \
             SELECT seen, newer FROM waiting",
        )
        .bind(&encoded.conversation)
        .bind(&encoded.tenant)
        .bind(micros(encoded.span.ended_at))
        .bind(clean_if_any(encoded.facts.key.as_deref()))
        .bind(clean(&encoded.facts.label))
        .bind(i64::from(encoded.facts.open_needs))
        .bind(encoded.facts.held_since.map(micros))
        .bind(encoded.wake_at)
        .bind(encoded.keep_until)
        .bind(encoded.span.last_folded)
        .bind(&encoded.document)
        .bind(rows.iter().map(|row| row.revision).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.at).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.operation.as_str()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.judgement.as_deref()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.usage.as_deref()).collect::<Vec<_>>())
        .bind(&encoded.contacts)
        .fetch_one(connection)
        .await
        .map_err(fault(COMMIT))?;
        let seen: i64 = row.try_get("seen").map_err(fault(COMMIT))?;
        let newer: bool = row.try_get("newer").map_err(fault(COMMIT))?;
        if newer && encoded.only_without_newer_inputs {
            return Err(StoreError::NewerInputs);
        }
        let folded = encoded.span.folded;
        if usize::try_from(seen) != Ok(folded) {
            return Err(corrupt(
                COMMIT,
                format!("the operation folds {folded} inputs where {seen} waited"),
            ));
        }
        Ok(())
    }

    /// Whether the journal already ends with these operations: an earlier try wrote them, and the
    /// answer to its commit was lost. Nobody else can have, since a journal has each revision once.
    async fn is_recorded(&self, connection: &mut PgConnection) -> Result<bool, StoreError> {
        let Self(encoded) = self;
        let Some(last) = encoded.journal.last() else {
            return Ok(false);
        };
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM journal \
             WHERE conversation = $1 AND revision = $2 AND operation = $3)",
        )
        .bind(&encoded.conversation)
        .bind(last.revision)
        .bind(&last.operation)
        .fetch_one(connection)
        .await
        .map_err(fault(COMMIT))
    }
}

#[async_trait]
impl Write for Committing {
    const OPERATION: &'static str = COMMIT;
    type Answer = ();

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<(), StoreError> {
        let Self(encoded) = self;
        if perhaps_done && self.is_recorded(connection).await? {
            return Ok(());
        }
        if !lock_claimed(connection, COMMIT, &encoded.conversation, encoded.fence).await? {
            return Err(StoreError::Fenced);
        }
        self.record(connection).await?;
        for effect in &encoded.effects {
            effects::store(connection, effect, &encoded.conversation, &encoded.tenant).await?;
        }
        Ok(())
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        let hint = |effect: &EncodedEffect| match effect {
            EncodedEffect::Send { .. } | EncodedEffect::Resend { .. } => Hint::Outbox,
            EncodedEffect::Recall { .. } | EncodedEffect::Resolve { .. } => Hint::Work,
            EncodedEffect::Settle { need, .. } | EncodedEffect::Event { need, .. } => {
                Hint::Need(NeedId::new(need.as_str()))
            }
            EncodedEffect::Amend { amendment } => Hint::Need(amendment.need.clone()),
        };
        self.0.effects.iter().map(hint).collect()
    }
}

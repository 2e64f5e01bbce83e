//! Committing a run of operations.

use crate::{
    codec::micros,
    effects,
    fault::{corrupt, fault},
};
use liaison_ports::{
    encoded::EncodedCommit,
    store::{Commit, StoreError},
};
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

pub(crate) const COMMIT: &str = "commit operations";

/// A run of operations, encoded by whoever asks, so that the writer only writes.
pub(crate) struct Committing(EncodedCommit);

impl Committing {
    pub(crate) fn prepare(commit: Commit) -> Result<Self, StoreError> {
        EncodedCommit::of(COMMIT, commit).map(Self)
    }

    pub(crate) async fn run(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        self.take_over(connection).await?;
        self.record(connection).await?;
        for effect in &self.0.effects {
            effects::store(connection, effect, &self.0.conversation, &self.0.tenant).await?;
        }
        Ok(())
    }

    /// Updates the facts, if the claim still stands and the inputs are as the operation saw them.
    async fn take_over(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let rows = sqlx::query(
            "UPDATE conversations SET stakeholder_key = ?4, label = ?5, open_needs = ?6, \
             held_since = ?7, last_activity = max(last_activity, ?3), \
             owner = CASE WHEN ?9 IS NULL THEN NULL ELSE owner END, lease_until = ?9, \
             wake_at = CASE WHEN EXISTS (SELECT 1 FROM inputs \
             WHERE conversation = ?1 AND folded = 0 AND seq > ?10) \
             THEN min(coalesce(?8, ?3), ?3) ELSE ?8 END \
             WHERE id = ?1 AND fence = ?2 AND owner IS NOT NULL \
             AND NOT (?11 AND EXISTS (SELECT 1 FROM inputs \
             WHERE conversation = ?1 AND folded = 0 AND seq > ?10)) \
             RETURNING (SELECT count(*) FROM inputs \
             WHERE conversation = ?1 AND folded = 0 AND seq <= ?10)",
        )
        .bind(&self.0.conversation)
        .bind(self.0.fence)
        .bind(micros(self.0.span.ended_at))
        .bind(self.0.facts.key.as_deref())
        .bind(&self.0.facts.label)
        .bind(self.0.facts.open_needs)
        .bind(self.0.facts.held_since.map(micros))
        .bind(self.0.wake_at)
        .bind(self.0.keep_until)
        .bind(self.0.span.last_folded)
        .bind(self.0.only_without_newer_inputs)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault(COMMIT))?;
        let Some(row) = rows.first() else {
            return self.why_not(connection).await;
        };
        let waiting: i64 = row.try_get(0).map_err(fault(COMMIT))?;
        let folded = self.0.span.folded;
        if usize::try_from(waiting) != Ok(folded) {
            return Err(corrupt(
                COMMIT,
                format!("the operation folds {folded} inputs where {waiting} waited"),
            ));
        }
        Ok(())
    }

    /// Why nothing was updated.
    async fn why_not(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let ours = sqlx::query(
            "SELECT 1 FROM conversations WHERE id = ?1 AND fence = ?2 AND owner IS NOT NULL",
        )
        .bind(&self.0.conversation)
        .bind(self.0.fence)
        .fetch_optional(connection)
        .await
        .map_err(fault(COMMIT))?;
        Err(match ours {
            Some(_) => StoreError::NewerInputs,
            None => StoreError::Fenced,
        })
    }

    async fn record(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        const ROW: &str = "(?, ?, ?, ?, ?, ?)";

        let rows = vec![ROW; self.0.journal.len()].join(", ");
        // Only the number of rows varies, and the driver keeps a statement for each number.
        let sql = AssertSqlSafe(format!(
            "UPDATE documents SET document = ? WHERE conversation = ?; \
             INSERT INTO journal (conversation, revision, at, operation, judgement, usage) \
             VALUES {rows}; \
             UPDATE inputs SET folded = 1, body = '' \
             WHERE conversation = ? AND folded = 0 AND seq <= ?; \
             INSERT OR IGNORE INTO contacts (tenant, channel, address, conversation) \
             SELECT ?, value ->> 0, value ->> 1, ? FROM json_each(?)"
        ));
        let mut record = sqlx::query(sql)
            .bind(&self.0.document)
            .bind(&self.0.conversation);
        for row in &self.0.journal {
            record = record
                .bind(&self.0.conversation)
                .bind(row.revision)
                .bind(row.at)
                .bind(&row.operation)
                .bind(row.judgement.as_deref())
                .bind(row.usage.as_deref());
        }
        record
            .bind(&self.0.conversation)
            .bind(self.0.span.last_folded)
            .bind(&self.0.tenant)
            .bind(&self.0.conversation)
            .bind(&self.0.contacts)
            .execute(connection)
            .await
            .map(drop)
            .map_err(fault(COMMIT))
    }
}

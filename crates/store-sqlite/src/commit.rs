//! Committing a run of operations.

use crate::{
    codec::{json, micros, micros_up},
    effects::Prepared,
    fault::{corrupt, fault},
};
use liaison_ports::{
    facts::Facts,
    store::{Commit, Span, Step, StoreError},
};
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

pub(crate) const COMMIT: &str = "commit operations";

/// A run of operations, encoded by whoever asks, so that the writer only writes.
pub(crate) struct Committing {
    conversation: String,
    tenant: String,
    fence: i64,
    span: Span,
    only_without_newer_inputs: bool,
    wake_at: Option<i64>,
    keep_until: Option<i64>,
    facts: Facts,
    contacts: String,
    document: String,
    journal: Vec<JournalRow>,
    effects: Vec<Prepared>,
}

/// A row of the journal.
struct JournalRow {
    revision: i64,
    at: i64,
    operation: String,
    judgement: Option<String>,
    usage: Option<String>,
}

impl JournalRow {
    fn of(step: &Step) -> Result<Self, StoreError> {
        let operation = &step.operation;
        Ok(Self {
            revision: i64::try_from(operation.revision)
                .map_err(|_| corrupt(COMMIT, "the revision is out of range"))?,
            at: micros(operation.at),
            operation: json(COMMIT, operation)?,
            judgement: encoded(step.judgement.as_ref())?,
            usage: encoded(step.usage.as_ref())?,
        })
    }
}

fn encoded<T: serde::Serialize>(value: Option<&T>) -> Result<Option<String>, StoreError> {
    value.map(|it| json(COMMIT, it)).transpose()
}

impl Committing {
    pub(crate) fn prepare(commit: Commit) -> Result<Self, StoreError> {
        let span = commit.span().map_err(|fault| corrupt(COMMIT, fault))?;
        let facts = Facts::of(&commit.document);
        let journal = commit
            .steps
            .iter()
            .map(JournalRow::of)
            .collect::<Result<_, _>>()?;
        let mut effects = Vec::new();
        for step in commit.steps {
            let at = step.operation.at;
            for effect in step.effects {
                effects.push(Prepared::of(effect, at)?);
            }
        }
        Ok(Self {
            conversation: commit.document.id.as_str().to_owned(),
            tenant: commit.document.tenant.as_str().to_owned(),
            fence: commit.fence,
            span,
            only_without_newer_inputs: commit.only_without_newer_inputs,
            wake_at: commit.wake_at.map(micros_up),
            keep_until: commit.keep_until.map(micros_up),
            contacts: json(COMMIT, &facts.contacts)?,
            facts,
            document: json(COMMIT, &commit.document)?,
            journal,
            effects,
        })
    }

    pub(crate) async fn run(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        self.take_over(connection).await?;
        self.record(connection).await?;
        for effect in &self.effects {
            effect
                .store(connection, &self.conversation, &self.tenant)
                .await?;
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
        .bind(&self.conversation)
        .bind(self.fence)
        .bind(micros(self.span.ended_at))
        .bind(self.facts.key.as_deref())
        .bind(&self.facts.label)
        .bind(self.facts.open_needs)
        .bind(self.facts.held_since.map(micros))
        .bind(self.wake_at)
        .bind(self.keep_until)
        .bind(self.span.last_folded)
        .bind(self.only_without_newer_inputs)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault(COMMIT))?;
        let Some(row) = rows.first() else {
            return self.why_not(connection).await;
        };
        let waiting: i64 = row.try_get(0).map_err(fault(COMMIT))?;
        let folded = self.span.folded;
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
        .bind(&self.conversation)
        .bind(self.fence)
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

        let rows = vec![ROW; self.journal.len()].join(", ");
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
            .bind(&self.document)
            .bind(&self.conversation);
        for row in &self.journal {
            record = record
                .bind(&self.conversation)
                .bind(row.revision)
                .bind(row.at)
                .bind(&row.operation)
                .bind(row.judgement.as_deref())
                .bind(row.usage.as_deref());
        }
        record
            .bind(&self.conversation)
            .bind(self.span.last_folded)
            .bind(&self.tenant)
            .bind(&self.conversation)
            .bind(&self.contacts)
            .execute(connection)
            .await
            .map(drop)
            .map_err(fault(COMMIT))
    }
}

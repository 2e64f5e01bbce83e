//! What callers and operators read.

use crate::{
    connections::Connections,
    fault::{corrupt, fault},
    register::{need_columns, need_row},
};
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    journal::read_document,
};
use liaison_ports::{
    codec::{from_json, named, time, time_if_any, with_source},
    encoded,
    store::{
        ConversationFacts, ConversationFilter, ConversationRow, ConversationSummary, EventRow,
        JournalPage, JournalRow, MessageRow, NeedRow, StoreError, Unmatched,
    },
};
use sqlx::{Row, postgres::PgRow};

const NEEDS: &str = "read needs";
const EVENTS: &str = "read a need's events";
const CONVERSATIONS: &str = "read conversations";
const TRANSCRIPT: &str = "read a transcript";
const JOURNAL: &str = "read a journal";
const UNMATCHED: &str = "read unmatched messages";
const BLOB: &str = "read a file";

/// A need has a handful of events. Whoever reads on from the last one gets the rest.
const MOST_EVENTS: i64 = 1_000;

/// The columns that [`summary`] reads.
macro_rules! summary_columns {
    () => {
        "id, label, open_needs, held_since, last_activity, wake_at, quarantine"
    };
}

/// The columns that [`stray`] reads.
macro_rules! unmatched_columns {
    () => {
        "id, tenant, dedupe_key, at, sender, subject, why, raw"
    };
}

pub(crate) async fn need(
    connections: &Connections,
    tenant: &TenantId,
    need: &NeedId,
) -> Result<Option<NeedRow>, StoreError> {
    let row = connections
        .row(NEEDS, || {
            sqlx::query(concat!(
                "SELECT ",
                need_columns!(),
                " FROM needs WHERE id = $1 AND tenant = $2"
            ))
            .bind(need.as_str())
            .bind(tenant.as_str())
        })
        .await?;
    row.as_ref().map(|row| need_row(NEEDS, row)).transpose()
}

pub(crate) async fn needs(
    connections: &Connections,
    tenant: &TenantId,
    before: Option<&NeedId>,
    limit: u32,
) -> Result<Vec<NeedRow>, StoreError> {
    let rows = match before {
        Some(before) => {
            connections
                .rows(NEEDS, || {
                    sqlx::query(concat!(
                        "SELECT ",
                        need_columns!(),
                        " FROM needs WHERE tenant = $1 AND id < $3 ORDER BY id DESC LIMIT $2"
                    ))
                    .bind(tenant.as_str())
                    .bind(i64::from(limit))
                    .bind(before.as_str())
                })
                .await?
        }
        None => {
            connections
                .rows(NEEDS, || {
                    sqlx::query(concat!(
                        "SELECT ",
                        need_columns!(),
                        " FROM needs WHERE tenant = $1 ORDER BY id DESC LIMIT $2"
                    ))
                    .bind(tenant.as_str())
                    .bind(i64::from(limit))
                })
                .await?
        }
    };
    rows.iter().map(|row| need_row(NEEDS, row)).collect()
}

pub(crate) async fn events(
    connections: &Connections,
    tenant: &TenantId,
    need: &NeedId,
    after: i64,
) -> Result<Vec<EventRow>, StoreError> {
    let rows = connections
        .rows(EVENTS, || {
            sqlx::query(
                "SELECT seq, at, event FROM events WHERE need = $1 AND seq > $2 AND tenant = $3 \
         ORDER BY seq LIMIT $4",
            )
            .bind(need.as_str())
            .bind(after)
            .bind(tenant.as_str())
            .bind(MOST_EVENTS)
        })
        .await?;
    rows.iter()
        .map(|row| {
            let event: &str = row.try_get("event").map_err(fault(EVENTS))?;
            Ok(EventRow {
                seq: row.try_get("seq").map_err(fault(EVENTS))?,
                at: time(EVENTS, row.try_get("at").map_err(fault(EVENTS))?)?,
                event: from_json(EVENTS, "an event", event)?,
            })
        })
        .collect()
}

pub(crate) async fn conversation(
    connections: &Connections,
    tenant: &TenantId,
    conversation: &ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let row = connections
        .row(CONVERSATIONS, || {
            sqlx::query(
                "SELECT c.wake_at, c.quarantine, d.document, (SELECT count(*) FROM inputs i \
         WHERE i.conversation = c.id AND NOT i.folded) AS unfolded \
         FROM conversations c JOIN documents d ON d.conversation = c.id \
         WHERE c.id = $1 AND c.tenant = $2",
            )
            .bind(conversation.as_str())
            .bind(tenant.as_str())
        })
        .await?;
    let Some(row) = row else { return Ok(None) };
    let document: &str = row.try_get("document").map_err(fault(CONVERSATIONS))?;
    let wake_at = row.try_get("wake_at").map_err(fault(CONVERSATIONS))?;
    Ok(Some(ConversationRow {
        document: read_document(document)
            .map_err(|fault| corrupt(CONVERSATIONS, with_source(&fault)))?,
        wake_at: time_if_any(CONVERSATIONS, wake_at)?,
        unfolded: count(row.try_get("unfolded").map_err(fault(CONVERSATIONS))?)?,
        quarantined: row.try_get("quarantine").map_err(fault(CONVERSATIONS))?,
    }))
}

pub(crate) async fn conversation_facts(
    connections: &Connections,
    tenant: &TenantId,
    conversation: &ConversationId,
) -> Result<Option<ConversationFacts>, StoreError> {
    let row = connections
        .row(CONVERSATIONS, || {
            sqlx::query(concat!(
                "SELECT ",
                summary_columns!(),
                ", (SELECT count(*) FROM inputs i \
         WHERE i.conversation = c.id AND NOT i.folded) AS unfolded \
         FROM conversations c WHERE c.id = $1 AND c.tenant = $2"
            ))
            .bind(conversation.as_str())
            .bind(tenant.as_str())
        })
        .await?;
    row.map(|row| {
        Ok(ConversationFacts {
            summary: summary(&row)?,
            unfolded: count(row.try_get("unfolded").map_err(fault(CONVERSATIONS))?)?,
            quarantined: row.try_get("quarantine").map_err(fault(CONVERSATIONS))?,
        })
    })
    .transpose()
}

pub(crate) async fn conversations(
    connections: &Connections,
    tenant: &TenantId,
    filter: ConversationFilter,
) -> Result<Vec<ConversationSummary>, StoreError> {
    let sql = if filter.held {
        concat!(
            "SELECT ",
            summary_columns!(),
            " FROM conversations WHERE tenant = $1 AND held_since IS NOT NULL \
         ORDER BY last_activity DESC, id DESC LIMIT $2 OFFSET $3"
        )
    } else {
        concat!(
            "SELECT ",
            summary_columns!(),
            " FROM conversations WHERE tenant = $1 \
         ORDER BY last_activity DESC, id DESC LIMIT $2 OFFSET $3"
        )
    };
    let rows = connections
        .rows(CONVERSATIONS, || {
            sqlx::query(sql)
                .bind(tenant.as_str())
                .bind(i64::from(filter.limit))
                .bind(i64::from(filter.offset))
        })
        .await?;
    rows.iter().map(summary).collect()
}

pub(crate) async fn conversation_ids(
    connections: &Connections,
    tenant: &TenantId,
    after: Option<&ConversationId>,
    limit: u32,
) -> Result<Vec<ConversationId>, StoreError> {
    // No id is empty, so every one comes after the empty text.
    let after = after.map_or("", ConversationId::as_str);
    let rows = connections
        .rows(CONVERSATIONS, || {
            sqlx::query(
                "SELECT id FROM conversations WHERE id > $2 AND tenant = $1 ORDER BY id LIMIT $3",
            )
            .bind(tenant.as_str())
            .bind(after)
            .bind(i64::from(limit))
        })
        .await?;
    rows.into_iter()
        .map(|row| row.try_get::<String, _>(0).map(ConversationId::new))
        .collect::<Result<_, _>>()
        .map_err(fault(CONVERSATIONS))
}

fn count(count: i64) -> Result<u32, StoreError> {
    u32::try_from(count).map_err(|_| corrupt(CONVERSATIONS, format!("{count} is no count")))
}

fn summary(row: &PgRow) -> Result<ConversationSummary, StoreError> {
    let fault = fault(CONVERSATIONS);
    let id: String = row.try_get("id").map_err(&fault)?;
    let quarantine: Option<&str> = row.try_get("quarantine").map_err(&fault)?;
    let held_since = row.try_get("held_since").map_err(&fault)?;
    let last_activity = row.try_get("last_activity").map_err(&fault)?;
    let wake_at = row.try_get("wake_at").map_err(&fault)?;
    Ok(ConversationSummary {
        id: ConversationId::new(id),
        stakeholder: row.try_get("label").map_err(&fault)?,
        open_needs: count(row.try_get("open_needs").map_err(&fault)?)?,
        held_since: time_if_any(CONVERSATIONS, held_since)?,
        last_activity: time(CONVERSATIONS, last_activity)?,
        wake_at: time_if_any(CONVERSATIONS, wake_at)?,
        quarantined: quarantine.is_some(),
    })
}

pub(crate) async fn transcript(
    connections: &Connections,
    tenant: &TenantId,
    conversation: &ConversationId,
    limit: u32,
) -> Result<Vec<MessageRow>, StoreError> {
    // What was withdrawn was never said.
    let rows = connections
        .rows(TRANSCRIPT, || {
            sqlx::query(
        "SELECT id, conversation, direction, channel, at, address, subject, text, transport_id \
         FROM messages m WHERE m.conversation = $1 AND m.tenant = $2 \
         AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.message = m.id AND o.state = 'withdrawn') \
         ORDER BY m.at DESC, m.seq DESC LIMIT $3",
    )
    .bind(conversation.as_str())
    .bind(tenant.as_str())
    .bind(i64::from(limit))
        })
        .await?;
    rows.iter().rev().map(message).collect()
}

fn message(row: &PgRow) -> Result<MessageRow, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(fault(TRANSCRIPT));
    Ok(MessageRow {
        id: MessageId::new(text("id")?),
        conversation: ConversationId::new(text("conversation")?),
        direction: named(TRANSCRIPT, &text("direction")?)?,
        channel: named(TRANSCRIPT, &text("channel")?)?,
        at: time(TRANSCRIPT, row.try_get("at").map_err(fault(TRANSCRIPT))?)?,
        address: text("address")?,
        subject: text("subject")?,
        text: text("text")?,
        transport_id: row.try_get("transport_id").map_err(fault(TRANSCRIPT))?,
    })
}

pub(crate) async fn journal(
    connections: &Connections,
    tenant: &TenantId,
    conversation: &ConversationId,
    from: u64,
    limit: u32,
) -> Result<Option<JournalPage>, StoreError> {
    let opening = connections
        .row(JOURNAL, || {
            sqlx::query(
                "SELECT o.opening FROM openings o JOIN conversations c ON c.id = o.conversation \
         WHERE c.id = $1 AND c.tenant = $2",
            )
            .bind(conversation.as_str())
            .bind(tenant.as_str())
        })
        .await?;
    let Some(opening) = opening else {
        return Ok(None);
    };
    let rows = connections
        .rows(JOURNAL, || {
            sqlx::query(
                "SELECT revision, operation, judgement, usage FROM journal \
         WHERE conversation = $1 AND revision >= $2 ORDER BY revision LIMIT $3",
            )
            .bind(conversation.as_str())
            .bind(i64::try_from(from).unwrap_or(i64::MAX))
            .bind(i64::from(limit))
        })
        .await?;
    let opening: &str = opening.try_get(0).map_err(fault(JOURNAL))?;
    Ok(Some(JournalPage {
        opening: from_json(JOURNAL, "the opening", opening)?,
        operations: rows.iter().map(journal_row).collect::<Result<_, _>>()?,
    }))
}

fn journal_row(row: &PgRow) -> Result<JournalRow, StoreError> {
    let revision: i64 = row.try_get("revision").map_err(fault(JOURNAL))?;
    let operation: &str = row.try_get("operation").map_err(fault(JOURNAL))?;
    let judgement: Option<&str> = row.try_get("judgement").map_err(fault(JOURNAL))?;
    let usage: Option<&str> = row.try_get("usage").map_err(fault(JOURNAL))?;
    encoded::journal_row(JOURNAL, revision, operation, judgement, usage)
}

pub(crate) async fn unmatched(
    connections: &Connections,
    tenant: &TenantId,
    limit: u32,
) -> Result<Vec<Unmatched>, StoreError> {
    let rows = connections
        .rows(UNMATCHED, || {
            sqlx::query(concat!(
                "SELECT ",
                unmatched_columns!(),
                " FROM unmatched WHERE tenant = $1 ORDER BY seq DESC LIMIT $2"
            ))
            .bind(tenant.as_str())
            .bind(i64::from(limit))
        })
        .await?;
    rows.iter().map(stray).collect()
}

pub(crate) async fn unmatched_message(
    connections: &Connections,
    tenant: &TenantId,
    message: &MessageId,
) -> Result<Option<Unmatched>, StoreError> {
    let row = connections
        .row(UNMATCHED, || {
            sqlx::query(concat!(
                "SELECT ",
                unmatched_columns!(),
                " FROM unmatched WHERE id = $1 AND tenant = $2"
            ))
            .bind(message.as_str())
            .bind(tenant.as_str())
        })
        .await?;
    row.as_ref().map(stray).transpose()
}

fn stray(row: &PgRow) -> Result<Unmatched, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(fault(UNMATCHED));
    Ok(Unmatched {
        id: MessageId::new(text("id")?),
        tenant: TenantId::new(text("tenant")?),
        dedupe_key: text("dedupe_key")?,
        at: time(UNMATCHED, row.try_get("at").map_err(fault(UNMATCHED))?)?,
        from: text("sender")?,
        subject: text("subject")?,
        why: text("why")?,
        raw: row.try_get("raw").map_err(fault(UNMATCHED))?,
    })
}

pub(crate) async fn blob(
    connections: &Connections,
    tenant: &TenantId,
    blob: &BlobId,
) -> Result<Option<Vec<u8>>, StoreError> {
    let row = connections
        .row(BLOB, || {
            sqlx::query("SELECT bytes FROM blobs WHERE id = $1 AND tenant = $2")
                .bind(blob.as_str())
                .bind(tenant.as_str())
        })
        .await?;
    row.map(|row| row.try_get(0))
        .transpose()
        .map_err(fault(BLOB))
}

//! What callers and operators read.

use crate::{
    codec::{from_json, named, time, time_if_any, with_source},
    fault::{corrupt, fault},
    readers::Readers,
    register::need_row,
};
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    journal::read_document,
};
use liaison_ports::{
    encoded,
    store::{
        ConversationFacts, ConversationFilter, ConversationRow, ConversationSummary, EventRow,
        JournalPage, JournalRow, MessageRow, NeedRow, StoreError, Unmatched,
    },
};
use sqlx::{Row, sqlite::SqliteRow};

const NEEDS: &str = "read needs";
const EVENTS: &str = "read a need's events";
const CONVERSATIONS: &str = "read conversations";
const TRANSCRIPT: &str = "read a transcript";
const JOURNAL: &str = "read a journal";
const UNMATCHED: &str = "read unmatched messages";
const BLOB: &str = "read a file";

/// A need has a handful of events. Whoever reads on from the last one gets the rest.
const MOST_EVENTS: i64 = 1_000;

pub(crate) async fn need(
    readers: &Readers,
    tenant: &TenantId,
    need: &NeedId,
) -> Result<Option<NeedRow>, StoreError> {
    let row = sqlx::query("SELECT * FROM needs WHERE id = ?1 AND tenant = ?2")
        .bind(need.as_str())
        .bind(tenant.as_str())
        .fetch_optional(&mut *readers.one().await.map_err(fault(NEEDS))?)
        .await
        .map_err(fault(NEEDS))?;
    row.as_ref().map(|row| need_row(NEEDS, row)).transpose()
}

pub(crate) async fn needs(
    readers: &Readers,
    tenant: &TenantId,
    before: Option<&NeedId>,
    limit: u32,
) -> Result<Vec<NeedRow>, StoreError> {
    let rows = match before {
        Some(before) => sqlx::query(
            "SELECT * FROM needs WHERE tenant = ?1 AND id < ?3 ORDER BY id DESC LIMIT ?2 + 0",
        )
        .bind(tenant.as_str())
        .bind(limit)
        .bind(before.as_str()),
        None => sqlx::query("SELECT * FROM needs WHERE tenant = ?1 ORDER BY id DESC LIMIT ?2 + 0")
            .bind(tenant.as_str())
            .bind(limit),
    }
    .fetch_all(&mut *readers.one().await.map_err(fault(NEEDS))?)
    .await
    .map_err(fault(NEEDS))?;
    rows.iter().map(|row| need_row(NEEDS, row)).collect()
}

pub(crate) async fn events(
    readers: &Readers,
    tenant: &TenantId,
    need: &NeedId,
    after: i64,
) -> Result<Vec<EventRow>, StoreError> {
    let rows = sqlx::query(
        "SELECT seq, at, event FROM events WHERE need = ?1 AND seq > ?2 AND tenant = ?3 \
         ORDER BY seq LIMIT ?4 + 0",
    )
    .bind(need.as_str())
    .bind(after)
    .bind(tenant.as_str())
    .bind(MOST_EVENTS)
    .fetch_all(&mut *readers.one().await.map_err(fault(EVENTS))?)
    .await
    .map_err(fault(EVENTS))?;
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
    readers: &Readers,
    tenant: &TenantId,
    conversation: &ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let row = sqlx::query(
        "SELECT c.wake_at, c.quarantine, d.document, (SELECT count(*) FROM inputs i \
         WHERE i.conversation = c.id AND i.folded = 0) AS unfolded \
         FROM conversations c JOIN documents d ON d.conversation = c.id \
         WHERE c.id = ?1 AND c.tenant = ?2",
    )
    .bind(conversation.as_str())
    .bind(tenant.as_str())
    .fetch_optional(&mut *readers.one().await.map_err(fault(CONVERSATIONS))?)
    .await
    .map_err(fault(CONVERSATIONS))?;
    let Some(row) = row else { return Ok(None) };
    let document: &str = row.try_get("document").map_err(fault(CONVERSATIONS))?;
    let wake_at = row.try_get("wake_at").map_err(fault(CONVERSATIONS))?;
    Ok(Some(ConversationRow {
        document: read_document(document)
            .map_err(|fault| corrupt(CONVERSATIONS, with_source(&fault)))?,
        wake_at: time_if_any(CONVERSATIONS, wake_at)?,
        unfolded: row.try_get("unfolded").map_err(fault(CONVERSATIONS))?,
        quarantined: row.try_get("quarantine").map_err(fault(CONVERSATIONS))?,
    }))
}

pub(crate) async fn conversation_facts(
    readers: &Readers,
    tenant: &TenantId,
    conversation: &ConversationId,
) -> Result<Option<ConversationFacts>, StoreError> {
    let row = sqlx::query(
        "SELECT *, (SELECT count(*) FROM inputs i \
         WHERE i.conversation = c.id AND i.folded = 0) AS unfolded \
         FROM conversations c WHERE c.id = ?1 AND c.tenant = ?2",
    )
    .bind(conversation.as_str())
    .bind(tenant.as_str())
    .fetch_optional(&mut *readers.one().await.map_err(fault(CONVERSATIONS))?)
    .await
    .map_err(fault(CONVERSATIONS))?;
    row.map(|row| {
        Ok(ConversationFacts {
            summary: summary(&row)?,
            unfolded: row.try_get("unfolded").map_err(fault(CONVERSATIONS))?,
            quarantined: row.try_get("quarantine").map_err(fault(CONVERSATIONS))?,
        })
    })
    .transpose()
}

pub(crate) async fn conversations(
    readers: &Readers,
    tenant: &TenantId,
    filter: ConversationFilter,
) -> Result<Vec<ConversationSummary>, StoreError> {
    let sql = if filter.held {
        "SELECT * FROM conversations WHERE tenant = ?1 AND held_since IS NOT NULL \
         ORDER BY last_activity DESC, id DESC LIMIT ?2 + 0 OFFSET ?3"
    } else {
        "SELECT * FROM conversations WHERE tenant = ?1 \
         ORDER BY last_activity DESC, id DESC LIMIT ?2 + 0 OFFSET ?3"
    };
    let rows = sqlx::query(sql)
        .bind(tenant.as_str())
        .bind(filter.limit)
        .bind(filter.offset)
        .fetch_all(&mut *readers.one().await.map_err(fault(CONVERSATIONS))?)
        .await
        .map_err(fault(CONVERSATIONS))?;
    rows.iter().map(summary).collect()
}

pub(crate) async fn conversation_ids(
    readers: &Readers,
    tenant: &TenantId,
    after: Option<&ConversationId>,
    limit: u32,
) -> Result<Vec<ConversationId>, StoreError> {
    // No id is empty, so every one comes after the empty text.
    let after = after.map_or("", ConversationId::as_str);
    let rows = sqlx::query(
        "SELECT id FROM conversations WHERE id > ?2 AND tenant = ?1 ORDER BY id LIMIT ?3 + 0",
    )
    .bind(tenant.as_str())
    .bind(after)
    .bind(limit)
    .fetch_all(&mut *readers.one().await.map_err(fault(CONVERSATIONS))?)
    .await
    .map_err(fault(CONVERSATIONS))?;
    rows.into_iter()
        .map(|row| row.try_get::<String, _>(0).map(ConversationId::new))
        .collect::<Result<_, _>>()
        .map_err(fault(CONVERSATIONS))
}

fn summary(row: &SqliteRow) -> Result<ConversationSummary, StoreError> {
    let fault = fault(CONVERSATIONS);
    let id: String = row.try_get("id").map_err(&fault)?;
    let quarantine: Option<&str> = row.try_get("quarantine").map_err(&fault)?;
    let held_since = row.try_get("held_since").map_err(&fault)?;
    let last_activity = row.try_get("last_activity").map_err(&fault)?;
    let wake_at = row.try_get("wake_at").map_err(&fault)?;
    Ok(ConversationSummary {
        id: ConversationId::new(id),
        stakeholder: row.try_get("label").map_err(&fault)?,
        open_needs: row.try_get("open_needs").map_err(&fault)?,
        held_since: time_if_any(CONVERSATIONS, held_since)?,
        last_activity: time(CONVERSATIONS, last_activity)?,
        wake_at: time_if_any(CONVERSATIONS, wake_at)?,
        quarantined: quarantine.is_some(),
    })
}

pub(crate) async fn transcript(
    readers: &Readers,
    tenant: &TenantId,
    conversation: &ConversationId,
    limit: u32,
) -> Result<Vec<MessageRow>, StoreError> {
    // What was withdrawn was never said.
    let rows = sqlx::query(
        "SELECT * FROM messages m WHERE m.conversation = ?1 AND m.tenant = ?2 \
         AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.message = m.id AND o.state = 'withdrawn') \
         ORDER BY m.at DESC, m.rowid DESC LIMIT ?3 + 0",
    )
    .bind(conversation.as_str())
    .bind(tenant.as_str())
    .bind(limit)
    .fetch_all(&mut *readers.one().await.map_err(fault(TRANSCRIPT))?)
    .await
    .map_err(fault(TRANSCRIPT))?;
    rows.iter().rev().map(message).collect()
}

fn message(row: &SqliteRow) -> Result<MessageRow, StoreError> {
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
    readers: &Readers,
    tenant: &TenantId,
    conversation: &ConversationId,
    from: u64,
    limit: u32,
) -> Result<Option<JournalPage>, StoreError> {
    let opening = sqlx::query(
        "SELECT o.opening FROM openings o JOIN conversations c ON c.id = o.conversation \
         WHERE c.id = ?1 AND c.tenant = ?2",
    )
    .bind(conversation.as_str())
    .bind(tenant.as_str())
    .fetch_optional(&mut *readers.one().await.map_err(fault(JOURNAL))?)
    .await
    .map_err(fault(JOURNAL))?;
    let Some(opening) = opening else {
        return Ok(None);
    };
    let rows = sqlx::query(
        "SELECT revision, operation, judgement, usage FROM journal \
         WHERE conversation = ?1 AND revision >= ?2 ORDER BY revision LIMIT ?3 + 0",
    )
    .bind(conversation.as_str())
    .bind(i64::try_from(from).unwrap_or(i64::MAX))
    .bind(limit)
    .fetch_all(&mut *readers.one().await.map_err(fault(JOURNAL))?)
    .await
    .map_err(fault(JOURNAL))?;
    let opening: &str = opening.try_get(0).map_err(fault(JOURNAL))?;
    Ok(Some(JournalPage {
        opening: from_json(JOURNAL, "the opening", opening)?,
        operations: rows.iter().map(journal_row).collect::<Result<_, _>>()?,
    }))
}

fn journal_row(row: &SqliteRow) -> Result<JournalRow, StoreError> {
    let revision: i64 = row.try_get("revision").map_err(fault(JOURNAL))?;
    let operation: &str = row.try_get("operation").map_err(fault(JOURNAL))?;
    let judgement: Option<&str> = row.try_get("judgement").map_err(fault(JOURNAL))?;
    let usage: Option<&str> = row.try_get("usage").map_err(fault(JOURNAL))?;
    encoded::journal_row(JOURNAL, revision, operation, judgement, usage)
}

pub(crate) async fn unmatched(
    readers: &Readers,
    tenant: &TenantId,
    limit: u32,
) -> Result<Vec<Unmatched>, StoreError> {
    let rows =
        sqlx::query("SELECT * FROM unmatched WHERE tenant = ?1 ORDER BY seq DESC LIMIT ?2 + 0")
            .bind(tenant.as_str())
            .bind(limit)
            .fetch_all(&mut *readers.one().await.map_err(fault(UNMATCHED))?)
            .await
            .map_err(fault(UNMATCHED))?;
    rows.iter().map(stray).collect()
}

pub(crate) async fn unmatched_message(
    readers: &Readers,
    tenant: &TenantId,
    message: &MessageId,
) -> Result<Option<Unmatched>, StoreError> {
    let row = sqlx::query("SELECT * FROM unmatched WHERE id = ?1 AND tenant = ?2")
        .bind(message.as_str())
        .bind(tenant.as_str())
        .fetch_optional(&mut *readers.one().await.map_err(fault(UNMATCHED))?)
        .await
        .map_err(fault(UNMATCHED))?;
    row.as_ref().map(stray).transpose()
}

fn stray(row: &SqliteRow) -> Result<Unmatched, StoreError> {
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
    readers: &Readers,
    tenant: &TenantId,
    blob: &BlobId,
) -> Result<Option<Vec<u8>>, StoreError> {
    let row = sqlx::query("SELECT bytes FROM blobs WHERE id = ?1 AND tenant = ?2")
        .bind(blob.as_str())
        .bind(tenant.as_str())
        .fetch_optional(&mut *readers.one().await.map_err(fault(BLOB))?)
        .await
        .map_err(fault(BLOB))?;
    row.map(|row| row.try_get(0))
        .transpose()
        .map_err(fault(BLOB))
}

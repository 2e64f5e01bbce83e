//! Matching what arrives to a conversation.

use crate::{
    codec::{json, name},
    fault::fault,
    readers::Readers,
};
use liaison_core::{
    id::{ConversationId, MessageId, TenantId},
    stakeholder::{Channel, EmailAddress},
};
use liaison_ports::store::StoreError;
use sqlx::Row;

const BY_TOKEN: &str = "find a conversation by its token";
const BY_TRANSPORT_ID: &str = "find a message by its transport's id";
const BY_ADDRESS: &str = "find conversations by an address";

pub(crate) async fn by_token(
    readers: &Readers,
    tenant: &TenantId,
    token: &str,
) -> Result<Option<ConversationId>, StoreError> {
    let row = sqlx::query("SELECT id FROM conversations WHERE reply_token = ?1 AND tenant = ?2")
        .bind(token)
        .bind(tenant.as_str())
        .fetch_optional(&mut *readers.one().await.map_err(fault(BY_TOKEN))?)
        .await
        .map_err(fault(BY_TOKEN))?;
    row.map(|row| row.try_get::<String, _>(0).map(ConversationId::new))
        .transpose()
        .map_err(fault(BY_TOKEN))
}

pub(crate) async fn by_transport_id(
    readers: &Readers,
    tenant: &TenantId,
    ids: &[String],
) -> Result<Option<(ConversationId, MessageId)>, StoreError> {
    if ids.is_empty() {
        return Ok(None);
    }
    let row = sqlx::query(
        "SELECT m.conversation, m.id FROM json_each(?2) wanted CROSS JOIN messages m \
         ON m.tenant = ?1 AND m.transport_id = wanted.value AND m.direction = 'outbound' \
         ORDER BY wanted.key LIMIT 1",
    )
    .bind(tenant.as_str())
    .bind(json(BY_TRANSPORT_ID, &ids)?)
    .fetch_optional(&mut *readers.one().await.map_err(fault(BY_TRANSPORT_ID))?)
    .await
    .map_err(fault(BY_TRANSPORT_ID))?;
    let Some(row) = row else { return Ok(None) };
    let conversation: String = row.try_get(0).map_err(fault(BY_TRANSPORT_ID))?;
    let message: String = row.try_get(1).map_err(fault(BY_TRANSPORT_ID))?;
    Ok(Some((
        ConversationId::new(conversation),
        MessageId::new(message),
    )))
}

pub(crate) async fn by_address(
    readers: &Readers,
    tenant: &TenantId,
    channel: Channel,
    address: &EmailAddress,
    open_only: bool,
) -> Result<Vec<ConversationId>, StoreError> {
    let rows = sqlx::query(
        "SELECT c.id FROM contacts k JOIN conversations c ON c.id = k.conversation \
         WHERE k.tenant = ?1 AND k.channel = ?2 AND k.address = ?3 \
         AND (NOT ?4 OR c.open_needs > 0) ORDER BY c.id",
    )
    .bind(tenant.as_str())
    .bind(name(BY_ADDRESS, &channel)?)
    .bind(address.lookup_form())
    .bind(open_only)
    .fetch_all(&mut *readers.one().await.map_err(fault(BY_ADDRESS))?)
    .await
    .map_err(fault(BY_ADDRESS))?;
    rows.into_iter()
        .map(|row| row.try_get::<String, _>(0).map(ConversationId::new))
        .collect::<Result<_, _>>()
        .map_err(fault(BY_ADDRESS))
}

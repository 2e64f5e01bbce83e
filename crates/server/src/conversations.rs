//! What operators read.

use crate::{
    auth::OperatorKey,
    fault::Fault,
    params::{PageSize, Params, PathId},
    state::App,
    view,
};
use axum::{Json, extract::State};
use liaison_api::{ConversationList, ConversationView, Explanation, JournalView, TranscriptView};
use liaison_core::{
    id::{ConversationId, TenantId},
    phase,
};
use liaison_ports::store::{ConversationFilter, ConversationRow};
use serde::Deserialize;
use std::sync::Arc;

/// How much of what was said comes with a conversation: what an operator reads at a glance.
const LATEST_MESSAGES: u32 = 50;

/// The query of `GET /v1/conversations`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    #[serde(default)]
    held: bool,
    #[serde(default)]
    limit: PageSize,
    #[serde(default)]
    offset: u32,
}

/// `GET /v1/conversations`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    Params(params): Params<ListParams>,
) -> Result<Json<ConversationList>, Fault> {
    let filter = ConversationFilter {
        held: params.held,
        limit: params.limit.0,
        offset: params.offset,
    };
    let rows = app
        .outside
        .store
        .conversations(&caller.tenant, filter)
        .await?;
    let conversations = rows.into_iter().map(view::summary).collect();
    Ok(Json(ConversationList { conversations }))
}

/// `GET /v1/conversations/{id}`.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
) -> Result<Json<ConversationView>, Fault> {
    let id = ConversationId::new(id);
    let row = find(&app, &caller.tenant, &id).await?;
    let transcript = app
        .outside
        .store
        .transcript(&caller.tenant, &id, LATEST_MESSAGES)
        .await?;
    Ok(Json(view::conversation(row, transcript, app.now())))
}

/// `GET /v1/conversations/{id}/explain`.
pub(crate) async fn explain(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
) -> Result<Json<Explanation>, Fault> {
    let row = find(&app, &caller.tenant, &ConversationId::new(id)).await?;
    Ok(Json(phase::explain(&row.document, app.now())))
}

/// The query of `GET /v1/conversations/{id}/transcript`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TranscriptParams {
    #[serde(default)]
    limit: PageSize,
}

/// `GET /v1/conversations/{id}/transcript`.
pub(crate) async fn transcript(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    Params(params): Params<TranscriptParams>,
) -> Result<Json<TranscriptView>, Fault> {
    let id = ConversationId::new(id);
    find(&app, &caller.tenant, &id).await?;
    let rows = app
        .outside
        .store
        .transcript(&caller.tenant, &id, params.limit.0)
        .await?;
    let messages = rows.into_iter().map(view::message).collect();
    Ok(Json(TranscriptView { messages }))
}

/// The query of `GET /v1/conversations/{id}/journal`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalParams {
    #[serde(default)]
    from: u64,
    #[serde(default)]
    limit: PageSize,
}

/// `GET /v1/conversations/{id}/journal`.
pub(crate) async fn journal(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    Params(params): Params<JournalParams>,
) -> Result<Json<JournalView>, Fault> {
    let page = app
        .outside
        .store
        .journal(
            &caller.tenant,
            &ConversationId::new(id),
            params.from,
            params.limit.0,
        )
        .await?
        .ok_or_else(|| Fault::not_found("conversation"))?;
    Ok(Json(view::journal(page)))
}

/// The tenant's conversation with this id.
pub(crate) async fn find(
    app: &App,
    tenant: &TenantId,
    id: &ConversationId,
) -> Result<ConversationRow, Fault> {
    app.outside
        .store
        .conversation(tenant, id)
        .await?
        .ok_or_else(|| Fault::not_found("conversation"))
}

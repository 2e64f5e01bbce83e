//! What operators read.

use crate::{
    auth::OperatorKey,
    body::{self, OptionalJson},
    fault::Fault,
    params::{PageSize, Params, PathId},
    state::App,
    view,
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use liaison_api::{
    Accepted, ConversationList, Explanation, JournalView, LiftQuarantine, PlanAhead, TranscriptView,
};
use liaison_core::{
    id::{ConversationId, TenantId},
    phase,
    plan::plan_ahead,
};
use liaison_ports::store::{ConversationFilter, ConversationRow, StoreError};
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

/// `GET /v1/conversations/{id}`: of one whose document cannot be read, what is known without it.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
) -> Result<Response, Fault> {
    let id = ConversationId::new(id);
    let store = &app.outside.store;
    let row = match store.conversation(&caller.tenant, &id).await {
        Err(StoreError::Corrupt { what, .. }) => {
            return unreadable(&app, &caller.tenant, &id, what).await;
        }
        found => found?.ok_or_else(|| Fault::not_found("conversation"))?,
    };
    let transcript = app
        .outside
        .store
        .transcript(&caller.tenant, &id, LATEST_MESSAGES)
        .await?;
    Ok(Json(view::conversation(row, transcript, app.now())).into_response())
}

async fn unreadable(
    app: &App,
    tenant: &TenantId,
    id: &ConversationId,
    error: String,
) -> Result<Response, Fault> {
    let store = &app.outside.store;
    let facts = store
        .conversation_facts(tenant, id)
        .await?
        .ok_or_else(|| Fault::not_found("conversation"))?;
    let transcript = store.transcript(tenant, id, LATEST_MESSAGES).await?;
    Ok(Json(view::unreadable(facts, error, transcript)).into_response())
}

/// `POST /v1/conversations/{id}/lift-quarantine`: 409 when it is not set aside.
pub(crate) async fn lift_quarantine(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    OptionalJson(body::Json { value, .. }): OptionalJson<LiftQuarantine>,
) -> Result<(StatusCode, Json<Accepted>), Fault> {
    let id = ConversationId::new(id);
    let store = &app.outside.store;
    // Its document may be unreadable; that it exists is known without.
    let known = store.conversation_facts(&caller.tenant, &id).await?;
    known.ok_or_else(|| Fault::not_found("conversation"))?;
    let lifted = store
        .lift_quarantine(&caller.tenant, &id, app.now())
        .await?;
    if !lifted {
        return Err(Fault::not_quarantined());
    }
    app.outside.changes.inputs_arrived();
    let by = value.by.unwrap_or(caller.key_name);
    tracing::info!(conversation = %id, by, "a quarantine was lifted");
    Ok((StatusCode::ACCEPTED, Json(Accepted { repeated: false })))
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

/// `GET /v1/conversations/{id}/plan`.
pub(crate) async fn plan(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
) -> Result<Json<PlanAhead>, Fault> {
    let row = find(&app, &caller.tenant, &ConversationId::new(id)).await?;
    Ok(Json(plan_ahead(&row.document, app.now())))
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

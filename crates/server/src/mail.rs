//! Mail that went nowhere, for operators.

use crate::{
    auth::OperatorKey,
    fault::Fault,
    params::{PageSize, Params},
    state::App,
    view,
};
use axum::{Json, extract::State};
use liaison_api::{OutboxView, UnmatchedView};
use serde::Deserialize;
use std::sync::Arc;

/// The query of both lists.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    #[serde(default)]
    limit: PageSize,
}

/// `GET /v1/unmatched`.
pub(crate) async fn unmatched(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    Params(params): Params<ListParams>,
) -> Result<Json<UnmatchedView>, Fault> {
    let rows = app
        .outside
        .store
        .unmatched(&caller.tenant, params.limit.0)
        .await?;
    let messages = rows.into_iter().map(view::unmatched).collect();
    Ok(Json(UnmatchedView { messages }))
}

/// `GET /v1/outbox`.
pub(crate) async fn outbox(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    Params(params): Params<ListParams>,
) -> Result<Json<OutboxView>, Fault> {
    let rows = app
        .outside
        .store
        .outbox(&caller.tenant, params.limit.0)
        .await?;
    let messages = rows.into_iter().map(view::outbox).collect();
    Ok(Json(OutboxView { messages }))
}

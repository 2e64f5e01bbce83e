//! Mail that went nowhere, for operators.

use crate::{
    auth::OperatorKey,
    body,
    fault::Fault,
    params::{PageSize, Params, PathId},
    state::App,
    view,
};
use axum::{Json, extract::State};
use http::StatusCode;
use liaison_api::{AssignUnmatched, FieldFault, OutboxView, TakenAs, TakenView, UnmatchedView};
use liaison_core::id::MessageId;
use liaison_ports::inbound::{Assignment, IntakeFault, Taken, Undecodable};
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

/// `POST /v1/unmatched/{id}/assign`: the message becomes an input of the conversation like any
/// that is received, and leaves the list.
pub(crate) async fn assign(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    body::Json { value, .. }: body::Json<AssignUnmatched>,
) -> Result<(StatusCode, axum::Json<TakenView>), Fault> {
    let store = &app.outside.store;
    let id = MessageId::new(id);
    let unmatched = store
        .unmatched_message(&caller.tenant, &id)
        .await?
        .ok_or_else(|| Fault::not_found("unmatched message"))?;
    let no_such = || {
        FieldFault::new(
            "conversation",
            "there is no conversation with this id; see GET /v1/conversations",
        )
    };
    // The id comes from outside, and only those of this tenant are found.
    store
        .conversation_facts(&caller.tenant, &value.conversation)
        .await?
        .ok_or_else(no_such)?;
    let _place = app
        .inbound
        .acquire()
        .await
        .expect("the semaphore is never closed");
    let decoding = tokio::task::spawn_blocking({
        let (app, tenant) = (app.clone(), caller.tenant.clone());
        move || {
            let decoder = &app.outside.decoder;
            decoder.decode(&tenant, &unmatched.raw, unmatched.at)
        }
    });
    let decoded = decoding
        .await
        .unwrap_or_else(|_| Err(Undecodable("the decoder failed at it".to_owned())));
    let message = decoded.map_err(|Undecodable(why)| {
        let detail =
            format!("this message cannot be read ({why}); enter what it says with `fill` instead");
        Fault::from(FieldFault::new("", detail))
    })?;
    let assignment = Assignment {
        unmatched: id.clone(),
        conversation: value.conversation.clone(),
        from_stakeholder: value.from_stakeholder,
        at: app.now(),
    };
    let taken = app.outside.intake.assign(message, assignment).await;
    let taken = match taken.map_err(|IntakeFault(error)| Fault::from(error))? {
        Taken::Matched(_) => TakenAs::Matched,
        Taken::Duplicate => TakenAs::Duplicate,
        Taken::Unmatched => {
            let detail = "this message is nothing that the conversation could take: it names no \
                          sender, or reports about no message of it";
            return Err(FieldFault::new("conversation", detail).into());
        }
    };
    app.outside.changes.inputs_arrived();
    let by = value.by.unwrap_or(caller.key_name);
    tracing::info!(message = %id, conversation = %value.conversation, by, "an unmatched message was assigned");
    Ok((StatusCode::ACCEPTED, axum::Json(TakenView { taken })))
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

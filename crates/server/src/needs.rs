//! Callers' requests: registering needs, reading them, waiting for them, taking them back.

use crate::{
    auth::CallerKey,
    body::Json,
    fault::Fault,
    params::{PageSize, Params, PathId, Place, UuidText, WaitFor, idempotency_key},
    registration,
    state::App,
    view, waiting,
};
use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode, header};
use liaison_api::{EventList, NeedList, NeedView, RegisterNeed};
use liaison_core::{
    id::{ConversationId, NeedId, TenantId},
    input::Input,
    need::Registration,
    sharing,
    stakeholder::Stakeholder,
    transition::Opening,
};
use liaison_ports::store::{Appended, NeedRow, NewInput, NewNeed, Registered};
use serde::Deserialize;
use std::sync::Arc;

/// `POST /v1/needs`.
pub(crate) async fn register(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    headers: HeaderMap,
    Json { value, hash }: Json<RegisterNeed>,
) -> Result<Response, Fault> {
    let idempotency_key = idempotency_key(&headers)?;
    let now = app.now();
    let mut ids = app.ids();
    let need = NeedId::new(ids.draw());
    let policy = (app.outside.policies)(&caller.tenant);
    let with_email = value.stakeholder.email.is_some();
    let checked = registration::check(value, need.clone(), now).and_then(|checked| {
        let faults = registration::own_mailboxes(&checked.1, with_email, &policy);
        if faults.is_empty() {
            Ok(checked)
        } else {
            Err(faults)
        }
    });
    let checked = match checked {
        Ok(checked) => checked,
        Err(faults) => {
            // A repetition may come when its own deadline has passed, and is still a repetition.
            let before = match &idempotency_key {
                Some(key) => {
                    let store = &app.outside.store;
                    store.registered_before(&caller.tenant, key, &hash).await?
                }
                None => None,
            };
            return match before {
                Some(before) => answer(before),
                None => Err(Fault::fields(faults)),
            };
        }
    };
    let (registration, stakeholder) = checked;
    if let Some(fault) = clash(&app, &caller.tenant, &registration, &stakeholder).await? {
        // A repetition is one, whatever other needs have been registered since.
        if let Some(key) = &idempotency_key {
            let store = &app.outside.store;
            if let Some(before) = store.registered_before(&caller.tenant, key, &hash).await? {
                return answer(before);
            }
        }
        return Err(fault);
    }
    let opening = Opening {
        id: ConversationId::new(ids.draw()),
        tenant: caller.tenant.clone(),
        at: now,
        stakeholder: stakeholder.clone(),
        reply_token: ids.draw_token(),
        policy,
    };
    let registered = app
        .outside
        .store
        .register_need(NewNeed {
            tenant: caller.tenant,
            idempotency_key,
            request_hash: hash,
            registration: registration.clone(),
            stakeholder,
            opening,
            at: now,
        })
        .await?;
    let Registered::New { conversation } = registered else {
        return answer(registered);
    };
    app.outside.changes.inputs_arrived();
    tracing::info!(%need, %conversation, "a need was registered");
    let row = NeedRow {
        id: need,
        conversation,
        registration,
        registered_at: now,
        outcome: None,
    };
    Ok(shown(StatusCode::CREATED, row))
}

/// What keeps a registration from sharing its questions with the other needs of its conversation,
/// those that wait to be taken in included. A registration that lands at the same moment is not
/// seen here; of two that clash the later one then ends with an event `rejected`.
async fn clash(
    app: &App,
    tenant: &TenantId,
    registration: &Registration,
    stakeholder: &Stakeholder,
) -> Result<Option<Fault>, Fault> {
    if registration.subject.is_none() {
        // Its slots are its own.
        return Ok(None);
    }
    let store = &app.outside.store;
    let Some(home) = store.home(tenant, stakeholder).await? else {
        return Ok(None);
    };
    // In this order nothing is missed that is folded in between.
    let waiting = store.pending_inputs(&home, 0).await?;
    let Some(row) = store.conversation(tenant, &home).await? else {
        return Ok(None);
    };
    Ok(sharing::clash(&row.document, &waiting, registration).map(|clash| Fault::clash(&clash)))
}

/// The answer to a repetition, or to another request with its key.
fn answer(before: Registered) -> Result<Response, Fault> {
    match before {
        Registered::Existing(row) => Ok(shown(StatusCode::OK, *row)),
        Registered::KeyReused | Registered::New { .. } => Err(Fault::key_reused()),
    }
}

fn shown(status: StatusCode, row: NeedRow) -> Response {
    let location = format!("/v1/needs/{}", row.id);
    let need = axum::Json(view::need(row));
    (status, [(header::LOCATION, location)], need).into_response()
}

/// The query of `GET /v1/needs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    before: Option<UuidText>,
    #[serde(default)]
    limit: PageSize,
}

/// `GET /v1/needs`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    Params(params): Params<ListParams>,
) -> Result<axum::Json<NeedList>, Fault> {
    let rows = app
        .outside
        .store
        .needs(
            &caller.tenant,
            params.before.map(|id| NeedId::new(id.0)),
            params.limit.0,
        )
        .await?;
    let needs = rows.into_iter().map(view::need).collect();
    Ok(axum::Json(NeedList { needs }))
}

/// The query of `GET /v1/needs/{id}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowParams {
    #[serde(default)]
    wait: WaitFor,
}

/// `GET /v1/needs/{id}`.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    PathId(id): PathId,
    Params(params): Params<ShowParams>,
) -> Result<axum::Json<NeedView>, Fault> {
    let id = NeedId::new(id);
    let mut row = find(&app, &caller.tenant, &id).await?;
    if row.outcome.is_none() {
        waiting::note_caller(&app, &caller.tenant, &row).await;
        if !params.wait.0.is_zero() {
            row = waiting::for_outcome(&app, &caller.tenant, row, params.wait.0).await?;
        }
    }
    Ok(axum::Json(view::need(row)))
}

/// The query of `GET /v1/needs/{id}/events`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventParams {
    #[serde(default)]
    after: Place,
}

/// `GET /v1/needs/{id}/events`.
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    PathId(id): PathId,
    Params(params): Params<EventParams>,
) -> Result<axum::Json<EventList>, Fault> {
    let id = NeedId::new(id);
    find(&app, &caller.tenant, &id).await?;
    let rows = app
        .outside
        .store
        .events(&caller.tenant, &id, params.after.0)
        .await?;
    let events = rows.into_iter().map(view::event).collect();
    Ok(axum::Json(EventList { events }))
}

/// `DELETE /v1/needs/{id}`: 200 when the need had ended anyway, 202 when it will.
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    PathId(id): PathId,
) -> Result<(StatusCode, axum::Json<NeedView>), Fault> {
    let id = NeedId::new(id);
    let row = find(&app, &caller.tenant, &id).await?;
    if row.outcome.is_some() {
        return Ok((StatusCode::OK, axum::Json(view::need(row))));
    }
    let input = NewInput {
        conversation: row.conversation.clone(),
        dedupe_key: format!("cancel:{id}"),
        at: app.now(),
        input: Input::NeedCancelled { need: id },
    };
    let appended = app.outside.store.append_inputs(vec![input]).await?;
    if matches!(appended.first(), Some(Appended::At(_))) {
        app.outside.changes.inputs_arrived();
    }
    Ok((StatusCode::ACCEPTED, axum::Json(view::need(row))))
}

/// `POST /v1/needs/{id}/still-waiting`: 200 when the need had ended anyway, 202 when the caller's
/// word was stored.
pub(crate) async fn still_waiting(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    PathId(id): PathId,
) -> Result<(StatusCode, axum::Json<NeedView>), Fault> {
    let row = find(&app, &caller.tenant, &NeedId::new(id)).await?;
    let status = match row.outcome {
        Some(_) => StatusCode::OK,
        None => {
            waiting::note_word(&app, &row).await?;
            StatusCode::ACCEPTED
        }
    };
    Ok((status, axum::Json(view::need(row))))
}

/// The tenant's need with this id.
pub(crate) async fn find(app: &App, tenant: &TenantId, id: &NeedId) -> Result<NeedRow, Fault> {
    app.outside
        .store
        .need(tenant, id)
        .await?
        .ok_or_else(|| Fault::not_found("need"))
}

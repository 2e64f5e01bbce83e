//! What operators and callers decide about the person: talking to somebody else, and what they said
//! before.

use crate::{
    auth::CallerKey,
    body::{Json, OptionalJson},
    command::{Answer, Command, Given, check},
    digest::sha256_hex,
    fault::Fault,
    needs,
    params::{PathId, idempotency_key},
    registration::LONGEST_NAME,
    state::App,
};
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use liaison_api::{
    AcceptDelegate, Accepted, CatchUp, DelegateDecision, FieldFault, RejectDelegate,
};
use liaison_core::{conversation::Action, id::NeedId, input::Input, stakeholder::EmailAddress};
use liaison_ports::store::{Appended, NewInput};
use std::sync::Arc;

/// `POST /v1/conversations/{id}/accept-delegate`.
pub(crate) async fn accept_delegate(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<AcceptDelegate>,
) -> Answer {
    let command = Command::new(&app, given, "accept-delegate", &hash, value.by).await?;
    let action = accepting(value.address.as_deref(), value.name)?;
    command.act(vec![action]).await
}

/// `POST /v1/conversations/{id}/reject-delegate`.
pub(crate) async fn reject_delegate(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<RejectDelegate>,
) -> Answer {
    let command = Command::new(&app, given, "reject-delegate", &hash, value.by).await?;
    command.act(vec![Action::RejectDelegate]).await
}

/// `POST /v1/conversations/{id}/catch-up`.
pub(crate) async fn catch_up(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<CatchUp>,
) -> Answer {
    let now = app.now();
    let command = Command::new(&app, given, "catch-up", &hash, value.by).await?;
    check(|faults| faults.transcript("entries", &value.entries, now))?;
    if value.entries.is_empty() {
        let detail = "write what the person said, at least one entry";
        return Err(FieldFault::new("entries", detail).into());
    }
    let document = &command.row.document;
    let mut open = document.open_needs().map(|(id, _)| id);
    let need = match &value.need {
        Some(wanted) => open.find(|id| *id == wanted).cloned(),
        None => {
            let only = document.open_needs().nth(1).is_none();
            command.expect(
                only,
                "need",
                "several needs of this conversation are open; say which one it belongs to",
            )?;
            open.last().cloned()
        }
    };
    let Some(need) = need else {
        let detail =
            "no open need of this conversation; what was said can only help one that waits";
        return Err(FieldFault::new("need", detail).into());
    };
    let input = Input::TranscriptAdded {
        by: command.by.clone(),
        need,
        entries: value.entries,
    };
    command.give([input]).await
}

/// `POST /v1/needs/{id}/delegate`.
pub(crate) async fn decide_delegate(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    PathId(id): PathId,
    headers: HeaderMap,
    Json { value, hash }: Json<DelegateDecision>,
) -> Answer {
    let key = idempotency_key(&headers)?;
    let id = NeedId::new(id);
    let row = needs::find(&app, &caller.tenant, &id).await?;
    let action = match value.accept {
        true => accepting(value.address.as_deref(), value.name)?,
        false => Action::RejectDelegate,
    };
    if row.outcome.is_some() {
        let detail = "the need has ended; only who waits for an answer can say whom to ask";
        return Err(FieldFault::new("accept", detail).into());
    }
    let dedupe = match key {
        Some(key) => sha256_hex(&format!("{key}\n{hash}")),
        None => app.ids().draw(),
    };
    let input = NewInput {
        conversation: row.conversation,
        dedupe_key: format!("delegate:{id}:{dedupe}"),
        at: app.now(),
        input: Input::QuickAction {
            by: format!("the caller ({})", caller.key_name),
            action,
        },
    };
    let appended = app.outside.store.append_inputs(vec![input]).await?;
    let repeated = !matches!(appended.first(), Some(Appended::At(_)));
    if !repeated {
        app.outside.changes.inputs_arrived();
    }
    Ok((StatusCode::ACCEPTED, axum::Json(Accepted { repeated })))
}

fn accepting(written: Option<&str>, name: Option<String>) -> Result<Action, Fault> {
    if let Some(name) = &name {
        check(|faults| faults.line("name", name, LONGEST_NAME))?;
    }
    Ok(Action::AcceptDelegate {
        address: address(written)?,
        name,
    })
}

fn address(written: Option<&str>) -> Result<Option<EmailAddress>, Fault> {
    written
        .map(EmailAddress::parse)
        .transpose()
        .map_err(|fault| FieldFault::new("address", fault.to_string()).into())
}

//! What operators command. Each command becomes an input and is answered once that is stored; the
//! conversation's one writer carries it out.
//!
//! Commands with the same `Idempotency-Key` and the same body are carried out once. Without the
//! header every command counts.

use crate::{
    auth::{Caller, OperatorKey},
    body::{Json, OptionalJson},
    conversations,
    digest::sha256_hex,
    fault::Fault,
    params::{PathId, idempotency_key},
    registration::Faults,
    state::App,
};
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use liaison_api::{
    Accepted, FieldFault, FillSlot, HandBack, HoldRequest, OperatorAnswer, ResolveSend, Resume,
    TakeOver,
};
use liaison_core::{
    conversation::{Action, Conversation},
    id::ConversationId,
    input::Input,
    slot::SlotKey,
};
use liaison_ports::store::{Appended, ConversationRow, NewInput};
use std::sync::Arc;

const LONGEST_OPERATOR: usize = 100;
const LONGEST_NOTE: usize = 1_000;
/// An answer is one message to a person.
const LONGEST_ANSWER: usize = 4_000;

type Answer = Result<(StatusCode, axum::Json<Accepted>), Fault>;

/// `POST /v1/conversations/{id}/answer`.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    Json { value, hash }: Json<OperatorAnswer>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by).await?;
    command.check(|faults| faults.text("text", &value.text, LONGEST_ANSWER))?;
    let answer = command.action(Action::Answer { text: value.text });
    let resume = value.resume.then(|| command.action(Action::Resume));
    command.give(std::iter::once(answer).chain(resume)).await
}

/// `POST /v1/conversations/{id}/resume`.
pub(crate) async fn resume(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    OptionalJson(Json { value, hash }): OptionalJson<Resume>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by).await?;
    command.give([command.action(Action::Resume)]).await
}

/// `POST /v1/conversations/{id}/hold`.
pub(crate) async fn hold(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    Json { value, hash }: Json<HoldRequest>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by).await?;
    command.check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    let by = command.by.clone();
    command
        .give([Input::HoldRequested {
            by,
            note: value.note,
        }])
        .await
}

/// `POST /v1/conversations/{id}/takeover`.
pub(crate) async fn take_over(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    OptionalJson(Json { value, hash }): OptionalJson<TakeOver>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by).await?;
    let by = command.by.clone();
    command.give([Input::TakenOver { by }]).await
}

/// `POST /v1/conversations/{id}/handback`.
pub(crate) async fn hand_back(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    OptionalJson(Json { value, hash }): OptionalJson<HandBack>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by).await?;
    let by = command.by.clone();
    command.give([Input::HandedBack { by }]).await
}

/// `POST /v1/conversations/{id}/fill`.
pub(crate) async fn fill(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    Json { value, hash }: Json<FillSlot>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by.clone()).await?;
    command.check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    let (slot, kind) = find_slot(&command.row.document, &value.slot)?;
    let action = Action::Fill {
        slot,
        value: value.value_for(&kind)?,
        note: value.note,
    };
    command.give([command.action(action)]).await
}

/// `POST /v1/conversations/{id}/resolve-send`.
pub(crate) async fn resolve_send(
    State(app): State<Arc<App>>,
    OperatorKey(caller): OperatorKey,
    PathId(id): PathId,
    headers: HeaderMap,
    Json { value, hash }: Json<ResolveSend>,
) -> Answer {
    let command = Command::new(&app, caller, id, &headers, &hash, value.by).await?;
    // While inputs wait, the document may not yet know that the fate is unknown. And a command with
    // a key may be a repetition, which comes when its effect is there: it changes nothing twice.
    let known =
        command.repeatable
            || command.row.unfolded > 0
            || command.row.document.outgoing.iter().any(|outgoing| {
                outgoing.message == value.message && outgoing.unknown_since.is_some()
            });
    if !known {
        return Err(FieldFault::new(
            "message",
            "no message of this conversation with this id has an unknown fate",
        )
        .into());
    }
    let action = Action::ResolveSend {
        message: value.message,
        sent: value.sent,
    };
    command.give([command.action(action)]).await
}

/// A command on its way to a conversation of the operator's tenant.
struct Command<'a> {
    app: &'a App,
    row: ConversationRow,
    by: String,
    dedupe: String,
    /// Whether it has a key, and so may be one that came before.
    repeatable: bool,
}

impl<'a> Command<'a> {
    async fn new(
        app: &'a App,
        caller: Caller,
        id: String,
        headers: &HeaderMap,
        body_hash: &str,
        by: Option<String>,
    ) -> Result<Self, Fault> {
        let key = idempotency_key(headers)?;
        let row = conversations::find(app, &caller.tenant, &ConversationId::new(id)).await?;
        let mut faults = Faults::default();
        if let Some(by) = &by {
            faults.line("by", by, LONGEST_OPERATOR);
        }
        if !faults.0.is_empty() {
            return Err(Fault::fields(faults.0));
        }
        let repeatable = key.is_some();
        let dedupe = match key {
            Some(key) => sha256_hex(&format!("{key}\n{body_hash}")),
            None => app.ids().draw(),
        };
        Ok(Self {
            app,
            row,
            by: by.unwrap_or(caller.key_name),
            dedupe,
            repeatable,
        })
    }

    fn check(&self, check: impl FnOnce(&mut Faults)) -> Result<(), Fault> {
        let mut faults = Faults::default();
        check(&mut faults);
        if faults.0.is_empty() {
            Ok(())
        } else {
            Err(Fault::fields(faults.0))
        }
    }

    fn action(&self, action: Action) -> Input {
        Input::QuickAction {
            by: self.by.clone(),
            action,
        }
    }

    async fn give(&self, inputs: impl IntoIterator<Item = Input>) -> Answer {
        let id = &self.row.document.id;
        let at = self.app.now();
        let inputs = inputs
            .into_iter()
            .enumerate()
            .map(|(place, input)| NewInput {
                conversation: id.clone(),
                dedupe_key: format!("command:{id}:{}:{}:{place}", name(&input), self.dedupe),
                at,
                input,
            })
            .collect();
        let appended = self.app.outside.store.append_inputs(inputs).await?;
        let repeated = !appended.iter().any(|one| matches!(one, Appended::At(_)));
        if !repeated {
            self.app.outside.changes.inputs_arrived();
            tracing::info!(conversation = %id, "an operator's command was stored");
        }
        Ok((StatusCode::ACCEPTED, axum::Json(Accepted { repeated })))
    }
}

/// What parts the dedupe keys of different commands with the same key and body.
fn name(input: &Input) -> &'static str {
    match input {
        Input::QuickAction { action, .. } => match action {
            Action::Answer { .. } => "answer",
            Action::Resume => "resume",
            Action::Fill { .. } => "fill",
            Action::ResolveSend { .. } => "resolve-send",
        },
        Input::HoldRequested { .. } => "hold",
        Input::TakenOver { .. } => "takeover",
        Input::HandedBack { .. } => "handback",
        _ => "other",
    }
}

/// The slot that an operator means, and its kind.
fn find_slot(
    document: &Conversation,
    wanted: &str,
) -> Result<(SlotKey, liaison_core::value::Kind), FieldFault> {
    let by_key = document
        .slots
        .iter()
        .find(|(key, _)| key.to_string() == wanted);
    let mut by_name = document.slots.iter().filter(|(key, _)| key.name == wanted);
    let found = match (by_key, by_name.next(), by_name.next()) {
        (Some(found), ..) | (None, Some(found), None) => found,
        (None, Some(_), Some(_)) => {
            return Err(FieldFault::new(
                "slot",
                "several slots of this conversation have this name; use the whole key, \
                 subject/name",
            ));
        }
        (None, None, _) => {
            return Err(FieldFault::new(
                "slot",
                "this conversation has no such slot; see its `slots`",
            ));
        }
    };
    Ok((found.0.clone(), found.1.kind.clone()))
}

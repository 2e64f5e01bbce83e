//! What operators command. Each command becomes an input and is answered once that is stored; the
//! conversation's one writer carries it out.

use crate::{
    body::{Json, OptionalJson},
    command::{Answer, Command, Given, check},
    fault::Fault,
    state::{App, micros},
};
use axum::extract::State;
use jiff::Timestamp;
use liaison_api::{FieldFault, FillSlot, HandBack, OperatorAnswer, ResolveSend, Resume, TakeOver};
use liaison_core::{
    conversation::{Action, Conversation, Heard},
    input::Input,
    policy::Wait,
    slot::SlotKey,
};
use std::sync::Arc;

pub(crate) const LONGEST_NOTE: usize = 1_000;
/// An answer is one message to a person.
const LONGEST_ANSWER: usize = 4_000;
/// An operator's clock may be ahead of ours by some minutes.
const CLOCK_TOLERANCE: Wait = Wait::seconds(600);

/// `POST /v1/conversations/{id}/answer`.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<OperatorAnswer>,
) -> Answer {
    let command = Command::new(&app, given, "answer", &hash, value.by).await?;
    check(|faults| faults.text("text", &value.text, LONGEST_ANSWER))?;
    let mut actions = vec![Action::Answer { text: value.text }];
    if value.resume {
        actions.push(Action::Resume);
    }
    command.act(actions).await
}

/// `POST /v1/conversations/{id}/resume`.
pub(crate) async fn resume(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<Resume>,
) -> Answer {
    let command = Command::new(&app, given, "resume", &hash, value.by).await?;
    command.act(vec![Action::Resume]).await
}

/// `POST /v1/conversations/{id}/takeover`.
pub(crate) async fn take_over(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<TakeOver>,
) -> Answer {
    let command = Command::new(&app, given, "takeover", &hash, value.by).await?;
    let by = command.by.clone();
    command.give([Input::TakenOver { by }]).await
}

/// `POST /v1/conversations/{id}/handback`.
pub(crate) async fn hand_back(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<HandBack>,
) -> Answer {
    let command = Command::new(&app, given, "handback", &hash, value.by).await?;
    let by = command.by.clone();
    command.give([Input::HandedBack { by }]).await
}

/// `POST /v1/conversations/{id}/fill`.
pub(crate) async fn fill(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<FillSlot>,
) -> Answer {
    let command = Command::new(&app, given, "fill", &hash, value.by.clone()).await?;
    check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    let heard = value.heard.map(|heard| said_before(heard, app.now()));
    let heard = heard.transpose()?;
    let (slot, kind) = find_slot(&command.row.document, &value.slot)?;
    let action = Action::Fill {
        slot,
        value: value.value_for(&kind)?,
        note: value.note,
        heard,
    };
    command.act(vec![action]).await
}

/// `POST /v1/conversations/{id}/resolve-send`.
pub(crate) async fn resolve_send(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<ResolveSend>,
) -> Answer {
    let command = Command::new(&app, given, "resolve-send", &hash, value.by).await?;
    let unknown = command
        .row
        .document
        .outgoing
        .iter()
        .any(|outgoing| outgoing.message == value.message && outgoing.unknown_since.is_some());
    command.expect(
        unknown,
        "message",
        "no message of this conversation with this id has an unknown fate",
    )?;
    let action = Action::ResolveSend {
        message: value.message,
        sent: value.sent,
    };
    command.act(vec![action]).await
}

/// How something was heard, if that can be: not in the future.
fn said_before(heard: Heard, now: Timestamp) -> Result<Heard, Fault> {
    if heard.at.is_some_and(|at| at > CLOCK_TOLERANCE.after(now)) {
        return Err(FieldFault::new("heard.at", "nobody has said it yet; this is ahead").into());
    }
    Ok(Heard {
        at: heard.at.map(micros),
        ..heard
    })
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

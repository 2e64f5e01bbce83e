//! Pauses: over a conversation, over one of its needs, for a while or until they are lifted.

use crate::{
    body::Json,
    command::{Answer, Command, Given, check},
    commands::LONGEST_NOTE,
    state::App,
};
use axum::extract::State;
use liaison_api::{HoldRequest, Release};
use liaison_core::{conversation::Action, input::Input};
use std::sync::Arc;

/// `POST /v1/conversations/{id}/hold`.
pub(crate) async fn hold(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<HoldRequest>,
) -> Answer {
    let command = Command::new(&app, given, "hold", &hash, value.by).await?;
    check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    if let Some(need) = &value.need {
        let needs = &command.row.document.needs;
        let open = needs.get(need).is_some_and(|need| need.is_open());
        command.expect(open, "need", "this conversation has no such open need")?;
    }
    let until = command.instant("until", value.until)?;
    let held = Input::HoldRequested {
        by: command.by.clone(),
        note: value.note,
        need: value.need,
        until,
    };
    command.give([held]).await
}

/// `POST /v1/conversations/{id}/release`.
pub(crate) async fn release(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<Release>,
) -> Answer {
    let command = Command::new(&app, given, "release", &hash, value.by).await?;
    let holds = &command.row.document.holds;
    let stands = holds.iter().any(|hold| hold.id == value.hold);
    command.expect(
        stands,
        "hold",
        "no such hold stands any more; see the conversation's `holds`",
    )?;
    let action = Action::Release { hold: value.hold };
    command.act(vec![action]).await
}

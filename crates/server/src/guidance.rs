//! Standing instructions to the writers of one conversation, and contacts that are revived.

use crate::{
    body::Json,
    command::{Answer, Command, Given, check},
    commands::LONGEST_NOTE,
    fault::Fault,
    state::App,
};
use axum::extract::State;
use liaison_api::{FieldFault, Guide, ReviveContact, Unguide};
use liaison_core::{
    conversation::{Action, Guidance},
    stakeholder::EmailAddress,
};
use std::sync::Arc;

/// `POST /v1/conversations/{id}/guide`.
pub(crate) async fn guide(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<Guide>,
) -> Answer {
    let command = Command::new(&app, given, "guide", &hash, value.by).await?;
    check(|faults| faults.text("text", &value.text, Guidance::LONGEST))?;
    let until = command.instant("until", value.until)?;
    let now = app.now();
    let counts = |guidance: &&Guidance| guidance.counts_at(now);
    let standing = command.row.document.guidance.iter().filter(counts).count();
    command.expect(
        standing < Guidance::MOST,
        "text",
        format!("{standing} instructions stand, which is the most; take one back first"),
    )?;
    let action = Action::Guide {
        text: value.text,
        until,
    };
    command.act(vec![action]).await
}

/// `POST /v1/conversations/{id}/unguide`.
pub(crate) async fn unguide(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<Unguide>,
) -> Answer {
    let command = Command::new(&app, given, "unguide", &hash, value.by).await?;
    let guidance = &command.row.document.guidance;
    let stands = guidance.iter().any(|one| one.id == value.guidance);
    command.expect(
        stands,
        "guidance",
        "there is no such guidance any more; see the conversation's `guidance`",
    )?;
    let action = Action::Unguide {
        guidance: value.guidance,
    };
    command.act(vec![action]).await
}

/// `POST /v1/conversations/{id}/revive`.
pub(crate) async fn revive(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<ReviveContact>,
) -> Answer {
    let command = Command::new(&app, given, "revive", &hash, value.by).await?;
    check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    let address = EmailAddress::parse(&value.address)
        .map_err(|fault| Fault::from(FieldFault::new("address", fault.to_string())))?;
    let contact = command.row.document.stakeholder.contact(&address);
    command.expect(
        contact.is_some_and(|contact| !contact.usable()),
        "address",
        match contact {
            Some(_) => "this contact may be used anyway",
            None => "the stakeholder has no such contact; see the conversation's `stakeholder`",
        },
    )?;
    let action = Action::Revive {
        address,
        note: value.note,
    };
    command.act(vec![action]).await
}

//! Opt-outs that operators enter, and take back.

use crate::{
    body::Json,
    command::{Answer, Command, Given, check},
    commands::LONGEST_NOTE,
    fault::Fault,
    state::App,
};
use axum::extract::State;
use liaison_api::{FieldFault, OptIn, OptOut};
use liaison_core::{
    conversation::Action,
    stakeholder::{Consent, Contact, EmailAddress},
};
use std::sync::Arc;

/// `POST /v1/conversations/{id}/opt-out`.
pub(crate) async fn opt_out(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<OptOut>,
) -> Answer {
    let command = Command::new(&app, given, "opt-out", &hash, value.by).await?;
    check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    let address = address(value.address.as_deref())?;
    let whole = address.is_none();
    expect(&command, address.as_ref(), |contact| {
        match &contact.consent {
            Consent::Given => true,
            // What was about this contact alone can become the person's word.
            Consent::OptedOut { entered, .. } => {
                whole && entered.as_ref().is_some_and(|entered| entered.alone)
            }
        }
    })?;
    let action = Action::OptOut {
        address,
        note: value.note,
    };
    command.act(vec![action]).await
}

/// `POST /v1/conversations/{id}/opt-in`.
pub(crate) async fn opt_in(
    State(app): State<Arc<App>>,
    given: Given,
    Json { value, hash }: Json<OptIn>,
) -> Answer {
    let command = Command::new(&app, given, "opt-in", &hash, value.by).await?;
    check(|faults| faults.text("note", &value.note, LONGEST_NOTE))?;
    let address = address(value.address.as_deref())?;
    expect(&command, address.as_ref(), |contact| {
        contact.consent != Consent::Given
    })?;
    let action = Action::OptIn {
        address,
        note: value.note,
    };
    command.act(vec![action]).await
}

fn address(written: Option<&str>) -> Result<Option<EmailAddress>, Fault> {
    written
        .map(EmailAddress::parse)
        .transpose()
        .map_err(|fault| FieldFault::new("address", fault.to_string()).into())
}

/// Refuses what would change no contact.
fn expect(
    command: &Command<'_>,
    address: Option<&EmailAddress>,
    changes: impl Fn(&Contact) -> bool,
) -> Result<(), Fault> {
    let contacts = &command.row.document.stakeholder.contacts;
    let mut meant = contacts
        .iter()
        .filter(|contact| address.is_none_or(|address| contact.address.matches(address)))
        .peekable();
    let known = meant.peek().is_some();
    command.expect(
        meant.any(changes),
        "address",
        match known {
            true => "this is so already; see `consent` in the conversation's `stakeholder`",
            false => "the stakeholder has no such contact; see the conversation's `stakeholder`",
        },
    )
}

//! Amending a need: what a workflow changes of it while it is open.

use crate::{
    auth::CallerKey,
    body::Json,
    digest::sha256_hex,
    fault::Fault,
    needs,
    params::{PathId, idempotency_key},
    registration::{
        Faults, LONGEST_FACT, LONGEST_QUESTION, LONGEST_SELF_CHECK, MOST_DEPENDENCIES, MOST_FACTS,
        MOST_SELF_CHECKS, MOST_SLOTS,
    },
    state::App,
    view,
};
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use liaison_api::{AmendNeed, FieldFault, NeedView, SlotAmendment};
use liaison_core::{
    amendment::{Amendment, SlotChange},
    id::NeedId,
    input::Input,
    need::Registration,
};
use liaison_ports::store::{CommandAppended, NewCommand, NewInput};
use std::sync::Arc;

/// `PATCH /v1/needs/{id}`: 202 with the need as it will be. An amendment with the same
/// `Idempotency-Key` and the same body is applied once, and another body with the key is refused;
/// without the header every one counts.
pub(crate) async fn amend(
    State(app): State<Arc<App>>,
    CallerKey(caller): CallerKey,
    PathId(id): PathId,
    headers: HeaderMap,
    Json { value, hash }: Json<AmendNeed>,
) -> Result<(StatusCode, axum::Json<NeedView>), Fault> {
    let key = idempotency_key(&headers)?;
    let id = NeedId::new(id);
    let mut row = needs::find(&app, &caller.tenant, &id).await?;
    let prefix = key.map(|key| format!("amend:{id}:{}:", sha256_hex(&key)));
    let dedupe_key = match &prefix {
        Some(prefix) => format!("{prefix}{hash}"),
        None => format!("amend:{id}:{}", app.ids().draw()),
    };
    let store = &app.outside.store;
    // A repetition may come when the need is not any more what its amendment was written for.
    if let Some(prefix) = &prefix {
        match store.command_before(&caller.tenant, prefix).await? {
            Some(before) if before == dedupe_key => {
                return Ok((StatusCode::ACCEPTED, axum::Json(view::need(row))));
            }
            Some(_) => return Err(Fault::key_reused()),
            None => {}
        }
    }
    if row.outcome.is_some() {
        return Err(Fault::need_ended());
    }
    let now = app.now();
    let (amendment, amended) = check(value, id, &row.registration, now).map_err(Fault::fields)?;
    let input = NewInput {
        conversation: row.conversation.clone(),
        dedupe_key,
        at: now,
        input: Input::NeedAmended {
            amendment: Box::new(amendment),
        },
    };
    let command = NewCommand {
        prefix,
        inputs: vec![input],
    };
    match store.append_command(command).await? {
        CommandAppended::New => {
            app.outside.changes.inputs_arrived();
            tracing::info!(need = %row.id, conversation = %row.conversation, "a need was amended");
        }
        CommandAppended::Repeated => {}
        CommandAppended::KeyReused => return Err(Fault::key_reused()),
        CommandAppended::NoConversation => return Err(Fault::not_found("need")),
    }
    row.registration = amended;
    Ok((StatusCode::ACCEPTED, axum::Json(view::need(row))))
}

/// Turns what was asked for into what is stored, with the need as it will be; or says what is
/// wrong with it.
fn check(
    request: AmendNeed,
    need: NeedId,
    registered: &Registration,
    now: Timestamp,
) -> Result<(Amendment, Registration), Vec<FieldFault>> {
    let mut faults = Faults::default();
    if request == AmendNeed::default() {
        faults.add(
            "",
            "name something to change: deadline, facts, add_slots, change_slots or remove_slots",
        );
    }
    let deadline = request
        .deadline
        .map(|deadline| faults.deadline(deadline, now));
    if let Some(facts) = &request.facts {
        faults.texts("facts", facts, MOST_FACTS, LONGEST_FACT);
    }
    let amendment = Amendment {
        need,
        deadline,
        facts: request.facts,
        // What they rest on may be a slot that the need has; `amended` looks at that.
        add: faults.each_slot("add_slots", request.add_slots),
        change: faults.changes(request.change_slots),
        remove: request.remove_slots,
    };
    if !faults.0.is_empty() {
        return Err(faults.0);
    }
    let amended = registered
        .amended(&amendment)
        .map_err(|fault| vec![FieldFault::new(fault.field, fault.what)])?;
    if amended.slots.len() > MOST_SLOTS {
        faults.add(
            "add_slots",
            format!(
                "the need would have {} slots; at most {MOST_SLOTS} are taken",
                amended.slots.len()
            ),
        );
        return Err(faults.0);
    }
    Ok((amendment, amended))
}

impl Faults {
    fn changes(&mut self, slots: Vec<SlotAmendment>) -> Vec<SlotChange> {
        if !self.count("change_slots", slots.len(), MOST_SLOTS) {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for (place, slot) in slots.into_iter().enumerate() {
            let at = format!("change_slots[{place}]");
            if let Some(question) = &slot.question {
                self.text(&format!("{at}.question"), question, LONGEST_QUESTION);
            }
            if let Some(self_checks) = &slot.self_checks {
                let field = format!("{at}.self_checks");
                self.texts(&field, self_checks, MOST_SELF_CHECKS, LONGEST_SELF_CHECK);
            }
            let kind = match slot.kind.0.is_empty() {
                true => None,
                false => match slot.kind.read() {
                    Ok(kind) => Some(kind),
                    Err(fault) => {
                        self.0.push(fault.inside(&at));
                        None
                    }
                },
            };
            let change = SlotChange {
                name: slot.name,
                kind,
                question: slot.question.map(|question| question.trim().to_owned()),
                required: slot.required,
                self_checks: slot.self_checks,
                depends_on: slot.depends_on,
                confirm: slot.confirm,
                max_age: slot.max_age,
            };
            if let Some(names) = &change.depends_on {
                self.count(&format!("{at}.depends_on"), names.len(), MOST_DEPENDENCIES);
            }
            let unchanged = SlotChange {
                name: change.name.clone(),
                kind: None,
                question: None,
                required: None,
                self_checks: None,
                depends_on: None,
                confirm: None,
                max_age: None,
            };
            let nothing = change == unchanged && slot.kind.0.is_empty();
            if nothing {
                self.add(
                    at,
                    "name something to change: question, required, self_checks, depends_on, confirm, \
                     max_age or the kind",
                );
            }
            changes.push(change);
        }
        changes
    }
}

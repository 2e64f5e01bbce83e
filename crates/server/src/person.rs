//! What operators and callers decide about the person: talking to somebody else, and what they said
//! before.

use crate::{
    auth::CallerKey,
    body::{Json, OptionalJson},
    command::{Answer, Command, Given, check},
    conversations,
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
use liaison_core::{
    conversation::{Action, WhichProposal},
    id::{HoldId, NeedId},
    input::Input,
    stakeholder::EmailAddress,
};
use liaison_ports::store::{CommandAppended, ConversationRow, NewCommand, NewInput};
use std::sync::Arc;

/// `POST /v1/conversations/{id}/accept-delegate`.
pub(crate) async fn accept_delegate(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<AcceptDelegate>,
) -> Answer {
    let command = Command::new(&app, given, "accept-delegate", &hash, value.by).await?;
    let decision = Decision::accept(value.hold, value.address.as_deref(), value.name)?;
    if !command.is_repeated() {
        decision.check(&command.row)?;
    }
    command.act(vec![decision.action()]).await
}

/// `POST /v1/conversations/{id}/reject-delegate`.
pub(crate) async fn reject_delegate(
    State(app): State<Arc<App>>,
    given: Given,
    OptionalJson(Json { value, hash }): OptionalJson<RejectDelegate>,
) -> Answer {
    let command = Command::new(&app, given, "reject-delegate", &hash, value.by).await?;
    let decision = Decision::reject(value.hold);
    if !command.is_repeated() {
        decision.check(&command.row)?;
    }
    command.act(vec![decision.action()]).await
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

/// `POST /v1/needs/{id}/delegate`: 202. A decision with the same `Idempotency-Key` and the same body
/// counts once, and another body with the key is refused.
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
    let decision = match value.accept {
        true => Decision::accept(value.hold, value.address.as_deref(), value.name)?,
        false => Decision::reject(value.hold),
    };
    let prefix = key.map(|key| format!("delegate:{id}:{}:", sha256_hex(&key)));
    let dedupe_key = match &prefix {
        Some(prefix) => format!("{prefix}{hash}"),
        None => format!("delegate:{id}:{}", app.ids().draw()),
    };
    let store = &app.outside.store;
    // A repetition may come when its decision has been carried out, or the need has ended.
    if let Some(prefix) = &prefix {
        match store.command_before(&caller.tenant, prefix).await? {
            Some(before) if before == dedupe_key => return Ok(accepted(true)),
            Some(_) => return Err(Fault::key_reused()),
            None => {}
        }
    }
    if row.outcome.is_some() {
        let detail = "the need has ended; only who waits for an answer can say whom to ask";
        return Err(FieldFault::new("accept", detail).into());
    }
    let conversation = conversations::find(&app, &caller.tenant, &row.conversation).await?;
    decision.check(&conversation)?;
    let command = NewCommand {
        prefix,
        inputs: vec![NewInput {
            conversation: row.conversation,
            dedupe_key,
            at: app.now(),
            input: Input::QuickAction {
                by: format!("the caller ({})", caller.key_name),
                action: decision.action(),
            },
        }],
    };
    match store.append_command(command).await? {
        CommandAppended::New => {
            app.outside.changes.inputs_arrived();
            Ok(accepted(false))
        }
        CommandAppended::Repeated => Ok(accepted(true)),
        CommandAppended::KeyReused => Err(Fault::key_reused()),
        CommandAppended::NoConversation => Err(Fault::not_found("need")),
    }
}

fn accepted(repeated: bool) -> (StatusCode, axum::Json<Accepted>) {
    (StatusCode::ACCEPTED, axum::Json(Accepted { repeated }))
}

/// What was decided about somebody whom the person named.
struct Decision {
    accept: bool,
    hold: Option<HoldId>,
    address: Option<EmailAddress>,
    name: Option<String>,
}

impl Decision {
    fn accept(
        hold: Option<HoldId>,
        address: Option<&str>,
        name: Option<String>,
    ) -> Result<Self, Fault> {
        if let Some(name) = &name {
            check(|faults| faults.line("name", name, LONGEST_NAME))?;
        }
        let address = address
            .map(EmailAddress::parse)
            .transpose()
            .map_err(|fault| FieldFault::new("address", fault.to_string()))?;
        Ok(Self {
            accept: true,
            hold,
            address,
            name,
        })
    }

    fn reject(hold: Option<HoldId>) -> Self {
        Self {
            accept: false,
            hold,
            address: None,
            name: None,
        }
    }

    /// Refuses what would be carried out in vain, as far as the document tells. While inputs wait
    /// it may not know of everybody whom the person named.
    fn check(&self, row: &ConversationRow) -> Result<(), FieldFault> {
        let document = &row.document;
        let meant = document.proposal_meant(self.hold.as_ref(), self.address.as_ref(), None);
        let proposed = meant.as_ref().ok().and_then(|meant| meant.delegate);
        let address = self.address.as_ref().or(proposed.map(|one| &one.address));
        if self.accept && address.is_some_and(|address| document.policy.is_ours(address)) {
            return Err(FieldFault::new(
                "address",
                "this is a mailbox that Liaison itself writes from; name an address of whoever is \
                 to be asked",
            ));
        }
        match meant {
            Err(fault @ WhichProposal::NoSuchHold) if row.unfolded == 0 => {
                Err(FieldFault::new("hold", fault.to_string()))
            }
            Err(WhichProposal::Several { holds }) if row.unfolded == 0 => {
                let open: Vec<&str> = holds.iter().map(HoldId::as_str).collect();
                Err(FieldFault::new(
                    "hold",
                    format!(
                        "the person has named several people; say which by the id of its hold: {}",
                        open.join(", ")
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    fn action(self) -> Action {
        match self.accept {
            true => Action::AcceptDelegate {
                hold: self.hold,
                address: self.address,
                name: self.name,
            },
            false => Action::RejectDelegate { hold: self.hold },
        }
    }
}

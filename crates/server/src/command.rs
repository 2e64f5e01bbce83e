//! A command on its way to a conversation of the operator's tenant: taken, guarded, stored.
//!
//! Commands with the same `Idempotency-Key` and the same body are carried out once; the same key
//! with another command or body is refused. Without the header every command counts.

use crate::{
    auth::{Caller, OperatorKey},
    conversations,
    digest::sha256_hex,
    fault::Fault,
    params::{Params, PathId, idempotency_key},
    registration::Faults,
    state::App,
};
use axum::extract::FromRequestParts;
use http::{StatusCode, request::Parts};
use jiff::Timestamp;
use liaison_api::{Accepted, CommandQuery, Deadline, FieldFault};
use liaison_core::{
    conversation::{Action, Guard},
    id::ConversationId,
    input::Input,
    policy::Wait,
};
use liaison_ports::store::{CommandAppended, ConversationRow, NewCommand, NewInput};
use std::sync::Arc;

const LONGEST_OPERATOR: usize = 100;

/// Two years: nothing that operators put off, or instruct, lasts longer, and a mistyped year is
/// caught.
const LONGEST_TIME: Wait = Wait::days(731);

pub(crate) type Answer = Result<(StatusCode, axum::Json<Accepted>), Fault>;

/// What a command's path, query and headers say.
pub(crate) struct Given {
    caller: Caller,
    id: ConversationId,
    query: CommandQuery,
    key: Option<String>,
}

impl FromRequestParts<Arc<App>> for Given {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Fault> {
        let OperatorKey(caller) = OperatorKey::from_request_parts(parts, app).await?;
        let PathId(id) = PathId::from_request_parts(parts, app).await?;
        let Params(query) = Params::from_request_parts(parts, app).await?;
        Ok(Self {
            caller,
            id: ConversationId::new(id),
            query,
            key: idempotency_key(&parts.headers)?,
        })
    }
}

/// A command that may be carried out, as far as can be seen from here.
pub(crate) struct Command<'a> {
    app: &'a App,
    pub(crate) row: ConversationRow,
    pub(crate) by: String,
    /// What its dedupe keys begin with if it has a key: the same for every command with the key.
    prefix: Option<String>,
    /// What tells it from other commands.
    own: String,
    guard: Guard,
    /// Whether the same command had come before.
    repeated: bool,
}

impl<'a> Command<'a> {
    /// Finds the conversation, and refuses what repeats a key with something else, comes too late,
    /// or was made for another state.
    pub(crate) async fn new(
        app: &'a App,
        given: Given,
        name: &str,
        body_hash: &str,
        by: Option<String>,
    ) -> Result<Self, Fault> {
        let Given {
            caller,
            id,
            query,
            key,
        } = given;
        let row = conversations::find(app, &caller.tenant, &id).await?;
        if let Some(by) = &by {
            check(|faults| faults.line("by", by, LONGEST_OPERATOR))?;
        }
        let prefix = key.map(|key| format!("command:{id}:{}:", sha256_hex(&key)));
        let own = match &prefix {
            Some(_) => format!("{name}:{body_hash}"),
            None => app.ids().draw(),
        };
        let guard = Guard {
            revision: query.if_revision,
            expires_at: query.expires_at,
        };
        let mut command = Self {
            app,
            row,
            by: by.unwrap_or(caller.key_name),
            prefix,
            own,
            guard,
            repeated: false,
        };
        if let Some(prefix) = &command.prefix {
            let store = &app.outside.store;
            command.repeated = match store.command_before(&caller.tenant, prefix).await? {
                Some(before) if before == command.dedupe_key(0) => true,
                Some(_) => return Err(Fault::command_key_reused()),
                None => false,
            };
        }
        if !command.repeated {
            command.check_guard()?;
        }
        Ok(command)
    }

    fn check_guard(&self) -> Result<(), Fault> {
        let now = self.app.now();
        if self.guard.expires_at.is_some_and(|until| now >= until) {
            return Err(Fault::expired());
        }
        let same = |revision| revision == self.row.document.revision && self.row.unfolded == 0;
        match self.guard.revision {
            Some(revision) if !same(revision) => Err(Fault::stale()),
            _ => Ok(()),
        }
    }

    /// Whether the same command had come before: its effect may be there already.
    pub(crate) fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// Refuses the field unless `fits`. Only where the document says all there is to know: while
    /// inputs wait it may not, and a repetition comes when its effect is there already.
    pub(crate) fn expect(
        &self,
        fits: bool,
        field: &str,
        detail: impl Into<String>,
    ) -> Result<(), Fault> {
        if fits || self.repeated || self.row.unfolded > 0 {
            return Ok(());
        }
        Err(FieldFault::new(field, detail).into())
    }

    /// The instant that the field says, if it is ahead.
    pub(crate) fn instant(
        &self,
        field: &str,
        until: Option<Deadline>,
    ) -> Result<Option<Timestamp>, Fault> {
        let now = self.app.now();
        let Some(instant) = until.map(|until| crate::state::micros(until.instant(now))) else {
            return Ok(None);
        };
        if instant <= now && !self.repeated {
            return Err(FieldFault::new(field, "this has passed; name an instant ahead").into());
        }
        if instant > LONGEST_TIME.after(now) {
            return Err(FieldFault::new(field, "this is more than two years ahead").into());
        }
        Ok(Some(instant))
    }

    /// Stores actions, behind the guard that the command came with.
    pub(crate) async fn act(&self, actions: Vec<Action>) -> Answer {
        let actions = match self.guard {
            guard if guard == Guard::default() => actions,
            guard => vec![Action::Guarded {
                guard,
                then: actions,
            }],
        };
        let by = &self.by;
        let inputs = actions.into_iter().map(|action| Input::QuickAction {
            by: by.clone(),
            action,
        });
        self.give(inputs).await
    }

    fn dedupe_key(&self, place: usize) -> String {
        let id = &self.row.document.id;
        match &self.prefix {
            Some(prefix) => format!("{prefix}{}:{place}", self.own),
            None => format!("command:{id}:{}:{place}", self.own),
        }
    }

    /// Stores what the command comes to, all of it or nothing.
    pub(crate) async fn give(&self, inputs: impl IntoIterator<Item = Input>) -> Answer {
        let id = &self.row.document.id;
        let at = self.app.now();
        let inputs = inputs.into_iter().enumerate();
        let command = NewCommand {
            prefix: self.prefix.clone(),
            inputs: inputs
                .map(|(place, input)| NewInput {
                    conversation: id.clone(),
                    dedupe_key: self.dedupe_key(place),
                    at,
                    input,
                })
                .collect(),
        };
        let repeated = match self.app.outside.store.append_command(command).await? {
            CommandAppended::New => false,
            CommandAppended::Repeated => true,
            CommandAppended::KeyReused => return Err(Fault::command_key_reused()),
            CommandAppended::NoConversation => return Err(Fault::not_found("conversation")),
        };
        if !repeated {
            self.app.outside.changes.inputs_arrived();
            tracing::info!(conversation = %id, "an operator's command was stored");
        }
        Ok((StatusCode::ACCEPTED, axum::Json(Accepted { repeated })))
    }
}

/// Says at once all that is wrong with a command's own fields.
pub(crate) fn check(check: impl FnOnce(&mut Faults)) -> Result<(), Fault> {
    let mut faults = Faults::default();
    check(&mut faults);
    match faults.0.is_empty() {
        true => Ok(()),
        false => Err(Fault::fields(faults.0)),
    }
}

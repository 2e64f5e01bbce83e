//! One conversation, one operation after another: fold, derive, bring what the phase needs, apply,
//! commit; until it waits.

use crate::{Engine, MOST_STORE_TRIES, STORE_TRIES_EVERY, outward};
use liaison_core::{
    conversation::Conversation,
    effect::Effect,
    form::ReadRequest,
    gate::draft,
    id::{ConversationId, Ids},
    input::{Input, StoredInput},
    journal::{Operation, Work},
    phase::{self, determine_phase},
    plan::{Draft, MessagePlan, Wording, template},
    transition::{self, WorkOrder, work_order},
};
use liaison_ports::{
    language::Usage,
    store::{Claimed, Commit, NewInput, StoreError, StoredEffect},
};
use sha2::{Digest, Sha256};

/// The longest run of operations under one claim. A conversation that has not come to rest by then
/// is given back and claimed again, so that one that never rests stops nobody else.
const MOST_OPERATIONS: usize = 100;

/// An error that is kept with a conversation or a message is cut here: the rest is in the log.
const LONGEST_ERROR: usize = 300;

pub(crate) async fn work_on(engine: &Engine, claimed: Claimed) {
    let id = claimed.id.clone();
    let fence = claimed.fence;
    let end = match claimed.document {
        Ok(document) => {
            Run {
                engine,
                fence,
                conversation: *document,
                inputs: claimed.inputs,
            }
            .until_it_waits()
            .await
        }
        Err(error) => Err(Stop::Broken(error)),
    };
    let now = engine.parts.clock.now();
    match end {
        Ok(End::Released) => {}
        Ok(End::Unchanged { wake_at }) => {
            give_back(engine, &id, fence, GiveBack::Due(wake_at)).await
        }
        Err(Stop::Store(StoreError::Fenced)) => {
            tracing::info!(conversation = %id, "somebody else has claimed it since");
        }
        Err(Stop::Store(error @ StoreError::Corrupt { .. })) => {
            set_aside(engine, &id, fence, &error.to_string()).await;
        }
        Err(Stop::Store(error)) => {
            tracing::warn!(
                conversation = %id,
                error = &error as &dyn std::error::Error,
                "an operation was not stored; it is done again later"
            );
            give_back(engine, &id, fence, GiveBack::Due(Some(now))).await;
        }
        Err(Stop::Broken(error)) => set_aside(engine, &id, fence, &error).await,
    }
}

/// Takes a conversation out of the work, with the error, for an operator to see.
pub(crate) async fn set_aside(engine: &Engine, id: &ConversationId, fence: i64, error: &str) {
    tracing::error!(conversation = %id, error, "it cannot be processed and is set aside");
    give_back(engine, id, fence, GiveBack::SetAside(cut(error))).await;
}

/// How a claimed conversation is given back without an operation.
enum GiveBack {
    /// Due again then.
    Due(Option<jiff::Timestamp>),
    /// Out of the work, with the error.
    SetAside(String),
}

/// Gives a claimed conversation back. While the store cannot be written, nobody else could work on
/// it either; so this is tried until the lease would have run out anyway.
async fn give_back(engine: &Engine, id: &ConversationId, fence: i64, how: GiveBack) {
    let store = &engine.parts.store;
    for _ in 0..MOST_STORE_TRIES {
        let given_back = match &how {
            GiveBack::Due(wake_at) => store.release(id, fence, *wake_at).await,
            GiveBack::SetAside(error) => {
                store
                    .quarantine(id, fence, error, engine.parts.clock.now())
                    .await
            }
        };
        match given_back {
            Ok(()) | Err(StoreError::Fenced) => return,
            Err(error) => tracing::warn!(
                conversation = %id,
                error = &error as &dyn std::error::Error,
                "it cannot be given back yet"
            ),
        }
        tokio::time::sleep(STORE_TRIES_EVERY).await;
    }
    tracing::error!(conversation = %id, "it could not be given back; its lease runs out by itself");
}

/// How working on a conversation ends.
enum End {
    /// The last commit gave it back.
    Released,
    /// There was nothing to do.
    Unchanged {
        /// When it is due again.
        wake_at: Option<jiff::Timestamp>,
    },
}

/// Why it stops before the conversation waits.
enum Stop {
    /// The store does not take it now.
    Store(StoreError),
    /// It can never be done.
    Broken(String),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

struct Run<'a> {
    engine: &'a Engine,
    fence: i64,
    conversation: Conversation,
    inputs: Vec<StoredInput>,
}

impl Run<'_> {
    async fn until_it_waits(mut self) -> Result<End, Stop> {
        self.take_present_policy().await?;
        for _ in 0..MOST_OPERATIONS {
            if let Some(end) = self.one_operation().await? {
                return Ok(end);
            }
        }
        tracing::warn!(
            conversation = %self.conversation.id,
            operations = MOST_OPERATIONS,
            "it has not come to rest; it goes on after the others"
        );
        Ok(End::Unchanged {
            wake_at: Some(self.engine.parts.clock.now()),
        })
    }

    /// Brings in the tenant's rules where they have changed since the conversation last saw them.
    async fn take_present_policy(&mut self) -> Result<(), Stop> {
        let parts = &self.engine.parts;
        let policy = (parts.policies)(&self.conversation.tenant);
        let waiting = self
            .inputs
            .iter()
            .any(|stored| matches!(stored.input, Input::PolicyChanged(_)));
        if policy == self.conversation.policy || waiting {
            return Ok(());
        }
        let text = serde_json::to_vec(&policy).map_err(|e| Stop::Broken(e.to_string()))?;
        let input = NewInput {
            conversation: self.conversation.id.clone(),
            // A policy may come back to what it was before: the revision tells the two apart.
            dedupe_key: format!(
                "policy:{}:{:x}",
                self.conversation.revision,
                Sha256::digest(text)
            ),
            at: parts.clock.now(),
            input: Input::PolicyChanged(Box::new(policy)),
        };
        parts.store.append_inputs(vec![input]).await?;
        self.inputs = parts.store.pending_inputs(&self.conversation.id, 0).await?;
        Ok(())
    }

    /// Does one operation. `Some` when the conversation waits after it and was given back.
    async fn one_operation(&mut self) -> Result<Option<End>, Stop> {
        let parts = &self.engine.parts;
        let now = parts.clock.now();
        let entropy = parts.entropy.draw();

        let mut folded = self.conversation.clone();
        let mut ids = Ids::new(now, entropy);
        transition::fold(&mut folded, &self.inputs, &mut ids, &mut Vec::new());
        let phase = determine_phase(&folded, now);
        if self.inputs.is_empty() && phase.is_waiting() {
            let wake_at = phase::next_wake(&folded, now);
            return Ok(Some(End::Unchanged { wake_at }));
        }

        let order = work_order(&folded, &phase, now);
        let writes = matches!(order, WorkOrder::Write(_));
        let (work, usage) = match order {
            WorkOrder::None => (Work::None, None),
            WorkOrder::Read(request) => self.read(&request).await,
            WorkOrder::Write(plan) => {
                let (draft, usage) = self.word(&plan).await;
                (Work::Draft(Box::new(draft)), usage)
            }
        };
        let operation = Operation {
            revision: self.conversation.revision,
            at: now,
            entropy,
            inputs: std::mem::take(&mut self.inputs),
            phase,
            work,
        };
        let folded_through = operation.inputs.last().map_or(0, |input| input.seq);
        let mut after = self.conversation.clone();
        let applied = transition::apply(&mut after, &operation)
            .map_err(|divergence| Stop::Broken(divergence.to_string()))?;
        let effects = self.store_form(&applied.effects)?;

        let rests = determine_phase(&after, now).is_waiting();
        let commit = Commit {
            fence: self.fence,
            document: after.clone(),
            operation,
            judgement: applied.judgement,
            usage,
            effects,
            // A draft is void when a message arrived while it was worded.
            only_without_newer_inputs: writes,
            wake_at: phase::due_at(&after, now),
            keep_until: (!rests).then(|| self.engine.limits.lease_until(parts.clock.now())),
        };
        match parts.store.commit(commit).await {
            Ok(()) => {}
            Err(StoreError::NewerInputs) => {
                // Nothing was changed: the same inputs, and the newer ones, are folded next time.
                self.inputs = parts.store.pending_inputs(&self.conversation.id, 0).await?;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
        self.conversation = after;
        outward::announce(&self.engine.hub, &applied.effects);
        if rests {
            return Ok(Some(End::Released));
        }
        self.inputs = parts
            .store
            .pending_inputs(&self.conversation.id, folded_through)
            .await?;
        Ok(None)
    }

    async fn read(&self, request: &ReadRequest) -> (Work, Option<Usage>) {
        match self.engine.parts.reader.fill(request).await {
            Ok(answered) => (
                Work::Reading(Box::new(answered.answer)),
                spent(answered.usage),
            ),
            Err(fault) => {
                tracing::warn!(
                    conversation = %self.conversation.id,
                    error = &fault as &dyn std::error::Error,
                    "the inbox could not be read"
                );
                let error = cut(&fault.to_string());
                (Work::ReadingFailed { error }, None)
            }
        }
    }

    /// Words a plan: the writer, once more with its faults named, and at last the template. So the
    /// writer's being down delays nothing.
    async fn word(&self, plan: &MessagePlan) -> (Draft, Option<Usage>) {
        let mut faults = Vec::new();
        let mut total = Usage::default();
        for _ in 0..2 {
            match self.engine.parts.writer.write(plan, &faults).await {
                Ok(answered) => {
                    total.prompt_tokens += answered.usage.prompt_tokens;
                    total.completion_tokens += answered.usage.completion_tokens;
                    total.requests += answered.usage.requests;
                    total.model = answered.usage.model;
                    // The plan's own template needs no check: that it has no faults is a property
                    // that the core's tests hold for every plan.
                    faults = match answered.answer.by {
                        Wording::Template => Vec::new(),
                        Wording::Model => draft::faults(plan, &answered.answer),
                    };
                    if faults.is_empty() {
                        return (answered.answer, spent(total));
                    }
                    tracing::info!(
                        conversation = %self.conversation.id,
                        faults = faults.len(),
                        "a draft did not pass its checks"
                    );
                }
                Err(fault) => {
                    tracing::warn!(
                        conversation = %self.conversation.id,
                        error = &fault as &dyn std::error::Error,
                        "no draft was written; the template serves"
                    );
                    break;
                }
            }
        }
        (template::render(plan), spent(total))
    }

    fn store_form(&self, effects: &[Effect]) -> Result<Vec<StoredEffect>, Stop> {
        effects
            .iter()
            .map(|effect| {
                outward::store_form(&self.engine.parts, &self.conversation.tenant, effect)
            })
            .collect::<Result<_, _>>()
            .map_err(|fault| Stop::Broken(fault.to_string()))
    }
}

fn spent(usage: Usage) -> Option<Usage> {
    (usage.requests > 0).then_some(usage)
}

fn cut(error: &str) -> String {
    error.chars().take(LONGEST_ERROR).collect()
}

//! One conversation, one operation after another: fold, derive, bring what the phase needs, apply;
//! commit; until it waits. Operations that called no model share a commit.

use crate::{Engine, MOST_STORE_TRIES, STORE_TRIES_EVERY, outward};
use jiff::Timestamp;
use liaison_core::{
    conversation::Conversation,
    effect::Effect,
    form::ReadRequest,
    gate::draft,
    id::ConversationId,
    input::{Input, StoredInput},
    journal::{Operation, Work},
    phase,
    plan::{Draft, MessagePlan, Wording, template},
    transition::{self, WorkOrder},
};
use liaison_ports::{
    language::Usage,
    store::{Claimed, Commit, NewInput, Step, StoreError, StoredEffect},
};
use sha2::{Digest, Sha256};

/// The longest run of operations under one claim. A conversation that has not come to rest by then
/// is given back and claimed again, so that one that never rests stops nobody else.
const MOST_OPERATIONS: usize = 100;

/// The most operations that share a commit: more than a conversation does in one go, few enough that
/// the store's other writers wait for no single one.
const MOST_IN_A_COMMIT: usize = 20;

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
    Due(Option<Timestamp>),
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
        wake_at: Option<Timestamp>,
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

/// A claimed conversation at work.
struct Run<'a> {
    engine: &'a Engine,
    fence: i64,
    /// The state as it was committed last.
    conversation: Conversation,
    /// What has not been folded.
    inputs: Vec<StoredInput>,
}

/// Operations that are done and not committed.
struct Batch {
    done: Vec<Done>,
    /// The state after the last.
    after: Conversation,
    /// When the conversation was seen to wait after the last, if it was.
    rests_at: Option<Timestamp>,
}

struct Done {
    step: Step,
    /// What is announced once it is durable.
    effects: Vec<Effect>,
    /// The state that a draft was worded for, if this operation is one that sends.
    drafted_on: Option<Box<Conversation>>,
}

impl Run<'_> {
    async fn until_it_waits(mut self) -> Result<End, Stop> {
        self.take_present_policy().await?;
        let mut operations = 0;
        while operations < MOST_OPERATIONS {
            let batch = self.operations().await?;
            match (batch.done.len(), batch.rests_at) {
                (0, Some(now)) => {
                    let wake_at = phase::next_wake(&batch.after, now);
                    return Ok(End::Unchanged { wake_at });
                }
                (done, _) => operations += done.max(1),
            }
            if let Some(end) = self.commit(batch).await? {
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

    /// Does operations until the conversation waits, or until one has been done that must not be
    /// lost: what a model said is paid for. The others cost nothing to do again, so they share a
    /// commit; nobody outside knows of them before it.
    async fn operations(&mut self) -> Result<Batch, Stop> {
        let parts = &self.engine.parts;
        let mut done = Vec::new();
        let mut after = self.conversation.clone();
        let mut inputs = std::mem::take(&mut self.inputs);
        let mut paid_for = false;
        let rests_at = loop {
            let now = parts.clock.now();
            let entropy = parts.entropy.draw();
            let revision = after.revision;
            let begun = transition::begin(after, &inputs, now, entropy);
            let rests = inputs.is_empty() && begun.phase().is_waiting();
            // Also after one that ends the batch, so that a conversation that waits then is given
            // back with the commit and not by a write of its own.
            if rests || paid_for || done.len() == MOST_IN_A_COMMIT {
                after = begun.abandon();
                break rests.then_some(now);
            }
            let phase = begun.phase().clone();
            let order = begun.work_order();
            let drafted_on = matches!(order, WorkOrder::Write(_))
                .then(|| Box::new(begun.conversation().clone()));
            let (work, usage) = match order {
                WorkOrder::None => (Work::None, None),
                WorkOrder::Read(request) => self.read(&request).await,
                WorkOrder::Write(plan) => {
                    let (draft, usage) = self.word(&plan).await;
                    (Work::Draft(Box::new(draft)), usage)
                }
            };
            let (next, applied) = begun
                .finish(&work)
                .map_err(|divergence| Stop::Broken(divergence.to_string()))?;
            after = next;
            paid_for = usage.is_some();
            done.push(Done {
                step: Step {
                    operation: Operation {
                        revision,
                        at: now,
                        entropy,
                        inputs: std::mem::take(&mut inputs),
                        phase,
                        work,
                    },
                    judgement: applied.judgement,
                    usage,
                    effects: self.store_form(&applied.effects)?,
                },
                effects: applied.effects,
                drafted_on,
            });
        };
        Ok(Batch {
            done,
            after,
            rests_at,
        })
    }

    /// Makes a batch durable. `Some` when the conversation waits after it and was given back.
    async fn commit(&mut self, mut batch: Batch) -> Result<Option<End>, Stop> {
        let store = &self.engine.parts.store;
        if let Err(refused) = self.try_commit(&batch).await {
            // A draft is void when a message arrived while it was worded. What was done before it
            // stands; the draft and all that rests on it is done anew with what arrived.
            let drafted = batch.done.iter().position(|done| done.drafted_on.is_some());
            let (StoreError::NewerInputs, Some(drafted)) = (&refused, drafted) else {
                return Err(refused.into());
            };
            let void = batch.done.drain(drafted..).next();
            if batch.done.is_empty() {
                // Nothing was changed: the same inputs, and the newer ones, are folded next time.
                self.inputs = store.pending_inputs(&self.conversation.id, 0).await?;
                return Ok(None);
            }
            if let Some(state) = void.and_then(|done| done.drafted_on) {
                batch.after = *state;
            }
            batch.rests_at = None;
            self.try_commit(&batch).await?;
        }
        for done in &batch.done {
            outward::announce(&self.engine.hub, &done.effects);
        }
        if batch.rests_at.is_some() {
            return Ok(Some(End::Released));
        }
        self.conversation = batch.after;
        // What was folded is no longer pending.
        self.inputs = store.pending_inputs(&self.conversation.id, 0).await?;
        Ok(None)
    }

    async fn try_commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let parts = &self.engine.parts;
        let now = parts.clock.now();
        let commit = Commit {
            fence: self.fence,
            document: batch.after.clone(),
            steps: batch.done.iter().map(|done| done.step.clone()).collect(),
            only_without_newer_inputs: batch.done.iter().any(|done| done.drafted_on.is_some()),
            wake_at: match batch.rests_at {
                Some(at) => phase::next_wake(&batch.after, at),
                None => Some(now),
            },
            keep_until: batch
                .rests_at
                .is_none()
                .then(|| self.engine.limits.lease_until(now)),
        };
        parts.store.commit(commit).await
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

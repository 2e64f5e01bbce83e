//! The only place that changes a conversation's state.

mod absence;
mod amend;
mod consent;
mod courtesy;
mod delegate;
mod fold;
mod needs;
mod operator;
mod outlived;
mod questions;
mod read;
mod send;
mod taking;
mod values;

use crate::{
    conversation::{Conversation, FORMAT, Ledger, ReadingAttempts, Thread},
    effect::Effect,
    form::ReadRequest,
    gate::Judgement,
    id::{ConversationId, Entropy, Ids, TenantId},
    input::StoredInput,
    journal::{Operation, Work},
    phase::{Phase, determine_phase},
    plan::MessagePlan,
    policy::Policy,
    stakeholder::Stakeholder,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use fold::fold;

/// How a conversation begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Its id.
    pub id: ConversationId,
    /// Whose.
    pub tenant: TenantId,
    /// When.
    pub at: Timestamp,
    /// The person.
    pub stakeholder: Stakeholder,
    /// What binds replies to it.
    pub reply_token: String,
    /// The tenant's rules.
    pub policy: Policy,
}

/// Opens a conversation in which nothing has happened.
pub fn open(opening: Opening) -> Conversation {
    Conversation {
        format: FORMAT,
        id: opening.id,
        tenant: opening.tenant,
        revision: 0,
        opened_at: opening.at,
        stakeholder: opening.stakeholder,
        reply_token: opening.reply_token,
        policy: opening.policy,
        thread: Thread::default(),
        absence: None,
        needs: BTreeMap::new(),
        slots: BTreeMap::new(),
        need_operations: Vec::new(),
        transcripts: Vec::new(),
        inbox: Vec::new(),
        reading: ReadingAttempts::default(),
        reply_items: Vec::new(),
        asks: Ledger::default(),
        outgoing: Vec::new(),
        sent: Vec::new(),
        chase_from: None,
        holds: Vec::new(),
        taken_over: None,
        quick_actions: Vec::new(),
        attended_at: None,
        guidance: Vec::new(),
        ignored: Vec::new(),
    }
}

/// What a phase needs from outside before it can be carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkOrder {
    /// Nothing.
    None,
    /// A reading of these words.
    Read(Box<ReadRequest>),
    /// A wording of this plan.
    Write(Box<MessagePlan>),
}

/// Says what `phase`, as derived from `conversation` at `now`, needs from outside.
pub fn work_order(conversation: &Conversation, phase: &Phase, now: Timestamp) -> WorkOrder {
    match phase {
        Phase::ReadInbox { .. } | Phase::CatchUp { .. } => {
            WorkOrder::Read(Box::new(questions::request(conversation, phase)))
        }
        Phase::Reply | Phase::Ask | Phase::FollowUp => {
            match crate::plan::plan_message(conversation, phase, now) {
                Some(plan) => WorkOrder::Write(Box::new(plan)),
                None => WorkOrder::None,
            }
        }
        _ => WorkOrder::None,
    }
}

/// What an operation decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// What the world outside must see.
    pub effects: Vec<Effect>,
    /// What the gate said, when something was read.
    pub judgement: Option<Judgement>,
}

/// Applies one operation: folds its inputs, derives the phase, carries it out.
///
/// It refuses, without having changed anything, when the operation was made for another state.
pub fn apply(
    conversation: &mut Conversation,
    operation: &Operation,
) -> Result<Applied, Divergence> {
    if conversation.revision != operation.revision {
        return Err(Divergence::Revision {
            state: conversation.revision,
            operation: operation.revision,
        });
    }
    let begun = begin(
        conversation.clone(),
        &operation.inputs,
        operation.at,
        operation.entropy,
    );
    if begun.phase != operation.phase {
        return Err(Divergence::Phase {
            revision: operation.revision,
            derived: Box::new(begun.phase),
            recorded: Box::new(operation.phase.clone()),
        });
    }
    let (next, applied) = begun.finish(&operation.work)?;
    *conversation = next;
    Ok(applied)
}

/// Begins an operation: folds `inputs` and derives the phase. What that phase needs from outside
/// is brought to [`Begun::finish`]; the engine and the replay both go this way.
pub fn begin(
    mut conversation: Conversation,
    inputs: &[StoredInput],
    at: Timestamp,
    entropy: Entropy,
) -> Begun {
    let was_free = !conversation.is_held();
    let mut ids = Ids::new(at, entropy);
    let mut effects = Vec::new();
    fold(&mut conversation, inputs, &mut ids, &mut effects);
    Begun {
        phase: determine_phase(&conversation, at),
        conversation,
        at,
        was_free,
        ids,
        effects,
    }
}

/// An operation whose inputs are folded and whose phase is known.
#[derive(Debug)]
pub struct Begun {
    conversation: Conversation,
    phase: Phase,
    at: Timestamp,
    /// Whether nothing kept us from sending before the inputs.
    was_free: bool,
    ids: Ids,
    effects: Vec<Effect>,
}

impl Begun {
    /// The phase.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The state with the inputs folded.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Leaves it at that: the state with the inputs folded, which without inputs is the state as it
    /// was.
    pub fn abandon(self) -> Conversation {
        self.conversation
    }

    /// What the phase needs from outside.
    pub fn work_order(&self) -> WorkOrder {
        work_order(&self.conversation, &self.phase, self.at)
    }

    /// Carries the phase out with what was brought for it.
    pub fn finish(mut self, work: &Work) -> Result<(Conversation, Applied), Divergence> {
        let mut applied = Applied {
            effects: std::mem::take(&mut self.effects),
            judgement: None,
        };
        carry_out(
            &mut self.conversation,
            (&self.phase, work),
            self.at,
            &mut self.ids,
            &mut applied,
        )?;
        let mut next = self.conversation;
        if self.was_free && next.is_held() {
            fold::recall_all(&next, "the conversation is paused", &mut applied.effects);
        }
        next.revision += 1;
        Ok((next, applied))
    }
}

/// Why an operation does not belong to a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Divergence {
    /// It was made for another revision.
    #[error("the state has revision {state}, the operation is for {operation}")]
    Revision {
        /// The state's.
        state: u64,
        /// The operation's.
        operation: u64,
    },
    /// Another phase is derived than was then.
    #[error("at revision {revision} the phase is {derived:?}, and was {recorded:?}")]
    Phase {
        /// Where.
        revision: u64,
        /// What is derived.
        derived: Box<Phase>,
        /// What was recorded.
        recorded: Box<Phase>,
    },
    /// What was brought from outside does not fit the phase.
    #[error("at revision {revision}, {phase:?} cannot be carried out with what was brought")]
    Work {
        /// Where.
        revision: u64,
        /// The phase.
        phase: Box<Phase>,
    },
}

fn carry_out(
    conversation: &mut Conversation,
    (phase, work): (&Phase, &Work),
    now: Timestamp,
    ids: &mut Ids,
    applied: &mut Applied,
) -> Result<(), Divergence> {
    let effects = &mut applied.effects;
    match (phase, work) {
        (Phase::ApplyNeedOperations, Work::None) => {
            needs::apply_operations(conversation, now, ids, effects);
        }
        (Phase::ExpireNeeds { needs }, Work::None) => {
            needs::expire(conversation, needs, now, effects)
        }
        (Phase::SettleNeeds { needs }, Work::None) => {
            needs::settle(conversation, needs, now, effects)
        }
        (Phase::CatchUp { .. } | Phase::ReadInbox { .. }, Work::Reading(reading)) => {
            applied.judgement = Some(read::take(conversation, phase, reading, now, ids, effects));
        }
        (Phase::CatchUp { .. } | Phase::ReadInbox { .. }, Work::ReadingFailed { error }) => {
            read::failed(conversation, error, now, ids);
        }
        (Phase::RunQuickActions, Work::None) => {
            operator::run_quick_actions(conversation, now, ids, effects)
        }
        (Phase::TendHolds { lift, escalate }, Work::None) => {
            operator::tend_holds(conversation, lift, escalate, now, effects);
        }
        (Phase::EscalateUnreachable, Work::None) => {
            send::escalate_unreachable(conversation, now, ids)
        }
        (Phase::Reply | Phase::Ask | Phase::FollowUp, Work::Draft(draft)) => {
            if !send::send(conversation, phase, draft, now, ids, effects) {
                return Err(misfit(conversation, phase));
            }
        }
        (Phase::EscalatePromises, Work::None) => needs::escalate_promises(conversation, now, ids),
        (Phase::EscalateSilence, Work::None) => {
            needs::escalate_silence(conversation, now, ids, effects)
        }
        (Phase::ProbeCaller { needs }, Work::None) => {
            needs::probe_callers(conversation, needs, now, effects)
        }
        (Phase::EscalateCaller { needs }, Work::None) => {
            needs::escalate_callers(conversation, needs, now, ids, effects)
        }
        (Phase::HandsOff | Phase::AwaitOperator | Phase::Wait { .. } | Phase::Idle, Work::None) => {
        }
        _ => return Err(misfit(conversation, phase)),
    }
    Ok(())
}

fn misfit(conversation: &Conversation, phase: &Phase) -> Divergence {
    Divergence::Work {
        revision: conversation.revision,
        phase: Box::new(phase.clone()),
    }
}

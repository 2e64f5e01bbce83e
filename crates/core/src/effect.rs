//! What an operation decides that the world outside must see. Effects are stored with the state
//! that decided them, in one commit, and carried out afterwards.

use crate::{
    amendment::Amendment,
    id::{HoldId, MessageId, NeedId},
    need::{Outcome, OutcomeKind},
    plan::{Draft, MessagePlan},
    slot::Evidence,
    value::Value,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One thing to carry out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// A message to hand to a transport.
    Send(Box<OutboundMessage>),
    /// A message that must not go any more, if it still can be kept from going: the state that it
    /// was worded for is gone.
    Recall {
        /// Which.
        message: MessageId,
        /// Why.
        why: String,
    },
    /// A message of unknown fate that is to be handed over once more, the same bytes.
    Resend {
        /// Which.
        message: MessageId,
    },
    /// An operator found out what became of a message of unknown fate.
    Resolve {
        /// Which.
        message: MessageId,
        /// Whether it was sent.
        sent: bool,
    },
    /// A need has its one outcome.
    NeedSettled {
        /// Which.
        need: NeedId,
        /// How it ended.
        outcome: Box<Outcome>,
    },
    /// A need is another one than was registered.
    NeedAmended {
        /// What of it has changed.
        amendment: Box<Amendment>,
    },
    /// Something the workflow should hear of.
    Event {
        /// About which need.
        need: NeedId,
        /// What.
        event: NeedEvent,
    },
}

/// A message, worded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutboundMessage {
    /// Its id, its outbox row's id, and the left half of its Message-ID.
    pub id: MessageId,
    /// When it was decided; its Date.
    pub at: Timestamp,
    /// What binds a reply to the conversation.
    pub reply_token: String,
    /// What it had to say, to whom, in which thread.
    pub plan: MessagePlan,
    /// How it says it.
    pub draft: Draft,
}

/// News for a workflow, beside its one outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum NeedEvent {
    /// The answer came after the need had ended.
    LateAnswer {
        /// How the need had ended.
        after: OutcomeKind,
        /// Which slot.
        slot: String,
        /// The value.
        value: Value,
        /// What it rests on.
        evidence: Evidence,
    },
    /// The person named somebody else to talk to, whom the caller or an operator may accept.
    DelegateNamed {
        /// The hold that waits for the decision.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<HoldId>,
        /// Their name, when it stands before the address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Their address.
        address: String,
        /// The person's words.
        quote: String,
    },
    /// A value that the workflow was told, by the outcome or by an event, has been corrected. The
    /// outcome itself stays as it was delivered.
    Amended {
        /// Which slot.
        slot: String,
        /// The value now.
        value: Value,
        /// What it rests on.
        evidence: Evidence,
        /// The value that the workflow was told before.
        was: Box<Value>,
    },
    /// The person wrote something else about a value that the workflow was told, and it is not clear
    /// what is meant. The value stays; an operator looks at it.
    CorrectionUnclear {
        /// Which slot.
        slot: String,
        /// What they might mean now; may be empty.
        candidates: Vec<Value>,
        /// Their words.
        evidence: Evidence,
        /// What the workflow was told before.
        was: Box<Value>,
    },
    /// Do you still wait?
    StillWaiting {
        /// When it was asked.
        at: Timestamp,
    },
    /// What this need waits for has been on hold for long, and no operator has attended to it.
    HoldEscalated {
        /// The hold.
        hold: HoldId,
        /// Since when it stands.
        since: Timestamp,
        /// Its reason's name.
        reason: String,
        /// Its reason in a sentence.
        why: String,
    },
    /// An amendment could not be applied; nothing of it was.
    AmendmentRefused {
        /// Why.
        why: String,
    },
    /// The registration could not become part of the conversation.
    Rejected {
        /// Why.
        why: String,
    },
}

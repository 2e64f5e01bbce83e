//! Writes as they go into columns, encoded by whoever asks, so that a store only stores: the same
//! for every database.

use crate::{
    codec::{corrupt, from_json, json, micros, micros_up, name, time},
    facts::{self, Facts},
    store::{Claimed, Commit, JournalRow, NewInput, NewNeed, Span, Step, StoreError, StoredEffect},
    transport::Composed,
};
use jiff::Timestamp;
use liaison_core::{
    amendment::Amendment,
    effect::OutboundMessage,
    id::ConversationId,
    input::{Input, StoredInput},
    journal::read_document,
    transition,
};

/// An input as it goes into its row.
#[derive(Clone, Debug)]
pub struct EncodedInput {
    /// The conversation's id.
    pub conversation: String,
    /// The same for the same input.
    pub dedupe_key: String,
    /// When it came, in microseconds.
    pub at: i64,
    /// The input, as JSON.
    pub body: String,
}

impl EncodedInput {
    /// Encodes an input.
    pub fn of(operation: &'static str, new: NewInput) -> Result<Self, StoreError> {
        Ok(Self {
            conversation: new.conversation.as_str().to_owned(),
            dedupe_key: new.dedupe_key,
            at: micros(new.at),
            body: json(operation, &new.input)?,
        })
    }

    /// Encodes several.
    pub fn all(operation: &'static str, inputs: Vec<NewInput>) -> Result<Vec<Self>, StoreError> {
        inputs
            .into_iter()
            .map(|input| Self::of(operation, input))
            .collect()
    }
}

/// A registration, encoded.
#[derive(Clone, Debug)]
pub struct EncodedNeed {
    /// What is to be registered.
    pub need: NewNeed,
    /// When, in microseconds.
    pub at: i64,
    /// The registration, as JSON.
    pub registration: String,
    /// The input that tells the conversation, addressed to the one that would be opened.
    pub input: EncodedInput,
    /// How that one would begin, as JSON.
    pub opening: String,
    /// Its document, as JSON.
    pub document: String,
    /// What lists and look-ups need of it.
    pub facts: Facts,
    /// The stakeholder's contacts in the form to look them up by: pairs of channel and address, as
    /// JSON.
    pub contacts: String,
}

impl EncodedNeed {
    /// Encodes a registration.
    pub fn of(operation: &'static str, need: NewNeed) -> Result<Self, StoreError> {
        let document = transition::open(need.opening.clone());
        let input = Input::NeedRegistered {
            registration: Box::new(need.registration.clone()),
            stakeholder: Box::new(need.stakeholder.clone()),
        };
        Ok(Self {
            at: micros(need.at),
            registration: json(operation, &need.registration)?,
            input: EncodedInput::of(
                operation,
                NewInput {
                    conversation: need.opening.id.clone(),
                    dedupe_key: facts::registration_key(&need.registration.need),
                    at: need.at,
                    input,
                },
            )?,
            opening: json(operation, &need.opening)?,
            document: json(operation, &document)?,
            facts: Facts::of(&document),
            contacts: json(operation, &facts::contacts(&need.stakeholder))?,
            need,
        })
    }
}

/// A run of operations, encoded.
#[derive(Clone, Debug)]
pub struct EncodedCommit {
    /// The conversation's id.
    pub conversation: String,
    /// Its tenant.
    pub tenant: String,
    /// The claim's fence.
    pub fence: i64,
    /// What the run spans.
    pub span: Span,
    /// Whether to refuse when an input came after the folded ones.
    pub only_without_newer_inputs: bool,
    /// When the conversation is due again if nothing arrives, in microseconds, rounded up.
    pub wake_at: Option<i64>,
    /// Until when to keep the claim, likewise; none to give it back.
    pub keep_until: Option<i64>,
    /// What lists and look-ups need.
    pub facts: Facts,
    /// The contacts in the form to look them up by: pairs of channel and address, as JSON.
    pub contacts: String,
    /// The document, as JSON.
    pub document: String,
    /// The operations, oldest first.
    pub journal: Vec<EncodedOperation>,
    /// What was decided, in order.
    pub effects: Vec<EncodedEffect>,
}

/// A row of the journal.
#[derive(Clone, Debug)]
pub struct EncodedOperation {
    /// The operation's revision.
    pub revision: i64,
    /// When it was done, in microseconds.
    pub at: i64,
    /// The operation, as JSON.
    pub operation: String,
    /// What the gate said, as JSON.
    pub judgement: Option<String>,
    /// What the model cost, as JSON.
    pub usage: Option<String>,
}

impl EncodedOperation {
    fn of(operation: &'static str, step: &Step) -> Result<Self, StoreError> {
        let done = &step.operation;
        Ok(Self {
            revision: i64::try_from(done.revision)
                .map_err(|_| corrupt(operation, "the revision is out of range"))?,
            at: micros(done.at),
            operation: json(operation, done)?,
            judgement: json_if_any(operation, step.judgement.as_ref())?,
            usage: json_if_any(operation, step.usage.as_ref())?,
        })
    }
}

fn json_if_any<T: serde::Serialize>(
    operation: &'static str,
    value: Option<&T>,
) -> Result<Option<String>, StoreError> {
    value.map(|it| json(operation, it)).transpose()
}

impl EncodedCommit {
    /// Encodes a run of operations.
    pub fn of(operation: &'static str, commit: Commit) -> Result<Self, StoreError> {
        let span = commit.span().map_err(|fault| corrupt(operation, fault))?;
        let journal = commit
            .steps
            .iter()
            .map(|step| EncodedOperation::of(operation, step))
            .collect::<Result<_, _>>()?;
        let mut effects = Vec::new();
        for step in commit.steps {
            let at = step.operation.at;
            for effect in step.effects {
                effects.push(EncodedEffect::of(operation, effect, at)?);
            }
        }
        let facts = Facts::of(&commit.document);
        Ok(Self {
            conversation: commit.document.id.as_str().to_owned(),
            tenant: commit.document.tenant.as_str().to_owned(),
            fence: commit.fence,
            span,
            only_without_newer_inputs: commit.only_without_newer_inputs,
            wake_at: commit.wake_at.map(micros_up),
            keep_until: commit.keep_until.map(micros_up),
            contacts: json(operation, &facts.contacts)?,
            facts,
            document: json(operation, &commit.document)?,
            journal,
            effects,
        })
    }
}

/// An effect, encoded. Times are those of the operation that decided it.
#[derive(Clone, Debug)]
pub enum EncodedEffect {
    /// A message for the outbox.
    Send {
        /// The message.
        message: Box<OutboundMessage>,
        /// Its channel's name.
        channel: String,
        /// Its bytes.
        composed: Composed,
    },
    /// A message is taken out of the outbox.
    Recall {
        /// Which.
        message: String,
        /// Why.
        why: String,
        /// When.
        at: Timestamp,
    },
    /// A message of unknown fate is put back.
    Resend {
        /// Which.
        message: String,
        /// When.
        at: Timestamp,
    },
    /// A message of unknown fate has one.
    Resolve {
        /// Which.
        message: String,
        /// Whether it was sent.
        sent: bool,
    },
    /// A need's outcome.
    Settle {
        /// Which need.
        need: String,
        /// The outcome, as JSON.
        outcome: String,
    },
    /// A need is another one from now on.
    Amend {
        /// What of it has changed.
        amendment: Box<Amendment>,
    },
    /// News for a need's caller.
    Event {
        /// Which need.
        need: String,
        /// What, as JSON.
        event: String,
        /// When.
        at: Timestamp,
    },
}

impl EncodedEffect {
    fn of(
        operation: &'static str,
        effect: StoredEffect,
        at: Timestamp,
    ) -> Result<Self, StoreError> {
        Ok(match effect {
            StoredEffect::Send { message, composed } => Self::Send {
                channel: name(operation, &message.plan.channel)?,
                message,
                composed,
            },
            StoredEffect::Recall { message, why } => Self::Recall {
                message: message.as_str().to_owned(),
                why,
                at,
            },
            StoredEffect::Resend { message } => Self::Resend {
                message: message.as_str().to_owned(),
                at,
            },
            StoredEffect::Resolve { message, sent } => Self::Resolve {
                message: message.as_str().to_owned(),
                sent,
            },
            StoredEffect::Settle { need, outcome } => Self::Settle {
                need: need.as_str().to_owned(),
                outcome: json(operation, &outcome)?,
            },
            StoredEffect::Amend { amendment } => Self::Amend { amendment },
            StoredEffect::Event { need, event } => Self::Event {
                need: need.as_str().to_owned(),
                event: json(operation, &event)?,
                at,
            },
        })
    }
}

/// A claimed conversation, still as text.
#[derive(Clone, Debug)]
pub struct ClaimedText {
    /// The conversation's id.
    pub id: String,
    /// The claim's fence.
    pub fence: i64,
    /// The document.
    pub document: String,
    /// The unfolded inputs, in order: place, time and text.
    pub inputs: Vec<(i64, i64, String)>,
}

impl ClaimedText {
    /// Reads the text. What cannot be read is said in place of the document, so that one
    /// conversation cannot keep the others from being worked on.
    pub fn read(self, operation: &'static str) -> Result<Claimed, StoreError> {
        let mut document = read_document(&self.document)
            .map(Box::new)
            .map_err(|fault| crate::codec::with_source(&fault));
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (seq, at, body) in self.inputs {
            match from_json(operation, &format!("input {seq}"), &body) {
                Ok(input) => inputs.push(StoredInput {
                    seq,
                    at: time(operation, at)?,
                    input,
                }),
                Err(error) => {
                    document = Err(error.to_string());
                    break;
                }
            }
        }
        Ok(Claimed {
            id: ConversationId::new(self.id),
            fence: self.fence,
            document,
            inputs,
        })
    }
}

/// A stored input from its columns.
pub fn stored_input(
    operation: &'static str,
    seq: i64,
    at: i64,
    body: &str,
) -> Result<StoredInput, StoreError> {
    Ok(StoredInput {
        seq,
        at: time(operation, at)?,
        input: from_json(operation, &format!("input {seq}"), body)?,
    })
}

/// An operation of the journal from its columns.
pub fn journal_row(
    operation: &'static str,
    revision: i64,
    recorded: &str,
    judgement: Option<&str>,
    usage: Option<&str>,
) -> Result<JournalRow, StoreError> {
    let what = |part| format!("the {part} of revision {revision}");
    Ok(JournalRow {
        operation: from_json(operation, &what("operation"), recorded)?,
        judgement: judgement
            .map(|text| from_json(operation, &what("judgement"), text))
            .transpose()?,
        usage: usage
            .map(|text| from_json(operation, &what("usage"), text))
            .transpose()?,
    })
}

//! A conversation and the little world around it: inputs that wait, an outbox, a reader, and a
//! clock that goes where it is told. It does one operation after another exactly as the engine
//! does.

mod reading;
mod values;

pub(crate) use values::{
    ADDRESS, address, amendment, ana, calm, instant, kind, later, narrow_kind, need, slot,
    slot_change, slot_key, zone,
};

use jiff::Timestamp;
use liaison_core::{
    amendment::Amendment,
    conversation::{Action, Author, Conversation, Origin, Received},
    effect::{Effect, OutboundMessage},
    id::{ConversationId, Entropy, MessageId, NeedId, TenantId},
    input::{Fate, Input, StoredInput},
    journal::{Operation, Work},
    need::{Outcome, Registration},
    phase::{self, Phase, determine_phase},
    plan::template,
    policy::Policy,
    slot::Standing,
    stakeholder::Channel,
    transition::{self, Applied, Opening, WorkOrder},
};
use reading::read;
use std::collections::BTreeMap;

/// A run of operations that takes longer than this does not end. One input leads to about ten
/// operations at most (a need is applied, caught up on, settled; a reply is read and answered);
/// several inputs that are folded together share theirs.
pub(crate) const LONGEST_RUN: usize = 30;

/// What the reader does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// It fills the forms as well as it can.
    Honest,
    /// It makes things up, in a way that depends on this number.
    Lying(u8),
    /// It cannot be reached.
    Down,
}

/// Where a message is, as a store keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Queued,
    Transmitting,
    Sent,
    Refused,
    Unknown,
    Withdrawn,
}

/// One message of ours.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) message: OutboundMessage,
    pub(crate) state: State,
    /// Whether a dispatcher has passed the point of no return with it.
    pub(crate) departed: bool,
}

/// One operation, with the states around it.
pub(crate) struct Done {
    /// The state after its inputs were folded, when its phase was derived.
    pub(crate) folded: Conversation,
    pub(crate) operation: Operation,
    pub(crate) applied: Applied,
}

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) opening: Opening,
    pub(crate) conversation: Conversation,
    pub(crate) journal: Vec<Operation>,
    pub(crate) pending: Vec<StoredInput>,
    pub(crate) outbox: Vec<Row>,
    pub(crate) received: BTreeMap<MessageId, Received>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) reader: Reader,
    seq: i64,
    drawn: u64,
}

impl World {
    /// A conversation with Ana, whose clock shows UTC unless the policy says otherwise.
    pub(crate) fn new(now: &str, policy: Policy) -> Self {
        let now = instant(now);
        let stakeholder = ana();
        Self::open(Opening {
            id: ConversationId::new("conversation"),
            tenant: TenantId::new("tenant"),
            at: now,
            stakeholder,
            reply_token: "token".to_owned(),
            policy,
        })
    }

    pub(crate) fn open(opening: Opening) -> Self {
        Self {
            now: opening.at,
            conversation: transition::open(opening.clone()),
            opening,
            journal: Vec::new(),
            pending: Vec::new(),
            outbox: Vec::new(),
            received: BTreeMap::new(),
            effects: Vec::new(),
            reader: Reader::Honest,
            seq: 0,
            drawn: 0,
        }
    }

    // What happens outside.

    pub(crate) fn input(&mut self, input: Input) {
        self.seq += 1;
        self.pending.push(StoredInput {
            seq: self.seq,
            at: self.now,
            input,
        });
    }

    pub(crate) fn register(&mut self, registration: Registration) {
        self.input(Input::NeedRegistered {
            registration: Box::new(registration),
            stakeholder: Box::new(ana()),
        });
    }

    pub(crate) fn cancel(&mut self, need: &str) {
        self.input(Input::NeedCancelled {
            need: NeedId::new(need),
        });
    }

    pub(crate) fn amend(&mut self, amendment: Amendment) {
        self.input(Input::NeedAmended {
            amendment: Box::new(amendment),
        });
    }

    pub(crate) fn operator(&mut self, action: Action) {
        self.input(Input::QuickAction {
            by: "olga".to_owned(),
            action,
        });
    }

    /// The stakeholder writes.
    pub(crate) fn writes(&mut self, text: &str) -> MessageId {
        let message = self.letter(text);
        self.arrives(message)
    }

    /// A message from the stakeholder that has not arrived yet.
    pub(crate) fn letter(&self, text: &str) -> Received {
        Received {
            message: MessageId::new(format!("in-{}", self.received.len() + 1)),
            channel: Channel::Email,
            from: address(ADDRESS),
            origin: Origin::Known,
            received_at: self.now,
            written_at: self.now,
            subject: String::new(),
            text: text.to_owned(),
            attachments: Vec::new(),
            author: Author::Person,
            transport_id: Some(format!("<in-{}@example.com>", self.received.len() + 1)),
            answers: None,
        }
    }

    pub(crate) fn arrives(&mut self, message: Received) -> MessageId {
        let id = message.message.clone();
        self.received.insert(id.clone(), message.clone());
        self.input(Input::MessageReceived(Box::new(message)));
        id
    }

    /// A dispatcher passes the point of no return with the first message that may go.
    pub(crate) fn begin(&mut self) -> Option<&Row> {
        if !self.pending.is_empty() {
            return None;
        }
        let row = self
            .outbox
            .iter_mut()
            .find(|row| row.state == State::Queued)?;
        row.state = State::Transmitting;
        row.departed = true;
        Some(row)
    }

    /// What became of the message that a dispatcher has begun to hand over.
    pub(crate) fn complete(&mut self, fate: Fate) {
        let row = self
            .outbox
            .iter_mut()
            .find(|row| row.state == State::Transmitting);
        let Some(row) = row else { return };
        row.state = match fate {
            Fate::Sent { .. } => State::Sent,
            Fate::Refused { .. } => State::Refused,
            Fate::Unknown { .. } => State::Unknown,
            Fate::Withdrawn { .. } => State::Withdrawn,
        };
        let message = row.message.id.clone();
        self.input(Input::Dispatched { message, fate });
    }

    /// Hands the next message over; the far side takes it. Panics when there is none.
    pub(crate) fn delivers(&mut self) -> OutboundMessage {
        let message = self.begin().expect("a message waits").message.clone();
        self.complete(self.sent());
        self.settle_down();
        message
    }

    pub(crate) fn sent(&self) -> Fate {
        Fate::Sent {
            at: self.now,
            transport_id: None,
        }
    }

    // The engine.

    /// Does one operation. None when there is nothing to do.
    pub(crate) fn step(&mut self) -> Option<Done> {
        let entropy = self.entropy();
        let state = self.conversation.clone();
        let begun = transition::begin(state, &self.pending, self.now, entropy);
        let phase = begun.phase().clone();
        if self.pending.is_empty() && phase.is_waiting() {
            return None;
        }
        let work = match begun.work_order() {
            WorkOrder::None => Work::None,
            WorkOrder::Read(request) => read(self.reader, &request),
            WorkOrder::Write(plan) => Work::Draft(Box::new(template::render(&plan))),
        };
        let operation = Operation {
            revision: self.conversation.revision,
            at: self.now,
            entropy,
            inputs: std::mem::take(&mut self.pending),
            phase,
            work,
        };
        let applied = transition::apply(&mut self.conversation, &operation)
            .expect("the operation was made for this state");
        for effect in &applied.effects {
            self.carry_out(effect);
        }
        self.effects.extend(applied.effects.iter().cloned());
        self.journal.push(operation.clone());
        Some(Done {
            folded: begun.abandon(),
            operation,
            applied,
        })
    }

    /// Does operations until the conversation waits.
    pub(crate) fn settle_down(&mut self) -> Vec<Done> {
        let mut run = Vec::new();
        while let Some(done) = self.step() {
            run.push(done);
            assert!(run.len() <= LONGEST_RUN, "a run of phases does not end");
        }
        run
    }

    fn carry_out(&mut self, effect: &Effect) {
        match effect {
            Effect::Send(message) => self.outbox.push(Row {
                message: (**message).clone(),
                state: State::Queued,
                departed: false,
            }),
            Effect::Recall { message, why } => {
                let row = self
                    .outbox
                    .iter_mut()
                    .find(|row| row.message.id == *message && row.state == State::Queued);
                if let Some(row) = row {
                    row.state = State::Withdrawn;
                    let message = message.clone();
                    let fate = Fate::Withdrawn { why: why.clone() };
                    self.input(Input::Dispatched { message, fate });
                }
            }
            Effect::Resend { message } => {
                let row = self
                    .outbox
                    .iter_mut()
                    .find(|row| row.message.id == *message && row.state == State::Unknown);
                if let Some(row) = row {
                    row.state = State::Queued;
                }
            }
            Effect::Resolve { .. }
            | Effect::NeedSettled { .. }
            | Effect::NeedAmended { .. }
            | Effect::Event { .. } => {}
        }
    }

    fn entropy(&mut self) -> Entropy {
        self.drawn += 1;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.drawn.to_be_bytes());
        Entropy(bytes)
    }

    // Looking, and time.

    pub(crate) fn phase(&self) -> Phase {
        determine_phase(&self.conversation, self.now)
    }

    pub(crate) fn next_wake(&self) -> Option<Timestamp> {
        phase::next_wake(&self.conversation, self.now)
    }

    pub(crate) fn goes_to(&mut self, now: &str) {
        self.now = instant(now);
    }

    pub(crate) fn passes(&mut self, hours: i64) {
        self.now = later(self.now, hours * 3_600);
    }

    pub(crate) fn standing(&self, subject: &str, name: &str) -> &Standing {
        &self.conversation.slots[&slot_key(subject, name)].standing
    }

    pub(crate) fn outcome(&self, need: &str) -> Option<&Outcome> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::NeedSettled { need: id, outcome } if id.as_str() == need => Some(&**outcome),
            _ => None,
        })
    }

    pub(crate) fn holds(&self) -> Vec<&'static str> {
        let holds = &self.conversation.holds;
        holds.iter().map(|hold| hold.reason.name()).collect()
    }

    /// The last message that was decided, whatever became of it. Panics when there is none.
    pub(crate) fn last_message(&self) -> &OutboundMessage {
        &self.outbox.last().expect("a message was decided").message
    }
}

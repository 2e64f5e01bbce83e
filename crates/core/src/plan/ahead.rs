//! What will be sent if nobody writes, and why not sooner: the same rules, run on a copy of the
//! conversation under a clock that jumps from one wake to the next.

use super::{PlanItem, template};
use crate::{
    conversation::{Conversation, HoldReason, MessageKind},
    effect::{Effect, NeedEvent, OutboundMessage},
    id::{Entropy, HoldId, MessageId, NeedId},
    input::{Fate, Input, StoredInput},
    journal::Work,
    need::OutcomeKind,
    phase::{Phase, RULES, RuleName, Survey, Watch, next_wake},
    policy::Wait,
    sending::not_to_be_handed_over_before,
    slot::SlotKey,
    stakeholder::Channel,
    transition::{self, Begun, WorkOrder},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far ahead messages are planned.
pub const HORIZON: Wait = Wait::days(14);

/// The most operations and wakes that are played. Fifty needs with twelve reminders each end well
/// before, for reminders are sent together; and a plan must never cost more than a glance is worth.
const MOST_STEPS: usize = 1_000;

/// The most reasons for one wait that are looked for, one after another.
const MOST_REASONS: usize = 16;

/// What will happen in a conversation if nobody writes: neither the person, nor a caller, nor an
/// operator. Every message is assumed to be handed over at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAhead {
    /// The instant that it is about.
    pub at: Timestamp,
    /// How far the entries go: [`HORIZON`] from `at`.
    pub until: Timestamp,
    /// What will happen, in order.
    pub entries: Vec<Planned>,
    /// What lasting silence leads to after that: how it ends, without the messages on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub afterwards: Vec<Planned>,
    /// Why nothing more is known.
    pub end: PlanEnd,
}

/// One thing that will happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub step: PlannedStep,
    /// What a message waits for until then, in order; why it does not go sooner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<PlannedWait>,
}

/// What will happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum PlannedStep {
    /// A message is sent.
    Message {
        /// What for.
        kind: MessageKind,
        /// By which channel.
        channel: Channel,
        /// The questions in it.
        questions: Vec<PlannedQuestion>,
        /// What else it says, each by its name: `acknowledge`, `answer`, `withdraw`, `brief`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<String>,
    },
    /// A caller is asked whether it still waits.
    Probe {
        /// For which need.
        need: NeedId,
    },
    /// A human is asked for.
    Hold {
        /// Why, for programs.
        reason: String,
        /// Why, in a sentence.
        sentence: String,
    },
    /// A need ends.
    Ends {
        /// Which.
        need: NeedId,
        /// How.
        outcome: OutcomeKind,
    },
}

/// A question in a message that will be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedQuestion {
    /// Which slot.
    pub slot: SlotKey,
    /// Whether it is a reminder.
    pub reminder: bool,
}

/// Why a message does not go sooner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedWait {
    /// Until when that holds.
    pub until: Timestamp,
    /// Why, in the words of [`crate::phase::explain`].
    pub why: String,
}

/// Why a plan goes no further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum PlanEnd {
    /// There is nothing left to do.
    Done,
    /// A hold stands: what follows is for an operator to say.
    Held {
        /// Every reason, in a sentence.
        why: Vec<String>,
    },
    /// An operator has taken over.
    TakenOver {
        /// Who.
        by: String,
    },
    /// A message or a transcript is read then; what it says decides the rest.
    Unread {
        /// When it is read.
        at: Timestamp,
    },
    /// It goes on for longer than anybody looks ahead.
    TooFar,
}

/// Plans what will happen in `conversation` from `now` on if nobody writes.
pub fn plan_ahead(conversation: &Conversation, now: Timestamp) -> PlanAhead {
    let mut ahead = Ahead::of(conversation, now);
    let end = ahead.play();
    let until = HORIZON.after(now);
    let (entries, later): (Vec<_>, Vec<_>) = ahead
        .planned
        .into_iter()
        .flatten()
        .partition(|planned| planned.at <= until);
    PlanAhead {
        at: now,
        until,
        entries,
        afterwards: later
            .into_iter()
            .filter(|planned| {
                matches!(
                    planned.step,
                    PlannedStep::Hold { .. } | PlannedStep::Ends { .. }
                )
            })
            .collect(),
        end,
    }
}

/// A copy of the conversation, and the little world in which every message arrives.
struct Ahead {
    conversation: Conversation,
    now: Timestamp,
    inputs: Vec<StoredInput>,
    /// What is on its way, with the place of what was planned of it.
    on_its_way: Vec<(MessageId, Option<usize>)>,
    waits: Vec<(RuleName, PlannedWait)>,
    /// What was planned; none where it was overtaken before it was handed over.
    planned: Vec<Option<Planned>>,
    drawn: u64,
}

impl Ahead {
    fn of(conversation: &Conversation, now: Timestamp) -> Self {
        // What is out of reach until an operator says what became of it does not arrive by itself.
        let given_up = |message: &MessageId| {
            conversation.holds.iter().any(
                |hold| matches!(&hold.reason, HoldReason::UnknownSend { message: m, .. } if m == message),
            )
        };
        Self {
            on_its_way: conversation
                .outgoing
                .iter()
                .map(|outgoing| outgoing.message.clone())
                .filter(|message| !given_up(message))
                .map(|message| (message, None))
                .collect(),
            conversation: conversation.clone(),
            now,
            inputs: Vec::new(),
            waits: Vec::new(),
            planned: Vec::new(),
            drawn: 0,
        }
    }

    fn play(&mut self) -> PlanEnd {
        for _ in 0..MOST_STEPS {
            let entropy = self.entropy();
            let state = self.conversation.clone();
            let begun = transition::begin(state, &self.inputs, self.now, entropy);
            if self.inputs.is_empty() && begun.phase().is_waiting() {
                // What is decided in one run is handed over once the run has come to rest.
                let open_again = self.hand_over();
                if !self.inputs.is_empty() {
                    continue;
                }
                let wake = next_wake(&self.conversation, self.now);
                let Some(wake) = wake.into_iter().chain(open_again).min() else {
                    return self.end(begun.phase());
                };
                self.wait(wake);
                continue;
            }
            let work = match begun.work_order() {
                WorkOrder::None => Work::None,
                WorkOrder::Write(plan) => Work::Draft(Box::new(template::render(&plan))),
                WorkOrder::Read(_) => return PlanEnd::Unread { at: self.now },
            };
            if !self.operate(begun, &work) {
                return PlanEnd::TooFar;
            }
        }
        PlanEnd::TooFar
    }

    /// Hands over what is on its way, unless it waits for the morning; then says until when.
    fn hand_over(&mut self) -> Option<Timestamp> {
        let (message, _) = self.on_its_way.first()?.clone();
        if let Some(until) = not_to_be_handed_over_before(&self.conversation, self.now) {
            return Some(until);
        }
        self.on_its_way.remove(0);
        let fate = Fate::Sent {
            at: self.now,
            transport_id: None,
        };
        self.happens(Input::Dispatched { message, fate });
        None
    }

    fn happens(&mut self, input: Input) {
        self.inputs.push(StoredInput {
            seq: 0,
            at: self.now,
            input,
        });
    }

    /// Does one operation; `false` when it cannot be done, which a derived phase always can.
    fn operate(&mut self, begun: Begun, work: &Work) -> bool {
        let held: Vec<HoldId> = self
            .conversation
            .holds
            .iter()
            .map(|hold| hold.id.clone())
            .collect();
        self.inputs.clear();
        let Ok((next, applied)) = begun.finish(work) else {
            return false;
        };
        self.conversation = next;
        for effect in &applied.effects {
            self.take(effect);
        }
        let new_holds: Vec<PlannedStep> = self
            .conversation
            .holds
            .iter()
            .filter(|hold| !held.contains(&hold.id))
            .map(|hold| PlannedStep::Hold {
                reason: hold.reason.name().to_owned(),
                sentence: hold.reason.sentence(),
            })
            .collect();
        new_holds.into_iter().for_each(|hold| self.plan(hold));
        true
    }

    fn take(&mut self, effect: &Effect) {
        match effect {
            Effect::Send(message) => {
                let place = Some(self.planned.len());
                self.on_its_way.push((message.id.clone(), place));
                self.send(message);
            }
            Effect::Resend { message } => self.on_its_way.push((message.clone(), None)),
            Effect::Recall { message, why } => {
                let waits = self.on_its_way.iter().position(|(one, _)| one == message);
                if let Some(place) = waits {
                    let (message, planned) = self.on_its_way.remove(place);
                    let planned = planned.and_then(|place| self.planned.get_mut(place)?.take());
                    self.overtaken(planned);
                    let fate = Fate::Withdrawn { why: why.clone() };
                    self.happens(Input::Dispatched { message, fate });
                }
            }
            Effect::NeedSettled { need, outcome } => self.plan(PlannedStep::Ends {
                need: need.clone(),
                outcome: outcome.outcome,
            }),
            Effect::Event {
                need,
                event: NeedEvent::StillWaiting { .. },
            } => self.plan(PlannedStep::Probe { need: need.clone() }),
            _ => {}
        }
    }

    fn send(&mut self, message: &OutboundMessage) {
        let plan = &message.plan;
        let mut questions = Vec::new();
        let mut also: Vec<String> = Vec::new();
        for item in &plan.items {
            let mut asks = |slot: &SlotKey, reminder| {
                questions.push(PlannedQuestion {
                    slot: slot.clone(),
                    reminder,
                });
            };
            let name = match item {
                PlanItem::Question { slot, asked_on, .. } => {
                    asks(slot, asked_on.is_some());
                    continue;
                }
                PlanItem::Confirm { slot, asked_on, .. } => {
                    asks(slot, asked_on.is_some());
                    continue;
                }
                PlanItem::Clarify { slot, asked_on, .. } => {
                    asks(slot, asked_on.is_some());
                    continue;
                }
                PlanItem::Acknowledge { .. } => "acknowledge",
                PlanItem::Answer { .. } => "answer",
                PlanItem::Withdraw { .. } => "withdraw",
                PlanItem::Brief { .. } => "brief",
            };
            if !also.iter().any(|one| one == name) {
                also.push(name.to_owned());
            }
        }
        let rule = rule_of(plan.kind);
        let waits = std::mem::take(&mut self.waits);
        self.planned.push(Some(Planned {
            at: self.now,
            step: PlannedStep::Message {
                kind: plan.kind,
                channel: plan.channel,
                questions,
                also,
            },
            waits: waits
                .into_iter()
                .filter_map(|(waiting, wait)| (waiting == rule).then_some(wait))
                .collect(),
        }));
    }

    fn plan(&mut self, step: PlannedStep) {
        self.planned.push(Some(Planned {
            at: self.now,
            step,
            waits: Vec::new(),
        }));
    }

    /// A message that is not handed over after all has waited for what its successor waited for.
    fn overtaken(&mut self, planned: Option<Planned>) {
        let Some(Planned {
            step: PlannedStep::Message { kind, .. },
            waits,
            ..
        }) = planned
        else {
            return;
        };
        let waits = waits.into_iter().map(|wait| (rule_of(kind), wait));
        self.waits.splice(0..0, waits);
    }

    /// Lets the time pass to `wake`, and notes what each rule that sends waits for meanwhile.
    fn wait(&mut self, wake: Timestamp) {
        let survey = Survey::new(&self.conversation);
        for rule in RULES.iter().filter(|rule| sends(rule.name)) {
            let mut at = self.now;
            for _ in 0..MOST_REASONS {
                let watch = Watch::explaining(at);
                let matches = rule.check(&survey, &watch).is_some();
                let Some(until) = watch.changes_at().filter(|_| !matches) else {
                    break;
                };
                let until = until.min(wake);
                let why = watch.reason();
                match self
                    .waits
                    .iter_mut()
                    .rev()
                    .find(|(one, _)| *one == rule.name)
                {
                    Some((_, last)) if last.why == why => last.until = until,
                    _ => self.waits.push((rule.name, PlannedWait { until, why })),
                }
                if until >= wake {
                    break;
                }
                at = until;
            }
        }
        self.now = wake;
    }

    fn end(&self, phase: &Phase) -> PlanEnd {
        match (phase, &self.conversation.taken_over) {
            (Phase::HandsOff, Some(taken)) => PlanEnd::TakenOver {
                by: taken.by.clone(),
            },
            (Phase::AwaitOperator, _) => PlanEnd::Held {
                why: self
                    .conversation
                    .holds
                    .iter()
                    .filter(|hold| hold.need.is_none())
                    .map(|hold| hold.reason.sentence())
                    .collect(),
            },
            _ => PlanEnd::Done,
        }
    }

    /// Ids in a plan lead nowhere; they only have to differ.
    fn entropy(&mut self) -> Entropy {
        self.drawn += 1;
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&self.drawn.to_be_bytes());
        Entropy(bytes)
    }
}

fn rule_of(kind: MessageKind) -> RuleName {
    match kind {
        MessageKind::Reply => RuleName::Reply,
        MessageKind::Ask => RuleName::Ask,
        MessageKind::FollowUp => RuleName::FollowUp,
    }
}

fn sends(rule: RuleName) -> bool {
    matches!(rule, RuleName::Reply | RuleName::Ask | RuleName::FollowUp)
}

//! What other rules would have decided: a recorded conversation is gone through decision by
//! decision, and each is made once more under another policy, from the state as it really was.
//!
//! So every difference stands by itself. What would have followed from it is not played on: nobody
//! knows what the person would have answered to a message that was never sent.

use crate::{
    conversation::{Conversation, Hold, HoldReason, Owed, ReplyItem},
    effect::{Effect, NeedEvent},
    gate::{SlotJudgement, Verdict},
    input::Input,
    journal::{Operation, Work},
    phase::{Phase, determine_phase, next_wake},
    plan::{MessagePlan, PlanItem, template},
    policy::PolicyChange,
    transition::{self, Applied, Divergence, Opening, WorkOrder, work_order},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A stretch in which nothing was recorded is searched for this many changes of the phase that
/// lead to nothing; what would act does so at the first.
const MOST_LOOKS: usize = 64;

/// One decision that would have been another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// When.
    pub at: Timestamp,
    /// The state that it was decided on.
    pub revision: u64,
    /// What was decided.
    pub was: Vec<String>,
    /// What would have been.
    pub would_be: Vec<String>,
}

/// What is different.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What is laid over each recorded policy; without it, they stand.
    pub policy: Option<PolicyChange>,
    /// Whether this version's templates word every message, whoever worded it then.
    pub templates: bool,
}

/// A conversation that is gone through once more.
#[derive(Clone, Debug)]
pub struct Retrospect {
    state: Conversation,
    alternative: Alternative,
    /// What was said last, so that it is not said again at every input until it is overtaken.
    said: Option<Vec<String>>,
    /// When the last operation was done.
    since: Timestamp,
}

impl Retrospect {
    /// Begins where the conversation began.
    pub fn new(opening: Opening, alternative: Alternative) -> Self {
        Self {
            since: opening.at,
            state: transition::open(opening),
            alternative,
            said: None,
        }
    }

    /// The state as it really was.
    pub fn state(&self) -> &Conversation {
        &self.state
    }

    /// Takes the next operation, and says what would have been different since the one before and
    /// in it. Fails, as a replay does, where the journal does not lead to itself.
    pub fn take(&mut self, operation: &Operation) -> Result<Vec<Difference>, Divergence> {
        let mut found: Vec<Difference> = self.meanwhile(operation.at).into_iter().collect();
        let before = self.state.clone();
        let applied = transition::apply(&mut self.state, operation)?;
        found.extend(self.compare(&before, operation, &applied));
        self.since = operation.at;
        if applied
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Send(_)))
        {
            self.said = None;
        }
        Ok(found)
    }

    /// What would have been done before `until`, where nothing was.
    pub fn meanwhile(&mut self, until: Timestamp) -> Option<Difference> {
        let change = self.alternative.policy.as_ref()?;
        let mut other = self.state.clone();
        other.policy = change.over(&other.policy);
        let (at, phase) = first_action(&other, self.since, until)?;
        // A tick that came a moment late is no difference between policies.
        let really = first_action(&self.state, self.since, until);
        if really.is_some_and(|(then, what)| then <= at && what == phase) {
            return None;
        }
        let would_be = self.decided_by_itself(&other, &phase, at);
        self.say(Difference {
            at,
            revision: self.state.revision,
            was: vec!["waited".to_owned()],
            would_be,
        })
    }

    fn compare(
        &mut self,
        before: &Conversation,
        operation: &Operation,
        applied: &Applied,
    ) -> Option<Difference> {
        let mut other = before.clone();
        let mut inputs = operation.inputs.clone();
        if let Some(change) = &self.alternative.policy {
            other.policy = change.over(&other.policy);
            for stored in &mut inputs {
                if let Input::PolicyChanged(policy) = &mut stored.input {
                    **policy = change.over(policy);
                }
            }
        }
        let Operation {
            at, entropy, phase, ..
        } = operation;
        let again = transition::begin(other.clone(), &inputs, *at, *entropy);
        if again.phase().is_waiting() && phase.is_waiting() {
            return None;
        }
        let was = self.decided(before, &self.state, phase, applied);
        let would_be = if again.phase() == phase {
            let mut work = operation.work.clone();
            if let Work::Draft(draft) = &mut work
                && self.alternative.templates
                && let WorkOrder::Write(plan) = again.work_order()
            {
                **draft = template::render(&plan);
            }
            match again.finish(&work) {
                Ok((after, applied)) => self.decided(&other, &after, phase, &applied),
                Err(divergence) => vec![divergence.to_string()],
            }
        } else {
            self.decided_by_itself(again.conversation(), again.phase(), *at)
        };
        if was == would_be {
            return None;
        }
        self.say(Difference {
            at: operation.at,
            revision: operation.revision,
            was,
            would_be,
        })
    }

    /// Says a difference, unless it is what was said before.
    fn say(&mut self, difference: Difference) -> Option<Difference> {
        if self.said.as_ref() == Some(&difference.would_be) {
            return None;
        }
        self.said = Some(difference.would_be.clone());
        Some(difference)
    }

    /// What an operation decided, in words.
    fn decided(
        &self,
        before: &Conversation,
        after: &Conversation,
        phase: &Phase,
        applied: &Applied,
    ) -> Vec<String> {
        let mut said: Vec<String> = Vec::new();
        for effect in &applied.effects {
            match effect {
                Effect::Send(message) => {
                    said.push(sent(&message.plan));
                    if self.alternative.templates {
                        said.push(format!("worded: {}", message.draft.body.trim_end()));
                    }
                }
                Effect::NeedSettled { need, outcome } => {
                    said.push(format!("need {need} ended {}", outcome.outcome.name()));
                }
                Effect::Event {
                    need,
                    event: NeedEvent::StillWaiting { .. },
                } => said.push(format!("asked the caller of need {need}")),
                Effect::Resend { .. } => said.push("handed a message over again".to_owned()),
                _ => {}
            }
        }
        for judged in applied.judgement.iter().flat_map(|judged| &judged.slots) {
            said.extend(understood(judged));
        }
        let new = |hold: &&Hold| !before.holds.iter().any(|held| held.reason == hold.reason);
        said.extend(
            after
                .holds
                .iter()
                .filter(new)
                .map(|hold| held(&hold.reason)),
        );
        let owed = |item: &&ReplyItem| !before.reply_items.iter().any(|known| known.id == item.id);
        let new = after.reply_items.iter().filter(owed);
        said.extend(new.map(|item| owes(&item.what)));
        if said.is_empty() {
            said.push(done(phase));
        }
        said
    }

    /// What a phase would decide that was not the recorded one, as far as that needs nobody.
    fn decided_by_itself(&self, c: &Conversation, phase: &Phase, at: Timestamp) -> Vec<String> {
        if phase.is_waiting() {
            return vec![match (phase, next_wake(c, at)) {
                (Phase::HandsOff | Phase::AwaitOperator, _) => done(phase),
                (_, Some(until)) => format!("waited until {until}"),
                (_, None) => "waited".to_owned(),
            }];
        }
        match work_order(c, phase, at) {
            WorkOrder::Write(plan) => vec![sent(&plan)],
            WorkOrder::Read(_) | WorkOrder::None => vec![done(phase)],
        }
    }
}

/// The first time in a stretch without inputs at which something is done, and what.
fn first_action(c: &Conversation, from: Timestamp, until: Timestamp) -> Option<(Timestamp, Phase)> {
    let mut at = from;
    for _ in 0..MOST_LOOKS {
        if at >= until {
            return None;
        }
        let phase = determine_phase(c, at);
        if !phase.is_waiting() {
            return Some((at, phase));
        }
        at = next_wake(c, at)?;
    }
    None
}

fn sent(plan: &MessagePlan) -> String {
    let mut asked = Vec::new();
    let mut reminded = Vec::new();
    let mut also = Vec::new();
    for item in &plan.items {
        match item {
            PlanItem::Question {
                slot,
                asked_on: Some(_),
                ..
            } => reminded.push(slot.to_string()),
            PlanItem::Question { slot, .. } => asked.push(slot.to_string()),
            PlanItem::Confirm { slot, .. } => {
                also.push(format!("asked whether it was understood: {slot}"));
            }
            PlanItem::Clarify {
                slot,
                asked_on: Some(_),
                ..
            } => reminded.push(slot.to_string()),
            PlanItem::Clarify { slot, .. } => also.push(format!("asked what was meant: {slot}")),
            PlanItem::Acknowledge { .. } => also.push("thanked".to_owned()),
            PlanItem::Answer { .. } => also.push("passed an answer on".to_owned()),
            PlanItem::Withdraw { .. } => also.push("took a question back".to_owned()),
            PlanItem::Brief { .. } => also.push("told a fact".to_owned()),
        }
    }
    let mut parts = also;
    if !asked.is_empty() {
        parts.push(format!("asked {}", asked.join(", ")));
    }
    if !reminded.is_empty() {
        parts.push(format!("reminded of {}", reminded.join(", ")));
    }
    parts.join("; ")
}

fn understood(SlotJudgement { slot, verdict, .. }: &SlotJudgement) -> Option<String> {
    Some(match verdict {
        Verdict::Accepted { value, .. } => format!("took {slot} = {}", value.plain()),
        Verdict::Unclear { why, .. } => format!("found {slot} unclear: {why}"),
        Verdict::Promised { until, .. } => format!("took a promise for {slot} by {until}"),
        Verdict::Declined { .. } => format!("took {slot} as declined"),
        Verdict::Refused { why } => format!("did not believe {slot}: {why}"),
        Verdict::Silent => return None,
    })
}

fn owes(what: &Owed) -> String {
    match what {
        Owed::Acknowledgement { .. } => "owed thanks".to_owned(),
        Owed::Clarification { slot, .. } => format!("owed a question what was meant: {slot}"),
        Owed::Withdrawal { .. } => "owed word that a question is over".to_owned(),
        _ => "owed a reply".to_owned(),
    }
}

fn held(reason: &HoldReason) -> String {
    format!("held: {}", reason.sentence())
}

/// What a phase does, where it decides nothing that is told by itself.
fn done(phase: &Phase) -> String {
    let said = match phase {
        Phase::ApplyNeedOperations => "applied what callers changed",
        Phase::ExpireNeeds { .. } => "ended needs whose time was up",
        Phase::SettleNeeds { .. } => "ended needs that have what they require",
        Phase::HandsOff => "left it to the operator who has taken over",
        Phase::CatchUp { .. } => "read a transcript",
        Phase::ReadInbox { .. } => "read the inbox",
        Phase::RunQuickActions => "ran an operator's command",
        Phase::TendHolds { .. } => "tended to holds",
        Phase::AwaitOperator => "waited for an operator",
        Phase::EscalateUnreachable => "held: no contact may be used",
        Phase::Reply => "replied",
        Phase::Ask => "asked",
        Phase::FollowUp => "reminded",
        Phase::EscalatePromises => "held: promises were broken",
        Phase::EscalateSilence => "did what silence means",
        Phase::ProbeCaller { .. } => "asked callers whether they still wait",
        Phase::EscalateCaller { .. } => "did what a silent caller means",
        Phase::Wait { .. } | Phase::Idle => "waited",
    };
    said.to_owned()
}

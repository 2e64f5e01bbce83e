//! What happens next: computed from the state and the time, never stored.

mod diagram;
mod rules;
mod survey;
mod watch;

pub use diagram::diagram;
pub use rules::{RULES, Rule, RuleName};
pub use survey::Survey;
pub(crate) use survey::untold_briefs;
pub use watch::Watch;

use crate::{
    conversation::{Conversation, MessageKind},
    id::{HoldId, MessageId, NeedId},
    ladder::Chase,
    need::OutcomeKind,
    sending::{Permission, permission},
    slot::SlotKey,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What happens next with a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Take registrations and cancellations into the state.
    ApplyNeedOperations,
    /// End needs whose time is up.
    ExpireNeeds {
        /// Which.
        needs: Vec<NeedId>,
    },
    /// End needs that have what they require, or never will.
    SettleNeeds {
        /// Which, and how.
        needs: Vec<(NeedId, OutcomeKind)>,
    },
    /// An operator has taken over: nothing is read or sent.
    HandsOff,
    /// Read an earlier transcript.
    CatchUp {
        /// The need that brought it.
        need: NeedId,
    },
    /// Read what waits in the inbox.
    ReadInbox {
        /// Which messages.
        messages: Vec<MessageId>,
    },
    /// Run operators' commands.
    RunQuickActions,
    /// Do what the time has come for with holds.
    TendHolds {
        /// Snoozes that are over.
        lift: Vec<HoldId>,
        /// Holds that nobody has attended to for too long.
        escalate: Vec<HoldId>,
    },
    /// A hold stands: wait for a human.
    AwaitOperator,
    /// There is something to say and nobody to say it to: pause.
    EscalateUnreachable,
    /// Send what the last words of the person call for.
    Reply,
    /// Ask what was never asked.
    Ask,
    /// Ask again.
    FollowUp,
    /// What was promised twice did not come: ask an operator.
    EscalatePromises,
    /// All reminders went unanswered: do what the ladder says.
    EscalateSilence,
    /// Ask callers whether they still wait.
    ProbeCaller {
        /// For which needs.
        needs: Vec<NeedId>,
    },
    /// Callers did not answer: do what the policy says.
    EscalateCaller {
        /// For which needs.
        needs: Vec<NeedId>,
    },
    /// Nothing, until then.
    Wait {
        /// The first instant at which that changes.
        until: Timestamp,
    },
    /// Nothing, until something arrives.
    Idle,
}

impl Phase {
    /// Whether there is nothing to do in it but wait.
    pub fn is_waiting(&self) -> bool {
        matches!(
            self,
            Self::HandsOff | Self::AwaitOperator | Self::Wait { .. } | Self::Idle
        )
    }
}

/// Says what happens next. Pure; the first rule of [`RULES`] that matches wins.
pub fn determine_phase(conversation: &Conversation, now: Timestamp) -> Phase {
    phase_of(&Survey::new(conversation), now)
}

/// The first instant after `now` at which [`determine_phase`] would answer differently if nothing
/// arrived; none when it never would.
pub fn next_wake(conversation: &Conversation, now: Timestamp) -> Option<Timestamp> {
    wake_of(&Survey::new(conversation), now)
}

/// When the conversation is due again: now, if there is something to do now.
pub fn due_at(conversation: &Conversation, now: Timestamp) -> Option<Timestamp> {
    let survey = Survey::new(conversation);
    if phase_of(&survey, now).is_waiting() {
        wake_of(&survey, now)
    } else {
        Some(now)
    }
}

/// The answer of [`determine_phase`] with every rule and why it did or did not match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The instant that it is about.
    pub at: Timestamp,
    /// The phase.
    pub phase: Phase,
    /// When that changes if nothing arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_wake: Option<Timestamp>,
    /// Every rule, in order.
    pub rules: Vec<Finding>,
    /// Whether a message of each kind may be sent, and if not, why and until when.
    #[serde(default)]
    pub sending: Vec<SendingFinding>,
    /// What the ladder says of every question that is open and required.
    #[serde(default)]
    pub questions: Vec<QuestionFinding>,
}

/// Whether a message of one kind may be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendingFinding {
    /// The kind.
    pub kind: MessageKind,
    /// Whether it may be sent.
    #[serde(flatten)]
    pub permission: Permission,
}

/// What comes next for one open question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionFinding {
    /// The slot.
    pub slot: SlotKey,
    /// What comes next.
    #[serde(flatten)]
    pub chase: Chase,
}

/// What one rule finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: RuleName,
    /// Whether it matches.
    pub matches: bool,
    /// Whether it is the one that wins.
    pub wins: bool,
    /// Why, in a sentence.
    pub why: String,
    /// When its finding may change if nothing arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Explains [`determine_phase`].
pub fn explain(conversation: &Conversation, now: Timestamp) -> Explanation {
    let survey = Survey::new(conversation);
    let mut won = false;
    let rules = RULES
        .iter()
        .map(|rule| {
            let watch = Watch::explaining(now);
            let matches = rule.check(&survey, &watch).is_some();
            let wins = matches && !won;
            won |= matches;
            Finding {
                rule: rule.name,
                matches,
                wins,
                why: watch.reason(),
                until: watch.changes_at(),
            }
        })
        .collect();
    Explanation {
        at: now,
        phase: phase_of(&survey, now),
        next_wake: wake_of(&survey, now),
        rules,
        sending: [MessageKind::Reply, MessageKind::Ask, MessageKind::FollowUp]
            .into_iter()
            .map(|kind| SendingFinding {
                kind,
                permission: permission(&survey, kind, &Watch::new(now)),
            })
            .collect(),
        questions: survey
            .chases()
            .iter()
            .map(|(slot, chase)| QuestionFinding {
                slot: (*slot).clone(),
                chase: *chase,
            })
            .collect(),
    }
}

fn phase_of(survey: &Survey<'_>, now: Timestamp) -> Phase {
    let watch = Watch::new(now);
    first_match(survey, &watch).unwrap_or_else(|| match next_change(survey, &watch, None) {
        Some(until) => Phase::Wait { until },
        None => Phase::Idle,
    })
}

fn wake_of(survey: &Survey<'_>, now: Timestamp) -> Option<Timestamp> {
    let watch = Watch::new(now);
    let phase = first_match(survey, &watch);
    next_change(survey, &watch, phase.as_ref())
}

fn first_match(survey: &Survey<'_>, watch: &Watch) -> Option<Phase> {
    RULES.iter().find_map(|rule| rule.check(survey, watch))
}

/// The first instant at which another phase matches than `phase`, which `watch` saw the rules find.
fn next_change(survey: &Survey<'_>, watch: &Watch, phase: Option<&Phase>) -> Option<Timestamp> {
    /// A threshold that changes nothing is passed over; after this many an early wake, which only
    /// looks again, is cheaper than looking further.
    const MOST_PASSED_OVER: usize = 64;

    let mut change = watch.changes_at()?;
    for _ in 0..MOST_PASSED_OVER {
        let later = Watch::new(change);
        if first_match(survey, &later).as_ref() != phase {
            return Some(change);
        }
        change = later.changes_at()?;
    }
    Some(change)
}

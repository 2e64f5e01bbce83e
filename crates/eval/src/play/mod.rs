//! The player: it moves the clock from one thing that happens to the next, and lets the engine work
//! at each.

mod office;
mod outside;

use crate::{
    scenario::{Act, Scenario, Step},
    tale::Tale,
};
use jiff::Timestamp;
use liaison_core::{journal, policy::Wait};
use liaison_ports::{
    language::{FormFiller, Writer},
    store::{Store, StoreError},
};
use office::Office;
pub(crate) use office::RegisteredNeed;
use std::sync::Arc;

/// Who plays, beside the engine.
#[derive(Clone)]
pub struct Cast {
    /// Where everything is kept; empty at the beginning.
    pub store: Arc<dyn Store>,
    /// Who reads. For the same transcript each time it must be deterministic.
    pub reader: Arc<dyn FormFiller>,
    /// Who words messages.
    pub writer: Arc<dyn Writer>,
}

/// Why a scenario could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayFault {
    /// The API refused what a step asked of it.
    #[error("line {line}: the API refuses this step: {problem}")]
    Refused {
        /// The step's line.
        line: usize,
        /// What it says.
        problem: String,
    },
    /// A step makes no sense where it stands.
    #[error("line {line}: {detail}")]
    Step {
        /// The step's line.
        line: usize,
        /// Why not.
        detail: String,
    },
    /// What a step waits for never happened.
    #[error("line {line}: what this step waits for never happened; so far:\n\n{transcript}")]
    NeverHappened {
        /// The step's line.
        line: usize,
        /// What did happen.
        transcript: String,
    },
    /// It ended otherwise than the scenario says.
    #[error("line {line}: it does not end as [expect] says: {}", .otherwise.join("; "))]
    EndsOtherwise {
        /// The line of the expectation.
        line: usize,
        /// What is otherwise, one sentence each.
        otherwise: Vec<String>,
        /// What happened, to its end.
        transcript: String,
    },
    /// Time went on and on.
    #[error("there is no end to it by {at}, after {wakes} looks")]
    NoEnd {
        /// The virtual instant.
        at: Timestamp,
        /// How often the engine was woken.
        wakes: usize,
    },
    /// A conversation was set aside.
    #[error("a conversation was set aside: {0}")]
    SetAside(String),
    /// The journal does not give what is stored.
    #[error("the journal does not give the stored conversation: {0}")]
    Diverged(String),
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
}

/// Plays a scenario to its end and gives its transcript.
pub async fn play(scenario: &Scenario, cast: Cast) -> Result<String, PlayFault> {
    let office = Office::open(scenario, cast).await?;
    let mut player = Player {
        tale: Tale::new(scenario),
        scenario,
        office,
        next: 0,
        before: scenario.starts,
        runs: true,
    };
    player.play_on().await?;
    player.ends_well().await?;
    let otherwise = scenario
        .expected
        .as_ref()
        .map(|expected| (expected.line, player.tale.otherwise(expected)));
    let transcript = player.tale.finish(player.office.now());
    match otherwise {
        Some((line, otherwise)) if !otherwise.is_empty() => Err(PlayFault::EndsOtherwise {
            line,
            otherwise,
            transcript,
        }),
        _ => Ok(transcript),
    }
}

struct Player<'a> {
    scenario: &'a Scenario,
    office: Office,
    tale: Tale,
    /// The next step.
    next: usize,
    /// When the step before it happened.
    before: Timestamp,
    /// Whether the daemon runs.
    runs: bool,
}

impl<'a> Player<'a> {
    async fn play_on(&mut self) -> Result<(), PlayFault> {
        /// More than any story of some weeks has.
        const MOST_WAKES: usize = 20_000;
        /// No deadline is later.
        const LONGEST: Wait = Wait::days(3 * 366);

        let end = LONGEST.after(self.scenario.starts);
        for _ in 0..MOST_WAKES {
            let step = self.next_step()?;
            let wake = match self.runs {
                true => self.office.next_due().await?,
                false => None,
            };
            let step_is_next = match (&step, wake) {
                (Some((at, _)), Some(wake)) => *at <= wake,
                (step, _) => step.is_some(),
            };
            let at = match (&step, wake) {
                (Some((at, _)), _) if step_is_next => *at,
                (_, Some(wake)) => wake,
                _ => return self.nothing_comes(),
            };
            if at > end {
                break;
            }
            if step.is_none() && self.next == self.scenario.steps.len() && self.is_over(at)? {
                return Ok(());
            }
            self.office.clock_to(at);
            match step {
                Some((_, step)) if step_is_next => {
                    self.next += 1;
                    self.before = at;
                    self.happens(step).await?;
                }
                _ => {}
            }
            if self.runs {
                self.office.engine.run_until_quiet().await;
                self.watch().await?;
            }
        }
        Err(PlayFault::NoEnd {
            at: self.office.now(),
            wakes: MOST_WAKES,
        })
    }

    /// The next step, and when it happens; none when there is none, or when what it waits for has
    /// not happened.
    fn next_step(&self) -> Result<Option<(Timestamp, &'a Step)>, PlayFault> {
        let Some(step) = self.scenario.steps.get(self.next) else {
            return Ok(None);
        };
        let zone = self.scenario.clock_of(step);
        let happened = self.tale.happened(step.act.person(self.scenario));
        let at = step
            .at
            .instant(self.before, zone, &happened)
            .map_err(|error| PlayFault::Step {
                line: step.line,
                detail: error.to_string(),
            })?;
        match at {
            Some(at) if at < self.before => Err(PlayFault::Step {
                line: step.line,
                detail: format!(
                    "this is before the step before it, which happened at {}",
                    self.before
                ),
            }),
            // What it is counted from may itself have come late, after a week without a daemon.
            Some(at) => Ok(Some((at.max(self.office.now()), step))),
            None => Ok(None),
        }
    }

    /// Whether the scenario, whose steps have all happened, is broken off before `at`.
    fn is_over(&self, at: Timestamp) -> Result<bool, PlayFault> {
        let Some(ends) = &self.scenario.ends else {
            return Ok(false);
        };
        let fault = |detail: String| PlayFault::Step {
            line: ends.line,
            detail: format!("ends: {detail}"),
        };
        let instant = ends
            .at
            .instant(self.before, &self.scenario.zone, &self.tale.happened(None))
            .map_err(|error| fault(error.to_string()))?;
        match instant {
            Some(instant) if instant < self.before => Err(fault(format!(
                "this is before the last step, which happened at {}",
                self.before
            ))),
            instant => Ok(instant.is_some_and(|instant| instant < at)),
        }
    }

    fn nothing_comes(&self) -> Result<(), PlayFault> {
        match self.scenario.steps.get(self.next) {
            Some(step) => Err(PlayFault::NeverHappened {
                line: step.line,
                transcript: self.tale.so_far(),
            }),
            // Nothing is left to break off; but `ends` must make sense all the same.
            None => self.is_over(self.office.now()).map(drop),
        }
    }

    async fn happens(&mut self, step: &Step) -> Result<(), PlayFault> {
        let at = self.office.now();
        self.tale.step(at, step, self.scenario);
        match &step.act {
            Act::Register { need } => {
                let registered = self.office.register(step, need, self.scenario).await?;
                self.tale.registered(need, registered);
            }
            Act::Caller { need, does } => self.office.caller(step, need, does).await?,
            Act::Mail(mail) => {
                if !self.runs {
                    self.office.mail_waits(mail, at);
                } else if let Some(why) = self.office.mail(mail, at).await? {
                    self.tale.aside(&why);
                }
            }
            Act::Operator {
                by,
                does,
                about,
                with,
            } => {
                let refused = self.office.command(step, by, does, about, with).await;
                self.with_names(refused)?;
            }
            Act::Bounce {
                person,
                says,
                for_good,
            } => self.office.bounce(step, person, says, *for_good).await?,
            Act::Deliveries(deliveries) => self.office.deliveries(deliveries),
            Act::ReaderFails(times) => self.office.reader_fails(*times),
            Act::Daemon { runs } => {
                self.runs = *runs;
                if self.runs {
                    for why in self.office.mail_comes_in().await? {
                        self.tale.aside(&why);
                    }
                }
            }
            Act::Policy(policy) => self.office.policy_is(policy),
            Act::Nothing => {}
        }
        Ok(())
    }

    fn with_names(&self, refused: Result<(), PlayFault>) -> Result<(), PlayFault> {
        refused.map_err(|fault| match fault {
            PlayFault::Refused { line, problem } => PlayFault::Refused {
                line,
                problem: self.tale.named(&problem),
            },
            other => other,
        })
    }

    /// Tells what the engine did.
    async fn watch(&mut self) -> Result<(), PlayFault> {
        let now = self.office.now();
        for (conversation, person) in self.office.conversations() {
            let seen = self.tale.seen(&conversation);
            let Some(page) = self.office.journal(&conversation, seen).await? else {
                continue;
            };
            self.tale
                .operations(&conversation, &person, page, now)
                .map_err(|fault| PlayFault::Diverged(fault.to_string()))?;
        }
        Ok(())
    }

    /// Checks that nothing was set aside, and that the journal gives what is stored.
    async fn ends_well(&mut self) -> Result<(), PlayFault> {
        for (conversation, _) in self.office.conversations() {
            let Some(row) = self.office.conversation(&conversation).await? else {
                continue;
            };
            if let Some(why) = row.quarantined {
                return Err(PlayFault::SetAside(why));
            }
            let Some(page) = self.office.journal(&conversation, 0).await? else {
                continue;
            };
            let operations = page.operations.into_iter().map(|row| row.operation);
            let replayed = journal::replay(page.opening, operations)
                .map_err(|divergence| PlayFault::Diverged(divergence.to_string()))?;
            if replayed != row.document {
                return Err(PlayFault::Diverged(format!("conversation {conversation}")));
            }
        }
        self.tale.unmatched(self.office.unmatched().await?);
        Ok(())
    }
}

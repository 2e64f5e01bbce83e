//! `kill -9` in a loop: the real binary in real time, killed at seeded moments of the exchange,
//! most often around the hand-over of a message, and started again. Whatever happens, one question
//! reaches the person, their reply counts, and the workflow gets one outcome.
//!
//! `LIAISON_KILL_RUNS` says how many runs (50), `LIAISON_KILL_SEED` where the seeds begin (0): a
//! seed that failed is played again with `LIAISON_KILL_SEED=<seed> LIAISON_KILL_RUNS=1`.

mod daemon;
mod exchange;
mod mail;
mod plan;
mod verdict;
mod wire;

use self::{exchange::Told, plan::Stage};
use liaison_core::policy::UnknownSend;
use std::{collections::BTreeMap, sync::Arc};
use tokio::{sync::Semaphore, task::JoinSet};

/// As many as the promise is checked with, at least.
const RUNS: u64 = 50;

/// Runs at a time: each mostly waits.
const AT_A_TIME: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_it_asks_once_and_loses_nothing() {
    let runs = number("LIAISON_KILL_RUNS").unwrap_or(RUNS);
    let tally = many(runs, UnknownSend::Hold).await;
    if runs >= RUNS {
        for stage in Stage::ALL {
            assert!(
                tally.kills.contains_key(&stage),
                "no run was killed at {stage:?}: {tally:?}"
            );
        }
        assert!(
            tally.had_gone > 0 && tally.had_not_gone > 0,
            "no message was left of unknown fate, one way and the other: {tally:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_policy_says_resend_the_copies_are_one_message_to_every_mail_program() {
    let runs = number("LIAISON_KILL_RUNS").unwrap_or(RUNS).div_ceil(4);
    let tally = many(runs, UnknownSend::Resend).await;
    if runs >= RUNS.div_ceil(4) {
        assert!(
            tally.second_copies > 0,
            "nothing was sent a second time: {tally:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn told_to_stop_it_stops_in_time_with_success_and_carries_on_afterwards() {
    // A process that is only starting does not know signals yet.
    for stage in Stage::ALL.into_iter().filter(|s| *s != Stage::Starting) {
        let told = exchange::stopped_kindly(stage)
            .await
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(told.kills, [stage]);
        assert_eq!(
            (told.had_gone, told.had_not_gone),
            (0, 0),
            "at {stage:?} a message was left of unknown fate"
        );
        assert_eq!(told.thanks, 1, "at {stage:?} the thanks were lost");
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a whole number"))
}

/// What happened in all runs together.
#[derive(Debug, Default)]
struct Tally {
    kills: BTreeMap<Stage, u32>,
    had_gone: u32,
    had_not_gone: u32,
    second_copies: u32,
    thanks: u32,
}

impl Tally {
    fn add(&mut self, told: Told) {
        for stage in told.kills {
            *self.kills.entry(stage).or_default() += 1;
        }
        self.had_gone += told.had_gone;
        self.had_not_gone += told.had_not_gone;
        self.second_copies += told.second_copies;
        self.thanks += told.thanks;
    }
}

async fn many(runs: u64, unknown_send: UnknownSend) -> Tally {
    let first = number("LIAISON_KILL_SEED").unwrap_or(0);
    let places = Arc::new(Semaphore::new(AT_A_TIME));
    let mut running = JoinSet::new();
    for seed in first..first + runs {
        let places = places.clone();
        running.spawn(async move {
            let _place = places.acquire_owned().await.expect("it is never closed");
            exchange::play(seed, unknown_send).await
        });
    }
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    while let Some(ended) = running.join_next().await {
        match ended.expect("a run reports its failure") {
            Ok(told) => tally.add(told),
            Err(failure) => {
                eprintln!("{failure}");
                failed.push(failure);
            }
        }
    }
    eprintln!("{runs} runs, unknown_send = {unknown_send:?}: {tally:#?}");
    assert!(
        failed.is_empty(),
        "{} of {runs} runs failed; the first: {}",
        failed.len(),
        failed[0]
    );
    tally
}

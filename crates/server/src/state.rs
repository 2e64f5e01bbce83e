//! What the server is given, and what it keeps for itself.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{Ids, NeedId, TenantId},
    policy::Policy,
};
use liaison_ports::{
    clock::{Clock, EntropySource},
    inbound::{Intake, MailDecoder},
    store::Store,
};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::{Semaphore, watch};

/// What the server needs of the rest of the daemon.
#[derive(Clone)]
pub struct AppState {
    /// What is kept.
    pub store: Arc<dyn Store>,
    /// The present instant.
    pub clock: Arc<dyn Clock>,
    /// Where new ids come from.
    pub entropy: Arc<dyn EntropySource>,
    /// Takes mail that is handed in.
    pub intake: Arc<dyn Intake>,
    /// Reads mail that is handed in.
    pub decoder: Arc<dyn MailDecoder>,
    /// Tells of commits, and is told of inputs.
    pub changes: Arc<dyn Changes>,
    /// A tenant's rules, for the conversations that it opens.
    pub policies: Policies,
    /// How much at once, how long.
    pub limits: Limits,
    /// Whether the daemon is up.
    pub readiness: Readiness,
}

impl fmt::Debug for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppState")
            .field("limits", &self.limits)
            .field("readiness", &self.readiness.stage())
            .finish_non_exhaustive()
    }
}

/// Finds a tenant's rules.
pub type Policies = Arc<dyn Fn(&TenantId) -> Policy + Send + Sync>;

/// The engine, as far as the server must know it.
#[async_trait]
pub trait Changes: Send + Sync + 'static {
    /// Returns soon after this process commits something about `need`, at `until` at the latest.
    /// It may return for no reason. Interest counts from the first time that the future is polled:
    /// a commit after that is not missed.
    async fn changed(&self, need: &NeedId, until: Timestamp);

    /// An input was stored: there is something to do.
    fn inputs_arrived(&self);
}

/// Bounds on what the server does at once. The defaults suit one small machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests that may wait for an outcome at once; further ones get 503. Each holds a socket
    /// and reads the store once a second, so a thousand of them cost a thousand small reads a
    /// second and most of the usual 1,024 file descriptors.
    pub waiting: usize,
    /// Messages that may be handed in at once; further ones wait. Each may hold 25 MB, and as much
    /// again while it is decoded.
    pub inbound: usize,
    /// How long a request may take. It must be longer than the longest wait for an outcome.
    pub request: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            waiting: 1_000,
            inbound: 4,
            request: Duration::from_secs(liaison_api::LONGEST_WAIT_SECONDS + 30),
        }
    }
}

/// Whether the daemon is up; shared between its parts.
#[derive(Clone, Debug)]
pub struct Readiness(Arc<watch::Sender<Stage>>);

/// A stage of the daemon's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is not ready yet.
    Starting,
    /// It is ready.
    Serving,
    /// It is about to end: requests that wait for an outcome are answered at once.
    Closing,
}

impl Readiness {
    /// A daemon in this stage.
    pub fn new(stage: Stage) -> Self {
        Self(Arc::new(watch::Sender::new(stage)))
    }

    /// Enters a stage.
    pub fn enter(&self, stage: Stage) {
        self.0.send_replace(stage);
    }

    /// The present stage.
    pub fn stage(&self) -> Stage {
        *self.0.borrow()
    }

    /// Returns when the daemon is about to end.
    pub(crate) async fn closing(&self) {
        let mut stages = self.0.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = stages.wait_for(|stage| *stage == Stage::Closing).await;
    }
}

/// The server's own state.
pub(crate) struct App {
    pub(crate) outside: AppState,
    pub(crate) waiting: Semaphore,
    pub(crate) inbound: Semaphore,
    /// When callers were last heard from, so that the store is not asked to write that again.
    seen: Mutex<HashMap<NeedId, i64>>,
}

impl App {
    /// With more needs than this it begins anew: the store's own dedupe does the work then. Ids have
    /// 36 bytes: a megabyte.
    const MOST_SEEN: usize = 10_000;

    pub(crate) fn new(outside: AppState) -> Self {
        Self {
            waiting: Semaphore::new(outside.limits.waiting),
            inbound: Semaphore::new(outside.limits.inbound),
            seen: Mutex::default(),
            outside,
        }
    }

    /// The present instant, in the microseconds that are stored.
    pub(crate) fn now(&self) -> Timestamp {
        micros(self.outside.clock.now())
    }

    /// A source of new ids.
    pub(crate) fn ids(&self) -> Ids {
        Ids::new(self.now(), self.outside.entropy.draw())
    }

    /// Whether this is the first time in this stretch of time that the need's caller is heard from,
    /// as far as this process knows.
    pub(crate) fn first_in(&self, stretch: i64, need: &NeedId) -> bool {
        let mut seen = self
            .seen
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if seen.get(need) == Some(&stretch) {
            return false;
        }
        if seen.len() >= Self::MOST_SEEN {
            seen.clear();
        }
        seen.insert(need.clone(), stretch);
        true
    }
}

/// Cuts an instant to the microseconds that are stored, so that what is answered now is what is
/// read later.
pub(crate) fn micros(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}

//! The engine: it claims conversations that are due, does one operation after another until they
//! wait, hands what was decided to transports, and takes in what arrives.
//!
//! It decides nothing. What happens next is [`liaison_core::phase::determine_phase`]'s answer, what
//! changes is [`liaison_core::transition::apply`]'s, and what is kept is the store's. The engine
//! brings the three together, and is the only place where a failure is turned into "later".

mod claims;
mod dispatch;
mod hub;
mod intake;
mod operation;
mod outward;
mod schedule;
mod worker;

pub use hub::{Hub, NeedWatch};
pub use intake::EngineIntake;
pub use schedule::{Tick, TickFault};

use jiff::{SignedDuration, Timestamp};
use liaison_core::{id::TenantId, policy::Policy, stakeholder::Channel};
use liaison_ports::{
    clock::{Clock, EntropySource},
    language::{FormFiller, Writer},
    store::Store,
    transport::Transport,
};
use std::{collections::HashMap, num::NonZeroU32, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How often, and how many times, what must not get lost is offered to a store that cannot be
/// written: a full disk, a lock held by somebody else. Together it is as long as a lease: after
/// that the store's own rules for a dead process apply.
pub(crate) const STORE_TRIES_EVERY: Duration = Duration::from_secs(5);
pub(crate) const MOST_STORE_TRIES: u32 = 240;

/// Everything the engine works with.
#[derive(Clone)]
pub struct Parts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where randomness comes from.
    pub entropy: Arc<dyn EntropySource>,
    /// Who reads.
    pub reader: Arc<dyn FormFiller>,
    /// Who words messages.
    pub writer: Arc<dyn Writer>,
    /// Who carries messages, for each tenant and channel.
    pub transports: HashMap<(TenantId, Channel), Arc<dyn Transport>>,
    /// A tenant's present rules.
    pub policies: Arc<dyn Fn(&TenantId) -> Policy + Send + Sync>,
}

impl Parts {
    fn transport(&self, tenant: &TenantId, channel: Channel) -> Option<&Arc<dyn Transport>> {
        self.transports.get(&(tenant.clone(), channel))
    }
}

/// How much the engine does at once, and for how long its claims stand.
#[derive(Clone, Debug)]
pub struct Limits {
    /// This process's name among those that share the store.
    pub owner: String,
    /// Conversations worked on at once. Each may hold one model call.
    pub conversations: NonZeroU32,
    /// Messages handed over at once, so connections to the mail server.
    pub deliveries: NonZeroU32,
    /// How long a claim stands. Longer than the longest model call and the longest hand-over
    /// together with their retries, so that only a dead process loses one.
    pub lease: SignedDuration,
}

impl Limits {
    /// The usual limits.
    pub fn new(owner: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            conversations: NonZeroU32::new(64).unwrap_or(NonZeroU32::MIN),
            deliveries: NonZeroU32::new(16).unwrap_or(NonZeroU32::MIN),
            lease: SignedDuration::from_mins(20),
        }
    }

    fn lease_until(&self, now: Timestamp) -> Timestamp {
        now.checked_add(self.lease).unwrap_or(Timestamp::MAX)
    }
}

/// The engine.
#[derive(Clone)]
pub struct Engine {
    parts: Parts,
    limits: Limits,
    hub: Hub,
}

impl Engine {
    /// An engine that does nothing yet.
    pub fn new(parts: Parts, limits: Limits) -> Self {
        Self {
            parts,
            limits,
            hub: Hub::default(),
        }
    }

    /// Where the engine is told that there is work, and tells who waits for a need.
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// What takes inbound messages.
    pub fn intake(&self) -> EngineIntake {
        EngineIntake::new(self.parts.clone(), self.hub.clone())
    }

    /// Works until `shutdown`; then finishes what is under way, and returns.
    pub async fn run(&self, shutdown: CancellationToken) {
        tokio::join!(
            worker::run(self, shutdown.clone()),
            dispatch::run(self, shutdown.clone()),
        );
    }

    /// Works off everything that is due at the clock's present instant, operations and deliveries
    /// in turn, until nothing is. For tests and simulations; a daemon calls [`Engine::run`].
    pub async fn run_until_quiet(&self) {
        /// A conversation that needs more rounds than this at one instant would need them for ever.
        const MOST_ROUNDS: usize = 1_000;

        for _ in 0..MOST_ROUNDS {
            let worked = worker::round(self).await;
            let delivered = dispatch::round(self).await;
            // Looking for messages may have found one that a dead dispatcher left, and made an input
            // of that.
            if worked + delivered == 0 && worker::round(self).await == 0 {
                return;
            }
        }
        tracing::error!(rounds = MOST_ROUNDS, "there is no end to the work");
    }
}

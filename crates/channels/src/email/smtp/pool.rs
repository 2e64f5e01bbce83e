//! Connections that are kept for the next message.

use super::{Settings, session::Session};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};

/// Servers close what has been quiet for some minutes; half a minute spans a burst.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// At most as many connections as configured, the idle ones kept for a while.
pub(super) struct Pool {
    settings: Settings,
    places: Semaphore,
    /// The one put back last is at the end.
    idle: Mutex<Vec<(Session, Instant)>>,
}

impl Pool {
    pub(super) fn new(settings: Settings, connections: usize) -> Self {
        Self {
            settings,
            places: Semaphore::new(connections.min(Semaphore::MAX_PERMITS)),
            idle: Mutex::default(),
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Waits until one more connection may be used. Idle ones are not counted: there are never
    /// more of them than places not taken.
    pub(super) async fn place(&self) -> SemaphorePermit<'_> {
        self.places
            .acquire()
            .await
            .expect("the semaphore is never closed")
    }

    /// A connection that was used a short while ago.
    pub(super) fn kept(&self) -> Option<Session> {
        let now = now();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(_, since)| now.duration_since(*since) < KEPT_FOR);
        idle.pop().map(|(session, _)| session)
    }

    pub(super) fn keep(&self, session: Session) {
        let now = now();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(_, since)| now.duration_since(*since) < KEPT_FOR);
        idle.push((session, now));
    }

    /// Keeps a connection on which the server refused a message, if it goes on from there.
    pub(super) async fn keep_if_reset(&self, mut session: Session) {
        if session.reset(&self.settings).await {
            self.keep(session);
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a socket has been idle is the machine's time, and decides nothing else"
)]
fn now() -> Instant {
    Instant::now()
}

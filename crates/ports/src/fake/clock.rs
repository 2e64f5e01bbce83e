//! A clock that moves when it is told to.

use crate::clock::Clock;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// A clock that shows what it was set to. Whoever sleeps wakes when the clock reaches the instant.
#[derive(Debug)]
pub struct VirtualClock {
    now: watch::Sender<Timestamp>,
    sleeping: Mutex<BTreeMap<Timestamp, usize>>,
}

impl VirtualClock {
    /// A clock that shows `now`.
    pub fn new(now: Timestamp) -> Self {
        Self {
            now: watch::Sender::new(now),
            sleeping: Mutex::default(),
        }
    }

    /// Moves the clock by `duration`, which may be negative, and returns what it shows then.
    ///
    /// # Panics
    ///
    /// When that is beyond the instants that there are.
    pub fn advance(&self, duration: SignedDuration) -> Timestamp {
        self.now.send_modify(|now| {
            *now = now
                .checked_add(duration)
                .expect("a virtual clock is not moved beyond the year 9999");
        });
        self.now()
    }

    /// Sets the clock, in either direction.
    pub fn set(&self, instant: Timestamp) {
        self.now.send_replace(instant);
    }

    /// The earliest instant that somebody sleeps for, if anybody does. A simulation that has
    /// nothing to do until then sets the clock to it.
    pub fn next_sleeper(&self) -> Option<Timestamp> {
        self.sleeping().keys().next().copied()
    }

    fn sleeping(&self) -> MutexGuard<'_, BTreeMap<Timestamp, usize>> {
        self.sleeping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    async fn sleep_until(&self, instant: Timestamp) {
        let mut now = self.now.subscribe();
        if *now.borrow_and_update() >= instant {
            return;
        }
        let _sleeper = Sleeper::enter(self, instant);
        now.wait_for(|now| *now >= instant)
            .await
            .expect("the sender lives in this clock");
    }
}

/// One who sleeps; leaves the list also when its task goes away.
struct Sleeper<'a> {
    clock: &'a VirtualClock,
    until: Timestamp,
}

impl<'a> Sleeper<'a> {
    fn enter(clock: &'a VirtualClock, until: Timestamp) -> Self {
        *clock.sleeping().entry(until).or_default() += 1;
        Self { clock, until }
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        let mut sleeping = self.clock.sleeping();
        if let Some(count) = sleeping.get_mut(&self.until) {
            *count -= 1;
            if *count == 0 {
                sleeping.remove(&self.until);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);

    #[tokio::test]
    async fn sleepers_wake_when_the_clock_reaches_their_instant_and_not_before() {
        let start = Timestamp::UNIX_EPOCH;
        let clock = Arc::new(VirtualClock::new(start));
        let sleep = |hours| {
            let clock = Arc::clone(&clock);
            tokio::spawn(async move { clock.sleep_until(start + HOUR * hours).await })
        };
        let (first, second) = (sleep(1), sleep(2));
        while clock.sleeping().len() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(clock.next_sleeper(), Some(start + HOUR));

        clock.advance(HOUR);
        first.await.expect("wakes");
        assert!(!second.is_finished());
        assert_eq!(clock.next_sleeper(), Some(start + HOUR * 2));

        clock.set(start + HOUR * 3);
        second.await.expect("wakes");
        assert_eq!(clock.next_sleeper(), None);
        clock.sleep_until(start + HOUR * 3).await;
    }

    #[tokio::test]
    async fn a_sleeper_that_goes_away_is_forgotten() {
        let clock = Arc::new(VirtualClock::new(Timestamp::UNIX_EPOCH));
        let sleeping = Arc::clone(&clock);
        let task = tokio::spawn(async move { sleeping.sleep_until(Timestamp::MAX).await });
        while clock.next_sleeper().is_none() {
            tokio::task::yield_now().await;
        }
        task.abort();
        assert!(task.await.expect_err("was aborted").is_cancelled());
        assert_eq!(clock.next_sleeper(), None);
    }
}

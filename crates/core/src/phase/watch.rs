//! Looking at the clock, and noting when another look would show something else.

use jiff::Timestamp;
use std::cell::{Cell, RefCell};

/// The present instant, for a rule that is being checked.
///
/// A rule may compare the time only through a watch. Every instant that it waits for is noted, so
/// that whatever the rule computes stays the same until the earliest of them: up to there, each
/// comparison gives the same answer, hence the same path is taken and the same instants are asked
/// for. That is why [`super::next_wake`] needs no knowledge of any rule.
#[derive(Debug)]
pub struct Watch {
    now: Timestamp,
    changes_at: Cell<Option<Timestamp>>,
    reason: Option<RefCell<String>>,
}

impl Watch {
    /// A watch that shows `now`.
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            changes_at: Cell::new(None),
            reason: None,
        }
    }

    /// A watch that also collects reasons.
    pub(crate) fn explaining(now: Timestamp) -> Self {
        Self {
            reason: Some(RefCell::default()),
            ..Self::new(now)
        }
    }

    /// Whether `instant` has come. It must not itself depend on the present instant.
    pub fn reached(&self, instant: Timestamp) -> bool {
        let reached = self.now >= instant;
        if !reached {
            self.note(instant);
        }
        reached
    }

    /// Shows the instant to a function that answers the same until the instant it returns with,
    /// like the opening of quiet hours.
    pub fn ask<T>(&self, look: impl FnOnce(Timestamp) -> (T, Option<Timestamp>)) -> T {
        let (answer, until) = look(self.now);
        if let Some(until) = until {
            self.note(until);
        }
        answer
    }

    /// Says why the rule that is being checked finds what it finds. The sentence is only made when
    /// somebody wants to read it; the last one said counts.
    pub fn say(&self, sentence: impl FnOnce() -> String) {
        if let Some(reason) = &self.reason {
            *reason.borrow_mut() = sentence();
        }
    }

    /// The earliest instant noted, which is after now.
    pub fn changes_at(&self) -> Option<Timestamp> {
        self.changes_at.get()
    }

    pub(crate) fn reason(&self) -> String {
        self.reason
            .as_ref()
            .map(|reason| reason.borrow().clone())
            .unwrap_or_default()
    }

    fn note(&self, instant: Timestamp) {
        debug_assert!(instant > self.now, "only the future can change an answer");
        let earliest = match self.changes_at.get() {
            Some(noted) => noted.min(instant),
            None => instant,
        };
        self.changes_at.set(Some(earliest));
    }
}

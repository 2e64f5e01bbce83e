//! How long to wait between tries.

use sha2::{Digest, Sha256};
use std::time::Duration;

/// Pauses between tries: each twice the one before, up to a most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
}

impl Default for Backoff {
    /// A quarter of a second at first, so that a restart goes unnoticed; half a minute at most, so
    /// that an outcome is not late by more after a long outage.
    fn default() -> Self {
        Self {
            first: Duration::from_millis(250),
            longest: Duration::from_secs(30),
        }
    }
}

impl Backoff {
    /// The pause after this many failures in a row (from 1). What the server asked for counts
    /// instead, within [`Backoff::longest`]. `who` spreads clients that failed together over the
    /// upper half of the pause, always in the same way.
    pub(crate) fn pause(&self, failures: u32, asked: Option<Duration>, who: &str) -> Duration {
        if let Some(asked) = asked {
            return asked.min(self.longest);
        }
        let doublings = failures.saturating_sub(1).min(16);
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
        let digest = Sha256::digest(format!("{who} {failures}"));
        full / 2 + (full / 2).mul_f64(f64::from(digest[0]) / 255.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_most_and_differ_between_clients() {
        let backoff = Backoff::default();
        for failures in 1..40 {
            let pause = backoff.pause(failures, None, "n");
            let full = backoff.first.saturating_mul(1 << (failures - 1).min(16));
            let full = full.min(backoff.longest);
            assert!(pause >= full / 2 && pause <= full, "{failures}: {pause:?}");
        }
        let spread: std::collections::BTreeSet<_> = (0..20)
            .map(|who| backoff.pause(8, None, &who.to_string()))
            .collect();
        assert!(spread.len() > 10, "{spread:?}");
    }

    #[test]
    fn what_the_server_asks_for_counts_within_the_bound() {
        let backoff = Backoff::default();
        let asked = |seconds| backoff.pause(1, Some(Duration::from_secs(seconds)), "n");
        assert_eq!(asked(2), Duration::from_secs(2));
        assert_eq!(asked(86_400), backoff.longest);
    }
}

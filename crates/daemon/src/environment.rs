//! The real clock and the real randomness. Nothing else in the workspace may reach for either.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::id::Entropy;
use liaison_ports::clock::{Clock, EntropySource};
use std::time::Duration;

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where time comes from")]
    fn now(&self) -> Timestamp {
        // The store keeps microseconds; what is finer would not survive it.
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    async fn sleep_until(&self, instant: Timestamp) {
        /// A sleep is cut here and the clock looked at again, because it may have been set.
        const LONGEST: Duration = Duration::from_secs(60);

        loop {
            let left = instant.duration_since(self.now());
            if left.is_zero() || left.is_negative() {
                return;
            }
            tokio::time::sleep(left.unsigned_abs().min(LONGEST)).await;
        }
    }
}

/// The operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl EntropySource for SystemEntropy {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where randomness comes from"
    )]
    fn draw(&self) -> Entropy {
        let mut bytes = [0; 16];
        // Without randomness there are no unguessable tokens, and no way to go on safely.
        getrandom::fill(&mut bytes).expect("the operating system has randomness");
        Entropy(bytes)
    }
}

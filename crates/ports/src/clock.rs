//! Time and randomness, as arguments.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::id::Entropy;

/// The one source of "now", and the only way to wait.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// The present instant. It may jump, in both directions; nobody may rely on its growing.
    fn now(&self) -> Timestamp;

    /// Returns at `instant`, or at once when that has passed.
    async fn sleep_until(&self, instant: Timestamp);
}

/// The one source of randomness.
pub trait EntropySource: Send + Sync + 'static {
    /// Sixteen fresh bytes; in production from the operating system.
    fn draw(&self) -> Entropy;
}

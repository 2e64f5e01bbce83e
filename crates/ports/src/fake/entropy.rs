//! Entropy that is the same in every run.

use crate::clock::EntropySource;
use liaison_core::id::Entropy;
use std::sync::atomic::{AtomicU64, Ordering};

/// A stream of entropy that is decided by its seed: SplitMix64, two words a draw.
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    fn word(&self) -> u64 {
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut word = self
            .0
            .fetch_add(GAMMA, Ordering::Relaxed)
            .wrapping_add(GAMMA);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

impl EntropySource for SeededEntropy {
    fn draw(&self) -> Entropy {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.word().to_be_bytes());
        bytes[8..].copy_from_slice(&self.word().to_be_bytes());
        Entropy(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_gives_the_same_stream_and_no_draw_twice() {
        let draw = |seed| {
            let source = SeededEntropy::new(seed);
            (0..1_000).map(|_| source.draw().0).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert_eq!(draw(7).into_iter().collect::<BTreeSet<_>>().len(), 1_000);
    }
}

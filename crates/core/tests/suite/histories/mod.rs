//! Random histories: whatever happens, in whatever order, the promises hold.

mod events;
mod foresight;
mod order;
mod run;
mod shrinking;

use events::{STARTS, event, policy};
use liaison_core::journal;
use order::check_order;
use proptest::{prelude::*, sample::select};
use run::Run;
use shrinking::Histories;

/// How many histories are tried when nothing else is asked for: as many as a debug build plays in
/// some seconds.
const CASES: u32 = 64;

/// After so many events the document is written in other orders and looked at: often enough to meet
/// every kind of state, seldom enough to cost little.
const LOOKS_AT_ORDER: usize = 25;

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(CASES);
    ProptestConfig {
        cases,
        // A history that breaks a promise becomes a test of its own, with a name.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_promise_holds_through_any_history(
        start in select(STARTS.to_vec()),
        policy in policy(),
        history in Histories { event: event(), length: 200..260 },
    ) {
        let mut run = Run::new(start, policy);
        for (place, event) in history.0.iter().enumerate() {
            run.happens(event);
            if place % LOOKS_AT_ORDER == 0 {
                check_order(&run.world);
            }
        }
        run.works();
        let world = run.world;
        let text = serde_json::to_string(&world.journal).expect("the journal is stored");
        let journal: Vec<_> = serde_json::from_str(&text).expect("the journal is read");
        let replayed = journal::replay(world.opening, journal).expect("the journal is replayed");
        prop_assert_eq!(replayed, world.conversation);
    }
}

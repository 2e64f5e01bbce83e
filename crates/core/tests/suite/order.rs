//! The order in which things came that have no order leaves no trace.

use crate::world::{World, calm, need};
use liaison_core::phase::{determine_phase, explain, next_wake};

const NOW: &str = "2027-05-03T10:00:00Z";

/// Needs that come at the same time, in this order.
fn registered(order: [usize; 4]) -> World {
    const NEEDS: [(&str, &[&str], &str); 4] = [
        ("n1", &["rent"], "2027-06-30T10:00:00Z"),
        ("n2", &["pets", "day"], "2027-05-20T10:00:00Z"),
        ("n3", &["arranged_by"], "2027-05-12T10:00:00Z"),
        ("n4", &["day"], "2027-06-01T10:00:00Z"),
    ];
    let mut world = World::new(NOW, calm());
    for which in order {
        let (id, slots, deadline) = NEEDS[which];
        world.register(need(id, slots, deadline));
    }
    world.settle_down();
    world
}

#[test]
fn needs_that_come_together_are_decided_alike_in_whatever_order_they_came() {
    let first = registered([0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let other = registered(order);
        let mut at = first.now;
        // From one wake to the next, as long as nobody answers.
        for _ in 0..8 {
            let (one, two) = (&first.conversation, &other.conversation);
            assert_eq!(determine_phase(one, at), determine_phase(two, at));
            assert_eq!(next_wake(one, at), next_wake(two, at));
            assert_eq!(explain(one, at), explain(two, at));
            match next_wake(one, at) {
                Some(wake) => at = wake,
                None => break,
            }
        }
    }
}

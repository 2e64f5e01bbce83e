//! Situations that conversations get into, each with what must come of it.

mod amendments;
mod away;
mod callers;
mod delegates;
mod deliveries;
mod endings;
mod ledger;
mod operators;
mod opting;
mod plans;
mod promised;
mod questions;
mod refusals;
mod unclear;
mod values;

use crate::world::{World, calm, need};
use liaison_core::{effect::OutboundMessage, input::Fate, plan::PlanItem, policy::Policy};

const NOW: &str = "2027-05-03T10:00:00Z";
const LATER: &str = "2027-06-30T10:00:00Z";

fn unknown() -> Fate {
    Fate::Unknown {
        why: "the connection broke off".to_owned(),
    }
}

fn asked_about(message: &OutboundMessage) -> Vec<(&str, bool)> {
    let items = message.plan.items.iter();
    items
        .filter_map(|item| match item {
            PlanItem::Question { slot, asked_on, .. } => {
                Some((slot.name.as_str(), asked_on.is_some()))
            }
            _ => None,
        })
        .collect()
}

/// A need for the rent, asked for.
fn rent_was_asked(policy: Policy) -> World {
    let mut world = World::new(NOW, policy);
    let mut need = need("n1", &["rent"], LATER);
    need.subject = Some("property:42".to_owned());
    world.register(need);
    world.settle_down();
    world.delivers();
    world
}

fn another_need_for_the_rent(world: &mut World) {
    let mut need = need("n2", &["rent"], LATER);
    need.subject = Some("property:42".to_owned());
    world.register(need);
    world.settle_down();
}

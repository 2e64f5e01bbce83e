//! No decision depends on the order in which a map was written or filled.

use crate::world::World;
use liaison_core::{
    conversation::Conversation,
    phase::{determine_phase, explain, next_wake},
    sending::not_to_be_handed_over_before,
};
use serde_json::{Map, Value};

type Fields = Vec<(String, Value)>;

/// How the fields of every object are written, beside the order in which they are stored.
const ORDERS: [fn(&mut Fields); 3] = [
    |fields| fields.reverse(),
    |fields| fields.sort_by_key(|(name, _)| name.chars().rev().collect::<String>()),
    |fields| {
        let half = fields.len() / 2;
        fields.rotate_left(half);
    },
];

/// Reads the document with its fields in other orders, and decides on each.
pub(super) fn check_order(world: &World) {
    let stored = serde_json::to_value(&world.conversation).expect("it is stored");
    let instants = [Some(world.now), world.next_wake()];
    for order in ORDERS {
        let text = written(&stored, order).to_string();
        let read: Conversation = serde_json::from_str(&text).expect("it is read");
        assert_eq!(read, world.conversation);
        for at in instants.into_iter().flatten() {
            let kept = &world.conversation;
            assert_eq!(determine_phase(&read, at), determine_phase(kept, at));
            assert_eq!(next_wake(&read, at), next_wake(kept, at));
            assert_eq!(explain(&read, at), explain(kept, at));
            assert_eq!(
                not_to_be_handed_over_before(&read, at),
                not_to_be_handed_over_before(kept, at)
            );
        }
    }
}

fn written(value: &Value, order: fn(&mut Fields)) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), written(value, order)))
                .collect();
            order(&mut fields);
            Value::Object(fields.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| written(item, order)).collect(),
        other => other.clone(),
    }
}

//! The ask ledger: every question in every message that was really sent.

use super::Ask;
use crate::slot::SlotKey;
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::Deref;

/// The asks, kept by slot, and for each slot in the order in which they were entered: all chasing
/// looks at one slot at a time, and there are many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Ledger(Vec<Ask>);

impl Ledger {
    /// The asks about one slot, in the order in which they were entered.
    pub fn of(&self, slot: &SlotKey) -> &[Ask] {
        let start = self.0.partition_point(|ask| ask.slot < *slot);
        let rest = &self.0[start..];
        // A question is asked a few times at most.
        let asks = rest.iter().take_while(|ask| ask.slot == *slot).count();
        &rest[..asks]
    }

    /// Enters an ask.
    pub fn push(&mut self, ask: Ask) {
        let place = self.0.partition_point(|known| known.slot <= ask.slot);
        self.0.insert(place, ask);
    }

    /// Keeps only the asks that `keep` says yes to.
    pub fn retain(&mut self, keep: impl FnMut(&Ask) -> bool) {
        self.0.retain(keep);
    }

    /// All asks in the order of time.
    pub fn in_time(&self) -> Vec<Ask> {
        let mut asks = self.0.clone();
        asks.sort_by_key(|ask| ask.at);
        asks
    }
}

impl Deref for Ledger {
    type Target = [Ask];

    fn deref(&self) -> &[Ask] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Ledger {
    type Item = &'a Ask;
    type IntoIter = std::slice::Iter<'a, Ask>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl FromIterator<Ask> for Ledger {
    fn from_iter<I: IntoIterator<Item = Ask>>(asks: I) -> Self {
        let mut asks: Vec<Ask> = asks.into_iter().collect();
        // The sort is stable: what was entered first stays first.
        asks.sort_by(|one, other| one.slot.cmp(&other.slot));
        Self(asks)
    }
}

impl<'de> Deserialize<'de> for Ledger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Ask>::deserialize(deserializer).map(Self::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{id::MessageId, stakeholder::Channel};
    use jiff::Timestamp;

    fn ask(name: &str, second: i64) -> Ask {
        Ask {
            slot: SlotKey {
                subject: "property:42".to_owned(),
                name: name.to_owned(),
            },
            message: MessageId::new(format!("m{second}")),
            channel: Channel::Email,
            at: Timestamp::from_second(second).expect("an instant"),
            reminder: false,
            confirms: false,
        }
    }

    fn seconds(asks: &[Ask]) -> Vec<i64> {
        asks.iter().map(|ask| ask.at.as_second()).collect()
    }

    #[test]
    fn the_asks_about_a_slot_are_found_in_their_order_also_after_it_was_stored() {
        let mut ledger = Ledger::default();
        for ask in [
            ask("b", 3),
            ask("a", 1),
            ask("b", 2),
            ask("c", 4),
            ask("b", 5),
        ] {
            ledger.push(ask);
        }
        assert_eq!(seconds(ledger.of(&ask("b", 0).slot)), [3, 2, 5]);
        assert_eq!(seconds(ledger.of(&ask("aa", 0).slot)), [0_i64; 0]);
        assert_eq!(seconds(&ledger.in_time()), [1, 2, 3, 4, 5]);
        let text = serde_json::to_string(&ledger).expect("it is stored");
        assert_eq!(
            serde_json::from_str::<Ledger>(&text).expect("it is read"),
            ledger
        );
        // A document of before has its asks in the order of time.
        let before = serde_json::to_string(&ledger.in_time()).expect("it is stored");
        let read: Ledger = serde_json::from_str(&before).expect("it is read");
        assert_eq!(seconds(read.of(&ask("b", 0).slot)), [2, 3, 5]);
        ledger.retain(|ask| ask.at.as_second() > 2);
        assert_eq!(seconds(ledger.of(&ask("b", 0).slot)), [3, 5]);
    }
}

//! The ask ledger: every question in every message that was really sent.

use super::Ask;
use crate::slot::SlotKey;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;

/// The asks, kept by slot, and for each slot in the order in which they were entered: all chasing
/// looks at one slot at a time, and there are many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    asks: Vec<Ask>,
    /// Where the asks about each slot begin, so that going from slot to slot compares no keys. It
    /// follows from the asks and is not stored.
    starts: Vec<usize>,
}

impl Ledger {
    /// The asks about one slot, in the order in which they were entered.
    pub fn of(&self, slot: &SlotKey) -> &[Ask] {
        let known = self
            .starts
            .binary_search_by(|start| self.asks[*start].slot.cmp(slot));
        known.map_or(&[], |place| self.group(place))
    }

    /// The asks about each slot that was asked about, in the order of the slots.
    pub fn by_slot(&self) -> impl Iterator<Item = &[Ask]> {
        (0..self.starts.len()).map(|place| self.group(place))
    }

    /// Enters an ask.
    pub fn push(&mut self, ask: Ask) {
        let place = self.asks.partition_point(|known| known.slot <= ask.slot);
        let known = place > 0 && self.asks[place - 1].slot == ask.slot;
        let next = self.starts.partition_point(|start| *start < place);
        for start in &mut self.starts[next..] {
            *start += 1;
        }
        if !known {
            self.starts.insert(next, place);
        }
        self.asks.insert(place, ask);
    }

    /// Keeps only the asks that `keep` says yes to.
    pub fn retain(&mut self, keep: impl FnMut(&Ask) -> bool) {
        self.asks.retain(keep);
        self.starts = starts(&self.asks);
    }

    /// All asks in the order of time.
    pub fn in_time(&self) -> Vec<Ask> {
        let mut asks = self.asks.clone();
        asks.sort_by_key(|ask| ask.at);
        asks
    }

    fn group(&self, place: usize) -> &[Ask] {
        let end = self.starts.get(place + 1).copied();
        &self.asks[self.starts[place]..end.unwrap_or(self.asks.len())]
    }
}

/// Where each slot's asks begin in asks that are sorted by slot.
fn starts(asks: &[Ask]) -> Vec<usize> {
    let begins = |place: &usize| *place == 0 || asks[place - 1].slot != asks[*place].slot;
    (0..asks.len()).filter(begins).collect()
}

impl Deref for Ledger {
    type Target = [Ask];

    fn deref(&self) -> &[Ask] {
        &self.asks
    }
}

impl<'a> IntoIterator for &'a Ledger {
    type Item = &'a Ask;
    type IntoIter = std::slice::Iter<'a, Ask>;

    fn into_iter(self) -> Self::IntoIter {
        self.asks.iter()
    }
}

impl FromIterator<Ask> for Ledger {
    fn from_iter<I: IntoIterator<Item = Ask>>(asks: I) -> Self {
        let mut asks: Vec<Ask> = asks.into_iter().collect();
        // The sort is stable: what was entered first stays first.
        asks.sort_by(|one, other| one.slot.cmp(&other.slot));
        let starts = starts(&asks);
        Self { asks, starts }
    }
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.asks.serialize(serializer)
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
        let by_slot: Vec<_> = ledger.by_slot().map(seconds).collect();
        assert_eq!(by_slot, [vec![1], vec![3, 2, 5], vec![4]]);
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
        assert_eq!(seconds(ledger.of(&ask("a", 0).slot)), [0_i64; 0]);
        assert_eq!(seconds(ledger.of(&ask("c", 0).slot)), [4]);
    }
}

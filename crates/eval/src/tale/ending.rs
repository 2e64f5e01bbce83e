//! Whether it ended as the scenario says.

use super::{Tale, changes};
use crate::scenario::{Expected, OPEN};
use liaison_core::need::Outcome;

impl Tale {
    /// What is otherwise than the scenario says, one sentence each.
    pub(crate) fn otherwise(&self, expected: &Expected) -> Vec<String> {
        let mut found = Vec::new();
        for (need, _) in &self.endings {
            if !expected.ends.contains_key(need) {
                found.push(format!("ends: it does not say how {need} ends"));
            }
        }
        for (need, ending) in &expected.ends {
            let registered = self.endings.iter().find(|(name, _)| name == need);
            let Some((_, ended)) = registered else {
                found.push(format!("ends: {need} was never registered"));
                continue;
            };
            let really = ended.as_ref().map(|ending| &ending.outcome);
            let kind = really.map(|outcome| outcome.outcome);
            if kind != *ending {
                let name =
                    |kind: Option<_>| kind.map_or(OPEN, liaison_core::need::OutcomeKind::name);
                found.push(format!(
                    "ends: {need} is {}, and should be {}",
                    name(kind),
                    name(*ending)
                ));
            }
            if let Some(outcome) = really {
                self.other_values(expected, need, outcome, &mut found);
            }
        }
        let mut standing: Vec<&str> = self
            .followed
            .values()
            .flat_map(|followed| &followed.conversation.holds)
            .map(|hold| hold.reason.name())
            .collect();
        for wanted in &expected.holds {
            match standing.iter().position(|name| name == wanted) {
                Some(place) => drop(standing.remove(place)),
                None => found.push(format!("holds: no hold {wanted} is left")),
            }
        }
        let unasked = standing.into_iter();
        found.extend(unasked.map(|name| format!("holds: a hold {name} is left that is not named")));
        let sent = self.happened(None).len();
        if let Some(messages) = expected.messages.filter(|messages| *messages != sent) {
            found.push(format!(
                "messages: {sent} were sent, and should have been {messages}"
            ));
        }
        found
    }

    fn other_values(
        &self,
        expected: &Expected,
        need: &str,
        outcome: &Outcome,
        found: &mut Vec<String>,
    ) {
        for (slot, wanted) in expected.values.get(need).into_iter().flatten() {
            let wanted = changes::plain(wanted);
            let really = outcome.slots.get(slot).map(|value| {
                let value = serde_json::to_value(&value.value).unwrap_or_default();
                changes::plain(&value)
            });
            if really.as_ref() != Some(&wanted) {
                found.push(format!(
                    "values: {need}/{slot} is {}, and should be {wanted}",
                    really.as_deref().unwrap_or("not there")
                ));
            }
        }
    }
}

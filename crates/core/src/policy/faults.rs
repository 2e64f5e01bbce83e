//! What makes a policy one that nothing could work under, said alike wherever one comes in: a
//! configuration, a scenario, a replay, a need's own ladder.

use super::Policy;
use crate::{ladder::Ladder, stakeholder::Zone};
use jiff::civil::Weekday;
use std::collections::BTreeSet;

/// One setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct PolicyFault {
    /// Which, as it is written: `weekly_cap`, `ladder.waits[1]`.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub detail: String,
}

impl PolicyFault {
    fn new(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            detail: detail.into(),
        }
    }
}

impl Policy {
    /// All that is wrong with the settings.
    pub fn faults(&self) -> Vec<PolicyFault> {
        let mut found = Vec::new();
        if self.weekly_cap == 0 {
            found.push(PolicyFault::new(
                "weekly_cap",
                "this is 0, so nothing could be sent; use 1 or more",
            ));
        }
        if self.reading_tries == 0 {
            found.push(PolicyFault::new(
                "reading_tries",
                "this is 0, so nothing could be read; use 1 or more",
            ));
        }
        if let Err(fault) = Zone::parse(self.zone.as_str()) {
            found.push(PolicyFault::new("zone", fault.to_string()));
        }
        for (country, days) in &self.countries {
            let weekend: BTreeSet<i8> = days
                .weekend
                .iter()
                .map(|day: &Weekday| day.to_monday_zero_offset())
                .collect();
            if self.working_days_only && weekend.len() == 7 {
                found.push(PolicyFault::new(
                    format!("countries.{country}.weekend"),
                    "this is the whole week, so nothing could be sent; leave a day out",
                ));
            }
        }
        let ladder = self.ladder.faults().into_iter();
        found.extend(ladder.map(|fault| PolicyFault {
            field: format!("ladder.{}", fault.field),
            ..fault
        }));
        found
    }
}

impl Ladder {
    /// All that is wrong with it; fields count from the ladder.
    pub fn faults(&self) -> Vec<PolicyFault> {
        const AT_ONCE: &str = "nobody can answer at once; wait at least 1s";

        let mut found = Vec::new();
        for (field, length) in [("waits", self.waits.len()), ("tones", self.tones.len())] {
            if length > Self::MOST_RUNGS {
                found.push(PolicyFault::new(
                    field,
                    format!("there are {length}; use at most {}", Self::MOST_RUNGS),
                ));
            }
        }
        for (place, wait) in self.waits.iter().enumerate().take(Self::MOST_RUNGS) {
            if wait.as_seconds() == 0 {
                found.push(PolicyFault::new(format!("waits[{place}]"), AT_ONCE));
            }
        }
        if self.patience.as_seconds() == 0 {
            found.push(PolicyFault::new("patience", AT_ONCE));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(json!({}), &[])]
    #[case(json!({"weekly_cap": 0}), &["weekly_cap"])]
    #[case(json!({"reading_tries": 0}), &["reading_tries"])]
    #[case(json!({"zone": "Mars/Olympus"}), &["zone"])]
    #[case(json!({"ladder": {"waits": ["1d", "0s"]}}), &["ladder.waits[1]"])]
    #[case(json!({"ladder": {"patience": "0s"}}), &["ladder.patience"])]
    #[case(json!({"ladder": {"waits": vec!["1d"; 13]}}), &["ladder.waits"])]
    #[case(json!({"ladder": {"tones": vec!["firm"; 13]}}), &["ladder.tones"])]
    #[case(
        json!({
            "weekly_cap": 0,
            "working_days_only": true,
            "countries": {"FR": {"weekend": [
                "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
            ]}},
        }),
        &["weekly_cap", "countries.FR.weekend"]
    )]
    fn what_nothing_could_work_under_is_named(
        #[case] policy: serde_json::Value,
        #[case] expected: &[&str],
    ) {
        let policy: Policy = serde_json::from_value(policy).expect("it is read");
        let faults = policy.faults();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, expected);
    }
}

//! Some settings of a policy, to be laid over another policy.

use super::{Policy, PolicyFault};
use serde_json::{Map, Value};

/// Settings that take the place of recorded ones; what they do not say stays as it was.
///
/// The fields of `ladder`, and the countries, are laid over one by one; any other setting is
/// replaced whole.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyChange(Map<String, Value>);

impl PolicyChange {
    /// Reads the settings as a policy writes them, and checks that a policy with them can be worked
    /// under.
    pub fn read(mut settings: Map<String, Value>) -> Result<Self, PolicyFault> {
        // A policy writes its countries in upper case, and reads them in any.
        if let Some(Value::Object(countries)) = settings.get_mut("countries") {
            *countries = std::mem::take(countries)
                .into_iter()
                .map(|(country, days)| (country.to_ascii_uppercase(), days))
                .collect();
        }
        let change = Self(settings);
        let policy = change.try_over(&Policy::default())?;
        match policy.faults().into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(change),
        }
    }

    /// `recorded` with these settings over it.
    pub fn over(&self, recorded: &Policy) -> Policy {
        match self.try_over(recorded) {
            Ok(policy) => policy,
            // Each setting is read by itself, and `read` has read each of these.
            Err(fault) => unreachable!("settings that were read are read again: {fault}"),
        }
    }

    fn try_over(&self, recorded: &Policy) -> Result<Policy, PolicyFault> {
        let mut whole = match serde_json::to_value(recorded) {
            Ok(Value::Object(whole)) => whole,
            other => unreachable!("a policy is an object of settings, not {other:?}"),
        };
        for (name, value) in &self.0 {
            match (name.as_str(), whole.get_mut(name), value) {
                ("ladder" | "countries", Some(Value::Object(old)), Value::Object(new)) => {
                    old.extend(new.clone());
                }
                _ => {
                    whole.insert(name.clone(), value.clone());
                }
            }
        }
        serde_path_to_error::deserialize(Value::Object(whole)).map_err(|error| {
            let field = error.path().to_string();
            PolicyFault {
                field: match field.as_str() {
                    "." => "policy".to_owned(),
                    _ => field,
                },
                detail: error.into_inner().to_string(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Wait;
    use rstest::rstest;
    use serde_json::json;

    fn read(settings: Value) -> Result<PolicyChange, PolicyFault> {
        match settings {
            Value::Object(settings) => PolicyChange::read(settings),
            other => panic!("{other} is no table"),
        }
    }

    #[test]
    fn what_a_change_does_not_say_stays_as_it_was() {
        let recorded: Policy = serde_json::from_value(json!({
            "signature": "Lakeside",
            "weekly_cap": 9,
            "quiet_hours": null,
            "ladder": {"waits": ["1d"], "patience": "2d", "silence": "expire"},
            "countries": {"FR": {"holidays": ["2027-07-14"]}, "IT": {}},
        }))
        .expect("a policy");
        let change = read(json!({
            "weekly_cap": 2,
            "ladder": {"patience": "5d"},
            "countries": {"fr": {"holidays": ["2027-05-01"]}},
        }))
        .expect("a change");
        let mut expected = recorded.clone();
        expected.weekly_cap = 2;
        expected.ladder.patience = Wait::days(5);
        for (country, days) in &mut expected.countries {
            if country.as_str() == "FR" {
                days.holidays = vec![jiff::civil::date(2027, 5, 1)];
            }
        }
        assert_eq!(change.over(&recorded), expected);
        assert_eq!(
            read(json!({})).expect("no change").over(&recorded),
            recorded
        );
    }

    #[rstest]
    #[case(json!({"weekly_cap": 0}), "weekly_cap")]
    #[case(json!({"weekly_cap": "many"}), "weekly_cap")]
    #[case(json!({"ladder": {"patience": "0s"}}), "ladder.patience")]
    #[case(json!({"ladder": {"patience": "soon"}}), "ladder.patience")]
    #[case(json!({"quiet_hours": {"from": "21:00"}}), "quiet_hours")]
    fn a_change_that_cannot_be_used_is_refused_by_its_field(
        #[case] settings: Value,
        #[case] field: &str,
    ) {
        assert_eq!(read(settings).expect_err("cannot be used").field, field);
    }

    #[test]
    fn a_setting_that_nobody_knows_is_named() {
        let fault = read(json!({"weekly_cup": 2})).expect_err("cannot be used");
        assert!(fault.to_string().contains("weekly_cup"), "{fault}");
    }
}

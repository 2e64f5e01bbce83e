//! `number`.

mod figures;
mod spelled;

use super::{Candidate, KindRules, ReadContext, SpecFault, Value, ValueFault, or_null};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::str::FromStr;

/// A number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// The least that is acceptable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<rust_decimal::Decimal>,
    /// The most that is acceptable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<rust_decimal::Decimal>,
    /// Whether only whole numbers are.
    #[serde(default)]
    pub whole: bool,
    /// What is counted, as the stakeholder may write it after the number (`m²`, `keys`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// The longest unit, in characters: it stands in a question and behind a figure.
const LONGEST_UNIT: usize = 30;

impl KindRules for Number {
    fn validate(&self) -> Result<(), SpecFault> {
        if let (Some(minimum), Some(maximum)) = (self.minimum, self.maximum) {
            if minimum > maximum {
                return Err(SpecFault::new(
                    "minimum",
                    format!("{minimum} is more than maximum, {maximum}; no number is acceptable"),
                ));
            }
            if self.whole && minimum.ceil() > maximum {
                return Err(SpecFault::new(
                    "whole",
                    format!("there is no whole number from {minimum} to {maximum}"),
                ));
            }
        }
        match &self.unit {
            Some(unit) if unit.trim().is_empty() => Err(SpecFault::new(
                "unit",
                "leave it out when nothing is counted",
            )),
            Some(unit) if unit.chars().count() > LONGEST_UNIT => Err(SpecFault::new(
                "unit",
                format!("use at most {LONGEST_UNIT} characters"),
            )),
            Some(unit) if unit.chars().any(|c| c.is_control() || c.is_ascii_digit()) => {
                Err(SpecFault::new(
                    "unit",
                    "write a unit without figures and line breaks (m², not m2)",
                ))
            }
            _ => Ok(()),
        }
    }

    fn schema(&self, _context: &ReadContext<'_>) -> serde_json::Value {
        // No bounds: a server that enforces them makes a number up that fits.
        or_null(json!({ "type": if self.whole { "integer" } else { "number" } }))
    }

    fn read(
        &self,
        proposed: &serde_json::Value,
        _context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        match proposed {
            serde_json::Value::Null => Ok(None),
            serde_json::Value::Number(number) => {
                let text = number.to_string();
                Decimal::from_str(&text)
                    .or_else(|_| Decimal::from_scientific(&text))
                    .map(|number| Some(Value::Number(number.normalize())))
                    .map_err(|_| ValueFault(format!("{text} is outside the numbers that are kept")))
            }
            _ => Err(ValueFault(
                "a number value is a JSON number, or null".to_owned(),
            )),
        }
    }

    fn find(&self, text: &str, context: &ReadContext<'_>) -> Vec<Candidate> {
        let times: Vec<_> = super::date::mentions(text, context)
            .into_iter()
            .map(|mention| mention.span)
            .collect();
        let mut found = figures::find(text, self);
        found.extend(spelled::find(text, self));
        // A figure that belongs to a date or a time counts nothing, unless it has the unit that is
        // asked for (`14 days`).
        found.retain(|number| {
            number.has_unit
                || !times
                    .iter()
                    .any(|time| time.start < number.span.end && number.span.start < time.end)
        });
        // Where one number has the unit, the others count something else.
        if found.iter().any(|number| number.has_unit) {
            found.retain(|number| number.has_unit);
        }
        found.sort_by_key(|number| number.span.start);
        found
            .into_iter()
            .map(|number| Candidate {
                span: number.span,
                value: Value::Number(number.value.normalize()),
            })
            .collect()
    }

    fn must_be_found(&self) -> bool {
        true
    }

    fn check(&self, value: &Value) -> Result<(), ValueFault> {
        let Value::Number(number) = value else {
            return Err(ValueFault::not_a("number", value));
        };
        let said = self.show(value);
        match (self.minimum, self.maximum) {
            (Some(minimum), _) if *number < minimum => Err(ValueFault(format!(
                "{said} is less than {minimum}, the least that is acceptable"
            ))),
            (_, Some(maximum)) if *number > maximum => Err(ValueFault(format!(
                "{said} is more than {maximum}, the most that is acceptable"
            ))),
            _ if self.whole && !number.fract().is_zero() => {
                Err(ValueFault(format!("{said} is not a whole number")))
            }
            _ => Ok(()),
        }
    }

    fn show(&self, value: &Value) -> String {
        match (&self.unit, value) {
            (Some(unit), Value::Number(_)) => format!("{} {unit}", value.plain()),
            _ => value.plain(),
        }
    }

    fn hint(&self) -> Option<String> {
        let name = if self.whole {
            "a whole number"
        } else {
            "a number"
        };
        let bounds = match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) => format!(" from {minimum} to {maximum}"),
            (Some(minimum), None) => format!(", at least {minimum}"),
            (None, Some(maximum)) => format!(", at most {maximum}"),
            (None, None) => String::new(),
        };
        let unit = self
            .unit
            .as_ref()
            .map_or_else(String::new, |unit| format!(", in {unit}"));
        (self.whole || !bounds.is_empty() || !unit.is_empty())
            .then(|| format!("{name}{bounds}{unit}"))
    }
}

/// A number in words or figures, before it is known whether it counts what is asked for.
struct Found {
    span: std::ops::Range<usize>,
    value: Decimal,
    has_unit: bool,
}

impl Number {
    /// Whether the unit that is asked for stands at the start of `after`.
    fn unit_follows(&self, after: &str) -> bool {
        let Some(unit) = self.unit.as_deref() else {
            return false;
        };
        let after = after.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
        let fold = |text: &str| text.to_lowercase().replace('²', "2").replace('³', "3");
        let unit = fold(unit.trim());
        let after = fold(&after.chars().take(LONGEST_UNIT + 4).collect::<String>());
        // One key or two keys.
        let singular = unit
            .strip_suffix("ies")
            .map(|stem| format!("{stem}y"))
            .or_else(|| unit.strip_suffix('s').map(str::to_owned));
        [Some(unit), singular].into_iter().flatten().any(|unit| {
            after
                .strip_prefix(unit.as_str())
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::testing::context;
    use rstest::rstest;

    fn found(kind: &Number, text: &str) -> Vec<String> {
        kind.find(text, &context())
            .into_iter()
            .map(|candidate| candidate.value.plain())
            .collect()
    }

    #[rstest]
    #[case("The rent is 1,250 a month", &["1250"])]
    #[case("1.250,50", &["1250.5"])]
    #[case("€1,250.50", &["1250.5"])]
    #[case("1 250 and no more", &["1250"])]
    #[case("1'250.-", &["1250"])]
    #[case("1.250", &["1250", "1.25"])]
    #[case("0.125", &["0.125"])]
    #[case("12,5", &["12.5"])]
    #[case("-5 or minus 6", &["-5", "-6"])]
    #[case("80m2", &["80"])]
    #[case("Please call me on 030 1234567 or +49 30 123-4567", &[])]
    #[case("On 5 May at 10:30", &[])]
    #[case("It is on the 3rd floor", &[])]
    #[case("Flat 3B, invoice 1234", &[])]
    #[case("apartment 12 has 3 rooms", &["3"])]
    #[case("1. three\n2. four", &["3", "4"])]
    #[case("Three", &["3"])]
    #[case("twenty-five people", &["25"])]
    #[case("one hundred and fifty", &["150"])]
    #[case("two thousand three hundred", &["2300"])]
    #[case("no one, and one of them", &[])]
    #[case("Just one", &["1"])]
    #[case("between 3 and 4", &["3", "4"])]
    #[case("99999999999999999999999999999999", &[])]
    #[case("20% of it", &[])]
    #[case("v2.3.1 of 10.0.0.1", &[])]
    fn numbers_are_found_as_people_write_them(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(found(&Number::default(), text), expected, "{text}");
    }

    #[test]
    fn the_unit_decides_which_number_is_meant() {
        let kind = Number {
            unit: Some("keys".to_owned()),
            ..Number::default()
        };
        assert_eq!(found(&kind, "I have 3 keys and 2 remotes"), ["3"]);
        assert_eq!(found(&kind, "one key, in flat 7"), ["1"]);
        let days = Number {
            unit: Some("days".to_owned()),
            ..Number::default()
        };
        assert_eq!(found(&days, "I need 14 days"), ["14"]);
        let area = Number {
            unit: Some("m²".to_owned()),
            ..Number::default()
        };
        assert_eq!(found(&area, "80 m2, built in 1990"), ["80"]);
    }

    #[test]
    fn a_whole_number_has_no_decimals() {
        let kind = Number {
            whole: true,
            ..Number::default()
        };
        assert_eq!(found(&kind, "1.250"), ["1250"]);
        assert!(kind.check(&Value::Number(Decimal::new(15, 1))).is_err());
        assert!(kind.check(&Value::Number(Decimal::new(150, 1))).is_ok());
    }

    #[test]
    fn bounds_are_checked_and_said() {
        let kind = Number {
            minimum: Some(Decimal::ONE),
            maximum: Some(Decimal::TEN),
            whole: true,
            unit: Some("keys".to_owned()),
        };
        kind.validate().unwrap();
        assert!(kind.check(&Value::Number(Decimal::ZERO)).is_err());
        assert!(kind.check(&Value::Number(Decimal::new(11, 0))).is_err());
        assert!(kind.check(&Value::Text(String::new())).is_err());
        assert_eq!(kind.hint().unwrap(), "a whole number from 1 to 10, in keys");
        let faulty = Number {
            minimum: Some(Decimal::TEN),
            maximum: Some(Decimal::ONE),
            ..Number::default()
        };
        assert_eq!(faulty.validate().unwrap_err().field, "minimum");
    }

    #[test]
    fn a_proposed_number_is_a_json_number() {
        let kind = Number::default();
        assert_eq!(
            kind.read(&json!(1250.50), &context()),
            Ok(Some(Value::Number(Decimal::new(12505, 1))))
        );
        assert_eq!(kind.read(&json!(null), &context()), Ok(None));
        assert!(kind.read(&json!("1250"), &context()).is_err());
        assert!(kind.read(&json!(1e300), &context()).is_err());
    }
}

//! What is a working day where: weekends and holidays by country.

use jiff::civil::{Date, Weekday};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A country by its two letters (ISO 3166-1 alpha-2), in upper case. Whether there is such a
/// country does not matter here: it only has to be the same in a policy and of a stakeholder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Country(String);

impl Country {
    /// Reads two letters, in any case.
    pub fn parse(text: &str) -> Result<Self, CountryFault> {
        let text = text.trim();
        if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            Ok(Self(text.to_ascii_uppercase()))
        } else {
            Err(CountryFault)
        }
    }

    /// The two letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Country {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The text is no country.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a country is two letters (ISO 3166-1), like FR or AE")]
pub struct CountryFault;

/// The days on which people of a country are left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CountryDays {
    /// Its weekend, for those who are written to on working days only.
    #[serde(with = "weekdays")]
    pub weekend: Vec<Weekday>,
    /// Its holidays. Nothing is sent on them.
    pub holidays: Vec<Date>,
}

impl Default for CountryDays {
    /// Saturday and Sunday, and no holidays.
    fn default() -> Self {
        Self {
            weekend: SATURDAY_AND_SUNDAY.to_vec(),
            holidays: Vec::new(),
        }
    }
}

/// The weekend where nothing else is said.
pub(crate) const SATURDAY_AND_SUNDAY: &[Weekday] = &[Weekday::Saturday, Weekday::Sunday];

mod weekdays {
    use jiff::civil::Weekday;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const NAMES: [(&str, Weekday); 7] = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];

    pub(super) fn serialize<S: Serializer>(
        days: &[Weekday],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let name = |day: &Weekday| NAMES.iter().find(|(_, known)| known == day);
        let names: Vec<&str> = days
            .iter()
            .filter_map(name)
            .map(|(name, _)| *name)
            .collect();
        names.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Weekday>, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        let day = |name: &String| {
            let found = NAMES
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, day)| *day).ok_or_else(|| {
                serde::de::Error::custom(format!("{name:?} is no day of the week like monday"))
            })
        };
        names.iter().map(day).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_country_is_two_letters() {
        assert_eq!(
            Country::parse(" fr ").map(|c| c.to_string()),
            Ok("FR".to_owned())
        );
        for text in ["", "F", "FRA", "F1", "Ü"] {
            assert_eq!(Country::parse(text), Err(CountryFault), "{text:?}");
        }
    }

    #[test]
    fn days_are_written_by_name() {
        let days: CountryDays =
            serde_json::from_value(json!({"weekend": ["Friday", "saturday"]})).expect("it reads");
        assert_eq!(days.weekend, [Weekday::Friday, Weekday::Saturday]);
        let written = json!(days);
        assert_eq!(
            written,
            json!({"weekend": ["friday", "saturday"], "holidays": []})
        );
        assert!(serde_json::from_value::<CountryDays>(json!({"weekend": ["someday"]})).is_err());
    }
}

//! What a tenant decides once for all its conversations.

mod change;
mod faults;

pub use change::PolicyChange;
pub use faults::PolicyFault;

use crate::{
    calendar::{Country, CountryDays, QuietHours},
    ladder::Ladder,
    stakeholder::{EmailAddress, Zone},
};
use jiff::{SignedDuration, Timestamp, civil};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// A tenant's rules for its conversations. Kept in the conversation, so that every decision can be
/// made again from the state alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The name that messages are signed with.
    pub signature: String,
    /// The zone of a stakeholder who has none of their own.
    pub zone: Zone,
    /// When nobody is written to, on the stakeholder's own clock.
    pub quiet_hours: Option<QuietHours>,
    /// Whether messages wait for working days: Monday to Friday, where [`Policy::countries`] says
    /// nothing else.
    pub working_days_only: bool,
    /// Days on which nothing is sent to anybody.
    pub holidays: Vec<civil::Date>,
    /// The weekends and holidays of countries, for the stakeholders whose country is known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub countries: BTreeMap<Country, CountryDays>,
    /// How long to wait for further needs before the first question goes out.
    pub gather: Wait,
    /// How long an inbox must have been quiet before it is read.
    pub burst: Wait,
    /// The least time between two messages that nobody asked for. A reply to what the person just
    /// wrote does not wait for it.
    pub minimum_gap: Wait,
    /// The most messages in any seven days that nobody asked for.
    pub weekly_cap: u32,
    /// How to chase.
    pub ladder: Ladder,
    /// Whether an answer is thanked for.
    pub acknowledge: bool,
    /// How long after a deadline an unread reply may still count.
    pub expiry_grace: Wait,
    /// How often reading one message is tried before an operator is asked.
    pub reading_tries: u32,
    /// How long to wait after the first failed reading; it doubles with each, up to an hour.
    pub reading_backoff: Wait,
    /// What becomes of a message that may or may not have been sent.
    pub unknown_send: UnknownSend,
    /// After how long without a word from the caller it is asked whether it still waits.
    pub probe_caller_after: Option<Wait>,
    /// How long a caller has to answer that before it counts as gone.
    pub probe_answer_within: Wait,
    /// What becomes of the needs of a caller that is gone.
    pub silent_caller: SilentCaller,
    /// Whether figures like 3/4 are read day first; without it, such a date is unclear.
    pub day_first: Option<bool>,
    /// After how long a hold that no operator has attended to is escalated; without it, never.
    #[serde(with = "or_never")]
    pub escalate_holds_after: Option<Wait>,
    /// The mailboxes that messages are written from: nobody there can be asked anything. Not a
    /// setting; whoever sends fills it in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mailboxes: Vec<EmailAddress>,
}

impl Policy {
    /// Whether mail to this address comes back to us.
    pub fn is_ours(&self, address: &EmailAddress) -> bool {
        self.mailboxes.iter().any(|own| address.comes_to(own))
    }
}

/// A length of time, or `never`, where leaving it out means the default.
mod or_never {
    use super::Wait;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const NEVER: &str = "never";

    pub(super) fn serialize<S: Serializer>(
        wait: &Option<Wait>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match wait {
            Some(wait) => wait.serialize(serializer),
            None => serializer.serialize_str(NEVER),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Wait>, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.trim() {
            NEVER => Ok(None),
            text => text.parse().map(Some).map_err(serde::de::Error::custom),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            signature: "Liaison".to_owned(),
            zone: Zone::utc(),
            quiet_hours: Some(QuietHours::default()),
            working_days_only: false,
            holidays: Vec::new(),
            countries: BTreeMap::new(),
            gather: Wait::seconds(30),
            burst: Wait::seconds(60),
            minimum_gap: Wait::hours(20),
            weekly_cap: 4,
            ladder: Ladder::default(),
            acknowledge: true,
            expiry_grace: Wait::hours(6),
            reading_tries: 5,
            reading_backoff: Wait::seconds(30),
            unknown_send: UnknownSend::Hold,
            probe_caller_after: None,
            probe_answer_within: Wait::days(7),
            silent_caller: SilentCaller::Keep,
            day_first: None,
            escalate_holds_after: Some(Wait::days(1)),
            mailboxes: Vec::new(),
        }
    }
}

/// What becomes of a message whose hand-over was cut off where nobody can tell whether it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownSend {
    /// An operator looks and decides.
    Hold,
    /// The same bytes, with the same Message-ID, are sent once more.
    Resend,
}

/// What becomes of a need whose caller did not answer when it was asked whether it still waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilentCaller {
    /// It goes on; whoever comes back finds its outcome.
    Keep,
    /// It is cancelled, and the stakeholder is not troubled any more.
    Cancel,
    /// It is held: an operator decides.
    Hold,
}

/// A length of time in whole seconds, written `90s`, `30m`, `12h`, `3d` or `2w`. A day is 24
/// hours. At most ten years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait(i64);

impl Wait {
    /// Ten years: longer than anything that is waited for, and safe to add to any instant.
    const MOST: i64 = 10 * 366 * 86_400;

    /// This many seconds.
    pub const fn seconds(seconds: u32) -> Self {
        Self(seconds as i64)
    }

    /// This many hours.
    pub const fn hours(hours: u16) -> Self {
        Self(hours as i64 * 3_600)
    }

    /// This many days of 24 hours.
    pub const fn days(days: u16) -> Self {
        let seconds = days as i64 * 86_400;
        Self(if seconds > Self::MOST {
            Self::MOST
        } else {
            seconds
        })
    }

    /// The length in seconds.
    pub const fn as_seconds(self) -> i64 {
        self.0
    }

    /// The instant this long after `start`, or the last instant there is.
    pub fn after(self, start: Timestamp) -> Timestamp {
        start
            .checked_add(SignedDuration::from_secs(self.0))
            .unwrap_or(Timestamp::MAX)
    }

    /// The instant this long before `end`, or the first instant there is.
    pub fn before(self, end: Timestamp) -> Timestamp {
        end.checked_sub(SignedDuration::from_secs(self.0))
            .unwrap_or(Timestamp::MIN)
    }

    /// This length doubled `times` times, at most `most`.
    pub fn doubled(self, times: u32, most: Self) -> Self {
        let factor = 1_i64.checked_shl(times.min(62)).unwrap_or(i64::MAX);
        Self(self.0.saturating_mul(factor).min(most.0))
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0s"),
            s if s % 86_400 == 0 => write!(f, "{}d", s / 86_400),
            s if s % 3_600 == 0 => write!(f, "{}h", s / 3_600),
            s if s % 60 == 0 => write!(f, "{}m", s / 60),
            s => write!(f, "{s}s"),
        }
    }
}

impl FromStr for Wait {
    type Err = WaitFault;

    fn from_str(text: &str) -> Result<Self, WaitFault> {
        let text = text.trim();
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let unit = match text[digits..].trim() {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            "w" => 604_800,
            _ => return Err(WaitFault),
        };
        text[..digits]
            .parse::<i64>()
            .ok()
            .and_then(|count| count.checked_mul(unit))
            .filter(|seconds| *seconds <= Self::MOST)
            .map(Self)
            .ok_or(WaitFault)
    }
}

/// The text is not a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a length of time is a whole number and one of s, m, h, d, w, like 90s or 3d, at most ten years"
)]
pub struct WaitFault;

impl Serialize for Wait {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn escalation_can_be_turned_off_and_has_a_default() {
        let read = |json: &str| {
            serde_json::from_str::<Policy>(json)
                .expect("a policy")
                .escalate_holds_after
        };
        assert_eq!(read("{}"), Some(Wait::days(1)));
        assert_eq!(
            read(r#"{"escalate_holds_after": "2h"}"#),
            Some(Wait::hours(2))
        );
        let never = read(r#"{"escalate_holds_after": "never"}"#);
        assert_eq!(never, None);
        let policy = Policy {
            escalate_holds_after: never,
            ..Policy::default()
        };
        let text = serde_json::to_string(&policy).expect("it is stored");
        assert_eq!(
            serde_json::from_str::<Policy>(&text).expect("it is read"),
            policy
        );
    }

    #[rstest]
    #[case("90s", Ok(90))]
    #[case(" 3 d", Ok(259_200))]
    #[case("2w", Ok(1_209_600))]
    #[case("0s", Ok(0))]
    #[case("-3d", Err(WaitFault))]
    #[case("3", Err(WaitFault))]
    #[case("d", Err(WaitFault))]
    #[case("11y", Err(WaitFault))]
    #[case("99999999999d", Err(WaitFault))]
    fn a_wait_is_read_with_its_unit(#[case] text: &str, #[case] expected: Result<i64, WaitFault>) {
        let read = text.parse::<Wait>();
        assert_eq!(read.map(Wait::as_seconds), expected);
        if let Ok(wait) = read {
            assert_eq!(wait.to_string().parse(), Ok(wait));
        }
    }
}

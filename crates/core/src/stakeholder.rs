//! The person on the other side, and the addresses that reach them.

use crate::{calendar::Country, id::MessageId};
use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A person, with what decides how they may be written to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stakeholder {
    /// The caller's own name for this person, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How the person is addressed, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A BCP 47 language tag. Templates exist for English.
    pub language: String,
    /// The person's time zone; without one, the policy's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// The country whose weekends and holidays they keep, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Country>,
    /// Where the person can be reached, best first.
    pub contacts: Vec<Contact>,
}

impl Stakeholder {
    /// The contact with this address, whatever its case.
    pub fn contact(&self, address: &EmailAddress) -> Option<&Contact> {
        self.contacts
            .iter()
            .find(|contact| contact.address.matches(address))
    }

    /// The first opt-out of any contact that is not about this contact alone: it holds for the
    /// person, and for whoever speaks for them.
    pub fn opted_out(&self) -> Option<&Consent> {
        self.contacts
            .iter()
            .map(|contact| &contact.consent)
            .find(|consent| consent.is_withdrawn())
    }
}

/// One address and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The channel that the address belongs to.
    pub channel: Channel,
    /// The address itself.
    pub address: EmailAddress,
    /// Whether messages arrive there.
    pub health: Health,
    /// Whether the person lets us write there.
    pub consent: Consent,
    /// Who let it be written to again, after an end of either, and on what grounds; the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revived: Option<Revival>,
    /// How whoever reads there is addressed, when it is not the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why we may write there, when it is not simply that a caller named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
}

/// That an operator let a contact be written to again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revival {
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// On what grounds.
    pub note: String,
}

impl Contact {
    /// Whether somebody else than the person reads there: one whom they named.
    pub fn is_delegate(&self) -> bool {
        matches!(self.grounds, Some(Grounds::Delegate { .. }))
    }

    /// A contact of which nothing bad is known yet.
    pub fn new(channel: Channel, address: EmailAddress) -> Self {
        Self {
            channel,
            address,
            health: Health::Working,
            consent: Consent::Given,
            revived: None,
            name: None,
            grounds: None,
        }
    }

    /// Whether a message may go there at all.
    pub fn usable(&self) -> bool {
        self.health == Health::Working && self.consent == Consent::Given
    }
}

/// A way of reaching somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Internet mail.
    Email,
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Email => "email",
        })
    }
}

/// Whether messages to a contact arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Health {
    /// Nothing speaks against it.
    Working,
    /// A message was refused for good, or came back.
    Failed {
        /// When that was.
        since: Timestamp,
        /// What the far side said, bounded.
        reason: String,
    },
}

/// Whether the person lets us write to a contact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Consent {
    /// They were named by a caller and have not objected.
    Given,
    /// They told us to stop.
    OptedOut {
        /// When.
        since: Timestamp,
        /// In which message, when it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Which operator entered it, when they told one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entered: Option<EnteredOptOut>,
    },
}

impl Consent {
    /// Whether the person wants no messages at all, whichever contact this is of.
    fn is_withdrawn(&self) -> bool {
        match self {
            Self::Given => false,
            Self::OptedOut { entered, .. } => entered.as_ref().is_none_or(|entered| !entered.alone),
        }
    }
}

/// That an operator entered an opt-out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnteredOptOut {
    /// Who.
    pub by: String,
    /// On what grounds.
    pub note: String,
    /// Whether it is about this contact alone: others may be used.
    #[serde(default, skip_serializing_if = "is_no")]
    pub alone: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_no(alone: &bool) -> bool {
    !*alone
}

/// Why we may write to a contact that no caller named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "grounds", rename_all = "snake_case")]
pub enum Grounds {
    /// The person named somebody else to talk to, and an operator or the caller agreed.
    Delegate {
        /// In which message they did.
        message: MessageId,
        /// Their words.
        quote: String,
        /// Who agreed.
        agreed_by: String,
        /// When.
        at: Timestamp,
    },
}

/// Somebody whom the person named to talk to instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegate {
    /// Their name, when it stands before the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their address.
    pub address: EmailAddress,
}

/// A mail address that is safe to put into a header or an SMTP command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Whether mail to this address comes to `mailbox`: it is the same, or a sub-address of it
    /// (`name+anything@domain`; RFC 5233 names the parts).
    pub fn comes_to(&self, mailbox: &Self) -> bool {
        let (own, theirs) = (self.lookup_form(), mailbox.lookup_form());
        let parted = own.rsplit_once('@').zip(theirs.rsplit_once('@'));
        parted.is_some_and(|((local, domain), (name, at))| {
            let rest = local.strip_prefix(name);
            domain == at && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
        })
    }

    /// Reads `local@domain`.
    ///
    /// Stricter than RFC 5321 on purpose: ASCII only (not every server speaks SMTPUTF8, RFC 6531; a
    /// domain is written in its `xn--` form), no quoted local parts, no address literals, no white
    /// space or control characters, at most 254 bytes in all (RFC 5321, section 4.5.3.1.3, less
    /// the angle brackets) and 64 before the `@` (section 4.5.3.1.1).
    pub fn parse(text: &str) -> Result<Self, AddressFault> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@').ok_or(AddressFault::NoAt)?;
        if text.len() > 254 || local.len() > 64 {
            return Err(AddressFault::TooLong);
        }
        let atext = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
        if local.is_empty()
            || !local
                .split('.')
                .all(|atom| !atom.is_empty() && atom.chars().all(atext))
        {
            return Err(AddressFault::Local);
        }
        let label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if !domain.split('.').all(label) {
            return Err(AddressFault::Domain);
        }
        Ok(Self(format!("{local}@{}", domain.to_lowercase())))
    }

    /// The address as written, its domain in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form to look an address up by: lower case throughout. RFC 5321 lets local parts differ
    /// by case; no provider that people use does.
    pub fn lookup_form(&self) -> String {
        self.0.to_lowercase()
    }

    /// Whether both name the same mailbox.
    pub fn matches(&self, other: &Self) -> bool {
        self.lookup_form() == other.lookup_form()
    }
}

impl<'de> Deserialize<'de> for EmailAddress {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is not a mail address that Liaison writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    /// There is no `@`.
    #[error("a mail address has the form name@domain")]
    NoAt,
    /// Longer than mail servers must accept.
    #[error("a mail address has at most 254 characters, 64 of them before the @")]
    TooLong,
    /// The part before the `@`.
    #[error("the part before the @ may hold ASCII letters, digits, dots and !#$%&'*+-/=?^_`{{|}}~")]
    Local,
    /// The part after the `@`.
    #[error("the part after the @ is not a domain name; one with other letters has an xn-- form")]
    Domain,
}

/// The name of a time zone that the zone database knows (`Europe/Paris`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Zone(String);

impl Zone {
    /// Checks the name against the zone database.
    pub fn parse(name: &str) -> Result<Self, UnknownZone> {
        match TimeZone::get(name) {
            Ok(_) => Ok(Self(name.to_owned())),
            Err(_) => Err(UnknownZone(name.chars().take(64).collect())),
        }
    }

    /// Coordinated universal time.
    pub fn utc() -> Self {
        Self("UTC".to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The rules behind the name. A zone that the database has since lost is read as UTC: the
    /// name was checked when it was taken, and a decision must not fail.
    pub fn rules(&self) -> TimeZone {
        TimeZone::get(&self.0).unwrap_or(TimeZone::UTC)
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A stored zone is taken as it is; only new ones are checked, where they come in.
        String::deserialize(deserializer).map(Self)
    }
}

/// A zone name that the database does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time zone; use a name like Europe/Paris")]
pub struct UnknownZone(String);

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("ana@example.com", Ok("ana@example.com"))]
    #[case(" Ana.B+x@Example.COM ", Ok("Ana.B+x@example.com"))]
    #[case("ana", Err(AddressFault::NoAt))]
    #[case("ana@exa mple.com", Err(AddressFault::Domain))]
    #[case("ana\r\nBcc: b@c.d@example.com", Err(AddressFault::Local))]
    #[case("ana@example.com\r\nRCPT TO:<b@c.d>", Err(AddressFault::Local))]
    #[case("\"a b\"@example.com", Err(AddressFault::Local))]
    #[case("a@[127.0.0.1]", Err(AddressFault::Domain))]
    #[case("a..b@example.com", Err(AddressFault::Local))]
    #[case("jürgen@example.com", Err(AddressFault::Local))]
    #[case("ana@bücher.example", Err(AddressFault::Domain))]
    #[case("ana@xn--bcher-kva.example", Ok("ana@xn--bcher-kva.example"))]
    fn an_address_is_safe_for_headers_and_commands(
        #[case] text: &str,
        #[case] expected: Result<&str, AddressFault>,
    ) {
        let read = EmailAddress::parse(text);
        assert_eq!(
            read.as_ref().map(EmailAddress::as_str).map_err(|f| *f),
            expected
        );
    }
}

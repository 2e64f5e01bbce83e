//! Scenarios: the story, as data.

mod expect;
mod file;
mod need;
mod when;

pub(crate) use expect::OPEN;

pub use expect::Expected;
pub use when::{Anchor, Happening, When, Which};

use jiff::{Timestamp, tz::TimeZone};
use liaison_core::{policy::Policy, stakeholder::EmailAddress};
use std::collections::BTreeMap;

/// A story to play.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name, one line.
    pub title: String,
    /// What happens in it, in a few sentences for a reader.
    pub story: String,
    /// Where its ids and other randomness come from.
    pub seed: u64,
    /// When it begins.
    pub starts: Timestamp,
    /// When it is broken off, if anything is still to come then.
    pub ends: Option<Break>,
    /// The clock that its times are on, and that people without their own live by.
    pub zone: TimeZone,
    /// The tenant's rules at the beginning.
    pub policy: Policy,
    /// The people, by the name that the file gives them.
    pub people: BTreeMap<String, Person>,
    /// What workflows will ask for, by the name that the file gives each.
    pub needs: BTreeMap<String, Need>,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// How it must end, if the file says so.
    pub expected: Option<Expected>,
}

/// Where a scenario is broken off.
#[derive(Clone, Debug)]
pub struct Break {
    /// Its line in the file, from 1.
    pub line: usize,
    /// When.
    pub at: When,
}

impl Scenario {
    /// Reads a scenario file. A fault names the field and the line.
    pub fn parse(text: &str) -> Result<Self, ScenarioFault> {
        file::read(text)
    }

    /// The clock on which a step's time is read: that of the person whom it concerns.
    pub fn clock_of(&self, step: &Step) -> &TimeZone {
        step.act
            .person(self)
            .and_then(|person| self.people.get(person))
            .map_or(&self.zone, |person| &person.zone)
    }
}

/// Somebody to get answers from.
#[derive(Clone, Debug)]
pub struct Person {
    /// The name that they are addressed with.
    pub name: String,
    /// The clock that they live by.
    pub zone: TimeZone,
    /// Their addresses, best first.
    pub emails: Vec<EmailAddress>,
    /// The person as the API takes them.
    pub spec: serde_json::Value,
}

/// What a workflow will ask for.
#[derive(Clone, Debug)]
pub struct Need {
    /// Whom, by the file's name.
    pub person: String,
    /// The request's body.
    pub body: serde_json::Value,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its line in the file, from 1.
    pub line: usize,
    /// When.
    pub at: When,
    /// What the narrator says before it.
    pub note: Option<String>,
    /// What.
    pub act: Act,
}

/// What can happen.
#[derive(Clone, Debug)]
pub enum Act {
    /// A workflow registers a need.
    Register {
        /// Which.
        need: String,
    },
    /// A workflow changes or takes back a need, or asks after it.
    Caller {
        /// Which need.
        need: String,
        /// What it does.
        does: CallerAct,
    },
    /// A mail comes in.
    Mail(Box<Mail>),
    /// An operator gives a command.
    Operator {
        /// Who.
        by: String,
        /// The command's name in the API.
        does: String,
        /// About whose conversation.
        about: String,
        /// The command's body, without `by`.
        with: serde_json::Value,
    },
    /// The last message to a person comes back.
    Bounce {
        /// To whom it was.
        person: String,
        /// What the far side says.
        says: String,
        /// Whether the address will never work.
        for_good: bool,
    },
    /// How the next hand-overs go.
    Deliveries(Vec<Delivery>),
    /// The reader fails this many times.
    ReaderFails(u32),
    /// The daemon stops, or starts again.
    Daemon {
        /// Whether it runs from now on.
        runs: bool,
    },
    /// The tenant's rules change.
    Policy(Box<Policy>),
    /// Nothing but the narrator's words.
    Nothing,
}

impl Act {
    /// The person whom it concerns, if it is one.
    pub fn person<'a>(&'a self, scenario: &'a Scenario) -> Option<&'a str> {
        match self {
            Self::Register { need } | Self::Caller { need, .. } => {
                scenario.needs.get(need).map(|need| need.person.as_str())
            }
            Self::Mail(mail) => Some(&mail.who),
            Self::Operator { about, .. } => Some(about),
            Self::Bounce { person, .. } => Some(person),
            Self::Deliveries(_)
            | Self::ReaderFails(_)
            | Self::Daemon { .. }
            | Self::Policy(_)
            | Self::Nothing => None,
        }
    }
}

/// What a workflow does with a need that it registered.
#[derive(Clone, Debug)]
pub enum CallerAct {
    /// It takes it back.
    Cancels,
    /// It asks what has become of it.
    AsksAfter,
    /// It changes it.
    Amends(serde_json::Value),
    /// Asked whether it still waits, it says yes.
    StillWaits,
}

/// A mail from a person, or from somebody in their thread.
#[derive(Clone, Debug)]
pub struct Mail {
    /// In whose thread.
    pub who: String,
    /// From which address.
    pub from: EmailAddress,
    /// The subject; without one, a reply's.
    pub subject: Option<String>,
    /// What is written.
    pub text: String,
    /// The names of what is attached.
    pub files: Vec<String>,
    /// Whether a program wrote it.
    pub automatic: bool,
    /// Whether it answers our last message, or begins anew.
    pub in_thread: bool,
}

/// How one hand-over goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// The far side takes it.
    Taken,
    /// Not now.
    RefusedForNow,
    /// This message never.
    Refused,
    /// The address never works.
    BadAddress,
    /// The connection breaks where nobody can tell; it did not arrive.
    BrokenOff,
    /// The connection breaks where nobody can tell; it did arrive.
    BrokenOffArrived,
}

/// Why a scenario cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {field}: {detail}")]
pub struct ScenarioFault {
    /// The line in the file, from 1.
    pub line: usize,
    /// The field.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub detail: String,
}

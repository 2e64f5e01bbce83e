//! Values for tests.

use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    amendment::{Amendment, SlotChange},
    id::NeedId,
    need::{Registration, SlotRequest},
    policy::{Policy, Wait},
    slot::{Confirm, SlotKey},
    stakeholder::{Channel, Contact, EmailAddress, Stakeholder, Zone},
    value::{Boolean, Choice, ChoiceOption, DateKind, Kind, Number, Text},
};

/// The stakeholder's address in every test.
pub(crate) const ADDRESS: &str = "ana@example.com";

pub(crate) fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// This many seconds later, or earlier.
pub(crate) fn later(at: Timestamp, seconds: i64) -> Timestamp {
    at.checked_add(SignedDuration::from_secs(seconds))
        .expect("an instant that there is")
}

pub(crate) fn address(text: &str) -> EmailAddress {
    EmailAddress::parse(text).expect("an address")
}

pub(crate) fn ana() -> Stakeholder {
    Stakeholder {
        key: None,
        name: Some("Ana".to_owned()),
        language: "en".to_owned(),
        zone: None,
        country: None,
        contacts: vec![Contact::new(Channel::Email, address(ADDRESS))],
    }
}

pub(crate) fn zone(name: &str) -> Zone {
    Zone::parse(name).expect("a zone")
}

pub(crate) fn slot_key(subject: &str, name: &str) -> SlotKey {
    SlotKey {
        subject: subject.to_owned(),
        name: name.to_owned(),
    }
}

/// The kinds that tests name in one word.
pub(crate) fn kind(name: &str) -> Kind {
    let option = |value: &str, label: &str| ChoiceOption {
        value: value.to_owned(),
        label: Some(label.to_owned()),
        synonyms: Vec::new(),
    };
    match name {
        "arranged_by" => Kind::Choice(Choice {
            options: vec![
                option("landlord", "arrange the inspection yourself"),
                option("agency", "have us arrange it for you"),
            ],
        }),
        "rent" => Kind::Number(Number::default()),
        "pets" => Kind::Boolean(Boolean::default()),
        "day" => Kind::Date(DateKind::default()),
        "note" => Kind::Text(Text::default()),
        other => panic!("no kind is called {other}"),
    }
}

/// The same kinds with other constraints.
pub(crate) fn narrow_kind(name: &str) -> Kind {
    match kind(name) {
        Kind::Choice(mut choice) => {
            choice.options.push(ChoiceOption {
                value: "tenant".to_owned(),
                label: Some("have the tenant arrange it".to_owned()),
                synonyms: Vec::new(),
            });
            Kind::Choice(choice)
        }
        Kind::Number(number) => Kind::Number(Number {
            maximum: Some(1_250.into()),
            ..number
        }),
        Kind::Date(day) => Kind::Date(DateKind {
            earliest: Some(jiff::civil::date(2027, 5, 15)),
            ..day
        }),
        // What is constrained by nothing becomes what it is not.
        Kind::Boolean(_) => Kind::Text(Text::default()),
        _ => Kind::Boolean(Boolean::default()),
    }
}

pub(crate) fn question(name: &str) -> &'static str {
    match name {
        "arranged_by" => {
            "Would you prefer to arrange the inspection yourself, or have us arrange it for you?"
        }
        "rent" => "How much is the rent?",
        "pets" => "Are pets allowed?",
        "day" => "On which day does it suit you?",
        "note" => "What should the tenant know?",
        other => panic!("no question is called {other}"),
    }
}

pub(crate) fn slot(name: &str) -> SlotRequest {
    SlotRequest {
        name: name.to_owned(),
        kind: kind(name),
        question: question(name).to_owned(),
        required: true,
        self_checks: Vec::new(),
        max_age: None,
        depends_on: Vec::new(),
        confirm: Confirm::Never,
    }
}

/// A policy in which nothing waits for the hour, for more messages or for the week to end.
pub(crate) fn calm() -> Policy {
    Policy {
        quiet_hours: None,
        gather: Wait::seconds(0),
        burst: Wait::seconds(0),
        minimum_gap: Wait::seconds(0),
        weekly_cap: 100,
        ..Policy::default()
    }
}

/// A need that waits for these slots.
pub(crate) fn need(id: &str, slots: &[&str], deadline: &str) -> Registration {
    Registration {
        need: NeedId::new(id),
        goal: "Decide who will arrange the inspection".to_owned(),
        subject: None,
        slots: slots.iter().map(|name| slot(name)).collect(),
        deadline: instant(deadline),
        facts: Vec::new(),
        briefs: Vec::new(),
        ladder: None,
        transcript: Vec::new(),
    }
}

/// A change to a need that changes nothing yet.
pub(crate) fn amendment(need: &str) -> Amendment {
    Amendment {
        need: NeedId::new(need),
        deadline: None,
        facts: None,
        add: Vec::new(),
        change: Vec::new(),
        remove: Vec::new(),
    }
}

/// A change to a slot that changes nothing yet.
pub(crate) fn slot_change(name: &str) -> SlotChange {
    SlotChange {
        name: name.to_owned(),
        kind: None,
        question: None,
        required: None,
        self_checks: None,
        depends_on: None,
        confirm: None,
        max_age: None,
    }
}

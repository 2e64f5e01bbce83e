//! People, words, policies and readers for tests.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    conversation::Conversation,
    form::{Answer, MessageForm, ReadRequest, Reading, SlotForm},
    id::{MessageId, NeedId, TenantId},
    need::{Registration, SlotRequest},
    policy::{Policy, Wait},
    slot::Confirm,
    stakeholder::{Channel, Contact, EmailAddress, Stakeholder},
    value::{Choice, ChoiceOption, Kind},
};
use liaison_ports::{
    fake::RecordingTransport,
    language::{Answered, FormFiller, ModelFault, Usage},
};
use std::sync::{Arc, Mutex};

pub(crate) const LANDLORD: &str = "ana@example.com";
pub(crate) const YES: &str = "Please arrange it for me.";
pub(crate) const QUESTION: &str =
    "Would you prefer to arrange the inspection yourself, or have us arrange it for you?";

pub(crate) fn start() -> Timestamp {
    "2027-05-10T09:00:00Z".parse().unwrap()
}

pub(crate) fn tenant() -> TenantId {
    TenantId::new("acme")
}

pub(crate) fn address(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

pub(crate) fn token(need: &str) -> String {
    format!("token-{need}")
}

pub(crate) fn recorder() -> Arc<RecordingTransport> {
    Arc::new(RecordingTransport::new(address("office@agency.example")))
}

/// Ana, with these addresses.
pub(crate) fn person(addresses: &[&str]) -> Stakeholder {
    Stakeholder {
        key: None,
        name: Some("Ana".to_owned()),
        language: "en".to_owned(),
        zone: None,
        country: None,
        contacts: addresses
            .iter()
            .map(|text| Contact::new(Channel::Email, address(text)))
            .collect(),
    }
}

/// A policy that waits for nothing that a test is not about.
pub(crate) fn policy() -> Policy {
    Policy {
        quiet_hours: None,
        gather: Wait::seconds(0),
        burst: Wait::seconds(0),
        minimum_gap: Wait::seconds(0),
        weekly_cap: 100,
        reading_tries: 3,
        ..Policy::default()
    }
}

pub(super) fn registration(need: &str, deadline: Timestamp) -> Registration {
    let option = |value: &str, label: &str| ChoiceOption {
        value: value.to_owned(),
        label: Some(label.to_owned()),
        synonyms: Vec::new(),
    };
    Registration {
        need: NeedId::new(need),
        goal: "Decide who will arrange the inspection".to_owned(),
        subject: None,
        slots: vec![SlotRequest {
            name: "arranged_by".to_owned(),
            kind: Kind::Choice(Choice {
                options: vec![
                    option("landlord", "arrange it yourself"),
                    option("agency", "have us arrange it for you"),
                ],
            }),
            question: QUESTION.to_owned(),
            required: true,
            self_checks: Vec::new(),
            max_age: None,
            depends_on: Vec::new(),
            confirm: Confirm::Never,
        }],
        deadline,
        facts: Vec::new(),
        briefs: Vec::new(),
        ladder: None,
        transcript: Vec::new(),
    }
}

/// What an attentive reader makes of the few things that Ana says.
pub(crate) fn understand(request: &ReadRequest) -> Reading {
    let said = |words: &str| request.words.iter().any(|w| w.text.contains(words));
    let question = request.words.iter().find(|w| w.text.ends_with('?'));
    let slots = request.slots.iter().map(|slot| {
        let silent = SlotForm::silent(slot.self_checks.len());
        if !said(YES) {
            return silent;
        }
        SlotForm {
            says: "We are to arrange it.".to_owned(),
            quote: YES.to_owned(),
            clear_value_present: true,
            answer: Answer::Value,
            value: "agency".into(),
            ..silent
        }
    });
    Reading {
        message: MessageForm {
            question: question.map(|w| w.text.clone()).unwrap_or_default(),
            ..MessageForm::default()
        },
        slots: slots.collect(),
    }
}

/// A reader that fails until it is mended.
pub(crate) struct Failing {
    pub(crate) faults: Mutex<Vec<ModelFault>>,
}

#[async_trait]
impl FormFiller for Failing {
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        if let Some(fault) = self.faults.lock().unwrap().pop() {
            return Err(fault);
        }
        Ok(Answered {
            answer: understand(request),
            usage: Usage::default(),
        })
    }
}

/// The id of the message that is on its way.
pub(crate) fn on_its_way(document: &Conversation) -> MessageId {
    let outgoing = document.outgoing.first();
    outgoing.expect("a message is on its way").message.clone()
}

//! A transport that keeps what it is given and does what it is told.

use crate::transport::{ComposeFault, Composed, Delivery, Finding, Handover, Recalled, Transport};
use async_trait::async_trait;
use liaison_core::{
    effect::OutboundMessage,
    stakeholder::{Channel, EmailAddress},
};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How one hand-over goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scripted {
    /// The far side takes it.
    Accept,
    /// The far side says no before the point of no return, as a server does to a recipient.
    RefuseBefore(Delivery),
    /// The far side says no after it, as a server does to the content.
    RefuseAfter(Delivery),
    /// The connection breaks after the point of no return.
    BreakOff {
        /// Whether the message arrived all the same.
        arrived: bool,
    },
}

/// A [`Transport`] for mail that accepts everything unless a script says otherwise, and keeps what
/// arrived.
#[derive(Debug)]
pub struct RecordingTransport {
    from: EmailAddress,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    script: VecDeque<Scripted>,
    arrived: Vec<Composed>,
    tries: usize,
    finding: Finding,
    trouble: Option<String>,
}

impl RecordingTransport {
    /// A transport that sends from `from`.
    pub fn new(from: EmailAddress) -> Self {
        Self {
            from,
            state: Mutex::new(State {
                script: VecDeque::new(),
                arrived: Vec::new(),
                tries: 0,
                finding: Finding::CannotTell,
                trouble: None,
            }),
        }
    }

    /// Says how the next hand-over goes that nothing was said about yet.
    pub fn push(&self, scripted: Scripted) {
        self.state().script.push_back(scripted);
    }

    /// What arrived at the far side, in order.
    pub fn arrived(&self) -> Vec<Composed> {
        self.state().arrived.clone()
    }

    /// How often a hand-over was tried.
    pub fn tries(&self) -> usize {
        self.state().tries
    }

    /// Says what looking for a message finds from now on; at first nobody can tell.
    pub fn set_finding(&self, finding: Finding) {
        self.state().finding = finding;
    }

    /// Says what [`Transport::check`] complains of from now on.
    pub fn set_trouble(&self, trouble: Option<String>) {
        self.state().trouble = trouble;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Transport for RecordingTransport {
    fn channel(&self) -> Channel {
        Channel::Email
    }

    fn compose(&self, message: &OutboundMessage) -> Result<Composed, ComposeFault> {
        let transport_id = format!("<{}@recording.invalid>", message.id);
        let text = format!(
            "Message-ID: {transport_id}\r\nSubject: {}\r\n\r\n{}",
            message.draft.subject, message.draft.body
        );
        Ok(Composed {
            from: self.from.clone(),
            to: message.plan.to.clone(),
            transport_id: Some(transport_id),
            bytes: text.into_bytes(),
        })
    }

    async fn deliver(&self, composed: &Composed, handover: &dyn Handover) -> Delivery {
        let scripted = {
            let mut state = self.state();
            state.tries += 1;
            state.script.pop_front().unwrap_or(Scripted::Accept)
        };
        if let Scripted::RefuseBefore(delivery) = scripted {
            return delivery;
        }
        if let Err(Recalled) = handover.point_of_no_return().await {
            return Delivery::Recalled;
        }
        match scripted {
            Scripted::Accept => {
                self.state().arrived.push(composed.clone());
                Delivery::Sent
            }
            Scripted::BreakOff { arrived } => {
                if arrived {
                    self.state().arrived.push(composed.clone());
                }
                Delivery::Unknown {
                    why: "the connection broke off".to_owned(),
                }
            }
            Scripted::RefuseBefore(delivery) | Scripted::RefuseAfter(delivery) => delivery,
        }
    }

    async fn look_up(&self, _composed: &Composed) -> Finding {
        self.state().finding
    }

    async fn check(&self) -> Result<(), String> {
        match &self.state().trouble {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(()),
        }
    }
}

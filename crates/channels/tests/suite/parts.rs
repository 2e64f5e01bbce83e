//! What the tests of the transports share.

use async_trait::async_trait;
use liaison_channels::email::{Login, Security, Sender, SmtpConfig, SmtpTimeouts};
use liaison_core::{
    conversation::MessageKind,
    effect::OutboundMessage,
    id::MessageId,
    plan::{Draft, MessagePlan, Wording},
    stakeholder::{Channel, EmailAddress},
};
use liaison_ports::transport::{Handover, Recalled};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) fn address(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

/// A plain connection to a server on this machine.
pub(crate) fn smtp(port: u16) -> SmtpConfig {
    SmtpConfig {
        host: "127.0.0.1".to_owned(),
        port,
        security: Security::Plain,
        login: None,
        authority: None,
        allow_unencrypted: false,
        hello: None,
        sender: Sender {
            name: Some("Ana".to_owned()),
            mailbox: address("liaison@example.test"),
            tagged_envelope: true,
        },
        connections: 4,
        timeouts: SmtpTimeouts::default(),
    }
}

pub(crate) fn login(user: &str, password: &str) -> Login {
    Login {
        user: user.to_owned(),
        password: password.to_owned().into(),
    }
}

/// The token in every message of [`outbound`].
pub(crate) const TOKEN: &str = "7q0e5d3b1m2n4p6r8s0t2v4w6x";

pub(crate) fn outbound(id: &str, to: &str, body: &str) -> OutboundMessage {
    OutboundMessage {
        id: MessageId::new(id),
        at: "2026-03-02T09:15:30Z".parse().unwrap(),
        reply_token: TOKEN.to_owned(),
        plan: MessagePlan {
            kind: MessageKind::Ask,
            channel: Channel::Email,
            to: address(to),
            name: Some("Bo".to_owned()),
            language: "en".to_owned(),
            tone: Default::default(),
            signature: "Ana".to_owned(),
            thread_subject: None,
            references: Vec::new(),
            goals: Vec::new(),
            items: Vec::new(),
            guidance: Vec::new(),
        },
        draft: Draft {
            subject: "The inspection".to_owned(),
            body: body.to_owned(),
            by: Wording::Template,
        },
    }
}

/// Counts how often the point of no return was reached, and lets pass or not.
pub(crate) struct Gate {
    open: bool,
    reached: AtomicUsize,
}

impl Gate {
    pub(crate) fn open() -> Self {
        Self {
            open: true,
            reached: AtomicUsize::new(0),
        }
    }

    pub(crate) fn closed() -> Self {
        Self {
            open: false,
            reached: AtomicUsize::new(0),
        }
    }

    pub(crate) fn reached(&self) -> usize {
        self.reached.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Handover for Gate {
    async fn point_of_no_return(&self) -> Result<(), Recalled> {
        self.reached.fetch_add(1, Ordering::SeqCst);
        if self.open { Ok(()) } else { Err(Recalled) }
    }
}

//! What went wrong at which step, and what that means for the message.

use crate::email::remark::remark;
use lettre::transport::smtp::Error;
use liaison_ports::transport::Delivery;
use std::{error::Error as _, io, time::Duration};

/// A step of a hand-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Connecting, the greeting and EHLO.
    Connect,
    /// The TLS handshake.
    Encrypt,
    /// AUTH.
    LogIn,
    /// MAIL FROM.
    Sender,
    /// RCPT TO.
    Recipient,
    /// DATA.
    Data,
    /// The message and its final dot.
    Message,
    /// NOOP.
    Ping,
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Connect => "connecting",
            Self::Encrypt => "encrypting the connection",
            Self::LogIn => "logging in",
            Self::Sender => "naming the sender",
            Self::Recipient => "naming the recipient",
            Self::Data => "announcing the message",
            Self::Message => "sending the message",
            Self::Ping => "checking the connection",
        }
    }
}

/// A step that failed.
#[derive(Debug, thiserror::Error)]
#[error("{} failed", step.name())]
pub(super) struct Fault {
    step: Step,
    #[source]
    cause: Cause,
}

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
enum Cause {
    /// The server said no.
    #[error("the server said {code} {text}")]
    Reply { code: u16, text: String },
    /// The connection failed, or what came was no SMTP.
    #[error(transparent)]
    Connection(Box<dyn std::error::Error + Send + Sync>),
    /// Nothing came.
    #[error("no answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
}

impl Fault {
    pub(super) fn of_reply(step: Step, error: Error) -> Self {
        let cause = match error.status() {
            Some(code) => Cause::Reply {
                code: code.into(),
                text: error
                    .source()
                    .map(|text| text.to_string())
                    .unwrap_or_default(),
            },
            None => Cause::Connection(error.into()),
        };
        Self { step, cause }
    }

    pub(super) fn of_unexpected_reply(step: Step, code: u16, text: String) -> Self {
        let cause = Cause::Connection(
            format!("the server answered {code} {text} where that makes no sense").into(),
        );
        Self { step, cause }
    }

    pub(super) fn of_io(step: Step, error: io::Error) -> Self {
        Self {
            step,
            cause: Cause::Connection(error.into()),
        }
    }

    pub(super) fn of_timeout(step: Step, after: Duration) -> Self {
        Self {
            step,
            cause: Cause::TimedOut(after),
        }
    }

    /// Whether it is about the connection only: the server hung up, or says that it will (421,
    /// RFC 5321, section 3.8).
    pub(super) fn says_nothing_of_the_message(&self) -> bool {
        match &self.cause {
            Cause::Reply { code, .. } => *code == 421,
            Cause::Connection(_) | Cause::TimedOut(_) => true,
        }
    }

    /// What it means while the server has nothing that it could deliver.
    pub(super) fn before_the_message(&self) -> Delivery {
        self.refusal().unwrap_or_else(|| Delivery::RefusedForNow {
            reason: self.reason(),
        })
    }

    /// What it means once the server may have the whole message.
    pub(super) fn after_the_message(&self) -> Delivery {
        self.refusal()
            .unwrap_or_else(|| Delivery::Unknown { why: self.reason() })
    }

    /// What the server's no means; `None` when it did not say no.
    fn refusal(&self) -> Option<Delivery> {
        let Cause::Reply { code, text } = &self.cause else {
            return None;
        };
        let reason = self.reason();
        let ours = matches!(self.step, Step::Connect | Step::Encrypt | Step::LogIn)
            // Authentication is needed, too weak, refused or needs encryption (RFC 4954, section
            // 6). Whatever it is, our settings are wrong and no message is.
            || matches!(*code, 530 | 534 | 535 | 538);
        if ours || *code < 500 {
            return Some(Delivery::RefusedForNow { reason });
        }
        Some(Delivery::Refused {
            address_is_bad: self.address_is_bad(*code, text),
            reason,
        })
    }

    /// Whether a permanent no condemns the address, not this message, this hour or us.
    fn address_is_bad(&self, code: u16, text: &str) -> bool {
        match (self.step, enhanced(text)) {
            (Step::Recipient | Step::Data | Step::Message, Some((subject, detail))) => {
                match (subject, detail) {
                    // RFC 3463, section 3.2: 5.1.7 and 5.1.8 are about the sender's address.
                    (1, 7 | 8) => false,
                    (1, _) => true,
                    // A mailbox that is disabled; a full one (5.2.2) is not gone.
                    (2, 1) => true,
                    // Others that explain themselves: mailbox, system, network, security.
                    (2 | 3 | 4 | 6 | 7, _) => false,
                    // 5.0.x and 5.5.x say nothing beyond the reply code.
                    _ => self.condemned_by(code),
                }
            }
            _ => self.condemned_by(code),
        }
    }

    /// RFC 5321, section 4.2.3: no such mailbox, not local, name not allowed.
    fn condemned_by(&self, code: u16) -> bool {
        self.step == Step::Recipient && matches!(code, 550 | 551 | 553)
    }

    fn reason(&self) -> String {
        match &self.cause {
            Cause::Reply { code, text } => remark(&format!("{}: {code} {text}", self.step.name())),
            cause => remark(&format!("{}: {cause}{}", self.step.name(), sources(cause))),
        }
    }

    /// What to do about it, for a person who set the server up.
    pub(super) fn advice(&self, host: &str, port: u16) -> String {
        let what = self.reason();
        let todo = match (self.step, &self.cause) {
            (Step::Connect, Cause::Connection(_) | Cause::TimedOut(_)) => {
                "check host and port, that the server runs, and that a firewall lets this machine \
                 out; if the port expects TLS from the first byte (465), set security to \"tls\""
            }
            (Step::Connect, Cause::Reply { .. }) => {
                "the server does not want this machine; it may be blocked, or hello may need this \
                 machine's host name"
            }
            (Step::Encrypt, _) => {
                "check that host is the name in the server's certificate, set ca_file to its PEM \
                 file if your own authority signed it, and check that security fits the port"
            }
            (Step::LogIn, _) => {
                "check user and password; some providers want an app password, and some offer \
                 login only over TLS"
            }
            _ => "the server accepts connections but not commands; its log says more",
        };
        format!("SMTP server {host}:{port}: {what}. To do: {todo}")
    }
}

/// The inner causes that a cause does not print itself.
fn sources(cause: &Cause) -> String {
    let mut text = String::new();
    let mut printed = cause.to_string();
    let mut next = cause.source();
    while let Some(source) = next {
        let words = source.to_string();
        if !printed.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
            printed.push_str(&words);
        }
        next = source.source();
    }
    text
}

/// Subject and detail of the enhanced status code (RFC 3463) that a reply begins with.
fn enhanced(text: &str) -> Option<(u16, u16)> {
    let word = text.split_whitespace().next()?;
    let mut parts = word.split('.');
    let (class, subject, detail) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !matches!(class, "4" | "5") {
        return None;
    }
    Some((subject.parse().ok()?, detail.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn reply(step: Step, code: u16, text: &str) -> Fault {
        Fault {
            step,
            cause: Cause::Reply {
                code,
                text: text.to_owned(),
            },
        }
    }

    #[rstest]
    #[case(Step::Connect, 421, "busy", "for now")]
    #[case(Step::Connect, 554, "go away", "for now")]
    #[case(Step::LogIn, 535, "5.7.8 bad credentials", "for now")]
    #[case(Step::LogIn, 454, "4.7.0 later", "for now")]
    #[case(Step::Sender, 530, "5.7.0 authentication required", "for now")]
    #[case(Step::Sender, 451, "4.3.0 later", "for now")]
    #[case(Step::Sender, 550, "5.1.8 sender's domain unknown", "message")]
    #[case(Step::Sender, 550, "no", "message")]
    #[case(Step::Recipient, 450, "4.2.0 greylisted", "for now")]
    #[case(Step::Recipient, 452, "4.2.2 full", "for now")]
    #[case(Step::Recipient, 550, "no such user", "address")]
    #[case(Step::Recipient, 550, "5.1.1 no such user", "address")]
    #[case(Step::Recipient, 550, "5.5.0 mailbox unavailable", "address")]
    #[case(Step::Recipient, 550, "5.2.1 disabled", "address")]
    #[case(Step::Recipient, 551, "not local", "address")]
    #[case(Step::Recipient, 553, "not allowed", "address")]
    #[case(Step::Recipient, 556, "5.1.10 null MX", "address")]
    #[case(Step::Recipient, 550, "5.7.1 blocked", "message")]
    #[case(Step::Recipient, 550, "5.1.7 bad sender", "message")]
    #[case(Step::Recipient, 552, "5.2.2 mailbox full", "message")]
    #[case(Step::Recipient, 552, "full", "message")]
    #[case(Step::Recipient, 554, "no", "message")]
    #[case(Step::Data, 554, "no valid recipients", "message")]
    #[case(Step::Message, 451, "later", "for now")]
    #[case(Step::Message, 550, "spam", "message")]
    #[case(Step::Message, 550, "5.1.1 no such user", "address")]
    #[case(Step::Message, 554, "5.7.1 spam", "message")]
    fn a_reply_condemns_the_hour_the_message_or_the_address(
        #[case] step: Step,
        #[case] code: u16,
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        let fault = reply(step, code, text);
        for delivery in [fault.before_the_message(), fault.after_the_message()] {
            let condemned = match delivery {
                Delivery::RefusedForNow { .. } => "for now",
                Delivery::Refused {
                    address_is_bad: true,
                    ..
                } => "address",
                Delivery::Refused { .. } => "message",
                other => panic!("{other:?}"),
            };
            assert_eq!(condemned, expected);
        }
    }

    #[test]
    fn a_lost_connection_means_later_before_the_message_and_nobody_knows_after() {
        for fault in [
            Fault::of_io(Step::Message, io::ErrorKind::ConnectionReset.into()),
            Fault::of_timeout(Step::Message, Duration::from_secs(600)),
            Fault::of_unexpected_reply(Step::Message, 354, "what".to_owned()),
        ] {
            assert!(matches!(
                fault.before_the_message(),
                Delivery::RefusedForNow { .. }
            ));
            assert!(matches!(
                fault.after_the_message(),
                Delivery::Unknown { .. }
            ));
        }
    }

    #[test]
    fn a_reason_is_bounded_and_printable() {
        let fault = reply(
            Step::Recipient,
            550,
            &format!("no\u{1b}[2J\0{}", "x".repeat(9_000)),
        );
        let reason = fault.reason();
        assert!(reason.starts_with("naming the recipient: 550 no"));
        assert!(reason.chars().count() <= 200 && !reason.chars().any(char::is_control));
    }
}

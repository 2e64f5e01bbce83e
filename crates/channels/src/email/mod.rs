//! Email, in and out.
//!
//! Out: [`compose`] makes the exact bytes of a message, [`smtp::SmtpTransport`] hands them over.
//! In: [`imap::ImapReceiver`] fetches, [`decode::EmailDecoder`] reads. [`sink::Sink`] is a mail
//! server for the demo and for tests.

pub mod compose;
pub mod decode;
pub mod imap;
pub mod inbound;
mod net;
mod remark;
pub mod sink;
pub mod smtp;
mod subaddress;

pub use self::{
    compose::Sender,
    decode::EmailDecoder,
    imap::{ImapConfig, ImapReceiver},
    net::{ConfigFault, Login, Security},
    sink::{Sink, SinkConfig, SinkMessage},
    smtp::{SmtpConfig, SmtpTimeouts, SmtpTransport},
};

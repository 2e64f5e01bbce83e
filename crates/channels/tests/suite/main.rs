//! The tests of `liaison-channels` that go through its public door.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this crate is tests: a panic is a failure, and a skipped test says so"
)]

mod corpus;
mod decode;
mod inbound_corpus;
mod inbound_hostile;
mod inbound_mail;
mod mail_servers;
mod parts;
mod smtp_sink;

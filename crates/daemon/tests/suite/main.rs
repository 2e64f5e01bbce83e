//! The whole daemon: against real mail servers, against bad input, and by its command line.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this crate is tests: a panic is a failure, and a skipped test says so"
)]

mod bad_input;
mod commands;
mod harness;
mod kill;
mod mail_servers_kit;
mod replay;
mod replicas;
mod simulate;
mod whole_run;

//! The engine over the in-memory store, with a clock that the tests move, a transport that does
//! what it is told and a reader that says what it is told.

#![allow(
    clippy::unwrap_used,
    reason = "all of this crate is tests: a panic is a failure"
)]

mod dispatch;
mod exchange;
mod histories;
mod intake;
mod model;
mod office;
mod store;
mod stub;
mod work;

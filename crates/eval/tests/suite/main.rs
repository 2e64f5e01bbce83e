//! Every scenario is played and compared with its transcript, and scenario files that say something
//! impossible are refused.

#![allow(
    clippy::unwrap_used,
    reason = "all of this crate is tests: a panic is a failure"
)]

mod refusals;
mod stories;

//! The client against real servers on loopback: the daemon's own API over a store in memory, and
//! servers that misbehave.

#[path = "../../../server/tests/suite/engine.rs"]
mod engine;

mod calls;
mod daemon;
mod outcomes;
mod trouble;

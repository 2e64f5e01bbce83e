//! Simulated people and virtual time.
//!
//! A scenario is a file that tells a story of some weeks: who the people are, what workflows want
//! to know of them, what they write and when, what operators do, what goes wrong. [`play`] lets it
//! happen to the real engine and the real API, over a store, a transport and a clock that do what
//! they are told, and writes down what everybody would have seen. The same file gives the same
//! transcript, byte for byte.

mod play;
pub mod scenario;
mod tale;
mod visible;

pub use play::{Cast, PlayFault, play};
pub use scenario::{Scenario, ScenarioFault};

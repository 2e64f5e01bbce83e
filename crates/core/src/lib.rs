//! The deterministic heart of Liaison: what is known about one conversation, and every decision
//! about it.
//!
//! Nothing here can wait, fail on I/O, read a clock, draw a random number or log. Time, entropy
//! and everything that happened outside are arguments. The two functions to read first are
//! [`phase::determine_phase`], which says what happens next, and [`transition::apply`], the only
//! place that changes state.

pub mod amendment;
pub mod calendar;
pub mod conversation;
pub mod counting;
pub mod effect;
pub mod form;
pub mod gate;
pub mod id;
pub mod input;
pub mod journal;
pub mod ladder;
pub mod need;
pub mod phase;
pub mod plan;
pub mod policy;
pub mod retrospect;
pub mod sending;
pub mod sharing;
pub mod slot;
pub mod stakeholder;
pub mod transition;
pub mod value;

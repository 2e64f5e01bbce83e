//! The daemon as a library, so that its own tests can start it with a clock of their own. The
//! binary is `main.rs`.

pub mod cli;
pub mod config;
pub mod environment;
pub mod running;

mod bench;
mod demo;
mod doctor;
mod keys;
mod operator;
mod replay;
mod serve;
mod simulate;
pub mod stores;

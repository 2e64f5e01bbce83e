//! The API from outside, over a store in memory and a clock that moves when told.

mod access;
mod amending;
mod attention;
mod bodies;
mod engine;
mod failing;
mod harness;
mod health;
mod inbound;
mod needs;
mod operators;
mod people;
mod registration;
mod secrets;
mod waiting;

//! Whole-crate tests, one binary.

mod date_corpus;
mod docs;
mod histories;
mod order;
mod promises;
mod retrospect;
mod rules;
mod situations;
mod story;
mod ticks;
mod world;

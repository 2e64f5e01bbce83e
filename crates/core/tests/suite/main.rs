//! Whole-crate tests, one binary.

mod date_corpus;
mod histories;
mod promises;
mod rules;
mod situations;
mod story;
mod world;

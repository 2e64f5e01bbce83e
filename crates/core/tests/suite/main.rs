//! Whole-crate tests, one binary.

mod date_corpus;

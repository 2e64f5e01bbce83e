//! The readers and writers: what fills forms about a person's words, and what words a plan.
//!
//! [`rules`] is deterministic English and needs nothing; it is the default. [`openai`] asks any
//! endpoint that speaks OpenAI's chat completions. Both answer the same forms, and neither is
//! believed: `liaison_core::gate` judges what either of them claims.

pub mod openai;
pub mod rules;

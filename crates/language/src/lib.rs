//! The readers and writers: deterministic English rules, and any OpenAI-compatible model.

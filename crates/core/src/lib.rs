//! The state of a conversation and every decision about it; no I/O, no clock, no randomness.

//! What the engine needs from the outside, as traits; in-memory fakes of them; what the stores that
//! speak SQL share; and the conformance suite that every store passes.
//!
//! The engine knows these traits, never an adapter. Each trait says which failures its caller must
//! expect, because retrying or giving up is decided by the caller.

pub mod clock;
pub mod codec;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod encoded;
pub mod facts;
pub mod fake;
pub mod inbound;
pub mod language;
pub mod store;
pub mod transport;

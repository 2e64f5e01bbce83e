//! The embedded store: one SQLite file.
//!
//! Every write goes through one task that owns the one writing connection ([`writer`]); the writes
//! that wait together share one durable commit. Reads have a few connections of their own. The SQL
//! is plain, and the conformance suite of the ports is what checks it.

mod codec;
mod commit;
mod effects;
mod fault;
mod intake;
mod keys;
mod lists;
mod lookup;
mod open;
mod outbox;
mod store;
mod work;
mod writer;

pub use open::{OpenError, Options};
pub use store::SqliteStore;

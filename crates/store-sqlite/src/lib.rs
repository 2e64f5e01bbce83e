//! The embedded store: one SQLite file.
//!
//! Every write goes through one task that owns the one writing connection (`writer`); the writes
//! that wait together share one durable commit. Reads have a few connections of their own. The SQL
//! is plain, and the conformance suite of the ports is what checks it.
//!
//! Each way to a connection's thread and back costs more than most statements do, so statements that
//! always go together are one text. The driver gives the parameters of such a text out in order, so
//! they are written `?`; numbered ones, `?1`, may only be used in a text of one statement, and none
//! of them may be left out.

mod commit;
mod effects;
mod fault;
mod intake;
mod keys;
mod lists;
mod lookup;
mod open;
mod outbox;
mod readers;
mod register;
mod store;
mod work;
mod writer;

use liaison_ports::codec;
pub use open::{OpenError, Options};
pub use store::SqliteStore;

#[cfg(test)]
mod plans;

//! The store that any number of replicas share: one Postgres database.
//!
//! Every write is one short transaction at READ COMMITTED that locks the rows of its conversations
//! first (`conversation.rs`) and reads only then: each statement sees what was committed before it
//! began, so what is read under the lock is true until the commit. Locks are taken in one order:
//! names of people (advisory), conversations by id, then rows of the outbox.
//!
//! `connections.rs` lends connections and discards every one that is in doubt; `run.rs` runs a write
//! in a task of its own, again where that is right, and looks first when the answer to a commit was
//! lost. The SQL is plain, and the conformance suite of the ports is what checks it.
//!
//! A statement that has other statements in its `WITH` sees one moment: what one part of it writes,
//! another does not see. Columns are always named, because a prepared statement that returns `*`
//! fails once another version of this program has added a column.

mod alive;
mod commit;
mod connections;
mod conversation;
mod effects;
mod fault;
mod hints;
mod intake;
mod keys;
mod lists;
mod lookup;
mod open;
mod outbox;
mod read;
mod register;
mod run;
mod store;
mod text;
mod work;

pub use hints::Hint;
pub use open::{OpenError, Options};
pub use store::PostgresStore;

#[cfg(test)]
mod plans;

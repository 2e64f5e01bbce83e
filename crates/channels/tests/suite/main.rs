//! The tests of `liaison-channels` that go through its public door.

mod corpus;
mod inbound_corpus;
mod inbound_hostile;
mod inbound_mail;

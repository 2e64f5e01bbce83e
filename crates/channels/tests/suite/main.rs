//! The tests of `liaison-channels` that go through its public door.

mod corpus;
mod decode;
mod inbound_corpus;
mod inbound_hostile;
mod inbound_mail;
mod mail_servers;
mod parts;
mod smtp_sink;

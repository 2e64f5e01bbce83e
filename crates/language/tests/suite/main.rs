//! Both backends from outside: the rules through the gate, the endpoint through its socket.

#![expect(
    clippy::unwrap_used,
    reason = "what tests share stands outside of any test, where the lint does not see it"
)]

mod corrections;
mod endpoint;
mod model;
mod replies;
mod requests;
mod stub;

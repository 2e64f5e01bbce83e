//! Both backends from outside: the rules through the gate, the endpoint through its socket.

mod endpoint;
mod model;
mod replies;
mod requests;
mod stub;

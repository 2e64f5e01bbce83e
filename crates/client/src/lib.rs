//! What a workflow links against: register a need, await its outcome.
//!
//! ```no_run
//! use liaison_client::{Client, Stakeholder, Wait};
//!
//! # async fn workflow() -> Result<(), liaison_client::ClientError> {
//! let client = Client::new("http://127.0.0.1:7700", "lia_...")?;
//! let need = client
//!     .need("Decide who will arrange the inspection")
//!     .stakeholder(Stakeholder::email("owner@example.com").name("Ana").zone("Europe/Paris"))
//!     .choice(
//!         "arranged_by",
//!         "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
//!         [("landlord", "arrange it yourself"), ("agency", "have us arrange it for you")],
//!     )
//!     .deadline_in(Wait::days(15))
//!     .idempotency_key("inspection-42")
//!     .register()
//!     .await?;
//!
//! // Days later, through any number of restarts of the daemon:
//! let outcome = need.outcome().await?;
//! match outcome.choice("arranged_by") {
//!     Some(who) => assert!(who == "agency" || who == "landlord"),
//!     None => eprintln!("no answer: {}", outcome.kind().name()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Restarts
//!
//! Of the daemon: [`NeedHandle::outcome`] waits through them, with growing pauses. Of the workflow:
//! register the same need again with the same [`NeedBuilder::idempotency_key`], or keep
//! [`NeedHandle::id`] and [`Client::attach`] to it.
//!
//! # Idempotency
//!
//! A need that is registered without an idempotency key gets one derived from its content:
//! **registering the same thing twice is then the same need**, whose outcome may long be there.
//! That is what a restarted workflow wants, and not what a monthly job wants: give each month's
//! need its own key. A deadline that is an instant is part of the content.
//!
//! # TLS
//!
//! `http://` needs nothing. For `https://` the crate brings its own TLS (rustls with ring) and trusts
//! the machine's root certificates; it neither needs nor installs a process-wide provider. Use
//! `http://` on loopback only: the API key is in every request.

mod amendment;
mod client;
mod error;
mod handle;
mod need;
mod operator;
mod outcome;
mod retry;
mod tls;

pub use amendment::AmendBuilder;
pub use client::Client;
pub use error::ClientError;
pub use handle::NeedHandle;
pub use need::{NeedBuilder, Stakeholder};
pub use operator::{Commands, ConversationPage};
pub use outcome::Outcome;
pub use retry::Backoff;

pub use jiff::{Timestamp, civil::Date};
pub use liaison_api as api;
pub use liaison_api::{
    Confirm, ConversationId, Evidence, FileRef, Kind, Ladder, MessageId, NeedId, NeedStatus,
    NeedView, OutcomeKind, Problem, Silence, Value, Wait,
};
pub use rust_decimal::Decimal;

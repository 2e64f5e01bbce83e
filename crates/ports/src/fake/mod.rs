//! In-memory stand-ins for the ports, for tests and simulations.

mod clock;
mod entropy;
mod language;
mod store;
mod transport;

pub use clock::VirtualClock;
pub use entropy::SeededEntropy;
pub use language::{ScriptedFiller, TemplateWriter};
pub use store::MemoryStore;
pub use transport::{RecordingTransport, Scripted};

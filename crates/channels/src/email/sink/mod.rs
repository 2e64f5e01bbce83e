//! A mail server of one's own, for the demo, the benchmark and tests.
//!
//! It speaks SMTP (the part of RFC 5321 that a client of ours can meet), takes every message and
//! delivers none: they stay in memory, and in a folder when one is given. Faults can be scripted.

mod fault;
mod session;
mod store;

pub use self::{
    fault::{Action, Step},
    store::SinkMessage,
};

use self::{fault::Script, store::Store};
use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What a sink keeps and offers.
#[derive(Clone, Debug)]
pub struct SinkConfig {
    /// Messages kept in memory; the oldest go first. Those that went are still counted.
    pub keep: usize,
    /// A folder in which every message is made durable before it is acknowledged, one file each.
    pub record: Option<PathBuf>,
    /// Whether AUTH is offered; any name and password will do.
    pub offer_auth: bool,
}

impl Default for SinkConfig {
    fn default() -> Self {
        Self {
            keep: 10_000,
            record: None,
            offer_auth: false,
        }
    }
}

/// Connections at a time; more wait.
const MOST_CONNECTIONS: usize = 256;

/// A running mail sink. It stops when it is dropped.
pub struct Sink {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: DropGuard,
}

/// What all connections of a sink share.
struct Shared {
    config: SinkConfig,
    store: Store,
    script: Script,
}

impl Sink {
    /// Listens on `address` (port 0 for any free one) with what [`SinkConfig`] says by default.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on.
    pub async fn start(address: impl ToSocketAddrs) -> io::Result<Self> {
        Self::start_with(address, SinkConfig::default()).await
    }

    /// Listens on `address` (port 0 for any free one).
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or the folder to record in cannot be made.
    pub async fn start_with(address: impl ToSocketAddrs, config: SinkConfig) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let store = Store::open(config.keep, config.record.clone()).await?;
        let shared = Arc::new(Shared {
            config,
            store,
            script: Script::default(),
        });
        let stop = CancellationToken::new();
        tokio::spawn(listen(listener, Arc::clone(&shared), stop.clone()));
        Ok(Self {
            address,
            shared,
            _stop: stop.drop_guard(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The messages that it still has, oldest first.
    pub fn messages(&self) -> Vec<SinkMessage> {
        self.shared.store.messages()
    }

    /// Hands over the messages that it still has, and keeps none of them; for a reader of very
    /// many.
    pub fn drain(&self) -> Vec<SinkMessage> {
        self.shared.store.drain()
    }

    /// How many messages it has taken, those that it no longer has included.
    pub fn taken(&self) -> u64 {
        *self.shared.store.taken().borrow()
    }

    /// Hears of every message: the number taken so far.
    pub fn subscribe(&self) -> tokio::sync::watch::Receiver<u64> {
        self.shared.store.taken()
    }

    /// Returns once it has taken `count` messages in all. It waits as long as that takes; callers
    /// put their own limit around it.
    pub async fn wait_for(&self, count: u64) -> Vec<SinkMessage> {
        let mut taken = self.subscribe();
        // The sender lives as long as `self`.
        if taken.wait_for(|taken| *taken >= count).await.is_err() {
            tracing::debug!("the mail sink stopped while somebody waited for a message");
        }
        self.messages()
    }

    /// How many copies of a message it has taken. `message_id` has its angle brackets.
    pub fn copies(&self, message_id: &str) -> u64 {
        self.shared.store.copies(message_id)
    }

    /// The Message-IDs that came more than once, with the number of copies.
    pub fn repeated(&self) -> Vec<(String, u64)> {
        self.shared.store.repeated()
    }

    /// Lets the next `times` arrivals at `step` meet with `action`. Several scripts for one step
    /// run one after the other.
    pub fn script(&self, step: Step, action: Action, times: usize) {
        self.shared.script.add(step, action, times);
    }
}

async fn listen(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    // Dropping the set ends the connections with the sink.
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok((stream, place)) => {
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    if let Err(error) = session::serve(stream, &shared).await {
                        tracing::debug!(%error, "a connection to the mail sink broke off");
                    }
                    drop(place);
                });
            }
            // Out of file descriptors, as a rule; the pause keeps that from filling the log.
            Err(error) => {
                tracing::warn!(%error, "the mail sink could not accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places)
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, place))
}

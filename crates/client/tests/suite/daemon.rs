//! A daemon that can be killed and started again at the same address.

use async_trait::async_trait;
use axum::Router;
use jiff::{SignedDuration, Timestamp};
use liaison_client::{Backoff, Client, NeedHandle, Stakeholder, Wait};
use liaison_core::{
    id::{Entropy, NeedId, TenantId},
    policy::Policy,
};
use liaison_ports::{
    clock::Clock,
    fake::{MemoryStore, SeededEntropy, VirtualClock},
    inbound::{Assignment, InboundMessage, Intake, IntakeFault, MailDecoder, Taken, Undecodable},
    store::{Scope, Store},
};
use liaison_server::{AppState, Changes, Limits, Readiness, Stage, mint_key, router};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, sync::Notify};

/// What outlives the process: the store, the clock, and the address.
pub(crate) struct Daemon {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) clock: Arc<VirtualClock>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) key: String,
    address: SocketAddr,
    running: Option<Runtime>,
}

impl Daemon {
    pub(crate) async fn start() -> Self {
        let clock = VirtualClock::new("2026-07-06T09:00:00Z".parse().expect("an instant"));
        let (key, row) = mint_key(
            Entropy([1; 16]),
            TenantId::new("acme"),
            "test",
            Scope::Operator,
            clock.now(),
        );
        let store = MemoryStore::new();
        store.add_key(row).await.expect("stores the key");
        let mut daemon = Self {
            store: Arc::new(store),
            clock: Arc::new(clock),
            hub: Arc::new(Hub::default()),
            key,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            running: None,
        };
        daemon.revive().await;
        daemon
    }

    /// Ends it as kill -9 would: every connection breaks off.
    pub(crate) fn kill(&mut self) {
        if let Some(runtime) = self.running.take() {
            runtime.shutdown_background();
        }
    }

    /// Starts it again, at the same address.
    pub(crate) async fn revive(&mut self) {
        let state = AppState {
            store: self.store.clone(),
            clock: self.clock.clone(),
            entropy: Arc::new(SeededEntropy::new(1)),
            intake: Arc::new(NoMail),
            decoder: Arc::new(NoMail),
            changes: self.hub.clone(),
            policies: Arc::new(|_| Policy::default()),
            limits: Limits::default(),
            readiness: Readiness::new(Stage::Serving),
        };
        let (runtime, address) = serve(router(state), self.address).await;
        self.address = address;
        self.running = Some(runtime);
    }

    /// Works off what is due.
    pub(crate) async fn work(&self) {
        crate::engine::run(&*self.store, self.clock.now()).await;
        self.hub.notify.notify_waiters();
    }

    /// Lets the deadline of the inspection pass.
    pub(crate) async fn let_expire(&self) {
        self.work().await;
        self.clock.advance(SignedDuration::from_hours(1));
        self.work().await;
    }

    pub(crate) fn client(&self) -> Client {
        client(self.address, &self.key)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns once `count` requests have begun to wait for an outcome.
    pub(crate) async fn waiters(&self, count: usize) {
        while self.hub.waiters.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A client that does not make a test wait.
pub(crate) fn client(address: SocketAddr, key: &str) -> Client {
    Client::new(&format!("http://{address}"), key)
        .expect("a client")
        .backoff(Backoff {
            first: Duration::from_millis(1),
            longest: Duration::from_millis(20),
        })
}

/// A need that expires within the hour.
pub(crate) async fn inspection(client: &Client) -> NeedHandle {
    client
        .need("Decide who will arrange the inspection")
        .stakeholder(Stakeholder::email("owner@example.com").name("Ana"))
        .choice(
            "arranged_by",
            "Would you prefer to arrange it yourself, or have us arrange it for you?",
            [
                ("landlord", "arrange it yourself"),
                ("agency", "have us arrange it for you"),
            ],
        )
        .deadline_in(Wait::seconds(20))
        .register()
        .await
        .expect("registers")
}

/// Serves in a runtime of its own, so that shutting that down breaks every connection off.
pub(crate) async fn serve(router: Router, address: SocketAddr) -> (Runtime, SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let bound = runtime.spawn(async move {
        let listener = TcpListener::bind(address).await.expect("binds");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    });
    let address = bound.await.expect("binds");
    (runtime, address)
}

/// Tells waiters of commits.
#[derive(Default)]
pub(crate) struct Hub {
    notify: Notify,
    waiters: AtomicUsize,
}

#[async_trait]
impl Changes for Hub {
    async fn changed(&self, _need: &NeedId, _until: Timestamp) {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        self.notify.notified().await;
    }

    fn inputs_arrived(&self) {}
}

/// No mail comes in here.
struct NoMail;

#[async_trait]
impl Intake for NoMail {
    async fn take(&self, _message: InboundMessage) -> Result<Taken, IntakeFault> {
        Ok(Taken::Unmatched)
    }

    async fn assign(
        &self,
        _message: InboundMessage,
        _assignment: Assignment,
    ) -> Result<Taken, IntakeFault> {
        Ok(Taken::Unmatched)
    }

    async fn file_undecodable(
        &self,
        _tenant: &TenantId,
        _raw: &[u8],
        _why: &str,
        _received_at: Timestamp,
    ) -> Result<Taken, IntakeFault> {
        Ok(Taken::Unmatched)
    }
}

impl MailDecoder for NoMail {
    fn decode(
        &self,
        _tenant: &TenantId,
        _raw: &[u8],
        _received_at: Timestamp,
    ) -> Result<InboundMessage, Undecodable> {
        Err(Undecodable("no mail comes in here".to_owned()))
    }
}

//! A daemon of a test's own: configured by a file, on a port of its own, with a clock that the test
//! moves.

use crate::replicas::new_database;
use jiff::{SignedDuration, Timestamp};
use liaison_api::{ConversationView, MessageDirection, MessageView};
use liaison_client::{Client, ConversationId, NeedBuilder, NeedHandle, Stakeholder, Wait};
use liaison_core::{
    id::TenantId,
    phase::{determine_phase, next_wake},
};
use liaison_daemon::{
    config::Config,
    environment::SystemEntropy,
    running::{Environment, Running},
};
use liaison_ports::{
    clock::{Clock, EntropySource},
    fake::VirtualClock,
    store::{ConversationFilter, Scope},
};
use std::{path::Path, process::Output, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::process::Command;

/// What everything here takes a fraction of; it is only ever reached by a test that fails.
pub(crate) const BOUND: Duration = Duration::from_secs(120);

/// Between two looks at something that nobody announces.
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// The one organisation.
const TENANT: &str = "default";

/// Looks until there is something to see.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    };
    tokio::time::timeout(BOUND, looking)
        .await
        .unwrap_or_else(|_| panic!("it has not come to this: {what}"))
}

/// The policy of these tests: the usual one, as an agency in Paris would write it.
pub(crate) const POLICY: &str = r#"
[tenants.default.policy]
signature = "Example Lettings"
zone = "Europe/Paris"
gather = "30s"
burst = "60s"
minimum_gap = "20h"

[tenants.default.policy.quiet_hours]
from = "20:00"
until = "08:00"

[tenants.default.policy.ladder]
waits = ["3d", "5d"]
patience = "7d"
silence = "hold"
"#;

/// A daemon with everything that it keeps.
pub(crate) struct Daemon {
    /// What it keeps is in here, and goes with it.
    _folder: TempDir,
    config: Config,
    clock: Arc<VirtualClock>,
    running: Option<Running>,
    client: Client,
    key: String,
}

impl Daemon {
    /// Starts a daemon at `begin`, whose tenant has the given sections (`[tenants.default.email]`
    /// and so on). It keeps its store in a file, or with LIAISON_TEST_STORE=postgres in a database
    /// on the server of LIAISON_TEST_POSTGRES_URL.
    pub(crate) async fn start(tenant: &str, begin: &str) -> Self {
        // Whatever of the test speaks HTTP needs the one TLS provider; `Err` means that it is there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("liaison.toml");
        write_configuration(&file, "127.0.0.1:0", tenant);
        let mut config = Config::load(Some(&file)).unwrap();
        if std::env::var("LIAISON_TEST_STORE").is_ok_and(|store| store == "postgres") {
            let server = std::env::var("LIAISON_TEST_POSTGRES_URL").unwrap();
            config.store.url = new_database(&server).await.unwrap();
        }
        let clock = Arc::new(VirtualClock::new(begin.parse().unwrap()));
        let running = launch(&config, &clock).await;
        let key = mint(&running, &clock, Scope::Operator).await;
        let client = Client::new(&running.url(), key.clone()).unwrap();
        // A daemon that is started again is where its callers look for it.
        config.http.listen = running.address();
        Self {
            _folder: folder,
            config,
            clock,
            running: Some(running),
            client,
            key,
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// An operator's key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// A further key.
    pub(crate) async fn mint(&self, scope: Scope) -> String {
        mint(self.running(), &self.clock, scope).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.config.http.listen)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("the daemon runs")
    }

    /// Stops the daemon; its clock goes on to stand where it stands.
    pub(crate) async fn halt(&mut self) {
        self.running.take().expect("the daemon runs").stop().await;
    }

    /// Starts it again, on the same store and at the same address.
    pub(crate) async fn start_again(&mut self) {
        self.running = Some(launch(&self.config, &self.clock).await);
    }

    /// Ticks, and lets it do what it would do.
    pub(crate) async fn looks(&self) {
        self.running().engine().hub().tick();
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }

    /// Lets time pass while the daemon is off.
    pub(crate) fn sleeps_for(&self, time: SignedDuration) {
        assert!(self.running.is_none(), "the daemon runs");
        self.clock.set(self.now() + time);
    }

    pub(crate) async fn stop(mut self) {
        self.running.take().expect("the daemon runs").stop().await;
    }

    /// Registers the need of the product's own example, about whoever reads mail at `address`.
    pub(crate) async fn inspection(&self, address: &str) -> NeedHandle {
        inspection(&self.client, address).register().await.unwrap()
    }

    /// Returns once the daemon has done all that there is to do at the clock's present instant:
    /// no input waits, no message is on its way, no rule wants anything but to wait.
    pub(crate) async fn settle(&self) {
        self.running().engine().hub().tick();
        until("the daemon rests", async || {
            self.rests().await.then_some(())
        })
        .await;
    }

    async fn rests(&self) -> bool {
        let now = self.now();
        for conversation in self.conversations().await {
            let document = &conversation.document;
            assert_eq!(conversation.quarantined, None, "{}", document.id);
            if conversation.unfolded > 0
                || !document.outgoing.is_empty()
                || !determine_phase(document, now).is_waiting()
            {
                return false;
            }
        }
        true
    }

    async fn conversations(&self) -> Vec<liaison_ports::store::ConversationRow> {
        let tenant = TenantId::new(TENANT);
        let store = self.running().store();
        let all = ConversationFilter {
            limit: 100,
            ..ConversationFilter::default()
        };
        let mut rows = Vec::new();
        for one in store.conversations(&tenant, all).await.unwrap() {
            rows.extend(store.conversation(&tenant, &one.id).await.unwrap());
        }
        rows
    }

    /// Lets time pass until `instant`, and everything happen when it is due.
    pub(crate) async fn pass_until(&self, instant: Timestamp) {
        /// A few wake-ups a day for a year.
        const MOST_STEPS: usize = 1_000;

        for _ in 0..MOST_STEPS {
            self.settle().await;
            let now = self.now();
            if now >= instant {
                return;
            }
            let wakes = self.conversations().await;
            let next = wakes
                .iter()
                .filter_map(|conversation| next_wake(&conversation.document, now))
                .min();
            self.clock
                .set(next.map_or(instant, |next| next.min(instant)));
        }
        panic!("there is no end to the waking up before {instant}");
    }

    /// Lets time pass; see [`Daemon::pass_until`].
    pub(crate) async fn pass(&self, time: SignedDuration) {
        self.pass_until(self.now() + time).await;
    }

    /// The conversation that a need is part of.
    pub(crate) async fn conversation(&self, need: &NeedHandle) -> ConversationView {
        let id = self.conversation_id(need).await;
        self.client.conversation(&id).await.unwrap()
    }

    pub(crate) async fn conversation_id(&self, need: &NeedHandle) -> ConversationId {
        need.view().await.unwrap().conversation
    }

    /// Returns once `count` messages of others are in the transcript.
    pub(crate) async fn wait_for_received(&self, need: &NeedHandle, count: usize) {
        until(&format!("{count} messages are received"), async || {
            let conversation = self.conversation(need).await;
            (received(&conversation).len() >= count).then_some(())
        })
        .await;
    }

    /// Runs the command line of the binary, as an operator of this daemon.
    pub(crate) async fn command(&self, arguments: &[&str]) -> Told {
        let environment = [
            ("LIAISON_URL", self.url()),
            ("LIAISON_KEY", self.key.clone()),
        ];
        liaison(arguments, environment).await
    }
}

/// The messages that were received, oldest first.
pub(crate) fn received(conversation: &ConversationView) -> Vec<&MessageView> {
    of_direction(conversation, MessageDirection::Inbound)
}

/// The messages that were sent, oldest first.
pub(crate) fn sent(conversation: &ConversationView) -> Vec<&MessageView> {
    of_direction(conversation, MessageDirection::Outbound)
}

fn of_direction(conversation: &ConversationView, direction: MessageDirection) -> Vec<&MessageView> {
    let messages = conversation.transcript.iter();
    messages
        .filter(|message| message.direction == direction)
        .collect()
}

/// The need of the product's own example.
pub(crate) fn inspection(client: &Client, address: &str) -> NeedBuilder {
    client
        .need("Decide who will arrange the inspection")
        .stakeholder(Stakeholder::email(address).name("Lee"))
        .choice(
            "arranged_by",
            "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
            [
                ("landlord", "arrange it yourself"),
                ("agency", "have us arrange it for you"),
            ],
        )
        .deadline_in(Wait::days(15))
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) succeeded: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Told {
    /// What it printed, where it had to succeed.
    #[track_caller]
    pub(crate) fn fine(self) -> String {
        assert!(self.succeeded, "{self:?}");
        self.out
    }

    /// All that it said, where it had to fail.
    #[track_caller]
    pub(crate) fn failure(self) -> String {
        assert!(!self.succeeded, "{self:?}");
        assert!(!self.err.contains("panicked"), "{}", self.err);
        format!("{}{}", self.out, self.err)
    }
}

/// The binary, with nothing of the tests' own environment but what is given.
pub(crate) fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_liaison"));
    command.env_clear().kill_on_drop(true);
    command
}

/// Runs the binary to its end.
pub(crate) async fn liaison<K, V>(
    arguments: &[&str],
    environment: impl IntoIterator<Item = (K, V)>,
) -> Told
where
    K: AsRef<std::ffi::OsStr>,
    V: AsRef<std::ffi::OsStr>,
{
    let running = binary().args(arguments).envs(environment).output();
    let Output {
        status,
        stdout,
        stderr,
    } = tokio::time::timeout(BOUND, running)
        .await
        .unwrap_or_else(|_| panic!("liaison {arguments:?} has not ended"))
        .unwrap();
    Told {
        succeeded: status.success(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// Writes the configuration of a daemon that keeps its store beside it.
pub(crate) fn write_configuration(file: &Path, listen: &str, tenant: &str) {
    let store = file.with_file_name("liaison.db");
    let text = format!(
        "[store]\nurl = \"sqlite:{}\"\n\n[http]\nlisten = \"{listen}\"\n\n{tenant}",
        store.display()
    );
    std::fs::write(file, text).unwrap();
}

async fn launch(config: &Config, clock: &Arc<VirtualClock>) -> Running {
    let environment = Environment {
        clock: clock.clone(),
        entropy: Arc::new(SystemEntropy),
    };
    Running::start(config, environment).await.unwrap()
}

async fn mint(running: &Running, clock: &VirtualClock, scope: Scope) -> String {
    let tenant = TenantId::new(TENANT);
    let (key, row) =
        liaison_server::mint_key(SystemEntropy.draw(), tenant, "test", scope, clock.now());
    running.store().add_key(row).await.unwrap();
    key
}

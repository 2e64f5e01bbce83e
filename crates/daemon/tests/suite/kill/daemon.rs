//! The daemon as a process.

use liaison_core::{id::TenantId, policy::UnknownSend};
use liaison_daemon::environment::{SystemClock, SystemEntropy};
use liaison_ports::{
    clock::{Clock, EntropySource},
    store::{Scope, Store},
};
use liaison_store_sqlite::{Options, SqliteStore};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// The one organisation.
pub(crate) const TENANT: &str = "default";
/// Its mailbox.
pub(crate) const OFFICE: &str = "office@agency.example";

/// How long the daemon may take to stop when it is told to: what it allows itself, and a little.
const STOPS_WITHIN: Duration = Duration::from_secs(35);

/// The place of one run: a store, a configuration and a port that stay the same however often the
/// daemon is started.
pub(crate) struct Place {
    folder: TempDir,
    address: SocketAddr,
    /// The workflow's and the operator's key.
    pub(crate) key: String,
    /// The mail server's key.
    pub(crate) mail_key: String,
}

impl Place {
    pub(crate) async fn make(
        smtp: SocketAddr,
        unknown_send: UnknownSend,
        burst: &str,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let address = free_address()?;
        let unknown_send = match unknown_send {
            UnknownSend::Hold => "hold",
            UnknownSend::Resend => "resend",
        };
        let store = store_path(folder.path());
        let configuration = format!(
            r#"
[store]
url = "sqlite:{store}"
[http]
listen = "{address}"
[log]
filter = "info"
[tenants.{TENANT}.email]
address = "{OFFICE}"
name = "Example Lettings"
[tenants.{TENANT}.email.smtp]
host = "{host}"
port = {port}
security = "plain"
[tenants.{TENANT}.policy]
signature = "Example Lettings"
gather = "0s"
burst = "{burst}"
minimum_gap = "0s"
weekly_cap = 100
acknowledge = true
unknown_send = "{unknown_send}"
[tenants.{TENANT}.policy.quiet_hours]
from = "00:00"
until = "00:00"
"#,
            store = store.display(),
            host = smtp.ip(),
            port = smtp.port(),
        );
        std::fs::write(folder.path().join("liaison.toml"), configuration)?;

        let opened = SqliteStore::open(&store, Options::default()).await?;
        let mut keys = Vec::new();
        for (name, scope) in [("workflow", Scope::Operator), ("pipe", Scope::Inbound)] {
            let (key, row) = liaison_server::mint_key(
                SystemEntropy.draw(),
                TenantId::new(TENANT),
                name,
                scope,
                SystemClock.now(),
            );
            opened.add_key(row).await?;
            keys.push(key);
        }
        opened.close().await;
        Ok(Self {
            folder,
            address,
            mail_key: keys.remove(1),
            key: keys.remove(0),
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The store, when no daemon runs.
    pub(crate) async fn store(&self) -> anyhow::Result<SqliteStore> {
        let path = store_path(self.folder.path());
        Ok(SqliteStore::open(&path, Options::default()).await?)
    }

    /// The end of what the daemon logged in all its lives.
    pub(crate) fn log(&self) -> String {
        const LINES: usize = 60;
        let log = std::fs::read_to_string(self.log_path()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }

    fn log_path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Starts the daemon, and does not wait until it is ready.
    pub(crate) fn start(&self) -> anyhow::Result<Daemon> {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.log_path())?;
        let child = Command::new(env!("CARGO_BIN_EXE_liaison"))
            .arg("serve")
            .arg("--config")
            .arg(self.folder.path().join("liaison.toml"))
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Daemon(child))
    }
}

/// A running daemon; killed when it is dropped.
pub(crate) struct Daemon(Child);

impl Daemon {
    /// Kills it with SIGKILL, and returns once it is gone.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        if let Some(status) = self.0.try_wait()? {
            anyhow::bail!("the daemon had ended by itself: {status}");
        }
        self.0.kill().await?;
        Ok(())
    }

    /// Tells it to stop with SIGTERM, and waits until it has.
    pub(crate) async fn stop(mut self) -> anyhow::Result<ExitStatus> {
        let Some(id) = self.0.id() else {
            anyhow::bail!("the daemon had ended by itself");
        };
        let told = Command::new("sh")
            .arg("-c")
            .arg(format!("kill -TERM {id}"))
            .status()
            .await?;
        anyhow::ensure!(told.success(), "the signal was not sent: {told}");
        match tokio::time::timeout(STOPS_WITHIN, self.0.wait()).await {
            Ok(status) => Ok(status?),
            Err(_) => anyhow::bail!("it has not stopped within {STOPS_WITHIN:?}"),
        }
    }
}

fn store_path(folder: &Path) -> PathBuf {
    folder.join("liaison.db")
}

/// An address that stays free while the daemon is down: below the ports from which the kernel
/// takes those of outgoing connections.
fn free_address() -> anyhow::Result<SocketAddr> {
    const FIRST: u32 = 16_000;
    const COUNT: u32 = 16_000;
    const TRIES: u32 = 200;
    // No two runs of this process try the same port, and other processes begin elsewhere.
    static NEXT: AtomicU32 = AtomicU32::new(0);

    for _ in 0..TRIES {
        let next = std::process::id()
            .wrapping_mul(131)
            .wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(FIRST + next % COUNT)?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if std::net::TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    anyhow::bail!("no port is free")
}

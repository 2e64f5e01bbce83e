//! Three daemons on one Postgres: one is killed, one is stopped and goes on much later. Nothing is
//! asked twice, nothing is lost, and what they had begun goes on without them long before a lease
//! ends, which is twenty minutes.

use anyhow::{Context, Result, bail, ensure};
use liaison_channels::email::{Sink, SinkMessage, inbound};
use liaison_client::{Backoff, Client, NeedHandle, Stakeholder, Wait};
use liaison_core::{conversation::HoldReason, id::TenantId, need::OutcomeKind};
use liaison_daemon::{
    config::StoreConfig,
    environment::{SystemClock, SystemEntropy},
    stores::Purpose,
};
use liaison_ports::{
    clock::{Clock, EntropySource},
    store::{ConversationFilter, Scope, Store},
};
use sqlx::{AssertSqlSafe, ConnectOptions, postgres::PgConnectOptions};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::process::{Child, Command};

const TENANT: &str = "default";
const OFFICE: &str = "office@agency.example";

/// Needs of the first part, and of the second.
const NEEDS: (usize, usize) = (24, 6);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What the test takes a fraction of; and it is a fraction of a lease.
const LONGEST: Duration = Duration::from_secs(240);

struct Replica {
    child: Child,
    url: String,
}

/// The office: its store, its mail, its replicas' configurations.
struct Office {
    folder: tempfile::TempDir,
    database: String,
    store: Arc<dyn Store>,
    sink: Sink,
    key: String,
    mail_key: String,
    http: reqwest::Client,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_killed_and_one_stopped_past_its_claims_change_nothing() {
    let Ok(url) = std::env::var("LIAISON_TEST_POSTGRES_URL") else {
        eprintln!("SKIPPED: LIAISON_TEST_POSTGRES_URL is not set, see deploy/test/postgres.sh");
        return;
    };
    let office = Office::make(&url).await.expect("an office");
    let played = tokio::time::timeout(LONGEST, play(&office)).await;
    if let Err(error) = played.context("it did not come to an end").flatten() {
        for name in ["a", "b", "c"] {
            let log = std::fs::read_to_string(office.folder.path().join(format!("{name}.log")));
            let log = log.unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let last = lines[lines.len().saturating_sub(15)..].join("\n");
            eprintln!("-- {name}\n{last}");
        }
        panic!("{error:#}");
    }
}

async fn play(office: &Office) -> Result<()> {
    let mut killed = office.start("a").await?;
    let paused = office.start("b").await?;
    let steady = office.start("c").await?;
    let answering = office.answer_all(steady.url.clone());
    let story = async {
        let mut needs = Vec::new();
        for n in 0..NEEDS.0 {
            let replica = [&killed, &paused, &steady][n % 3];
            needs.push(office.register(&replica.url, n).await?);
        }
        office
            .until("the first questions", async || {
                Ok(office.sink.messages().len() >= 3)
            })
            .await?;

        killed.child.kill().await?;
        signal(&paused, "STOP").await?;
        // What the two had begun goes on at the third one. Only what they may have been handing over
        // waits for somebody who looks, and nobody does before the stopped one is gone.
        office
            .until("the third one to do it all", async || {
                office.is_done_or_unknown().await
            })
            .await?;
        let claimed_by_dead = office.settled().await?;
        ensure!(
            claimed_by_dead > NEEDS.0 / 2,
            "only {claimed_by_dead} settled"
        );

        // The stopped one goes on where it was; the killed one starts again. Both are worked with.
        signal(&paused, "CONT").await?;
        let again = office.start("a").await?;
        for n in NEEDS.0..NEEDS.0 + NEEDS.1 {
            let replica = [&again, &paused][n % 2];
            needs.push(office.register(&replica.url, n).await?);
        }
        office
            .until("both to work", async || office.is_done_or_unknown().await)
            .await?;
        // What it was handing over when it was stopped, it has handed over by the time it has ended.
        stop(paused).await?;
        office
            .until("every need", async || {
                office.resolve_unknown(&steady.url).await?;
                Ok(office.settled().await? == NEEDS.0 + NEEDS.1)
            })
            .await?;
        for need in &needs {
            // Also through a replica that it was not registered at.
            let elsewhere = office.client(&again.url)?.attach(need.id().clone());
            let outcome = elsewhere.outcome().await?;
            ensure!(
                outcome.kind() == OutcomeKind::Fulfilled,
                "it is {outcome:?}"
            );
        }
        office
            .until("quiet", async || office.is_quiet(&steady.url).await)
            .await?;
        stop(again).await?;
        Ok(())
    };
    tokio::select! {
        told = story => told?,
        failed = answering => failed?,
    }
    stop(steady).await?;
    office.judge().await
}

/// Makes an empty database on the server of a URL, and says its own.
pub(crate) async fn new_database(server: &str) -> Result<String> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let made = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("daemon_{}_{made}", std::process::id());
    let admin: PgConnectOptions = server.parse()?;
    let mut admin = admin.connect().await?;
    sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name}")))
        .execute(&mut admin)
        .await?;
    let (server, _) = server.rsplit_once('/').context("a URL with a database")?;
    Ok(format!("{server}/{name}"))
}

impl Office {
    async fn make(server: &str) -> Result<Self> {
        // `Err` means that it is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let database = new_database(server).await?;
        let config = StoreConfig {
            url: database.clone(),
        };
        let store = config.open(Purpose::Use).await?.port();
        let mut keys = Vec::new();
        for (name, scope) in [("workflow", Scope::Operator), ("pipe", Scope::Inbound)] {
            let tenant = TenantId::new(TENANT);
            let now = SystemClock.now();
            let (key, row) =
                liaison_server::mint_key(SystemEntropy.draw(), tenant, name, scope, now);
            store.add_key(row).await?;
            keys.push(key);
        }
        Ok(Self {
            folder: tempfile::tempdir()?,
            database,
            store,
            sink: Sink::start(SocketAddr::from(([127, 0, 0, 1], 0))).await?,
            mail_key: keys.remove(1),
            key: keys.remove(0),
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(Duration::from_secs(10))
                .build()?,
        })
    }

    /// Starts a replica, and waits until it is ready.
    async fn start(&self, name: &str) -> Result<Replica> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let file = self.folder.path().join(format!("{name}.toml"));
        std::fs::write(&file, self.configuration(address))?;
        let child = serve(&file, &self.folder.path().join(format!("{name}.log")))?;
        let url = format!("http://{address}");
        self.until("a replica to be ready", async || {
            let asked = self.http.get(format!("{url}/readyz")).send().await;
            Ok(asked.is_ok_and(|answer| answer.status().is_success()))
        })
        .await?;
        Ok(Replica { child, url })
    }

    fn configuration(&self, address: SocketAddr) -> String {
        let smtp = self.sink.address();
        format!(
            r#"
[store]
url = "{}"
[http]
listen = "{address}"
[tenants.{TENANT}.email]
address = "{OFFICE}"
name = "Example Lettings"
[tenants.{TENANT}.email.smtp]
host = "{}"
port = {}
security = "plain"
[tenants.{TENANT}.policy]
signature = "Example Lettings"
gather = "0s"
burst = "0s"
minimum_gap = "0s"
weekly_cap = 100
acknowledge = true
unknown_send = "hold"
[tenants.{TENANT}.policy.quiet_hours]
from = "00:00"
until = "00:00"
"#,
            self.database,
            smtp.ip(),
            smtp.port(),
        )
    }

    fn client(&self, url: &str) -> Result<Client> {
        Ok(Client::new(url, self.key.clone())?.backoff(Backoff {
            first: PAUSE,
            longest: PAUSE,
        }))
    }

    async fn register(&self, url: &str, n: usize) -> Result<NeedHandle> {
        Ok(self
            .client(url)?
            .need("Decide who will arrange the inspection")
            .stakeholder(Stakeholder::email(landlord(n)).name("Lee"))
            .choice(
                "arranged_by",
                "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
                [
                    ("landlord", "arrange it yourself"),
                    ("agency", "have us arrange it for you"),
                ],
            )
            .deadline_in(Wait::days(15))
            .idempotency_key(format!("inspection-{n}"))
            .register()
            .await?)
    }

    /// The landlords: each answers each question that comes, once, to the replica at `url`.
    async fn answer_all(&self, url: String) -> Result<()> {
        let mut answered = BTreeSet::new();
        loop {
            for message in self.sink.messages() {
                if is_thanks(&message) || !answered.insert(message.message_id.clone()) {
                    continue;
                }
                let reply = answer(&message)?;
                self.until("a reply to be taken", async || {
                    let taken = self
                        .http
                        .post(format!("{url}/v1/inbound/email"))
                        .bearer_auth(&self.mail_key)
                        .header("content-type", "message/rfc822")
                        .body(reply.clone())
                        .send()
                        .await;
                    Ok(taken.is_ok_and(|answer| answer.status() == 202))
                })
                .await?;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn until(&self, what: &str, mut look: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
        let looking = async {
            while !look().await? {
                tokio::time::sleep(PAUSE).await;
            }
            Ok(())
        };
        match tokio::time::timeout(LONGEST / 3, looking).await {
            Ok(done) => done,
            Err(_) => bail!("waited in vain for {what}"),
        }
    }

    /// How many needs are settled.
    async fn settled(&self) -> Result<usize> {
        let needs = self
            .store
            .needs(&TenantId::new(TENANT), None, 1_000)
            .await?;
        Ok(needs.iter().filter(|need| need.outcome.is_some()).count())
    }

    /// Whether every need is settled, or waits for somebody to look what became of a message.
    async fn is_done_or_unknown(&self) -> Result<bool> {
        let tenant = TenantId::new(TENANT);
        for need in self.store.needs(&tenant, None, 1_000).await? {
            if need.outcome.is_some() {
                continue;
            }
            let row = self.store.conversation(&tenant, &need.conversation).await?;
            let row = row.context("a need without a conversation")?;
            if row.document.holds.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Looks into the mailboxes for each message of unknown fate, and says what became of it.
    async fn resolve_unknown(&self, url: &str) -> Result<()> {
        let tenant = TenantId::new(TENANT);
        let held = ConversationFilter {
            held: true,
            limit: 1_000,
            offset: 0,
        };
        let client = self.client(url)?;
        for one in self.store.conversations(&tenant, held).await? {
            let Some(row) = self.store.conversation(&tenant, &one.id).await? else {
                continue;
            };
            for hold in row.document.holds {
                let HoldReason::UnknownSend { message, .. } = hold.reason else {
                    bail!("it is held for another reason: {:?}", hold.reason);
                };
                let (_, domain) = OFFICE.split_once('@').unwrap_or_default();
                let sent = self.sink.copies(&format!("<{message}@{domain}>")) > 0;
                let commands = client.commands(one.id.clone()).by("olga");
                let resolving = commands.idempotency_key(format!("resolve-{message}"));
                resolving.resolve_send(message.clone(), sent).await?;
            }
        }
        Ok(())
    }

    /// Whether nothing is on its way any more, and nothing waits to be folded.
    async fn is_quiet(&self, url: &str) -> Result<bool> {
        self.resolve_unknown(url).await?;
        let tenant = TenantId::new(TENANT);
        if !self.store.outbox(&tenant, 10).await?.is_empty() {
            return Ok(false);
        }
        for id in self.store.conversation_ids(&tenant, None, 1_000).await? {
            let row = self.store.conversation(&tenant, &id).await?;
            let row = row.context("a conversation")?;
            if row.unfolded > 0 || !row.document.outgoing.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What must be true at the end.
    async fn judge(&self) -> Result<()> {
        ensure!(self.sink.repeated().is_empty(), "a message came twice");
        let mut questions: BTreeMap<String, usize> = BTreeMap::new();
        for message in self.sink.messages() {
            if !is_thanks(&message) {
                *questions.entry(recipient(&message)?).or_default() += 1;
            }
        }
        let all = NEEDS.0 + NEEDS.1;
        ensure!(questions.len() == all, "{} were asked", questions.len());
        ensure!(questions.values().all(|times| *times == 1), "{questions:?}");
        let unmatched = self.store.unmatched(&TenantId::new(TENANT), 10).await?;
        ensure!(unmatched.is_empty(), "a reply matched nothing");

        let replayed = Command::new(env!("CARGO_BIN_EXE_liaison"))
            .args(["replay", "--all", "--store", &self.database])
            .output()
            .await?;
        let said = String::from_utf8_lossy(&replayed.stdout).into_owned();
        ensure!(replayed.status.success(), "{said}{replayed:?}");
        ensure!(
            said.contains(&format!("{all} replayed, all as stored")),
            "{said}"
        );
        Ok(())
    }
}

fn landlord(n: usize) -> String {
    format!("landlord-{n}@example.com")
}

fn is_thanks(message: &SinkMessage) -> bool {
    String::from_utf8_lossy(&message.raw).contains("Thank you. I have noted")
}

fn recipient(message: &SinkMessage) -> Result<String> {
    message.to.first().cloned().context("it is to nobody")
}

/// What an ordinary mail program makes of a landlord's words.
fn answer(question: &SinkMessage) -> Result<Vec<u8>> {
    let asked = inbound::parse(&question.raw).context("the question is no mail")?;
    let to = asked
        .reply_to
        .context("it says nowhere to answer to")?
        .address;
    let id = asked.message_id.context("it has no Message-ID")?;
    let from = recipient(question)?;
    let mail = format!(
        "From: Lee Landlord <{from}>\r\nTo: {to}\r\nSubject: Re: {subject}\r\n\
         Message-ID: <reply-to-{id}>\r\nIn-Reply-To: <{id}>\r\nReferences: <{id}>\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
         Please arrange it for me.\r\n",
        subject = asked.subject,
    );
    Ok(mail.into_bytes())
}

fn serve(configuration: &Path, log: &Path) -> Result<Child> {
    let log = std::fs::File::options()
        .create(true)
        .append(true)
        .open(log)?;
    Ok(Command::new(env!("CARGO_BIN_EXE_liaison"))
        .arg("serve")
        .arg("--config")
        .arg(configuration)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()?)
}

async fn signal(replica: &Replica, name: &str) -> Result<()> {
    let id = replica.child.id().context("it had ended by itself")?;
    let told = Command::new("sh")
        .arg("-c")
        .arg(format!("kill -{name} {id}"))
        .status()
        .await?;
    ensure!(told.success(), "the signal was not sent");
    Ok(())
}

/// Tells it to stop, and waits until it has.
async fn stop(mut replica: Replica) -> Result<()> {
    signal(&replica, "TERM").await?;
    let status = tokio::time::timeout(Duration::from_secs(40), replica.child.wait())
        .await
        .context("it does not stop")??;
    ensure!(status.success(), "told to stop, it ended with {status}");
    Ok(())
}

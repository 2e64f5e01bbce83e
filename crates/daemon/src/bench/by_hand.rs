//! The same work written by hand: register, ask, reply and settle, each durable before the next,
//! writes that wait sharing a commit. No rules, no journal, no checks, nothing that outlasts a
//! mistake.
//!
//! Once without anything around it, which is the least that the work can be; and once with the
//! daemon's own ways in and out (HTTP, SMTP, mail in MIME), so that what these cost is not taken for
//! what the daemon costs.

use super::{
    drive::Daemon,
    limits, office,
    process::{Stopwatch, cpu_time},
    report::Run,
    throughput::Others,
};
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path as PathPart, State},
    http::StatusCode,
    routing::{get, post},
};
use jiff::Timestamp;
use liaison_api::RegisterNeed;
use liaison_channels::email::{Security, Sender, SmtpConfig, SmtpTimeouts, SmtpTransport, inbound};
use liaison_core::stakeholder::EmailAddress;
use liaison_ports::{
    clock::Clock,
    transport::{Composed, Delivery, Handover, Recalled, Transport},
};
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use std::{
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc, oneshot, watch},
    task::{JoinHandle, JoinSet},
};

/// The most writes that share a commit; the store's own bound is of the same size.
const MOST_TOGETHER: usize = 256;

const TABLES: [&str; 2] = [
    "CREATE TABLE need (id INTEGER PRIMARY KEY, state TEXT NOT NULL, question TEXT NOT NULL, \
     message TEXT, value TEXT, quote TEXT)",
    "CREATE TABLE reply (need INTEGER PRIMARY KEY, body TEXT NOT NULL)",
];

const REGISTER: &str = "INSERT INTO need (id, state, question) VALUES (?1, 'registered', \
     'Would you prefer to arrange the inspection yourself, or have us arrange it for you?')";
const ASKED: &str = "UPDATE need SET state = 'asked', message = 'ask-' || ?1 WHERE id = ?1";
const REPLY: &str = "INSERT INTO reply (need, body) VALUES (?1, 'Please arrange it for me.')";
const SETTLE: &str = "UPDATE need SET state = 'fulfilled', value = 'agency', \
     quote = (SELECT body FROM reply WHERE need = ?1) WHERE id = ?1";

/// The bare loop.
pub(super) async fn alone(folder: &Path, needs: u32, concurrency: u32) -> Result<Run> {
    let store = Store::open(&folder.join("by-hand.db")).await?;
    let cpu = cpu_time()?;
    let watch = Stopwatch::start();
    let permits = Arc::new(Semaphore::new(concurrency as usize));
    let mut running = JoinSet::new();
    for number in 0..needs {
        let permit = permits.clone().acquire_owned().await?;
        let writes = store.writes.clone();
        running.spawn(async move {
            for step in [REGISTER, ASKED, REPLY, SETTLE] {
                durably(&writes, step, number).await?;
            }
            drop(permit);
            anyhow::Ok(())
        });
    }
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    let seconds = watch.elapsed().as_secs_f64();
    let cpu = cpu_time()?.saturating_sub(cpu);
    Ok(Run::of(
        needs,
        seconds,
        cpu,
        u64::from(store.close().await?),
    ))
}

/// The loop with the daemon's ways in and out. The other side is the one that measures the daemon.
pub(super) async fn over_the_wires(
    folder: &Path,
    needs: u32,
    concurrency: u32,
    clock: Arc<dyn Clock>,
) -> Result<Run> {
    let others = Others::start(needs, concurrency).await?;
    let store = Store::open(&folder.join("by-hand-over-the-wires.db")).await?;
    let office = Arc::new(Office {
        writes: store.writes.clone(),
        smtp: transport(others.smtp)?,
        desks: Mutex::new(Vec::new()),
        clock,
    });
    let router = Router::new()
        .route("/v1/needs", post(register))
        .route("/v1/needs/{id}", get(outcome))
        .route("/v1/inbound/email", post(reply))
        .with_state(office.clone());
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let daemon = Daemon {
        url: format!("http://{}", listener.local_addr()?),
        key: "none".to_owned(),
    };
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let (seconds, cpu) = others.run(&daemon).await?;
    serving.abort();
    drop(serving.await);
    drop(office);
    Ok(Run::of(
        needs,
        seconds,
        cpu,
        u64::from(store.close().await?),
    ))
}

/// Everything that a need by hand has.
struct Office {
    writes: mpsc::Sender<Write>,
    smtp: SmtpTransport,
    /// Whether each need has settled, by its number.
    desks: Mutex<Vec<watch::Sender<bool>>>,
    clock: Arc<dyn Clock>,
}

async fn register(
    State(office): State<Arc<Office>>,
    Json(need): Json<RegisterNeed>,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    let to = need.stakeholder.email.ok_or(StatusCode::BAD_REQUEST)?;
    let number = {
        let mut desks = office.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let number = u32::try_from(desks.len()).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
        desks.push(watch::Sender::new(false));
        number
    };
    durably(&office.writes, REGISTER, number)
        .await
        .map_err(ours)?;
    let question = need
        .slots
        .first()
        .map_or("", |slot| &slot.question)
        .to_owned();
    let asking = office.clone();
    tokio::spawn(async move {
        if let Err(error) = ask(&asking, number, &to, &question).await {
            tracing::error!(%error, number, "not asked");
        }
    });
    Ok((
        StatusCode::CREATED,
        Json(view(number, &need.goal, false, office.clock.now())),
    ))
}

async fn ask(office: &Office, number: u32, to: &str, question: &str) -> Result<()> {
    let id = format!("{number}@agency.example");
    let bytes = format!(
        "From: <{mailbox}>\r\nTo: <{to}>\r\nReply-To: <{mailbox}>\r\nSubject: A question\r\n\
         Message-ID: <{id}>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
         \r\n{question}\r\n",
        mailbox = office::MAILBOX,
    );
    let composed = Composed {
        from: EmailAddress::parse(office::MAILBOX)?,
        to: EmailAddress::parse(to)?,
        transport_id: Some(format!("<{id}>")),
        bytes: bytes.into_bytes(),
    };
    match office.smtp.deliver(&composed, &AtOnce).await {
        Delivery::Sent => durably(&office.writes, ASKED, number).await,
        other => bail!("not sent: {other:?}"),
    }
}

async fn reply(State(office): State<Arc<Office>>, raw: Bytes) -> Result<StatusCode, StatusCode> {
    let mail = inbound::parse(&raw).map_err(|_| StatusCode::BAD_REQUEST)?;
    let number: u32 = mail
        .in_reply_to
        .first()
        .and_then(|id| id.split('@').next()?.parse().ok())
        .ok_or(StatusCode::BAD_REQUEST)?;
    durably(&office.writes, REPLY, number).await.map_err(ours)?;
    if mail.text.contains("arrange it for me") {
        durably(&office.writes, SETTLE, number)
            .await
            .map_err(ours)?;
        let desks = office.desks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(desk) = desks.get(number as usize) {
            desk.send_replace(true);
        }
    }
    Ok(StatusCode::ACCEPTED)
}

async fn outcome(
    State(office): State<Arc<Office>>,
    PathPart(id): PathPart<u32>,
) -> Result<Json<Value>, StatusCode> {
    let mut settled = {
        let desks = office.desks.lock().unwrap_or_else(PoisonError::into_inner);
        desks
            .get(id as usize)
            .ok_or(StatusCode::NOT_FOUND)?
            .subscribe()
    };
    settled
        .wait_for(|settled| *settled)
        .await
        .map_err(|_| StatusCode::GONE)?;
    Ok(Json(view(id, "", true, office.clock.now())))
}

fn view(number: u32, goal: &str, settled: bool, now: Timestamp) -> Value {
    let mut view = json!({
        "id": number.to_string(),
        "conversation": number.to_string(),
        "status": if settled { "fulfilled" } else { "open" },
        "goal": goal,
        "registered_at": now,
        "deadline": now,
    });
    if settled {
        view["outcome"] = json!({
            "outcome": "fulfilled",
            "at": now,
            "slots": {"arranged_by": {
                "kind": "choice",
                "value": "agency",
                "evidence": {
                    "source": "message",
                    "message": number.to_string(),
                    "quote": "Please arrange it for me.",
                },
                "as_of": now,
            }},
        });
    }
    view
}

fn ours(error: anyhow::Error) -> StatusCode {
    tracing::error!(%error, "a need by hand");
    StatusCode::INTERNAL_SERVER_ERROR
}

fn transport(smtp: SocketAddr) -> Result<SmtpTransport> {
    let config = SmtpConfig {
        host: smtp.ip().to_string(),
        port: smtp.port(),
        security: Security::Plain,
        login: None,
        authority: None,
        allow_unencrypted: false,
        hello: None,
        sender: Sender {
            name: None,
            mailbox: EmailAddress::parse(office::MAILBOX)?,
            tagged_envelope: false,
        },
        connections: 8,
        timeouts: SmtpTimeouts::default(),
    };
    SmtpTransport::new(config).context("the mail server")
}

/// By hand nothing can be recalled.
struct AtOnce;

#[async_trait]
impl Handover for AtOnce {
    async fn point_of_no_return(&self) -> Result<(), Recalled> {
        Ok(())
    }
}

/// A statement with its number of the need, and who waits for it to be durable.
type Write = (&'static str, u32, oneshot::Sender<()>);

async fn durably(writes: &mpsc::Sender<Write>, step: &'static str, number: u32) -> Result<()> {
    let (done, durable) = oneshot::channel();
    writes.send((step, number, done)).await?;
    Ok(durable.await?)
}

/// One connection, and the commits that writes share.
struct Store {
    writes: mpsc::Sender<Write>,
    writer: JoinHandle<Result<u32>>,
}

impl Store {
    async fn open(path: &Path) -> Result<Self> {
        let mut connection = limits::open(path).await?;
        for table in TABLES {
            sqlx::query(table).execute(&mut connection).await?;
        }
        let (writes, queue) = mpsc::channel(MOST_TOGETHER);
        Ok(Self {
            writes,
            writer: tokio::spawn(write(connection, queue)),
        })
    }

    /// Ends once nobody writes any more; how many commits there were.
    async fn close(self) -> Result<u32> {
        drop(self.writes);
        self.writer.await?
    }
}

async fn write(mut connection: SqliteConnection, mut queue: mpsc::Receiver<Write>) -> Result<u32> {
    let mut commits = 0;
    let mut together = Vec::with_capacity(MOST_TOGETHER);
    while queue.recv_many(&mut together, MOST_TOGETHER).await > 0 {
        sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut connection)
            .await?;
        for (statement, number, _) in &together {
            sqlx::query(*statement)
                .bind(number)
                .execute(&mut connection)
                .await?;
        }
        sqlx::query("COMMIT").execute(&mut connection).await?;
        commits += 1;
        for (_, _, done) in together.drain(..) {
            // Whoever does not wait any more does not need to know.
            let _ = done.send(());
        }
    }
    connection.close().await?;
    Ok(commits)
}

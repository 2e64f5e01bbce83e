//! A daemon whose conversations all wait: its memory, and how soon it is back after kill -9.

use super::{
    office,
    process::{Stopwatch, resident_mib},
    report::Waiting,
};
use crate::running::Environment;
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use liaison_core::{
    effect::OutboundMessage,
    id::{ConversationId, Ids, NeedId, TenantId},
    need::{Registration, SlotRequest},
    policy::Wait,
    slot::Confirm,
    stakeholder::{Channel, Contact, EmailAddress, Stakeholder},
    transition::Opening,
    value::{Choice, ChoiceOption, Kind},
};
use liaison_engine::{Engine, Limits, Parts};
use liaison_language::rules::{RulesReader, TemplateWriter};
use liaison_ports::{
    store::{ConversationFilter, NewNeed, Store},
    transport::{ComposeFault, Composed, Delivery, Finding, Handover, Transport},
};
use liaison_store_sqlite::{Options, SqliteStore};
use std::{collections::HashMap, net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tokio::{process::Child, sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// How long filling the store and each start may take before something is wrong.
const LONGEST_FILL: Duration = Duration::from_secs(1_800);
const LONGEST_START: Duration = Duration::from_secs(60);

/// Registrations under way at the same time while filling: the store joins them into few commits.
const TOGETHER: usize = 256;

pub(super) async fn measure(
    folder: &Path,
    conversations: u32,
    environment: Environment,
) -> Result<Waiting> {
    let database = folder.join("waiting.db");
    tokio::time::timeout(LONGEST_FILL, fill(&database, conversations, environment))
        .await
        .context("filling the store took too long")??;

    let config = folder.join("waiting.toml");
    let port = free_port().await?;
    std::fs::write(&config, settings(&database, port))?;
    let mut daemon = start(&config)?;
    ready(port, &mut daemon).await?;
    let process = daemon.id().context("the daemon has ended")?;
    let resident = resident_mib(process)?;

    let watch = Stopwatch::start();
    // SIGKILL, as `kill -9`.
    daemon.kill().await?;
    let mut daemon = start(&config)?;
    ready(port, &mut daemon).await?;
    let seconds = watch.elapsed().as_secs_f64();
    daemon.kill().await?;
    Ok(Waiting {
        conversations,
        resident_mib: resident,
        ready_after_kill: seconds,
    })
}

/// Registers the needs, and lets the engine ask each question, so that every conversation waits as
/// it would.
async fn fill(database: &Path, conversations: u32, environment: Environment) -> Result<()> {
    let store = Arc::new(SqliteStore::open(database, Options::default()).await?);
    let tenant = TenantId::new(office::TENANT);
    let transport: Arc<dyn Transport> = Arc::new(Nowhere {
        from: EmailAddress::parse(office::MAILBOX)?,
    });
    let engine = Engine::new(
        Parts {
            store: store.clone(),
            clock: environment.clock.clone(),
            entropy: environment.entropy.clone(),
            reader: Arc::new(RulesReader),
            writer: Arc::new(TemplateWriter),
            transports: HashMap::from([((tenant.clone(), Channel::Email), transport)]),
            policies: Arc::new(|_| office::policy()),
        },
        Limits {
            conversations: 256.try_into().unwrap_or(std::num::NonZeroU32::MIN),
            deliveries: 256.try_into().unwrap_or(std::num::NonZeroU32::MIN),
            ..Limits::new("fill")
        },
    );
    let shutdown = CancellationToken::new();
    let working = {
        let (engine, shutdown) = (engine.clone(), shutdown.clone());
        tokio::spawn(async move { engine.run(shutdown).await })
    };
    let permits = Arc::new(Semaphore::new(TOGETHER));
    let mut running = JoinSet::new();
    for number in 0..conversations {
        let permit = permits.clone().acquire_owned().await?;
        while let Some(ended) = running.try_join_next() {
            ended??;
        }
        let need = need(number, &tenant, &environment)?;
        let (store, hub) = (store.clone(), engine.hub().clone());
        running.spawn(async move {
            store.register_need(need).await?;
            hub.work_arrived();
            drop(permit);
            anyhow::Ok(())
        });
    }
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    // All of them wait once nothing is left in the outbox and nobody is due.
    loop {
        engine.hub().tick();
        let now = environment.clock.now();
        let outbox = store.outbox(&tenant, 1).await?;
        let filter = ConversationFilter {
            limit: 1,
            ..ConversationFilter::default()
        };
        let latest = store.conversations(&tenant, filter).await?;
        let due = latest
            .iter()
            .any(|one| one.wake_at.is_some_and(|at| at <= now));
        if outbox.is_empty() && !due {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    shutdown.cancel();
    working.await?;
    store.close().await;
    Ok(())
}

fn need(number: u32, tenant: &TenantId, environment: &Environment) -> Result<NewNeed> {
    let at = environment.clock.now();
    let mut ids = Ids::new(at, environment.entropy.draw());
    let address = EmailAddress::parse(&format!("landlord-{number}@example.com"))?;
    let stakeholder = Stakeholder {
        key: None,
        name: Some(format!("Lee {number}")),
        language: "en".to_owned(),
        zone: None,
        country: None,
        contacts: vec![Contact::new(Channel::Email, address)],
    };
    let option = |value: &str, label: &str| ChoiceOption {
        value: value.to_owned(),
        label: Some(label.to_owned()),
        synonyms: Vec::new(),
    };
    let registration = Registration {
        need: NeedId::new(ids.draw()),
        goal: "Decide who will arrange the inspection".to_owned(),
        subject: None,
        slots: vec![SlotRequest {
            name: "arranged_by".to_owned(),
            kind: Kind::Choice(Choice {
                options: vec![
                    option("landlord", "arrange the inspection yourself"),
                    option("agency", "have us arrange it for you"),
                ],
            }),
            question: "Would you prefer to arrange the inspection yourself, or have us arrange it \
                       for you?"
                .to_owned(),
            required: true,
            self_checks: Vec::new(),
            max_age: None,
            depends_on: Vec::new(),
            confirm: Confirm::Never,
        }],
        deadline: Wait::days(15).after(at),
        facts: Vec::new(),
        briefs: Vec::new(),
        ladder: None,
        transcript: Vec::new(),
    };
    Ok(NewNeed {
        tenant: tenant.clone(),
        idempotency_key: None,
        request_hash: String::new(),
        registration,
        stakeholder: stakeholder.clone(),
        opening: Opening {
            id: ConversationId::new(ids.draw()),
            tenant: tenant.clone(),
            at,
            stakeholder,
            reply_token: ids.draw_token(),
            policy: office::policy(),
        },
        at,
    })
}

/// Takes every message at once; what is measured here is not the hand-over.
struct Nowhere {
    from: EmailAddress,
}

#[async_trait]
impl Transport for Nowhere {
    fn channel(&self) -> Channel {
        Channel::Email
    }

    fn compose(&self, message: &OutboundMessage) -> Result<Composed, ComposeFault> {
        Ok(Composed {
            from: self.from.clone(),
            to: message.plan.to.clone(),
            transport_id: Some(format!("<{}@agency.example>", message.id)),
            bytes: message.draft.body.clone().into_bytes(),
        })
    }

    async fn deliver(&self, _: &Composed, handover: &dyn Handover) -> Delivery {
        match handover.point_of_no_return().await {
            Ok(()) => Delivery::Sent,
            Err(_) => Delivery::Recalled,
        }
    }

    async fn look_up(&self, _: &Composed) -> Finding {
        Finding::CannotTell
    }

    async fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

async fn free_port() -> Result<u16> {
    let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    Ok(listener.local_addr()?.port())
}

fn settings(database: &Path, port: u16) -> String {
    format!(
        "[store]\nurl = {:?}\n[http]\nlisten = \"127.0.0.1:{port}\"\n[log]\nfilter = \"warn\"\n\
         [tenants.{}.email]\naddress = \"{}\"\n[tenants.{}.email.smtp]\nhost = \"127.0.0.1\"\n\
         port = 9\nsecurity = \"plain\"\n[tenants.{}.policy]\ngather = \"0s\"\nburst = \"0s\"\n\
         minimum_gap = \"0s\"\nacknowledge = false\n",
        format!("sqlite:{}", database.display()),
        office::TENANT,
        office::MAILBOX,
        office::TENANT,
        office::TENANT,
    )
}

fn start(config: &Path) -> Result<Child> {
    let program = std::env::current_exe().context("this program's own path")?;
    tokio::process::Command::new(program)
        .arg("serve")
        .arg("--config")
        .arg(config)
        .kill_on_drop(true)
        .spawn()
        .context("the daemon did not start")
}

async fn ready(port: u16, daemon: &mut Child) -> Result<()> {
    let http = reqwest::Client::new();
    let url = format!("http://127.0.0.1:{port}/readyz");
    let asking = async {
        loop {
            if let Some(ended) = daemon.try_wait()? {
                bail!("the daemon ended by itself: {ended}");
            }
            let answered = http.get(&url).send().await;
            if answered.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONGEST_START, asking)
        .await
        .context("the daemon did not become ready")?
}

//! The demo's world: a mail server, the daemon, a pipe between them, and one need.

use super::landlord::{ADDRESS, Landlord};
use crate::{
    config::{
        Config, EmailConfig, EngineConfig, HttpConfig, LogConfig, ModelConfig, SecurityConfig,
        SmtpServerConfig, StoreConfig, TenantConfig,
    },
    running::{Environment, Running},
};
use anyhow::{Context, Result};
use liaison_channels::email::{Sink, SinkMessage};
use liaison_client::{Client, NeedHandle, Stakeholder};
use liaison_core::{
    id::TenantId,
    ladder::{Ladder, Silence},
    policy::{Policy, Wait},
    stakeholder::EmailAddress,
};
use liaison_ports::store::Scope;
use std::{collections::BTreeMap, net::SocketAddr, sync::Arc, time::Duration};
use tokio::task::JoinHandle;

const TENANT: &str = "default";
const AGENCY: &str = "office@agency.example";

/// The daemon, with everything around it.
pub(super) struct Office {
    running: Running,
    view: Arc<View>,
    pipe: JoinHandle<()>,
    folder: tempfile::TempDir,
}

/// What a visitor can see of it and do.
pub(super) struct View {
    sink: Arc<Sink>,
    client: Client,
    need: NeedHandle,
    landlord: Landlord,
}

impl Office {
    /// Starts it all and registers the need.
    pub(super) async fn open(environment: Environment) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary directory could be made")?;
        let sink = Sink::start(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await
            .context("the demo's mail server did not start")?;
        let sink = Arc::new(sink);
        let config = configuration(folder.path(), sink.address())?;
        let running = Running::start(&config, environment.clone()).await?;

        let mut keys = Vec::new();
        for (name, scope) in [("demo", Scope::Operator), ("mail server", Scope::Inbound)] {
            let now = environment.clock.now();
            let entropy = environment.entropy.draw();
            let (key, row) =
                liaison_server::mint_key(entropy, TenantId::new(TENANT), name, scope, now);
            running.store().add_key(row).await?;
            keys.push(key);
        }
        let pipe = tokio::spawn(pipe(sink.clone(), running.url(), keys.remove(1)));
        let client = Client::new(&running.url(), keys.remove(0))?;
        let need = client
            .need("Decide who will arrange the inspection")
            .stakeholder(Stakeholder::email(ADDRESS).name("Lee"))
            .choice(
                "arranged_by",
                "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
                [
                    ("landlord", "arrange it yourself"),
                    ("agency", "have us arrange it for you"),
                ],
            )
            .deadline_in(Wait::days(15))
            .register()
            .await?;
        let view = View {
            landlord: Landlord::new(sink.address()),
            sink,
            client,
            need,
        };
        Ok(Self {
            running,
            view: Arc::new(view),
            pipe,
            folder,
        })
    }

    /// What a visitor can see and do.
    pub(super) fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// Stops it all.
    pub(super) async fn close(self) {
        self.pipe.abort();
        self.running.stop().await;
        drop(self.folder);
    }
}

impl View {
    /// The client of the workflow, which is an operator too.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The need.
    pub(super) fn need(&self) -> &NeedHandle {
        &self.need
    }

    /// The landlord.
    pub(super) fn landlord(&self) -> &Landlord {
        &self.landlord
    }

    /// The mail in the landlord's mailbox and the landlord's own, oldest first.
    pub(super) fn mail(&self) -> Vec<SinkMessage> {
        self.sink.messages()
    }

    /// The latest message to the landlord; waits for the first.
    pub(super) async fn wait_for_question(&self) -> SinkMessage {
        let mut arrivals = self.sink.subscribe();
        loop {
            let latest = self.sink.messages().into_iter().rev().find(is_for_landlord);
            if let Some(question) = latest {
                return question;
            }
            // The sender lives in the sink, which lives in `self`.
            let _ = arrivals.changed().await;
        }
    }
}

/// Whether a message went to the landlord.
pub(super) fn is_for_landlord(message: &SinkMessage) -> bool {
    message.to.iter().any(|to| to == ADDRESS)
}

/// What a mail server does with mail for the agency: it hands it in, over the API.
async fn pipe(sink: Arc<Sink>, url: String, key: String) {
    /// How long to wait before a message is offered again.
    const AGAIN_AFTER: Duration = Duration::from_millis(500);

    let http = reqwest::Client::new();
    let mut arrivals = sink.subscribe();
    let mut handed_in = 0;
    loop {
        let messages = sink.messages();
        while let Some(message) = messages.get(handed_in) {
            let taken = is_for_landlord(message)
                || http
                    .post(format!("{url}/v1/inbound/email"))
                    .bearer_auth(&key)
                    .header("content-type", "message/rfc822")
                    .body(message.raw.clone())
                    .send()
                    .await
                    .is_ok_and(|response| response.status().is_success());
            if taken {
                handed_in += 1;
            } else {
                tokio::time::sleep(AGAIN_AFTER).await;
            }
        }
        if arrivals.changed().await.is_err() {
            return;
        }
    }
}

fn configuration(folder: &std::path::Path, smtp: SocketAddr) -> Result<Config> {
    let address = EmailAddress::parse(AGENCY)?;
    let email = EmailConfig {
        address,
        name: Some("Example Lettings".to_owned()),
        smtp: SmtpServerConfig {
            host: smtp.ip().to_string(),
            port: smtp.port(),
            security: SecurityConfig::Plain,
            user: None,
            password: None,
            ca_file: None,
            hello: None,
        },
        imap: None,
    };
    // Nobody wants to wait for days, or for the morning, to see a reminder.
    let policy = Policy {
        signature: "Example Lettings".to_owned(),
        quiet_hours: None,
        gather: Wait::seconds(0),
        burst: Wait::seconds(1),
        minimum_gap: Wait::seconds(0),
        weekly_cap: 100,
        ladder: Ladder {
            waits: vec![Wait::seconds(120)],
            patience: Wait::seconds(600),
            silence: Silence::Hold,
            ..Ladder::default()
        },
        ..Policy::default()
    };
    Ok(Config {
        store: StoreConfig {
            url: format!("sqlite:{}", folder.join("liaison.db").display()),
        },
        http: HttpConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        },
        log: LogConfig::default(),
        model: ModelConfig::Rules,
        engine: EngineConfig::default(),
        tenants: BTreeMap::from([(
            TENANT.to_owned(),
            TenantConfig {
                policy,
                email: Some(email),
            },
        )]),
    })
}

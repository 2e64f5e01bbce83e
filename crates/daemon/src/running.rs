//! Composition: the one place that names adapters (stores are in `stores.rs`), and the daemon while it runs.

use crate::{
    config::{
        Config, EmailConfig, ImapServerConfig, ModelConfig, OutputConfig, SecurityConfig,
        SmtpServerConfig,
    },
    stores::{OpenStore, Purpose},
};
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_channels::email::{
    EmailDecoder, ImapConfig, ImapReceiver, Login, Security, Sender, SmtpConfig, SmtpTimeouts,
    SmtpTransport,
};
use liaison_core::{
    id::{NeedId, TenantId},
    policy::Policy,
    stakeholder::Channel,
};
use liaison_engine::{Engine, Hub, Limits, Parts, Tick};
use liaison_language::{
    openai::{AnswerFormat, OpenAi, OpenAiConfig},
    rules::{RulesReader, TemplateWriter},
};
use liaison_ports::{
    clock::{Clock, EntropySource},
    inbound::{InboundMessage, MailDecoder, Undecodable},
    language::{FormFiller, Writer},
    store::Store,
    transport::Transport,
};
use liaison_server::{AppState, Changes, Readiness, Stage};
use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    net::SocketAddr,
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// How long what is under way may take to finish once the daemon is told to stop; a service
/// manager kills after 90 seconds as a rule.
const LONGEST_DRAIN: Duration = Duration::from_secs(30);

/// How long the first look into the mailboxes may keep everything else from beginning. A reply that
/// came while the daemon was off must be read before a reminder goes out over it, and a mailbox is
/// looked through in seconds; but a mail server that is away must not keep all other conversations
/// from going on for longer than a mail takes anyway.
const LONGEST_FIRST_LOOK: Duration = Duration::from_secs(60);

/// Where time and randomness come from.
#[derive(Clone)]
pub struct Environment {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn EntropySource>,
}

/// A daemon that runs.
pub struct Running {
    address: SocketAddr,
    store: OpenStore,
    owner: String,
    engine: Engine,
    readiness: Readiness,
    shutdown: CancellationToken,
    tasks: JoinSet<Result<()>>,
    _alone: Option<File>,
}

impl Running {
    /// Opens the store, connects everything, and starts to work and to serve.
    pub async fn start(config: &Config, environment: Environment) -> Result<Self> {
        let Environment { clock, entropy } = environment;
        let alone = config.store.lock()?;
        let store = config
            .store
            .open(Purpose::Use)
            .await
            .context("the store cannot be opened")?;
        store.take_up(clock.now()).await?;

        let (reader, writer) = language(&config.model)?;
        let mut transports: HashMap<(TenantId, Channel), Arc<dyn Transport>> = HashMap::new();
        let mut decoders = BTreeMap::new();
        let mut receivers = Vec::new();
        for (id, tenant) in &config.tenants {
            let Some(email) = &tenant.email else { continue };
            let id = TenantId::new(id.as_str());
            transports.insert(
                (id.clone(), Channel::Email),
                Arc::new(smtp(email, config.engine.deliveries)?),
            );
            decoders.insert(id.clone(), EmailDecoder::new(email.address.clone()));
            if let Some(server) = &email.imap {
                receivers.push(ImapReceiver::new(id, imap(server))?);
            }
        }
        let decoder: Arc<dyn MailDecoder> = Arc::new(Decoders(decoders));

        let tenants: HashMap<TenantId, Policy> = config
            .tenants
            .iter()
            .map(|(id, tenant)| {
                let own = tenant.email.iter().map(|email| email.address.clone());
                let policy = Policy {
                    mailboxes: own.collect(),
                    ..tenant.policy.clone()
                };
                (TenantId::new(id.as_str()), policy)
            })
            .collect();
        let policies: Arc<dyn Fn(&TenantId) -> Policy + Send + Sync> =
            Arc::new(move |id| tenants.get(id).cloned().unwrap_or_default());

        let store_port = store.port();
        let owner = owner(entropy.as_ref());
        let engine = Engine::new(
            Parts {
                store: store_port.clone(),
                clock: clock.clone(),
                entropy: entropy.clone(),
                reader,
                writer,
                transports,
                policies: policies.clone(),
            },
            Limits {
                conversations: NonZeroU32::new(config.engine.conversations)
                    .unwrap_or(NonZeroU32::MIN),
                deliveries: NonZeroU32::new(config.engine.deliveries).unwrap_or(NonZeroU32::MIN),
                ..Limits::new(owner.as_str())
            },
        );
        let readiness = Readiness::new(Stage::Starting);
        let router = liaison_server::router(AppState {
            store: store_port,
            clock: clock.clone(),
            entropy,
            intake: Arc::new(engine.intake()),
            decoder: decoder.clone(),
            changes: Arc::new(EngineChanges {
                hub: engine.hub().clone(),
                clock: clock.clone(),
            }),
            policies,
            limits: liaison_server::Limits::default(),
            readiness: readiness.clone(),
        });
        let listener = TcpListener::bind(config.http.listen)
            .await
            .with_context(|| {
                format!("http.listen: {} cannot be listened on", config.http.listen)
            })?;
        let address = listener.local_addr()?;

        let shutdown = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let mailboxes_read: Vec<CancellationToken> =
            receivers.iter().map(ImapReceiver::caught_up).collect();
        let working = engine.clone();
        let stop = shutdown.clone();
        tasks.spawn(async move {
            stop.run_until_cancelled(first_look(&mailboxes_read)).await;
            working.run(stop).await;
            Ok(())
        });
        // The tick goes on until `shutdown`, whether or not its handle is kept.
        let _tick = Tick::start(engine.hub().clone(), shutdown.clone()).await?;
        for receiver in receivers {
            let intake = Arc::new(engine.intake());
            let (decoder, clock, stop) = (decoder.clone(), clock.clone(), shutdown.clone());
            tasks.spawn(async move {
                receiver.run(intake, decoder, clock, stop).await;
                Ok(())
            });
        }
        let (living, stop) = (store.clone(), shutdown.clone());
        let (name, hub, time) = (owner.clone(), engine.hub().clone(), clock.clone());
        tasks.spawn(async move {
            living.live_with_others(&name, &time, &hub, stop).await;
            Ok(())
        });
        let stop = shutdown.clone();
        tasks.spawn(async move {
            axum::serve(listener, router)
                .with_graceful_shutdown(stop.cancelled_owned())
                .await
                .context("the HTTP server failed")
        });
        readiness.enter(Stage::Serving);
        tracing::info!(%address, "liaison is ready");
        Ok(Self {
            address,
            store,
            owner,
            engine,
            readiness,
            shutdown,
            tasks,
            _alone: alone,
        })
    }

    /// Where the API is served.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The API's base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The store.
    pub fn store(&self) -> Arc<dyn Store> {
        self.store.port()
    }

    /// How many durable commits there have been since the start.
    pub fn commits(&self) -> u64 {
        self.store.commits()
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Works until `stopped`, or until a part of the daemon fails; then finishes what is under way
    /// and closes the store.
    pub async fn until(mut self, stopped: impl Future<Output = ()>) -> Result<()> {
        let failed = tokio::select! {
            () = stopped => None,
            ended = self.tasks.join_next() => ended,
        };
        let early = match failed {
            Some(Ok(Err(error))) => Err(error),
            Some(Err(panicked)) => Err(panicked).context("a part of the daemon panicked"),
            Some(Ok(Ok(()))) => Err(anyhow::anyhow!("a part of the daemon ended by itself")),
            None => Ok(()),
        };
        self.stop().await;
        early
    }

    /// Finishes what is under way and closes the store.
    pub async fn stop(mut self) {
        self.readiness.enter(Stage::Closing);
        self.shutdown.cancel();
        let drained = tokio::time::timeout(LONGEST_DRAIN, async {
            while let Some(ended) = self.tasks.join_next().await {
                match ended {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        tracing::error!(error = %format!("{error:#}"), "while stopping")
                    }
                    Err(panicked) => tracing::error!(error = %panicked, "while stopping"),
                }
            }
        });
        if drained.await.is_err() {
            tracing::warn!(
                seconds = LONGEST_DRAIN.as_secs(),
                "not everything finished in time; it is taken up again at the next start"
            );
            self.tasks.abort_all();
        } else {
            self.store.leave(&self.owner).await;
        }
        self.store.close().await;
        tracing::info!("liaison has stopped");
    }
}

/// Returns once every mailbox has been read for the first time, or has had its time.
async fn first_look(mailboxes: &[CancellationToken]) {
    let all = async {
        for mailbox in mailboxes {
            mailbox.cancelled().await;
        }
    };
    if tokio::time::timeout(LONGEST_FIRST_LOOK, all).await.is_err() {
        tracing::warn!(
            seconds = LONGEST_FIRST_LOOK.as_secs(),
            mailboxes = mailboxes.iter().filter(|read| !read.is_cancelled()).count(),
            "mailboxes have not been read since the start; work begins without them, and messages \
             may cross with replies that wait there"
        );
    }
}

fn owner(entropy: &dyn EntropySource) -> String {
    format!("{:?}", entropy.draw())
}

/// The reader and the writer that the configuration names.
pub fn language(config: &ModelConfig) -> Result<(Arc<dyn FormFiller>, Arc<dyn Writer>)> {
    Ok(match config {
        ModelConfig::Rules => (Arc::new(RulesReader), Arc::new(TemplateWriter)),
        ModelConfig::Openai { writes, .. } => {
            let model = Arc::new(openai(config)?);
            let writer: Arc<dyn Writer> = match writes {
                true => model.clone(),
                false => Arc::new(TemplateWriter),
            };
            (model, writer)
        }
    })
}

fn openai(config: &ModelConfig) -> Result<OpenAi> {
    let ModelConfig::Openai {
        base_url,
        model,
        key,
        timeout,
        output,
        ..
    } = config
    else {
        bail!("model.backend is not openai");
    };
    let mut settings = OpenAiConfig::new(base_url, model);
    settings.key.clone_from(key);
    settings.request_timeout = Duration::from_secs(timeout.as_seconds().unsigned_abs());
    settings.format = match output {
        OutputConfig::JsonSchema => AnswerFormat::JsonSchema,
        OutputConfig::JsonObject => AnswerFormat::JsonObject,
    };
    OpenAi::new(settings).context("[model]")
}

/// The transport of a mail identity.
pub fn smtp(email: &EmailConfig, connections: u32) -> Result<SmtpTransport> {
    let SmtpServerConfig {
        host,
        port,
        security: protection,
        user,
        password,
        ca_file,
        hello,
    } = &email.smtp;
    let login = match (user, password) {
        (Some(user), Some(password)) => Some(Login {
            user: user.clone(),
            password: password.clone(),
        }),
        (None, None) => None,
        (Some(_), None) => bail!("smtp.password is missing, or take smtp.user out"),
        (None, Some(_)) => bail!("smtp.user is missing, or take smtp.password out"),
    };
    let transport = SmtpTransport::new(SmtpConfig {
        host: host.clone(),
        port: *port,
        security: security(*protection),
        login,
        authority: ca_file.clone(),
        allow_unencrypted: false,
        hello: hello.clone(),
        sender: Sender {
            name: email.name.clone(),
            mailbox: email.address.clone(),
            tagged_envelope: true,
        },
        connections: connections as usize,
        timeouts: SmtpTimeouts::default(),
    })
    .context("smtp")?;
    let copies = email.imap.as_ref().and_then(|server| {
        let folder = server.sent_folder.clone()?;
        Some(ImapConfig {
            folder,
            ..imap(server)
        })
    });
    match copies {
        Some(copies) => transport
            .with_sent_folder(copies)
            .context("imap.sent_folder"),
        None => Ok(transport),
    }
}

/// The settings of a mailbox's reader.
pub fn imap(server: &ImapServerConfig) -> ImapConfig {
    ImapConfig {
        host: server.host.clone(),
        port: server.port,
        security: security(server.security),
        login: Login {
            user: server.user.clone(),
            password: server.password.clone(),
        },
        authority: server.ca_file.clone(),
        allow_unencrypted: false,
        folder: server.folder.clone(),
        poll_seconds: server.poll.as_seconds().unsigned_abs(),
    }
}

fn security(config: SecurityConfig) -> Security {
    match config {
        SecurityConfig::Tls => Security::Tls,
        SecurityConfig::Starttls => Security::StartTls,
        SecurityConfig::Plain => Security::Plain,
    }
}

/// Each tenant's own decoder, behind the one that the server knows.
struct Decoders(BTreeMap<TenantId, EmailDecoder>);

impl MailDecoder for Decoders {
    fn decode(
        &self,
        tenant: &TenantId,
        raw: &[u8],
        received_at: Timestamp,
    ) -> Result<InboundMessage, Undecodable> {
        match self.0.get(tenant) {
            Some(decoder) => decoder.decode(tenant, raw, received_at),
            None => Err(Undecodable(format!("tenant {tenant} has no mailbox"))),
        }
    }
}

/// The engine's hub, as the server knows it.
struct EngineChanges {
    hub: Hub,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Changes for EngineChanges {
    async fn changed(&self, need: &NeedId, until: Timestamp) {
        let watch = self.hub.watch_need(need);
        tokio::select! {
            () = watch.changed() => {}
            () = self.clock.sleep_until(until) => {}
        }
    }

    fn inputs_arrived(&self) {
        self.hub.work_arrived();
    }
}

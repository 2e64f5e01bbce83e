//! One run: a workflow, a landlord and an operator around a daemon that is killed.

use super::{
    daemon::{Daemon, Place, TENANT},
    mail::{LANDLORD, answer, are_thanks, message_id},
    plan::{Kill, Manner, Plan, Random, Stage},
    verdict,
    wire::Wire,
};
use anyhow::{Context, Result, bail, ensure};
use liaison_channels::email::{Sink, SinkMessage};
use liaison_client::{
    Backoff, Client, ConversationId, MessageId, NeedHandle, Outcome, Stakeholder, Wait,
};
use liaison_core::{conversation::HoldReason, id::TenantId, policy::UnknownSend};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::sync::mpsc::UnboundedReceiver;

/// The slot.
pub(crate) const SLOT: &str = "arranged_by";

/// What a run takes a small fraction of; only one that hangs ever takes so long.
const LONGEST_RUN: Duration = Duration::from_secs(120);

/// Between two looks, or two tries at a daemon that is down.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What happened in a run.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// At which stages the daemon was killed.
    pub(crate) kills: Vec<Stage>,
    /// How many messages of unknown fate turned out to have arrived.
    pub(crate) had_gone: u32,
    /// And how many had not.
    pub(crate) had_not_gone: u32,
    /// How many second copies of a message there were.
    pub(crate) second_copies: u32,
    /// Whether thanks were sent.
    pub(crate) thanks: u32,
}

/// Plays the run of a seed. The error tells all that a person needs to look into it.
pub(crate) async fn play(seed: u64, unknown_send: UnknownSend) -> Result<Told, String> {
    let mut random = Random::new(seed ^ 0x5eed);
    // Mostly without a pause before reading: the kills are what takes time.
    let burst = match random.below(4) {
        0 => "1s",
        _ => "0s",
    };
    let (plan, orders) = Plan::new(seed);
    run(&format!("seed {seed}"), plan, orders, unknown_send, burst).await
}

/// Plays a run in which the daemon is told to stop at `stage`, instead of killed.
pub(crate) async fn stopped_kindly(stage: Stage) -> Result<Told, String> {
    let (plan, orders) = Plan::of(vec![Kill {
        stage,
        after: Duration::ZERO,
        manner: Manner::Stop,
    }]);
    run(&format!("{stage:?}"), plan, orders, UnknownSend::Hold, "0s").await
}

async fn run(
    name: &str,
    plan: Plan,
    orders: UnboundedReceiver<Kill>,
    unknown_send: UnknownSend,
    burst: &str,
) -> Result<Told, String> {
    let planned = format!("{plan:?}");
    let failed = |error: anyhow::Error, log: String| {
        format!(
            "{name}, {unknown_send:?}: {error:#}\nplan: {planned}\nthe daemon's log ends:\n{log}"
        )
    };
    let waits_first = plan.is_kind();
    let mut run = Run::begin(plan, unknown_send, burst)
        .await
        .map_err(|error| failed(error, String::new()))?;
    run.waits_first = waits_first;
    let played = tokio::time::timeout(LONGEST_RUN, run.play(orders))
        .await
        .context("the run did not come to an end")
        .flatten();
    match played {
        Ok(told) => Ok(told),
        Err(error) => {
            let seen: Vec<_> = run
                .for_landlord()
                .iter()
                .map(|m| m.message_id.clone())
                .collect();
            let error = error.context(format!("the landlord has {seen:?}"));
            Err(failed(error, run.place.log()))
        }
    }
}

struct Run {
    sink: Sink,
    plan: Arc<Plan>,
    wire: Wire,
    place: Place,
    client: Client,
    http: reqwest::Client,
    unknown_send: UnknownSend,
    /// Whether the daemon must be ready before anybody does anything.
    waits_first: bool,
}

/// How messages of unknown fate were resolved.
#[derive(Default)]
struct Resolved {
    had_gone: u32,
    had_not_gone: u32,
}

impl Run {
    async fn begin(plan: Plan, unknown_send: UnknownSend, burst: &str) -> Result<Self> {
        // `Err` means that it is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let sink = Sink::start(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let plan = Arc::new(plan);
        let wire = Wire::lay(sink.address(), plan.clone()).await?;
        let place = Place::make(wire.address(), unknown_send, burst).await?;
        let client = Client::new(&place.url(), place.key.clone())?
            .tries(u32::MAX)
            .backoff(Backoff {
                first: BETWEEN_LOOKS,
                longest: BETWEEN_LOOKS * 4,
            });
        Ok(Self {
            sink,
            plan,
            wire,
            place,
            client,
            http: reqwest::Client::builder().no_proxy().build()?,
            unknown_send,
            waits_first: false,
        })
    }

    async fn play(&self, orders: UnboundedReceiver<Kill>) -> Result<Told> {
        let (end, ended) = tokio::sync::oneshot::channel();
        let people = async {
            let played = self.people().await;
            // The executioner is still there: it waits for this.
            let _ = end.send(());
            played
        };
        let ((need, outcome, resolved), (daemon, kills)) =
            tokio::try_join!(people, self.executioner(orders, ended))?;

        let status = daemon.stop().await?;
        ensure!(
            status.code() == Some(0),
            "told to stop, it ended with {status}"
        );
        self.wire.settled().await;
        let mail = self.for_landlord();
        let (thanks, asks): (Vec<_>, Vec<_>) = mail.iter().partition(|m| are_thanks(m));
        let store = self.place.store().await?;
        let judged = verdict::judge(
            &store,
            &TenantId::new(TENANT),
            &verdict::Seen {
                need: need.id(),
                outcome: &outcome,
                asks: &asks,
                thanks: &thanks,
                copies_allowed: match self.unknown_send {
                    UnknownSend::Hold => 1,
                    UnknownSend::Resend => 2,
                },
            },
        )
        .await;
        store.close().await;
        judged?;
        Ok(Told {
            kills,
            had_gone: resolved.had_gone,
            had_not_gone: resolved.had_not_gone,
            second_copies: self.sink.repeated().len() as u32,
            thanks: thanks.len() as u32,
        })
    }

    /// Starts the daemon, and ends and starts it again whenever that is ordered, until `ended`.
    async fn executioner(
        &self,
        mut orders: UnboundedReceiver<Kill>,
        mut ended: tokio::sync::oneshot::Receiver<()>,
    ) -> Result<(Daemon, Vec<Stage>)> {
        let mut kills = Vec::new();
        loop {
            let daemon = self.place.start()?;
            self.plan.reached(Stage::Starting);
            let kill = tokio::select! {
                biased;
                Some(kill) = orders.recv() => kill,
                _ = &mut ended => return Ok((daemon, kills)),
            };
            tokio::time::sleep(kill.after).await;
            match kill.manner {
                Manner::Kill { .. } => daemon.kill().await?,
                Manner::Stop => {
                    let status = daemon.stop().await?;
                    ensure!(
                        status.code() == Some(0),
                        "told to stop, it ended with {status}"
                    );
                }
            }
            // Whoever looks into the mailbox must see what was still on the wire.
            self.wire.settled().await;
            kills.push(kill.stage);
            self.plan.done();
        }
    }

    /// The workflow, the landlord and the operator, until nothing more happens.
    async fn people(&self) -> Result<(NeedHandle, Outcome, Resolved)> {
        if self.waits_first {
            // A process that is only starting does not know signals yet.
            while !self.is_ready().await {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
        }
        let need = self.register().await?;
        let conversation = need.view().await?.conversation;
        let workflow = async {
            let outcome = need.outcome().await?;
            self.plan.reached(Stage::Settled);
            Ok(outcome)
        };
        let mut resolved = Resolved::default();
        let operator = self.operator(&conversation, &mut resolved);
        let outcome = tokio::select! {
            both = async { tokio::try_join!(workflow, self.landlord()) } => both?.0,
            stopped = operator => bail!("the operator gave up: {stopped:?}"),
        };
        while !self.is_over(&conversation, &mut resolved).await? {
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        // The same request is the same need, and its outcome the same outcome, for ever.
        let again = self.register().await?;
        ensure!(
            again.id() == need.id(),
            "the need was registered a second time"
        );
        ensure!(
            again.outcome().await? == outcome,
            "there is another outcome"
        );
        Ok((need, outcome, resolved))
    }

    async fn is_ready(&self) -> bool {
        let asked = self.http.get(format!("{}/readyz", self.place.url())).send();
        asked.await.is_ok_and(|answer| answer.status().is_success())
    }

    async fn register(&self) -> Result<NeedHandle> {
        self.plan.reached(Stage::Registering);
        let need = self
            .client
            .need("Decide who will arrange the inspection")
            .stakeholder(Stakeholder::email(LANDLORD).name("Lee"))
            .choice(
                SLOT,
                "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
                [
                    ("landlord", "arrange it yourself"),
                    ("agency", "have us arrange it for you"),
                ],
            )
            .deadline_in(Wait::days(15))
            .idempotency_key("inspection-42")
            .register()
            .await?;
        self.plan.reached(Stage::Registered);
        Ok(need)
    }

    /// Answers the question once, as soon as it is there, and makes sure that the answer is taken.
    async fn landlord(&self) -> Result<()> {
        let mail = self.sink.wait_for(1).await;
        let question = mail.first().context("the mailbox is empty")?;
        self.wire.replied();
        let reply = answer(question)?;
        loop {
            self.plan.reached(Stage::Replying);
            let taken = self
                .http
                .post(format!("{}/v1/inbound/email", self.place.url()))
                .bearer_auth(&self.place.mail_key)
                .header("content-type", "message/rfc822")
                .body(reply.clone())
                .send()
                .await;
            match taken {
                Ok(response) if response.status() == 202 => break,
                Ok(response) if response.status().is_server_error() => {}
                Ok(response) => bail!("the reply is not taken: {}", response.status()),
                Err(_) => {}
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        self.plan.reached(Stage::Replied);
        Ok(())
    }

    async fn operator(&self, conversation: &ConversationId, resolved: &mut Resolved) -> Result<()> {
        loop {
            self.resolve(conversation, resolved).await?;
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Looks whether a message's fate is unknown, looks into the mailbox, and says what became of
    /// it.
    async fn resolve(&self, conversation: &ConversationId, resolved: &mut Resolved) -> Result<()> {
        let view = self.client.conversation(conversation).await?;
        ensure!(
            view.quarantined.is_none(),
            "it is set aside: {:?}",
            view.quarantined
        );
        for hold in view.holds {
            let HoldReason::UnknownSend { message, .. } = hold.reason else {
                bail!("it is held for another reason: {}", hold.sentence);
            };
            let sent = self.sink.copies(&message_id(&message)) > 0;
            let commands = self.client.commands(conversation.clone()).by("olga");
            let resolving = commands.idempotency_key(format!("resolve-{message}"));
            resolving.resolve_send(message.clone(), sent).await?;
            while self.is_unknown(conversation, &message).await? {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            match sent {
                true => resolved.had_gone += 1,
                false => resolved.had_not_gone += 1,
            }
        }
        Ok(())
    }

    async fn is_unknown(&self, conversation: &ConversationId, message: &MessageId) -> Result<bool> {
        let view = self.client.conversation(conversation).await?;
        Ok(view.holds.iter().any(|hold| {
            matches!(&hold.reason, HoldReason::UnknownSend { message: unknown, .. } if unknown == message)
        }))
    }

    /// Whether nothing more will happen until the ladder says so.
    async fn is_over(
        &self,
        conversation: &ConversationId,
        resolved: &mut Resolved,
    ) -> Result<bool> {
        self.resolve(conversation, resolved).await?;
        let view = self.client.conversation(conversation).await?;
        let is_quiet = view.phase.is_waiting()
            && view.holds.is_empty()
            && view.outgoing.is_empty()
            && view.unread == 0
            && view.unfolded == 0;
        Ok(is_quiet && self.plan.is_at_rest())
    }

    fn for_landlord(&self) -> Vec<SinkMessage> {
        self.sink.messages()
    }
}

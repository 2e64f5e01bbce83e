//! The dispatcher: it hands outbox rows to their transports and records what became of them.

use crate::{Engine, MOST_STORE_TRIES, STORE_TRIES_EVERY, claims, worker::caught};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use liaison_core::{id::MessageId, input::Fate, policy::Wait, sending};
use liaison_ports::{
    store::{ClaimRequest, Completion, CompletionResult, OutboxItem},
    transport::{Delivery, Finding, Handover, Recalled},
};
use tokio_util::sync::CancellationToken;

/// How often a message is offered before an operator is told: with the waits below, for about two
/// days, which outlasts a weekend's outage of a mail server.
const MOST_ATTEMPTS: u32 = 50;

/// The wait after the first refusal; it doubles up to [`LONGEST_BACKOFF`]. RFC 5321, section
/// 4.5.4.1 asks for at least thirty minutes in general; a submission server of one's own may be
/// asked sooner.
const FIRST_BACKOFF: Wait = Wait::seconds(30);
const LONGEST_BACKOFF: Wait = Wait::hours(1);

pub(crate) async fn run(engine: &Engine, shutdown: CancellationToken) {
    claims::work_off(
        engine.limits.deliveries.get(),
        shutdown,
        |limit| claim(engine, limit),
        || engine.hub.outbox(),
        |item| {
            let engine = engine.clone();
            async move { deliver(&engine, item).await }
        },
    )
    .await;
}

/// Hands over everything that is due now, one after the other. Returns how many there were.
pub(crate) async fn round(engine: &Engine) -> usize {
    let claimed = claim(engine, engine.limits.deliveries.get())
        .await
        .unwrap_or_default();
    let count = claimed.len();
    for item in claimed {
        deliver(engine, item).await;
    }
    count
}

async fn claim(engine: &Engine, limit: u32) -> Result<Vec<OutboxItem>, ()> {
    let now = engine.parts.clock.now();
    let request = ClaimRequest {
        owner: engine.limits.owner.clone(),
        now,
        lease_until: engine.limits.lease_until(now),
        limit,
    };
    engine
        .parts
        .store
        .outbox_claim(request)
        .await
        .map_err(|error| {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "no message could be claimed"
            );
        })
}

/// Hands a message over. When that panics, nobody knows how far it came: the claim stays until it
/// runs out, and then the store tells what was begun, whose fate is unknown, from what was not.
async fn deliver(engine: &Engine, item: OutboxItem) {
    let message = item.message.clone();
    if let Err(panic) = caught(hand_over(engine, item)).await {
        tracing::error!(%message, panic, "its delivery panicked; its lease runs out by itself");
    }
}

async fn hand_over(engine: &Engine, item: OutboxItem) {
    let parts = &engine.parts;
    let Some(transport) = parts.transport(&item.tenant, item.channel) else {
        let reason = format!("no transport is configured for {}", item.channel);
        let fate = Fate::Refused {
            address_is_bad: false,
            reason,
        };
        complete(engine, item.message, CompletionResult::Final(fate)).await;
        return;
    };
    if let Some(not_before) = quiet_until(engine, &item).await {
        let result = CompletionResult::Retry {
            not_before,
            error: "nobody is written to at this hour".to_owned(),
        };
        complete(engine, item.message, result).await;
        return;
    }
    let handover = Recorded {
        engine,
        message: &item.message,
    };
    let delivery = transport.deliver(&item.composed, &handover).await;
    let now = parts.clock.now();
    let result = match delivery {
        Delivery::Sent => CompletionResult::Final(sent(&item, now)),
        Delivery::Recalled => CompletionResult::PutBack,
        Delivery::Refused {
            address_is_bad,
            reason,
        } => CompletionResult::Final(Fate::Refused {
            address_is_bad,
            reason,
        }),
        Delivery::RefusedForNow { reason } if item.attempts + 1 >= MOST_ATTEMPTS => {
            CompletionResult::Final(Fate::Refused {
                address_is_bad: false,
                reason: format!("given up after {MOST_ATTEMPTS} tries: {reason}"),
            })
        }
        Delivery::RefusedForNow { reason } => retry(engine, item.attempts, now, reason),
        Delivery::Unknown { why } => match transport.look_up(&item.composed).await {
            Finding::Sent => CompletionResult::Final(sent(&item, now)),
            Finding::NotSent => retry(engine, item.attempts, now, why),
            Finding::CannotTell => CompletionResult::Final(Fate::Unknown { why }),
        },
    };
    match &result {
        CompletionResult::Final(Fate::Sent { .. }) => {
            tracing::debug!(message = %item.message, "sent");
        }
        // The far side's words may hold an address: they are in the outbox, not in the log.
        other => {
            let result = name(other);
            tracing::warn!(message = %item.message, attempt = item.attempts + 1, result, "not sent");
            tracing::debug!(message = %item.message, result = ?other, "what the far side said");
        }
    }
    complete(engine, item.message, result).await;
}

/// Until when the message has to wait, because it would reach its person at night, or because the
/// store does not say.
async fn quiet_until(engine: &Engine, item: &OutboxItem) -> Option<Timestamp> {
    let parts = &engine.parts;
    match parts
        .store
        .conversation(&item.tenant, &item.conversation)
        .await
    {
        Ok(row) => sending::not_to_be_handed_over_before(&row?.document, parts.clock.now()),
        Err(error) => {
            tracing::warn!(
                message = %item.message,
                error = &error as &dyn std::error::Error,
                "its conversation could not be looked at"
            );
            Some(FIRST_BACKOFF.after(parts.clock.now()))
        }
    }
}

fn name(result: &CompletionResult) -> &'static str {
    match result {
        CompletionResult::Final(Fate::Sent { .. }) => "sent",
        CompletionResult::Final(Fate::Refused { .. }) => "refused",
        CompletionResult::Final(Fate::Unknown { .. }) => "unknown",
        CompletionResult::Final(Fate::Withdrawn { .. }) => "withdrawn",
        CompletionResult::Retry { .. } => "to be tried again",
        CompletionResult::PutBack => "put back",
    }
}

fn sent(item: &OutboxItem, at: Timestamp) -> Fate {
    Fate::Sent {
        at,
        transport_id: item.composed.transport_id.clone(),
    }
}

/// A later try. The wait is spread by up to a quarter, so that messages refused together do not
/// come back together.
fn retry(engine: &Engine, attempts: u32, now: Timestamp, error: String) -> CompletionResult {
    let wait = FIRST_BACKOFF
        .doubled(attempts, LONGEST_BACKOFF)
        .as_seconds();
    let [random, ..] = engine.parts.entropy.draw().0;
    let spread = wait * i64::from(random) / (4 * 256);
    CompletionResult::Retry {
        not_before: now
            .checked_add(SignedDuration::from_secs(wait + spread))
            .unwrap_or(Timestamp::MAX),
        error,
    }
}

/// Records what became of a message. Losing this turns a sent message into one of unknown fate, so
/// it is tried until the store takes it, within reason.
async fn complete(engine: &Engine, message: MessageId, result: CompletionResult) {
    for attempt in 1..=MOST_STORE_TRIES {
        let completion = Completion {
            message: message.clone(),
            owner: engine.limits.owner.clone(),
            at: engine.parts.clock.now(),
            result: result.clone(),
        };
        match engine.parts.store.outbox_complete(vec![completion]).await {
            Ok(()) => {
                engine.hub.work_arrived();
                return;
            }
            Err(error) => tracing::warn!(
                %message,
                attempt,
                error = &error as &dyn std::error::Error,
                "what became of it could not be stored"
            ),
        }
        tokio::time::sleep(STORE_TRIES_EVERY).await;
    }
    tracing::error!(%message, "what became of it is lost; its lease runs out and it counts as unknown");
}

/// Makes the point of no return durable.
struct Recorded<'a> {
    engine: &'a Engine,
    message: &'a MessageId,
}

#[async_trait]
impl Handover for Recorded<'_> {
    async fn point_of_no_return(&self) -> Result<(), Recalled> {
        let lease_until = self
            .engine
            .limits
            .lease_until(self.engine.parts.clock.now());
        let begun = self
            .engine
            .parts
            .store
            .outbox_begin(self.message, &self.engine.limits.owner, lease_until)
            .await;
        match begun {
            Ok(true) => Ok(()),
            Ok(false) => Err(Recalled),
            Err(error) => {
                tracing::warn!(
                    message = %self.message,
                    error = &error as &dyn std::error::Error,
                    "it is not sent, because that could not be made durable first"
                );
                Err(Recalled)
            }
        }
    }
}

//! The claim loop: it finds conversations that are due and works on each until it waits.

use crate::{Engine, operation};
use liaison_ports::store::{ClaimRequest, Claimed, StoreError};
use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};
use tokio::{sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// How long to rest when the store cannot be used: long enough not to add to its troubles.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How long to wait for a hint before looking anyway: the tick comes every second, and this is for
/// when it does not.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);

pub(crate) async fn run(engine: &Engine, shutdown: CancellationToken) {
    let room = engine.limits.conversations.get();
    let permits = Arc::new(Semaphore::new(room as usize));
    let mut running = JoinSet::new();
    while !shutdown.is_cancelled() {
        while running.try_join_next().is_some() {}
        // Wait for room first, so that nothing is claimed that then has to wait here.
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        let free = 1 + permits.available_permits();
        drop(permit);
        let claimed = match claim(engine, u32::try_from(free).unwrap_or(room)).await {
            Ok(claimed) => claimed,
            Err(()) => {
                rest(&shutdown, REST_AFTER_FAILURE).await;
                continue;
            }
        };
        let exhausted = claimed.len() < free;
        for one in claimed {
            let Ok(permit) = permits.clone().acquire_owned().await else {
                return;
            };
            let engine = engine.clone();
            running.spawn(async move {
                work_on(&engine, one).await;
                drop(permit);
            });
        }
        if exhausted {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = engine.hub.work() => {}
                () = tokio::time::sleep(LONGEST_SLEEP) => {}
            }
        }
    }
    while running.join_next().await.is_some() {}
}

/// Works on everything that is due now, one conversation after the other, in the store's order.
/// Returns how many there were.
pub(crate) async fn round(engine: &Engine) -> usize {
    let claimed = claim(engine, engine.limits.conversations.get())
        .await
        .unwrap_or_default();
    let count = claimed.len();
    for one in claimed {
        work_on(engine, one).await;
    }
    count
}

/// Works on a conversation. One that makes the code panic would do so again: it is set aside, so
/// that an operator sees it and nobody else has to wait for it.
async fn work_on(engine: &Engine, claimed: Claimed) {
    let (id, fence) = (claimed.id.clone(), claimed.fence);
    let Err(panic) = caught(operation::work_on(engine, claimed)).await else {
        return;
    };
    tracing::error!(conversation = %id, panic, "its operation panicked; it is set aside");
    let why = format!("the operation panicked: {panic}");
    let now = engine.parts.clock.now();
    match engine.parts.store.quarantine(&id, fence, &why, now).await {
        Ok(()) | Err(StoreError::Fenced) => {}
        Err(error) => tracing::error!(
            conversation = %id,
            error = &error as &dyn std::error::Error,
            "it could not be set aside; its lease runs out by itself"
        ),
    }
}

/// Does `work`; when it panics, what the panic said, bounded. Nothing that `work` borrows is looked
/// at afterwards but what every task shares, and that is whole between two of its calls.
pub(crate) async fn caught<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let mut work = pin!(work);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(said(panic.as_ref()))),
        },
    )
    .await
}

fn said(panic: &(dyn Any + Send)) -> String {
    /// As much as is kept of any other error; an assertion can print whole documents.
    const LONGEST: usize = 250;

    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it does not say why");
    text.chars().take(LONGEST).collect()
}

async fn claim(engine: &Engine, limit: u32) -> Result<Vec<Claimed>, ()> {
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
        .claim_due(request)
        .await
        .map_err(|error| {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "no conversation could be claimed"
            );
        })
}

async fn rest(shutdown: &CancellationToken, time: Duration) {
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = tokio::time::sleep(time) => {}
    }
}

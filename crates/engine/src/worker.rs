//! The workers: they find conversations that are due and work on each until it waits.

use crate::{Engine, claims, operation};
use liaison_ports::store::{ClaimRequest, Claimed};
use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};
use tokio_util::sync::CancellationToken;

pub(crate) async fn run(engine: &Engine, shutdown: CancellationToken) {
    claims::work_off(
        engine.limits.conversations.get(),
        shutdown,
        |limit| claim(engine, limit),
        || engine.hub.work(),
        |one| {
            let engine = engine.clone();
            async move { work_on(&engine, one).await }
        },
    )
    .await;
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
    let why = format!("the operation panicked: {panic}");
    operation::set_aside(engine, &id, fence, &why).await;
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

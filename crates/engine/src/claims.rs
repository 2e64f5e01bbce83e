//! The loop that both sides of the engine share: claim as much as there is room for, work on it side
//! by side, and wait for more.

use std::{sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// How long to rest when the store cannot be used: long enough not to add to its troubles.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How long to wait for a hint before looking anyway: the tick comes every second, and this is for
/// when it does not.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);

/// Claims and works until `shutdown`, at most `room` at once; then finishes what is under way.
/// `hint` completes when there may be more to claim.
pub(crate) async fn work_off<T, Claim, Hint, Work>(
    room: u32,
    shutdown: CancellationToken,
    claim: impl Fn(u32) -> Claim,
    hint: impl Fn() -> Hint,
    work: impl Fn(T) -> Work,
) where
    Claim: Future<Output = Result<Vec<T>, ()>>,
    Hint: Future<Output = ()>,
    Work: Future<Output = ()> + Send + 'static,
{
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
        let Ok(claimed) = claim(u32::try_from(free).unwrap_or(room)).await else {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(REST_AFTER_FAILURE) => {}
            }
            continue;
        };
        let exhausted = claimed.len() < free;
        for one in claimed {
            let Ok(permit) = permits.clone().acquire_owned().await else {
                return;
            };
            let work = work(one);
            running.spawn(async move {
                work.await;
                drop(permit);
            });
        }
        if exhausted {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = hint() => {}
                () = tokio::time::sleep(LONGEST_SLEEP) => {}
            }
        }
    }
    while running.join_next().await.is_some() {}
}

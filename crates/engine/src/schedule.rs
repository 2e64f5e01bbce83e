//! The tick: once a second everybody looks whether something is due. It is a convenience, not a
//! promise: durable time is each conversation's `wake_at`, and the loops also look by themselves.

use crate::Hub;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;

/// How often the watchdog looks. The tick comes every second, so a silence this long is a stop.
const WATCH_EVERY: Duration = Duration::from_secs(15);

/// A look at the tick that runs; it goes on until the shutdown, whether this is kept or not.
pub struct Tick {
    count: Arc<AtomicU64>,
}

/// The tick could not be started.
#[derive(Debug, thiserror::Error)]
#[error("the scheduler did not start")]
pub struct TickFault(#[from] JobSchedulerError);

impl Tick {
    /// Starts the tick, and a watchdog that starts it again should it stop; both end with
    /// `shutdown`.
    pub async fn start(hub: Hub, shutdown: CancellationToken) -> Result<Self, TickFault> {
        let count = Arc::new(AtomicU64::new(0));
        let first = schedule(&hub, &count).await?;
        let watched = count.clone();
        tokio::spawn(async move {
            let mut scheduler = first;
            let mut seen = 0;
            loop {
                tokio::select! {
                    () = shutdown.cancelled() => break,
                    () = tokio::time::sleep(WATCH_EVERY) => {}
                }
                let now = watched.load(Ordering::Relaxed);
                if now == seen {
                    tracing::error!(ticks = now, "the tick has stopped; it is started again");
                    stop(&mut scheduler).await;
                    match schedule(&hub, &watched).await {
                        Ok(restarted) => scheduler = restarted,
                        Err(error) => tracing::error!(
                            error = &error as &dyn std::error::Error,
                            "it did not start"
                        ),
                    }
                }
                seen = now;
            }
            stop(&mut scheduler).await;
        });
        Ok(Self { count })
    }

    /// How many ticks there were.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

async fn schedule(hub: &Hub, count: &Arc<AtomicU64>) -> Result<JobScheduler, JobSchedulerError> {
    let scheduler = JobScheduler::new().await?;
    let hub = hub.clone();
    let count = count.clone();
    let tick = Job::new("* * * * * *", move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        hub.tick();
    })?;
    scheduler.add(tick).await?;
    scheduler.start().await?;
    Ok(scheduler)
}

async fn stop(scheduler: &mut JobScheduler) {
    if let Err(error) = scheduler.shutdown().await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the scheduler did not stop cleanly"
        );
    }
}

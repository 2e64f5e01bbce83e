//! Hints between replicas: `NOTIFY` after a commit, so that another replica looks at once instead of
//! at its next tick. Nothing rests on them. They may come late, twice, or never.
//!
//! They are not part of the writes' transactions: a transaction that notifies holds a lock of the
//! whole database from before its commit until after it, so commits that notify wait for each
//! other's flush. One task tells what has gathered, in one statement that flushes nothing.

use crate::{connections::Connections, read::Statement};
use liaison_core::id::NeedId;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use std::{collections::BTreeSet, time::Duration};
use tokio::{sync::mpsc, time::sleep};

/// Hints that wait to be told. What does not fit is not told, and found at the next tick.
const MOST_WAITING: usize = 10_000;

/// How long hints gather. It bounds what a burst costs: a hundred statements a second.
const GATHERING: Duration = Duration::from_millis(10);

/// How long to wait before listening again when the database cannot be reached.
const PAUSE: Duration = Duration::from_secs(1);

const TELL: &str = "tell other replicas";

/// What another replica may want to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// A conversation may be due.
    Work,
    /// A row of the outbox may be due.
    Outbox,
    /// Something about a need has changed.
    Need(NeedId),
    /// Hints may have been missed, so anything may have happened.
    Anything,
}

impl Hint {
    fn payload(&self) -> String {
        match self {
            Self::Work => "work".to_owned(),
            Self::Outbox => "outbox".to_owned(),
            Self::Need(need) => format!("need {need}"),
            Self::Anything => "anything".to_owned(),
        }
    }

    /// A hint of a kind that this version does not know stands for anything.
    fn read(payload: &str) -> Self {
        match payload.split_once(' ') {
            Some(("need", id)) => Self::Need(NeedId::new(id)),
            None if payload == "work" => Self::Work,
            None if payload == "outbox" => Self::Outbox,
            _ => Self::Anything,
        }
    }
}

/// The way to tell. Clones share it.
#[derive(Clone)]
pub(crate) struct Hints {
    queue: mpsc::Sender<Hint>,
}

/// Where hints are told and heard.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    /// Its name in the database: the replicas of one schema share it.
    pub(crate) name: String,
    /// What tells this store's own hints from those of others.
    pub(crate) own: String,
}

impl Hints {
    /// Starts the task that tells. It ends with the last clone of what is returned.
    pub(crate) fn start(connections: Connections, channel: Channel) -> Self {
        let (queue, waiting) = mpsc::channel(MOST_WAITING);
        tokio::spawn(tell_all(connections, channel, waiting));
        Self { queue }
    }

    /// Tells others, soon.
    pub(crate) fn tell(&self, hints: Vec<Hint>) {
        for hint in hints {
            let _full = self.queue.try_send(hint);
        }
    }
}

async fn tell_all(connections: Connections, channel: Channel, mut waiting: mpsc::Receiver<Hint>) {
    let mut gathered = Vec::new();
    while waiting.recv_many(&mut gathered, MOST_WAITING).await > 0 {
        let payloads: BTreeSet<String> = gathered
            .drain(..)
            .map(|hint| format!("{} {}", channel.own, hint.payload()))
            .collect();
        let payloads: Vec<String> = payloads.into_iter().collect();
        let told = connections
            .rows(TELL, || notify(&channel.name, &payloads))
            .await;
        if let Err(error) = told {
            tracing::debug!(%error, "other replicas were not told, and find out at their next tick");
        }
        sleep(GATHERING).await;
    }
}

fn notify(channel: &str, payloads: &[String]) -> Statement {
    sqlx::query("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload")
        .bind(channel)
        .bind(payloads)
}

/// Calls `told` with what other replicas tell, until it is dropped.
pub(crate) async fn hear(
    options: PgConnectOptions,
    channel: &Channel,
    told: impl Fn(Hint) + Send + Sync,
) {
    // One connection of its own, that is never idle in the sense of a pool: it listens.
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .connect_lazy_with(options);
    loop {
        if let Err(error) = hear_on(&pool, channel, &told).await {
            tracing::debug!(%error, "hints of other replicas are not heard for now");
        }
        sleep(PAUSE).await;
    }
}

async fn hear_on(
    pool: &sqlx::PgPool,
    channel: &Channel,
    told: &(impl Fn(Hint) + Send + Sync),
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(&channel.name).await?;
    told(Hint::Anything);
    loop {
        match listener.try_recv().await? {
            Some(notification) => match notification.payload().split_once(' ') {
                Some((own, _)) if own == channel.own => {}
                Some((_, payload)) => told(Hint::read(payload)),
                None => {}
            },
            // The connection was lost, and is there again.
            None => told(Hint::Anything),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_read_as_it_was_told() {
        for hint in [
            Hint::Work,
            Hint::Outbox,
            Hint::Need(NeedId::new("n-1")),
            Hint::Anything,
        ] {
            assert_eq!(Hint::read(&hint.payload()), hint);
        }
        assert_eq!(Hint::read("weather fine"), Hint::Anything);
    }
}

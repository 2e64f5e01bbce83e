//! Which store the configuration names, and opening it: the one place that knows both.

use crate::config::StoreConfig;
use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use liaison_engine::Hub;
use liaison_ports::{clock::Clock, store::Store};
use liaison_store_postgres::{Hint, PostgresStore};
use liaison_store_sqlite::SqliteStore;
use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To read and write; an older schema is brought up to date.
    Use,
    /// To see whether it can be used; nothing is made or brought up to date.
    Check,
    /// To read, beside whoever works on it; every write is refused.
    Look,
}

/// An open store.
#[derive(Clone)]
pub enum OpenStore {
    /// One file, on which one process works.
    Sqlite(Arc<SqliteStore>),
    /// A database that any number of replicas share.
    Postgres(Arc<PostgresStore>),
}

/// Where a store is.
#[derive(Debug, PartialEq, Eq)]
enum Whereabouts<'a> {
    File(PathBuf),
    Server(&'a str),
}

impl StoreConfig {
    /// Whether the setting can be understood.
    pub fn check(&self) -> Result<()> {
        self.whereabouts().map(drop)
    }

    fn whereabouts(&self) -> Result<Whereabouts<'_>> {
        let scheme = self.url.split(':').next().unwrap_or_default();
        match scheme {
            "sqlite" => {
                let path = &self.url["sqlite:".len().min(self.url.len())..];
                let path = path.strip_prefix("//").unwrap_or(path);
                if path.is_empty() {
                    bail!(
                        "store.url names no file; use a path, like \
                         sqlite:/var/lib/liaison/liaison.db"
                    );
                }
                Ok(Whereabouts::File(PathBuf::from(path)))
            }
            "postgres" | "postgresql" => Ok(Whereabouts::Server(&self.url)),
            // What comes after the scheme may hold a password.
            _ => bail!(
                "store.url begins with {scheme:?}; use sqlite: and a path, like \
                 sqlite:/var/lib/liaison/liaison.db, or postgres://user@host/database"
            ),
        }
    }

    /// Opens the store.
    pub async fn open(&self, purpose: Purpose) -> Result<OpenStore> {
        match self.whereabouts()? {
            Whereabouts::File(path) => {
                if purpose == Purpose::Check && !path.exists() {
                    bail!(
                        "{} does not exist yet; run `liaison migrate`, or `liaison serve`, which \
                         makes it",
                        path.display()
                    );
                }
                let options = liaison_store_sqlite::Options {
                    migrate: purpose == Purpose::Use,
                    read_only: purpose == Purpose::Look,
                    ..liaison_store_sqlite::Options::default()
                };
                let store = SqliteStore::open(&path, options).await?;
                Ok(OpenStore::Sqlite(Arc::new(store)))
            }
            Whereabouts::Server(url) => {
                let options = liaison_store_postgres::Options {
                    migrate: purpose == Purpose::Use,
                    read_only: purpose == Purpose::Look,
                    ..liaison_store_postgres::Options::default()
                };
                let store = PostgresStore::open(url, options).await?;
                Ok(OpenStore::Postgres(Arc::new(store)))
            }
        }
    }

    /// Makes sure that one process alone works on a database file: SQLite would let several write,
    /// but a claim is only known to be dead when its process is. Replicas on Postgres watch each
    /// other instead. The lock lasts as long as what is returned.
    pub fn lock(&self) -> Result<Option<File>> {
        match self.whereabouts()? {
            Whereabouts::File(path) => lock(&path).map(Some),
            Whereabouts::Server(_) => Ok(None),
        }
    }
}

impl OpenStore {
    /// The store, as everything but this file knows it.
    pub fn port(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(store) => store.clone(),
            Self::Postgres(store) => store.clone(),
        }
    }

    /// How many durable commits there have been since it was opened.
    pub fn commits(&self) -> u64 {
        match self {
            Self::Sqlite(store) => store.commits(),
            Self::Postgres(store) => store.commits(),
        }
    }

    /// Takes up what a former run left. For one who holds the lock: whatever is claimed in a file
    /// was claimed by a process that has ended. Among replicas, each is found dead by the others.
    pub(crate) async fn take_up(&self, now: Timestamp) -> Result<()> {
        match self {
            Self::Sqlite(store) => store
                .end_foreign_claims(now)
                .await
                .context("what a former run left could not be taken up"),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Lives with the other replicas, if there can be any, until `stop`: tells them that `owner` is
    /// alive, takes over from those that are not, and passes on to `hub` what they do.
    pub(crate) async fn live_with_others(
        &self,
        owner: &str,
        clock: &Arc<dyn Clock>,
        hub: &Hub,
        stop: CancellationToken,
    ) {
        match self {
            Self::Sqlite(_) => stop.cancelled().await,
            Self::Postgres(store) => {
                let alive = store.stay_alive(owner, || clock.now());
                let hearing = store.hear(|hint| pass_on(hub, hint));
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = alive => {}
                    () = hearing => {}
                }
            }
        }
    }

    /// Tells the other replicas that `owner` has given back all that it had claimed.
    pub(crate) async fn leave(&self, owner: &str) {
        if let Self::Postgres(store) = self
            && let Err(error) = store.leave(owner).await
        {
            tracing::debug!(%error, "other replicas find out by themselves that this one has stopped");
        }
    }

    /// Finishes what is under way and closes it.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close().await,
        }
    }
}

fn pass_on(hub: &Hub, hint: Hint) {
    match hint {
        Hint::Work => hub.work_arrived(),
        Hint::Outbox => hub.outbox_filled(),
        Hint::Need(need) => hub.need_changed(&need),
        // Who waits for a need looks once a second anyway.
        Hint::Anything => hub.tick(),
    }
}

fn lock(path: &Path) -> Result<File> {
    let lock = path.with_added_extension("lock");
    if let Some(folder) = lock
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("store.url: {} cannot be made", folder.display()))?;
    }
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock)
        .with_context(|| format!("store.url: {} cannot be written", lock.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another liaison works on {}; stop it first, or give this one a store of its own",
            path.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", lock.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(url: &str) -> StoreConfig {
        StoreConfig {
            url: url.to_owned(),
        }
    }

    #[test]
    fn one_setting_names_either_store() {
        for (url, expected) in [
            ("sqlite:a.db", Whereabouts::File("a.db".into())),
            ("sqlite:///var/a.db", Whereabouts::File("/var/a.db".into())),
            ("postgres://a@b/c", Whereabouts::Server("postgres://a@b/c")),
            (
                "postgresql://a@b/c",
                Whereabouts::Server("postgresql://a@b/c"),
            ),
        ] {
            assert_eq!(named(url).whereabouts().expect("is understood"), expected);
        }
    }

    #[test]
    fn what_is_not_understood_is_said_without_its_password() {
        for url in ["mysql://ana:hunter2@b/c", "sqlite", "sqlite:", ""] {
            let fault = named(url)
                .check()
                .expect_err("is not understood")
                .to_string();
            assert!(
                fault.contains("store.url") && !fault.contains("hunter2"),
                "{fault}"
            );
        }
        assert!(!format!("{:?}", named("postgres://ana:hunter2@b/c")).contains("hunter2"));
    }
}

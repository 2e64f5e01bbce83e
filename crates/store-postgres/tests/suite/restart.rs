//! A server that is stopped at once, as by a power cut, and started again.

use crate::server::{Database, database_on};
use liaison_ports::{
    conformance::{
        Subject,
        fixture::{new_need, register},
    },
    store::{Store, StoreError},
};
use liaison_store_postgres::{Options, PostgresStore};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinSet;

/// A server of this test's own.
struct Server {
    folder: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        let server = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        server.control("start").await;
        server
    }

    async fn control(&self, what: &'static str) {
        let folder = self.folder.path().to_owned();
        let done = tokio::task::spawn_blocking(move || run(what, &folder)).await;
        assert!(done.expect("ends"), "{what}");
    }

    async fn database(&self) -> Database {
        let text = std::fs::read_to_string(self.folder.path().join("env")).expect("started");
        let (_, url) = text.trim().split_once('=').expect("a setting");
        database_on(url).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        run("stop", self.folder.path());
    }
}

fn run(what: &str, folder: &Path) -> bool {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy/test/postgres.sh");
    Command::new(script)
        .arg(what)
        .arg(folder)
        .status()
        .is_ok_and(|status| status.success())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_survives_a_crash_of_the_server_and_what_was_not_is_done_once() {
    if std::env::var_os("LIAISON_TEST_POSTGRES_URL").is_none() {
        eprintln!("SKIPPED: LIAISON_TEST_POSTGRES_URL is not set, see deploy/test/postgres.sh");
        return;
    }
    let server = Server::start().await;
    let database = server.database().await;
    let options = Options {
        patience: Duration::from_secs(20),
        ..Options::default()
    };
    let store = PostgresStore::open(&database.url, options).await;
    let store: Subject = Arc::new(store.expect("opens"));
    for round in 0..3 {
        let before = format!("before-{round}");
        register(&store, new_need(&before)).await;
        let mut registering: JoinSet<_> = (0..40)
            .map(|n| {
                let store = Arc::clone(&store);
                let name = format!("r{round}-n{n}");
                async move { (store.register_need(new_need(&name)).await, name) }
            })
            .collect();
        // In the middle of them, wherever that is.
        let first = registering.join_next().await.expect("some");
        first.expect("ends").0.expect("registers");
        server.control("crash").await;
        server.control("resume").await;
        while let Some(done) = registering.join_next().await {
            match done.expect("ends") {
                (Ok(_), _) => {}
                // Whoever is told so asks again.
                (Err(StoreError::Unavailable { .. }), name) => {
                    let again = store.register_need(new_need(&name)).await;
                    again.expect("registers at last");
                }
                (Err(other), name) => panic!("{name}: {other}"),
            }
        }
        for table in ["needs", "inputs", "conversations"] {
            let rows = database
                .number(format!("SELECT count(*) FROM {table}"))
                .await;
            assert_eq!(rows, 41 * (round + 1), "{table}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_is_said_to_be_and_is_used_again_when_it_is_back() {
    if std::env::var_os("LIAISON_TEST_POSTGRES_URL").is_none() {
        eprintln!("SKIPPED: LIAISON_TEST_POSTGRES_URL is not set, see deploy/test/postgres.sh");
        return;
    }
    let server = Server::start().await;
    let database = server.database().await;
    let options = Options {
        patience: Duration::from_millis(300),
        ..Options::default()
    };
    let store = PostgresStore::open(&database.url, options)
        .await
        .expect("opens");
    store.check().await.expect("works");
    server.control("crash").await;
    let refused = store.check().await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable { .. })),
        "{refused:?}"
    );
    server.control("resume").await;
    drop(database.connect().await);
    store.check().await.expect("works again");
}

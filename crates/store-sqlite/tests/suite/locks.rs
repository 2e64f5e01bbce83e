//! Another process uses the file too.

use crate::open;
use liaison_ports::{
    conformance::fixture::{acme, need_id, new_need},
    store::{Registered, Store, StoreError},
};
use liaison_store_sqlite::{Options, SqliteStore};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{path::Path, sync::Arc, time::Duration};

async fn lock(path: &Path) -> SqliteConnection {
    let mut other = SqliteConnectOptions::new()
        .filename(path)
        .connect()
        .await
        .expect("connects");
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .expect("locks");
    other
}

async fn unlock(mut other: SqliteConnection) {
    sqlx::query("COMMIT")
        .execute(&mut other)
        .await
        .expect("unlocks");
    other.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_waits_for_a_lock_that_is_released_in_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store = Arc::new(open(&path).await);
    let other = lock(&path).await;
    let writing = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.register_need(new_need("ana")).await })
    };
    // Reading does not wait for whoever writes.
    let read = store.need(&acme(), &need_id("ana")).await.expect("reads");
    assert_eq!(read, None);
    assert!(!writing.is_finished());
    unlock(other).await;
    let written = writing.await.expect("ends").expect("writes");
    assert!(matches!(written, Registered::New { .. }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_is_held_too_long_fails_the_write_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let options = Options {
        busy_timeout: Duration::from_millis(20),
        ..Options::default()
    };
    let store = SqliteStore::open(&path, options).await.expect("opens");
    let other = lock(&path).await;
    let refused = store.register_need(new_need("ana")).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable { .. })),
        "{refused:?}"
    );
    unlock(other).await;
    let written = store.register_need(new_need("ana")).await.expect("writes");
    assert!(matches!(written, Registered::New { .. }));
}

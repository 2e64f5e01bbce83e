//! What was answered is there afterwards.

use crate::open;
use liaison_ports::{
    conformance::fixture::{
        acme, at, claim_one, commit_of, letter, need_id, new_need, register, send,
    },
    store::{Appended, Store},
};
use liaison_store_sqlite::SqliteStore;
use std::{path::Path, sync::Arc};

/// A store in which a need was registered, a message received and another decided.
async fn lived_in(path: &Path) -> Arc<SqliteStore> {
    let sqlite = Arc::new(open(path).await);
    let store: Arc<dyn Store> = sqlite.clone();
    let id = register(&store, new_need("ana")).await;
    let mut commit = commit_of(&claim_one(&store, at(0)).await, at(1));
    commit.steps[0].effects = vec![send("m1", at(1))];
    store.commit(commit).await.expect("commits");
    let received = store
        .receive(letter(&id, "ana", "r1", at(2)))
        .await
        .expect("receives");
    assert!(matches!(received, Appended::At(_)));
    sqlite
}

async fn shows_everything(path: &Path) {
    let store = open(path).await;
    let need = store
        .need(&acme(), &need_id("ana"))
        .await
        .expect("reads")
        .expect("is there");
    let row = store
        .conversation(&acme(), &need.conversation)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!((row.document.revision, row.unfolded), (1, 1));
    let transcript = store
        .transcript(&acme(), &need.conversation, 10)
        .await
        .expect("reads");
    assert_eq!(transcript.len(), 2);
    assert_eq!(store.outbox(&acme(), 10).await.expect("lists").len(), 1);
    let again = letter(&need.conversation, "ana", "r1", at(9));
    assert_eq!(
        store.receive(again).await.expect("answers"),
        Appended::Duplicate
    );
    store.check().await.expect("can be written");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_store_shows_everything_when_it_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    lived_in(&path).await.close().await;
    let log = folder.path().join("store.db-wal");
    assert!(!log.exists(), "closing leaves one file");
    shows_everything(&path).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_store_shows_everything_when_it_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    drop(lived_in(&path).await);
    shows_everything(&path).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_files_of_a_store_that_just_stopped_show_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let running = lived_in(&path).await;
    // The files as a crash at this moment would leave them; nothing was closed or flushed by us.
    let crashed = folder.path().join("crashed.db");
    for suffix in ["", "-wal"] {
        let file = |name: &str| folder.path().join(format!("{name}{suffix}"));
        std::fs::copy(file("store.db"), file("crashed.db")).expect("copies");
    }
    shows_everything(&crashed).await;
    running.close().await;
}

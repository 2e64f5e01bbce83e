//! What one replica tells the others.

use crate::server::database;
use liaison_ports::{
    conformance::fixture::{
        append, at, claim_one, commit_of, expired, need_id, new_need, note, register, send,
    },
    store::{Store, StoredEffect},
};
use liaison_store_postgres::Hint;
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc;

/// Waits for a hint; others may come before it.
async fn until(heard: &mut mpsc::UnboundedReceiver<Hint>, wanted: &Hint) {
    let waiting = async {
        while let Some(hint) = heard.recv().await {
            if hint == *wanted {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .unwrap_or_else(|_| panic!("{wanted:?} is not heard"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_replica_hears_of_work_and_messages_and_not_of_its_own() {
    let Some(database) = database().await else {
        return;
    };
    let (ours, theirs) = (
        Arc::new(database.open().await),
        Arc::new(database.open().await),
    );
    let (told, mut heard) = mpsc::unbounded_channel();
    let listening = {
        let theirs = Arc::clone(&theirs);
        tokio::spawn(async move {
            theirs
                .hear(move |hint| {
                    let _gone = told.send(hint);
                })
                .await;
        })
    };
    until(&mut heard, &Hint::Anything).await;

    let store: Arc<dyn Store> = ours.clone();
    register(&store, new_need("ana")).await;
    until(&mut heard, &Hint::Work).await;
    let mut commit = commit_of(&claim_one(&store, at(0)).await, at(1));
    commit.steps[0].effects = vec![send("m1", at(1))];
    store.commit(commit).await.expect("commits");
    until(&mut heard, &Hint::Outbox).await;

    // What it does itself, it does not hear; what comes after that, from us, it does.
    let other: Arc<dyn Store> = theirs.clone();
    let id = register(&other, new_need("bo")).await;
    let mut commit = commit_of(&claim_one(&other, at(0)).await, at(1));
    commit.steps[0].effects = vec![StoredEffect::Settle {
        need: need_id("bo"),
        outcome: Box::new(expired(at(1))),
    }];
    let settled = need_id("bo");
    store.commit(commit).await.expect("commits from here");
    let waiting = async {
        let mut before = Vec::new();
        while let Some(hint) = heard.recv().await {
            if hint == Hint::Need(settled.clone()) {
                return before;
            }
            before.push(hint);
        }
        before
    };
    let before = tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .expect("is heard");
    assert!(!before.contains(&Hint::Work), "{before:?}");

    // Cut off, it hears again, and is told that it may have missed something.
    database.cut_connections().await;
    until(&mut heard, &Hint::Anything).await;
    append(&store, note(&id, "n", at(3))).await;
    until(&mut heard, &Hint::Work).await;
    listening.abort();
}

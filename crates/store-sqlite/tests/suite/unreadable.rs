//! What this version cannot read.

use crate::open;
use liaison_ports::{
    conformance::fixture::{acme, at, claim, conversation, new_need, register},
    store::{ConversationFilter, Store, StoreError},
};
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
use std::{path::Path, sync::Arc};

async fn damage(path: &Path, sql: &'static str) {
    let mut connection = SqliteConnectOptions::new()
        .filename(path)
        .connect()
        .await
        .expect("connects");
    let damaged = sqlx::query(sql)
        .execute(&mut connection)
        .await
        .expect("damages");
    assert_eq!(damaged.rows_affected(), 1);
    connection.close().await.expect("closes");
}

/// Damages one of two conversations, and says why it cannot be read; the other one must be
/// readable all the same, and the damaged one must leave the work.
async fn seen_and_put_aside(sql: &'static str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store: Arc<dyn Store> = Arc::new(open(&path).await);
    let broken = register(&store, new_need("broken")).await;
    register(&store, new_need("whole")).await;
    damage(&path, sql).await;

    let mut why = None;
    for claimed in claim(&store, at(0)).await {
        match claimed.document {
            Ok(document) => assert_eq!(document.id, conversation("whole")),
            Err(text) => {
                assert_eq!(claimed.id, broken);
                let put_aside = store.quarantine(&broken, claimed.fence, &text, at(1)).await;
                put_aside.expect("quarantines");
                why = Some(text);
            }
        }
    }
    let due: Vec<_> = claim(&store, at(10_000)).await;
    assert_eq!(due.len(), 1, "only the other one, whose lease has ended");
    let all = ConversationFilter {
        held: false,
        limit: 10,
        offset: 0,
    };
    let listed = store.conversations(&acme(), all).await.expect("lists");
    assert_eq!(listed.len(), 2, "a list does not need the document");
    why.expect("one was not readable")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_of_a_newer_format_is_named_and_put_aside() {
    let why = seen_and_put_aside(
        "UPDATE documents SET document = json_set(document, '$.format', 99) \
         WHERE conversation = 'conversation-broken'",
    )
    .await;
    assert!(why.contains("format 99"), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_document_is_named_and_put_aside() {
    let why = seen_and_put_aside(
        "UPDATE documents SET document = substr(document, 1, 100) \
         WHERE conversation = 'conversation-broken'",
    )
    .await;
    assert!(why.contains("not a conversation"), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_of_a_kind_from_the_future_is_named_and_put_aside() {
    let why = seen_and_put_aside(
        "UPDATE inputs SET body = '{\"input\":\"telepathy\"}' \
         WHERE conversation = 'conversation-broken'",
    )
    .await;
    assert!(
        why.contains("telepathy") && why.contains("input 1"),
        "{why}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reading_a_damaged_conversation_says_that_it_is_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store: Arc<dyn Store> = Arc::new(open(&path).await);
    let id = register(&store, new_need("ana")).await;
    damage(&path, "UPDATE documents SET document = '{}'").await;
    let read = store.conversation(&acme(), &id).await;
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
}

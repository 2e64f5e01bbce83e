//! What this version cannot read.

use crate::server::database;
use liaison_ports::{
    conformance::fixture::{acme, at, claim, conversation, new_need, register},
    store::{Store, StoreError},
};
use std::sync::Arc;

/// Damages one of two conversations, and says why it cannot be read; the other one must be
/// readable all the same.
async fn seen(damage: &str) -> Option<String> {
    let database = database().await?;
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    let broken = register(&store, new_need("broken")).await;
    register(&store, new_need("whole")).await;
    assert_eq!(database.execute(damage).await, 1);

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
    let due = claim(&store, at(10_000)).await;
    assert_eq!(due.len(), 1, "only the other one, whose lease has ended");
    let read = store.conversation(&acme(), &broken).await;
    if damage.contains("documents") {
        assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
    }
    Some(why.expect("one was not readable"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_named_and_stops_nobody_else() {
    for (damage, expected) in [
        (
            "UPDATE documents SET document = \
             jsonb_set(document::jsonb, '{format}', '99')::text \
             WHERE conversation = 'conversation-broken'",
            "format 99",
        ),
        (
            "UPDATE documents SET document = left(document, 100) \
             WHERE conversation = 'conversation-broken'",
            "not a conversation",
        ),
        (
            "UPDATE inputs SET body = '{\"input\":\"telepathy\"}' \
             WHERE conversation = 'conversation-broken'",
            "telepathy",
        ),
    ] {
        let Some(why) = seen(damage).await else {
            return;
        };
        assert!(why.contains(expected), "{why}");
    }
}

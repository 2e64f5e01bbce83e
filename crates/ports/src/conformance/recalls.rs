//! Taking messages back.

use super::{Subject, fixture::*};
use crate::store::{CompletionResult, StoredEffect};
use liaison_core::input::Fate;

fn recall(name: &str) -> StoredEffect {
    StoredEffect::Recall {
        message: message_id(name),
        why: "they have answered".to_owned(),
    }
}

fn withdrawn() -> Fate {
    Fate::Withdrawn {
        why: "they have answered".to_owned(),
    }
}

pub(super) async fn a_queued_message_is_recalled_and_says_so(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    step(store, &id, at(20), vec![recall("m1")]).await;
    assert_eq!(fates(store, &id).await, [(message_id("m1"), withdrawn())]);
    assert_eq!(wake_at(store, &id).await, Some(at(20)), "its news waits");
    step(store, &id, at(21), vec![recall("m1")]).await;
    assert_eq!(fates(store, &id).await, [], "once");
    assert_eq!(dispatched(store, at(30)).await, []);
    assert!(store.outbox(&acme(), 10).await.expect("lists").is_empty());
    let transcript = store.transcript(&acme(), &id, 10).await.expect("reads");
    assert_eq!(transcript, Vec::new(), "it was never said");
}

pub(super) async fn a_claimed_message_is_recalled_before_its_hand_over(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    step(store, &id, at(20), vec![recall("m1")]).await;
    step(store, &id, at(21), Vec::new()).await;
    assert!(!begin(store, "m1", at(22)).await);
    complete(store, "m1", at(23), CompletionResult::PutBack).await;
    assert_eq!(dispatched(store, at(10_000)).await, []);
}

pub(super) async fn a_message_on_its_way_is_not_recalled(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    assert!(begin(store, "m1", at(11)).await);
    step(store, &id, at(20), vec![recall("m1")]).await;
    assert_eq!(fates(store, &id).await, []);
    complete(store, "m1", at(21), CompletionResult::Final(sent(at(21)))).await;
    assert_eq!(fates(store, &id).await, [(message_id("m1"), sent(at(21)))]);
    step(store, &id, at(22), vec![recall("m1")]).await;
    assert_eq!(fates(store, &id).await, [], "nor is one that has arrived");
}

pub(super) async fn another_conversations_message_is_not_recalled(store: &Subject) {
    sending(store, "m1", at(10)).await;
    let other = quiet(store, "bo").await;
    step(store, &other, at(20), vec![recall("m1")]).await;
    assert_eq!(dispatched(store, at(30)).await, [message_id("m1")]);
}

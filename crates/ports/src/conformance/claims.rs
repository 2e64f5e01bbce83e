//! The single writer of a conversation.

use super::{Subject, fixture::*};
use crate::store::{Claimed, MOST_INPUTS_AT_ONCE, StoreError};
use jiff::SignedDuration;
use liaison_core::id::ConversationId;

async fn names(store: &Subject, now: i64) -> Vec<ConversationId> {
    claim(store, at(now))
        .await
        .into_iter()
        .map(|claimed| claimed.id)
        .collect()
}

pub(super) async fn those_due_longest_are_claimed_first_up_to_the_limit(store: &Subject) {
    let (ana, bo, cy) = (
        quiet(store, "ana").await,
        quiet(store, "bo").await,
        quiet(store, "cy").await,
    );
    for (id, due) in [(&ana, 30), (&bo, 10), (&cy, 20)] {
        append(store, note(id, id.as_str(), at(due))).await;
    }
    let mut two = request("worker", at(100));
    two.limit = 2;
    let claimed = store.claim_due(two).await.expect("claims");
    let claimed: Vec<_> = claimed.into_iter().map(|claimed| claimed.id).collect();
    assert_eq!(claimed, [bo, cy]);
    assert_eq!(names(store, 100).await, [ana]);
}

pub(super) async fn nothing_is_claimed_before_it_is_due(store: &Subject) {
    let id = quiet(store, "ana").await;
    append(store, note(&id, "a", at(50))).await;
    assert_eq!(names(store, 49).await, []);
    assert_eq!(names(store, 50).await, [id]);
}

pub(super) async fn a_claim_stands_until_its_lease_ends_and_the_fence_grows(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let first = claim_one(store, at(0)).await;
    append(store, note(&id, "a", at(1))).await;
    assert_eq!(
        names(store, 599).await,
        [],
        "ten minutes, also when an input comes"
    );
    let second = claim_one(store, at(600)).await;
    assert!(second.fence > first.fence);
    assert_eq!(second.inputs.len(), 2);
}

/// Claims a conversation in which nothing waits, as an early wake does.
async fn claim_in_vain(store: &Subject) -> (ConversationId, Claimed) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    let mut commit = commit_of(&claimed, at(1));
    commit.wake_at = Some(at(5));
    store.commit(commit).await.expect("commits");
    let claimed = claim_one(store, at(5)).await;
    assert_eq!(claimed.inputs, []);
    (id, claimed)
}

pub(super) async fn an_input_that_came_during_a_claim_is_not_put_off_by_its_release(
    store: &Subject,
) {
    let (id, claimed) = claim_in_vain(store).await;
    append(store, note(&id, "a", at(6))).await;
    store
        .release(&id, claimed.fence, Some(at(900)))
        .await
        .expect("releases");
    assert_eq!(claim_one(store, at(6)).await.inputs.len(), 1);
}

pub(super) async fn a_released_conversation_is_due_when_it_was_said(store: &Subject) {
    let (id, claimed) = claim_in_vain(store).await;
    store
        .release(&id, claimed.fence, Some(at(90)))
        .await
        .expect("releases");
    assert_eq!(names(store, 89).await, []);
    let again = claim_one(store, at(90)).await;
    assert_eq!(again.inputs, claimed.inputs);
    assert_eq!(again.document, claimed.document);
}

pub(super) async fn a_release_without_a_time_leaves_waiting_inputs_due(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    store
        .release(&id, claimed.fence, None)
        .await
        .expect("releases");
    let claimed = claim_one(store, at(0)).await;
    store
        .commit(commit_of(&claimed, at(1)))
        .await
        .expect("commits");

    append(store, note(&id, "a", at(2))).await;
    let claimed = claim_one(store, at(2)).await;
    let mut kept = commit_of(&claimed, at(3));
    kept.keep_until = Some(at(100));
    store.commit(kept).await.expect("commits");
    store
        .release(&id, claimed.fence, None)
        .await
        .expect("releases");
    assert_eq!(wake_at(store, &id).await, None, "nothing waits any more");
}

pub(super) async fn a_stale_fence_is_refused_everywhere(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let stale = claim_one(store, at(0)).await;
    let current = claim_one(store, at(600)).await;

    let refused = [
        store.commit(commit_of(&stale, at(601))).await,
        store.release(&id, stale.fence, None).await,
        store.quarantine(&id, stale.fence, "broken", at(601)).await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StoreError::Fenced)), "{refused:?}");
    }
    store
        .commit(commit_of(&current, at(602)))
        .await
        .expect("commits");
}

pub(super) async fn a_quarantined_conversation_is_out_of_the_work(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    store
        .quarantine(&id, claimed.fence, "it cannot be read", at(1))
        .await
        .expect("quarantines");
    append(store, note(&id, "a", at(2))).await;
    assert_eq!(names(store, 10_000).await, []);
    let late = store.commit(commit_of(&claimed, at(3))).await;
    assert!(matches!(late, Err(StoreError::Fenced)), "{late:?}");

    let row = store
        .conversation(&acme(), &id)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(row.quarantined.as_deref(), Some("it cannot be read"));
    assert_eq!(row.unfolded, 2);
}

pub(super) async fn a_lifted_quarantine_is_work_again_for_its_own_tenant(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let lift = async |tenant, id: &ConversationId, when| {
        let lifted = store.lift_quarantine(&tenant, id, at(when)).await;
        lifted.expect("answers")
    };
    assert!(!lift(acme(), &id, 1).await, "it is not quarantined");
    let claimed = claim_one(store, at(0)).await;
    let put = store.quarantine(&id, claimed.fence, "broken", at(1)).await;
    put.expect("quarantines");
    let facts = store.conversation_facts(&acme(), &id).await;
    let facts = facts.expect("reads").expect("is there");
    assert_eq!(facts.quarantined.as_deref(), Some("broken"));
    assert_eq!(facts.unfolded, 1);
    assert_eq!(facts.summary.id, id);
    assert!(facts.summary.quarantined);
    let foreign = store.conversation_facts(&globex(), &id).await;
    assert_eq!(foreign.expect("reads"), None);

    assert!(!lift(globex(), &id, 5).await, "it is another tenant's");
    assert_eq!(names(store, 10_000).await, []);
    assert!(lift(acme(), &id, 5).await);
    assert!(!lift(acme(), &id, 5).await, "once");
    assert_eq!(claim_one(store, at(10_000)).await.id, id);
}

pub(super) async fn pending_inputs_are_those_after_a_place_and_bounded(store: &Subject) {
    let id = quiet(store, "ana").await;
    let many = MOST_INPUTS_AT_ONCE + 10;
    let inputs = (0..many)
        .map(|n| note(&id, &format!("n{n}"), at(1)))
        .collect();
    store.append_inputs(inputs).await.expect("appends");

    let first = store.pending_inputs(&id, 0).await.expect("reads");
    assert_eq!(first.len(), MOST_INPUTS_AT_ONCE);
    let last = first[MOST_INPUTS_AT_ONCE - 1].seq;
    let rest = store.pending_inputs(&id, last).await.expect("reads");
    assert_eq!(rest.len(), 10);
    assert!(rest[0].seq > last);

    let claimed = claim_one(store, at(1)).await;
    assert_eq!(claimed.inputs, first);
    store
        .commit(commit_of(&claimed, at(2)))
        .await
        .expect("commits");
    assert_eq!(
        claim_one(store, at(2)).await.inputs,
        rest,
        "the rest is due at once"
    );
}

pub(super) async fn a_time_between_two_microseconds_is_not_due_too_early(store: &Subject) {
    let (id, claimed) = claim_in_vain(store).await;
    let wake = at(90) + SignedDuration::from_nanos(1_500);
    store
        .release(&id, claimed.fence, Some(wake))
        .await
        .expect("releases");
    let early = claim(store, wake - SignedDuration::from_nanos(500)).await;
    assert!(
        early.is_empty(),
        "whoever is called too early only goes back to sleep"
    );
    claim_one(store, wake + SignedDuration::from_micros(1)).await;
}

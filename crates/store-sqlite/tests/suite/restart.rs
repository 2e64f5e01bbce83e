//! A process that starts where another one was killed.

use crate::open;
use liaison_core::input::Fate;
use liaison_ports::{
    conformance::fixture::{
        at, begin, claim_one, dispatch, dispatched, fates, message_id, new_need, register, sending,
    },
    store::Store,
};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_claims_of_a_process_that_was_killed_can_be_ended_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let before = Arc::new(open(&path).await);
    let killed: Arc<dyn Store> = before.clone();
    let handing_over = sending(&killed, "m1", at(10)).await;
    sending(&killed, "m2", at(10)).await;
    dispatch(&killed, at(10)).await;
    assert!(begin(&killed, "m1", at(11)).await);
    let claimed = register(&killed, new_need("ana")).await;
    let stale = claim_one(&killed, at(11)).await;
    before.close().await;

    let after = Arc::new(open(&path).await);
    after.end_foreign_claims(at(20)).await.expect("ends them");
    let store: Arc<dyn Store> = after;
    assert_eq!(dispatched(&store, at(20)).await, [message_id("m2")]);
    let told = fates(&store, &handing_over).await;
    assert!(matches!(&told[..], [(_, Fate::Unknown { .. })]), "{told:?}");
    let claims = store
        .claim_due(liaison_ports::conformance::fixture::request(
            "second",
            at(20),
        ))
        .await
        .expect("claims");
    let again = claims
        .iter()
        .find(|row| row.id == claimed)
        .expect("is claimed again");
    assert!(again.fence > stale.fence);
}

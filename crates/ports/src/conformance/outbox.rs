//! Messages on their way out.

use super::{Subject, fixture::*};
use crate::store::{Completion, CompletionResult, OutboxState, StoredEffect};
use liaison_core::{input::Fate, stakeholder::Channel};

fn retry(not_before: i64) -> CompletionResult {
    CompletionResult::Retry {
        not_before: at(not_before),
        error: "451 try later".to_owned(),
    }
}

pub(super) async fn a_decided_message_is_claimed_with_its_exact_bytes(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    let items = dispatch(store, at(10)).await;
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].message, message_id("m1"));
    assert_eq!(items[0].conversation, id);
    assert_eq!(items[0].channel, Channel::Email);
    assert_eq!(items[0].attempts, 0);
    assert_eq!(items[0].composed, composed("m1"));
    assert_eq!(dispatched(store, at(11)).await, [], "it is claimed");

    let transcript = store.transcript(&acme(), &id, 10).await.expect("reads");
    assert_eq!(transcript.len(), 1);
    assert_eq!(transcript[0].subject, "Subject of m1");
    assert_eq!(transcript[0].text, "Body of m1.\n");
    assert_eq!(transcript[0].address, "landlord@example.com");
    assert_eq!(transcript[0].transport_id, Some(ours("m1")));
}

pub(super) async fn messages_of_a_conversation_go_one_at_a_time_in_order(store: &Subject) {
    let id = quiet(store, "ana").await;
    // The second was decided for an earlier instant; what counts is the order of decisions.
    step(
        store,
        &id,
        at(10),
        vec![send("m1", at(10)), send("m2", at(9))],
    )
    .await;
    sending(store, "bo", at(11)).await;
    assert_eq!(
        dispatched(store, at(20)).await,
        [message_id("m1"), message_id("bo")]
    );
    complete(store, "m1", at(21), retry(300)).await;
    assert_eq!(
        dispatched(store, at(299)).await,
        [],
        "the second waits with the first"
    );
    assert_eq!(dispatched(store, at(300)).await, [message_id("m1")]);
    assert!(begin(store, "m1", at(300)).await);
    assert_eq!(dispatched(store, at(301)).await, []);
    complete(store, "m1", at(302), CompletionResult::Final(sent(at(302)))).await;
    assert_eq!(
        dispatched(store, at(303)).await,
        [],
        "the news must be folded first"
    );
    step(store, &id, at(304), Vec::new()).await;
    assert_eq!(dispatched(store, at(305)).await, [message_id("m2")]);
}

pub(super) async fn nothing_goes_while_an_input_waits_unfolded(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    store
        .receive(letter(&id, "ana", "reply", at(11)))
        .await
        .expect("receives");
    assert_eq!(dispatched(store, at(20)).await, []);
    step(store, &id, at(21), Vec::new()).await;
    assert_eq!(dispatched(store, at(22)).await, [message_id("m1")]);
}

pub(super) async fn the_point_of_no_return_is_passed_once_and_by_the_claimant(store: &Subject) {
    sending(store, "m1", at(10)).await;
    assert!(!begin(store, "m1", at(10)).await, "nobody has claimed it");
    dispatch(store, at(10)).await;
    let stranger = store
        .outbox_begin(&message_id("m1"), "stranger", at(700))
        .await;
    assert!(!stranger.expect("answers"));
    assert!(begin(store, "m1", at(10)).await);
    assert!(!begin(store, "m1", at(10)).await, "it is passed");
    assert!(!begin(store, "nothing", at(10)).await);
}

pub(super) async fn the_point_of_no_return_is_closed_while_an_input_waits(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    store
        .receive(letter(&id, "ana", "reply", at(11)))
        .await
        .expect("receives");
    assert!(!begin(store, "m1", at(12)).await);
    complete(store, "m1", at(12), CompletionResult::PutBack).await;
    step(store, &id, at(13), Vec::new()).await;
    let items = dispatch(store, at(14)).await;
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].attempts, 0, "nothing was tried");
    assert!(begin(store, "m1", at(14)).await);
}

pub(super) async fn a_failed_try_waits_until_it_may_be_tried_again(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    complete(store, "m1", at(11), retry(60)).await;
    let listed = store.outbox(&acme(), 10).await.expect("lists");
    assert_eq!(listed[0].state, OutboxState::Queued);
    assert_eq!(listed[0].attempts, 1);
    assert_eq!(listed[0].due_at, at(60));
    assert_eq!(listed[0].last_error.as_deref(), Some("451 try later"));
    assert_eq!(unfolded(store, &id).await, 0, "a try is no news");

    assert_eq!(dispatched(store, at(59)).await, []);
    let items = dispatch(store, at(60)).await;
    assert_eq!(items[0].attempts, 1);
    assert_eq!(items[0].composed, composed("m1"), "the same bytes");
    assert!(begin(store, "m1", at(60)).await);
    complete(store, "m1", at(61), retry(120)).await;
    assert_eq!(dispatch(store, at(120)).await[0].attempts, 2);
}

pub(super) async fn a_sent_message_says_so_and_is_found_by_its_name(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    assert!(begin(store, "m1", at(11)).await);
    let fate = Fate::Sent {
        at: at(12),
        transport_id: Some("provider-77".to_owned()),
    };
    complete(store, "m1", at(12), CompletionResult::Final(fate.clone())).await;
    assert_eq!(fates(store, &id).await, [(message_id("m1"), fate.clone())]);
    assert_eq!(wake_at(store, &id).await, Some(at(12)));
    let found = store
        .by_transport_id(&acme(), &["provider-77".to_owned()])
        .await;
    assert_eq!(found.expect("finds"), Some((id.clone(), message_id("m1"))));
    assert!(store.outbox(&acme(), 10).await.expect("lists").is_empty());

    complete(store, "m1", at(13), CompletionResult::Final(fate)).await;
    assert_eq!(unfolded(store, &id).await, 1, "once");
    step(store, &id, at(14), Vec::new()).await;
    assert_eq!(dispatched(store, at(100_000)).await, [], "never again");
}

pub(super) async fn a_refused_message_says_so(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    let fate = Fate::Refused {
        address_is_bad: true,
        reason: "550 no such user".to_owned(),
    };
    complete(store, "m1", at(12), CompletionResult::Final(fate.clone())).await;
    assert_eq!(fates(store, &id).await, [(message_id("m1"), fate)]);
    step(store, &id, at(14), Vec::new()).await;
    assert_eq!(dispatched(store, at(100_000)).await, []);
}

pub(super) async fn a_claim_of_a_dead_dispatcher_is_claimed_again(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    assert_eq!(dispatched(store, at(609)).await, []);
    let again = store
        .outbox_claim(request("second", at(610)))
        .await
        .expect("claims");
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].attempts, 0, "it was not tried");
    assert_eq!(unfolded(store, &id).await, 0);
    assert!(
        !begin(store, "m1", at(611)).await,
        "the first one is too late"
    );
    let second = store
        .outbox_begin(&message_id("m1"), "second", at(900))
        .await;
    assert!(second.expect("begins"));
}

pub(super) async fn a_hand_over_of_a_dead_dispatcher_is_of_unknown_fate(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    assert!(begin(store, "m1", at(20)).await);
    assert_eq!(dispatched(store, at(619)).await, []);
    assert_eq!(fates(store, &id).await, []);
    assert_eq!(
        dispatched(store, at(620)).await,
        [],
        "it is never sent again blindly"
    );
    let told = fates(store, &id).await;
    assert!(
        matches!(&told[..], [(message, Fate::Unknown { .. })] if *message == message_id("m1")),
        "{told:?}"
    );
    assert_eq!(wake_at(store, &id).await, Some(at(620)));
    complete(store, "m1", at(621), CompletionResult::Final(sent(at(621)))).await;
    assert_eq!(
        fates(store, &id).await,
        told,
        "the dead one comes back too late"
    );
    let listed = store.outbox(&acme(), 10).await.expect("lists");
    assert_eq!(
        (listed[0].state, listed[0].attempts),
        (OutboxState::Unknown, 1)
    );
    step(store, &id, at(630), Vec::new()).await;
    assert_eq!(dispatched(store, at(100_000)).await, []);
}

pub(super) async fn a_message_of_unknown_fate_can_be_sent_again_and_fail_again(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    let unknown = |why: &str| Fate::Unknown {
        why: why.to_owned(),
    };
    for (round, why) in [(0, "first"), (1_000, "second")] {
        let items = dispatch(store, at(round + 20)).await;
        assert_eq!(items.len(), 1, "{why}");
        assert_eq!(items[0].composed, composed("m1"), "the same bytes");
        assert!(begin(store, "m1", at(round + 21)).await);
        complete(
            store,
            "m1",
            at(round + 22),
            CompletionResult::Final(unknown(why)),
        )
        .await;
        assert_eq!(fates(store, &id).await, [(message_id("m1"), unknown(why))]);
        let resend = StoredEffect::Resend {
            message: message_id("m1"),
        };
        step(store, &id, at(round + 30), vec![resend]).await;
    }
    dispatch(store, at(3_000)).await;
    assert!(begin(store, "m1", at(3_000)).await);
    complete(
        store,
        "m1",
        at(3_001),
        CompletionResult::Final(sent(at(3_001))),
    )
    .await;
    let resend = StoredEffect::Resend {
        message: message_id("m1"),
    };
    step(store, &id, at(3_002), vec![resend]).await;
    assert_eq!(
        dispatched(store, at(9_000)).await,
        [],
        "only what is of unknown fate"
    );
}

pub(super) async fn a_strangers_completion_is_ignored(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    let stranger = |result| Completion {
        message: message_id("m1"),
        owner: "stranger".to_owned(),
        at: at(11),
        result,
    };
    let completions = vec![
        stranger(CompletionResult::Final(sent(at(11)))),
        stranger(CompletionResult::PutBack),
    ];
    store.outbox_complete(completions).await.expect("answers");
    assert_eq!(fates(store, &id).await, []);
    assert_eq!(dispatched(store, at(12)).await, []);
    assert!(begin(store, "m1", at(12)).await);
}

pub(super) async fn the_next_instant_leaves_out_what_may_not_go(store: &Subject) {
    let next = async || store.outbox_next().await.expect("looks");
    assert_eq!(next().await, None);
    let id = sending(store, "m1", at(10)).await;
    assert_eq!(next().await, Some(at(10)));
    append(store, note(&id, "a", at(11))).await;
    assert_eq!(
        next().await,
        None,
        "an input waits; whoever folds it looks again"
    );
    step(store, &id, at(12), vec![send("m2", at(5))]).await;
    assert_eq!(next().await, Some(at(10)), "the second is behind the first");
    dispatch(store, at(20)).await;
    assert_eq!(
        next().await,
        Some(at(620)),
        "the end of a lease is an instant too"
    );
    complete(store, "m1", at(21), retry(90)).await;
    assert_eq!(next().await, Some(at(90)));
}

pub(super) async fn a_quarantined_conversation_sends_nothing(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    dispatch(store, at(10)).await;
    append(store, note(&id, "a", at(11))).await;
    let claimed = claim_one(store, at(11)).await;
    let mut folding = commit_of(&claimed, at(12));
    folding.keep_until = Some(at(100));
    store.commit(folding).await.expect("commits");
    store
        .quarantine(&id, claimed.fence, "broken", at(13))
        .await
        .expect("quarantines");
    assert!(!begin(store, "m1", at(14)).await);
    complete(store, "m1", at(14), CompletionResult::PutBack).await;
    assert_eq!(dispatched(store, at(15)).await, []);
    assert_eq!(store.outbox_next().await.expect("looks"), None);
}

pub(super) async fn the_list_shows_what_is_not_over(store: &Subject) {
    for name in ["m1", "m2", "m3"] {
        sending(store, name, at(10)).await;
    }
    dispatch(store, at(10)).await;
    complete(store, "m1", at(11), CompletionResult::Final(sent(at(11)))).await;
    let why = "the connection broke off".to_owned();
    complete(
        store,
        "m2",
        at(11),
        CompletionResult::Final(Fate::Unknown { why }),
    )
    .await;
    let listed = store.outbox(&acme(), 10).await.expect("lists");
    let found: Vec<_> = listed
        .iter()
        .map(|row| (row.message.clone(), row.state))
        .collect();
    assert_eq!(
        found,
        [
            (message_id("m2"), OutboxState::Unknown),
            (message_id("m3"), OutboxState::Claimed),
        ]
    );
    assert_eq!(
        listed[0].last_error.as_deref(),
        Some("the connection broke off")
    );
    assert_eq!(store.outbox(&acme(), 1).await.expect("lists").len(), 1);
}

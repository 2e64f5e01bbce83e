//! Two or three replicas on one database.

use crate::server::database;
use liaison_ports::{
    conformance::{
        Subject,
        fixture::{
            about, acme, append, at, claim, claim_one, commit_of, dispatch, letter, new_need, note,
            person, quiet, register, request, sending, unfolded,
        },
    },
    store::{Appended, Registered, StoreError},
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::task::JoinSet;

async fn replicas(count: usize) -> Option<Vec<Subject>> {
    let database = database().await?;
    let mut replicas: Vec<Subject> = Vec::new();
    for _ in 0..count {
        replicas.push(Arc::new(database.open_with("").await));
    }
    Some(replicas)
}

async fn all<T: Send + 'static>(mut tasks: JoinSet<T>) -> Vec<T> {
    let mut said = Vec::new();
    while let Some(one) = tasks.join_next().await {
        said.push(one.expect("ends"));
    }
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_never_claim_the_same_conversation_or_message() {
    let Some(replicas) = replicas(3).await else {
        return;
    };
    for n in 0..60 {
        register(&replicas[n % 3], new_need(&format!("p{n}"))).await;
    }
    let mut claiming = JoinSet::new();
    for n in 0..30 {
        let store = Arc::clone(&replicas[n % 3]);
        claiming.spawn(async move {
            let mut wanted = request(&format!("worker-{n}"), at(1));
            wanted.limit = 4;
            store.claim_due(wanted).await.expect("claims")
        });
    }
    let claimed: Vec<_> = all(claiming).await.into_iter().flatten().collect();
    let ids: BTreeSet<_> = claimed.iter().map(|one| one.id.clone()).collect();
    assert_eq!((claimed.len(), ids.len()), (60, 60));

    for n in 0..20 {
        sending(&replicas[n % 3], &format!("m{n}"), at(10)).await;
    }
    let mut dispatching = JoinSet::new();
    for n in 0..12 {
        let store = Arc::clone(&replicas[n % 3]);
        dispatching.spawn(async move {
            let wanted = request(&format!("dispatcher-{n}"), at(11));
            store.outbox_claim(wanted).await.expect("claims")
        });
    }
    let taken: Vec<_> = all(dispatching).await.into_iter().flatten().collect();
    let messages: BTreeSet<_> = taken.iter().map(|item| item.message.clone()).collect();
    assert_eq!((taken.len(), messages.len()), (20, 20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_webhook_a_hundred_times_over_two_replicas_is_one_row() {
    let Some(replicas) = replicas(2).await else {
        return;
    };
    let id = quiet(&replicas[0], "ana").await;
    let mut receiving = JoinSet::new();
    for n in 0..100 {
        let store = Arc::clone(&replicas[n % 2]);
        let mut message = letter(&id, "ana", &format!("copy-{n}"), at(10));
        message.input.dedupe_key = "mail:same".to_owned();
        receiving.spawn(async move { store.receive(message).await.expect("receives") });
    }
    let first = all(receiving)
        .await
        .into_iter()
        .filter(|answer| matches!(answer, Appended::At(_)))
        .count();
    assert_eq!(first, 1);
    assert_eq!(unfolded(&replicas[1], &id).await, 1);
    let shown = replicas[1].transcript(&acme(), &id, 100).await;
    assert_eq!(shown.expect("reads").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_about_one_new_person_at_two_replicas_are_one_conversation() {
    let Some(replicas) = replicas(2).await else {
        return;
    };
    for round in 0..10 {
        let mut registering = JoinSet::new();
        for n in 0..8 {
            let store = Arc::clone(&replicas[n % 2]);
            let need = about(
                new_need(&format!("r{round}-n{n}")),
                person(&format!("person-{round}")),
            );
            registering.spawn(async move { store.register_need(need).await.expect("registers") });
        }
        let homes: BTreeSet<_> = all(registering)
            .await
            .into_iter()
            .map(|one| match one {
                Registered::New { conversation } => conversation,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(homes.len(), 1, "round {round}: {homes:?}");
    }
}

/// One writer at a time, three replicas, a thousand inputs that arrive anywhere: each is folded
/// once, and in the order of their places.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_inputs_at_three_replicas_are_folded_once_and_in_order() {
    const INPUTS: usize = 1_000;
    let Some(replicas) = replicas(3).await else {
        return;
    };
    let id = quiet(&replicas[0], "ana").await;
    let mut appending = JoinSet::new();
    for n in 0..INPUTS {
        let store = Arc::clone(&replicas[n % 3]);
        let input = note(&id, &format!("n{n}"), at(1));
        appending.spawn(async move {
            append(&store, input).await;
        });
    }
    let done = Arc::new(AtomicBool::new(false));
    let mut working = JoinSet::new();
    for (n, store) in replicas.iter().enumerate() {
        let (store, done) = (Arc::clone(store), Arc::clone(&done));
        working.spawn(async move {
            let mut folded = Vec::new();
            loop {
                // Asked before the last look, so that nothing that arrived is left.
                let last = done.load(Ordering::SeqCst);
                let wanted = request(&format!("worker-{n}"), at(2));
                let claimed = store.claim_due(wanted).await.expect("claims");
                let idle = claimed.is_empty();
                for one in claimed {
                    let revision = one.document.as_ref().expect("reads").revision;
                    let seqs: Vec<i64> = one.inputs.iter().map(|input| input.seq).collect();
                    store.commit(commit_of(&one, at(2))).await.expect("commits");
                    folded.push((revision, seqs));
                }
                if idle && last {
                    return folded;
                }
            }
        });
    }
    all(appending).await;
    done.store(true, Ordering::SeqCst);
    let mut folded: Vec<_> = all(working).await.into_iter().flatten().collect();
    folded.sort();
    let seqs: Vec<i64> = folded.into_iter().flat_map(|(_, seqs)| seqs).collect();
    assert_eq!(seqs.len(), INPUTS);
    assert!(seqs.is_sorted_by(|a, b| a < b), "in order, and each once");
    assert_eq!(unfolded(&replicas[0], &id).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_in_opposite_orders_do_not_wait_in_a_circle() {
    let Some(replicas) = replicas(2).await else {
        return;
    };
    let mut ids = Vec::new();
    for n in 0..6 {
        ids.push(quiet(&replicas[0], &format!("p{n}")).await);
    }
    let mut appending = JoinSet::new();
    for round in 0..40 {
        let store = Arc::clone(&replicas[round % 2]);
        let mut inputs: Vec<_> = ids
            .iter()
            .map(|id| note(id, &format!("{id}-{round}"), at(1)))
            .collect();
        if round % 2 == 1 {
            inputs.reverse();
        }
        appending.spawn(async move { store.append_inputs(inputs).await.expect("appends") });
    }
    let places = all(appending).await.into_iter().flatten();
    assert!(places.into_iter().all(|one| matches!(one, Appended::At(_))));
}

/// A commit that takes a message back, and a completion that says it went, lock the same two rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_completion_and_a_commit_of_one_conversation_do_not_wait_in_a_circle() {
    use liaison_ports::{
        conformance::fixture::{begin, complete, message_id, sent},
        store::{CompletionResult, StoredEffect},
    };
    let Some(replicas) = replicas(2).await else {
        return;
    };
    for round in 0..20 {
        let name = format!("m{round}");
        let id = sending(&replicas[0], &name, at(10)).await;
        dispatch(&replicas[0], at(10)).await;
        assert!(begin(&replicas[0], &name, at(11)).await);
        append(&replicas[0], note(&id, &format!("w{round}"), at(11))).await;
        let claimed = claim_one(&replicas[1], at(11)).await;
        let (first, second) = (Arc::clone(&replicas[0]), Arc::clone(&replicas[1]));
        let completing = {
            let name = name.clone();
            tokio::spawn(async move {
                complete(&first, &name, at(12), CompletionResult::Final(sent(at(12)))).await;
            })
        };
        let recall = StoredEffect::Recall {
            message: message_id(&name),
            why: "they have answered".to_owned(),
        };
        let mut commit = commit_of(&claimed, at(12));
        commit.steps[0].effects = vec![recall];
        let committing = tokio::spawn(async move { second.commit(commit).await });
        completing.await.expect("completes");
        committing.await.expect("ends").expect("commits");
        // What was left unfolded is not of this test.
        for claimed in claim(&replicas[1], at(13)).await {
            let commit = commit_of(&claimed, at(13));
            replicas[1].commit(commit).await.expect("commits");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_owner_that_wakes_after_its_lease_is_refused_and_its_work_goes_on() {
    let Some(replicas) = replicas(2).await else {
        return;
    };
    let (paused, other) = (&replicas[0], &replicas[1]);
    let id = register(paused, new_need("ana")).await;
    let stale = claim(paused, at(0)).await.pop().expect("is due");
    assert!(claim(other, at(599)).await.is_empty(), "its lease stands");
    append(other, note(&id, "a", at(5))).await;
    let current = claim(other, at(600)).await.pop().expect("is due again");
    assert!(current.fence > stale.fence);
    assert_eq!(current.inputs.len(), 2);
    for refused in [
        paused.commit(commit_of(&stale, at(601))).await,
        paused.release(&id, stale.fence, None).await,
        paused.quarantine(&id, stale.fence, "x", at(601)).await,
    ] {
        assert!(matches!(refused, Err(StoreError::Fenced)), "{refused:?}");
    }
    let commit = commit_of(&current, at(601));
    other.commit(commit).await.expect("commits");
    // Also when the new owner has given it back already.
    let late = paused.commit(commit_of(&stale, at(602))).await;
    assert!(matches!(late, Err(StoreError::Fenced)), "{late:?}");
}

/// Twenty minutes before its lease ends, what a replica had claimed goes on elsewhere, once it no
/// longer says that it is alive; and not before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_silent_replica_had_claimed_goes_on_at_one_that_lives() {
    let Some(database) = database().await else {
        return;
    };
    let dying = Arc::new(database.open_with("").await);
    let living = Arc::new(database.open_with("").await);
    let (first, second): (Subject, Subject) = (dying.clone(), living.clone());
    let says = |store: Arc<liaison_store_postgres::PostgresStore>, owner: &'static str| {
        tokio::spawn(async move { store.stay_alive(owner, || at(1)).await })
    };
    let (its, ours) = (says(dying, "dying"), says(living, "living"));
    database.until("SELECT count(*) / 2 FROM replicas").await;
    register(&first, new_need("ana")).await;
    let stale = first.claim_due(request("dying", at(0))).await;
    let stale = stale.expect("claims").pop().expect("is due");
    its.abort();
    database.until("SELECT 2 - count(*) FROM replicas").await;
    let claimed = second.claim_due(request("living", at(1))).await;
    let claimed = claimed.expect("claims").pop().expect("is due at once");
    assert!(claimed.fence > stale.fence);
    let late = first.commit(commit_of(&stale, at(1))).await;
    assert!(matches!(late, Err(StoreError::Fenced)), "{late:?}");
    let commit = commit_of(&claimed, at(1));
    second.commit(commit).await.expect("commits");
    ours.abort();
}

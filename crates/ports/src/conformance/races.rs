//! Many at once.

use super::{Subject, fixture::*};
use crate::store::{Appended, Registered, StoreError, StoredEffect};
use liaison_core::input::Fate;
use std::{collections::BTreeSet, future::Future, sync::Arc};
use tokio::task::JoinSet;

/// Runs `count` tasks at once and returns what each said.
async fn together<T, F>(count: usize, task: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut tasks: JoinSet<T> = (0..count).map(task).collect();
    let mut said = Vec::with_capacity(count);
    while let Some(joined) = tasks.join_next().await {
        said.push(joined.expect("a task of a check ends"));
    }
    said
}

pub(super) async fn a_hundred_identical_messages_are_one(store: &Subject) {
    let id = quiet(store, "ana").await;
    let answers = together(100, |n| {
        let store = Arc::clone(store);
        let mut message = letter(&id, "ana", &format!("copy-{n}"), at(10));
        message.input.dedupe_key = "mail:same".to_owned();
        async move { store.receive(message).await.expect("receives") }
    })
    .await;
    let first = answers
        .iter()
        .filter(|answer| matches!(answer, Appended::At(_)))
        .count();
    assert_eq!(first, 1);
    assert_eq!(unfolded(store, &id).await, 1);
    assert_eq!(
        store
            .transcript(&acme(), &id, 100)
            .await
            .expect("reads")
            .len(),
        1
    );
}

pub(super) async fn a_hundred_identical_registrations_are_one(store: &Subject) {
    let answers = together(100, |n| {
        let store = Arc::clone(store);
        let mut need = about(new_need(&format!("copy-{n}")), person("ana"));
        need.idempotency_key = Some("same".to_owned());
        need.request_hash = "same".to_owned();
        async move { store.register_need(need).await.expect("answers") }
    })
    .await;
    let new = answers
        .iter()
        .filter(|answer| matches!(answer, Registered::New { .. }))
        .count();
    assert_eq!(new, 1);
    assert_eq!(
        store.needs(&acme(), None, 200).await.expect("lists").len(),
        1
    );
    assert_eq!(claim_one(store, at(0)).await.inputs.len(), 1);
}

pub(super) async fn no_conversation_is_claimed_twice(store: &Subject) {
    for n in 0..30 {
        register(store, new_need(&format!("p{n}"))).await;
    }
    let claimed = together(20, |n| {
        let store = Arc::clone(store);
        async move {
            let mut request = request(&format!("worker-{n}"), at(1));
            request.limit = 4;
            store.claim_due(request).await.expect("claims")
        }
    })
    .await;
    let all: Vec<_> = claimed
        .into_iter()
        .flatten()
        .map(|claimed| claimed.id)
        .collect();
    assert_eq!(all.len(), 30);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 30);
}

pub(super) async fn no_message_is_claimed_twice(store: &Subject) {
    for n in 0..10 {
        sending(store, &format!("m{n}"), at(10)).await;
    }
    let claimed = together(20, |n| {
        let store = Arc::clone(store);
        let request = request(&format!("dispatcher-{n}"), at(20));
        async move { store.outbox_claim(request).await.expect("claims") }
    })
    .await;
    let all: Vec<_> = claimed
        .into_iter()
        .flatten()
        .map(|item| item.message)
        .collect();
    assert_eq!(all.len(), 10);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 10);
}

pub(super) async fn of_a_recall_and_a_hand_over_exactly_one_wins(store: &Subject) {
    for round in 0..20 {
        let name = format!("m{round}");
        let id = sending(store, &name, at(10)).await;
        dispatch(store, at(10)).await;
        let claimed = {
            let wake = note(&id, &format!("wake-{round}"), at(11));
            append(store, wake).await;
            claim_one(store, at(11)).await
        };
        // The input is folded first, so that only the recall itself stands against the hand-over.
        let mut folding = commit_of(&claimed, at(11));
        folding.keep_until = Some(at(500));
        store.commit(folding.clone()).await.expect("commits");
        let mut recalling = folding;
        recalling.steps[0].operation.inputs.clear();
        recalling.steps[0].operation.revision += 1;
        recalling.document.revision += 1;
        recalling.keep_until = None;
        recalling.steps[0].effects = vec![StoredEffect::Recall {
            message: message_id(&name),
            why: "they have answered".to_owned(),
        }];
        let (first, second) = (Arc::clone(store), Arc::clone(store));
        let recall = tokio::spawn(async move { first.commit(recalling).await });
        let passed = tokio::spawn(async move { begin(&second, &name, at(12)).await });
        recall.await.expect("ends").expect("commits");
        let passed = passed.await.expect("ends");
        let told = fates(store, &id).await;
        let recalled = matches!(&told[..], [(_, Fate::Withdrawn { .. })]);
        assert!(
            passed != recalled,
            "round {round}: passed {passed}, told {told:?}"
        );
        if recalled {
            step(store, &id, at(13), Vec::new()).await;
        }
    }
}

pub(super) async fn no_input_is_lost_between_commits(store: &Subject) {
    const INPUTS: usize = 60;
    let id = quiet(store, "ana").await;
    let mut appending: JoinSet<_> = (0..INPUTS)
        .map(|n| {
            let store = Arc::clone(store);
            let input = note(&id, &format!("n{n}"), at(1));
            async move { append(&store, input).await }
        })
        .collect();
    let mut folded = Vec::new();
    // Each round folds at least one input, or waits for one to be stored.
    while folded.len() < INPUTS {
        let Some(claimed) = claim(store, at(2)).await.pop() else {
            appending
                .join_next()
                .await
                .expect("an input is missing")
                .expect("appends");
            continue;
        };
        match store.commit(commit_of(&claimed, at(2))).await {
            Ok(()) => folded.extend(claimed.inputs.into_iter().map(|input| input.seq)),
            Err(StoreError::Fenced) => panic!("nobody else claims"),
            Err(error) => panic!("{error}"),
        }
    }
    assert!(folded.is_sorted_by(|a, b| a < b), "in order, and each once");
    assert_eq!(folded.len(), INPUTS);
    while appending.join_next().await.is_some() {}
    assert_eq!(unfolded(store, &id).await, 0);
}

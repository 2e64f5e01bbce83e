//! Committing operations.

use super::{Subject, fixture::*};
use crate::{
    language::Usage,
    store::{ConversationFilter, StoreError, StoredEffect},
};
use liaison_core::{
    amendment::Amendment,
    conversation::{Hold, HoldReason, NeedOperation},
    effect::NeedEvent,
    gate::Judgement,
    id::HoldId,
    need::Registration,
    stakeholder::{Channel, Contact},
};

pub(super) async fn a_commit_is_seen_whole(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let mut commit = commit_of(&claim_one(store, at(0)).await, at(5));
    commit.steps[0].judgement = Some(Judgement {
        slots: Vec::new(),
        concerns: Vec::new(),
        absence: None,
    });
    commit.steps[0].usage = Some(Usage {
        model: "small".to_owned(),
        prompt_tokens: 700,
        completion_tokens: 80,
        requests: 2,
    });
    commit.wake_at = Some(at(500));
    store.commit(commit.clone()).await.expect("commits");

    let row = store
        .conversation(&acme(), &id)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(row.document, commit.document);
    assert_eq!(row.wake_at, Some(at(500)));
    assert_eq!(row.unfolded, 0);
    let page = store
        .journal(&acme(), &id, 0, 10)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(page.opening, new_need("ana").opening);
    assert_eq!(page.operations.len(), 1);
    assert_eq!(page.operations[0].operation, commit.steps[0].operation);
    assert_eq!(page.operations[0].judgement, commit.steps[0].judgement);
    assert_eq!(page.operations[0].usage, commit.steps[0].usage);

    assert!(claim(store, at(499)).await.is_empty());
    let claimed = claim_one(store, at(500)).await;
    assert_eq!(*claimed.document.expect("reads"), commit.document);
}

pub(super) async fn a_commit_folds_what_it_folded_and_nothing_else(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    append(store, note(&id, "late", at(3))).await;
    let mut commit = commit_of(&claimed, at(5));
    commit.wake_at = Some(at(900));
    store.commit(commit).await.expect("commits");

    assert_eq!(unfolded(store, &id).await, 1);
    let again = claim_one(store, at(5)).await;
    assert_eq!(
        again.inputs.len(),
        1,
        "it is due at once for what came in between"
    );
    store
        .commit(commit_of(&again, at(6)))
        .await
        .expect("commits");
    assert_eq!(
        store.pending_inputs(&id, 0).await.expect("reads"),
        Vec::new()
    );
    assert_eq!(wake_at(store, &id).await, None);
}

pub(super) async fn a_commit_without_newer_inputs_is_refused_when_one_came(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    append(store, note(&id, "late", at(3))).await;
    let mut commit = commit_of(&claimed, at(5));
    commit.only_without_newer_inputs = true;
    commit.steps[0].effects = vec![send("m1", at(5))];
    let refused = store.commit(commit.clone()).await;
    assert!(
        matches!(refused, Err(StoreError::NewerInputs)),
        "{refused:?}"
    );
    let row = store
        .conversation(&acme(), &id)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!((row.document.revision, row.unfolded), (0, 2));
    assert_eq!(dispatched(store, at(10)).await, []);

    commit.steps[0].operation.inputs = store.pending_inputs(&id, 0).await.expect("reads");
    store.commit(commit).await.expect("the claim still stands");
    assert_eq!(dispatched(store, at(10)).await, [message_id("m1")]);
}

pub(super) async fn a_commit_of_several_operations_keeps_each(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    let mut commit = commit_of(&claimed, at(5));
    let mut second = commit.steps[0].clone();
    second.operation.revision += 1;
    second.operation.at = at(6);
    second.operation.inputs.clear();
    second.effects = vec![send("m1", at(6))];
    commit.steps.push(second);
    commit.document.revision += 1;
    store.commit(commit.clone()).await.expect("commits");

    let page = store
        .journal(&acme(), &id, 0, 10)
        .await
        .expect("reads")
        .expect("is there");
    let kept: Vec<_> = page.operations.iter().map(|row| &row.operation).collect();
    let done: Vec<_> = commit.steps.iter().map(|step| &step.operation).collect();
    assert_eq!(kept, done);
    let row = store
        .conversation(&acme(), &id)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!((row.document.revision, row.unfolded), (2, 0));
    assert_eq!(dispatched(store, at(10)).await, [message_id("m1")]);
}

pub(super) async fn only_the_first_operation_of_a_commit_folds(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    let mut commit = commit_of(&claimed, at(5));
    let mut second = commit.steps[0].clone();
    second.operation.revision += 1;
    commit.steps.push(second);
    let twice = store.commit(commit.clone()).await;
    assert!(
        matches!(twice, Err(StoreError::Corrupt { .. })),
        "{twice:?}"
    );
    commit.steps.clear();
    let nothing = store.commit(commit).await;
    assert!(
        matches!(nothing, Err(StoreError::Corrupt { .. })),
        "{nothing:?}"
    );
    assert_eq!(unfolded(store, &id).await, 1, "nothing was changed");
}

pub(super) async fn a_kept_claim_stays_claimed(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    let mut commit = commit_of(&claimed, at(5));
    commit.keep_until = Some(at(2_000));
    commit.wake_at = Some(at(5));
    store.commit(commit.clone()).await.expect("commits");
    assert!(claim(store, at(1_999)).await.is_empty());

    commit.steps[0].operation.revision += 1;
    commit.steps[0].operation.inputs.clear();
    commit.document.revision += 1;
    store.commit(commit).await.expect("with the same fence");
    append(store, note(&id, "a", at(6))).await;
    assert!(claim(store, at(1_999)).await.is_empty());
    let after = claim_one(store, at(2_000)).await;
    assert!(after.fence > claimed.fence);
}

pub(super) async fn a_claim_that_was_given_back_commits_nothing(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    store
        .release(&id, claimed.fence, Some(at(10)))
        .await
        .expect("releases");
    let late = store.commit(commit_of(&claimed, at(5))).await;
    assert!(matches!(late, Err(StoreError::Fenced)), "{late:?}");
    assert_eq!(unfolded(store, &id).await, 1);
}

pub(super) async fn an_operation_that_folds_other_inputs_than_wait_is_refused(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    append(store, note(&id, "second", at(0))).await;
    let claimed = claim_one(store, at(0)).await;
    let mut skipping = commit_of(&claimed, at(5));
    skipping.steps[0].operation.inputs.remove(0);
    let refused = store.commit(skipping).await;
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(unfolded(store, &id).await, 2, "an input is never lost");
    store
        .commit(commit_of(&claimed, at(5)))
        .await
        .expect("commits");
}

pub(super) async fn a_revision_is_journalled_once(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let claimed = claim_one(store, at(0)).await;
    let mut commit = commit_of(&claimed, at(5));
    commit.keep_until = Some(at(100));
    store.commit(commit.clone()).await.expect("commits");
    commit.steps[0].operation.inputs.clear();
    let again = store.commit(commit).await;
    assert!(
        matches!(again, Err(StoreError::Corrupt { .. })),
        "{again:?}"
    );
    let page = store
        .journal(&acme(), &id, 0, 10)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(page.operations.len(), 1);
}

pub(super) async fn a_need_has_exactly_one_outcome(store: &Subject) {
    let id = quiet(store, "ana").await;
    let settle = |when| StoredEffect::Settle {
        need: need_id("ana"),
        outcome: Box::new(expired(when)),
    };
    step(store, &id, at(10), vec![settle(at(10))]).await;
    let again = try_step(store, &id, at(20), vec![settle(at(20))]).await;
    assert!(
        matches!(again, Err(StoreError::Corrupt { .. })),
        "{again:?}"
    );
    let row = store
        .need(&acme(), &need_id("ana"))
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(row.outcome, Some(expired(at(10))));
}

pub(super) async fn an_amended_need_is_read_as_amended(store: &Subject) {
    let id = quiet(store, "ana").await;
    let amend = |remove: &[&str]| StoredEffect::Amend {
        amendment: Box::new(Amendment {
            need: need_id("ana"),
            deadline: Some(at(9_000)),
            facts: None,
            add: Vec::new(),
            change: Vec::new(),
            remove: remove.iter().map(|name| (*name).to_owned()).collect(),
        }),
    };
    step(store, &id, at(10), vec![amend(&[])]).await;
    let read = async || {
        let row = store.need(&acme(), &need_id("ana")).await.expect("reads");
        row.expect("is there").registration
    };
    let before = new_need("ana").registration;
    let amended = Registration {
        deadline: at(9_000),
        ..before
    };
    assert_eq!(read().await, amended);

    let misfit = try_step(store, &id, at(20), vec![amend(&["no_such_slot"])]).await;
    assert!(
        matches!(misfit, Err(StoreError::Corrupt { .. })),
        "{misfit:?}"
    );
    assert_eq!(read().await, amended);
}

pub(super) async fn a_refused_commit_changes_nothing(store: &Subject) {
    let id = quiet(store, "ana").await;
    let of_nobody = StoredEffect::Settle {
        need: need_id("nobody"),
        outcome: Box::new(expired(at(10))),
    };
    let before = store
        .conversation(&acme(), &id)
        .await
        .expect("reads")
        .expect("is there");
    let refused = try_step(store, &id, at(10), vec![send("m1", at(10)), of_nobody]).await;
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    let after = store
        .conversation(&acme(), &id)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(after.document, before.document);
    assert_eq!(after.unfolded, 1, "the input that it would have folded");
    let page = store
        .journal(&acme(), &id, 0, 10)
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(page.operations.len(), 1);
    assert_eq!(
        store.transcript(&acme(), &id, 10).await.expect("reads"),
        Vec::new()
    );
    assert!(store.outbox(&acme(), 10).await.expect("lists").is_empty());
}

pub(super) async fn events_are_read_on_from_a_place(store: &Subject) {
    let id = quiet(store, "ana").await;
    let event = |why: &str| NeedEvent::Rejected {
        why: why.to_owned(),
    };
    let effect = |why: &str| StoredEffect::Event {
        need: need_id("ana"),
        event: event(why),
    };
    step(store, &id, at(10), vec![effect("one"), effect("two")]).await;
    step(store, &id, at(20), vec![effect("three")]).await;

    let all = store
        .events(&acme(), &need_id("ana"), 0)
        .await
        .expect("reads");
    let found: Vec<_> = all.iter().map(|row| (row.at, row.event.clone())).collect();
    assert_eq!(
        found,
        [
            (at(10), event("one")),
            (at(10), event("two")),
            (at(20), event("three"))
        ]
    );
    assert!(all.is_sorted_by(|a, b| a.seq < b.seq));
    let rest = store
        .events(&acme(), &need_id("ana"), all[1].seq)
        .await
        .expect("reads");
    assert_eq!(rest, all[2..]);
}

pub(super) async fn holds_and_open_needs_are_facts_of_the_list(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    quiet_other(store).await;
    let claimed = claim_one(store, at(0)).await;
    assert_eq!(claimed.id, id);
    let mut commit = commit_of(&claimed, at(5));
    let hold = |name: &str, since| Hold::new(HoldId::new(name), HoldReason::Unreachable, at(since));
    commit.document.holds = vec![hold("h1", 4), hold("h2", 3)];
    commit.document.need_operations = vec![NeedOperation::Register {
        registration: Box::new(new_need("ana").registration),
        at: at(0),
    }];
    commit.keep_until = Some(at(100));
    store.commit(commit.clone()).await.expect("commits");

    let held = ConversationFilter {
        held: true,
        limit: 10,
        offset: 0,
    };
    let listed = store.conversations(&acme(), held).await.expect("lists");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].id, id);
    assert_eq!(listed[0].stakeholder, "ANA");
    assert_eq!(listed[0].held_since, Some(at(3)));
    assert_eq!(listed[0].open_needs, 1);
    assert_eq!(listed[0].last_activity, at(5));

    commit.steps[0].operation.inputs.clear();
    commit.steps[0].operation.revision += 1;
    commit.document.revision += 1;
    commit.document.holds.clear();
    commit.document.need_operations.clear();
    store.commit(commit).await.expect("commits");
    assert_eq!(
        store.conversations(&acme(), held).await.expect("lists"),
        Vec::new()
    );
    let all = ConversationFilter {
        held: false,
        ..held
    };
    let listed = store.conversations(&acme(), all).await.expect("lists");
    let ana = listed.iter().find(|row| row.id == id).expect("is listed");
    assert_eq!((ana.open_needs, ana.held_since), (0, None));
}

/// A conversation that is never held and not due before everything else here.
async fn quiet_other(store: &Subject) {
    let mut other = new_need("bo");
    other.at = at(1_000_000);
    register(store, other).await;
}

pub(super) async fn a_new_contact_is_found_and_an_old_one_stays(store: &Subject) {
    let id = register(store, new_need("ana")).await;
    let mut commit = commit_of(&claim_one(store, at(0)).await, at(5));
    commit.document.stakeholder.contacts = vec![Contact::new(Channel::Email, mail("ana-at-work"))];
    store.commit(commit).await.expect("commits");
    for name in ["ana", "ana-at-work"] {
        let found = store
            .by_address(&acme(), Channel::Email, &mail(name), false)
            .await;
        assert_eq!(found.expect("finds"), std::slice::from_ref(&id), "{name}");
    }
}

pub(super) async fn the_journal_is_read_from_a_revision(store: &Subject) {
    let id = quiet(store, "ana").await;
    for n in 1..5 {
        step(store, &id, at(n), Vec::new()).await;
    }
    let page = store
        .journal(&acme(), &id, 2, 2)
        .await
        .expect("reads")
        .expect("is there");
    let revisions: Vec<_> = page
        .operations
        .iter()
        .map(|row| row.operation.revision)
        .collect();
    assert_eq!(revisions, [2, 3]);
    assert_eq!(page.operations[0].judgement, None);
    assert_eq!(page.operations[0].usage, None);
}

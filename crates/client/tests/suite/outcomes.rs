//! Awaiting outcomes.

use crate::daemon::{Daemon, inspection};
use liaison_client::{ClientError, OutcomeKind};
use std::time::Duration;

#[tokio::test]
async fn an_outcome_is_awaited_and_read_by_type() {
    let daemon = Daemon::start().await;
    let client = daemon.client();
    let need = inspection(&client).await;
    daemon.work().await;
    let waiting = tokio::spawn({
        let need = need.clone();
        async move { need.outcome().await }
    });
    daemon.waiters(1).await;
    let conversation = need.view().await.expect("a view").conversation;
    let accepted = client
        .commands(conversation)
        .by("kim")
        .fill("arranged_by", "agency", "said so by phone")
        .await
        .expect("accepted");
    assert!(!accepted.repeated);
    daemon.work().await;

    let outcome = waiting.await.expect("no panic").expect("an outcome");
    assert_eq!(outcome.kind(), OutcomeKind::Fulfilled);
    assert!(outcome.is_fulfilled());
    assert_eq!(outcome.need(), need.id());
    assert_eq!(outcome.choice("arranged_by"), Some("agency"));
    assert_eq!(outcome.date("arranged_by"), None, "it is no date");
    assert_eq!(outcome.choice("nothing"), None);
    assert_eq!(outcome.quote("arranged_by"), None, "an operator said so");
    let line = serde_json::to_value(&outcome).expect("serialises");
    assert_eq!(line["outcome"], "fulfilled");
    assert_eq!(line["need"], serde_json::json!(need.id()));
    assert_eq!(line["slots"]["arranged_by"]["value"], "agency");
}

#[tokio::test]
async fn an_outcome_is_awaited_through_the_daemons_death() {
    let mut daemon = Daemon::start().await;
    let need = inspection(&daemon.client()).await;
    let waiting = tokio::spawn({
        let need = need.clone();
        async move { need.outcome().await }
    });
    for death in 0..3 {
        // It dies while the request waits in it, and stays away until the client has knocked.
        daemon.waiters(death + 1).await;
        daemon.kill();
        let refused = daemon
            .client()
            .tries(2)
            .attach(need.id().clone())
            .view()
            .await;
        assert!(
            matches!(refused, Err(ClientError::Unreachable { .. })),
            "{refused:?}"
        );
        daemon.revive().await;
    }
    daemon.waiters(4).await;
    assert!(!waiting.is_finished());
    daemon.let_expire().await;
    let outcome = waiting.await.expect("no panic").expect("an outcome");
    assert_eq!(outcome.kind(), OutcomeKind::Expired);
    assert_eq!(outcome.slots().count(), 0);
}

#[tokio::test]
async fn a_workflow_that_was_restarted_attaches_to_its_need() {
    let daemon = Daemon::start().await;
    let id = inspection(&daemon.client()).await.id().clone();
    daemon.let_expire().await;
    let outcome = daemon
        .client()
        .attach(id)
        .outcome()
        .await
        .expect("an outcome");
    assert_eq!(outcome.kind(), OutcomeKind::Expired);
}

#[tokio::test]
async fn registering_the_same_again_is_the_same_need_unless_the_key_differs() {
    let daemon = Daemon::start().await;
    let client = daemon.client();
    let first = inspection(&client).await;
    let again = inspection(&daemon.client()).await;
    assert_eq!(first.id(), again.id());

    let keyed = |key: &str, goal: &str| {
        client
            .need(goal)
            .stakeholder(liaison_client::Stakeholder::email("owner@example.com"))
            .boolean("agreed", "Do you agree?")
            .deadline_in(liaison_client::Wait::days(1))
            .idempotency_key(key)
            .register()
    };
    let june = keyed("june", "Agree").await.expect("registers");
    let july = keyed("july", "Agree").await.expect("registers");
    assert_ne!(june.id(), july.id());
    assert_eq!(
        keyed("june", "Agree").await.expect("registers").id(),
        june.id()
    );
    let refused = keyed("june", "Disagree")
        .await
        .expect_err("the key is used");
    assert_eq!(
        refused.problem().map(|p| p.name()),
        Some("idempotency-key-reused")
    );
}

#[tokio::test]
async fn a_cancelled_need_has_its_outcome_too() {
    let daemon = Daemon::start().await;
    let need = inspection(&daemon.client()).await;
    need.cancel().await.expect("cancels");
    daemon.work().await;
    let outcome = need.outcome().await.expect("an outcome");
    assert_eq!(outcome.kind(), OutcomeKind::Cancelled);
    assert_eq!(need.events(0).await.expect("events").events, []);
}

#[tokio::test]
async fn waiting_can_be_given_up_and_the_need_goes_on() {
    let daemon = Daemon::start().await;
    let need = inspection(&daemon.client()).await;
    let error = need
        .outcome_within(Duration::ZERO)
        .await
        .expect_err("it is open");
    assert!(matches!(&error, ClientError::StillOpen { need: id, .. } if id == need.id()));
    assert!(error.is_transient());
    daemon.let_expire().await;
    let outcome = need.outcome_within(Duration::from_secs(60)).await;
    assert_eq!(outcome.expect("an outcome").kind(), OutcomeKind::Expired);
}

//! Waiting for outcomes, and noting who waits.

use crate::{failing::Failure, harness::Server};
use http::{Method, StatusCode, header};
use jiff::SignedDuration;
use liaison_server::{Limits, Stage};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// Begins to wait, and returns once the server waits too.
async fn waiting(
    server: &Arc<Server>,
    need: &str,
    wait: &str,
) -> tokio::task::JoinHandle<crate::harness::Answer> {
    let before = server.changes.waiters.load(Ordering::SeqCst);
    let task = tokio::spawn({
        let (server, path) = (server.clone(), format!("/v1/needs/{need}?wait={wait}"));
        async move { server.get(&path, &server.caller).await }
    });
    while server.changes.waiters.load(Ordering::SeqCst) == before {
        tokio::task::yield_now().await;
    }
    task
}

/// Lets everybody run who can, without time passing: it stands still while anybody runs.
async fn at_once<T>(task: &tokio::task::JoinHandle<T>) -> bool {
    for _ in 0..1_000 {
        if task.is_finished() {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

async fn cancel(server: &Server, need: &str) {
    let path = format!("/v1/needs/{need}");
    server
        .call(Method::DELETE, &path, &server.caller, None)
        .await;
    server.work().await;
}

// In these tests tokio's clock stands still, and jumps when everybody waits for it.

#[tokio::test(start_paused = true)]
async fn an_open_need_is_answered_when_the_wait_ends() {
    let server = Arc::new(Server::new().await);
    let (need, _) = server.registered().await;
    for (wait, reads) in [("5s", 5..=7), ("2m", 120..=122), ("99m", 120..=122)] {
        let before = server.store.need_reads.load(Ordering::SeqCst);
        let answer = waiting(&server, &need, wait)
            .await
            .await
            .expect("an answer");
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json()["status"], "open");
        let read = server.store.need_reads.load(Ordering::SeqCst) - before;
        assert!(
            reads.contains(&read),
            "{wait}: the store was read {read} times"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_settled_need_is_answered_at_once() {
    let server = Arc::new(Server::new().await);
    let (need, _) = server.registered().await;
    cancel(&server, &need).await;
    let path = format!("/v1/needs/{need}?wait=2m");
    let answer = server.get(&path, &server.caller).await;
    assert_eq!(answer.json()["status"], "cancelled");
    assert_eq!(
        server.changes.waiters.load(Ordering::SeqCst),
        0,
        "nobody had to wait"
    );
}

#[tokio::test(start_paused = true)]
async fn an_outcome_of_this_process_is_told_at_once() {
    let server = Arc::new(Server::new().await);
    let (need, _) = server.registered().await;
    server.work().await;
    let task = waiting(&server, &need, "60s").await;
    cancel(&server, &need).await;
    assert!(!at_once(&task).await, "nobody told");
    server.changes.notify.notify_waiters();
    assert!(at_once(&task).await);
    let answer = task.await.expect("an answer");
    assert_eq!(answer.json()["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn an_outcome_of_another_process_is_found_too() {
    let server = Arc::new(Server::new().await);
    let (need, _) = server.registered().await;
    server.work().await;
    let task = waiting(&server, &need, "60s").await;
    cancel(&server, &need).await;
    // Nobody tells; the store is read again by itself.
    let answer = task.await.expect("an answer");
    assert_eq!(answer.json()["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_ends_lets_its_waiters_go() {
    let server = Arc::new(Server::new().await);
    let (need, _) = server.registered().await;
    let task = waiting(&server, &need, "60s").await;
    assert!(!at_once(&task).await);
    server.readiness.enter(Stage::Closing);
    assert!(at_once(&task).await);
    let answer = task.await.expect("an answer");
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json()["status"], "open");
}

#[tokio::test(start_paused = true)]
async fn more_waiters_than_allowed_are_turned_away_and_others_are_not() {
    let limits = Limits {
        waiting: 1,
        ..Limits::default()
    };
    let server = Arc::new(Server::with_limits(limits).await);
    let (need, _) = server.registered().await;
    let first = waiting(&server, &need, "60s").await;
    let path = format!("/v1/needs/{need}");
    let second = server
        .get(&format!("{path}?wait=60s"), &server.caller)
        .await;
    assert_eq!(second.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(second.problem().name(), "busy");
    assert!(second.header(header::RETRY_AFTER).is_some());
    assert_eq!(
        server.get(&path, &server.caller).await.status,
        StatusCode::OK
    );
    // A waiter whose connection is gone makes room.
    first.abort();
    assert!(first.await.expect_err("aborted").is_cancelled());
    waiting(&server, &need, "1s")
        .await
        .await
        .expect("an answer");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_given_up() {
    let limits = Limits {
        request: Duration::from_secs(3),
        ..Limits::default()
    };
    let server = Arc::new(Server::with_limits(limits).await);
    let (need, _) = server.registered().await;
    let answer = waiting(&server, &need, "60s")
        .await
        .await
        .expect("an answer");
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.problem().name(), "too-slow");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_while_somebody_waits_is_a_problem() {
    let server = Arc::new(Server::new().await);
    let (need, _) = server.registered().await;
    let task = waiting(&server, &need, "60s").await;
    server.store.fail(Some(Failure::Unavailable));
    let answer = task.await.expect("an answer");
    assert_eq!(answer.problem().name(), "store-unavailable");
}

#[tokio::test]
async fn a_caller_that_still_waits_is_noted_once_a_day() {
    let server = Server::new().await;
    let (need, conversation) = server.registered().await;
    server.work().await;
    let path = format!("/v1/needs/{need}");
    let unfolded = async || {
        let path = format!("/v1/conversations/{conversation}");
        server.get(&path, &server.operator).await.json()["unfolded"].as_u64()
    };
    server.get(&path, &server.caller).await;
    assert_eq!(
        unfolded().await,
        Some(0),
        "the registration counts for its first day"
    );
    server.clock.advance(SignedDuration::from_hours(25));
    for _ in 0..3 {
        server.get(&path, &server.caller).await;
    }
    assert_eq!(unfolded().await, Some(1));
    server.clock.advance(SignedDuration::from_hours(24));
    server.get(&path, &server.caller).await;
    assert_eq!(unfolded().await, Some(2));
}

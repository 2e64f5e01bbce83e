//! Connections that are cut, callers that go away, answers that are lost.

use crate::{
    proxy::{Cut, Proxy},
    server::database,
};
use futures_now::poll_once;
use liaison_ports::{
    conformance::{
        Subject,
        fixture::{
            acme, append, at, begin, claim_one, commit_of, complete, dispatch, fates, letter,
            need_id, new_need, note, register, request, send, sending, sent, unfolded,
        },
    },
    store::{
        Appended, CommandAppended, CompletionResult, KeyRow, NewCommand, Registered, Scope, Store,
        StoreError,
    },
};
use liaison_store_postgres::{Options, PostgresStore};
use std::{future::Future, pin::Pin, sync::Arc};
use tokio::task::JoinSet;

mod futures_now {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Waker},
    };

    /// Begins something and drops it half-way.
    pub(super) fn poll_once(future: impl Future) {
        let mut future = pin!(future);
        let _ = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// What the driver does wrong by itself: sqlx issues 2054, 4385 and 4393. With one connection, the
/// next caller would get that of the one who went away, inside its transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_leaves_no_transaction_open_and_its_write_is_done() {
    let Some(database) = database().await else {
        return;
    };
    let options = Options {
        connections: 1,
        ..Options::default()
    };
    let store = PostgresStore::open(&database.url, options)
        .await
        .expect("opens");
    let store = Arc::new(store);
    for n in 0..40 {
        poll_once(store.register_need(new_need(&format!("p{n}"))));
        poll_once(store.needs(&acme(), None, 10));
        tokio::task::yield_now().await;
    }
    store.check().await.expect("the connection can be used");
    database.until("SELECT count(*) / 40 FROM needs").await;
    let open = database
        .number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND state LIKE 'idle in transaction%'",
        )
        .await;
    assert_eq!(open, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pool_full_of_dead_connections_is_noticed_by_nobody() {
    let Some(database) = database().await else {
        return;
    };
    let store = Arc::new(database.open().await);
    let warm = |n: usize| {
        let store = Arc::clone(&store);
        async move { store.register_need(new_need(&format!("p{n}"))).await }
    };
    let mut warming: JoinSet<_> = (0..30).map(warm).collect();
    while let Some(done) = warming.join_next().await {
        done.expect("ends").expect("registers");
    }
    assert!(database.cut_connections().await > 1);
    // Reads and writes, many at once, more than there are connections.
    let mut again: JoinSet<_> = (30..60).map(warm).collect();
    for _ in 0..30 {
        let read = store.need(&acme(), &need_id("p1")).await.expect("reads");
        assert!(read.is_some());
    }
    while let Some(done) = again.join_next().await {
        done.expect("ends").expect("registers");
    }
    let needs = database.number("SELECT count(*) FROM needs").await;
    assert_eq!(needs, 60);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_cut_under_load_lose_nothing_and_double_nothing() {
    let Some(database) = database().await else {
        return;
    };
    let store: Subject = Arc::new(database.open().await);
    let mut registering: JoinSet<_> = (0..200)
        .map(|n| {
            let store = Arc::clone(&store);
            async move {
                loop {
                    match store.register_need(new_need(&format!("p{n}"))).await {
                        Ok(_) => return,
                        // Cut more often than it tries: whoever asked asks again.
                        Err(StoreError::Unavailable { .. }) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        })
        .collect();
    while !registering.is_empty() {
        database.cut_connections().await;
        if let Some(done) = registering.join_next().await {
            done.expect("registers");
        }
        while registering.try_join_next().is_some() {}
    }
    for (what, table) in [
        ("needs", "needs"),
        ("inputs", "inputs"),
        ("homes", "conversations"),
    ] {
        let rows = database
            .number(format!("SELECT count(*) FROM {table}"))
            .await;
        assert_eq!(rows, 200, "{what}");
    }
}

type Doing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An operation, with what makes it possible and what must be true after it.
struct Case {
    name: &'static str,
    prepare: fn(Subject) -> Doing,
    /// Done through the man in the middle; it must succeed.
    act: fn(Subject) -> Doing,
    /// Looked at past him.
    check: fn(Subject) -> Doing,
}

const NOTHING: fn(Subject) -> Doing = |_| Box::pin(async {});

fn ana() -> liaison_core::id::ConversationId {
    liaison_ports::conformance::fixture::conversation("ana")
}

const CASES: &[Case] = &[
    Case {
        name: "register",
        prepare: NOTHING,
        act: |store| {
            Box::pin(async move {
                let answer = store
                    .register_need(new_need("ana"))
                    .await
                    .expect("registers");
                assert!(matches!(answer, Registered::New { .. }), "{answer:?}");
            })
        },
        check: |store| Box::pin(async move { assert_eq!(unfolded(&store, &ana()).await, 1) }),
    },
    Case {
        name: "append",
        prepare: |store| Box::pin(async move { drop(register(&store, new_need("ana")).await) }),
        act: |store| {
            Box::pin(async move {
                // It may be called a duplicate: of itself.
                let _at = append(&store, note(&ana(), "n", at(1))).await;
            })
        },
        check: |store| Box::pin(async move { assert_eq!(unfolded(&store, &ana()).await, 2) }),
    },
    Case {
        name: "command",
        prepare: |store| Box::pin(async move { drop(register(&store, new_need("ana")).await) }),
        act: |store| {
            Box::pin(async move {
                let command = NewCommand {
                    prefix: Some("command:k:".to_owned()),
                    inputs: vec![note(&ana(), "command:k:1", at(1))],
                };
                let answer = store.append_command(command).await.expect("appends");
                let done = matches!(answer, CommandAppended::New | CommandAppended::Repeated);
                assert!(done, "{answer:?}");
            })
        },
        check: |store| Box::pin(async move { assert_eq!(unfolded(&store, &ana()).await, 2) }),
    },
    Case {
        name: "receive",
        prepare: |store| Box::pin(async move { drop(register(&store, new_need("ana")).await) }),
        act: |store| {
            Box::pin(async move {
                let answer = store.receive(letter(&ana(), "ana", "r", at(1))).await;
                let answer = answer.expect("receives");
                assert!(!matches!(answer, Appended::NoConversation));
            })
        },
        check: |store| {
            Box::pin(async move {
                assert_eq!(unfolded(&store, &ana()).await, 2);
                let shown = store.transcript(&acme(), &ana(), 9).await.expect("reads");
                assert_eq!(shown.len(), 1);
            })
        },
    },
    Case {
        name: "claim and commit",
        prepare: |store| Box::pin(async move { drop(register(&store, new_need("ana")).await) }),
        act: |store| {
            Box::pin(async move {
                // A claim whose answer is lost ends with its lease.
                let mut now = at(0);
                let claimed = loop {
                    match store
                        .claim_due(request("w", now))
                        .await
                        .expect("claims")
                        .pop()
                    {
                        Some(claimed) => break claimed,
                        None => now = at(600),
                    }
                };
                let mut commit = commit_of(&claimed, now);
                commit.steps[0].effects = vec![send("m1", now)];
                store.commit(commit).await.expect("commits");
            })
        },
        check: |store| {
            Box::pin(async move {
                let row = store.conversation(&acme(), &ana()).await.expect("reads");
                let row = row.expect("is there");
                assert_eq!((row.document.revision, row.unfolded), (1, 0));
                assert_eq!(store.outbox(&acme(), 9).await.expect("lists").len(), 1);
                let page = store.journal(&acme(), &ana(), 0, 9).await.expect("reads");
                assert_eq!(page.expect("is there").operations.len(), 1);
            })
        },
    },
    Case {
        name: "release",
        prepare: |store| Box::pin(async move { drop(register(&store, new_need("ana")).await) }),
        act: |store| {
            Box::pin(async move {
                let claimed = claim_by_lease(&store).await;
                let released = store.release(&ana(), claimed, None).await;
                released.expect("releases");
            })
        },
        check: |store| Box::pin(async move { drop(claim_one(&store, at(601)).await) }),
    },
    Case {
        name: "quarantine",
        prepare: |store| Box::pin(async move { drop(register(&store, new_need("ana")).await) }),
        act: |store| {
            Box::pin(async move {
                let fence = claim_by_lease(&store).await;
                let put = store.quarantine(&ana(), fence, "broken", at(700)).await;
                put.expect("quarantines");
                let lifted = store.lift_quarantine(&acme(), &ana(), at(701)).await;
                assert!(lifted.expect("lifts"));
            })
        },
        check: |store| Box::pin(async move { drop(claim_one(&store, at(701)).await) }),
    },
    Case {
        name: "hand over",
        prepare: |store| {
            Box::pin(async move {
                sending(&store, "m1", at(10)).await;
                dispatch(&store, at(10)).await;
            })
        },
        act: |store| {
            Box::pin(async move {
                assert!(begin(&store, "m1", at(11)).await, "it may go");
                complete(&store, "m1", at(12), CompletionResult::Final(sent(at(12)))).await;
            })
        },
        check: |store| {
            Box::pin(async move {
                let all = store
                    .conversation_ids(&acme(), None, 9)
                    .await
                    .expect("lists");
                let told = fates(&store, &all[0]).await;
                assert_eq!(told.len(), 1, "{told:?}");
                assert_eq!(store.outbox(&acme(), 9).await.expect("lists").len(), 0);
            })
        },
    },
    Case {
        name: "keys",
        prepare: NOTHING,
        act: |store| {
            Box::pin(async move {
                let key = KeyRow {
                    id: "k1".to_owned(),
                    tenant: acme(),
                    name: "a key".to_owned(),
                    scope: Scope::Caller,
                    hash: "abc".to_owned(),
                    created_at: at(0),
                    revoked_at: None,
                };
                store.add_key(key).await.expect("adds");
                let revoked = store.revoke_key(&acme(), "k1", at(1)).await;
                assert!(revoked.expect("revokes"));
            })
        },
        check: |store| {
            Box::pin(async move {
                let keys = store.keys(&acme()).await.expect("lists");
                assert_eq!(keys.len(), 1);
                assert_eq!(keys[0].revoked_at, Some(at(1)));
            })
        },
    },
];

/// Claims it, if need be after the lease of a claim whose answer was lost; and says the fence.
async fn claim_by_lease(store: &Subject) -> i64 {
    for now in [at(0), at(600)] {
        let claimed = store.claim_due(request("w", now)).await.expect("claims");
        if let Some(claimed) = claimed.first() {
            return claimed.fence;
        }
    }
    panic!("it is not due");
}

/// Cuts the connection at each word that the store says while it does something, before the server
/// hears the word and after it has answered: every operation succeeds, and is done once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_cut_at_any_word_changes_nothing() {
    let Some(database) = database().await else {
        return;
    };
    let proxy = Proxy::before(&database.url).await;
    let mut cuts = 0;
    for case in CASES {
        for cut in [Cut::Before, Cut::After] {
            for words in 0.. {
                let schema = format!(
                    "{}_{words}_{}",
                    case.name.replace(' ', "_"),
                    if cut == Cut::Before { "b" } else { "a" }
                );
                database.execute(format!("CREATE SCHEMA {schema}")).await;
                let settings = format!("?options=-c%20search_path={schema}");
                let direct = format!("{}{settings}", database.url);
                let past = format!("{}{settings}", proxy.url(&database.url));
                let options = Options {
                    connections: 1,
                    ..Options::default()
                };
                let looking: Subject = Arc::new(
                    PostgresStore::open(&direct, options.clone())
                        .await
                        .expect("opens"),
                );
                (case.prepare)(Arc::clone(&looking)).await;
                let acting = Arc::new(PostgresStore::open(&past, options).await.expect("opens"));
                // The connection is there before it is cut.
                acting.outbox_next().await.expect("reads");
                proxy.cut(words, cut);
                (case.act)(Arc::clone(&acting) as Subject).await;
                let through = proxy.was_not_reached();
                let what = format!("{}, cut {cut:?} word {words}", case.name);
                let checking = tokio::spawn((case.check)(Arc::clone(&looking))).await;
                assert!(checking.is_ok(), "{what}");
                acting.close().await;
                if through {
                    assert!(words > 1, "{what}: nothing was said");
                    break;
                }
                cuts += 1;
            }
        }
    }
    assert!(cuts > 80, "{cuts} cuts are too few to be all");
}

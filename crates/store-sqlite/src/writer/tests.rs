use super::*;
use crate::{
    Options,
    fault::{corrupt, fault},
    open,
};
use futures::{FutureExt, future::join_all};
use sqlx::Row;
use tempfile::TempDir;

const TEST: &str = "test";

struct Bench {
    writer: Arc<Writer>,
    readers: crate::readers::Readers,
    _folder: TempDir,
}

async fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let opened = open::open(&folder.path().join("store.db"), &Options::default())
        .await
        .expect("opens");
    let writer = Arc::new(Writer::start(opened.writing));
    run(
        &writer,
        "CREATE TABLE numbers (n INTEGER PRIMARY KEY, filling BLOB)",
    )
    .await
    .expect("creates");
    Bench {
        writer,
        readers: opened.reading,
        _folder: folder,
    }
}

async fn run(writer: &Writer, sql: &'static str) -> Result<(), StoreError> {
    writer
        .run(TEST, sql, |connection, sql| {
            Box::pin(async move { execute(connection, sql).await.map_err(fault(TEST)) })
        })
        .await
}

async fn insert(writer: &Writer, number: i64) -> Result<(), StoreError> {
    writer
        .run(TEST, number, |connection, number| {
            Box::pin(insert_on(connection, *number))
        })
        .await
}

async fn insert_on(connection: &mut SqliteConnection, number: i64) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO numbers (n) VALUES (?1)")
        .bind(number)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(TEST))
}

async fn numbers(bench: &Bench) -> Vec<i64> {
    sqlx::query("SELECT n FROM numbers ORDER BY n")
        .fetch_all(&mut *bench.readers.one().await.expect("is free"))
        .await
        .expect("reads")
        .iter()
        .map(|row| row.get(0))
        .collect()
}

/// Keeps the writer busy inside a commit until it is let go, so that writes gather behind it.
async fn occupy(writer: &Arc<Writer>) -> (oneshot::Sender<()>, JoinHandle<Result<(), StoreError>>) {
    let (busy, is_busy) = oneshot::channel();
    let (let_go, gate) = oneshot::channel::<()>();
    let writer = Arc::clone(writer);
    let task = tokio::spawn(async move {
        let ends = Mutex::new(Some((busy, gate)));
        writer
            .run(TEST, ends, |_, ends| {
                Box::pin(async move {
                    let ends = lock(ends).take();
                    let (busy, gate) = ends.ok_or_else(|| corrupt(TEST, "it ran before"))?;
                    let _nobody_waits = busy.send(());
                    gate.await.map_err(|_| corrupt(TEST, "the gate is gone"))
                })
            })
            .await
    });
    is_busy.await.expect("the writer runs it");
    (let_go, task)
}

#[tokio::test]
async fn writes_that_wait_together_share_one_commit() {
    let bench = bench().await;
    let (let_go, occupied) = occupy(&bench.writer).await;
    let before = bench.writer.commits();
    let mut writes = Box::pin(join_all((0..50).map(|n| insert(&bench.writer, n))));
    assert!(
        (&mut writes).now_or_never().is_none(),
        "nothing is answered before its commit"
    );
    let_go.send(()).expect("waits");
    occupied.await.expect("ends").expect("commits");
    assert!(writes.await.into_iter().all(|written| written.is_ok()));
    assert_eq!(
        bench.writer.commits() - before,
        2,
        "the one that was running, and one for all"
    );
    assert_eq!(numbers(&bench).await.len(), 50);
}

#[tokio::test]
async fn a_write_that_fails_undoes_only_itself() {
    let bench = bench().await;
    insert(&bench.writer, 5).await.expect("writes");
    let (let_go, occupied) = occupy(&bench.writer).await;
    let half = bench.writer.run(TEST, (), |connection, ()| {
        Box::pin(async move {
            insert_on(connection, 100).await?;
            insert_on(connection, 5).await
        })
    });
    let panicking = bench.writer.run::<(), ()>(TEST, (), |connection, ()| {
        Box::pin(async move {
            insert_on(connection, 101).await?;
            panic!("a fault in the code")
        })
    });
    let (first, last) = (insert(&bench.writer, 1), insert(&bench.writer, 2));
    let all = async { tokio::join!(first, half, panicking, last) };
    let mut all = Box::pin(all);
    assert!((&mut all).now_or_never().is_none());
    let_go.send(()).expect("waits");
    occupied.await.expect("ends").expect("commits");
    let (first, half, panicking, last) = all.await;
    first.expect("writes");
    last.expect("writes");
    assert!(matches!(half, Err(StoreError::Corrupt { .. })), "{half:?}");
    assert!(
        matches!(panicking, Err(StoreError::Unavailable { .. })),
        "{panicking:?}"
    );
    assert_eq!(numbers(&bench).await, [1, 2, 5]);
    insert(&bench.writer, 3).await.expect("the writer lives");
}

#[tokio::test]
async fn after_a_failure_its_neighbours_are_done_once_and_not_twice() {
    let bench = bench().await;
    let (let_go, occupied) = occupy(&bench.writer).await;
    let counted = |number| {
        bench.writer.run(TEST, number, |connection, number| {
            Box::pin(async move {
                // What the first run did must be gone when the write runs again.
                sqlx::query("INSERT INTO numbers (n) SELECT count(*) + ?1 FROM numbers")
                    .bind(*number)
                    .execute(connection)
                    .await
                    .map(drop)
                    .map_err(fault(TEST))
            })
        })
    };
    let refused = bench.writer.run::<(), ()>(TEST, (), |_, ()| {
        Box::pin(async { Err(StoreError::Fenced) })
    });
    let (before, after) = (counted(10), counted(20));
    let wrong = insert(&bench.writer, 10);
    let mut all = Box::pin(async { tokio::join!(before, refused, wrong, after) });
    assert!((&mut all).now_or_never().is_none());
    let_go.send(()).expect("waits");
    occupied.await.expect("ends").expect("commits");
    let (before, refused, wrong, after) = all.await;
    before.expect("writes");
    after.expect("writes");
    assert!(matches!(refused, Err(StoreError::Fenced)), "{refused:?}");
    assert!(
        matches!(wrong, Err(StoreError::Corrupt { .. })),
        "{wrong:?}"
    );
    assert_eq!(numbers(&bench).await, [10, 21]);
}

#[tokio::test]
async fn the_last_write_of_a_commit_may_fail_too() {
    let bench = bench().await;
    let (let_go, occupied) = occupy(&bench.writer).await;
    let (kept, refused) = (insert(&bench.writer, 1), insert(&bench.writer, 1));
    let mut both = Box::pin(async { tokio::join!(kept, refused) });
    assert!((&mut both).now_or_never().is_none());
    let_go.send(()).expect("waits");
    occupied.await.expect("ends").expect("commits");
    let (kept, refused) = both.await;
    kept.expect("writes");
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(numbers(&bench).await, [1]);
}

#[tokio::test]
async fn a_write_is_done_though_its_caller_went_away() {
    let bench = bench().await;
    let (let_go, occupied) = occupy(&bench.writer).await;
    {
        let mut abandoned = Box::pin(insert(&bench.writer, 1));
        assert!((&mut abandoned).now_or_never().is_none());
    }
    let_go.send(()).expect("waits");
    occupied.await.expect("ends").expect("commits");
    insert(&bench.writer, 2).await.expect("writes");
    assert_eq!(numbers(&bench).await, [1, 2]);
}

#[tokio::test]
async fn a_full_disk_is_named_and_survived() {
    let bench = bench().await;
    insert(&bench.writer, 1).await.expect("writes");
    // SQLite answers just like for a full disk when the file may not grow.
    limit_pages(&bench, 1).await;
    let (let_go, occupied) = occupy(&bench.writer).await;
    let small = insert(&bench.writer, 2);
    let large = run(
        &bench.writer,
        "INSERT INTO numbers (n, filling) VALUES (3, zeroblob(1000000))",
    );
    let mut both = Box::pin(async { tokio::join!(small, large) });
    assert!((&mut both).now_or_never().is_none());
    let_go.send(()).expect("waits");
    occupied.await.expect("ends").expect("commits");
    let (small, large) = both.await;
    assert!(matches!(large, Err(StoreError::Full { .. })), "{large:?}");
    let mut expected = vec![1];
    expected.extend(small.is_ok().then_some(2));
    assert_eq!(
        numbers(&bench).await,
        expected,
        "what was answered is what is there"
    );

    limit_pages(&bench, 1_000_000).await;
    insert(&bench.writer, 4).await.expect("there is room again");
}

/// Lets the file grow to this many pages, or not beyond what it has.
async fn limit_pages(bench: &Bench, pages: u32) {
    bench
        .writer
        .run(TEST, pages, |connection, pages| {
            Box::pin(async move {
                let sql = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
                sqlx::query(sql)
                    .execute(connection)
                    .await
                    .map(drop)
                    .map_err(fault(TEST))
            })
        })
        .await
        .expect("limits");
}

#[tokio::test]
async fn a_commit_is_flushed_to_the_disk_before_it_is_answered() {
    let bench = bench().await;
    let (mode, synchronous): (String, i64) = bench
        .writer
        .run(TEST, (), |connection, ()| {
            Box::pin(async move {
                // A pragma of the writing connection itself; it holds for that connection only.
                let mode = sqlx::query("PRAGMA journal_mode")
                    .fetch_one(&mut *connection)
                    .await
                    .map_err(fault(TEST))?;
                let synchronous = sqlx::query("PRAGMA synchronous")
                    .fetch_one(connection)
                    .await
                    .map_err(fault(TEST))?;
                Ok((mode.get(0), synchronous.get(0)))
            })
        })
        .await
        .expect("reads");
    assert_eq!((mode.as_str(), synchronous), ("wal", 2));
}

#[tokio::test]
async fn closing_finishes_what_waits_and_refuses_the_rest() {
    let bench = bench().await;
    let (let_go, occupied) = occupy(&bench.writer).await;
    let mut waiting = Box::pin(insert(&bench.writer, 1));
    assert!((&mut waiting).now_or_never().is_none());
    let mut closing = Box::pin(bench.writer.close());
    assert!((&mut closing).now_or_never().is_none());
    let late = insert(&bench.writer, 2).await;
    assert!(
        matches!(late, Err(StoreError::Unavailable { .. })),
        "{late:?}"
    );
    let_go.send(()).expect("waits");
    closing.await;
    occupied.await.expect("ends").expect("commits");
    waiting.await.expect("was in time");
    assert_eq!(numbers(&bench).await, [1]);
}

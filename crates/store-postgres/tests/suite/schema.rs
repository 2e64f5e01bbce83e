//! Databases of other versions, and servers that will not do.

use crate::server::database;
use liaison_ports::store::{Store, StoreError};
use liaison_store_postgres::{OpenError, Options, PostgresStore};

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let Some(database) = database().await else {
        return;
    };
    database.open().await.close().await;
    database
        .execute(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, \
             execution_time) VALUES (900, 'later', TRUE, '\\x00', 0)",
        )
        .await;
    let refused = PostgresStore::open(&database.url, Options::default())
        .await
        .expect_err("is newer");
    assert!(
        matches!(
            refused,
            OpenError::NewerSchema {
                found: 900,
                known: 1,
                ..
            }
        ),
        "{refused:?}"
    );
    let text = refused.to_string();
    assert!(text.contains("127.0.0.1") && text.contains("900"), "{text}");
}

#[tokio::test]
async fn a_schema_that_may_not_be_changed_is_refused_when_it_is_older() {
    let Some(database) = database().await else {
        return;
    };
    let options = || Options {
        migrate: false,
        ..Options::default()
    };
    let refused = PostgresStore::open(&database.url, options())
        .await
        .expect_err("is empty");
    assert!(
        matches!(
            refused,
            OpenError::OlderSchema {
                found: 0,
                known: 1,
                ..
            }
        ),
        "{refused:?}"
    );
    database.open().await.close().await;
    let opened = PostgresStore::open(&database.url, options())
        .await
        .expect("is up to date");
    opened.close().await;
}

#[tokio::test]
async fn a_released_migration_that_was_changed_is_noticed() {
    let Some(database) = database().await else {
        return;
    };
    database.open().await.close().await;
    database
        .execute("UPDATE _sqlx_migrations SET checksum = '\\x00'")
        .await;
    let refused = PostgresStore::open(&database.url, Options::default())
        .await
        .expect_err("differs");
    assert!(
        matches!(refused, OpenError::Migration { .. }),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_start_together_migrate_once() {
    let Some(database) = database().await else {
        return;
    };
    let starting: Vec<_> = (0..8)
        .map(|_| {
            let url = database.url.clone();
            tokio::spawn(async move { PostgresStore::open(&url, Options::default()).await })
        })
        .collect();
    for started in starting {
        let store = started.await.expect("ends").expect("opens");
        store.check().await.expect("can be written");
    }
    let health = database.number("SELECT count(*) FROM health").await;
    assert_eq!(health, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_that_was_killed_in_the_middle_is_done_at_the_next_start() {
    let Some(database) = database().await else {
        return;
    };
    // Whoever migrates waits for this lock with most of the schema made.
    let mut first = database.connect().await;
    sqlx::raw_sql("CREATE TABLE health (id BIGINT)")
        .execute(&mut first)
        .await
        .expect("stands in the way");
    let failed = PostgresStore::open(&database.url, Options::default())
        .await
        .expect_err("a table is in the way");
    assert!(matches!(failed, OpenError::Migration { .. }), "{failed:?}");
    let half = database
        .number("SELECT count(*) FROM pg_class WHERE relname = 'conversations'")
        .await;
    assert_eq!(half, 0, "nothing of it is left");
    sqlx::raw_sql("DROP TABLE health")
        .execute(&mut first)
        .await
        .expect("is out of the way");
    database.open().await.check().await.expect("can be written");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_the_password() {
    let options = Options {
        patience: std::time::Duration::from_millis(200),
        ..Options::default()
    };
    let refused = PostgresStore::open("postgres://ana:hunter2@127.0.0.1:1/office", options)
        .await
        .expect_err("nobody listens");
    let text = refused.to_string();
    assert!(text.contains("office at 127.0.0.1:1"), "{text}");
    assert!(
        !format!("{text} {refused:?}").contains("hunter2"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_server_that_does_not_promise_durability_is_refused() {
    let Some(database) = database().await else {
        return;
    };
    let lax = format!("{}?options=-c%20synchronous_commit=off", database.url);
    let refused = PostgresStore::open(&lax, Options::default())
        .await
        .expect_err("is lax");
    assert!(
        refused.to_string().contains("synchronous_commit is off"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_database_that_can_only_be_read_is_refused_for_work_and_not_for_looking() {
    let Some(database) = database().await else {
        return;
    };
    database.open().await.close().await;
    let standby = format!(
        "{}?options=-c%20default_transaction_read_only=on",
        database.url
    );
    let refused = PostgresStore::open(&standby, Options::default())
        .await
        .expect_err("is read-only");
    assert!(refused.to_string().contains("standby"), "{refused}");
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let looking = PostgresStore::open(&standby, options).await.expect("opens");
    looking.outbox_next().await.expect("reads");
    let written = looking.check().await;
    assert!(
        matches!(written, Err(StoreError::Unavailable { .. })),
        "{written:?}"
    );
}

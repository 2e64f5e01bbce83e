//! Files of other versions.

use crate::open;
use liaison_store_sqlite::{OpenError, Options, SqliteStore};
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
use std::path::Path;

async fn alter(path: &Path, sql: &'static str) {
    let mut connection = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .connect()
        .await
        .expect("connects");
    sqlx::query(sql)
        .execute(&mut connection)
        .await
        .expect("alters");
    connection.close().await.expect("closes");
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    open(&path).await.close().await;
    alter(
        &path,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (900, 'later', TRUE, x'00', 0)",
    )
    .await;
    let refused = SqliteStore::open(&path, Options::default())
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
    assert!(text.contains("store.db") && text.contains("900"), "{text}");
}

#[tokio::test]
async fn a_schema_that_may_not_be_changed_is_refused_when_it_is_older() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let options = || Options {
        migrate: false,
        ..Options::default()
    };
    let refused = SqliteStore::open(&path, options())
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
    open(&path).await.close().await;
    let opened = SqliteStore::open(&path, options())
        .await
        .expect("is up to date");
    opened.close().await;
}

#[tokio::test]
async fn a_released_migration_that_was_changed_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    open(&path).await.close().await;
    alter(&path, "UPDATE _sqlx_migrations SET checksum = x'00'").await;
    let refused = SqliteStore::open(&path, Options::default())
        .await
        .expect_err("differs");
    assert!(
        matches!(refused, OpenError::Migration { .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("letter.txt");
    std::fs::write(
        &path,
        "Dear Sir or Madam, this is not a database. ".repeat(50),
    )
    .expect("writes");
    let refused = SqliteStore::open(&path, Options::default())
        .await
        .expect_err("is a letter");
    assert!(matches!(refused, OpenError::Unusable { .. }), "{refused:?}");
    assert!(refused.to_string().contains("letter.txt"), "{refused}");
    let nowhere = folder.path().join("missing").join("store.db");
    let refused = SqliteStore::open(&nowhere, Options::default())
        .await
        .expect_err("no folder");
    assert!(matches!(refused, OpenError::Unusable { .. }), "{refused:?}");
}

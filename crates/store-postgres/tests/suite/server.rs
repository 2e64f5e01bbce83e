//! Databases on the test server, one for each test.

use liaison_store_postgres::{Options, PostgresStore};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// A database of a test's own.
pub(crate) struct Database {
    pub(crate) url: String,
}

/// Makes an empty database; none, loudly, when there is no server.
#[allow(clippy::print_stderr, reason = "a test that does not run says so")]
pub(crate) async fn database() -> Option<Database> {
    match std::env::var("LIAISON_TEST_POSTGRES_URL") {
        Ok(url) => Some(database_on(&url).await),
        Err(_) => {
            eprintln!("SKIPPED: LIAISON_TEST_POSTGRES_URL is not set, see deploy/test/postgres.sh");
            None
        }
    }
}

/// Makes an empty database on the server of `url`.
pub(crate) async fn database_on(url: &str) -> Database {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "test_{}_{}",
        std::process::id(),
        MADE.fetch_add(1, Ordering::Relaxed)
    );
    let admin = Database {
        url: url.to_owned(),
    };
    admin.execute(format!("CREATE DATABASE {name}")).await;
    let (server, _) = url.rsplit_once('/').expect("a URL with a database");
    Database {
        url: format!("{server}/{name}"),
    }
}

impl Database {
    /// A store in it.
    pub(crate) async fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.url, Options::default())
            .await
            .expect("opens")
    }

    /// A store whose URL has these settings.
    pub(crate) async fn open_with(&self, settings: &str) -> PostgresStore {
        let options = Options {
            connections: 8,
            ..Options::default()
        };
        PostgresStore::open(&format!("{}?{settings}", self.url), options)
            .await
            .expect("opens")
    }

    /// A connection past the store; it outlasts a server that has just come up.
    pub(crate) async fn connect(&self) -> PgConnection {
        let options: PgConnectOptions = self.url.parse().expect("a URL");
        let options = options.application_name("test").disable_statement_logging();
        let connecting = async {
            loop {
                if let Ok(connection) = options.connect().await {
                    return connection;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), connecting)
            .await
            .expect("connects")
    }

    /// Does something past the store, and says how many rows it touched.
    pub(crate) async fn execute(&self, sql: impl Into<String>) -> u64 {
        let mut connection = self.connect().await;
        let done = sqlx::query(AssertSqlSafe(sql.into()))
            .execute(&mut connection)
            .await
            .expect("is done");
        connection.close().await.expect("closes");
        done.rows_affected()
    }

    /// A number, asked for past the store.
    pub(crate) async fn number(&self, sql: impl Into<String>) -> i64 {
        let mut connection = self.connect().await;
        let number = sqlx::query_scalar(AssertSqlSafe(sql.into()))
            .fetch_one(&mut connection)
            .await
            .expect("answers");
        connection.close().await.expect("closes");
        number
    }

    /// Cuts every connection of this database but the asking one, and says how many.
    pub(crate) async fn cut_connections(&self) -> i64 {
        self.number(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid() \
             AND backend_type = 'client backend'",
        )
        .await
    }

    /// Returns once the statement, asked past the store, answers a number above zero.
    pub(crate) async fn until(&self, sql: &str) {
        let asking = async {
            let mut connection = self.connect().await;
            loop {
                let number: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
                    .fetch_one(&mut connection)
                    .await
                    .expect("answers");
                if number > 0 {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asking)
            .await
            .unwrap_or_else(|_| panic!("it never came to this: {sql}"));
    }
}

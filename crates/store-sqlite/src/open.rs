//! Opening the database file, and bringing its schema up to date.

use crate::readers::Readers;
use sqlx::{
    ConnectOptions, Row, SqlSafeStr, SqliteConnection,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The schema, in the order in which it grew. A released file is never changed.
const MIGRATIONS: &[(i64, &str, &str)] = &[(
    1,
    "first",
    include_str!("../../../migrations/sqlite/0001_first.sql"),
)];

/// What can be chosen about a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long an operation waits for another process that holds the database locked.
    pub busy_timeout: Duration,
    /// How many connections read at the same time; 2 to 4 are enough, since no read is long.
    pub readers: u32,
    /// Whether an older schema is brought up to date; if not, opening it is refused.
    pub migrate: bool,
    /// Whether the file is only looked at, beside whoever works on it: nothing is made, changed or
    /// brought up to date, and every write is refused.
    pub read_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(10),
            readers: 3,
            migrate: true,
            read_only: false,
        }
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// SQLite cannot use the file.
    #[error("the database {} cannot be opened: {source}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: sqlx::Error,
    },
    /// A later version of this program has changed the schema.
    #[error(
        "the database {} has schema {found}, and this version knows up to {known}; \
         run the version that wrote it, or a later one",
        path.display()
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest that this version knows.
        known: i64,
    },
    /// The schema is older, and it was not to be changed.
    #[error(
        "the database {} has schema {found}, and this version needs {known}; run `liaison migrate`",
        path.display()
    )]
    OlderSchema {
        /// The file.
        path: PathBuf,
        /// Its schema; 0 for a new file.
        found: i64,
        /// The one that is needed.
        known: i64,
    },
    /// The schema could not be brought up to date.
    #[error("the schema of the database {} cannot be brought up to date: {source}", path.display())]
    Migration {
        /// The file.
        path: PathBuf,
        /// Why.
        source: MigrateError,
    },
    /// SQLite would not promise durability.
    #[error(
        "the database {} does not promise durable commits: journal_mode is {journal_mode:?} and \
         synchronous is {synchronous}, where \"wal\" and 2 are needed; a file system that cannot \
         share memory between processes (a network share) does this",
        path.display()
    )]
    NotDurable {
        /// The file.
        path: PathBuf,
        /// What `PRAGMA journal_mode` says.
        journal_mode: String,
        /// What `PRAGMA synchronous` says.
        synchronous: i64,
    },
}

/// The connections of an open store.
pub(crate) struct Opened {
    pub(crate) writing: SqliteConnection,
    pub(crate) reading: Readers,
}

/// Opens the file, makes it if need be, and leaves it ready for use.
pub(crate) async fn open(path: &Path, options: &Options) -> Result<Opened, OpenError> {
    let unusable = |source| OpenError::Unusable {
        path: path.to_owned(),
        source,
    };
    let connecting = match options.read_only {
        false => for_writing(path, options),
        true => for_reading(path, options),
    };
    let mut writing = connecting.connect().await.map_err(unusable)?;
    if !options.read_only {
        check_durability(path, &mut writing).await?;
    }
    migrate(path, options, &mut writing).await?;
    let reading = Readers::open(options.readers.max(1), &for_reading(path, options))
        .await
        .map_err(unusable)?;
    Ok(Opened { writing, reading })
}

fn for_writing(path: &Path, options: &Options) -> SqliteConnectOptions {
    common(path, options)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // KiB. The pages that one busy minute touches fit; 100,000 waiting conversations do not,
        // and need not.
        .pragma("cache_size", "-8192")
        // Pages. Each checkpoint costs two flushes more, so one comes every 16 MB of log.
        .pragma("wal_autocheckpoint", "4000")
        // What a statement may have to undo is kept in memory and not in a file.
        .pragma("temp_store", "MEMORY")
        // Bytes. After a burst the log gives its room back.
        .pragma("journal_size_limit", "67108864")
}

fn for_reading(path: &Path, options: &Options) -> SqliteConnectOptions {
    common(path, options)
        .read_only(true)
        .pragma("cache_size", "-1024")
}

fn common(path: &Path, options: &Options) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(options.busy_timeout)
        // A statement may hold what people wrote, and is not news.
        .disable_statement_logging()
}

async fn check_durability(path: &Path, connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let unusable = |source| OpenError::Unusable {
        path: path.to_owned(),
        source,
    };
    let journal_mode: String = sqlx::query("PRAGMA journal_mode")
        .fetch_one(&mut *connection)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(unusable)?;
    let synchronous: i64 = sqlx::query("PRAGMA synchronous")
        .fetch_one(&mut *connection)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(unusable)?;
    // 2 is FULL: with it, a commit in the log is flushed before it is answered
    // (https://www.sqlite.org/pragma.html#pragma_synchronous).
    if journal_mode == "wal" && synchronous == 2 {
        Ok(())
    } else {
        Err(OpenError::NotDurable {
            path: path.to_owned(),
            journal_mode,
            synchronous,
        })
    }
}

async fn migrate(
    path: &Path,
    options: &Options,
    connection: &mut SqliteConnection,
) -> Result<(), OpenError> {
    let known = MIGRATIONS.last().map_or(0, |(version, ..)| *version);
    let found = schema(connection)
        .await
        .map_err(|source| OpenError::Unusable {
            path: path.to_owned(),
            source,
        })?;
    if found > known {
        return Err(OpenError::NewerSchema {
            path: path.to_owned(),
            found,
            known,
        });
    }
    if found < known && (options.read_only || !options.migrate) {
        return Err(OpenError::OlderSchema {
            path: path.to_owned(),
            found,
            known,
        });
    }
    if options.read_only {
        return Ok(());
    }
    migrator()
        .run_direct(None, connection, false)
        .await
        .map_err(|source| OpenError::Migration {
            path: path.to_owned(),
            source,
        })
}

/// The latest migration that the file has; 0 for a new one.
async fn schema(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let table = sqlx::query("SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations'")
        .fetch_optional(&mut *connection)
        .await?;
    if table.is_none() {
        return Ok(0);
    }
    sqlx::query("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await?
        .try_get(0)
}

fn migrator() -> Migrator {
    let migrations = MIGRATIONS
        .iter()
        .map(|(version, description, sql)| {
            Migration::new(
                *version,
                (*description).into(),
                MigrationType::Simple,
                sql.into_sql_str(),
                false,
            )
        })
        .collect();
    Migrator::with_migrations(migrations)
}

//! Opening the database, and bringing its schema up to date.

use crate::{connections::Connections, hints::Channel};
use sqlx::{
    ConnectOptions, Connection, PgConnection, Row, SqlSafeStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
    postgres::PgConnectOptions,
};
use std::time::Duration;
use tokio::time::timeout;

/// The schema, in the order in which it grew. A released file is never changed.
const MIGRATIONS: &[(i64, &str, &str)] = &[(
    1,
    "first",
    include_str!("../../../migrations/postgres/0001_first.sql"),
)];

/// The oldest server that is known to do: 13 has `gen_random_uuid` and everything else that the
/// statements here use.
const OLDEST_SERVER: i64 = 130_000;

/// What can be chosen about a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most connections at the same time.
    pub connections: u32,
    /// How long an operation waits for a connection, which includes that a server restarts.
    pub patience: Duration,
    /// Whether an older schema is brought up to date; if not, opening it is refused.
    pub migrate: bool,
    /// Whether the database is only looked at: nothing is changed or brought up to date, and every
    /// write is refused.
    pub read_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections: 16,
            patience: Duration::from_secs(10),
            migrate: true,
            read_only: false,
        }
    }
}

/// Why a store could not be opened. No text shows the password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address makes no sense.
    #[error("the address of the database cannot be read: {source}")]
    Address {
        /// Why not.
        source: sqlx::Error,
    },
    /// The server cannot be used.
    #[error("the database {database} cannot be used: {source}")]
    Unusable {
        /// Which.
        database: String,
        /// What the driver says.
        source: sqlx::Error,
    },
    /// The server did not answer.
    #[error("the database {database} did not answer within {} s", waited.as_secs())]
    Silent {
        /// Which.
        database: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The server is not one that this version can work with.
    #[error("the database {database} {what}")]
    Unfit {
        /// Which.
        database: String,
        /// What is wrong, and the remedy.
        what: String,
    },
    /// A later version of this program has changed the schema.
    #[error(
        "the database {database} has schema {found}, and this version knows up to {known}; \
         run the version that wrote it, or a later one"
    )]
    NewerSchema {
        /// Which.
        database: String,
        /// Its schema.
        found: i64,
        /// The latest that this version knows.
        known: i64,
    },
    /// The schema is older, and it was not to be changed.
    #[error(
        "the database {database} has schema {found}, and this version needs {known}; \
         run `liaison migrate`"
    )]
    OlderSchema {
        /// Which.
        database: String,
        /// Its schema; 0 for an empty database.
        found: i64,
        /// The one that is needed.
        known: i64,
    },
    /// The schema could not be brought up to date.
    #[error("the schema of the database {database} cannot be brought up to date: {source}")]
    Migration {
        /// Which.
        database: String,
        /// Why.
        source: MigrateError,
    },
}

/// An open database.
pub(crate) struct Opened {
    pub(crate) address: PgConnectOptions,
    pub(crate) connections: Connections,
    pub(crate) channel: Channel,
}

/// Opens the database at `url`, and leaves it ready for use.
pub(crate) async fn open(url: &str, options: &Options) -> Result<Opened, OpenError> {
    let address: PgConnectOptions = url
        .parse()
        .map_err(|source| OpenError::Address { source })?;
    // A statement may hold what people wrote, and is not news.
    let address = address.disable_statement_logging();
    let address = match address.get_application_name() {
        Some(_) => address,
        None => address.application_name("liaison"),
    };
    let database = named(&address);
    let unusable = |source| OpenError::Unusable {
        database: database.clone(),
        source,
    };
    // Not one of the lent ones: a migration may take longer than any of their limits.
    let mut connection = timeout(options.patience, address.connect())
        .await
        .map_err(|_late| OpenError::Silent {
            database: database.clone(),
            waited: options.patience,
        })?
        .map_err(unusable)?;
    let unfit = unfitness(&mut connection, options)
        .await
        .map_err(unusable)?;
    if let Some(what) = unfit {
        return Err(OpenError::Unfit { database, what });
    }
    migrate(&database, options, &mut connection).await?;
    let channel = channel(&mut connection).await.map_err(unusable)?;
    // Leaving without a word would do too.
    let _gone = connection.close().await;
    Ok(Opened {
        connections: Connections::new(
            address.clone(),
            options.connections,
            options.patience,
            options.read_only,
        ),
        address,
        channel,
    })
}

/// The database in errors: without user and password.
fn named(address: &PgConnectOptions) -> String {
    let database = address
        .get_database()
        .unwrap_or_else(|| address.get_username());
    match address.get_socket() {
        Some(socket) => format!("{database} at {}", socket.display()),
        None => format!(
            "{database} at {}:{}",
            address.get_host(),
            address.get_port()
        ),
    }
}

/// What makes the server unfit, if anything does.
async fn unfitness(
    connection: &mut PgConnection,
    options: &Options,
) -> Result<Option<String>, sqlx::Error> {
    // A server that speaks the protocol without being Postgres may not have every setting.
    let row = sqlx::query(
        "SELECT current_setting('server_version_num', TRUE)::bigint, \
         current_setting('server_encoding', TRUE), current_setting('fsync', TRUE), \
         current_setting('synchronous_commit', TRUE), \
         current_setting('transaction_read_only', TRUE), current_schema()::text",
    )
    .fetch_one(connection)
    .await?;
    let version: Option<i64> = row.try_get(0)?;
    let setting = |place: usize| row.try_get::<Option<String>, _>(place);
    if let Some(version) = version.filter(|version| *version < OLDEST_SERVER) {
        return Ok(Some(format!(
            "is of version {}, and 13 is needed; upgrade the server",
            version / 10_000
        )));
    }
    if setting(1)?.is_some_and(|encoding| encoding != "UTF8") {
        return Ok(Some(
            "is not encoded in UTF-8; make it anew with ENCODING 'UTF8' TEMPLATE template0".into(),
        ));
    }
    if setting(5)?.is_none() {
        return Ok(Some(
            "has none of the schemas in search_path; make the schema, or set search_path".into(),
        ));
    }
    if options.read_only {
        return Ok(None);
    }
    for (place, name) in [(2, "fsync"), (3, "synchronous_commit")] {
        if setting(place)?.is_some_and(|value| value == "off") {
            return Ok(Some(format!(
                "does not promise durable commits: {name} is off; set it to on"
            )));
        }
    }
    if setting(4)?.is_some_and(|value| value == "on") {
        return Ok(Some(
            "can only be read: it is a standby, or default_transaction_read_only is on; \
             give the address of the primary"
                .into(),
        ));
    }
    Ok(None)
}

/// Two replicas that start at the same time wait for each other here: the migrator holds an advisory
/// lock of the database, and each migration is a transaction.
async fn migrate(
    database: &str,
    options: &Options,
    connection: &mut PgConnection,
) -> Result<(), OpenError> {
    let database = || database.to_owned();
    let known = MIGRATIONS.last().map_or(0, |(version, ..)| *version);
    let found = schema(connection)
        .await
        .map_err(|source| OpenError::Unusable {
            database: database(),
            source,
        })?;
    if found > known {
        return Err(OpenError::NewerSchema {
            database: database(),
            found,
            known,
        });
    }
    if found < known && (options.read_only || !options.migrate) {
        return Err(OpenError::OlderSchema {
            database: database(),
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
            database: database(),
            source,
        })
}

/// The latest migration that the database has; 0 for an empty one.
async fn schema(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    let table: Option<String> = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text")
        .fetch_one(&mut *connection)
        .await?;
    if table.is_none() {
        return Ok(0);
    }
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await
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

async fn channel(connection: &mut PgConnection) -> Result<Channel, sqlx::Error> {
    let row = sqlx::query("SELECT md5(current_schema()::text), gen_random_uuid()::text")
        .fetch_one(connection)
        .await?;
    let schema: String = row.try_get(0)?;
    Ok(Channel {
        // A name of a channel has at most 63 bytes, and a schema's may have as many.
        name: format!("liaison_{schema}"),
        own: row.try_get(1)?,
    })
}

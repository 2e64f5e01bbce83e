//! Running a read: one statement, again when the connection was lost.

use crate::{
    connections::Connections,
    fault::{Remedy, fault, remedy},
    run::no_connection,
};
use liaison_ports::store::StoreError;
use sqlx::{
    Postgres,
    postgres::{PgArguments, PgRow},
    query::Query,
};
use std::time::Duration;
use tokio::time::timeout;

/// How often a read is tried: after a restart of the server, the second try has a new connection.
const MOST_TRIES: u32 = 3;

/// How long one try may take; the server gives up a statement sooner.
const LONGEST_TRY: Duration = Duration::from_secs(30);

/// A statement with its parameters.
pub(crate) type Statement = Query<'static, Postgres, PgArguments>;

impl Connections {
    /// The rows that a statement gives. A read that is dropped half-way takes its connection with
    /// it.
    pub(crate) async fn rows(
        &self,
        operation: &'static str,
        statement: impl Fn() -> Statement + Send + Sync,
    ) -> Result<Vec<PgRow>, StoreError> {
        let mut tries = 1;
        loop {
            let mut lent = self.lend().await.map_err(no_connection(operation))?;
            let rows = timeout(LONGEST_TRY, statement().fetch_all(lent.connection())).await;
            let error = match rows {
                Ok(Ok(rows)) => {
                    lent.give_back();
                    return Ok(rows);
                }
                Ok(Err(error)) => fault(operation)(error),
                Err(_late) => {
                    return Err(StoreError::Unavailable {
                        operation,
                        source: format!("no answer within {} s", LONGEST_TRY.as_secs()).into(),
                    });
                }
            };
            match remedy(&error) {
                Remedy::None => {
                    lent.give_back();
                    return Err(error);
                }
                Remedy::Again => lent.give_back(),
                Remedy::AnotherConnection => self.forget_idle(),
            }
            if tries == MOST_TRIES {
                return Err(error);
            }
            tries += 1;
        }
    }

    /// The first row that a statement gives, if it gives one.
    pub(crate) async fn row(
        &self,
        operation: &'static str,
        statement: impl Fn() -> Statement + Send + Sync,
    ) -> Result<Option<PgRow>, StoreError> {
        let rows = self.rows(operation, statement).await?;
        Ok(rows.into_iter().next())
    }
}

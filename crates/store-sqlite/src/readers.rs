//! The connections that read.
//!
//! A pool made for servers asks a connection whether it still lives each time it is given back, and
//! gives it back in a task of its own. A connection to a file in this process does not die, and its
//! statements run one after the other whoever went away meanwhile; so here it is only laid back.

use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::ops::{Deref, DerefMut};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, Semaphore, SemaphorePermit};

#[derive(Debug)]
pub(crate) struct Readers {
    /// Each is there until it is closed.
    connections: Vec<Mutex<Option<SqliteConnection>>>,
    /// One permit for each of them, so that whoever has one finds a connection unlocked.
    permits: Semaphore,
}

impl Readers {
    /// Opens `count` connections.
    pub(crate) async fn open(
        count: u32,
        options: &SqliteConnectOptions,
    ) -> Result<Self, sqlx::Error> {
        let mut connections = Vec::new();
        for _ in 0..count {
            connections.push(Mutex::new(Some(options.connect().await?)));
        }
        Ok(Self {
            permits: Semaphore::new(connections.len()),
            connections,
        })
    }

    /// A connection, once one is free; [`sqlx::Error::PoolClosed`] after [`Readers::close`].
    pub(crate) async fn one(&self) -> Result<Reader<'_>, sqlx::Error> {
        let permit = self.permits.acquire().await;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        self.connections
            .iter()
            .filter_map(|connection| connection.try_lock().ok())
            .find_map(|connection| MutexGuard::try_map(connection, Option::as_mut).ok())
            .map(|connection| Reader {
                connection,
                _permit: permit,
            })
            .ok_or(sqlx::Error::PoolClosed)
    }

    /// Closes the connections, each once nobody reads on it any more. Whoever asks later is refused.
    pub(crate) async fn close(&self) {
        self.permits.close();
        for connection in &self.connections {
            if let Some(connection) = connection.lock().await.take()
                && let Err(error) = connection.close().await
            {
                tracing::warn!(%error, "a reading connection could not be closed");
            }
        }
    }
}

/// A connection while somebody reads on it.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    connection: MappedMutexGuard<'a, SqliteConnection>,
    /// Let go last: after the connection is free.
    _permit: SemaphorePermit<'a>,
}

impl Deref for Reader<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn a_connection_is_lent_to_one_reader_at_a_time_and_to_none_after_closing() {
        let readers = Readers::open(2, &SqliteConnectOptions::new().in_memory(true))
            .await
            .expect("opens");
        let first = readers.one().await.expect("is free");
        let _second = readers.one().await.expect("is free");
        let mut third = Box::pin(readers.one());
        assert!((&mut third).now_or_never().is_none(), "both are lent");
        drop(first);
        let third = third.await.expect("is free again");
        let mut closing = Box::pin(readers.close());
        assert!((&mut closing).now_or_never().is_none(), "two still read");
        assert!(readers.one().await.is_err());
        drop((third, _second));
        closing.await;
        assert!(readers.one().await.is_err());
    }
}

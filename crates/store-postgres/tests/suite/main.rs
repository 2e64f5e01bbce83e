//! The shared store, from outside.
//!
//! LIAISON_TEST_POSTGRES_URL names a database whose user may make others; `deploy/test/postgres.sh`
//! starts a server with one. Without it, these tests say that they skip.

mod faults;
mod hints;
mod proxy;
mod restart;
mod schema;
mod server;
mod texts;
mod two;
mod unreadable;

use liaison_ports::conformance;
use server::database;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_postgres_store_conforms() {
    let Some(database) = database().await else {
        return;
    };
    let made = AtomicUsize::new(0);
    conformance::run_all(async || {
        let schema = format!("check_{}", made.fetch_add(1, Ordering::Relaxed));
        database.execute(format!("CREATE SCHEMA {schema}")).await;
        Arc::new(
            database
                .open_with(&format!("options=-c%20search_path={schema}"))
                .await,
        ) as _
    })
    .await;
}

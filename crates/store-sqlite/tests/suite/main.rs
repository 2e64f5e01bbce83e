//! The embedded store, from outside.

mod durability;
mod locks;
mod restart;
mod schema;
mod unreadable;

use liaison_ports::conformance;
use liaison_store_sqlite::{Options, SqliteStore};
use std::{path::Path, sync::Arc};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sqlite_store_conforms() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = std::sync::atomic::AtomicUsize::new(0);
    conformance::run_all(async || {
        let number = made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(open(&folder.path().join(format!("{number}.db"))).await) as _
    })
    .await;
}

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, Options::default())
        .await
        .expect("opens")
}

//! Who is told that something happened in this process. It is only ever a hint: the store is the
//! truth, and everybody who waits here also looks there now and then.

use liaison_core::id::NeedId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;

/// The meeting point. Clones share it.
#[derive(Clone, Default)]
pub struct Hub {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    work: Notify,
    outbox: Notify,
    needs: Mutex<HashMap<NeedId, Arc<Notify>>>,
}

impl Hub {
    /// An input was stored, or time has passed: a conversation may be due.
    pub fn work_arrived(&self) {
        self.shared.work.notify_one();
    }

    /// A message was decided, or time has passed: an outbox row may be due.
    pub fn outbox_filled(&self) {
        self.shared.outbox.notify_one();
    }

    /// Time has passed: both may be.
    pub fn tick(&self) {
        self.work_arrived();
        self.outbox_filled();
    }

    /// Something about a need changed: its outcome, or news of it.
    pub fn need_changed(&self, need: &NeedId) {
        let waiting = self.needs().get(need).cloned();
        if let Some(waiting) = waiting {
            waiting.notify_waiters();
        }
    }

    /// Watches a need. Ask for the watch first, then read the store, then wait: what happens in
    /// between is not missed.
    pub fn watch_need(&self, need: &NeedId) -> NeedWatch {
        let notify = self.needs().entry(need.clone()).or_default().clone();
        NeedWatch {
            need: need.clone(),
            notify,
            hub: self.clone(),
        }
    }

    pub(crate) async fn work(&self) {
        self.shared.work.notified().await;
    }

    pub(crate) async fn outbox(&self) {
        self.shared.outbox.notified().await;
    }

    fn needs(&self) -> std::sync::MutexGuard<'_, HashMap<NeedId, Arc<Notify>>> {
        // The map is whole between two statements, whoever panicked elsewhere.
        self.shared
            .needs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody's interest in a need; it ends when this is dropped.
pub struct NeedWatch {
    need: NeedId,
    notify: Arc<Notify>,
    hub: Hub,
}

impl NeedWatch {
    /// What completes at the next change after this call.
    pub fn changed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut notified = Box::pin(self.notify.clone().notified_owned());
        notified.as_mut().enable();
        notified
    }
}

impl Drop for NeedWatch {
    fn drop(&mut self) {
        let mut needs = self.hub.needs();
        // Two holders: the map and this watch.
        if Arc::strong_count(&self.notify) <= 2 {
            needs.remove(&self.need);
        }
    }
}

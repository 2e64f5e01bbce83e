//! A registered need.

use crate::{AmendBuilder, Client, ClientError, Outcome, client::Call};
use liaison_api::{Accepted, AmendNeed, DelegateDecision, EventList, NeedId, NeedView};
use reqwest::Method;
use std::time::Duration;

/// How long the daemon is asked to wait with its answer: long enough to ask rarely, short enough
/// for the proxies on the way.
const WAIT: Duration = Duration::from_secs(50);

/// The least pause between two long polls.
const BETWEEN_WAITS: Duration = Duration::from_millis(100);

/// A need that was registered.
#[derive(Clone, Debug)]
pub struct NeedHandle {
    client: Client,
    id: NeedId,
}

impl NeedHandle {
    pub(crate) fn new(client: Client, id: NeedId) -> Self {
        Self { client, id }
    }

    /// Its id; keep it to [`Client::attach`] after a restart of the workflow.
    pub fn id(&self) -> &NeedId {
        &self.id
    }

    /// The need as it is now.
    pub async fn view(&self) -> Result<NeedView, ClientError> {
        let call = Call::new("read a need", Method::GET, self.path());
        self.client.repeatable(&call).await
    }

    /// Says whether somebody whom the person named (the event `delegate_named`) may be written to
    /// instead of them; without an address and a name of one's own, at the ones that they gave.
    pub async fn decide_delegate(
        &self,
        decision: &DelegateDecision,
    ) -> Result<Accepted, ClientError> {
        let body = serde_json::to_string(decision)
            .expect("a decision is texts and flags, all of which JSON has");
        let path = format!("{}/delegate", self.path());
        let call = Call::new("decide on a delegate", Method::POST, path).body(body);
        self.client
            .once(&call)
            .await
            .map_err(|failure| failure.error)
    }

    /// Waits for the outcome, for as long as it takes. Every need has one: its deadline sees to
    /// that. A daemon that is away or in trouble is waited for too, with growing pauses and without
    /// end; only what no waiting mends (a wrong key, an unknown need) is an error.
    ///
    /// Dropping the future stops the waiting and nothing else.
    pub async fn outcome(&self) -> Result<Outcome, ClientError> {
        let path = format!("{}?wait={}s", self.path(), WAIT.as_secs());
        let call = Call::new("wait for an outcome", Method::GET, path).waiting(WAIT);
        let mut failures = 0;
        loop {
            match self.client.once::<NeedView>(&call).await {
                Ok(view) => {
                    failures = 0;
                    if let Some(outcome) = view.outcome {
                        return Ok(Outcome::new(self.id.clone(), outcome));
                    }
                    // A daemon that is about to end answers early; the pause keeps that, and any
                    // server that does not wait, from becoming a busy loop.
                    tokio::time::sleep(BETWEEN_WAITS).await;
                }
                Err(failure) if failure.error.is_transient() => {
                    failures += 1;
                    self.client
                        .pause(failures, &failure, self.id.as_str())
                        .await;
                }
                Err(failure) => return Err(failure.error),
            }
        }
    }

    /// Waits for the outcome, and gives up with [`ClientError::StillOpen`] after `within`.
    pub async fn outcome_within(&self, within: Duration) -> Result<Outcome, ClientError> {
        match tokio::time::timeout(within, self.outcome()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ClientError::StillOpen {
                need: self.id.clone(),
                after: within,
            }),
        }
    }

    /// Takes the need back. If it has not ended by then, its outcome will be `cancelled`; whatever
    /// it becomes, [`NeedHandle::outcome`] gives it.
    pub async fn cancel(&self) -> Result<NeedView, ClientError> {
        let call = Call::new("cancel a need", Method::DELETE, self.path());
        self.client.repeatable(&call).await
    }

    /// Begins a change to the need; it may be held or asked by then, but not ended.
    pub fn amend(&self) -> AmendBuilder {
        AmendBuilder::new(self.clone())
    }

    /// Sends an amendment that was described elsewhere; [`NeedHandle::amend`] builds one.
    pub async fn amended(
        &self,
        amendment: &AmendNeed,
        idempotency_key: Option<String>,
    ) -> Result<NeedView, ClientError> {
        let body = serde_json::to_string(amendment)
            .expect("an amendment is texts, numbers and lists, all of which JSON has");
        let call = Call::new("amend a need", Method::PATCH, self.path())
            .body(body)
            .idempotency_key(idempotency_key);
        self.client.send(&call).await
    }

    /// Says that somebody still waits. Reading the need says so too, if not as promptly; this
    /// answers a `still_waiting` event at once.
    pub async fn still_waiting(&self) -> Result<NeedView, ClientError> {
        let path = format!("{}/still-waiting", self.path());
        let call = Call::new("say that a need is waited for", Method::POST, path);
        self.client.repeatable(&call).await
    }

    /// News of the need after the event with place `after` (0 for all), oldest first: late answers,
    /// and whether it is still waited for.
    pub async fn events(&self, after: i64) -> Result<EventList, ClientError> {
        let path = format!("{}/events?after={after}", self.path());
        let call = Call::new("read a need's events", Method::GET, path);
        self.client.repeatable(&call).await
    }

    fn path(&self) -> String {
        format!("/v1/needs/{}", self.id)
    }
}

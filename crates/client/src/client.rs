//! The connection to a daemon, and how a call is made.

use crate::{
    Backoff, ClientError, NeedBuilder, NeedHandle, operator::Commands, operator::ConversationPage,
    tls,
};
use liaison_api::{
    AssignUnmatched, ConversationAnswer, ConversationId, ConversationList, ConversationView,
    Explanation, JournalView, MessageId, NeedId, NeedList, OutboxView, PlanAhead, Problem,
    TakenView, TranscriptView, UnmatchedView,
};
use reqwest::{
    Method, StatusCode, Url,
    header::{self, HeaderMap, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use std::{sync::Arc, time::Duration};

/// How long a daemon may take to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// How long a call may take that does not wait for anything.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The largest answer that is read: a page of the journal with long messages stays well below.
const MOST_ANSWER: usize = 64 << 20;

/// Tries of a call that may be repeated, unless said otherwise: with the default pauses they span
/// some four to eight seconds, about a restart of the daemon.
const TRIES: u32 = 6;

/// A connection to a daemon. Cloning is cheap and shares the connections.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Arc<str>,
    tries: u32,
    backoff: Backoff,
}

impl Client {
    /// A client of the daemon at `base_url` (`https://liaison.example.com`), with an API key that
    /// `liaison key create` made. Nothing is sent yet.
    pub fn new(base_url: &str, key: impl Into<SecretString>) -> Result<Self, ClientError> {
        let url = Url::parse(base_url.trim())
            .map_err(|fault| ClientError::Setup(format!("the base URL is not a URL: {fault}")))?;
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(setup("the base URL begins with http:// or https://")),
        };
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
            return Err(setup("the base URL has no query, fragment or user"));
        }
        let key: SecretString = key.into();
        let mut authorization =
            HeaderValue::from_str(&format!("Bearer {}", key.expose_secret()))
                .map_err(|_| setup("the API key holds characters that no key has"))?;
        authorization.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, authorization);

        let mut http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(https)?)
            .default_headers(headers)
            .connect_timeout(CONNECT_WITHIN)
            .timeout(ANSWER_WITHIN)
            // The API does not redirect, and the key goes to nobody else.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("liaison-client/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&url) {
            // No proxy of the environment leads to this machine.
            http = http.no_proxy();
        }
        Ok(Self {
            http: http
                .build()
                .map_err(|error| ClientError::Setup(error.to_string()))?,
            base: url.as_str().trim_end_matches('/').into(),
            tries: TRIES,
            backoff: Backoff::default(),
        })
    }

    /// How often a call that may be repeated is tried, at least once. Waiting for an outcome does
    /// not count tries.
    #[must_use]
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries.max(1);
        self
    }

    /// How long to pause between tries.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Begins a need; `goal` says what it is for, as the stakeholder may read it.
    pub fn need(&self, goal: impl Into<String>) -> NeedBuilder {
        NeedBuilder::new(self.clone(), goal.into())
    }

    /// A need that was registered before, by its id. Nothing is asked yet.
    pub fn attach(&self, need: NeedId) -> NeedHandle {
        NeedHandle::new(self.clone(), need)
    }

    /// The latest needs of the tenant, newest first, older than `before`; at most `limit`, which is
    /// at most 200.
    pub async fn needs(
        &self,
        before: Option<&NeedId>,
        limit: u32,
    ) -> Result<NeedList, ClientError> {
        let before = before.map_or_else(String::new, |id| format!("&before={id}"));
        self.get("list needs", &format!("/v1/needs?limit={limit}{before}"))
            .await
    }

    /// The tenant's conversations, the latest activity first. Needs an operator's key, as does all
    /// that follows.
    pub async fn conversations(
        &self,
        page: ConversationPage,
    ) -> Result<ConversationList, ClientError> {
        let path = format!(
            "/v1/conversations?held={}&limit={}&offset={}",
            page.held, page.limit, page.offset
        );
        self.get("list conversations", &path).await
    }

    /// A conversation.
    pub async fn conversation(&self, id: &ConversationId) -> Result<ConversationView, ClientError> {
        self.get("show a conversation", &conversation_path(id, ""))
            .await
    }

    /// A conversation, or what is known of it when its document cannot be read.
    pub async fn look(&self, id: &ConversationId) -> Result<ConversationAnswer, ClientError> {
        self.get("show a conversation", &conversation_path(id, ""))
            .await
    }

    /// What happens next in a conversation, with every rule and why it did or did not match.
    pub async fn explain(&self, id: &ConversationId) -> Result<Explanation, ClientError> {
        self.get("explain a conversation", &conversation_path(id, "/explain"))
            .await
    }

    /// What will be sent in the next fourteen days if nobody writes, why not sooner, and what
    /// lasting silence leads to.
    pub async fn plan(&self, id: &ConversationId) -> Result<PlanAhead, ClientError> {
        self.get("plan a conversation", &conversation_path(id, "/plan"))
            .await
    }

    /// What was said: at most `limit` of the latest, oldest first; `limit` is at most 200.
    pub async fn transcript(
        &self,
        id: &ConversationId,
        limit: u32,
    ) -> Result<TranscriptView, ClientError> {
        let path = conversation_path(id, &format!("/transcript?limit={limit}"));
        self.get("read a transcript", &path).await
    }

    /// A conversation's operations from revision `from`, oldest first, a page at a time.
    pub async fn journal(
        &self,
        id: &ConversationId,
        from: u64,
    ) -> Result<JournalView, ClientError> {
        let path = conversation_path(id, &format!("/journal?from={from}"));
        self.get("read a journal", &path).await
    }

    /// The commands that an operator has for a conversation.
    pub fn commands(&self, id: ConversationId) -> Commands {
        Commands::new(self.clone(), id)
    }

    /// The latest messages that belong to no conversation, newest first.
    pub async fn unmatched(&self) -> Result<UnmatchedView, ClientError> {
        self.get("list unmatched messages", "/v1/unmatched?limit=200")
            .await
    }

    /// Puts a message that belongs to no conversation into one.
    pub async fn assign(
        &self,
        message: &MessageId,
        assignment: &AssignUnmatched,
    ) -> Result<TakenView, ClientError> {
        let body = serde_json::to_string(assignment)
            .expect("an assignment is texts and a flag, all of which JSON has");
        let path = format!("/v1/unmatched/{message}/assign");
        let call = Call::new("assign a message", Method::POST, path).body(body);
        self.once(&call).await.map_err(|failure| failure.error)
    }

    /// The messages that are not sent, oldest first.
    pub async fn outbox(&self) -> Result<OutboxView, ClientError> {
        self.get("list the outbox", "/v1/outbox?limit=200").await
    }

    async fn get<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        path: &str,
    ) -> Result<T, ClientError> {
        self.repeatable(&Call::new(operation, Method::GET, path))
            .await
    }

    /// Makes a call that may be repeated, until it succeeds or the tries are used up.
    pub(crate) async fn repeatable<T: DeserializeOwned>(
        &self,
        call: &Call,
    ) -> Result<T, ClientError> {
        let mut failures = 0;
        loop {
            let failure = match self.once(call).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            failures += 1;
            if failures >= self.tries || !failure.error.is_transient() {
                return Err(failure.error);
            }
            self.pause(failures, &failure, &call.path).await;
        }
    }

    /// Makes a call that changes something: with an idempotency key until it succeeds or the tries
    /// are used up; without one, what became of a try that failed is not known, so there is no other.
    pub(crate) async fn send<T: DeserializeOwned>(&self, call: &Call) -> Result<T, ClientError> {
        match call.idempotency_key {
            Some(_) => self.repeatable(call).await,
            None => self.once(call).await.map_err(|failure| failure.error),
        }
    }

    pub(crate) async fn pause(&self, failures: u32, failure: &Failure, who: &str) {
        tokio::time::sleep(self.backoff.pause(failures, failure.retry_after, who)).await;
    }

    /// Makes a call once.
    pub(crate) async fn once<T: DeserializeOwned>(&self, call: &Call) -> Result<T, Failure> {
        let operation = call.operation;
        let mut request = self
            .http
            .request(call.method.clone(), format!("{}{}", self.base, call.path));
        if let Some(timeout) = call.timeout {
            request = request.timeout(timeout);
        }
        if let Some(key) = &call.idempotency_key {
            request = request.header(liaison_api::IDEMPOTENCY_KEY, key.as_str());
        }
        if let Some(body) = &call.body {
            request = request
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.clone());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_builder() => {
                return Err(setup(&format!("{operation}: {}", error.without_url())).into());
            }
            Err(error) => return Err(unreachable(operation, error)),
        };
        let status = response.status();
        let retry_after = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.parse().ok())
            .map(Duration::from_secs);
        let bytes = body(response, operation).await?;
        if status.is_success() {
            return serde_json::from_slice(&bytes).map_err(|error| {
                ClientError::Malformed {
                    operation,
                    what: error.to_string(),
                }
                .into()
            });
        }
        let problem = Box::new(problem(status, &bytes));
        let passing = status.is_server_error()
            || status == StatusCode::TOO_MANY_REQUESTS
            || status == StatusCode::REQUEST_TIMEOUT;
        Err(Failure {
            error: if passing {
                ClientError::Trouble { operation, problem }
            } else {
                ClientError::Refused { operation, problem }
            },
            retry_after,
        })
    }
}

/// A call to be made.
pub(crate) struct Call {
    operation: &'static str,
    method: Method,
    path: String,
    body: Option<String>,
    idempotency_key: Option<String>,
    timeout: Option<Duration>,
}

impl Call {
    pub(crate) fn new(operation: &'static str, method: Method, path: impl Into<String>) -> Self {
        Self {
            operation,
            method,
            path: path.into(),
            body: None,
            idempotency_key: None,
            timeout: None,
        }
    }

    pub(crate) fn body(mut self, body: String) -> Self {
        self.body = Some(body);
        self
    }

    pub(crate) fn idempotency_key(mut self, key: Option<String>) -> Self {
        self.idempotency_key = key;
        self
    }

    /// How long the server is asked to wait before it answers.
    pub(crate) fn waiting(mut self, wait: Duration) -> Self {
        self.timeout = Some(wait + ANSWER_WITHIN);
        self
    }
}

/// A try that failed, and how long the server asked to be left alone.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: ClientError,
    retry_after: Option<Duration>,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self {
            error,
            retry_after: None,
        }
    }
}

pub(crate) fn conversation_path(id: &ConversationId, rest: &str) -> String {
    format!("/v1/conversations/{id}{rest}")
}

async fn body(
    mut response: reqwest::Response,
    operation: &'static str,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() <= MOST_ANSWER => {
                bytes.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                let what = format!("it is longer than {MOST_ANSWER} bytes");
                return Err(ClientError::Malformed { operation, what }.into());
            }
            Ok(None) => return Ok(bytes),
            Err(error) => return Err(unreachable(operation, error)),
        }
    }
}

/// The problem document; one made of the status where a proxy answered in the daemon's place.
fn problem(status: StatusCode, bytes: &[u8]) -> Problem {
    serde_json::from_slice(bytes).unwrap_or_else(|_| Problem {
        kind: "about:blank".to_owned(),
        title: status.canonical_reason().unwrap_or("An error").to_owned(),
        status: status.as_u16(),
        detail: "The answer is no problem document; something between here and the daemon may \
                 have given it."
            .to_owned(),
        errors: Vec::new(),
    })
}

fn unreachable(operation: &'static str, error: reqwest::Error) -> Failure {
    ClientError::Unreachable {
        operation,
        source: Box::new(error.without_url()),
    }
    .into()
}

fn setup(what: &str) -> ClientError {
    ClientError::Setup(what.to_owned())
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    })
}

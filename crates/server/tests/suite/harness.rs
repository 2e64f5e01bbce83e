//! A server to ask, and what it stands on.

use crate::{engine, failing::FailingStore};
use async_trait::async_trait;
use axum::{Router, body::Body};
use http::{HeaderMap, Method, Request, StatusCode, header};
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, Entropy, NeedId, TenantId},
    policy::Policy,
    stakeholder::{Channel, EmailAddress},
};
use liaison_ports::{
    clock::Clock,
    fake::{SeededEntropy, VirtualClock},
    inbound::{
        Assignment, InboundKind, InboundMessage, Intake, IntakeFault, MailDecoder, Taken,
        Undecodable,
    },
    store::{Scope, Store},
};
use liaison_server::{AppState, Changes, Limits, Readiness, Stage, mint_key, router};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::Notify;
use tower::ServiceExt;

/// When the tests begin: a Monday morning.
pub(crate) const START: &str = "2026-07-06T09:00:00Z";

/// The stakeholder's address. No error may repeat it.
pub(crate) const ADDRESS: &str = "canary.landlord@example.com";

/// The mailbox that the daemon writes from.
pub(crate) const MAILBOX: &str = "office@agency.example";

pub(crate) struct Server {
    pub(crate) router: Router,
    pub(crate) store: Arc<FailingStore>,
    pub(crate) clock: Arc<VirtualClock>,
    pub(crate) intake: Arc<FakeIntake>,
    pub(crate) changes: Arc<FakeChanges>,
    pub(crate) readiness: Readiness,
    /// Keys of one tenant.
    pub(crate) caller: String,
    pub(crate) operator: String,
    pub(crate) inbound: String,
    /// An operator's key of another tenant.
    pub(crate) foreign: String,
}

impl Server {
    pub(crate) async fn new() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        let store = Arc::new(FailingStore::default());
        let clock = Arc::new(VirtualClock::new(START.parse().expect("an instant")));
        let intake = Arc::new(FakeIntake::default());
        let changes = Arc::new(FakeChanges::default());
        let readiness = Readiness::new(Stage::Serving);
        let state = AppState {
            store: store.clone(),
            clock: clock.clone(),
            entropy: Arc::new(SeededEntropy::new(1)),
            intake: intake.clone(),
            decoder: Arc::new(FakeDecoder),
            changes: changes.clone(),
            policies: Arc::new(|_| Policy {
                mailboxes: vec![EmailAddress::parse(MAILBOX).expect("an address")],
                ..Policy::default()
            }),
            limits,
            readiness: readiness.clone(),
        };
        let mut server = Self {
            router: router(state),
            store,
            clock,
            intake,
            changes,
            readiness,
            caller: String::new(),
            operator: String::new(),
            inbound: String::new(),
            foreign: String::new(),
        };
        server.caller = server.key(1, "acme", Scope::Caller).await;
        server.operator = server.key(2, "acme", Scope::Operator).await;
        server.inbound = server.key(3, "acme", Scope::Inbound).await;
        server.foreign = server.key(4, "rival", Scope::Operator).await;
        server
    }

    /// Makes and stores a key.
    pub(crate) async fn key(&self, seed: u8, tenant: &str, scope: Scope) -> String {
        let (secret, row) = mint_key(
            Entropy([seed; 16]),
            TenantId::new(tenant),
            format!("{scope:?}").to_lowercase(),
            scope,
            self.clock.now(),
        );
        self.store.add_key(row).await.expect("stores the key");
        secret
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("a router does not fail");
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, 64 << 20).await.expect("a body");
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(body.to_vec()).expect("UTF-8"),
        }
    }

    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        key: &str,
        body: Option<&Value>,
    ) -> Answer {
        self.send(request(method, path, key, body)).await
    }

    pub(crate) async fn get(&self, path: &str, key: &str) -> Answer {
        self.call(Method::GET, path, key, None).await
    }

    pub(crate) async fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.call(Method::POST, path, key, Some(body)).await
    }

    /// Registers the need that every test can use; gives its id and its conversation.
    pub(crate) async fn registered(&self) -> (String, String) {
        let answer = self.post("/v1/needs", &self.caller, &inspection()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text);
        let view = answer.json();
        (text(&view["id"]), text(&view["conversation"]))
    }

    /// Lets the engine work.
    pub(crate) async fn work(&self) {
        engine::run(&*self.store, self.clock.now()).await;
    }
}

/// A conversation about the need of the README, which has been applied.
pub(crate) struct Talk {
    pub(crate) server: Server,
    pub(crate) need: String,
    pub(crate) conversation: String,
}

impl Talk {
    pub(crate) async fn new() -> Self {
        let server = Server::new().await;
        let (need, conversation) = server.registered().await;
        server.work().await;
        Self {
            server,
            need,
            conversation,
        }
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v1/conversations/{}{rest}", self.conversation)
    }

    pub(crate) fn need_path(&self, rest: &str) -> String {
        format!("/v1/needs/{}{rest}", self.need)
    }

    /// The conversation as an operator sees it.
    pub(crate) async fn view(&self) -> Value {
        let answer = self.server.get(&self.path(""), &self.server.operator).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        answer.json()
    }

    /// Gives an operator's command.
    pub(crate) async fn command(&self, name: &str, body: Value) -> Answer {
        let path = self.path(&format!("/{name}"));
        self.server.post(&path, &self.server.operator, &body).await
    }

    /// Gives a command that is taken, and lets the engine carry it out.
    pub(crate) async fn done(&self, name: &str, body: Value) {
        let told = self.server.changes.inputs();
        let answer = self.command(name, body).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        assert_eq!(answer.json(), json!({"repeated": false}));
        assert_eq!(self.server.changes.inputs(), told + 1);
        self.server.work().await;
    }
}

/// The need of the README.
pub(crate) fn inspection() -> Value {
    json!({
        "stakeholder": {"email": ADDRESS, "name": "Ana", "zone": "Europe/Paris"},
        "goal": "Decide who will arrange the inspection",
        "slots": [{
            "name": "arranged_by",
            "kind": "choice",
            "question": "Would you prefer to arrange it yourself, or have us arrange it for you?",
            "options": [
                {"value": "landlord", "label": "arrange it yourself"},
                {"value": "agency", "label": "have us arrange it for you"}
            ]
        }],
        "deadline": "15d"
    })
}

pub(crate) fn request(
    method: Method,
    path: &str,
    key: &str,
    body: Option<&Value>,
) -> Request<Body> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, format!("Bearer {key}"));
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    request.body(body).expect("a request")
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// What a request got.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The problem document, after checking that it is one and agrees with the status.
    pub(crate) fn problem(&self) -> liaison_api::Problem {
        assert_eq!(
            self.headers.get(header::CONTENT_TYPE).map(|v| v.as_bytes()),
            Some(liaison_api::PROBLEM_JSON.as_bytes()),
            "{self:?}"
        );
        let problem: liaison_api::Problem = serde_json::from_str(&self.text).expect("a problem");
        assert_eq!(problem.status, self.status.as_u16());
        assert!(problem.kind.starts_with(liaison_api::Problem::PREFIX));
        problem
    }

    /// The fields that the problem names.
    pub(crate) fn fields(&self) -> Vec<String> {
        assert_eq!(self.status, StatusCode::UNPROCESSABLE_ENTITY, "{self:?}");
        self.problem().errors.into_iter().map(|e| e.field).collect()
    }

    pub(crate) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Counts what it is told, and tells what it is told to tell.
#[derive(Default)]
pub(crate) struct FakeChanges {
    inputs: AtomicUsize,
    pub(crate) waiters: AtomicUsize,
    pub(crate) notify: Notify,
}

impl FakeChanges {
    pub(crate) fn inputs(&self) -> usize {
        self.inputs.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Changes for FakeChanges {
    async fn changed(&self, _need: &NeedId, _until: Timestamp) {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        self.notify.notified().await;
    }

    fn inputs_arrived(&self) {
        self.inputs.fetch_add(1, Ordering::SeqCst);
    }
}

/// A decoder of messages that say themselves what becomes of them.
struct FakeDecoder;

impl MailDecoder for FakeDecoder {
    fn decode(
        &self,
        tenant: &TenantId,
        raw: &[u8],
        received_at: Timestamp,
    ) -> Result<InboundMessage, Undecodable> {
        let text = String::from_utf8_lossy(raw).into_owned();
        if text.starts_with("PANIC") {
            panic!("a message that no decoder has seen before");
        }
        if text.starts_with("GARBAGE") {
            return Err(Undecodable("no header".to_owned()));
        }
        Ok(InboundMessage {
            tenant: tenant.clone(),
            channel: Channel::Email,
            received_at,
            written_at: None,
            from: None,
            from_text: String::new(),
            tokens: Vec::new(),
            references: Vec::new(),
            transport_id: None,
            subject: String::new(),
            dedupe_key: text.clone(),
            text,
            attachments: Vec::new(),
            kind: InboundKind::Person,
            raw: raw.to_vec(),
        })
    }
}

/// Takes messages, and remembers them.
#[derive(Default)]
pub(crate) struct FakeIntake {
    pub(crate) taken: Mutex<Vec<InboundMessage>>,
    pub(crate) undecodable: Mutex<Vec<(String, usize)>>,
    pub(crate) assigned: Mutex<Vec<(String, Assignment)>>,
    pub(crate) broken: Mutex<bool>,
    seen: Mutex<HashSet<String>>,
}

impl FakeIntake {
    fn check(&self) -> Result<(), IntakeFault> {
        if *self.broken.lock().expect("no test panics here") {
            return Err(IntakeFault(liaison_ports::store::StoreError::Unavailable {
                operation: "receive",
                source: "the disk is gone".into(),
            }));
        }
        Ok(())
    }
}

#[async_trait]
impl Intake for FakeIntake {
    async fn take(&self, message: InboundMessage) -> Result<Taken, IntakeFault> {
        self.check()?;
        let new = self
            .seen
            .lock()
            .expect("no test panics here")
            .insert(message.dedupe_key.clone());
        let taken = match &message.text {
            _ if !new => Taken::Duplicate,
            text if text.starts_with("FOR US") => Taken::Matched(ConversationId::new("c")),
            _ => Taken::Unmatched,
        };
        self.taken
            .lock()
            .expect("no test panics here")
            .push(message);
        Ok(taken)
    }

    async fn assign(
        &self,
        message: InboundMessage,
        assignment: Assignment,
    ) -> Result<Taken, IntakeFault> {
        self.check()?;
        self.assigned
            .lock()
            .expect("no test panics here")
            .push((message.text.clone(), assignment.clone()));
        Ok(match message.text.as_str() {
            text if text.starts_with("NOTHING") => Taken::Unmatched,
            _ => Taken::Matched(assignment.conversation),
        })
    }

    async fn file_undecodable(
        &self,
        _tenant: &TenantId,
        raw: &[u8],
        why: &str,
        _received_at: Timestamp,
    ) -> Result<Taken, IntakeFault> {
        self.check()?;
        self.undecodable
            .lock()
            .expect("no test panics here")
            .push((why.to_owned(), raw.len()));
        Ok(Taken::Unmatched)
    }
}

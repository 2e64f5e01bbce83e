//! The engine and the API with everything around them, and what steps do to them.

use super::{
    Cast, PlayFault,
    outside::{Moody, NoRawMail, Untold},
};
use crate::scenario::{CallerAct, Delivery, Mail, Scenario, Step};
use axum::{Router, body::Body};
use http::{Method, Request, header};
use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, Entropy, TenantId},
    policy::Policy,
    stakeholder::{Channel, EmailAddress},
};
use liaison_engine::{Engine, Limits, Parts};
use liaison_ports::{
    clock::Clock,
    fake::{RecordingTransport, Scripted, SeededEntropy, VirtualClock},
    inbound::{InboundFile, InboundKind, InboundMessage, Intake, Taken},
    store::{
        ConversationFilter, ConversationRow, Direction, JournalPage, Scope, Store, StoreError,
        Unmatched,
    },
    transport::{Delivery as Handover, Transport},
};
use liaison_server::{AppState, Readiness, Stage, mint_key, router};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};
use tower::ServiceExt;

/// The largest answer of the API that is looked at.
const MOST_BYTES: usize = 16 << 20;

pub(super) struct Office {
    pub(super) engine: Engine,
    store: Arc<dyn Store>,
    clock: Arc<VirtualClock>,
    transport: Arc<RecordingTransport>,
    reader: Arc<Moody>,
    policy: Arc<Mutex<Policy>>,
    router: Router,
    key: String,
    /// The needs that were registered: the file's name, the API's id.
    needs: BTreeMap<String, String>,
    /// The conversations in the order in which they began, each with the file's name of its person.
    conversations: Vec<(ConversationId, String)>,
    /// Mail that came while the daemon did not run.
    waiting: Vec<(Mail, Timestamp)>,
    letters: u32,
}

/// What a registration was answered.
pub(crate) struct RegisteredNeed {
    pub(crate) id: String,
    pub(crate) conversation: ConversationId,
}

fn tenant() -> TenantId {
    TenantId::new("simulation")
}

impl Office {
    pub(super) async fn open(scenario: &Scenario, cast: Cast) -> Result<Self, StoreError> {
        let clock = Arc::new(VirtualClock::new(scenario.starts));
        let entropy = Arc::new(SeededEntropy::new(scenario.seed));
        let policy = Arc::new(Mutex::new(scenario.policy.clone()));
        let present = policy.clone();
        let from = EmailAddress::parse("office@liaison.example").expect("this is an address");
        let writes_from = from.clone();
        let policies: liaison_server::Policies = Arc::new(move |_| {
            let present = present.lock().unwrap_or_else(PoisonError::into_inner);
            Policy {
                mailboxes: vec![writes_from.clone()],
                ..present.clone()
            }
        });
        let transport = Arc::new(RecordingTransport::new(from));
        let carrier: Arc<dyn Transport> = transport.clone();
        let reader = Arc::new(Moody {
            reader: cast.reader,
            failures: 0.into(),
        });
        let engine = Engine::new(
            Parts {
                store: cast.store.clone(),
                clock: clock.clone(),
                entropy: entropy.clone(),
                reader: reader.clone(),
                writer: cast.writer,
                transports: HashMap::from([((tenant(), Channel::Email), carrier)]),
                policies: policies.clone(),
            },
            Limits::new("simulation"),
        );
        let (key, row) = mint_key(
            Entropy([0; 16]),
            tenant(),
            "simulation",
            Scope::Operator,
            scenario.starts,
        );
        cast.store.add_key(row).await?;
        let router = router(AppState {
            store: cast.store.clone(),
            clock: clock.clone(),
            entropy,
            intake: Arc::new(engine.intake()),
            decoder: Arc::new(NoRawMail),
            changes: Arc::new(Untold),
            policies,
            limits: liaison_server::Limits::default(),
            readiness: Readiness::new(Stage::Serving),
        });
        Ok(Self {
            engine,
            store: cast.store,
            clock,
            transport,
            reader,
            policy,
            router,
            key,
            needs: BTreeMap::new(),
            conversations: Vec::new(),
            waiting: Vec::new(),
            letters: 0,
        })
    }

    // Time.

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn clock_to(&self, at: Timestamp) {
        self.clock.set(at);
    }

    /// When something is due next by itself.
    pub(super) async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let filter = ConversationFilter {
            limit: u32::MAX,
            ..ConversationFilter::default()
        };
        let conversations = self.store.conversations(&tenant(), filter).await?;
        let wakes = conversations
            .iter()
            .filter(|summary| !summary.quarantined)
            .filter_map(|summary| summary.wake_at);
        let outbox = self.store.outbox_next().await?;
        let now = self.now();
        // What is due now was worked off; a row that has to wait for something else stays behind.
        Ok(wakes.chain(outbox).filter(|at| *at > now).min())
    }

    // What workflows and operators do, through the API.

    pub(super) async fn register(
        &mut self,
        step: &Step,
        name: &str,
        scenario: &Scenario,
    ) -> Result<RegisteredNeed, PlayFault> {
        let need = scenario.needs.get(name).ok_or_else(|| PlayFault::Step {
            line: step.line,
            detail: format!("there is no need {name:?}"),
        })?;
        let answer = self
            .call(step, Method::POST, "/v1/needs", Some(&need.body))
            .await?;
        let text = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
        let conversation = ConversationId::new(text("conversation"));
        if !self.conversations.iter().any(|(id, _)| *id == conversation) {
            self.conversations
                .push((conversation.clone(), need.person.clone()));
        }
        self.needs.insert(name.to_owned(), text("id"));
        Ok(RegisteredNeed {
            id: text("id"),
            conversation,
        })
    }

    pub(super) async fn caller(
        &self,
        step: &Step,
        need: &str,
        does: &CallerAct,
    ) -> Result<(), PlayFault> {
        let id = self.needs.get(need).ok_or_else(|| PlayFault::Step {
            line: step.line,
            detail: format!("the need {need:?} is not registered yet"),
        })?;
        let path = format!("/v1/needs/{id}");
        match does {
            CallerAct::Cancels => self.call(step, Method::DELETE, &path, None).await?,
            CallerAct::AsksAfter => self.call(step, Method::GET, &path, None).await?,
            CallerAct::Amends(with) => self.call(step, Method::PATCH, &path, Some(with)).await?,
            CallerAct::StillWaits => {
                let path = format!("{path}/still-waiting");
                self.call(step, Method::POST, &path, None).await?
            }
        };
        Ok(())
    }

    pub(super) async fn command(
        &self,
        step: &Step,
        by: &str,
        does: &str,
        about: &str,
        with: &Value,
    ) -> Result<(), PlayFault> {
        let id = self.conversation_of(step, about)?;
        let mut body = with.clone();
        if let Value::Object(body) = &mut body {
            body.insert("by".to_owned(), by.into());
            // A need is meant by the name that the file gives it.
            if let Some(need) = body.get_mut("need")
                && let Some(id) = need.as_str().and_then(|name| self.needs.get(name))
            {
                *need = id.as_str().into();
            }
            // The one message whose fate is unknown is easier to mean than its id.
            if does == "resolve-send" && !body.contains_key("message") {
                let unknown = self.unknown(&id).await?;
                body.insert("message".to_owned(), unknown.into());
            }
        }
        if does == "unguide"
            && let Value::Object(body) = &mut body
            && !body.contains_key("guidance")
        {
            let row = self.conversation(&id).await?;
            let last =
                row.and_then(|row| row.document.guidance.last().map(|one| one.id.to_string()));
            body.insert("guidance".to_owned(), last.unwrap_or_default().into());
        }
        let path = format!("/v1/conversations/{id}/{does}");
        self.call(step, Method::POST, &path, Some(&body)).await?;
        Ok(())
    }

    async fn unknown(&self, id: &ConversationId) -> Result<String, PlayFault> {
        let row = self.conversation(id).await?;
        let outgoing = row.map(|row| row.document.outgoing).unwrap_or_default();
        let unknown = outgoing
            .iter()
            .find(|message| message.unknown_since.is_some());
        Ok(unknown.map_or_else(String::new, |message| message.message.to_string()))
    }

    async fn call(
        &self,
        step: &Step,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, PlayFault> {
        let refused = |problem: String| PlayFault::Refused {
            line: step.line,
            problem,
        };
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key));
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request
            .body(body)
            .map_err(|error| refused(error.to_string()))?;
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), MOST_BYTES)
            .await
            .map_err(|error| refused(error.to_string()))?;
        if !status.is_success() {
            return Err(refused(String::from_utf8_lossy(&bytes).into_owned()));
        }
        serde_json::from_slice(&bytes).map_err(|error| refused(error.to_string()))
    }

    // What comes by mail, and what becomes of ours.

    /// Takes a mail in. When it goes into no conversation, says so.
    pub(super) async fn mail(
        &mut self,
        mail: &Mail,
        written_at: Timestamp,
    ) -> Result<Option<String>, PlayFault> {
        let id = self.find(&mail.who).cloned();
        let mut letter = self.blank(written_at);
        letter.from = Some(mail.from.clone());
        letter.from_text = mail.from.to_string();
        letter.text = mail.text.clone();
        letter.raw = mail.text.as_bytes().to_vec();
        if mail.automatic {
            letter.kind = InboundKind::Automatic;
        }
        letter.attachments = mail
            .files
            .iter()
            .map(|name| InboundFile {
                name: name.clone(),
                media_type: media_type(name).to_owned(),
                bytes: name.as_bytes().to_vec(),
            })
            .collect();
        if let Some(id) = id.filter(|_| mail.in_thread) {
            let last = self.last_of_ours(&id).await?;
            if let Some((transport_id, subject)) = last {
                letter.references.extend(transport_id);
                letter.subject = format!("Re: {}", subject.trim_start_matches("Re: "));
            }
            if let Some(row) = self.conversation(&id).await? {
                letter.tokens.push(row.document.reply_token);
            }
        }
        if let Some(subject) = &mail.subject {
            letter.subject.clone_from(subject);
        }
        let taken = self.take(letter).await?;
        Ok(match taken {
            Taken::Matched(_) => None,
            Taken::Duplicate => Some("It had come before.".to_owned()),
            Taken::Unmatched => Some("It belongs to no conversation and is filed.".to_owned()),
        })
    }

    /// Keeps a mail in the mailbox until the daemon looks.
    pub(super) fn mail_waits(&mut self, mail: &Mail, written_at: Timestamp) {
        self.waiting.push((mail.clone(), written_at));
    }

    /// The daemon looks into its mailbox for the first time in a while.
    pub(super) async fn mail_comes_in(&mut self) -> Result<Vec<String>, PlayFault> {
        let mut said = Vec::new();
        for (mail, written_at) in std::mem::take(&mut self.waiting) {
            said.extend(self.mail(&mail, written_at).await?);
        }
        Ok(said)
    }

    pub(super) async fn bounce(
        &mut self,
        step: &Step,
        person: &str,
        says: &str,
        permanent: bool,
    ) -> Result<(), PlayFault> {
        let id = self.conversation_of(step, person)?;
        let Some((transport_id, _)) = self.last_of_ours(&id).await? else {
            return Err(PlayFault::Step {
                line: step.line,
                detail: "nothing was sent that could come back".to_owned(),
            });
        };
        let mut report = self.blank(self.now());
        report.from_text = "Mail Delivery Subsystem".to_owned();
        report.text = says.to_owned();
        report.kind = InboundKind::Bounce {
            original: transport_id,
            recipients: Vec::new(),
            permanent,
            reason: says.to_owned(),
        };
        self.take(report).await?;
        Ok(())
    }

    pub(super) fn deliveries(&self, deliveries: &[Delivery]) {
        let reason = || "451 4.7.1 please try again later".to_owned();
        for delivery in deliveries {
            self.transport.push(match delivery {
                Delivery::Taken => Scripted::Accept,
                Delivery::RefusedForNow => {
                    Scripted::RefuseBefore(Handover::RefusedForNow { reason: reason() })
                }
                Delivery::Refused => Scripted::RefuseAfter(Handover::Refused {
                    address_is_bad: false,
                    reason: "554 5.7.1 message refused".to_owned(),
                }),
                Delivery::BadAddress => Scripted::RefuseBefore(Handover::Refused {
                    address_is_bad: true,
                    reason: "550 5.1.1 no such mailbox".to_owned(),
                }),
                Delivery::BrokenOff => Scripted::BreakOff { arrived: false },
                Delivery::BrokenOffArrived => Scripted::BreakOff { arrived: true },
            });
        }
    }

    pub(super) fn reader_fails(&self, times: u32) {
        self.reader.failures.store(times, Ordering::SeqCst);
    }

    pub(super) fn policy_is(&self, policy: &Policy) {
        *self.policy.lock().unwrap_or_else(PoisonError::into_inner) = policy.clone();
    }

    fn blank(&mut self, at: Timestamp) -> InboundMessage {
        self.letters += 1;
        let letter = self.letters;
        InboundMessage {
            tenant: tenant(),
            channel: Channel::Email,
            received_at: self.now(),
            written_at: Some(at),
            from: None,
            from_text: String::new(),
            tokens: Vec::new(),
            references: Vec::new(),
            transport_id: Some(format!("<letter-{letter}@elsewhere.example>")),
            subject: String::new(),
            text: String::new(),
            attachments: Vec::new(),
            kind: InboundKind::Person,
            dedupe_key: format!("letter:{letter}"),
            raw: Vec::new(),
        }
    }

    async fn take(&self, letter: InboundMessage) -> Result<Taken, PlayFault> {
        self.engine
            .intake()
            .take(letter)
            .await
            .map_err(|fault| PlayFault::Store(fault.0))
    }

    // Looking.

    /// The conversations, oldest first, each with its person.
    pub(super) fn conversations(&self) -> Vec<(ConversationId, String)> {
        self.conversations.clone()
    }

    pub(super) async fn conversation(
        &self,
        id: &ConversationId,
    ) -> Result<Option<ConversationRow>, StoreError> {
        self.store.conversation(&tenant(), id).await
    }

    /// The journal from a revision on.
    pub(super) async fn journal(
        &self,
        id: &ConversationId,
        from: u64,
    ) -> Result<Option<JournalPage>, StoreError> {
        self.store.journal(&tenant(), id, from, u32::MAX).await
    }

    pub(super) async fn unmatched(&self) -> Result<Vec<Unmatched>, StoreError> {
        self.store.unmatched(&tenant(), u32::MAX).await
    }

    fn find(&self, person: &str) -> Option<&ConversationId> {
        let of_person = |(_, of): &&(ConversationId, String)| of == person;
        self.conversations.iter().find(of_person).map(|(id, _)| id)
    }

    fn conversation_of(&self, step: &Step, person: &str) -> Result<ConversationId, PlayFault> {
        self.find(person).cloned().ok_or_else(|| PlayFault::Step {
            line: step.line,
            detail: format!("there is no conversation with {person:?} yet"),
        })
    }

    /// The Message-ID and subject of the latest message to the person.
    async fn last_of_ours(
        &self,
        id: &ConversationId,
    ) -> Result<Option<(Option<String>, String)>, StoreError> {
        /// Nobody answers a message that is further back.
        const LATEST: u32 = 200;

        let rows = self.store.transcript(&tenant(), id, LATEST).await?;
        Ok(rows
            .into_iter()
            .rev()
            .find(|row| row.direction == Direction::Outbound)
            .map(|row| (row.transport_id, row.subject)))
    }
}

/// The media type that a file's name says.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("pdf") => "application/pdf",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("png") => "image/png",
        Some("txt") => "text/plain",
        _ => "application/octet-stream",
    }
}

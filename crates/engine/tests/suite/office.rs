//! An engine with everything around it, and the few moves that tests make.

mod values;

pub(crate) use values::*;

use crate::store::TroubledStore;
use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    conversation::{Action, Conversation},
    id::{ConversationId, NeedId, TenantId},
    input::Input,
    journal::{self, Operation, Work},
    need::Outcome,
    policy::{Policy, Wait},
    stakeholder::{Channel, Stakeholder},
    transition::Opening,
};
use liaison_engine::{Engine, Limits, Parts};
use liaison_ports::{
    fake::{RecordingTransport, ScriptedFiller, SeededEntropy, TemplateWriter, VirtualClock},
    inbound::{InboundKind, InboundMessage, Intake, Taken},
    language::{FormFiller, Writer},
    store::{
        Appended, ConversationRow, JournalPage, MessageRow, NewInput, NewNeed, Registered, Store,
    },
    transport::{Composed, Transport},
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// What an office is made of; a test replaces what it is about.
pub(crate) struct Setup {
    pub(crate) reader: Arc<dyn FormFiller>,
    pub(crate) writer: Arc<dyn Writer>,
    /// The transport between the engine and the recorder, if there is one.
    pub(crate) transport: Option<Arc<dyn Transport>>,
    pub(crate) recorder: Arc<RecordingTransport>,
    pub(crate) policy: Policy,
    pub(crate) seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            reader: Arc::new(ScriptedFiller::answering(|request| Ok(understand(request)))),
            writer: Arc::new(TemplateWriter),
            transport: None,
            recorder: recorder(),
            policy: policy(),
            seed: 1,
        }
    }
}

pub(crate) struct Office {
    pub(crate) store: Arc<TroubledStore>,
    pub(crate) clock: Arc<VirtualClock>,
    pub(crate) transport: Arc<RecordingTransport>,
    pub(crate) engine: Engine,
    pub(crate) policy: Arc<Mutex<Policy>>,
    parts: Parts,
    drawn: AtomicU64,
}

impl Office {
    pub(crate) fn open() -> Self {
        Self::with(Setup::default())
    }

    pub(crate) fn with(setup: Setup) -> Self {
        let store = Arc::new(TroubledStore::default());
        let clock = Arc::new(VirtualClock::new(start()));
        let policy = Arc::new(Mutex::new(setup.policy));
        let present = policy.clone();
        let transport: Arc<dyn Transport> = match setup.transport {
            Some(transport) => transport,
            None => setup.recorder.clone(),
        };
        let parts = Parts {
            store: store.clone(),
            clock: clock.clone(),
            entropy: Arc::new(SeededEntropy::new(setup.seed)),
            reader: setup.reader,
            writer: setup.writer,
            transports: HashMap::from([((tenant(), Channel::Email), transport)]),
            policies: Arc::new(move |_| present.lock().unwrap().clone()),
        };
        Self {
            engine: Engine::new(parts.clone(), Limits::new("first")),
            parts,
            store,
            clock,
            transport: setup.recorder,
            policy,
            drawn: AtomicU64::new(0),
        }
    }

    /// Another process on the same store.
    pub(crate) fn another(&self, reader: Arc<dyn FormFiller>) -> Engine {
        let parts = Parts {
            reader,
            ..self.parts.clone()
        };
        Engine::new(parts, Limits::new("second"))
    }

    // What happens outside.

    /// Registers a need about Ana, and returns its conversation.
    pub(crate) async fn register(&self, need: &str) -> ConversationId {
        self.register_for(need, person(&[LANDLORD])).await
    }

    pub(crate) async fn register_for(&self, need: &str, who: Stakeholder) -> ConversationId {
        let new = self.new_need(&tenant(), need, who);
        match self.store.register_need(new).await.unwrap() {
            Registered::New { conversation } => conversation,
            other => panic!("it was to be new, and is {other:?}"),
        }
    }

    pub(crate) fn new_need(&self, tenant: &TenantId, need: &str, who: Stakeholder) -> NewNeed {
        let at = self.now();
        NewNeed {
            tenant: tenant.clone(),
            idempotency_key: None,
            request_hash: need.to_owned(),
            registration: values::registration(need, Wait::days(15).after(at)),
            stakeholder: who.clone(),
            opening: Opening {
                id: ConversationId::new(format!("conversation-{need}")),
                tenant: tenant.clone(),
                at,
                stakeholder: who,
                reply_token: token(need),
                policy: self.policy.lock().unwrap().clone(),
            },
            at,
        }
    }

    /// A message from Ana that answers in the conversation that `need` opened.
    pub(crate) fn letter(&self, need: &str, text: &str) -> InboundMessage {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        InboundMessage {
            tenant: tenant(),
            channel: Channel::Email,
            received_at: self.now(),
            written_at: Some(self.now()),
            from: Some(address(LANDLORD)),
            from_text: format!("Ana <{LANDLORD}>"),
            tokens: vec![token(need)],
            references: Vec::new(),
            transport_id: Some(format!("<letter-{number}@example.com>")),
            subject: "Re: the inspection".to_owned(),
            text: text.to_owned(),
            attachments: Vec::new(),
            kind: InboundKind::Person,
            dedupe_key: format!("mail:letter-{number}"),
            raw: text.as_bytes().to_vec(),
        }
    }

    pub(crate) async fn takes(&self, message: InboundMessage) -> Taken {
        self.engine.intake().take(message).await.unwrap()
    }

    /// Ana answers, and the engine works until it is quiet.
    pub(crate) async fn replies(&self, need: &str, text: &str) {
        self.takes(self.letter(need, text)).await;
        self.quiet().await;
    }

    /// An input of the operator's or the caller's; the engine does not work yet.
    pub(crate) async fn input(&self, conversation: &ConversationId, input: Input) {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        let new = NewInput {
            conversation: conversation.clone(),
            dedupe_key: format!("input:{number}"),
            at: self.now(),
            input,
        };
        let appended = self.store.append_inputs(vec![new]).await.unwrap();
        assert!(matches!(appended[..], [Appended::At(_)]), "{appended:?}");
    }

    pub(crate) async fn commands(&self, conversation: &ConversationId, action: Action) {
        let by = "olga".to_owned();
        self.input(conversation, Input::QuickAction { by, action })
            .await;
        self.quiet().await;
    }

    // The engine, and time.

    pub(crate) async fn quiet(&self) {
        self.engine.run_until_quiet().await;
    }

    pub(crate) async fn passes(&self, wait: Wait) {
        self.clock
            .advance(SignedDuration::from_secs(wait.as_seconds()));
        self.quiet().await;
    }

    pub(crate) fn now(&self) -> Timestamp {
        liaison_ports::clock::Clock::now(&*self.clock)
    }

    // Looking.

    pub(crate) async fn row(&self, conversation: &ConversationId) -> ConversationRow {
        let row = self.store.conversation(&tenant(), conversation).await;
        row.unwrap().expect("the conversation is there")
    }

    pub(crate) async fn document(&self, conversation: &ConversationId) -> Conversation {
        self.row(conversation).await.document
    }

    pub(crate) async fn holds(&self, conversation: &ConversationId) -> Vec<&'static str> {
        let document = self.document(conversation).await;
        document
            .holds
            .iter()
            .map(|hold| hold.reason.name())
            .collect()
    }

    pub(crate) async fn outcome(&self, need: &str) -> Option<Outcome> {
        let need = self.store.need(&tenant(), &NeedId::new(need)).await;
        need.unwrap().expect("the need is there").outcome
    }

    pub(crate) async fn is_fulfilled(&self, need: &str) -> bool {
        let outcome = self.outcome(need).await;
        outcome.is_some_and(|o| o.slots["arranged_by"].value.plain() == "agency")
    }

    /// The texts that arrived.
    pub(crate) fn mail(&self) -> Vec<String> {
        self.transport.arrived().iter().map(text).collect()
    }

    /// How many of them ask the question.
    pub(crate) fn asks(&self) -> usize {
        let thanks = |mail: &&String| !mail.contains("Thank you. I have noted");
        self.mail()
            .iter()
            .filter(thanks)
            .filter(|mail| mail.contains(QUESTION))
            .count()
    }

    pub(crate) async fn store_transcript(&self, conversation: &ConversationId) -> Vec<MessageRow> {
        let rows = self.store.transcript(&tenant(), conversation, 100).await;
        rows.unwrap()
    }

    pub(crate) async fn journal(&self, conversation: &ConversationId) -> JournalPage {
        let page = self
            .store
            .journal(&tenant(), conversation, 0, u32::MAX)
            .await;
        page.unwrap().expect("the conversation has a journal")
    }

    pub(crate) async fn operations(&self, conversation: &ConversationId) -> Vec<Operation> {
        let rows = self.journal(conversation).await.operations;
        rows.into_iter().map(|row| row.operation).collect()
    }

    /// How many messages were ever decided, whatever became of them.
    pub(crate) async fn decided(&self, conversation: &ConversationId) -> usize {
        let operations = self.operations(conversation).await;
        let drafts = operations
            .iter()
            .filter(|o| matches!(o.work, Work::Draft(_)));
        drafts.count()
    }

    /// Checks that the journal gives the stored document.
    pub(crate) async fn replays(&self, conversation: &ConversationId) {
        let opening = self.journal(conversation).await.opening;
        let operations = self.operations(conversation).await;
        let replayed = journal::replay(opening, operations).unwrap();
        pretty_eq(&replayed, &self.document(conversation).await);
    }
}

#[track_caller]
fn pretty_eq(replayed: &Conversation, stored: &Conversation) {
    assert!(
        replayed == stored,
        "the journal gives {replayed:#?}\nand stored is {stored:#?}"
    );
}

pub(crate) fn text(composed: &Composed) -> String {
    String::from_utf8(composed.bytes.clone()).unwrap()
}

//! What an operator reads and commands.

use crate::{Client, ClientError, MessageId, client::Call, client::conversation_path};
use liaison_api::{
    Accepted, ConversationId, FillSlot, HandBack, HoldRequest, OperatorAnswer, ResolveSend, Resume,
    TakeOver,
};
use reqwest::Method;
use serde::Serialize;
use serde_json::Value;

/// Which conversations to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationPage {
    /// Only those that a hold keeps from sending.
    pub held: bool,
    /// At most this many, up to 200.
    pub limit: u32,
    /// Those after this many.
    pub offset: u32,
}

impl Default for ConversationPage {
    /// The first fifty.
    fn default() -> Self {
        Self {
            held: false,
            limit: 50,
            offset: 0,
        }
    }
}

/// Commands for one conversation. Each returns once the daemon has stored it; the daemon carries
/// it out next.
///
/// A command is sent once unless it has an idempotency key: whether a broken-off one arrived,
/// nobody can tell, and a second answer would be a second message to a person.
#[derive(Clone, Debug)]
pub struct Commands {
    client: Client,
    id: ConversationId,
    by: Option<String>,
    idempotency_key: Option<String>,
}

impl Commands {
    pub(crate) fn new(client: Client, id: ConversationId) -> Self {
        Self {
            client,
            id,
            by: None,
            idempotency_key: None,
        }
    }

    /// Who commands; without it, the API key's name.
    #[must_use]
    pub fn by(mut self, by: impl Into<String>) -> Self {
        self.by = Some(by.into());
        self
    }

    /// What marks repetitions: the same command with the same key is carried out once, and is tried
    /// again while the daemon is away.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Tells the stakeholder something in the daemon's voice, and lifts every hold if `resume`.
    pub async fn answer(
        &self,
        text: impl Into<String>,
        resume: bool,
    ) -> Result<Accepted, ClientError> {
        let text = text.into();
        let by = self.by.clone();
        self.give(
            "answer a stakeholder",
            "/answer",
            &OperatorAnswer { text, by, resume },
        )
        .await
    }

    /// Lifts every hold.
    pub async fn resume(&self) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give("resume a conversation", "/resume", &Resume { by })
            .await
    }

    /// Pauses the conversation.
    pub async fn hold(&self, note: impl Into<String>) -> Result<Accepted, ClientError> {
        let note = note.into();
        let by = self.by.clone();
        self.give("hold a conversation", "/hold", &HoldRequest { by, note })
            .await
    }

    /// Handles the conversation alone from now on.
    pub async fn take_over(&self) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give("take a conversation over", "/takeover", &TakeOver { by })
            .await
    }

    /// Gives the conversation back to the daemon.
    pub async fn hand_back(&self) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give("hand a conversation back", "/handback", &HandBack { by })
            .await
    }

    /// Takes `value` as the value of `slot` (see [`FillSlot`]), on the grounds of `note`.
    pub async fn fill(
        &self,
        slot: impl Into<String>,
        value: impl Into<Value>,
        note: impl Into<String>,
    ) -> Result<Accepted, ClientError> {
        let fill = FillSlot {
            slot: slot.into(),
            value: value.into(),
            note: note.into(),
            by: self.by.clone(),
        };
        self.give("fill a slot", "/fill", &fill).await
    }

    /// Says whether a message of unknown fate was sent; if not, it is sent once more.
    pub async fn resolve_send(
        &self,
        message: MessageId,
        sent: bool,
    ) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        let resolve = ResolveSend { message, sent, by };
        self.give("resolve a send", "/resolve-send", &resolve).await
    }

    async fn give(
        &self,
        operation: &'static str,
        command: &str,
        body: &impl Serialize,
    ) -> Result<Accepted, ClientError> {
        let body = serde_json::to_string(body)
            .expect("a command is texts and flags, all of which JSON has");
        let call = Call::new(
            operation,
            Method::POST,
            conversation_path(&self.id, command),
        )
        .body(body)
        .idempotency_key(self.idempotency_key.clone());
        if self.idempotency_key.is_some() {
            self.client.repeatable(&call).await
        } else {
            self.client
                .once(&call)
                .await
                .map_err(|failure| failure.error)
        }
    }
}

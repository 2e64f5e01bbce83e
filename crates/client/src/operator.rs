//! What an operator reads and commands.

use crate::{Client, ClientError, MessageId, Timestamp, client::Call, client::conversation_path};
use liaison_api::{
    AcceptDelegate, Accepted, CatchUp, CommandQuery, ConversationId, Deadline, FillSlot,
    GuidanceId, Guide, HandBack, HoldId, HoldRequest, LiftQuarantine, NeedId, OperatorAnswer,
    OptIn, OptOut, RejectDelegate, Release, ResolveSend, Resume, ReviveContact, TakeOver,
    TranscriptEntry, Unguide,
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
    query: CommandQuery,
}

impl Commands {
    pub(crate) fn new(client: Client, id: ConversationId) -> Self {
        Self {
            client,
            id,
            by: None,
            idempotency_key: None,
            query: CommandQuery::default(),
        }
    }

    /// The commands change nothing once the conversation has another revision than this; they are
    /// refused then.
    #[must_use]
    pub fn if_revision(mut self, revision: u64) -> Self {
        self.query.if_revision = Some(revision);
        self
    }

    /// The commands change nothing from this instant on; they are refused then.
    #[must_use]
    pub fn expires_at(mut self, instant: Timestamp) -> Self {
        self.query.expires_at = Some(instant);
        self
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

    /// Lifts one hold.
    pub async fn release(&self, hold: HoldId) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give("release a hold", "/release", &Release { hold, by })
            .await
    }

    /// Pauses the conversation.
    pub async fn hold(&self, note: impl Into<String>) -> Result<Accepted, ClientError> {
        self.pause(HoldRequest {
            note: note.into(),
            ..HoldRequest::default()
        })
        .await
    }

    /// Pauses the conversation or one of its needs, for a while or until it is resumed; `by` is
    /// filled in.
    pub async fn pause(&self, request: HoldRequest) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give(
            "hold a conversation",
            "/hold",
            &HoldRequest { by, ..request },
        )
        .await
    }

    /// Gives whoever words the messages a standing instruction on the manner, which expires at
    /// `until`.
    pub async fn guide(
        &self,
        text: impl Into<String>,
        until: Option<Deadline>,
    ) -> Result<Accepted, ClientError> {
        let text = text.into();
        let by = self.by.clone();
        self.give("give guidance", "/guide", &Guide { text, until, by })
            .await
    }

    /// Takes an instruction back.
    pub async fn unguide(&self, guidance: GuidanceId) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give("take guidance back", "/unguide", &Unguide { guidance, by })
            .await
    }

    /// Lets a contact be written to again that failed or opted out, on the grounds of `note`.
    pub async fn revive(
        &self,
        address: impl Into<String>,
        note: impl Into<String>,
    ) -> Result<Accepted, ClientError> {
        let revive = ReviveContact {
            address: address.into(),
            note: note.into(),
            by: self.by.clone(),
        };
        self.give("revive a contact", "/revive", &revive).await
    }

    /// Opts the person out, at one address or at all, on the grounds of `note`.
    pub async fn opt_out(
        &self,
        address: Option<String>,
        note: impl Into<String>,
    ) -> Result<Accepted, ClientError> {
        let opt_out = OptOut {
            address,
            note: note.into(),
            by: self.by.clone(),
        };
        self.give("opt a person out", "/opt-out", &opt_out).await
    }

    /// Takes the opt-out of one address back, or every one, on the grounds of `note`.
    pub async fn opt_in(
        &self,
        address: Option<String>,
        note: impl Into<String>,
    ) -> Result<Accepted, ClientError> {
        let opt_in = OptIn {
            address,
            note: note.into(),
            by: self.by.clone(),
        };
        self.give("take an opt-out back", "/opt-in", &opt_in).await
    }

    /// Puts the conversation back to work after an error had it set aside.
    pub async fn lift_quarantine(&self) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give(
            "lift a quarantine",
            "/lift-quarantine",
            &LiftQuarantine { by },
        )
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
        self.record(FillSlot {
            slot: slot.into(),
            value: value.into(),
            note: note.into(),
            heard: None,
            by: None,
        })
        .await
    }

    /// Records an answer that the operator heard (see [`FillSlot`]); `by` is filled in.
    pub async fn record(&self, answer: FillSlot) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give("fill a slot", "/fill", &FillSlot { by, ..answer })
            .await
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

    /// Talks to whom the person named instead of them; without an address and a name of one's own,
    /// to the ones that they gave. `hold` says who is meant, where they named several.
    pub async fn accept_delegate(
        &self,
        hold: Option<HoldId>,
        address: Option<String>,
        name: Option<String>,
    ) -> Result<Accepted, ClientError> {
        let accept = AcceptDelegate {
            hold,
            address,
            name,
            by: self.by.clone(),
        };
        self.give("accept a delegate", "/accept-delegate", &accept)
            .await
    }

    /// Leaves it with the person, who had named somebody else. `hold` says who is meant, where they
    /// named several.
    pub async fn reject_delegate(&self, hold: Option<HoldId>) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        self.give(
            "reject a delegate",
            "/reject-delegate",
            &RejectDelegate { hold, by },
        )
        .await
    }

    /// Hands over what the person said before, or elsewhere, oldest first; it is read before
    /// anything more is asked. It belongs to `need`, or to the only open one.
    pub async fn catch_up(
        &self,
        entries: Vec<TranscriptEntry>,
        need: Option<NeedId>,
    ) -> Result<Accepted, ClientError> {
        let by = self.by.clone();
        let catch_up = CatchUp { entries, need, by };
        self.give("hand a transcript over", "/catch-up", &catch_up)
            .await
    }

    async fn give(
        &self,
        operation: &'static str,
        command: &str,
        body: &impl Serialize,
    ) -> Result<Accepted, ClientError> {
        let body = serde_json::to_string(body)
            .expect("a command is texts and flags, all of which JSON has");
        let mut path = conversation_path(&self.id, command);
        // Neither a number nor an instant in UTC has a character that a query would not take.
        let conditions = [
            self.query.if_revision.map(|it| format!("if_revision={it}")),
            self.query.expires_at.map(|it| format!("expires_at={it}")),
        ];
        for (place, condition) in conditions.into_iter().flatten().enumerate() {
            path.push(if place == 0 { '?' } else { '&' });
            path.push_str(&condition);
        }
        let call = Call::new(operation, Method::POST, path)
            .body(body)
            .idempotency_key(self.idempotency_key.clone());
        self.client.send(&call).await
    }
}

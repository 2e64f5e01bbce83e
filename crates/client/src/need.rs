//! Building a need.

use crate::{Client, ClientError, Date, NeedHandle, Timestamp, Wait, client::Call};
use liaison_api::{
    Boolean, Channel, Choice, ChoiceOption, Confirm, ContactSpec, DateKind, Deadline, FileKind,
    Kind, KindSpec, Ladder, NeedView, Number, RegisterNeed, SlotSpec, StakeholderSpec, Text,
    TranscriptEntry,
};
use reqwest::Method;
use sha2::{Digest, Sha256};

/// The person that a need is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stakeholder(StakeholderSpec);

impl Stakeholder {
    /// Somebody with a mail address.
    pub fn email(address: impl Into<String>) -> Self {
        Self(StakeholderSpec {
            email: Some(address.into()),
            ..StakeholderSpec::default()
        })
    }

    /// A further mail address, used when those before it cannot be.
    #[must_use]
    pub fn or_email(mut self, address: impl Into<String>) -> Self {
        self.0.contacts.push(ContactSpec {
            channel: Channel::Email,
            address: address.into(),
        });
        self
    }

    /// The workflow's own name for this person. All needs with the same key go to the same
    /// conversation, even when the address changes.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.0.key = Some(key.into());
        self
    }

    /// How the person is addressed.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.name = Some(name.into());
        self
    }

    /// A BCP 47 language tag; without one, `en`.
    #[must_use]
    pub fn language(mut self, tag: impl Into<String>) -> Self {
        self.0.language = Some(tag.into());
        self
    }

    /// The person's time zone (`Europe/Paris`); without one, the tenant's.
    #[must_use]
    pub fn zone(mut self, name: impl Into<String>) -> Self {
        self.0.zone = Some(name.into());
        self
    }

    /// The country whose weekends and holidays they keep, as two letters (`FR`).
    #[must_use]
    pub fn country(mut self, code: impl Into<String>) -> Self {
        self.0.country = Some(code.into());
        self
    }
}

/// A need in the making. What is wrong with it, the daemon says when it is registered, field by
/// field.
#[derive(Clone, Debug)]
#[must_use = "a need does nothing until it is registered"]
pub struct NeedBuilder {
    client: Client,
    goal: String,
    stakeholder: Option<StakeholderSpec>,
    subject: Option<String>,
    slots: Vec<SlotSpec>,
    deadline: Option<Deadline>,
    facts: Vec<String>,
    briefs: Vec<String>,
    ladder: Option<Ladder>,
    transcript: Vec<TranscriptEntry>,
    idempotency_key: Option<String>,
}

impl NeedBuilder {
    pub(crate) fn new(client: Client, goal: String) -> Self {
        Self {
            client,
            goal,
            stakeholder: None,
            subject: None,
            slots: Vec::new(),
            deadline: None,
            facts: Vec::new(),
            briefs: Vec::new(),
            ladder: None,
            transcript: Vec::new(),
            idempotency_key: None,
        }
    }

    /// Who it is about.
    pub fn stakeholder(mut self, stakeholder: Stakeholder) -> Self {
        self.stakeholder = Some(stakeholder.0);
        self
    }

    /// What the slots are about (`property:42`). Needs of one stakeholder with the same subject
    /// share equally named slots: one question, one answer.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// One of a few named options, each with how it is said to the stakeholder, from our side of
    /// the conversation (`have us arrange it for you`).
    pub fn choice<V: Into<String>, L: Into<String>>(
        self,
        name: impl Into<String>,
        question: impl Into<String>,
        options: impl IntoIterator<Item = (V, L)>,
    ) -> Self {
        let options = options
            .into_iter()
            .map(|(value, label)| ChoiceOption {
                value: value.into(),
                label: Some(label.into()),
                synonyms: Vec::new(),
            })
            .collect();
        self.slot(name, question, Kind::Choice(Choice { options }))
    }

    /// Yes or no.
    pub fn boolean(self, name: impl Into<String>, question: impl Into<String>) -> Self {
        self.slot(name, question, Kind::Boolean(Boolean::default()))
    }

    /// A calendar day.
    pub fn date(self, name: impl Into<String>, question: impl Into<String>) -> Self {
        self.slot(name, question, Kind::Date(DateKind::default()))
    }

    /// A calendar day, not before the first and not after the last.
    pub fn date_between(
        self,
        name: impl Into<String>,
        question: impl Into<String>,
        earliest: Date,
        latest: Date,
    ) -> Self {
        let kind = DateKind {
            earliest: Some(earliest),
            latest: Some(latest),
        };
        self.slot(name, question, Kind::Date(kind))
    }

    /// A number.
    pub fn number(self, name: impl Into<String>, question: impl Into<String>) -> Self {
        self.slot(name, question, Kind::Number(Number::default()))
    }

    /// Free words.
    pub fn text(self, name: impl Into<String>, question: impl Into<String>) -> Self {
        self.slot(name, question, Kind::Text(Text::default()))
    }

    /// A document or picture of one of these media types (`application/pdf`, `image/*`); of any,
    /// when none is named.
    pub fn file<T: Into<String>>(
        self,
        name: impl Into<String>,
        question: impl Into<String>,
        accept: impl IntoIterator<Item = T>,
    ) -> Self {
        let accept = accept.into_iter().map(Into::into).collect();
        self.slot(name, question, Kind::File(FileKind { accept }))
    }

    /// A slot of any kind, with all its constraints.
    pub fn slot(
        mut self,
        name: impl Into<String>,
        question: impl Into<String>,
        kind: Kind,
    ) -> Self {
        let slot = SlotSpec::new(name, question, KindSpec::from(&kind));
        self.slots.push(slot);
        self
    }

    /// The slot added last is asked for, and the need does not wait for it.
    pub fn optional(mut self) -> Self {
        if let Some(slot) = self.slots.last_mut() {
            slot.required = false;
        }
        self
    }

    /// A yes-or-no question that a reader must answer about its own proposal for the slot added
    /// last; a no makes the answer unclear.
    pub fn self_check(mut self, question: impl Into<String>) -> Self {
        if let Some(slot) = self.slots.last_mut() {
            slot.self_checks.push(question.into());
        }
        self
    }

    /// How old an answer to the slot added last may be when another need with the same subject has
    /// brought it; an older one is asked for again. Without it, any age will do.
    pub fn max_age(mut self, most: Wait) -> Self {
        if let Some(slot) = self.slots.last_mut() {
            slot.max_age = Some(most);
        }
        self
    }

    /// The slot added last rests on another slot of this need: it is asked once that is answered,
    /// and asked again when that changes. Call it once for each.
    pub fn depends_on(mut self, name: impl Into<String>) -> Self {
        if let Some(slot) = self.slots.last_mut() {
            slot.depends_on.push(name.into());
        }
        self
    }

    /// When the value of the slot added last counts only once the person has confirmed it.
    pub fn confirm(mut self, when: Confirm) -> Self {
        if let Some(slot) = self.slots.last_mut() {
            slot.confirm = when;
        }
        self
    }

    /// When the need ends, answered or not: this long after it is registered.
    pub fn deadline_in(mut self, wait: Wait) -> Self {
        self.deadline = Some(Deadline::In(wait));
        self
    }

    /// When the need ends, answered or not. A workflow that computes it anew after a restart makes
    /// it another need, unless it gives an [`NeedBuilder::idempotency_key`] and the same instant.
    pub fn deadline(mut self, instant: Timestamp) -> Self {
        self.deadline = Some(Deadline::At(instant));
        self
    }

    /// Something that the stakeholder may be told when it helps.
    pub fn fact(mut self, fact: impl Into<String>) -> Self {
        self.facts.push(fact.into());
        self
    }

    /// Something that the stakeholder must be told once.
    pub fn brief(mut self, brief: impl Into<String>) -> Self {
        self.briefs.push(brief.into());
        self
    }

    /// When to remind, instead of the tenant's rule.
    pub fn ladder(mut self, ladder: Ladder) -> Self {
        self.ladder = Some(ladder);
        self
    }

    /// Something that the stakeholder said before; read before anything is asked. Oldest first.
    pub fn said_before(mut self, at: Timestamp, text: impl Into<String>) -> Self {
        let text = text.into();
        self.transcript.push(TranscriptEntry { at, text });
        self
    }

    /// What marks repetitions of this registration: 1 to 200 visible ASCII characters. The same key
    /// with the same content is the same need; with other content it is refused. Without one, the
    /// key is derived from the content.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Registers the need. It is repeated while the daemon is away, within [`Client::tries`], and
    /// registers one need however often that is.
    pub async fn register(self) -> Result<NeedHandle, ClientError> {
        let request = RegisterNeed {
            stakeholder: self
                .stakeholder
                .ok_or(ClientError::Incomplete("stakeholder"))?,
            goal: self.goal,
            subject: self.subject,
            slots: self.slots,
            deadline: self.deadline.ok_or(ClientError::Incomplete("deadline"))?,
            facts: self.facts,
            briefs: self.briefs,
            ladder: self.ladder,
            transcript: self.transcript,
        };
        self.client.register(&request, self.idempotency_key).await
    }
}

impl Client {
    /// Registers a need that was described elsewhere, in a file say; [`Client::need`] builds one.
    /// Without a key one is derived from the content, so registering the same twice is one need.
    pub async fn register(
        &self,
        request: &RegisterNeed,
        idempotency_key: Option<String>,
    ) -> Result<NeedHandle, ClientError> {
        let body = serde_json::to_string(request)
            .expect("a registration is texts, numbers and lists, all of which JSON has");
        let key = idempotency_key.unwrap_or_else(|| derived_key(&body));
        let call = Call::new("register a need", Method::POST, "/v1/needs")
            .body(body)
            .idempotency_key(Some(key));
        let view: NeedView = self.repeatable(&call).await?;
        Ok(NeedHandle::new(self.clone(), view.id))
    }
}

fn derived_key(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("content-{hex}")
}

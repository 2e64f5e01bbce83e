//! What the checks play with, and an adapter's own tests too. Everything here panics when a store
//! does not do what it is asked.

use super::Subject;
use crate::{
    store::{
        Appended, ClaimRequest, Claimed, Commit, Completion, CompletionResult, Direction,
        MessageRow, NewInput, NewMessage, NewNeed, OutboxItem, Registered, Step, StoreError,
        StoredEffect, Unmatched,
    },
    transport::Composed,
};
use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    conversation::{Author, MessageKind, Origin, Received},
    effect::OutboundMessage,
    id::{ConversationId, Entropy, MessageId, NeedId, TenantId},
    input::{Fate, Input},
    journal::{Operation, Work},
    need::{Outcome, OutcomeKind, Registration, SlotRequest},
    phase::Phase,
    plan::{Draft, MessagePlan, Wording},
    policy::Policy,
    slot::Confirm,
    stakeholder::{Channel, Contact, EmailAddress, Stakeholder},
    transition::Opening,
    value::{Boolean, Kind},
};

/// The instant this many seconds after the checks' beginning.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("in range")
}

/// The tenant that everything belongs to.
pub fn acme() -> TenantId {
    TenantId::new("acme")
}

/// Another tenant.
pub fn globex() -> TenantId {
    TenantId::new("globex")
}

/// `<name>@example.com`.
pub fn mail(name: &str) -> EmailAddress {
    EmailAddress::parse(&format!("{name}@example.com")).expect("an address")
}

/// The id of the conversation that `new_need(name)` opens.
pub fn conversation(name: &str) -> ConversationId {
    ConversationId::new(format!("conversation-{name}"))
}

/// The id of the need that `new_need(name)` registers.
pub fn need_id(name: &str) -> NeedId {
    NeedId::new(format!("need-{name}"))
}

/// The id `message-<name>`.
pub fn message_id(name: &str) -> MessageId {
    MessageId::new(format!("message-{name}"))
}

/// A person without a key, at `<name>@example.com`.
pub fn person(name: &str) -> Stakeholder {
    Stakeholder {
        key: None,
        name: Some(name.to_uppercase()),
        language: "en".to_owned(),
        zone: None,
        country: None,
        contacts: vec![Contact::new(Channel::Email, mail(name))],
    }
}

/// A need of acme's about `person(name)`, in a conversation that is new unless one is found.
pub fn new_need(name: &str) -> NewNeed {
    NewNeed {
        tenant: acme(),
        idempotency_key: None,
        request_hash: format!("hash-{name}"),
        registration: Registration {
            need: need_id(name),
            goal: "Decide who will arrange the inspection".to_owned(),
            subject: None,
            slots: vec![SlotRequest {
                name: "wanted".to_owned(),
                kind: Kind::Boolean(Boolean::default()),
                question: "Do you want it?".to_owned(),
                required: true,
                self_checks: Vec::new(),
                max_age: None,
                depends_on: Vec::new(),
                confirm: Confirm::Never,
            }],
            deadline: at(1_000_000),
            facts: Vec::new(),
            briefs: Vec::new(),
            ladder: None,
            transcript: Vec::new(),
        },
        stakeholder: person(name),
        opening: Opening {
            id: conversation(name),
            tenant: acme(),
            at: at(0),
            stakeholder: person(name),
            reply_token: format!("token-{name}"),
            policy: Policy::default(),
        },
        at: at(0),
    }
}

/// The same for another tenant.
pub fn of_tenant(mut need: NewNeed, tenant: TenantId) -> NewNeed {
    need.opening.tenant = tenant.clone();
    need.tenant = tenant;
    need
}

/// The same for another person.
pub fn about(mut need: NewNeed, stakeholder: Stakeholder) -> NewNeed {
    need.opening.stakeholder = stakeholder.clone();
    need.stakeholder = stakeholder;
    need
}

/// Registers it and returns the conversation that it went to.
pub async fn register(store: &Subject, need: NewNeed) -> ConversationId {
    match store.register_need(need).await.expect("registers") {
        Registered::New { conversation } => conversation,
        other => panic!("it was to be new, and is {other:?}"),
    }
}

/// A conversation in which the registration is folded and nothing is due.
pub async fn quiet(store: &Subject, name: &str) -> ConversationId {
    let id = register(store, new_need(name)).await;
    step(store, &id, at(0), Vec::new()).await;
    id
}

/// An input that changes nothing.
pub fn note(id: &ConversationId, key: &str, when: Timestamp) -> NewInput {
    NewInput {
        conversation: id.clone(),
        dedupe_key: key.to_owned(),
        at: when,
        input: Input::CallerSeen { need: need_id(key) },
    }
}

/// Appends one input.
pub async fn append(store: &Subject, input: NewInput) -> Appended {
    let appended = store.append_inputs(vec![input]).await.expect("appends");
    assert_eq!(appended.len(), 1, "one answer for one input");
    appended[0]
}

/// A message from `person(name)` to a conversation.
pub fn letter(id: &ConversationId, name: &str, key: &str, when: Timestamp) -> NewMessage {
    let received = Received {
        message: message_id(key),
        channel: Channel::Email,
        from: mail(name),
        origin: Origin::Known,
        received_at: when,
        written_at: when,
        subject: "Re: the inspection".to_owned(),
        text: format!("Words of {key}.\nÄ second line."),
        attachments: Vec::new(),
        author: Author::Person,
        transport_id: Some(format!("<{key}@theirs.example>")),
        answers: None,
    };
    NewMessage {
        row: MessageRow {
            id: received.message.clone(),
            conversation: id.clone(),
            direction: Direction::Inbound,
            channel: received.channel,
            at: when,
            address: received.from.to_string(),
            subject: received.subject.clone(),
            text: received.text.clone(),
            transport_id: received.transport_id.clone(),
        },
        input: NewInput {
            conversation: id.clone(),
            dedupe_key: format!("mail:{key}"),
            at: when,
            input: Input::MessageReceived(Box::new(received)),
        },
        files: Vec::new(),
        was_unmatched: None,
    }
}

/// A message that belongs to no conversation.
pub fn stray(key: &str, when: Timestamp) -> Unmatched {
    Unmatched {
        id: message_id(key),
        tenant: acme(),
        dedupe_key: format!("mail:{key}"),
        at: when,
        from: "Somebody <who@example.net>".to_owned(),
        subject: "Hello".to_owned(),
        why: "nothing matches".to_owned(),
        raw: vec![0, 159, 146, 150, b'\r', b'\n'],
    }
}

/// A request to claim for ten minutes.
pub fn request(owner: &str, now: Timestamp) -> ClaimRequest {
    ClaimRequest {
        owner: owner.to_owned(),
        now,
        lease_until: now + SignedDuration::from_mins(10),
        limit: 100,
    }
}

/// Claims all that is due.
pub async fn claim(store: &Subject, now: Timestamp) -> Vec<Claimed> {
    store
        .claim_due(request("worker", now))
        .await
        .expect("claims")
}

/// Claims the only conversation that is due.
pub async fn claim_one(store: &Subject, now: Timestamp) -> Claimed {
    let mut claimed = claim(store, now).await;
    assert_eq!(claimed.len(), 1, "exactly one conversation is due");
    claimed.remove(0)
}

/// An operation that folds what was claimed, decides nothing, gives back and leaves nothing due.
pub fn commit_of(claimed: &Claimed, when: Timestamp) -> Commit {
    let mut document = claimed.document.clone().expect("a readable document");
    let operation = Operation {
        revision: document.revision,
        at: when,
        entropy: Entropy([7; 16]),
        inputs: claimed.inputs.clone(),
        phase: Phase::Idle,
        work: Work::None,
    };
    document.revision += 1;
    Commit {
        fence: claimed.fence,
        document: *document,
        steps: vec![Step {
            operation,
            judgement: None,
            usage: None,
            effects: Vec::new(),
        }],
        only_without_newer_inputs: false,
        wake_at: None,
        keep_until: None,
    }
}

/// Makes a conversation due, claims it, and commits these effects; nothing else may be due.
pub async fn step(
    store: &Subject,
    id: &ConversationId,
    when: Timestamp,
    effects: Vec<StoredEffect>,
) {
    try_step(store, id, when, effects).await.expect("commits");
}

/// The same, with what the commit says.
pub async fn try_step(
    store: &Subject,
    id: &ConversationId,
    when: Timestamp,
    effects: Vec<StoredEffect>,
) -> Result<(), StoreError> {
    let row = store
        .conversation(&acme(), id)
        .await
        .expect("reads")
        .expect("is there");
    if row.unfolded == 0 {
        let key = format!("{id}:{}", row.document.revision);
        append(store, note(id, &key, when)).await;
    }
    let claimed = claim_one(store, when).await;
    assert_eq!(claimed.id, *id);
    let mut commit = commit_of(&claimed, when);
    commit.steps[0].effects = effects;
    store.commit(commit).await
}

/// The effect of sending `message-<name>`.
pub fn send(name: &str, when: Timestamp) -> StoredEffect {
    StoredEffect::Send {
        message: Box::new(OutboundMessage {
            id: message_id(name),
            at: when,
            reply_token: format!("token-{name}"),
            plan: MessagePlan {
                kind: MessageKind::Ask,
                channel: Channel::Email,
                to: mail("landlord"),
                name: None,
                language: "en".to_owned(),
                tone: Default::default(),
                signature: "Acme".to_owned(),
                thread_subject: None,
                references: Vec::new(),
                goals: Vec::new(),
                items: Vec::new(),
                guidance: Vec::new(),
            },
            draft: Draft {
                subject: format!("Subject of {name}"),
                body: format!("Body of {name}.\n"),
                by: Wording::Template,
            },
        }),
        composed: composed(name),
    }
}

/// The bytes of `message-<name>`.
pub fn composed(name: &str) -> Composed {
    Composed {
        from: mail("liaison"),
        to: mail("landlord"),
        transport_id: Some(ours(name)),
        bytes: [name.as_bytes(), &[0, 255, 13, 10, 128]].concat(),
    }
}

/// The Message-ID of `message-<name>`.
pub fn ours(name: &str) -> String {
    format!("<{name}@ours.example>")
}

/// A quiet conversation that has decided to send `message-<name>`.
pub async fn sending(store: &Subject, name: &str, when: Timestamp) -> ConversationId {
    let id = quiet(store, name).await;
    step(store, &id, when, vec![send(name, when)]).await;
    id
}

/// Claims all messages that may go now.
pub async fn dispatch(store: &Subject, now: Timestamp) -> Vec<OutboxItem> {
    store
        .outbox_claim(request("dispatcher", now))
        .await
        .expect("claims messages")
}

/// The names of the messages that a dispatcher gets now.
pub async fn dispatched(store: &Subject, now: Timestamp) -> Vec<MessageId> {
    dispatch(store, now)
        .await
        .into_iter()
        .map(|item| item.message)
        .collect()
}

/// Passes the point of no return, for ten minutes.
pub async fn begin(store: &Subject, name: &str, now: Timestamp) -> bool {
    let until = now + SignedDuration::from_mins(10);
    store
        .outbox_begin(&message_id(name), "dispatcher", until)
        .await
        .expect("begins")
}

/// Says what became of a message.
pub async fn complete(store: &Subject, name: &str, when: Timestamp, result: CompletionResult) {
    let completion = Completion {
        message: message_id(name),
        owner: "dispatcher".to_owned(),
        at: when,
        result,
    };
    store
        .outbox_complete(vec![completion])
        .await
        .expect("completes");
}

/// The fate of having been sent, with nothing new about its name.
pub fn sent(when: Timestamp) -> Fate {
    Fate::Sent {
        at: when,
        transport_id: None,
    }
}

/// Unfolded inputs that say what became of messages.
pub async fn fates(store: &Subject, id: &ConversationId) -> Vec<(MessageId, Fate)> {
    store
        .pending_inputs(id, 0)
        .await
        .expect("reads")
        .into_iter()
        .filter_map(|stored| match stored.input {
            Input::Dispatched { message, fate } => Some((message, fate)),
            _ => None,
        })
        .collect()
}

/// How many inputs wait.
pub async fn unfolded(store: &Subject, id: &ConversationId) -> u32 {
    let row = store.conversation(&acme(), id).await.expect("reads");
    row.expect("is there").unfolded
}

/// When the conversation is due.
pub async fn wake_at(store: &Subject, id: &ConversationId) -> Option<Timestamp> {
    let row = store.conversation(&acme(), id).await.expect("reads");
    row.expect("is there").wake_at
}

/// The outcome of a need that ran out.
pub fn expired(when: Timestamp) -> Outcome {
    Outcome {
        outcome: OutcomeKind::Expired,
        at: when,
        slots: Default::default(),
    }
}

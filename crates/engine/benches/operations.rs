//! What the engine costs without a disk, a network or a model: operations end to end over the store
//! in memory, with the `rules` reader and the templates.
//!
//!     cargo bench -p liaison-engine

use divan::{Bencher, counter::ItemsCount};
use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    id::{ConversationId, NeedId, TenantId},
    input::Input,
    policy::{Policy, Wait},
    stakeholder::{Channel, EmailAddress, Stakeholder},
    transition::Opening,
};
use liaison_engine::{Engine, Limits, Parts};
use liaison_language::rules::{RulesReader, TemplateWriter};
use liaison_ports::{
    clock::Clock,
    fake::{MemoryStore, RecordingTransport, SeededEntropy, VirtualClock},
    inbound::{InboundKind, InboundMessage, Intake},
    store::{NewInput, NewNeed, Store},
    transport::Transport,
};
use serde_json::json;
use std::{collections::HashMap, sync::Arc};

fn main() {
    divan::main();
}

/// An engine, and a conversation in which one question was asked.
struct Office {
    runtime: tokio::runtime::Runtime,
    engine: Engine,
    store: Arc<MemoryStore>,
    clock: Arc<VirtualClock>,
    conversation: ConversationId,
}

fn tenant() -> TenantId {
    TenantId::new("tenant")
}

fn start() -> Timestamp {
    "2027-05-10T09:00:00Z".parse().expect("an instant")
}

fn office() -> Office {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let store = Arc::new(MemoryStore::new());
    let clock = Arc::new(VirtualClock::new(start()));
    let policy = Policy {
        gather: Wait::seconds(0),
        burst: Wait::seconds(0),
        ..Policy::default()
    };
    let present = policy.clone();
    let from = EmailAddress::parse("office@agency.example").expect("an address");
    let transport: Arc<dyn Transport> = Arc::new(RecordingTransport::new(from));
    let engine = Engine::new(
        Parts {
            store: store.clone(),
            clock: clock.clone(),
            entropy: Arc::new(SeededEntropy::new(1)),
            reader: Arc::new(RulesReader),
            writer: Arc::new(TemplateWriter),
            transports: HashMap::from([((tenant(), Channel::Email), transport)]),
            policies: Arc::new(move |_| present.clone()),
        },
        Limits::new("bench"),
    );
    let conversation = ConversationId::new("conversation");
    let stakeholder: Stakeholder = serde_json::from_value(json!({
        "name": "Ana",
        "language": "en",
        "contacts": [{
            "channel": "email",
            "address": "ana@example.com",
            "health": {"state": "working"},
            "consent": {"state": "given"},
        }],
    }))
    .expect("a stakeholder");
    let registration = serde_json::from_value(json!({
        "need": "need",
        "goal": "Decide who will arrange the inspection",
        "slots": [{
            "name": "pets",
            "kind": "boolean",
            "question": "May a tenant keep a dog?",
        }],
        "deadline": "2027-06-10T09:00:00Z",
    }))
    .expect("a registration");
    let need = NewNeed {
        tenant: tenant(),
        idempotency_key: None,
        request_hash: String::new(),
        registration,
        stakeholder: stakeholder.clone(),
        opening: Opening {
            id: conversation.clone(),
            tenant: tenant(),
            at: start(),
            stakeholder,
            reply_token: "token".to_owned(),
            policy,
        },
        at: start(),
    };
    runtime.block_on(async {
        store.register_need(need).await.expect("it is stored");
        engine.run_until_quiet().await;
        clock.advance(SignedDuration::from_hours(1));
    });
    Office {
        runtime,
        engine,
        store,
        clock,
        conversation,
    }
}

/// One operation: an input is stored, claimed, folded, the phase derived, the result committed.
#[divan::bench]
fn a_word_from_the_caller(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(office)
        .bench_local_refs(|office| {
            let input = NewInput {
                conversation: office.conversation.clone(),
                dedupe_key: "seen".to_owned(),
                at: office.clock.now(),
                input: Input::CallerSeen {
                    need: NeedId::new("need"),
                },
            };
            office.runtime.block_on(async {
                office
                    .store
                    .append_inputs(vec![input])
                    .await
                    .expect("it is stored");
                office.engine.run_until_quiet().await;
            });
        });
}

/// A reply is matched, stored, read and judged, the need settles, thanks are worded and sent.
#[divan::bench]
fn a_reply_that_settles_a_need(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(office).bench_local_refs(|office| {
        let at = office.clock.now();
        let reply = InboundMessage {
            tenant: tenant(),
            channel: Channel::Email,
            received_at: at,
            written_at: Some(at),
            from: EmailAddress::parse("ana@example.com").ok(),
            from_text: "ana@example.com".to_owned(),
            tokens: vec!["token".to_owned()],
            references: Vec::new(),
            transport_id: Some("<reply@example.com>".to_owned()),
            subject: "Re: your question".to_owned(),
            text: "Yes, a dog is fine.".to_owned(),
            attachments: Vec::new(),
            kind: InboundKind::Person,
            dedupe_key: "reply".to_owned(),
            raw: Vec::new(),
        };
        office.runtime.block_on(async {
            office
                .engine
                .intake()
                .take(reply)
                .await
                .expect("it is stored");
            office.engine.run_until_quiet().await;
        });
    });
}

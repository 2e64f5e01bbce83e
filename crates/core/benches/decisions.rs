//! What a decision costs, on conversations of 10, 20 and 40 needs with 10 slots each, every one of
//! them asked, and 25 asks for each need. Nothing is due, so that every rule is looked at: that is
//! the longest way through them.
//!
//!     cargo bench -p liaison-core

use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    conversation::{Ask, Conversation, MessageKind},
    id::{ConversationId, Entropy, MessageId, TenantId},
    input::{Input, StoredInput},
    journal::{Operation, Work},
    phase::{Phase, determine_phase, explain, next_wake},
    policy::Policy,
    sending::may_send,
    slot::SlotKey,
    stakeholder::Channel,
    transition::{self, Opening},
};
use serde_json::json;

/// Needs; the aim is about the one in the middle.
const NEEDS: [usize; 3] = [10, 20, 40];
const SLOTS: usize = 10;
const ASKS: usize = 25;

fn main() {
    divan::main();
}

fn now() -> Timestamp {
    "2027-05-12T10:00:00Z".parse().expect("an instant")
}

fn ago(hours: usize) -> Timestamp {
    let hours = i64::try_from(hours).expect("some hours");
    now()
        .checked_sub(SignedDuration::from_hours(hours))
        .expect("an instant that there is")
}

fn conversation(needs: usize) -> Conversation {
    let ana = json!({
        "name": "Ana",
        "language": "en",
        "contacts": [{
            "channel": "email",
            "address": "ana@example.com",
            "health": {"state": "working"},
            "consent": {"state": "given"},
        }],
    });
    let stakeholder = serde_json::from_value(ana).expect("a stakeholder");
    let mut c = transition::open(Opening {
        id: ConversationId::new("conversation"),
        tenant: TenantId::new("tenant"),
        at: ago(1_000),
        stakeholder,
        reply_token: "token".to_owned(),
        policy: Policy::default(),
    });
    let inputs = (0..needs).map(|need| {
        let slots: Vec<_> = (0..SLOTS)
            .map(|slot| {
                json!({
                    "name": format!("slot_{slot}"),
                    "kind": "boolean",
                    "question": format!("Is it so with the thing number {slot}?"),
                })
            })
            .collect();
        let registration = json!({
            // As long as a real id, and alike at its beginning, as ids of one hour are.
            "need": format!("019e1b2c-3d4e-7000-8000-{need:012}"),
            "goal": format!("Clear up the matter number {need}"),
            "slots": slots,
            "deadline": "2027-08-01T00:00:00Z",
        });
        StoredInput {
            seq: i64::try_from(need).expect("some needs") + 1,
            at: ago(1_000),
            input: Input::NeedRegistered {
                registration: serde_json::from_value(registration).expect("a registration"),
                stakeholder: Box::new(c.stakeholder.clone()),
            },
        }
    });
    let operation = Operation {
        revision: 0,
        at: ago(1_000),
        entropy: Entropy([7; 16]),
        inputs: inputs.collect(),
        phase: Phase::ApplyNeedOperations,
        work: Work::None,
    };
    transition::apply(&mut c, &operation).expect("it fits");
    // Every question once, in a message for each need; then reminders of some, two days ago.
    let keys: Vec<SlotKey> = c.slots.keys().cloned().collect();
    for (place, slot) in keys.iter().cycle().take(needs * ASKS).enumerate() {
        let reminder = place >= keys.len();
        c.asks.push(Ask {
            slot: slot.clone(),
            message: MessageId::new(format!("message-{}", place / SLOTS)),
            channel: Channel::Email,
            at: ago(if reminder { 48 } else { 400 }),
            reminder,
            confirms: false,
        });
    }
    assert!(matches!(
        determine_phase(&c, now()),
        Phase::Wait { .. } | Phase::Idle
    ));
    c
}

#[divan::bench(args = NEEDS)]
fn phase(bencher: Bencher<'_, '_>, needs: usize) {
    let c = conversation(needs);
    bencher.bench_local(|| determine_phase(black_box(&c), black_box(now())));
}

#[divan::bench(args = NEEDS)]
fn wake(bencher: Bencher<'_, '_>, needs: usize) {
    let c = conversation(needs);
    bencher.bench_local(|| next_wake(black_box(&c), black_box(now())));
}

#[divan::bench(args = NEEDS)]
fn permission(bencher: Bencher<'_, '_>, needs: usize) {
    let c = conversation(needs);
    bencher.bench_local(|| may_send(black_box(&c), MessageKind::FollowUp, black_box(now())));
}

#[divan::bench(args = NEEDS)]
fn explanation(bencher: Bencher<'_, '_>, needs: usize) {
    let c = conversation(needs);
    bencher.bench_local(|| explain(black_box(&c), black_box(now())));
}

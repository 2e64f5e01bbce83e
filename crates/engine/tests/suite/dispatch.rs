//! What becomes of messages on their way out.

use crate::{
    office::{LANDLORD, Office, Setup, YES, on_its_way, person, policy, recorder},
    store::{Operation, Trouble},
};
use async_trait::async_trait;
use liaison_core::{
    conversation::Action,
    effect::OutboundMessage,
    input::Input,
    policy::{Policy, UnknownSend, Wait},
    stakeholder::{Channel, Health},
};
use liaison_ports::{
    fake::{RecordingTransport, Scripted},
    store::{OutboxState, Store},
    transport::{ComposeFault, Composed, Delivery, Finding, Handover, Transport},
};
use std::{
    future::{Future, pending},
    pin::Pin,
    sync::{Arc, Mutex},
};

/// How often the engine offers a completion to a store that does not take it: as long as a lease.
const COMPLETION_TRIES: u32 = 240;

fn not_now() -> Scripted {
    let reason = "451 4.3.0 later".to_owned();
    Scripted::RefuseBefore(Delivery::RefusedForNow { reason })
}

fn never(address_is_bad: bool) -> Scripted {
    Scripted::RefuseBefore(Delivery::Refused {
        address_is_bad,
        reason: "550 5.1.1 no".to_owned(),
    })
}

#[tokio::test]
async fn what_is_refused_for_now_is_offered_again_later_and_arrives_once() {
    let office = Office::open();
    office.transport.push(not_now());
    office.transport.push(not_now());
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!((office.transport.tries(), office.asks()), (1, 0));

    office.passes(Wait::seconds(29)).await;
    assert_eq!(
        office.transport.tries(),
        1,
        "not before the first wait is over"
    );
    // The waits are 30 and 60 seconds, spread by up to a quarter.
    office.passes(Wait::seconds(9)).await;
    assert_eq!((office.transport.tries(), office.asks()), (2, 0));
    office.passes(Wait::seconds(59)).await;
    assert_eq!(office.transport.tries(), 2, "the second wait is longer");
    office.passes(Wait::seconds(17)).await;
    assert_eq!((office.transport.tries(), office.asks()), (3, 1));

    let asks = office.document(&conversation).await.asks;
    assert_eq!(asks.len(), 1);
    assert_eq!(asks[0].at, office.now(), "asked is when it was really sent");
    office.passes(Wait::hours(12)).await;
    assert_eq!(office.transport.tries(), 3);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn what_is_always_refused_for_now_is_given_up_and_an_operator_is_told() {
    let office = Office::open();
    for _ in 0..100 {
        office.transport.push(not_now());
    }
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let mut hours = 0;
    while office.holds(&conversation).await.is_empty() {
        office.passes(Wait::hours(2)).await;
        hours += 2;
        assert!(hours < 200, "it never gives up");
    }
    assert_eq!(office.transport.tries(), 50);
    assert_eq!(office.holds(&conversation).await, ["send_refused"]);
    let hold = &office.document(&conversation).await.holds[0];
    let sentence = hold.reason.sentence();
    assert!(sentence.contains("451 4.3.0 later"), "{sentence}");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn an_address_that_is_bad_is_left_for_the_next_one() {
    let office = Office::open();
    office.transport.push(never(true));
    let who = person(&[LANDLORD, "ana.second@example.com"]);
    let conversation = office.register_for("inspection", who).await;
    office.quiet().await;
    let arrived = office.transport.arrived();
    let to: Vec<_> = arrived.iter().map(|mail| mail.to.to_string()).collect();
    assert_eq!(to, ["ana.second@example.com"]);
    let contacts = office.document(&conversation).await.stakeholder.contacts;
    assert!(matches!(contacts[0].health, Health::Failed { .. }));
    assert!(office.holds(&conversation).await.is_empty());
    office.replays(&conversation).await;
}

#[tokio::test]
async fn without_a_further_address_an_operator_is_told() {
    let office = Office::open();
    office.transport.push(never(true));
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!(office.holds(&conversation).await, ["unreachable"]);
    assert_eq!(office.transport.tries(), 1);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_message_that_is_refused_though_its_address_is_good_is_an_operators_matter() {
    let office = Office::open();
    office.transport.push(never(false));
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!(office.holds(&conversation).await, ["send_refused"]);
    let contacts = office.document(&conversation).await.stakeholder.contacts;
    assert!(contacts[0].usable(), "{:?}", contacts[0]);

    office.commands(&conversation, Action::Resume).await;
    assert_eq!(office.asks(), 1, "resumed, it is asked");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_message_of_unknown_fate_is_never_blindly_sent_again() {
    for (arrived, sent) in [(true, true), (false, false)] {
        let office = Office::open();
        office.transport.push(Scripted::BreakOff { arrived });
        let conversation = office.register("inspection").await;
        office.quiet().await;
        assert_eq!(office.holds(&conversation).await, ["unknown_send"]);
        office.passes(Wait::days(5)).await;
        // Nor does an operator who does not know about the message send it again.
        office.commands(&conversation, Action::Resume).await;
        assert_eq!(office.transport.tries(), 1);
        assert_eq!(office.holds(&conversation).await, ["unknown_send"]);

        let message = on_its_way(&office.document(&conversation).await);
        let resolve = Action::ResolveSend { message, sent };
        office.commands(&conversation, resolve).await;
        // Five days later a reminder of a question that had gone is due at once.
        let document = office.document(&conversation).await;
        assert!(document.holds.is_empty() && document.outgoing.is_empty());
        let asked: Vec<_> = document.asks.iter().map(|ask| ask.reminder).collect();
        assert_eq!(asked, if sent { vec![false, true] } else { vec![false] });
        office.replays(&conversation).await;
    }
}

#[tokio::test]
async fn a_transport_that_can_look_says_what_became_of_a_message() {
    for (arrived, finding, tries) in [(true, Finding::Sent, 1), (false, Finding::NotSent, 2)] {
        let office = Office::open();
        office.transport.set_finding(finding);
        office.transport.push(Scripted::BreakOff { arrived });
        let conversation = office.register("inspection").await;
        office.quiet().await;
        office.passes(Wait::hours(1)).await;
        assert_eq!((office.transport.tries(), office.asks()), (tries, 1));
        assert!(office.holds(&conversation).await.is_empty());
        assert_eq!(office.document(&conversation).await.asks.len(), 1);
        office.replays(&conversation).await;
    }
}

#[tokio::test]
async fn where_the_policy_says_resend_the_same_bytes_go_a_second_time_and_no_third() {
    let office = Office::with(Setup {
        policy: Policy {
            unknown_send: UnknownSend::Resend,
            ..policy()
        },
        ..Setup::default()
    });
    for _ in 0..2 {
        office.transport.push(Scripted::BreakOff { arrived: true });
    }
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let arrived = office.transport.arrived();
    assert_eq!(arrived.len(), 2);
    assert_eq!(
        arrived[0], arrived[1],
        "the same bytes, so the same Message-ID"
    );
    assert_eq!(office.holds(&conversation).await, ["unknown_send"]);
    office.passes(Wait::days(5)).await;
    assert_eq!(office.transport.tries(), 2);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn what_could_not_be_made_durable_is_not_sent_and_is_offered_again() {
    let office = Office::open();
    office.store.trouble(Trouble::Fails(Operation::Begin, 1));
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!((office.transport.tries(), office.asks()), (2, 1));
    office.replays(&conversation).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_a_completion_for_a_while_gets_it_in_the_end() {
    let office = Office::open();
    office
        .store
        .trouble(Trouble::Fails(Operation::Complete, COMPLETION_TRIES - 1));
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!((office.transport.tries(), office.asks()), (1, 1));
    assert!(office.holds(&conversation).await.is_empty());
    assert_eq!(office.document(&conversation).await.asks.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lost_completion_leaves_a_message_of_unknown_fate_and_no_second_copy() {
    let office = Office::open();
    office
        .store
        .trouble(Trouble::Fails(Operation::Complete, COMPLETION_TRIES));
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!(office.asks(), 1);
    assert!(office.document(&conversation).await.asks.is_empty());
    // Until its lease runs out, nothing tells it from one that is being handed over.
    office.passes(Wait::seconds(19 * 60)).await;
    assert!(office.holds(&conversation).await.is_empty());
    office.passes(Wait::seconds(2 * 60)).await;
    assert_eq!(office.holds(&conversation).await, ["unknown_send"]);
    assert_eq!(office.transport.tries(), 1);
    office.replays(&conversation).await;
}

type Hook = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A transport during whose hand-overs something happens.
struct Interrupted {
    inner: Arc<RecordingTransport>,
    before: Mutex<Option<Hook>>,
    /// Whether the process dies once the message has arrived.
    dies: bool,
}

impl Interrupted {
    fn office(dies: bool) -> (Office, Arc<Self>) {
        let inner = recorder();
        let transport = Arc::new(Self {
            inner: inner.clone(),
            before: Mutex::new(None),
            dies,
        });
        let office = Office::with(Setup {
            transport: Some(transport.clone()),
            recorder: inner,
            ..Setup::default()
        });
        (office, transport)
    }

    fn before<F>(&self, hook: impl FnOnce() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        *self.before.lock().unwrap() = Some(Box::new(|| Box::pin(hook())));
    }
}

#[async_trait]
impl Transport for Interrupted {
    fn channel(&self) -> Channel {
        self.inner.channel()
    }

    fn compose(&self, message: &OutboundMessage) -> Result<Composed, ComposeFault> {
        self.inner.compose(message)
    }

    async fn deliver(&self, composed: &Composed, handover: &dyn Handover) -> Delivery {
        let hook = self.before.lock().unwrap().take();
        if let Some(hook) = hook {
            hook().await;
        }
        let delivery = self.inner.deliver(composed, handover).await;
        if self.dies {
            return pending().await;
        }
        delivery
    }

    async fn look_up(&self, composed: &Composed) -> Finding {
        self.inner.look_up(composed).await
    }

    async fn check(&self) -> Result<(), String> {
        self.inner.check().await
    }
}

#[tokio::test]
async fn a_reply_that_arrives_before_the_point_of_no_return_takes_the_message_back() {
    let (office, transport) = Interrupted::office(false);
    let conversation = office.register("inspection").await;
    let intake = office.engine.intake();
    let letter = office.letter("inspection", YES);
    transport.before(move || async move {
        liaison_ports::inbound::Intake::take(&intake, letter)
            .await
            .unwrap();
    });
    office.quiet().await;
    assert!(office.is_fulfilled("inspection").await);
    assert_eq!(office.asks(), 0, "{:?}", office.mail());
    assert_eq!(office.mail().len(), 1, "only the thanks");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_message_is_put_back_for_an_input_that_changes_nothing_and_goes_then() {
    let (office, transport) = Interrupted::office(false);
    let conversation = office.register("inspection").await;
    let (store, at) = (office.store.clone(), office.now());
    let to = conversation.clone();
    transport.before(move || async move {
        let need = liaison_core::id::NeedId::new("inspection");
        let seen = liaison_ports::store::NewInput {
            conversation: to,
            dedupe_key: "seen".to_owned(),
            at,
            input: Input::CallerSeen { need },
        };
        store.append_inputs(vec![seen]).await.unwrap();
    });
    office.quiet().await;
    assert_eq!((office.transport.tries(), office.asks()), (2, 1));
    let decided = office.decided(&conversation).await;
    assert_eq!(decided, 1, "it is the same message");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_dispatcher_that_died_with_a_message_in_its_hands_leaves_its_fate_unknown() {
    let (office, _transport) = Interrupted::office(true);
    let conversation = office.register("inspection").await;
    // The process: it hangs with the message handed over, and goes away.
    let mut arrived = false;
    tokio::select! {
        biased;
        () = office.engine.run_until_quiet() => {}
        () = async { while !arrived { arrived = office.asks() == 1; tokio::task::yield_now().await } } => {}
    }
    assert!(arrived);
    let rows = office
        .store
        .outbox(&crate::office::tenant(), 10)
        .await
        .unwrap();
    assert_eq!(rows[0].state, OutboxState::Transmitting);

    let second = office.another(Setup::default().reader);
    office.clock.advance(jiff::SignedDuration::from_mins(21));
    second.run_until_quiet().await;
    assert_eq!(office.holds(&conversation).await, ["unknown_send"]);
    assert_eq!(office.asks(), 1);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn messages_of_a_conversation_go_one_after_the_other() {
    let office = Office::open();
    office.transport.push(not_now());
    let conversation = office.register("first").await;
    office.quiet().await;
    office.register("second").await;
    // While the first waits to be tried again, the second is not even decided.
    office.passes(Wait::seconds(10)).await;
    assert_eq!(office.transport.tries(), 1);
    assert_eq!(office.document(&conversation).await.outgoing.len(), 1);
    office.passes(Wait::hours(1)).await;
    let subjects = office.document(&conversation).await.asks.in_time();
    let asked: Vec<_> = subjects
        .iter()
        .map(|ask| ask.slot.subject.clone())
        .collect();
    assert_eq!(asked, ["first", "second"]);
    assert_eq!(office.mail().len(), 2);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_panic_in_a_delivery_stops_no_other_and_the_message_goes_when_its_claim_has_run_out() {
    let (office, transport) = Interrupted::office(false);
    office.register("inspection").await;
    office
        .register_for("other", person(&["bob@example.com"]))
        .await;
    transport.before(|| async { panic!("a fault in the transport") });
    office.quiet().await;
    assert_eq!(office.asks(), 1);
    office.passes(Wait::seconds(21 * 60)).await;
    assert_eq!(office.asks(), 2);
}

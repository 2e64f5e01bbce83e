//! Claims, commits and their troubles.

use crate::{
    office::{Failing, Office, Setup, YES, person, policy, tenant, understand},
    store::{Operation, Trouble},
};
use async_trait::async_trait;
use jiff::SignedDuration;
use liaison_core::{
    form::{ReadRequest, Reading},
    gate::draft::DraftFault,
    id::TenantId,
    input::Input,
    journal::Work,
    plan::{Draft, MessagePlan, Wording, template},
    policy::{Policy, Wait},
};
use liaison_engine::{Engine, EngineIntake};
use liaison_ports::{
    inbound::{InboundMessage, Intake},
    language::{Answered, FormFiller, ModelFault, Usage, Writer},
    store::{ClaimRequest, Store},
};
use std::sync::{Arc, Mutex, OnceLock};

#[tokio::test]
async fn a_document_that_cannot_be_read_stops_nobody_else() {
    let office = Office::open();
    let broken = office.register("broken").await;
    office.store.trouble(Trouble::Garbled(broken.clone()));
    office
        .register_for("sound", person(&["bob@example.com"]))
        .await;
    office.quiet().await;
    assert_eq!(office.asks(), 1);
    let row = office.row(&broken).await;
    let why = row.quarantined.expect("it is set aside");
    assert!(why.contains("not a conversation"), "{why}");
    assert_eq!(row.unfolded, 1, "what it waits for is kept");
    // It is not claimed again, and mail for it is still taken.
    office.replies("broken", YES).await;
    assert_eq!(office.row(&broken).await.unfolded, 2);
    assert!(office.operations(&broken).await.is_empty());
}

#[tokio::test]
async fn a_message_that_no_transport_can_compose_sets_only_its_conversation_aside() {
    let office = Office::open();
    let elsewhere = TenantId::new("globex");
    let need = office.new_need(&elsewhere, "theirs", person(&["bob@example.com"]));
    office.store.register_need(need).await.unwrap();
    office.register("ours").await;
    office.quiet().await;
    assert_eq!(office.asks(), 1);
    let id = liaison_core::id::ConversationId::new("conversation-theirs");
    let row = office
        .store
        .conversation(&elsewhere, &id)
        .await
        .unwrap()
        .unwrap();
    let why = row.quarantined.expect("it is set aside");
    assert!(
        why.contains("no transport is configured for email"),
        "{why}"
    );
}

#[tokio::test]
async fn an_operation_that_was_not_stored_is_done_again() {
    for operation in [Operation::Commit, Operation::CommitAfterwards] {
        let office = Office::open();
        office.store.trouble(Trouble::Fails(operation, 2));
        let conversation = office.register("inspection").await;
        office.quiet().await;
        assert_eq!(office.asks(), 1, "{operation:?}");
        office.store.trouble(Trouble::Fails(operation, 3));
        office.replies("inspection", YES).await;
        assert!(office.is_fulfilled("inspection").await, "{operation:?}");
        assert_eq!(office.mail().len(), 2, "{operation:?}");
        office.replays(&conversation).await;
    }
}

/// A writer that promises what nobody planned, and keeps what it was told.
#[derive(Default)]
struct Reckless(Mutex<Vec<Vec<DraftFault>>>);

#[async_trait]
impl Writer for Reckless {
    async fn write(
        &self,
        plan: &MessagePlan,
        faults: &[DraftFault],
    ) -> Result<Answered<Draft>, ModelFault> {
        self.0.lock().unwrap().push(faults.to_vec());
        let mut draft = template::render(plan);
        draft
            .body
            .push_str("\nWe will pay you 500 EUR by 3 June 2027.\n");
        draft.by = Wording::Model;
        let usage = Usage {
            requests: 1,
            prompt_tokens: 10,
            ..Usage::default()
        };
        Ok(Answered {
            answer: draft,
            usage,
        })
    }
}

#[tokio::test]
async fn a_draft_that_fails_its_checks_twice_gives_way_to_the_template() {
    let writer = Arc::new(Reckless::default());
    let office = Office::with(Setup {
        writer: writer.clone(),
        ..Setup::default()
    });
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let told = writer.0.lock().unwrap().clone();
    assert_eq!(told.len(), 2);
    assert!(told[0].is_empty());
    assert!(
        !told[1].is_empty(),
        "the second time it hears what was wrong"
    );
    assert_eq!(office.asks(), 1);
    assert!(!office.mail()[0].contains("500"), "{}", office.mail()[0]);
    let rows = office.journal(&conversation).await.operations;
    let drafts: Vec<_> = rows
        .iter()
        .filter_map(|row| match &row.operation.work {
            Work::Draft(draft) => Some((draft.by, row.usage.clone())),
            _ => None,
        })
        .collect();
    let [(by, Some(usage))] = &drafts[..] else {
        panic!("{drafts:?}");
    };
    assert_eq!(
        (*by, usage.requests, usage.prompt_tokens),
        (Wording::Template, 2, 20)
    );
    office.replays(&conversation).await;
}

/// A writer while whom Ana writes.
#[derive(Default)]
struct Overtaken {
    by: OnceLock<(EngineIntake, InboundMessage)>,
}

#[async_trait]
impl Writer for Overtaken {
    async fn write(
        &self,
        plan: &MessagePlan,
        _faults: &[DraftFault],
    ) -> Result<Answered<Draft>, ModelFault> {
        let (intake, letter) = self.by.get().expect("it was told");
        intake.take(letter.clone()).await.unwrap();
        Ok(Answered {
            answer: template::render(plan),
            usage: Usage::default(),
        })
    }
}

#[tokio::test]
async fn a_draft_is_void_when_a_message_arrived_while_it_was_worded() {
    let writer = Arc::new(Overtaken::default());
    let office = Office::with(Setup {
        writer: writer.clone(),
        ..Setup::default()
    });
    let letter = office.letter("inspection", YES);
    let told = writer.by.set((office.engine.intake(), letter));
    assert!(told.is_ok());
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert!(office.is_fulfilled("inspection").await);
    let decided = office.decided(&conversation).await;
    assert_eq!(decided, 1, "only the thanks were ever decided");
    assert_eq!(office.asks(), 0);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_policy_that_changed_counts_from_the_next_operation_on_also_when_it_changes_back() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    let first = office.document(&conversation).await.policy;
    let second = Policy {
        acknowledge: false,
        signature: "Marchmont Lettings".to_owned(),
        ..first.clone()
    };
    for policy in [&second, &first, &second] {
        *office.policy.lock().unwrap() = policy.clone();
        let need = liaison_core::id::NeedId::new("inspection");
        office
            .input(&conversation, Input::CallerSeen { need })
            .await;
        office.quiet().await;
        assert_eq!(office.document(&conversation).await.policy, *policy);
    }
    office.replies("inspection", YES).await;
    assert!(office.is_fulfilled("inspection").await);
    assert_eq!(office.mail().len(), 1, "the new policy thanks for nothing");
    office.replays(&conversation).await;
}

/// A reader that takes so long that somebody else has read the message meanwhile.
#[derive(Default)]
struct Slow {
    meanwhile: OnceLock<(Engine, Arc<liaison_ports::fake::VirtualClock>)>,
}

#[async_trait]
impl FormFiller for Slow {
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        let (other, clock) = self.meanwhile.get().expect("it was told");
        clock.advance(SignedDuration::from_mins(21));
        other.run_until_quiet().await;
        // It understood nothing; were that committed, an operator would be asked.
        Ok(Answered {
            answer: understand(&ReadRequest {
                words: Vec::new(),
                ..request.clone()
            }),
            usage: Usage::default(),
        })
    }
}

#[tokio::test]
async fn what_a_reader_brings_too_late_is_refused() {
    let slow = Arc::new(Slow::default());
    let office = Office::with(Setup {
        reader: slow.clone(),
        ..Setup::default()
    });
    let other = office.another(Setup::default().reader);
    assert!(slow.meanwhile.set((other, office.clock.clone())).is_ok());
    let conversation = office.register("inspection").await;
    office.quiet().await;
    office.replies("inspection", YES).await;
    assert!(office.is_fulfilled("inspection").await);
    assert!(office.holds(&conversation).await.is_empty());
    let readings = office.operations(&conversation).await;
    let readings = readings
        .iter()
        .filter(|o| matches!(o.work, Work::Reading(_)));
    assert_eq!(readings.count(), 1);
    assert_eq!(office.mail().len(), 2);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_claim_that_somebody_died_with_is_taken_up_when_its_lease_runs_out() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    let now = office.now();
    let claim = ClaimRequest {
        owner: "dead".to_owned(),
        now,
        lease_until: Wait::seconds(20 * 60).after(now),
        limit: 10,
    };
    assert_eq!(office.store.claim_due(claim).await.unwrap().len(), 1);
    office.passes(Wait::seconds(19 * 60)).await;
    assert_eq!(office.asks(), 0);
    office.passes(Wait::seconds(60)).await;
    assert_eq!(office.asks(), 1);
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_burst_is_read_as_one_message() {
    let faults = Mutex::default();
    let office = Office::with(Setup {
        reader: Arc::new(Failing { faults }),
        policy: Policy {
            burst: Wait::seconds(60),
            ..policy()
        },
        ..Setup::default()
    });
    let conversation = office.register("inspection").await;
    office.quiet().await;
    for text in ["Hello,", "thank you for your message.", YES] {
        office.replies("inspection", text).await;
        office.passes(Wait::seconds(30)).await;
    }
    assert!(office.outcome("inspection").await.is_none());
    office.passes(Wait::seconds(30)).await;
    assert!(office.is_fulfilled("inspection").await);
    let operations = office.operations(&conversation).await;
    let readings = operations
        .iter()
        .filter(|o| matches!(o.work, Work::Reading(_)));
    assert_eq!(readings.count(), 1);
    assert!(office.store.outbox(&tenant(), 10).await.unwrap().is_empty());
    office.replays(&conversation).await;
}

/// A reader with a fault in its code.
struct Panicking;

#[async_trait]
impl FormFiller for Panicking {
    async fn fill(&self, _: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        panic!("index {} is out of bounds", 7)
    }
}

#[tokio::test]
async fn a_panic_in_an_operation_sets_its_conversation_aside_and_stops_nobody_else() {
    let office = Office::with(Setup {
        reader: Arc::new(Panicking),
        ..Setup::default()
    });
    let broken = office.register("broken").await;
    office.quiet().await;
    office.takes(office.letter("broken", YES)).await;
    office
        .register_for("sound", person(&["bob@example.com"]))
        .await;
    office.quiet().await;
    assert_eq!(office.asks(), 2);
    let row = office.row(&broken).await;
    let why = row.quarantined.expect("it is set aside");
    assert_eq!(why, "the operation panicked: index 7 is out of bounds");
    assert_eq!(row.unfolded, 1, "the message is kept");
    office.replays(&broken).await;
}

//! Random histories through the engine: whatever happens in whatever order, the journal gives what
//! is stored, nothing goes out twice, an outcome stays what it was, and the work has an end. The
//! same history with the same entropy is the same to the byte.

use crate::office::{Failing, Office, Setup, YES, person, policy, tenant};
use liaison_core::{
    conversation::Action,
    id::{ConversationId, NeedId},
    input::Input,
    need::Outcome,
    policy::{Policy, Wait},
};
use liaison_ports::{
    fake::Scripted,
    inbound::InboundKind,
    language::ModelFault,
    store::{ConversationFilter, Store},
    transport::{Delivery, Finding},
};
use proptest::{collection::vec, prelude::*};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The people; each has one conversation, however many needs.
const PEOPLE: [&str; 3] = ["ana@example.com", "bob@example.com", "cleo@example.com"];

const TEXTS: [&str; 6] = [
    YES,
    "Hello.",
    "Can I pass by the office?",
    "STOP",
    "I will arrange it myself.",
    "",
];

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    Registers(usize),
    Cancels(usize),
    Writes(usize, usize),
    IsAway(usize),
    Bounces(usize, bool),
    Stranger(usize),
    Commands(usize, Command),
    Transport(Scripted),
    LooksUp(Finding),
    ReaderFails(u8),
    Policy(bool),
    Passes(Wait),
    Works,
}

#[derive(Clone, Copy, Debug)]
enum Command {
    Resume,
    Answer,
    Resolve(bool),
    Hold,
    TakeOver,
    HandBack,
}

fn step() -> impl Strategy<Value = Step> {
    let who = || 0..PEOPLE.len();
    let command = prop_oneof![
        3 => Just(Command::Resume),
        1 => Just(Command::Answer),
        2 => any::<bool>().prop_map(Command::Resolve),
        1 => Just(Command::Hold),
        1 => Just(Command::TakeOver),
        1 => Just(Command::HandBack),
    ];
    let refused = |address_is_bad| {
        let reason = "no".to_owned();
        Delivery::Refused {
            address_is_bad,
            reason,
        }
    };
    let not_now = Delivery::RefusedForNow {
        reason: "later".to_owned(),
    };
    let transport = prop_oneof![
        Just(Scripted::Accept),
        Just(Scripted::RefuseBefore(not_now.clone())),
        Just(Scripted::RefuseAfter(not_now)),
        any::<bool>().prop_map(move |bad| Scripted::RefuseBefore(refused(bad))),
        any::<bool>().prop_map(|arrived| Scripted::BreakOff { arrived }),
    ];
    // Nobody can tell that a message did not arrive that did: that finding is not drawn.
    let finding = prop_oneof![Just(Finding::CannotTell), Just(Finding::Sent)];
    let wait = prop_oneof![
        Just(Wait::seconds(1)),
        Just(Wait::seconds(45)),
        Just(Wait::hours(1)),
        Just(Wait::days(1)),
        Just(Wait::days(4)),
    ];
    prop_oneof![
        4 => who().prop_map(Step::Registers),
        1 => who().prop_map(Step::Cancels),
        5 => (who(), 0..TEXTS.len()).prop_map(|(who, text)| Step::Writes(who, text)),
        1 => who().prop_map(Step::IsAway),
        1 => (who(), any::<bool>()).prop_map(|(who, permanent)| Step::Bounces(who, permanent)),
        1 => who().prop_map(Step::Stranger),
        4 => (who(), command).prop_map(|(who, command)| Step::Commands(who, command)),
        3 => transport.prop_map(Step::Transport),
        1 => finding.prop_map(Step::LooksUp),
        1 => (1_u8..4).prop_map(Step::ReaderFails),
        1 => any::<bool>().prop_map(Step::Policy),
        4 => wait.prop_map(Step::Passes),
        9 => Just(Step::Works),
    ]
}

/// What is left of a history, and what was seen on its way.
struct World {
    office: Office,
    reader: Arc<Failing>,
    needs: Vec<(usize, NeedId)>,
    outcomes: BTreeMap<NeedId, Outcome>,
}

impl World {
    fn new(seed: u64) -> Self {
        let reader = Arc::new(Failing {
            faults: Default::default(),
        });
        let office = Office::with(Setup {
            reader: reader.clone(),
            seed,
            ..Setup::default()
        });
        Self {
            office,
            reader,
            needs: Vec::new(),
            outcomes: BTreeMap::new(),
        }
    }

    async fn does(&mut self, step: &Step) {
        let office = &self.office;
        match step {
            Step::Registers(who) => {
                let need = format!("need-{:03}", self.needs.len());
                office.register_for(&need, person(&[PEOPLE[*who]])).await;
                self.needs.push((*who, NeedId::new(need)));
            }
            Step::Cancels(who) => {
                let need = self.needs.iter().find(|(of, _)| of == who);
                if let (Some((_, need)), Some(id)) = (need, self.conversation(*who).await) {
                    let need = need.clone();
                    office.input(&id, Input::NeedCancelled { need }).await;
                }
            }
            Step::Writes(who, text) => {
                self.letter(*who, TEXTS[*text], InboundKind::Person, PEOPLE[*who])
                    .await;
            }
            Step::IsAway(who) => {
                self.letter(*who, YES, InboundKind::Automatic, PEOPLE[*who])
                    .await;
            }
            Step::Bounces(who, permanent) => {
                let kind = InboundKind::Bounce {
                    original: None,
                    recipients: Vec::new(),
                    permanent: *permanent,
                    reason: "no such user".to_owned(),
                };
                self.letter(*who, "It came back.", kind, "daemon@example.com")
                    .await;
            }
            Step::Stranger(who) => {
                self.letter(*who, YES, InboundKind::Person, "x@example.org")
                    .await;
            }
            Step::Commands(who, command) => {
                if let Some(id) = self.conversation(*who).await {
                    self.commands(&id, *command).await;
                }
            }
            Step::Transport(scripted) => office.transport.push(scripted.clone()),
            Step::LooksUp(finding) => office.transport.set_finding(*finding),
            Step::ReaderFails(times) => {
                let fault = ModelFault::Unavailable("it is down".to_owned());
                let mut faults = self.reader.faults.lock().unwrap();
                faults.extend((0..*times).map(|_| fault.clone()));
            }
            Step::Policy(thanks) => {
                *office.policy.lock().unwrap() = Policy {
                    acknowledge: *thanks,
                    ..policy()
                };
            }
            Step::Passes(wait) => {
                let wait = jiff::SignedDuration::from_secs(wait.as_seconds());
                office.clock.advance(wait);
            }
            Step::Works => {
                office.quiet().await;
                self.check().await;
            }
        }
    }

    async fn conversation(&self, who: usize) -> Option<ConversationId> {
        let (_, need) = self.needs.iter().find(|(of, _)| *of == who)?;
        let row = self.office.store.need(&tenant(), need).await.unwrap();
        row.map(|row| row.conversation)
    }

    async fn letter(&self, who: usize, text: &str, kind: InboundKind, from: &str) {
        // The token is that of the need that opened the conversation; before there is one, the
        // message belongs nowhere.
        let opener = self.needs.iter().find(|(of, _)| *of == who);
        let need = opener.map_or("nobody", |(_, need)| need.as_str());
        let mut letter = self.office.letter(need, text);
        letter.kind = kind;
        letter.from = Some(crate::office::address(from));
        self.office.takes(letter).await;
    }

    async fn commands(&self, id: &ConversationId, command: Command) {
        let by = "olga".to_owned();
        let input = match command {
            Command::Hold => Input::HoldRequested {
                by,
                note: "let me look".to_owned(),
                need: None,
                until: None,
            },
            Command::TakeOver => Input::TakenOver { by },
            Command::HandBack => Input::HandedBack { by },
            Command::Resume => Input::QuickAction {
                by,
                action: Action::Resume,
            },
            Command::Answer => Input::QuickAction {
                by,
                action: Action::Answer {
                    text: "We are open from 9 to 17.".to_owned(),
                },
            },
            Command::Resolve(sent) => {
                let document = self.office.document(id).await;
                let Some(unknown) = document.outgoing.iter().find(|o| o.unknown_since.is_some())
                else {
                    return;
                };
                Input::QuickAction {
                    by,
                    action: Action::ResolveSend {
                        message: unknown.message.clone(),
                        sent,
                    },
                }
            }
        };
        self.office.input(id, input).await;
    }

    async fn conversations(&self) -> Vec<ConversationId> {
        let filter = ConversationFilter {
            limit: 100,
            ..ConversationFilter::default()
        };
        let list = self
            .office
            .store
            .conversations(&tenant(), filter)
            .await
            .unwrap();
        let ids: BTreeSet<_> = list.into_iter().map(|summary| summary.id).collect();
        ids.into_iter().collect()
    }

    async fn check(&mut self) {
        let office = &self.office;
        for id in self.conversations().await {
            let row = office.row(&id).await;
            assert_eq!(row.quarantined, None);
            assert_eq!(row.unfolded, 0, "it works everything off");
            office.replays(&id).await;
        }
        let arrived = office.transport.arrived();
        let ids: BTreeSet<_> = arrived.iter().map(|mail| &mail.transport_id).collect();
        assert_eq!(ids.len(), arrived.len(), "something went out twice");
        for (_, need) in &self.needs {
            let row = office.store.need(&tenant(), need).await.unwrap().unwrap();
            match (self.outcomes.get(need), row.outcome) {
                (Some(before), now) => assert_eq!(Some(before), now.as_ref()),
                (None, Some(outcome)) => {
                    self.outcomes.insert(need.clone(), outcome);
                }
                (None, None) => {}
            }
        }
        let before = self.told().await;
        office.quiet().await;
        assert!(before == self.told().await, "it was not quiet");
    }

    /// All that can be seen, as text.
    async fn told(&self) -> String {
        let mut told = String::new();
        for id in self.conversations().await {
            let operations = self.office.operations(&id).await;
            told += &serde_json::to_string(&operations).unwrap();
            told += &serde_json::to_string(&self.office.document(&id).await).unwrap();
        }
        for mail in self.office.mail() {
            told += &mail;
        }
        let outbox = self.office.store.outbox(&tenant(), 1_000).await.unwrap();
        told + &serde_json::to_string(&outbox).unwrap()
    }
}

async fn plays(seed: u64, steps: &[Step]) -> String {
    let mut world = World::new(seed);
    for step in steps {
        world.does(step).await;
    }
    world.does(&Step::Works).await;
    world.told().await
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        // A failing history is printed whole.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_history_is_what_its_journal_says_and_the_same_again(
        seed in any::<u64>(),
        steps in vec(step(), 1..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (first, again) =
            runtime.block_on(async { (plays(seed, &steps).await, plays(seed, &steps).await) });
        prop_assert!(first == again, "the same history differs: {first}\n{again}");
    }
}

//! As much of an engine as these tests need: it folds what is stored and carries out every phase
//! that needs no writer. Its reader knows one thing only: when somebody else is named.

use jiff::{SignedDuration, Timestamp};
use liaison_core::{
    effect::Effect,
    form::{MessageForm, ReadRequest, Reading, SlotForm, SlotQuestion},
    id::Entropy,
    journal::{Operation, Work},
    phase::due_at,
    transition::{self, WorkOrder},
};
use liaison_ports::store::{ClaimRequest, Commit, Step, Store, StoredEffect};

/// Works off everything that is due at `now`. Gives the number of operations committed.
pub(crate) async fn run(store: &dyn Store, now: Timestamp) -> usize {
    let claim = ClaimRequest {
        owner: "test".to_owned(),
        now,
        lease_until: now + SignedDuration::from_secs(60),
        limit: 100,
    };
    let mut commits = 0;
    for claimed in store.claim_due(claim).await.expect("claims") {
        let mut document = *claimed.document.expect("the document can be read");
        let mut inputs = claimed.inputs;
        // No conversation in these tests needs more.
        for _ in 0..20 {
            let entropy = entropy(&document.id.to_string(), document.revision);
            let begun = transition::begin(document.clone(), &inputs, now, entropy);
            let phase = begun.phase().clone();
            let work = match begun.work_order() {
                WorkOrder::Read(request) => Some(read(&request)),
                WorkOrder::None => Some(Work::None),
                WorkOrder::Write(_) => None,
            };
            let done = phase.is_waiting() || work.is_none();
            if done && inputs.is_empty() {
                break;
            }
            assert!(
                !done || phase.is_waiting(),
                "{phase:?} needs a writer at once"
            );
            let operation = Operation {
                revision: document.revision,
                at: now,
                entropy,
                inputs: std::mem::take(&mut inputs),
                phase,
                work: work.unwrap_or(Work::None),
            };
            let applied = transition::apply(&mut document, &operation).expect("applies");
            let commit = Commit {
                fence: claimed.fence,
                wake_at: due_at(&document, now),
                document: document.clone(),
                steps: vec![Step {
                    operation,
                    judgement: applied.judgement,
                    usage: None,
                    effects: applied.effects.into_iter().map(stored).collect(),
                }],
                only_without_newer_inputs: false,
                keep_until: Some(now + SignedDuration::from_secs(60)),
            };
            store.commit(commit).await.expect("commits");
            commits += 1;
        }
        let wake_at = due_at(&document, now).filter(|at| *at > now);
        store
            .release(&claimed.id, claimed.fence, wake_at)
            .await
            .expect("releases");
    }
    commits
}

fn read(request: &ReadRequest) -> Work {
    let mut named = request.words.iter().map(|words| words.text.as_str()).rev();
    let named = named.find(|text| text.contains("my assistant"));
    let silent = |slot: &SlotQuestion| SlotForm::silent(slot.self_checks.len());
    Work::Reading(Box::new(Reading {
        message: MessageForm {
            names_another: named.unwrap_or_default().to_owned(),
            ..MessageForm::default()
        },
        slots: request.slots.iter().map(silent).collect(),
    }))
}

fn stored(effect: Effect) -> StoredEffect {
    match effect {
        Effect::NeedSettled { need, outcome } => StoredEffect::Settle { need, outcome },
        Effect::NeedAmended { amendment } => StoredEffect::Amend { amendment },
        Effect::Event { need, event } => StoredEffect::Event { need, event },
        other => unreachable!("nothing is sent here: {other:?}"),
    }
}

fn entropy(id: &str, revision: u64) -> Entropy {
    let mut bytes = [0; 16];
    for (place, byte) in id.bytes().chain(revision.to_be_bytes()).enumerate() {
        bytes[place % 16] ^= byte.rotate_left(u32::try_from(place / 16).unwrap_or(0));
    }
    Entropy(bytes)
}

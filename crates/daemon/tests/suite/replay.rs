//! `liaison replay`, on stores that are as they should be and on one that is not.

use crate::harness::{Told, liaison};
use liaison_core::{
    conversation::{Conversation, TakenOver},
    id::Entropy,
    journal::{Operation, Work},
    phase::due_at,
    transition,
};
use liaison_ports::{
    conformance::{
        Subject,
        fixture::{at, claim_one, new_need, register},
    },
    store::{Commit, Step},
};
use liaison_store_sqlite::{Options, SqliteStore};
use std::{path::Path, sync::Arc};

/// Some time in 2023, at night in UTC.
const THEN: i64 = -100_000_000;

/// Registers a need about somebody, and has it applied; `tamper` changes what is stored of it.
async fn registered(store: &Subject, name: &str, tamper: impl Fn(&mut Conversation)) {
    let mut need = new_need(name);
    need.at = at(THEN);
    need.opening.at = at(THEN);
    register(store, need).await;
    let claimed = claim_one(store, at(THEN)).await;
    let mut document = *claimed.document.expect("the document can be read");
    let entropy = Entropy([7; 16]);
    let begun = transition::begin(document.clone(), &claimed.inputs, at(THEN), entropy);
    let operation = Operation {
        revision: document.revision,
        at: at(THEN),
        entropy,
        inputs: claimed.inputs,
        phase: begun.phase().clone(),
        work: Work::None,
    };
    let applied = transition::apply(&mut document, &operation).expect("applies");
    assert_eq!(applied.effects, [], "nothing is decided yet");
    tamper(&mut document);
    let commit = Commit {
        fence: claimed.fence,
        wake_at: due_at(&document, at(THEN)),
        document,
        steps: vec![Step {
            operation,
            judgement: None,
            usage: None,
            effects: Vec::new(),
        }],
        only_without_newer_inputs: false,
        keep_until: None,
    };
    store.commit(commit).await.expect("commits");
}

async fn replay(folder: &Path, arguments: &[&str]) -> Told {
    let url = format!("sqlite:{}", folder.join("store.db").display());
    let store = ["--store", &url, "--tenant", "acme"];
    let nothing: [(&str, &str); 0] = [];
    liaison(&[&["replay"], &store[..], arguments].concat(), nothing).await
}

#[tokio::test]
async fn a_store_is_replayed_beside_whoever_has_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let open = SqliteStore::open(&path, Options::default()).await.unwrap();
    let store: Subject = Arc::new(open);
    registered(&store, "ana", |_| {}).await;
    registered(&store, "bo", |_| {}).await;

    let told = replay(folder.path(), &["--all"]).await.fine();
    assert!(told.contains("2 replayed, all as stored"), "{told}");
    let told = replay(folder.path(), &["conversation-ana", "--json"]).await;
    let told = told.fine();
    let report: serde_json::Value = serde_json::from_str(&told).expect("one line of JSON");
    assert_eq!(report["same"], true, "{told}");
    assert_eq!(report["revision"], 1, "{told}");
    let told = replay(folder.path(), &["conversation-cy"]).await.failure();
    assert!(told.contains("no conversation conversation-cy"), "{told}");

    registered(&store, "cy", |document| {
        document.taken_over = Some(TakenOver {
            by: "nobody".to_owned(),
            since: at(0),
        });
    })
    .await;
    let told = replay(folder.path(), &["--all"]).await;
    assert!(!told.succeeded, "a difference is a failure");
    assert!(
        told.out.contains("conversation-cy  revision 1  DIFFERS"),
        "{}",
        told.out
    );
    assert!(
        told.out.contains("taken_over: replayed null, stored"),
        "{}",
        told.out
    );
    assert!(told.err.contains("1 of 3 conversations"), "{}", told.err);
    assert!(store.check().await.is_ok(), "it is still in use");
}

#[tokio::test]
async fn another_policy_is_shown_decision_by_decision_and_fails_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let open = SqliteStore::open(&path, Options::default()).await.unwrap();
    let store: Subject = Arc::new(open);
    registered(&store, "ana", |_| {}).await;

    let day_and_night = "quiet_hours = { from = \"00:00\", until = \"00:00\" }";
    let file = folder.path().join("policy.toml");
    let arguments = ["conversation-ana", "--policy", file.to_str().unwrap()];
    for text in [
        day_and_night.to_owned(),
        format!("[tenants.acme.policy]\n{day_and_night}"),
    ] {
        std::fs::write(&file, text).unwrap();
        let told = replay(folder.path(), &arguments).await.fine();
        assert!(
            told.contains("2023-11-14T22:13:50Z  waited -> would have asked need-ana/"),
            "{told}"
        );
    }
    for (text, named) in [
        ("quiet = 5", "unknown field `quiet`"),
        ("weekly_cap = 0", "weekly_cap: this is 0, so nothing could"),
        (
            "[tenants.acme.policy]\nweekly_cap = 0",
            "weekly_cap: this is 0, so nothing could",
        ),
        (
            "[tenants.other.policy]\nweekly_cap = 1",
            "without tenants.acme.policy",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let told = replay(folder.path(), &arguments).await.failure();
        assert!(told.contains("--policy") && told.contains(named), "{told}");
    }
}

#[tokio::test]
async fn a_store_on_the_command_line_goes_before_a_configuration_in_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let open = SqliteStore::open(&path, Options::default()).await.unwrap();
    let store: Subject = Arc::new(open);
    registered(&store, "ana", |_| {}).await;

    let url = format!("sqlite:{}", path.display());
    let arguments = ["replay", "--all", "--store", &url, "--tenant", "acme"];
    let environment = [("LIAISON_CONFIG", "/there/is/no/such/liaison.toml")];
    let told = liaison(&arguments, environment).await.fine();
    assert!(told.contains("1 replayed, all as stored"), "{told}");
}

#[tokio::test]
async fn a_store_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let told = replay(folder.path(), &["--all"]).await.failure();
    assert!(told.contains("store.db"), "{told}");
    assert!(!folder.path().join("store.db").exists());
}

//! The scenarios that ship. Each transcript was read before it was accepted, and is read again when
//! it changes: it is what a person, an operator and a workflow author get to see.

use liaison_eval::{Cast, PlayFault, Scenario, play};
use liaison_language::rules::{RulesReader, TemplateWriter};
use liaison_ports::fake::MemoryStore;
use rstest::rstest;
use std::{path::PathBuf, sync::Arc};

/// The transcript, and what is otherwise than the scenario says.
async fn played(scenario: &Scenario) -> (String, Vec<String>) {
    let cast = Cast {
        store: Arc::new(MemoryStore::new()),
        reader: Arc::new(RulesReader),
        writer: Arc::new(TemplateWriter),
    };
    match play(scenario, cast).await {
        Ok(transcript) => (transcript, Vec::new()),
        Err(PlayFault::EndsOtherwise {
            otherwise,
            transcript,
            ..
        }) => (transcript, otherwise),
        Err(fault) => panic!("{fault}"),
    }
}

#[rstest]
#[tokio::test]
async fn a_story_goes_as_written_down(#[files("scenarios/*.toml")] file: PathBuf) {
    let text = std::fs::read_to_string(&file).unwrap();
    let scenario = Scenario::parse(&text).unwrap_or_else(|fault| panic!("{fault}"));
    let (transcript, otherwise) = played(&scenario).await;
    assert_eq!(
        transcript,
        played(&scenario).await.0,
        "the same file gives another transcript"
    );
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    insta::with_settings!({snapshot_path => "../../scenarios/transcripts", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, transcript);
    });
    assert_eq!(
        otherwise,
        Vec::<String>::new(),
        "it ends otherwise than [expect] says"
    );
    let says_all = |expected: &liaison_eval::scenario::Expected| expected.messages.is_some();
    assert!(
        scenario.expected.as_ref().is_some_and(says_all),
        "a scenario that ships has an [expect] with `ends` and `messages`"
    );
}

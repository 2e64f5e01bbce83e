//! `liaison simulate`, as a person runs it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn scenario(name: &str) -> PathBuf {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../eval/scenarios");
    scenarios.join(format!("{name}.toml"))
}

fn simulate(file: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_liaison"))
        .arg("simulate")
        .arg(file)
        .args(options)
        .output()
        .expect("the binary runs")
}

#[test]
fn a_scenario_is_played_alike_in_memory_and_on_sqlite() {
    let file = scenario("late_landlord");
    let in_memory = simulate(&file, &[]);
    let on_sqlite = simulate(&file, &["--sqlite"]);
    let text = String::from_utf8(in_memory.stdout).expect("text");
    assert!(in_memory.status.success() && on_sqlite.status.success());
    assert!(text.contains("inspection: fulfilled"), "{text}");
    assert_eq!(text, String::from_utf8(on_sqlite.stdout).expect("text"));
}

#[test]
fn a_field_that_nobody_knows_is_refused_with_its_line() {
    let text = std::fs::read_to_string(scenario("late_landlord")).expect("it ships");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("typo.toml");
    std::fs::write(&file, text.replace("registers", "regsters")).expect("writes");
    let refused = simulate(&file, &[]);
    assert!(!refused.status.success());
    let said = String::from_utf8(refused.stderr).expect("text");
    assert!(said.contains("typo.toml: line 31: regsters:"), "{said}");
}

/// What is said of a scenario that ships when some of its text is another one.
fn changed(name: &str, right: &str, wrong: &str) -> (bool, String, String) {
    let text = std::fs::read_to_string(scenario(name)).expect("it ships");
    assert!(text.contains(right), "{name} has {right:?}");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("changed.toml");
    std::fs::write(&file, text.replacen(right, wrong, 1)).expect("writes");
    let played = simulate(&file, &[]);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        played.status.success(),
        text(played.stdout),
        text(played.stderr),
    )
}

#[test]
fn a_play_that_ends_otherwise_than_expected_is_shown_and_fails() {
    for (right, wrong, said) in [
        (
            "\"fulfilled\"",
            "\"expired\"",
            "inspection is fulfilled, and should be expired",
        ),
        (
            "arranged_by = \"agency\"",
            "arranged_by = \"landlord\"",
            "inspection/arranged_by is agency, and should be landlord",
        ),
        (
            "messages = 4",
            "messages = 3",
            "4 were sent, and should have been 3",
        ),
        (
            "messages = 4",
            "holds = [\"silence\"]",
            "no hold silence is left",
        ),
    ] {
        let (succeeded, shown, fault) = changed("late_landlord", right, wrong);
        assert!(!succeeded, "{wrong} is not how it ends");
        assert!(shown.contains("At the end"), "{shown}");
        assert!(
            fault.contains("changed.toml: line") && fault.contains(said),
            "{fault}"
        );
    }
}

#[test]
fn a_hold_that_nobody_expects_to_be_left_fails_the_play() {
    let (succeeded, _, fault) = changed(
        "ask_my_assistant",
        "does = \"reject-delegate\"",
        "note = \"x\"",
    );
    assert!(!succeeded);
    assert!(
        fault.contains("a hold names_another is left that is not named"),
        "{fault}"
    );
}

#[test]
fn an_end_before_the_last_step_is_refused() {
    let (succeeded, _, fault) = changed(
        "late_landlord",
        "starts = \"2027-03-01",
        "ends = \"2027-03-05 09:00\"\nstarts = \"2027-03-01",
    );
    assert!(!succeeded);
    assert!(
        fault.contains("ends: this is before the last step"),
        "{fault}"
    );
}

#[test]
fn what_would_steer_a_terminal_is_shown_and_not_carried_out() {
    let (_, shown, _) = changed("late_landlord", "for me.", "for me.\\u001b[2J\\u202e");
    assert!(shown.contains("for me.\\u{1b}[2J\\u{202e}"), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
}

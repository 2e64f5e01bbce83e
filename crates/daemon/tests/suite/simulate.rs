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

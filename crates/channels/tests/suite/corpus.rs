//! Public test cases, found through an environment variable and never copied
//! into the project.

use serde::de::DeserializeOwned;

/// The rows of a file in the folder that `LIAISON_CORPORA` names, or `None`,
/// said loudly, without the variable.
pub(crate) fn rows<Row: DeserializeOwned>(file: &str) -> Option<Vec<Row>> {
    let Ok(folder) = std::env::var("LIAISON_CORPORA") else {
        skipped(file);
        return None;
    };
    let path = std::path::Path::new(&folder).join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    let rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a row is JSON of the expected shape"))
        .collect();
    Some(rows)
}

/// Whether every single outcome is to be printed.
pub(crate) fn verbose() -> bool {
    std::env::var_os("LIAISON_CORPORA_VERBOSE").is_some()
}

#[expect(clippy::print_stderr, reason = "a skipped measurement is said loudly")]
fn skipped(file: &str) {
    eprintln!("SKIPPED: {file} was not measured, LIAISON_CORPORA is not set");
}

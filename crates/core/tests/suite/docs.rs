//! The page of the rules shows the table that decides. With `LIAISON_UPDATE_DOCS=1` the page is
//! written anew instead of compared.

use liaison_core::phase::{RULES, diagram};
use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

const BEGIN: &str = "<!-- Made from the table of rules; LIAISON_UPDATE_DOCS=1 cargo test -p liaison-core docs -->\n";
const END: &str = "<!-- The end of what is made. -->\n";

#[test]
fn the_page_of_the_rules_shows_the_table_that_decides() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/rules/README.md");
    let text = std::fs::read_to_string(&page).expect("the page is there");
    let (before, rest) = text.split_once(BEGIN).expect("the page has the beginning");
    let (shown, after) = rest.split_once(END).expect("the page has the end");
    let made = format!("\n{}\n", diagram());
    if std::env::var_os("LIAISON_UPDATE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}{made}{END}{after}");
        std::fs::write(&page, text).expect("the page is written");
        return;
    }
    assert_eq!(
        shown, made,
        "the page shows other rules; run LIAISON_UPDATE_DOCS=1 cargo test -p liaison-core docs"
    );
}

/// The pages of the groups of rules, in the order of the rules.
const PAGES: [&str; 5] = ["needs", "reading", "operators", "sending", "silence"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    let file = root().join("docs").join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn rules() -> Vec<String> {
    let name = |rule: &liaison_core::phase::Rule| {
        let name = serde_json::to_value(rule.name).expect("a rule has a name");
        name.as_str().expect("as text").to_owned()
    };
    RULES.iter().map(name).collect()
}

/// What stands between `before` and `after`, wherever it does.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Vec<&'t str> {
    let parts = text.split(before).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(after)?.0))
        .collect()
}

#[test]
fn every_rule_has_its_paragraph_in_the_order_of_the_table() {
    let text: String = PAGES
        .map(|name| page(&format!("concepts/rules/{name}.md")))
        .concat();
    assert_eq!(between(&text, "**`", "`**"), rules());
}

#[test]
fn the_lists_of_rules_name_all_of_them_in_their_order() {
    let concepts = page("concepts.md");
    let rows = concepts.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let number: usize = cells.next()?.parse().ok()?;
        Some((number, cells.next()?.trim_matches('`').to_owned()))
    });
    let numbered: Vec<_> = (1..).zip(rules()).collect();
    assert_eq!(rows.collect::<Vec<_>>(), numbered, "docs/concepts.md");

    let index = page("concepts/rules/README.md");
    let (_, groups) = index.split_once("Each group has a page:").expect("a list");
    let (groups, _) = groups
        .split_once("\n\n`liaison")
        .expect("an end of the list");
    let named: Vec<&str> = groups.split('`').skip(1).step_by(2).collect();
    assert_eq!(named, rules(), "docs/concepts/rules/README.md");
}

#[test]
fn every_scenario_is_named_on_a_page_and_every_one_that_is_named_ships() {
    let mut named = BTreeSet::new();
    for name in PAGES {
        let text = page(&format!("concepts/rules/{name}.md"));
        let (_, list) = text.rsplit_once("Scenarios:").expect("a list of scenarios");
        named.extend(list.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    let folder = fs::read_dir(root().join("crates/eval/scenarios")).expect("the scenarios");
    let files = folder.map(|entry| entry.expect("an entry").path());
    let shipped: BTreeSet<String> = files
        .filter(|file| file.extension().is_some_and(|end| end == "toml"))
        .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
        .collect();
    assert_eq!(named, shipped);
}

/// The pages that a page links to, as files.
fn links(file: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("{} is linked to: {error}", file.display()));
    let folder = file.parent().expect("a file is in a folder");
    between(&text, "](", ")")
        .into_iter()
        .filter(|target| !target.contains("://"))
        .map(|target| target.split('#').next().unwrap_or(target))
        .filter(|target| target.ends_with(".md") || target.ends_with('/'))
        .map(|target| folder.join(target))
        .collect()
}

fn pages_under(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(pages_under(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_page_of_the_docs_is_found_from_the_readme() {
    let real = |path: &Path| {
        path.canonicalize()
            .unwrap_or_else(|error| panic!("{} is linked to: {error}", path.display()))
    };
    let mut found = BTreeSet::from([real(&root().join("README.md"))]);
    let mut unread: VecDeque<PathBuf> = found.iter().cloned().collect();
    while let Some(page) = unread.pop_front() {
        for link in links(&page) {
            let link = real(&link);
            let pages = match link.is_dir() {
                true => pages_under(&link),
                false => vec![link],
            };
            for page in pages {
                if found.insert(page.clone()) {
                    unread.push_back(page);
                }
            }
        }
    }
    let all = pages_under(&real(&root().join("docs")));
    let lost: Vec<_> = all.iter().filter(|page| !found.contains(*page)).collect();
    assert!(lost.is_empty(), "no link leads to {lost:?}");
}

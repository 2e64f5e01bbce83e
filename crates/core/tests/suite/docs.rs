//! The page of the rules shows the table that decides. With `LIAISON_UPDATE_DOCS=1` the page is
//! written anew instead of compared.

use liaison_core::phase::diagram;
use std::path::Path;

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

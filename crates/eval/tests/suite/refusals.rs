//! Files that cannot be played are refused, with the field and the line.

use liaison_eval::Scenario;
use rstest::rstest;

/// A whole scenario, in which each case changes one line.
const WHOLE: &str = r#"title = "A question"
story = "Ana is asked a question."
zone = "Europe/Lisbon"
starts = "2027-03-01 09:00"

[policy]
weekly_cap = 2

[people.ana]
name = "Ana"
emails = ["ana@example.com"]

[needs.inspection]
person = "ana"
goal = "Decide who will arrange the inspection"
deadline = "15d"

[[needs.inspection.slots]]
name = "pets"
kind = "boolean"
question = "Are pets allowed?"

[[then]]
registers = "inspection"

[[then]]
at = "1h after the first question"
who = "ana"
writes = "Yes, they are."

[expect]
ends = { inspection = "fulfilled" }
values = { inspection = { pets = true } }
"#;

#[test]
fn the_whole_is_a_scenario() {
    let scenario = Scenario::parse(WHOLE).unwrap();
    assert_eq!(scenario.steps.len(), 2);
    assert_eq!(scenario.steps[1].line, 26);
}

#[rstest]
#[case("zone = ", "zoen = ", 3, "zoen")]
#[case("Europe/Lisbon", "Europe/Atlantis", 3, "zone")]
#[case("2027-03-01 09:00", "soon", 4, "starts")]
#[case("weekly_cap", "weekly_cup", 7, "weekly_cup")]
#[case("ana@example.com", "ana", 11, "emails")]
#[case(
    "emails = [\"ana@example.com\"]",
    "emails = [\"ana@example.com\"]\ncountry = \"France\"",
    12,
    "country"
)]
#[case("person = \"ana\"", "person = \"bob\"", 14, "person")]
#[case("goal", "gaol", 15, "gaol")]
#[case("15d", "soon", 16, "deadline")]
#[case("boolean", "bolean", 20, "slots[0].kind")]
#[case("registers", "regsters", 24, "regsters")]
#[case("registers = \"inspection\"", "registers = \"x\"", 24, "registers")]
#[case("registers = \"inspection\"", "at = \"+1d\"", 23, "then")]
#[case("1h after", "1h before", 27, "at")]
#[case("who = \"ana\"", "who = \"bob\"", 28, "who")]
#[case(
    "who = \"ana\"",
    "who = \"ana\"\ncancels = \"inspection\"",
    30,
    "writes"
)]
#[case("writes", "wirtes", 29, "wirtes")]
#[case("weekly_cap = 2", "weekly_cap = 0", 7, "weekly_cap")]
#[case(
    "weekly_cap = 2",
    "ladder = { patience = \"0s\" }",
    7,
    "ladder.patience"
)]
#[case(
    "starts = \"2027-03-01 09:00\"",
    "starts = \"2027-03-01 09:00\"\nends = \"2027-02-01 09:00\"",
    5,
    "ends"
)]
#[case(
    "starts = \"2027-03-01 09:00\"",
    "starts = \"2027-03-01 09:00\"\nends = \"+-3d 09:00\"",
    5,
    "ends"
)]
#[case(
    "{ inspection = \"fulfilled\"",
    "{ inspektion = \"fulfilled\"",
    32,
    "ends"
)]
#[case("\"fulfilled\"", "\"full\"", 32, "ends")]
#[case(
    "ends = { inspection = \"fulfilled\"",
    "ends = { inspection = \"open\"",
    33,
    "values"
)]
#[case("values = { inspection", "values = { inspektion", 33, "values")]
#[case("values", "valeus", 33, "valeus")]
fn a_fault_names_the_field_and_the_line(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] line: usize,
    #[case] field: &str,
) {
    assert!(WHOLE.contains(right));
    let fault = Scenario::parse(&WHOLE.replacen(right, wrong, 1)).unwrap_err();
    assert_eq!((fault.line, fault.field.as_str()), (line, field), "{fault}");
}

#[test]
fn what_would_steer_a_terminal_is_shown_in_a_fault() {
    let text = WHOLE.replace("who = \"ana\"", "who = \"a\\u001b[2Jna\"");
    let fault = Scenario::parse(&text).unwrap_err().to_string();
    assert!(
        fault.contains("\\u{1b}") && !fault.contains('\u{1b}'),
        "{fault}"
    );
}

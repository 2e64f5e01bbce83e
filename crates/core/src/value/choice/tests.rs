use super::*;
use crate::value::testing::context;
use rstest::rstest;

fn option(value: &str, label: &str, synonyms: &[&str]) -> ChoiceOption {
    ChoiceOption {
        value: value.to_owned(),
        label: (!label.is_empty()).then(|| label.to_owned()),
        synonyms: synonyms.iter().map(|text| (*text).to_owned()).collect(),
    }
}

fn inspection() -> Choice {
    Choice {
        options: vec![
            option("landlord", "arrange the inspection yourself", &[]),
            option("agency", "have us arrange it for you", &[]),
        ],
    }
}

fn found(choice: &Choice, text: &str) -> Vec<String> {
    choice
        .find(text, &context())
        .into_iter()
        .map(|candidate| {
            assert!(text.get(candidate.span.clone()).is_some());
            candidate.value.plain()
        })
        .collect()
}

#[rstest]
#[case("Please arrange it for me.", "agency")]
#[case("please arrange the inspection for me, thanks", "agency")]
#[case("I'd like you to arrange it.", "agency")]
#[case("I would prefer it if you could arrange it", "agency")]
#[case("You can handle it", "agency")]
#[case("Yes, please take care of it for me", "agency")]
#[case("I can't do it myself, so please arrange it for me", "agency")]
#[case("The agency please", "agency")]
#[case("agency", "agency")]
#[case("Have us arrange it for you", "agency")]
#[case("Could you arrange it for me?", "agency")]
#[case("I'd prefer the agency, since I am away", "agency")]
#[case("I'll do it myself", "landlord")]
#[case("I will arrange the inspection myself.", "landlord")]
#[case("I'd rather arrange it myself", "landlord")]
#[case("I'll arrange it", "landlord")]
#[case("We prefer to do it ourselves", "landlord")]
#[case("Let me handle it", "landlord")]
#[case("Myself, thanks", "landlord")]
#[case("Landlord.", "landlord")]
fn a_person_chooses_in_their_own_words(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(found(&inspection(), text), [expected], "{text}");
}

#[rstest]
#[case(
    "I contacted the tenant, and he will not be able to attend the inspection. \
     Can I pass by the office to grab the keys?"
)]
#[case("The agency called me yesterday")]
#[case("The agency is closed today")]
#[case("I will go to the agency tomorrow")]
#[case("I'd like the agency to call me")]
#[case("I'm the landlord's brother")]
#[case("Let me know about the inspection")]
#[case("The tenant will arrange it")]
#[case("The tenant will arrange it for me")]
#[case("He will call the plumber and arrange it")]
#[case("I'll do the cleaning myself")]
#[case("I spoke to the tenant myself")]
#[case("I arranged it myself")]
#[case("Please arrange the boiler repair")]
#[case("Please don't arrange it for me")]
#[case("I won't do it myself")]
#[case("The tenant said you arrange it")]
#[case("")]
fn what_chooses_nothing_is_not_found(#[case] text: &str) {
    assert_eq!(found(&inspection(), text), Vec::<String>::new(), "{text}");
}

#[test]
fn both_options_in_one_breath_are_both_found() {
    let text = "I'll do it myself. No wait, please arrange it for me";
    assert_eq!(found(&inspection(), text), ["landlord", "agency"]);
    assert_eq!(
        found(&inspection(), "landlord or agency"),
        ["landlord", "agency"]
    );
}

#[test]
fn names_synonyms_and_marks_are_found_on_word_boundaries() {
    let keys = Choice {
        options: vec![
            option(
                "pick_up",
                "pick up the keys at the office",
                &["collect them"],
            ),
            option("post", "have them sent by registered post", &["by mail"]),
        ],
    };
    assert_eq!(found(&keys, "Post please"), ["post"]);
    assert_eq!(found(&keys, "Please send them by mail"), ["post"]);
    assert_eq!(found(&keys, "I will collect them"), ["pick_up"]);
    assert_eq!(
        found(&keys, "I will pick the keys up at your office"),
        ["pick_up"]
    );
    assert_eq!(found(&keys, "The postman came"), Vec::<String>::new());
    let time = Choice {
        options: vec![
            option("morning", "in the morning", &[]),
            option("afternoon", "", &[]),
        ],
    };
    assert_eq!(found(&time, "Good morning,"), Vec::<String>::new());
    assert_eq!(found(&time, "The afternoon works best"), ["afternoon"]);
    assert_eq!(
        found(&time, "Good morning, in the afternoon please"),
        ["afternoon"]
    );
    let letters = Choice {
        options: vec![option("a", "", &[]), option("b", "", &[])],
    };
    assert_eq!(found(&letters, "A"), ["a"]);
    assert_eq!(found(&letters, "I'd go for option B"), ["b"]);
    assert_eq!(found(&letters, "It is a flat"), Vec::<String>::new());
}

#[rstest]
#[case(vec![], "options")]
#[case(vec![option("a", "", &[])], "options")]
#[case(vec![option("a", "", &[]), option("a", "x", &[])], "options[1].value")]
#[case(vec![option("a", "", &[]), option("B c", "", &[])], "options[1].value")]
#[case(vec![option("a", "x", &[]), option("b", "X", &[])], "options[1].label")]
#[case(vec![option("a", "x", &[]), option("b", " ", &[])], "options[1].label")]
#[case(vec![option("a", "x\ny", &[]), option("b", "", &[])], "options[0].label")]
#[case(vec![option("a", "", &["s"]), option("b", "", &["S"])], "options[1].synonyms")]
#[case(vec![option("a", "", &[""]), option("b", "", &[])], "options[0].synonyms[0]")]
fn a_faulty_choice_is_named_with_its_remedy(
    #[case] options: Vec<ChoiceOption>,
    #[case] field: &str,
) {
    let fault = Choice { options }.validate().unwrap_err();
    assert_eq!(fault.field, field);
    assert!(!fault.remedy.is_empty());
}

#[test]
fn a_choice_is_proposed_by_value_and_said_by_label() {
    let choice = inspection();
    choice.validate().unwrap();
    let agency = Value::Choice("agency".to_owned());
    assert_eq!(
        choice.read(&json!("agency"), &context()),
        Ok(Some(agency.clone()))
    );
    assert!(choice.read(&json!("tenant"), &context()).is_err());
    assert!(choice.read(&json!(["agency"]), &context()).is_err());
    assert_eq!(choice.read(&json!(null), &context()), Ok(None));
    assert_eq!(choice.show(&agency), "have us arrange it for you");
    assert_eq!(
        choice.hint().unwrap(),
        "arrange the inspection yourself or have us arrange it for you"
    );
    assert_eq!(
        choice.schema(&context()),
        json!({"anyOf": [{"type": "string", "enum": ["landlord", "agency"]}, {"type": "null"}]})
    );
}

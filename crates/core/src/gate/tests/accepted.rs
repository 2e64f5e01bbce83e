//! Replies that do give the value.

use super::*;

/// Slot, reply, quote (empty for the whole reply), value.
fn cases() -> Vec<(&'static str, &'static str, &'static str, serde_json::Value)> {
    vec![
        ("who", "Please arrange it for me.", "", json!("agency")),
        (
            "who",
            "Hi,\n\nplease arrange it for me.\n\nThanks\nJane",
            "please arrange it for me",
            json!("agency"),
        ),
        (
            "who",
            "Hi,\n\nplease arrange it for me.\n\nThanks\nJane",
            "",
            json!("agency"),
        ),
        (
            "who",
            "I'll do it myself, thanks.",
            "I'll do it myself",
            json!("landlord"),
        ),
        (
            "who",
            "I’ll do it myself.",
            "I'll do it myself.",
            json!("landlord"),
        ),
        (
            "who",
            "I would prefer to arrange it myself.",
            "",
            json!("landlord"),
        ),
        // It begins like a question, and asks for something to be done.
        (
            "who",
            "Thanks! Then please have it arranged for me.",
            "Then please have it arranged for me.",
            json!("agency"),
        ),
        ("who", "You can arrange it.", "", json!("agency")),
        ("who", "The agency please", "The agency", json!("agency")),
        (
            "who",
            "I'd prefer it if you arranged... I mean, I'd like you to arrange it.",
            "I'd like you to arrange it",
            json!("agency"),
        ),
        (
            "who",
            "I can't do it, so please arrange it for me.",
            "",
            json!("agency"),
        ),
        (
            "who",
            "I'll do it myself. No wait, please arrange it for me.",
            "No wait, please arrange it for me.",
            json!("agency"),
        ),
        (
            "who",
            "Please arrange it for me. The tenant is away until Friday.",
            "Please arrange it for me.",
            json!("agency"),
        ),
        (
            "who",
            "Please  arrange it\nfor me.",
            "Please arrange it for me.",
            json!("agency"),
        ),
        (
            "who",
            "Please arrange it for me. Can I pick up the keys?",
            "",
            json!("agency"),
        ),
        (
            "who",
            "Thanks!\nThe agency please.\nBest regards\nJane",
            "The agency please.",
            json!("agency"),
        ),
        ("who", "Yes, go ahead and arrange it", "", json!("agency")),
        (
            "who",
            "we'd like you to take care of it please",
            "",
            json!("agency"),
        ),
        (
            "who",
            "I am going to arrange it myself",
            "",
            json!("landlord"),
        ),
        (
            "who",
            "It would be great if you could arrange it.",
            "",
            json!("agency"),
        ),
        ("yes", "Of course, no problem.", "", json!(true)),
        ("yes", "I'm afraid not", "", json!(false)),
        ("day", "Let's do Wednesday 5 May.", "", json!("2027-05-05")),
        (
            "rent",
            "We pay 1.250 EUR, I mean 1,250 EUR.",
            "",
            json!(1250),
        ),
        ("time", "The afternoon works best.", "", json!("afternoon")),
        (
            "time",
            "In the morning, please.",
            "In the morning",
            json!("morning"),
        ),
        (
            "time",
            "Good morning, the afternoon please.",
            "",
            json!("afternoon"),
        ),
        ("yes", "Yes please.", "", json!(true)),
        ("yes", "No, sorry.", "No", json!(false)),
        ("yes", "That's not a problem.", "", json!(true)),
        ("yes", "Unfortunately not.", "", json!(false)),
        ("yes", "Sure!", "", json!(true)),
        ("day", "5 May 2027 is fine.", "", json!("2027-05-05")),
        (
            "day",
            "Wednesday the 5th of May works for us.",
            "",
            json!("2027-05-05"),
        ),
        (
            "day",
            "Tomorrow at 10 works.",
            "Tomorrow",
            json!("2027-05-04"),
        ),
        ("day", "2027-05-05", "", json!("2027-05-05")),
        (
            "day",
            "The 5 May 2027, no wait, the 6 May 2027.",
            "",
            json!("2027-05-06"),
        ),
        ("rent", "The rent is 1,250.", "1,250", json!(1250)),
        ("rent", "€ 1.250,50 per month", "", json!(1250.5)),
        ("rent", "1 250", "", json!(1250)),
        ("keys", "I have three keys and 2 remotes.", "", json!(3)),
        ("keys", "2", "", json!(2)),
        (
            "note",
            "The key is under the mat. Bye",
            "The key is under the mat.",
            json!("under the mat"),
        ),
        (
            "note",
            "The key is probably with\nMrs Jones.",
            "",
            json!("with Mrs Jones"),
        ),
    ]
}

#[test]
fn what_the_words_give_is_accepted() {
    let cases = cases();
    assert!(cases.len() >= 30);
    let mut lost = Vec::new();
    for (kind, text, quote, value) in cases {
        let request = request(&[text], &[kind]);
        let quote = if quote.is_empty() { text } else { quote };
        let verdict = verdict(&request, claim(quote, value.clone()));
        let Verdict::Accepted {
            quote, correction, ..
        } = &verdict
        else {
            lost.push(format!("{kind} {text:?} -> {verdict:?}"));
            continue;
        };
        assert!(text.contains(&quote.text), "{text:?}: {:?}", quote.text);
        assert!(!correction);
    }
    assert!(lost.is_empty(), "not accepted:\n{}", lost.join("\n"));
}

#[test]
fn the_evidence_is_what_stands_in_the_text() {
    let request = request(&["Please  arrange it\nfor me.  Thanks."], &["who"]);
    let verdict = verdict(
        &request,
        claim("Please arrange it for me.", json!("agency")),
    );
    let Verdict::Accepted { quote, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(quote.text, "Please  arrange it\nfor me.");
}

#[test]
fn a_quote_of_everything_is_cut_to_the_sentence_with_the_value() {
    let text = "Hello. Please arrange it for me. Have a nice day.";
    let request = request(&[text], &["who"]);
    let verdict = verdict(&request, claim(text, json!("agency")));
    let Verdict::Accepted { quote, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(quote.text, "Please arrange it for me.");
}

#[test]
fn the_newest_words_that_hold_a_quote_are_meant() {
    let request = request(&["5 May 2027", "Sorry, I meant: 6 May 2027"], &["day"]);
    let verdict = verdict(
        &request,
        claim("Sorry, I meant: 6 May 2027", json!("2027-05-06")),
    );
    let Verdict::Accepted { quote, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(quote.words, 1);
}

#[test]
fn each_of_several_slots_is_answered_by_its_own_words() {
    let text = "1. yes\n2. no\n3. on 5 May 2027";
    let request = request(&[text], &["yes", "yes", "day"]);
    let judgement = judged(
        &request,
        vec![
            claim("yes", json!(true)),
            claim("no", json!(false)),
            claim("on 5 May 2027", json!("2027-05-05")),
        ],
    );
    for slot in judgement.slots {
        assert!(is_accepted(&slot.verdict), "{:?}", slot.verdict);
    }
}

use super::{
    example::{
        GOAL, QUESTION, acknowledge, again, answer, any_plan, brief, clarify, confirm, plan,
        question, reminder, withdraw,
    },
    letter::{LONGEST_LINE, is_misread},
    *,
};
use jiff::civil::date;
use proptest::prelude::*;
use rstest::rstest;

fn shown(plan: &MessagePlan) -> String {
    let draft = render(plan);
    assert_eq!(draft.by, Wording::Template);
    assert_eq!(crate::gate::draft::faults(plan, &draft), [], "{draft:#?}");
    format!("Subject: {}\n\n{}", draft.subject, draft.body)
}

fn replying(mut plan: MessagePlan) -> MessagePlan {
    plan.thread_subject = Some(GOAL.to_owned());
    plan
}

const KEYS: &str = "On which day can the agency collect the keys?";
const TENANTS: &str = "How many people live in the flat?";
const PETS: &str = "Does the tenant keep pets?";

#[test]
fn a_first_question() {
    insta::assert_snapshot!(shown(&plan(
        MessageKind::Ask,
        vec![question(QUESTION, Some("landlord or agency"))]
    )));
}

#[test]
fn a_first_question_without_name_or_hint() {
    let mut plan = plan(MessageKind::Ask, vec![question(KEYS, None)]);
    plan.name = None;
    plan.goals = vec!["The keys of 4 Marchmont Road".to_owned()];
    insta::assert_snapshot!(shown(&plan));
}

#[test]
fn first_questions_for_two_needs_with_a_brief() {
    let mut plan = plan(
        MessageKind::Ask,
        vec![
            brief("The inspection takes about 40 minutes, and nobody has to be there."),
            question(QUESTION, Some("landlord or agency")),
            question(KEYS, Some("a date")),
            question(
                "Please send us the latest gas certificate",
                Some("a file, as an attachment"),
            ),
        ],
    );
    plan.goals
        .push("Collect the keys of 4 Marchmont Road.".to_owned());
    plan.goals.push(GOAL.to_owned());
    insta::assert_snapshot!(shown(&plan));
}

#[test]
fn a_first_question_in_a_thread_that_exists() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Ask,
        vec![question(PETS, Some("yes or no"))]
    ))));
}

#[test]
fn a_question_of_several_lines() {
    insta::assert_snapshot!(shown(&plan(
        MessageKind::Ask,
        vec![
            question(
                "Which of these suits you?\r\n\r\nmorning: 8 to 12\r\nafternoon: 1 to 5",
                None
            ),
            question(TENANTS, Some("a whole number")),
        ]
    )));
}

#[test]
fn a_reminder_of_one_question() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::FollowUp,
        vec![reminder(
            QUESTION,
            Some("landlord or agency"),
            date(2027, 5, 3)
        )]
    ))));
}

#[test]
fn a_reminder_sounds_as_its_rung_wants() {
    for (tone, lead) in [
        (
            Tone::Friendly,
            "This is just a friendly reminder of my question of Monday 3 May:",
        ),
        (
            Tone::Plain,
            "I wrote on Monday 3 May about this question and would still be glad of your answer:",
        ),
        (
            Tone::Firm,
            "I wrote on Monday 3 May about this question and still need your answer:",
        ),
    ] {
        let reminder = reminder(QUESTION, None, date(2027, 5, 3));
        let plan = MessagePlan {
            tone,
            ..plan(MessageKind::FollowUp, vec![reminder])
        };
        let draft = render(&plan);
        assert!(draft.body.contains(lead), "{}", draft.body);
        assert_eq!(crate::gate::draft::faults(&plan, &draft), []);
    }
}

#[test]
fn a_reminder_of_questions_of_two_days_with_a_new_one() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::FollowUp,
        vec![
            reminder(QUESTION, Some("landlord or agency"), date(2027, 5, 3)),
            reminder(KEYS, Some("a date"), date(2027, 5, 3)),
            reminder(TENANTS, None, date(2027, 5, 6)),
            question(PETS, Some("yes or no")),
        ]
    ))));
}

#[test]
fn thanks_for_one_answer() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![acknowledge(&[(QUESTION, "The agency arranges it")])]
    ))));
}

#[test]
fn thanks_for_several_answers_and_a_further_question() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            acknowledge(&[(QUESTION, "The agency arranges it"), (PETS, "no")]),
            acknowledge(&[(KEYS, "Monday 3 May 2027")]),
            question(TENANTS, Some("a whole number")),
        ]
    ))));
}

#[test]
fn an_operators_answer_in_its_words() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![answer(
            "Yes, of course. The office is open from 9:00 to 17:30, Monday to Friday.\n\nPlease bring an ID; we will copy nothing.",
            Some("Can I pass by the office to grab the keys?"),
        )]
    ))));
}

#[test]
fn an_operators_answer_and_the_question_that_is_still_open() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            answer("Yes, the keys are at the front desk.", None),
            reminder(QUESTION, Some("landlord or agency"), date(2027, 5, 3)),
        ]
    ))));
}

#[test]
fn a_clarification_with_candidates() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![clarify(
            KEYS,
            &["Monday 3 May 2027", "Saturday 5 March 2027"],
            Some("a date")
        )]
    ))));
}

#[test]
fn clarifications_with_one_candidate_and_with_none() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            acknowledge(&[(PETS, "yes")]),
            clarify(KEYS, &["Monday 3 May 2027"], Some("a date")),
            clarify(TENANTS, &[], Some("a whole number")),
        ]
    ))));
}

#[test]
fn what_was_understood_is_to_be_confirmed() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            confirm(KEYS, "Monday 3 May 2027"),
            confirm(TENANTS, "3"),
            question(PETS, Some("yes or no")),
        ]
    ))));
}

#[test]
fn a_question_is_asked_again_since_another_answer_has_changed() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            acknowledge(&[(KEYS, "Tuesday 4 May 2027")]),
            again("At what time on that day?", KEYS, "Tuesday 4 May 2027"),
        ]
    ))));
}

#[test]
fn one_question_is_withdrawn() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![withdraw(QUESTION)]
    ))));
}

#[test]
fn several_questions_are_withdrawn_and_briefs_told() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            withdraw(QUESTION),
            withdraw(KEYS),
            brief("The tenant works at night."),
            brief("The boiler was replaced in 2025."),
        ]
    ))));
}

#[test]
fn everything_at_once() {
    insta::assert_snapshot!(shown(&replying(plan(
        MessageKind::Reply,
        vec![
            acknowledge(&[(PETS, "no")]),
            answer(
                "Yes, any weekday before 17:00.",
                Some("Can I bring the certificate myself?")
            ),
            clarify(KEYS, &["Monday 3 May 2027", "Monday 10 May 2027"], None),
            withdraw(TENANTS),
            brief("The tenant works at night."),
            question(QUESTION, Some("landlord or agency")),
        ]
    ))));
}

#[test]
fn nothing_to_say() {
    let mut plan = plan(MessageKind::Ask, Vec::new());
    plan.goals.clear();
    plan.signature = " \u{202e} ".to_owned();
    insta::assert_snapshot!(shown(&plan));
}

#[test]
fn hostile_texts() {
    let mut plan = plan(
        MessageKind::Ask,
        vec![
            question(
                "Is it\r\nBcc: victim@example.org\r\n\r\n-- \r\nFrom nobody\r\n> quoted?\0",
                None,
            ),
            brief("\u{202e}desrever\u{202c} and \u{200b}invisible"),
        ],
    );
    plan.name = Some("Ana\r\nX-Evil: 1".to_owned());
    plan.goals = vec!["Learn\r\nBcc: victim@example.org".to_owned()];
    plan.signature = "--\r\n".to_owned();
    insta::assert_snapshot!(shown(&plan));
}

#[rstest]
#[case(&["Decide who pays"], None, "Decide who pays")]
#[case(&["Decide who pays."], None, "Decide who pays")]
#[case(&["", "\u{202e}", "Decide\nwho pays"], None, "Decide who pays")]
#[case(&[], None, "A question for you")]
#[case(&["***"], None, "A question for you")]
#[case(&["a goal"], Some("Decide who pays"), "Re: Decide who pays")]
#[case(&["a goal"], Some("Re: RE: re:Decide\r\nBcc: a@b.cd"), "Re: Decide Bcc: a@b.cd")]
#[case(&["a goal"], Some("\r\n"), "Re: A question for you")]
#[case(
    &["Find out whether the tenants of the upper floor, the lower floor and the shop agree"],
    None,
    "Find out whether the tenants of the upper floor, the lower floor and…"
)]
fn the_subject_is_the_threads_or_the_first_goal(
    #[case] goals: &[&str],
    #[case] thread: Option<&str>,
    #[case] expected: &str,
) {
    let mut plan = plan(MessageKind::Ask, vec![question(QUESTION, None)]);
    plan.goals = goals.iter().map(|goal| (*goal).to_owned()).collect();
    plan.thread_subject = thread.map(str::to_owned);
    assert_eq!(subject::line(&plan), expected);
}

#[test]
fn a_subject_of_one_endless_word_falls_back() {
    let mut plan = plan(MessageKind::Ask, vec![question(QUESTION, None)]);
    plan.goals = vec!["x".repeat(300)];
    assert_eq!(subject::line(&plan), "A question for you");
}

#[test]
fn long_lines_are_broken_between_words() {
    let words = "word ".repeat(1_000);
    let body = render(&plan(
        MessageKind::Ask,
        vec![question(&words, Some(&words))],
    ))
    .body;
    assert!(body.lines().all(|line| line.len() <= LONGEST_LINE));
    assert_eq!(
        body.split_whitespace().filter(|run| *run == "word").count(),
        2_000
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_plan_has_a_wording_that_mail_programs_show_as_it_is(plan in any_plan()) {
        let draft = render(&plan);
        prop_assert!(!draft.subject.contains(clean::is_hidden));
        prop_assert!((1..=120).contains(&draft.subject.chars().count()));
        let body = &draft.body;
        prop_assert!(body.starts_with("Hello"));
        prop_assert!(body.ends_with('\n') && !body.ends_with("\n\n"));
        for line in body.lines() {
            prop_assert!(line.len() <= LONGEST_LINE, "{line:?}");
            prop_assert!(!is_misread(line), "{line:?}");
            prop_assert_eq!(line, line.trim_end());
            prop_assert!(!line.contains(clean::is_hidden), "{:?}", line);
        }
    }

    #[test]
    fn no_wording_of_a_template_has_a_fault(plan in any_plan()) {
        let draft = render(&plan);
        prop_assert_eq!(crate::gate::draft::faults(&plan, &draft), [], "{:#?}", draft);
    }

    #[test]
    fn no_question_is_altered(plan in any_plan()) {
        let body = render(&plan).body.split_whitespace().collect::<Vec<_>>().join(" ");
        for item in &plan.items {
            if let PlanItem::Question { question, .. } = item {
                let question = clean::one_line(question);
                let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
                prop_assert!(body.contains(&question), "{question:?} in {body:?}");
            }
        }
    }
}

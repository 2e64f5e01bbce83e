mod brought_in;
mod left_out;

use super::*;
use crate::{
    conversation::MessageKind,
    plan::{
        Wording,
        template::example::{
            GOAL, QUESTION, acknowledge, answer, brief, clarify, plan, question, reminder, withdraw,
        },
    },
};
use jiff::civil::date;
use rstest::rstest;

const KEYS: &str = "On which day can the agency collect the keys of flat 4?";
const PETS: &str = "Does the tenant keep pets?";

fn draft(text: &str) -> Draft {
    Draft {
        subject: "Who arranges the inspection".to_owned(),
        body: format!("Hello Ana,\n\n{text}\n\nKind regards,\nMarchmont Lettings\n"),
        by: Wording::Model,
    }
}

fn found(plan: &MessagePlan, draft: &Draft) -> Vec<String> {
    faults(plan, draft)
        .into_iter()
        .map(|fault| fault.0)
        .collect()
}

fn ask() -> MessagePlan {
    plan(
        MessageKind::Ask,
        vec![question(QUESTION, Some("landlord or agency"))],
    )
}

const ASKED: &str = "We need to decide who will arrange the inspection. Would you like to arrange \
    it yourself, as the landlord, or would you prefer that the agency does it for you?";

#[rstest]
#[case::in_other_words(ask(), ASKED)]
#[case::warmer(
    ask(),
    "I hope you are well.\n\nIt is time to decide who arranges the inspection of the flat. Which \
     would you prefer: that you arrange it as the landlord, or that the agency takes care of it?\n\n\
     A short line in reply will do. Thank you!"
)]
#[case::asked_politely(
    ask(),
    "May I ask you to help us decide who arranges the inspection?\n\n\
     Is it the landlord or the agency whom you'd prefer?\nIt's up to you, and I'm glad of any answer."
)]
#[case::chatty(
    ask(),
    "I hope this message finds you well. We're looking to decide who will arrange the inspection. \
     Would you prefer to arrange it yourself, or would you like us to take care of it for you? You \
     can simply reply with landlord or agency — whichever suits you best.\n\nFeel free to answer in \
     your own words. Looking forward to hearing from you!"
)]
#[case::short(
    ask(),
    "Quick question about the inspection, so that we can decide who will arrange it: do you prefer \
     to do so yourself (landlord) or to have us (agency) arrange it?\n\nMany thanks"
)]
#[case::reminder(
    plan(MessageKind::FollowUp, vec![reminder(QUESTION, None, date(2027, 5, 3))]),
    "On May 3rd I asked who should arrange the inspection, and I have not heard from you yet. Would \
     you prefer to do it yourself, or should we?"
)]
#[case::two_questions(
    plan(MessageKind::Reply, vec![question(KEYS, None), question(PETS, Some("yes or no"))]),
    "I have two questions for you:\n\n1. On what day may we collect the keys for flat 4?\n2. Are \
     there any pets that the tenant keeps? A simple yes or no is enough."
)]
#[case::thanks(
    plan(MessageKind::Reply, vec![acknowledge(&[(QUESTION, "The agency arranges it")])]),
    "Thanks a lot! I've noted that the agency is arranging it. If I got that wrong, please just say so."
)]
#[case::thanks_for_two(
    plan(
        MessageKind::Reply,
        vec![acknowledge(&[(KEYS, "Monday 3 May 2027"), (PETS, "no")])]
    ),
    "Thank you. This is what I understood:\n\n- The keys: Monday, May 3, 2027\n- Pets: no"
)]
#[case::an_answer_in_its_words(
    plan(
        MessageKind::Reply,
        vec![answer("Yes, you can get the keys. We will be there until 17:30.", Some("Can I pass by?"))]
    ),
    "You asked whether you can pass by. Yes, you can get the keys. We will be there until 17:30."
)]
#[case::a_reading_to_confirm(
    plan(MessageKind::Reply, vec![clarify(KEYS, &["Monday 3 May 2027", "Saturday 5 March 2027"], None)]),
    "Sorry, I was not sure about the day for the keys. Did you mean Monday 3 May 2027 or Saturday 5 March 2027?"
)]
#[case::taken_back(
    plan(MessageKind::Reply, vec![withdraw(PETS)]),
    "Please ignore my question about the tenant's pets; it has been settled."
)]
#[case::a_fact(
    plan(MessageKind::Ask, vec![
        brief("The inspection takes about 40 minutes, and nobody has to be there."),
        question(QUESTION, None),
    ]),
    "Let's decide who will arrange the inspection. Would you prefer to arrange it yourself or have \
     us arrange it? The inspection takes 40 minutes, and nobody has to be there."
)]
fn a_good_paraphrase_is_clean(#[case] plan: MessagePlan, #[case] text: &str) {
    assert_eq!(found(&plan, &draft(text)), Vec::<String>::new());
}

#[rstest]
#[case::nobody("Dear Sir or Madam,\n\n", "uses only the plan's name")]
#[case::somebody_else("Hello Marchmont,\n\n", "uses only the plan's name")]
#[case::no_greeting("", "uses only the plan's name")]
#[case::the_time_of_day("Good morning Ana,\n\n", "uses only the plan's name")]
fn a_draft_greets_by_the_plans_name(#[case] greeting: &str, #[case] expected: &str) {
    let mut draft = draft(ASKED);
    draft.body = draft.body.replace("Hello Ana,\n\n", greeting);
    let found = found(&ask(), &draft);
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{found:#?}"
    );
}

#[rstest]
#[case("Hello Ana,")]
#[case("Hi again, Ana!")]
#[case("Dear Ana Silva,")]
#[case("Hello,")]
fn greetings_may_differ(#[case] greeting: &str) {
    let mut plan = ask();
    plan.name = Some("Ana Silva".to_owned());
    let mut draft = draft(ASKED);
    draft.body = draft.body.replace("Hello Ana,", greeting);
    assert_eq!(found(&plan, &draft), Vec::<String>::new());
}

#[test]
fn somebody_may_be_called_will() {
    let mut plan = ask();
    plan.name = Some("Will".to_owned());
    let mut draft = draft(ASKED);
    draft.body = draft.body.replace("Ana", "Will");
    assert_eq!(found(&plan, &draft), Vec::<String>::new());
}

#[rstest]
#[case::another("Kind regards,\nThe Team\n", "End with the signature")]
#[case::none("", "End with the signature")]
#[case::a_postscript("Marchmont Lettings\n\nPS: thank you", "End with the signature")]
fn a_draft_ends_with_the_signature(#[case] ending: &str, #[case] expected: &str) {
    let mut draft = draft(ASKED);
    draft.body = draft
        .body
        .replace("Kind regards,\nMarchmont Lettings\n", ending);
    let found = found(&ask(), &draft);
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{found:#?}"
    );
}

#[rstest]
#[case::empty(" ", "Write a subject")]
#[case::two_lines("Inspection\r\nBcc: x@y.z", "on one line")]
#[case::a_null("Inspection\0", "on one line")]
#[case::too_long(&"inspection ".repeat(12), "Shorten the subject")]
#[case::a_stranger("Inspection on Friday", "“Friday”")]
fn a_subject_is_one_line_without_strangers(#[case] subject: &str, #[case] expected: &str) {
    let mut draft = draft(ASKED);
    draft.subject = subject.to_owned();
    let found = found(&ask(), &draft);
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{found:#?}"
    );
}

#[test]
fn a_thread_keeps_its_subject() {
    let mut plan = ask();
    plan.thread_subject = Some(GOAL.to_owned());
    let mut draft = draft(ASKED);
    assert!(found(&plan, &draft)[0].contains("Keep the thread's subject exactly"));
    draft.subject = format!("Re: {GOAL}");
    assert_eq!(found(&plan, &draft), Vec::<String>::new());
}

#[test]
fn a_body_is_neither_empty_nor_endless() {
    let mut short = draft(ASKED);
    short.body = "Hello Ana".to_owned();
    assert!(found(&ask(), &short)[0].contains("Write a whole message"));
    let long = draft(&format!("{ASKED}{}", " It is up to you.\n".repeat(250)));
    assert!(found(&ask(), &long)[0].contains("Shorten the text"));
    let wide = draft(&format!("{ASKED}{}", " It is up to you.".repeat(60)));
    assert!(found(&ask(), &wide)[0].contains("Break the lines"));
}

#[test]
fn a_plan_that_says_more_than_fits_may_be_worded_as_long_as_its_template() {
    let facts: Vec<_> = (0..80)
        .map(|_| {
            brief("The tenant works at night, so that visits are best in the afternoon or later.")
        })
        .collect();
    let plan = plan(MessageKind::Reply, facts);
    let draft = crate::plan::template::render(&plan);
    assert!(draft.body.len() > 4_000);
    assert_eq!(found(&plan, &draft), Vec::<String>::new());
}

#[test]
fn faults_are_bounded_and_each_is_named_once() {
    let strangers: String = (100..200).map(|n| format!("{n} {n} ")).collect();
    let found = found(&ask(), &draft(&strangers));
    assert_eq!(found.len(), MOST_FAULTS);
    let mut once = found.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), found.len());
}

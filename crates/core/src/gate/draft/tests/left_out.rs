use super::*;

/// What a model leaves out.
#[rstest]
#[case::the_question(
    ask(),
    "I hope you can help us decide who will arrange the inspection, landlord or agency.",
    "question mark"
)]
#[case::the_question_mark(
    ask(),
    "Help us decide who will arrange the inspection; would you prefer to arrange it yourself, landlord or agency.",
    "question mark"
)]
#[case::what_the_question_is_about(
    ask(),
    "We need to decide on the inspection. What do you think, landlord or agency?",
    "Ask this question"
)]
#[case::the_purpose(
    plan(MessageKind::Ask, vec![question(PETS, None)]),
    "Does the tenant keep any pets?",
    "what the message is for"
)]
#[case::which_answers_fit(ask(), &ASKED.replace("landlord", "owner").replace("agency", "office"), "which answers fit")]
#[case::one_of_two_questions(
    plan(MessageKind::Reply, vec![
        question("When does the lease of the garage end?", None),
        question("When does the lease of the cellar end?", None),
    ]),
    "When does the lease of the garage end?",
    "the lease of the cellar"
)]
#[case::a_number_of_the_question(
    plan(MessageKind::Reply, vec![question(KEYS, None)]),
    "On which day can the agency collect the keys of the flat?",
    "Ask this question"
)]
#[case::a_negation_of_the_question(
    plan(MessageKind::Reply, vec![question("Which rooms may the inspector not enter?", None)]),
    "Which rooms may the inspector enter?",
    "Ask this question"
)]
#[case::the_value(
    plan(MessageKind::Reply, vec![acknowledge(&[(QUESTION, "The agency arranges it")])]),
    "Thank you. I have noted your preference for the inspection.",
    "Repeat the answer “The agency arranges it”"
)]
#[case::the_right_value(
    plan(MessageKind::Reply, vec![acknowledge(&[(KEYS, "Monday 3 May 2027")])]),
    "Thank you. I have noted Monday 4 May 2027 for the keys.",
    "Repeat the answer"
)]
#[case::which_value_is_which(
    plan(MessageKind::Reply, vec![acknowledge(&[(PETS, "yes"), (QUESTION, "no")])]),
    "Thank you. I have noted:\n\n- the inspection: yes\n- the flat: no",
    "Repeat the answer “yes”"
)]
#[case::the_thanks(
    plan(MessageKind::Reply, vec![acknowledge(&[(PETS, "no")])]),
    "I have noted that there are no pets.",
    "Thank them"
)]
#[case::a_sentence_of_the_answer(
    plan(MessageKind::Reply, vec![answer("Yes, you can. Bring the old keys.", None)]),
    "Yes, you can.",
    "“bring” is missing"
)]
#[case::a_negation_of_the_answer(
    plan(MessageKind::Reply, vec![answer("You do not need to bring the old keys.", None)]),
    "You need to bring the old keys.",
    "“not” is missing"
)]
#[case::a_number_of_the_answer(
    plan(MessageKind::Reply, vec![answer("The office is open until 17:30.", None)]),
    "The office is open until the evening.",
    "the number 17:30"
)]
#[case::a_candidate(
    plan(MessageKind::Reply, vec![clarify(KEYS, &["Monday 3 May 2027", "Saturday 5 March 2027"], None)]),
    "Did you mean Monday 3 May 2027?",
    "Offer “Saturday 5 March 2027”"
)]
#[case::the_doubt(
    plan(MessageKind::Reply, vec![clarify(PETS, &["yes"], None)]),
    "I understood yes for the pets.",
    "Ask what was meant"
)]
#[case::the_doubt_without_candidates(
    plan(MessageKind::Reply, vec![clarify(PETS, &[], None)]),
    "Could you say that again?",
    "was unclear"
)]
#[case::the_brief(
    plan(MessageKind::Reply, vec![brief("The tenant works at night.")]),
    "There is a tenant in the flat.",
    "Tell them this"
)]
#[case::a_number_of_the_brief(
    plan(MessageKind::Reply, vec![brief("The inspection takes 40 minutes.")]),
    "The inspection takes some minutes.",
    "Tell them this"
)]
#[case::the_withdrawal(
    plan(MessageKind::Reply, vec![withdraw(PETS)]),
    "Does the tenant keep pets?",
    "no longer needs an answer"
)]
#[case::what_is_withdrawn(
    plan(MessageKind::Reply, vec![withdraw(PETS)]),
    "You can ignore my question.",
    "no longer needs an answer"
)]
fn what_a_draft_leaves_out_is_named(
    #[case] plan: MessagePlan,
    #[case] text: &str,
    #[case] expected: &str,
) {
    let found = found(&plan, &draft(text));
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{found:#?}"
    );
}

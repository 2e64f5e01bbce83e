use super::*;

/// What a model adds to an otherwise good draft.
#[rstest]
#[case::a_number("It takes 40 minutes.", "the number 40")]
#[case::a_number_in_words("It takes two visits.", "the number “two”")]
#[case::a_sum("It costs €95.", "the sign “€”")]
#[case::a_share("Most landlords, 90%, let us do it.", "the sign “%”")]
#[case::a_date("Please answer by 3 May.", "the date “3 May”")]
#[case::a_date_in_figures("Please answer by 2027-05-03.", "the number 2027")]
#[case::a_weekday("Please answer by Friday.", "“Friday”")]
#[case::a_weekday_in_small_letters("Please answer by friday.", "“friday”")]
#[case::a_month("It is planned for May.", "“May”")]
#[case::a_time("The office opens at 9:00.", "the number 9:00")]
#[case::a_time_with_half("The office opens at 9 am.", "the time “9am”")]
#[case::a_relative_day("Please answer by tomorrow.", "“tomorrow”")]
#[case::a_span("We need this within days.", "“days”")]
#[case::a_phone("Call me on +33 6 12.", "the number 33")]
#[case::an_address("Write to office@marchmont.example instead.", "link or an address")]
#[case::a_link(
    "See https://marchmont.example/inspection for more.",
    "link or an address"
)]
#[case::a_bare_domain("See marchmont.co.uk for more.", "link or an address")]
#[case::a_name("Our inspector Peter looks forward to it.", "“Peter”")]
#[case::a_name_at_the_start("Peter looks forward to it.", "“Peter”")]
#[case::a_firm("We work with Checkatrade on this.", "“Checkatrade”")]
#[case::a_promise("I will call you back.", "“i will”")]
#[case::a_short_promise("We'll take care of the rest.", "“we will”")]
#[case::a_hidden_promise("The agency has noted it and will call you back.", "“and will”")]
#[case::a_broken_promise("I\nshall see to it.", "“i shall”")]
#[case::a_guarantee("We guarantee a good result.", "“guarantee”")]
#[case::a_refund("You get a refund.", "“refund”")]
#[case::a_discount("There are discounts.", "“discounts”")]
#[case::a_deadline("The deadline is close.", "“deadline”")]
#[case::a_gift("It is done for free.", "“for free”")]
#[case::a_deed("I have booked the visit.", "“booked”")]
#[case::a_threat("Otherwise the lease may be terminated.", "“terminated”")]
#[case::an_attachment("The form is attached.", "“attached”")]
#[case::an_ordinal("It is on the fourth floor.", "the number “fourth”")]
#[case::pressure("Rest assured that this is fine.", "“rest assured”")]
#[case::a_placeholder("It is at [Address].", "placeholder")]
#[case::a_braced_placeholder("It is at {address}.", "placeholder")]
#[case::an_angled_placeholder("It is at <insert address>.", "placeholder")]
#[case::a_row_of_x("It is at XXXX.", "placeholder")]
#[case::a_note_to_self("It is at TODO.", "placeholder")]
#[case::filler("Lorem and so on.", "placeholder")]
#[case::bold("This is **important** to us.", "Markdown")]
#[case::a_heading("\n# Inspection", "Markdown")]
#[case::html("It is <b>important</b>.", "HTML")]
#[case::an_entity("Landlord &amp; agency.", "HTML")]
#[case::a_slot_name("This fills arranged_by for us.", "Markdown")]
#[case::claims_to_be_a_model("As an AI, I cannot arrange it.", "“as an ai”")]
#[case::claims_to_be_human("I'm a real person, by the way.", "“real person”")]
#[case::a_second_greeting("\n\nHi Ana,", "Greet once")]
#[case::a_quote("\n> you wrote", "Begin no line")]
#[case::an_mbox_line("\nFrom now on, we do it.", "Begin no line")]
#[case::a_signature_mark("\n-- \nMarchmont", "Begin no line")]
#[case::a_tab("It is\tfine.", "invisible")]
#[case::reversed_text("It is \u{202e}fine.", "invisible")]
fn what_a_plan_does_not_contain_is_named(#[case] addition: &str, #[case] expected: &str) {
    let found = found(&ask(), &draft(&format!("{ASKED} {addition}")));
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{found:#?}"
    );
}

#[rstest]
#[case::numbers_joined_anew("The keys can be had on 4 May.", "the date “4 May”")]
#[case::a_month_for_a_verb("Would May suit?", "“May”")]
#[case::a_half_moved("It opens at 4 pm.", "the time “4pm”")]
#[case::a_sum_of_a_count("It costs $4.", "the sign “$”")]
fn what_a_plan_contains_elsewhere_is_not_free_to_join(#[case] text: &str, #[case] expected: &str) {
    let plan = plan(
        MessageKind::Reply,
        vec![brief(
            "Flat 4 opens at 3 pm. You may come, or come on 9 June.",
        )],
    );
    let told = "Flat 4 opens at 3 pm. You may come, or come on 9 June.";
    assert_eq!(found(&plan, &draft(told)), Vec::<String>::new());
    let found = found(&plan, &draft(&format!("{told} {text}")));
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{found:#?}"
    );
}

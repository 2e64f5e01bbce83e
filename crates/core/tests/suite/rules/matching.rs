//! One conversation for which each rule matches, some for which it just does not, and the order.

use super::state::*;
use crate::world::later;
use liaison_core::{
    conversation::{Conversation, HoldReason, MessageKind, Owed},
    id::NeedId,
    ladder::Silence,
    need::{Brief, Need},
    phase::{Explanation, RULES, RuleName, diagram, explain},
    policy::SilentCaller,
    slot::Standing,
};
use rstest::rstest;

#[test]
fn each_rule_matches_its_own_conversation_and_wins() {
    for rule in RULES {
        let mut c = conversation();
        make_match(&mut c, rule.name);
        let explanation = explain(&c, now());
        assert_eq!(winner(&explanation), Some(rule.name));
        // The picture of the rules says where each leads.
        let then = match explanation.phase.is_waiting() {
            true => "wait",
            false => "operation",
        };
        let name = serde_json::to_value(rule.name).expect("a name");
        let edge = format!("{} -- yes --> {then}\n", name.as_str().expect("a name"));
        assert!(diagram().contains(&edge), "{edge}");
    }
}

/// What is just not enough for a rule.
#[rstest]
#[case::an_operation_that_was_applied(RuleName::ApplyNeedOperations, |_: &mut Conversation| {})]
#[case::a_deadline_in_a_moment(RuleName::ExpireNeeds, |c: &mut Conversation| {
    the_need(c).deadline = now().checked_add(jiff::SignedDuration::from_micros(1)).unwrap();
})]
#[case::a_deadline_with_a_reply_in_time(RuleName::ExpireNeeds, |c: &mut Conversation| {
    the_need(c).deadline = now();
    received(c, ago(1));
})]
#[case::a_deadline_with_an_answer_in_time(RuleName::ExpireNeeds, |c: &mut Conversation| {
    the_need(c).deadline = now();
    for name in ["rent", "pets", "day"] {
        stands(c, name, filled(ago(1)));
    }
})]
#[case::a_required_slot_that_is_open(RuleName::SettleNeeds, |c: &mut Conversation| {
    stands(c, "rent", filled(now()));
    stands(c, "pets", filled(now()));
})]
#[case::a_brief_that_was_not_told(RuleName::SettleNeeds, |c: &mut Conversation| {
    make_match(c, RuleName::SettleNeeds);
    let brief = Brief { text: "The lift is broken.".to_owned(), told: None };
    the_need(c).briefs.push(brief);
})]
#[case::an_optional_slot_declined(RuleName::SettleNeeds, |c: &mut Conversation| {
    the_need(c).slots[0].required = false;
    stands(c, "rent", Standing::Declined { evidence: evidence() });
})]
#[case::an_operator_who_holds_but_has_not_taken_over(RuleName::HandsOff, |c: &mut Conversation| {
    held(c, HoldReason::Operator { by: "olga".to_owned(), note: "wait".to_owned() });
})]
#[case::a_reader_that_rests(RuleName::CatchUp, |c: &mut Conversation| {
    transcript(c);
    c.reading.failed = 1;
    c.reading.retry_at = Some(later(now(), 1));
})]
#[case::a_burst_that_may_go_on(RuleName::ReadInbox, |c: &mut Conversation| received(c, ago(59)))]
#[case::a_reader_that_an_operator_was_told_of(RuleName::ReadInbox, |c: &mut Conversation| {
    received(c, ago(60));
    held(c, HoldReason::ReadingFailed { error: "down".to_owned() });
})]
#[case::no_command(RuleName::RunQuickActions, |c: &mut Conversation| held(c, HoldReason::Silence))]
#[case::no_hold(RuleName::AwaitOperator, |c: &mut Conversation| make_match(c, RuleName::HandsOff))]
#[case::nothing_to_say(RuleName::EscalateUnreachable, |c: &mut Conversation| unusable(c))]
#[case::only_thanks_to_say(RuleName::EscalateUnreachable, |c: &mut Conversation| {
    unusable(c);
    owes(c, Owed::Acknowledgement { slots: Vec::new() });
})]
#[case::a_message_on_its_way(RuleName::Reply, |c: &mut Conversation| {
    owes(c, answer());
    on_its_way(c);
})]
#[case::further_needs_may_join(RuleName::Ask, |c: &mut Conversation| {
    forget(c, "rent");
    the_need(c).registered_at = ago(29);
})]
#[case::too_short_after_the_last_message(RuleName::Ask, |c: &mut Conversation| {
    make_match(c, RuleName::Ask);
    sent(c, MessageKind::Reply, ago(20 * 3_600 - 1));
})]
#[case::a_reminder_a_second_too_early(RuleName::FollowUp, |c: &mut Conversation| {
    only_asked(c, "pets", ago(3 * DAY - 1));
})]
#[case::a_reminder_of_what_is_promised(RuleName::FollowUp, |c: &mut Conversation| {
    only_asked(c, "pets", ago(3 * DAY));
    stands(c, "pets", Standing::Promised { until: later(now(), 1), evidence: evidence() });
})]
#[case::a_reminder_of_what_is_optional(RuleName::FollowUp, |c: &mut Conversation| {
    only_asked(c, "pets", ago(3 * DAY));
    the_need(c).slots[1].required = false;
})]
#[case::patience_for_another_second(RuleName::EscalateSilence, |c: &mut Conversation| {
    chased(c, "day", ago(7 * DAY - 1));
})]
#[case::silence_that_only_the_deadline_ends(RuleName::EscalateSilence, |c: &mut Conversation| {
    chased(c, "day", ago(7 * DAY));
    c.policy.ladder.silence = Silence::Expire;
})]
#[case::silence_that_an_operator_has_seen(RuleName::EscalateSilence, |c: &mut Conversation| {
    chased(c, "day", ago(7 * DAY));
    c.chase_from = Some(now());
})]
#[case::a_caller_who_was_probed(RuleName::ProbeCaller, |c: &mut Conversation| {
    make_match(c, RuleName::ProbeCaller);
    the_need(c).caller_probed_at = Some(now());
})]
#[case::a_caller_seen_a_second_too_late(RuleName::ProbeCaller, |c: &mut Conversation| {
    make_match(c, RuleName::ProbeCaller);
    the_need(c).caller_seen_at = ago(DAY - 1);
})]
#[case::a_caller_who_has_a_second_left_to_answer(RuleName::EscalateCaller, |c: &mut Conversation| {
    make_match(c, RuleName::EscalateCaller);
    probed(c).caller_probed_at = Some(ago(7 * DAY - 1));
})]
#[case::a_caller_who_answered(RuleName::EscalateCaller, |c: &mut Conversation| {
    make_match(c, RuleName::EscalateCaller);
    probed(c).caller_seen_at = ago(7 * DAY - 1);
})]
#[case::a_caller_who_was_given_up_before(RuleName::EscalateCaller, |c: &mut Conversation| {
    make_match(c, RuleName::EscalateCaller);
    probed(c).caller_gone_at = Some(now());
})]
#[case::a_silent_caller_whose_need_is_kept(RuleName::EscalateCaller, |c: &mut Conversation| {
    make_match(c, RuleName::EscalateCaller);
    c.policy.silent_caller = SilentCaller::Keep;
})]
fn a_rule_does_not_match_what_is_just_not_enough(
    #[case] rule: RuleName,
    #[case] make: fn(&mut Conversation),
) {
    let mut c = conversation();
    make(&mut c);
    let explanation = explain(&c, now());
    assert!(!finds(&explanation, rule), "{:#?}", explanation.rules);
}

#[test]
fn of_two_neighbours_that_both_match_the_upper_wins() {
    for pair in RULES.windows(2) {
        let [upper, lower] = pair else { unreachable!() };
        let mut c = conversation();
        make_match(&mut c, lower.name);
        make_match(&mut c, upper.name);
        let explanation = explain(&c, now());
        // Without a contact nothing may be sent: these two never match at once.
        let excluded = upper.name == RuleName::EscalateUnreachable;
        assert_eq!(
            finds(&explanation, lower.name),
            !excluded,
            "{:?} and {:?}",
            upper.name,
            lower.name
        );
        assert_eq!(winner(&explanation), Some(upper.name));
    }
}

#[test]
fn an_unread_message_does_not_keep_a_deadline_open_beyond_the_grace() {
    let mut c = conversation();
    the_need(&mut c).deadline = ago(6 * 3_600);
    received(&mut c, ago(6 * 3_600 + 1));
    let mut unreadable = c.clone();
    unreadable.reading.failed = 1;
    let winner_of = |c: &Conversation| winner(&explain(c, now()));
    assert_eq!(winner_of(&unreadable), Some(RuleName::ExpireNeeds));
    // One that can be read at once is read, however late anybody looks.
    assert_eq!(winner_of(&c), Some(RuleName::ReadInbox));
}

fn probed(c: &mut Conversation) -> &mut Need {
    c.needs.get_mut(&NeedId::new("n2")).expect("the need")
}

fn finds(explanation: &Explanation, rule: RuleName) -> bool {
    let finding = explanation
        .rules
        .iter()
        .find(|finding| finding.rule == rule);
    finding.expect("every rule is explained").matches
}

fn winner(explanation: &Explanation) -> Option<RuleName> {
    let mut rules = explanation.rules.iter();
    rules
        .find(|finding| finding.wins)
        .map(|finding| finding.rule)
}

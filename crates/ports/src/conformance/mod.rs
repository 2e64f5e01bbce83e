//! What every store must do, as named checks.
//!
//! An adapter runs [`run_all`] in its own tests. Each check gets a store of its own, and says in its
//! name what must hold.

mod claims;
mod commits;
pub mod fixture;
mod inputs;
mod lists;
mod matching;
mod outbox;
mod races;
mod recalls;
mod registration;

use crate::store::Store;
use std::{future::Future, pin::Pin, sync::Arc};

/// A store to check; shared, because some checks use it from many tasks at once.
pub type Subject = Arc<dyn Store>;

/// A check: what must hold, and how to see it. It panics when it does not hold.
#[derive(Clone, Copy)]
pub struct Check {
    /// What must hold.
    pub name: &'static str,
    run: fn(Subject) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

macro_rules! checks {
    ($($module:ident: [$($check:ident),* $(,)?])*) => {
        &[$($(Check {
            name: stringify!($check),
            run: |store| Box::pin(async move { $module::$check(&store).await }),
        },)*)*]
    };
}

/// All of them.
pub const CHECKS: &[Check] = checks! {
    registration: [
        a_need_opens_a_conversation_that_is_due_at_once,
        the_same_request_with_its_key_is_registered_once,
        a_key_with_another_request_is_refused,
        keys_of_two_tenants_are_apart,
        the_same_need_without_a_key_is_registered_once,
        a_need_joins_the_conversation_with_the_stakeholders_key,
        a_need_joins_the_only_conversation_with_its_address,
        another_key_with_the_same_address_is_another_person,
        an_address_of_two_conversations_decides_nothing,
        a_need_never_joins_another_tenants_conversation,
        a_taken_reply_token_is_refused_and_leaves_nothing,
    ]
    inputs: [
        inputs_come_in_their_order_and_once_each,
        one_dedupe_key_counts_in_the_whole_tenant_and_not_beyond,
        an_input_for_no_conversation_is_named_and_the_others_are_kept,
        an_input_makes_its_conversation_due_but_never_later,
        a_received_message_brings_its_transcript_and_its_files,
        a_message_received_twice_leaves_one_of_everything,
        a_message_for_no_conversation_leaves_nothing,
        a_message_that_cannot_be_stored_whole_is_not_stored,
        an_unmatched_message_is_filed_once_and_the_newest_listed_first,
        what_a_conversation_took_is_not_filed_as_unmatched,
        an_assigned_message_leaves_the_unmatched_list,
        a_command_counts_once_for_its_key,
        the_key_of_another_command_is_refused_and_leaves_nothing,
        commands_without_a_key_all_count,
    ]
    claims: [
        those_due_longest_are_claimed_first_up_to_the_limit,
        nothing_is_claimed_before_it_is_due,
        a_claim_stands_until_its_lease_ends_and_the_fence_grows,
        a_released_conversation_is_due_when_it_was_said,
        an_input_that_came_during_a_claim_is_not_put_off_by_its_release,
        a_release_without_a_time_leaves_waiting_inputs_due,
        a_stale_fence_is_refused_everywhere,
        a_quarantined_conversation_is_out_of_the_work,
        a_lifted_quarantine_is_work_again_for_its_own_tenant,
        pending_inputs_are_those_after_a_place_and_bounded,
        a_time_between_two_microseconds_is_not_due_too_early,
    ]
    commits: [
        a_commit_is_seen_whole,
        a_commit_folds_what_it_folded_and_nothing_else,
        a_commit_without_newer_inputs_is_refused_when_one_came,
        a_commit_of_several_operations_keeps_each,
        only_the_first_operation_of_a_commit_folds,
        a_kept_claim_stays_claimed,
        a_claim_that_was_given_back_commits_nothing,
        an_operation_that_folds_other_inputs_than_wait_is_refused,
        a_revision_is_journalled_once,
        a_need_has_exactly_one_outcome,
        an_amended_need_is_read_as_amended,
        a_refused_commit_changes_nothing,
        events_are_read_on_from_a_place,
        holds_and_open_needs_are_facts_of_the_list,
        a_new_contact_is_found_and_an_old_one_stays,
        the_journal_is_read_from_a_revision,
    ]
    outbox: [
        a_decided_message_is_claimed_with_its_exact_bytes,
        messages_of_a_conversation_go_one_at_a_time_in_order,
        nothing_goes_while_an_input_waits_unfolded,
        the_point_of_no_return_is_passed_once_and_by_the_claimant,
        the_point_of_no_return_is_closed_while_an_input_waits,
        a_failed_try_waits_until_it_may_be_tried_again,
        a_sent_message_says_so_and_is_found_by_its_name,
        a_refused_message_says_so,
        a_claim_of_a_dead_dispatcher_is_claimed_again,
        a_hand_over_of_a_dead_dispatcher_is_of_unknown_fate,
        a_message_of_unknown_fate_can_be_sent_again_and_fail_again,
        a_strangers_completion_is_ignored,
        the_next_instant_leaves_out_what_may_not_go,
        a_quarantined_conversation_sends_nothing,
        the_list_shows_what_is_not_over,
    ]
    recalls: [
        a_queued_message_is_recalled_and_says_so,
        a_claimed_message_is_recalled_before_its_hand_over,
        a_message_on_its_way_is_not_recalled,
        another_conversations_message_is_not_recalled,
    ]
    matching: [
        a_token_finds_its_conversation,
        the_first_message_id_that_is_known_wins,
        an_address_finds_conversations_and_those_with_open_needs,
    ]
    lists: [
        needs_are_paged_from_the_newest,
        conversations_are_listed_by_their_latest_activity,
        conversations_are_gone_through_by_their_ids,
        a_transcript_is_the_latest_in_order,
        another_tenant_finds_nothing,
        a_key_is_found_by_its_hash_and_revoked_at_once,
        two_keys_never_share_a_hash,
        the_store_can_be_read_and_written,
    ]
    races: [
        a_hundred_identical_messages_are_one,
        a_hundred_identical_registrations_are_one,
        no_conversation_is_claimed_twice,
        no_message_is_claimed_twice,
        of_a_recall_and_a_hand_over_exactly_one_wins,
        no_input_is_lost_between_commits,
    ]
};

/// Runs every check on a store that `make` makes for it.
///
/// # Panics
///
/// When a check fails, with its name.
pub async fn run_all(make: impl AsyncFn() -> Subject) {
    for check in CHECKS {
        let store = make().await;
        if let Err(failure) = tokio::spawn((check.run)(store)).await {
            let what = match failure.try_into_panic() {
                Ok(panic) => said(&*panic),
                Err(cancelled) => cancelled.to_string(),
            };
            panic!("the store does not conform: {}: {what}", check.name);
        }
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (None, Some(text)) => (*text).to_owned(),
        (None, None) => "it panicked without a word".to_owned(),
    }
}

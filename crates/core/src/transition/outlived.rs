//! Holds whose reason ended with the needs that it was about.

use crate::{
    conversation::{Conversation, Hold, HoldReason, Owed, ReplyItem},
    ladder::Silence,
    need::Need,
    phase::{Survey, Watch},
};
use jiff::Timestamp;

/// Lifts the holds that nobody has to look at any more, after needs have ended at `now`: those that
/// are only about getting an answer that no need waits for. What the person said (a question, a
/// complaint, a wish, words that nobody understood), what a stranger wrote, what an operator wants
/// and a message of unknown fate stay until somebody has seen to them.
pub(super) fn lift_outlived(c: &mut Conversation, now: Timestamp) {
    let over: Vec<bool> = c
        .holds
        .iter()
        .map(|hold| is_outlived(c, hold, now))
        .collect();
    let mut over = over.into_iter();
    c.holds.retain(|_| !over.next().unwrap_or(false));
}

fn is_outlived(c: &Conversation, hold: &Hold, now: Timestamp) -> bool {
    let nobody_waits = c.open_needs().next().is_none();
    match &hold.reason {
        HoldReason::Silence => !Survey::new(c)
            .silent(&Watch::new(now))
            .iter()
            .any(|(_, silence)| *silence == Silence::Hold),
        HoldReason::PromisesBroken { slot, .. } => c.waiting_for(slot).next().is_none(),
        HoldReason::Unreachable | HoldReason::SendRefused { .. } => {
            nobody_waits && !c.reply_items.iter().any(matters)
        }
        HoldReason::CallerGone { need } => !c.needs.get(need).is_some_and(Need::is_open),
        HoldReason::StakeholderQuestion { .. }
        | HoldReason::OutOfScope { .. }
        | HoldReason::WantsPerson { .. }
        | HoldReason::RefusesContact { .. }
        | HoldReason::NamesAnother { .. }
        | HoldReason::NothingUnderstood { .. }
        | HoldReason::UnknownSender { .. }
        | HoldReason::ReadingFailed { .. }
        | HoldReason::UnknownSend { .. }
        | HoldReason::Operator { .. } => false,
    }
}

/// Whether it is worth an operator's time that something cannot be said: thanks, and word that a
/// question is over, are not.
fn matters(item: &ReplyItem) -> bool {
    !matches!(
        item.what,
        Owed::Acknowledgement { .. } | Owed::Withdrawal { .. }
    )
}

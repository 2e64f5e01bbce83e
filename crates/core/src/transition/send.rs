//! Sending: what a worded plan changes, what operators command, and what happens when nobody can
//! be written to.

use super::{
    fold::{hold, really_sent},
    read::{announce_late, fill},
};
use crate::{
    conversation::{
        Action, Conversation, HoldReason, Outgoing, Owed, QuickAction, ReadingAttempts, ReplyItem,
    },
    effect::{Effect, OutboundMessage},
    id::{Ids, MessageId, ReplyItemId},
    phase::Phase,
    plan::{Draft, PlanItem, plan_message},
    slot::{Evidence, Filled},
};
use jiff::Timestamp;

/// Puts a worded message on its way. `false` when the state has nothing to say in `phase`.
pub(super) fn send(
    c: &mut Conversation,
    phase: &Phase,
    draft: &Draft,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) -> bool {
    let Some(plan) = plan_message(c, phase, now) else {
        return false;
    };
    let id = MessageId::new(ids.draw());
    let mut outgoing = Outgoing {
        message: id.clone(),
        channel: plan.channel,
        to: plan.to.clone(),
        decided_at: now,
        kind: plan.kind,
        subject: plan
            .thread_subject
            .clone()
            .unwrap_or_else(|| draft.subject.clone()),
        asks: Vec::new(),
        items: Vec::new(),
        briefs: Vec::new(),
        unknown_since: None,
        resent: false,
    };
    for item in &plan.items {
        match item {
            PlanItem::Question { slot, asked_on, .. } => {
                outgoing.asks.push((slot.clone(), asked_on.is_some()));
            }
            PlanItem::Clarify { id, slot, .. } => {
                outgoing.asks.push((slot.clone(), false));
                outgoing.items.push(id.clone());
            }
            PlanItem::Brief { need, place, .. } => outgoing.briefs.push((need.clone(), *place)),
            PlanItem::Acknowledge { id, .. }
            | PlanItem::Answer { id, .. }
            | PlanItem::Withdraw { id, .. } => outgoing.items.push(id.clone()),
        }
    }
    c.outgoing.push(outgoing);
    effects.push(Effect::Send(Box::new(OutboundMessage {
        id,
        at: now,
        reply_token: c.reply_token.clone(),
        plan,
        draft: draft.clone(),
    })));
    true
}

pub(super) fn escalate_unreachable(c: &mut Conversation, now: Timestamp, ids: &mut Ids) {
    hold(c, HoldReason::Unreachable, now, ids);
}

pub(super) fn run_quick_actions(
    c: &mut Conversation,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for QuickAction { by, at, action } in std::mem::take(&mut c.quick_actions) {
        match action {
            Action::Answer { text } => {
                let question = c.holds.iter().find_map(|hold| match &hold.reason {
                    HoldReason::StakeholderQuestion { quote, .. } => Some(quote.clone()),
                    _ => None,
                });
                c.reply_items.push(ReplyItem {
                    id: ReplyItemId::new(ids.draw()),
                    since: at,
                    what: Owed::Answer { text, by, question },
                });
            }
            Action::Resume => resume(c, now),
            Action::Fill { slot, value, note } => {
                let fits = c
                    .slots
                    .get(&slot)
                    .is_some_and(|known| known.kind.rules().check(&value).is_ok());
                if fits {
                    let evidence = Evidence::Operator { by, note };
                    let filled = Filled {
                        value,
                        evidence,
                        as_of: at,
                    };
                    if c.waiting_for(&slot).next().is_none() {
                        announce_late(c, &slot, &filled, effects);
                    }
                    fill(c, &slot, filled);
                    super::fold::recall_all(c, "an operator entered an answer", effects);
                }
            }
            Action::ResolveSend { message, sent } => {
                let unknown = c
                    .outgoing
                    .iter()
                    .position(|o| o.message == message && o.unknown_since.is_some());
                if let Some(place) = unknown {
                    let outgoing = c.outgoing.remove(place);
                    if outgoing.resent {
                        // It may be waiting to be handed over again.
                        effects.push(Effect::Recall {
                            message: message.clone(),
                            why: "an operator said what became of it".to_owned(),
                        });
                    }
                    c.holds.retain(|hold| {
                        !matches!(&hold.reason, HoldReason::UnknownSend { message: m, .. } if *m == message)
                    });
                    effects.push(Effect::Resolve { message, sent });
                    if sent {
                        let decided_at = outgoing.decided_at;
                        really_sent(c, outgoing, decided_at, None);
                    }
                }
            }
        }
    }
}

/// Lifts every hold but those over messages whose fate is unknown: they stand until somebody says
/// what became of the message, or it would be sent blindly again.
fn resume(c: &mut Conversation, now: Timestamp) {
    if c.holds
        .iter()
        .any(|hold| hold.reason == HoldReason::Silence)
    {
        c.chase_from = Some(now);
    }
    if c.reading.failed > 0 {
        c.reading = ReadingAttempts::default();
    }
    c.holds
        .retain(|hold| matches!(hold.reason, HoldReason::UnknownSend { .. }));
}

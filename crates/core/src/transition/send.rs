//! Sending: what a worded plan changes, and what happens when nobody can be written to.

use super::fold::hold;
use crate::{
    conversation::{Conversation, HoldReason, Outgoing},
    effect::{Effect, OutboundMessage},
    id::{Ids, MessageId},
    phase::Phase,
    plan::{Draft, PlanItem, plan_message},
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
        confirms: Vec::new(),
        items: Vec::new(),
        briefs: Vec::new(),
        taken_back: Vec::new(),
        unknown_since: None,
        resent: false,
    };
    for item in &plan.items {
        match item {
            PlanItem::Question { slot, asked_on, .. } => {
                outgoing.asks.push((slot.clone(), asked_on.is_some()));
            }
            PlanItem::Clarify {
                id, slot, asked_on, ..
            } => {
                outgoing.asks.push((slot.clone(), asked_on.is_some()));
                outgoing.items.extend(id.clone());
            }
            PlanItem::Confirm {
                id, slot, asked_on, ..
            } => {
                outgoing.asks.push((slot.clone(), asked_on.is_some()));
                outgoing.confirms.push(slot.clone());
                outgoing.items.extend(id.clone());
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

//! What an operation decided, in the form in which the store keeps it, and who is told.

use crate::{Hub, Parts};
use liaison_core::{
    effect::{Effect, NeedEvent},
    id::TenantId,
};
use liaison_ports::{store::StoredEffect, transport::ComposeFault};

/// Puts an effect into the form in which it is stored; a message into its exact bytes.
pub(crate) fn store_form(
    parts: &Parts,
    tenant: &TenantId,
    effect: &Effect,
) -> Result<StoredEffect, ComposeFault> {
    Ok(match effect {
        Effect::Send(message) => {
            let channel = message.plan.channel;
            let transport = parts
                .transport(tenant, channel)
                .ok_or_else(|| ComposeFault(format!("no transport is configured for {channel}")))?;
            StoredEffect::Send {
                composed: transport.compose(message)?,
                message: message.clone(),
            }
        }
        Effect::Recall { message, why } => StoredEffect::Recall {
            message: message.clone(),
            why: why.clone(),
        },
        Effect::Resend { message } => StoredEffect::Resend {
            message: message.clone(),
        },
        Effect::Resolve { message, sent } => StoredEffect::Resolve {
            message: message.clone(),
            sent: *sent,
        },
        Effect::NeedSettled { need, outcome } => StoredEffect::Settle {
            need: need.clone(),
            outcome: outcome.clone(),
        },
        Effect::NeedAmended { amendment } => StoredEffect::Amend {
            amendment: amendment.clone(),
        },
        Effect::Event { need, event } => StoredEffect::Event {
            need: need.clone(),
            event: event.clone(),
        },
    })
}

/// Tells this process what is in the store now.
pub(crate) fn announce(hub: &Hub, effects: &[Effect]) {
    for effect in effects {
        match effect {
            Effect::Send(_) | Effect::Resend { .. } => hub.outbox_filled(),
            Effect::Recall { .. } => hub.work_arrived(),
            Effect::Resolve { .. } | Effect::NeedAmended { .. } => {}
            Effect::Event { need, event } => {
                if let NeedEvent::HoldEscalated {
                    hold,
                    since,
                    reason,
                    ..
                } = event
                {
                    tracing::warn!(%need, %hold, %since, reason, "a hold waits for an operator");
                }
                hub.need_changed(need);
            }
            Effect::NeedSettled { need, .. } => hub.need_changed(need),
        }
    }
}

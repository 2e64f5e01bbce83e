//! From what is stored to what is shown.

use jiff::Timestamp;
use liaison_api::{
    AbsenceView, ConversationSummary, ConversationView, EventView, HoldView, JournalEntry,
    JournalView, MessageDirection, MessageView, NeedInConversation, NeedStatus, NeedView,
    OutboxEntry, OutboxState, OutgoingView, SlotState, SlotView, UnmatchedEntry,
    UnreadableConversation, UsageView,
};
use liaison_core::{
    conversation::{Ask, Conversation, Hold, Outgoing},
    id::NeedId,
    need::{self, Need, NeedSlot},
    phase,
    slot::{Slot, SlotKey, Standing},
};
use liaison_ports::store;

/// A need, for its caller.
pub(crate) fn need(row: store::NeedRow) -> NeedView {
    NeedView {
        id: row.id,
        conversation: row.conversation,
        status: NeedStatus::from(row.outcome.as_ref()),
        goal: row.registration.goal,
        subject: row.registration.subject,
        registered_at: row.registered_at,
        deadline: row.registration.deadline,
        outcome: row.outcome,
    }
}

/// News of a need.
pub(crate) fn event(row: store::EventRow) -> EventView {
    EventView {
        seq: row.seq,
        at: row.at,
        event: row.event,
    }
}

/// A conversation in a list.
pub(crate) fn summary(row: store::ConversationSummary) -> ConversationSummary {
    ConversationSummary {
        id: row.id,
        stakeholder: row.stakeholder,
        open_needs: row.open_needs,
        held_since: row.held_since,
        last_activity: row.last_activity,
        wake_at: row.wake_at,
        quarantined: row.quarantined,
    }
}

/// What is known of a conversation whose document cannot be read.
pub(crate) fn unreadable(
    facts: store::ConversationFacts,
    error: String,
    transcript: Vec<store::MessageRow>,
) -> UnreadableConversation {
    let known = summary(facts.summary);
    UnreadableConversation {
        unreadable: error,
        id: known.id,
        stakeholder: known.stakeholder,
        open_needs: known.open_needs,
        held_since: known.held_since,
        last_activity: known.last_activity,
        unfolded: facts.unfolded,
        quarantined: facts.quarantined,
        transcript: transcript.into_iter().map(message).collect(),
    }
}

/// A conversation, for an operator, as it is at `now`.
pub(crate) fn conversation(
    row: store::ConversationRow,
    transcript: Vec<store::MessageRow>,
    now: Timestamp,
) -> ConversationView {
    let document = row.document;
    ConversationView {
        at: now,
        phase: phase::determine_phase(&document, now),
        next_wake: phase::next_wake(&document, now),
        needs: document.needs.iter().map(need_in_conversation).collect(),
        slots: slots(&document),
        holds: document.holds.into_iter().map(hold).collect(),
        guidance: document
            .guidance
            .into_iter()
            .filter(|guidance| guidance.counts_at(now))
            .collect(),
        ignored: document.ignored,
        absence: document.absence.map(|absence| AbsenceView {
            quote: absence.quote,
            from: absence.from,
            until: absence.until,
        }),
        outgoing: document.outgoing.into_iter().map(outgoing).collect(),
        unread: u32::try_from(document.inbox.len()).unwrap_or(u32::MAX),
        unfolded: row.unfolded,
        quarantined: row.quarantined,
        transcript: transcript.into_iter().map(message).collect(),
        id: document.id,
        revision: document.revision,
        opened_at: document.opened_at,
        stakeholder: document.stakeholder,
        taken_over: document.taken_over,
        asks: document.asks.in_time(),
    }
}

fn need_in_conversation((id, need): (&NeedId, &Need)) -> NeedInConversation {
    let keys = |required| {
        let wanted = move |slot: &&NeedSlot| slot.required == required;
        need.slots
            .iter()
            .filter(wanted)
            .map(|slot| slot.key.clone())
            .collect()
    };
    NeedInConversation {
        id: id.clone(),
        status: match need.status {
            need::NeedStatus::Open => NeedStatus::Open,
            need::NeedStatus::Settled { outcome, .. } => NeedStatus::Ended(outcome),
        },
        goal: need.goal.clone(),
        registered_at: need.registered_at,
        deadline: need.deadline,
        required: keys(true),
        optional: keys(false),
    }
}

fn slots(document: &Conversation) -> Vec<SlotView> {
    document
        .slots
        .iter()
        .map(|(key, known)| slot(key, known, &document.asks))
        .collect()
}

fn slot(key: &SlotKey, slot: &Slot, ledger: &[Ask]) -> SlotView {
    let asks: Vec<_> = ledger.iter().filter(|ask| ask.slot == *key).collect();
    SlotView {
        slot: key.clone(),
        spec: slot.kind.clone(),
        question: slot.question.clone(),
        asked: u32::try_from(asks.len()).unwrap_or(u32::MAX),
        state: match &slot.standing {
            // Whether a slot was asked is not part of its standing: the ledger says so.
            Standing::Missing => match asks.iter().map(|ask| ask.at).max() {
                Some(asked_at) => SlotState::Asked { asked_at },
                None => SlotState::Missing,
            },
            Standing::Promised { until, evidence } => SlotState::Promised {
                until: *until,
                evidence: evidence.clone(),
            },
            Standing::Unclear {
                candidates,
                evidence,
                why,
            } => SlotState::Unclear {
                candidates: candidates.clone(),
                evidence: evidence.clone(),
                why: why.clone(),
            },
            Standing::Unconfirmed(candidate) => SlotState::Unconfirmed(candidate.clone()),
            Standing::Filled(filled) => SlotState::Filled(filled.clone()),
            Standing::Declined { evidence } => SlotState::Declined {
                evidence: evidence.clone(),
            },
        },
        earlier: slot.earlier.clone(),
    }
}

fn hold(hold: Hold) -> HoldView {
    HoldView {
        id: hold.id,
        since: hold.since,
        need: hold.need,
        until: hold.until,
        escalated_at: hold.escalated_at,
        further: hold.further,
        sentence: hold.reason.sentence(),
        reason: hold.reason,
    }
}

fn outgoing(outgoing: Outgoing) -> OutgoingView {
    OutgoingView {
        message: outgoing.message,
        kind: outgoing.kind,
        subject: outgoing.subject,
        decided_at: outgoing.decided_at,
        unknown_since: outgoing.unknown_since,
    }
}

/// Something that was said.
pub(crate) fn message(row: store::MessageRow) -> MessageView {
    MessageView {
        id: row.id,
        direction: match row.direction {
            store::Direction::Inbound => MessageDirection::Inbound,
            store::Direction::Outbound => MessageDirection::Outbound,
        },
        channel: row.channel,
        at: row.at,
        address: row.address,
        subject: row.subject,
        text: row.text,
    }
}

/// A stretch of the journal.
pub(crate) fn journal(page: store::JournalPage) -> JournalView {
    JournalView {
        opening: page.opening,
        operations: page
            .operations
            .into_iter()
            .map(|row| JournalEntry {
                operation: row.operation,
                judgement: row.judgement,
                usage: row.usage.map(|usage| UsageView {
                    model: usage.model,
                    prompt_tokens: usage.prompt_tokens,
                    completion_tokens: usage.completion_tokens,
                    requests: usage.requests,
                }),
            })
            .collect(),
    }
}

/// A message that belongs to no conversation.
pub(crate) fn unmatched(message: store::Unmatched) -> UnmatchedEntry {
    UnmatchedEntry {
        id: message.id,
        at: message.at,
        from: message.from,
        subject: message.subject,
        why: message.why,
        size: message.raw.len() as u64,
    }
}

/// A message that is not sent.
pub(crate) fn outbox(row: store::OutboxRow) -> OutboxEntry {
    OutboxEntry {
        message: row.message,
        conversation: row.conversation,
        state: match row.state {
            store::OutboxState::Queued => OutboxState::Queued,
            store::OutboxState::Claimed => OutboxState::Claimed,
            store::OutboxState::Transmitting => OutboxState::Transmitting,
            store::OutboxState::Sent => OutboxState::Sent,
            store::OutboxState::Refused => OutboxState::Refused,
            store::OutboxState::Unknown => OutboxState::Unknown,
            store::OutboxState::Withdrawn => OutboxState::Withdrawn,
        },
        attempts: row.attempts,
        due_at: row.due_at,
        last_error: row.last_error,
    }
}

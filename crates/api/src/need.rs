//! What a workflow reads of its needs.

use jiff::Timestamp;
use liaison_core::{
    id::{ConversationId, NeedId},
    need::OutcomeKind,
};
use serde::{Deserialize, Serialize};

pub use liaison_core::{
    effect::NeedEvent,
    need::{Outcome, SlotOutcome},
};

/// A need, as `GET /v1/needs/{id}` shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedView {
    /// Its id.
    pub id: NeedId,
    /// The conversation that it is part of.
    pub conversation: ConversationId,
    /// Whether it is open, or how it ended.
    pub status: NeedStatus,
    /// What it is for.
    pub goal: String,
    /// What its slots are about, when the caller said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// When it ends, answered or not.
    pub deadline: Timestamp,
    /// Its one outcome, once it has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// Whether a need is open, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NeedStatus {
    /// It waits.
    Open,
    /// It ended so.
    #[serde(untagged)]
    Ended(OutcomeKind),
}

impl NeedStatus {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ended(outcome) => outcome.name(),
        }
    }
}

impl From<Option<&Outcome>> for NeedStatus {
    fn from(outcome: Option<&Outcome>) -> Self {
        outcome.map_or(Self::Open, |outcome| Self::Ended(outcome.outcome))
    }
}

/// The answer of `GET /v1/needs`: newest first. The id of the last one, as `before`, gives the next
/// page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedList {
    /// The needs.
    pub needs: Vec<NeedView>,
}

/// The answer of `GET /v1/needs/{id}/events`: oldest first. The place of the last one, as `after`,
/// gives the next page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventList {
    /// The news.
    pub events: Vec<EventView>,
}

/// News of a need, beside its one outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventView {
    /// Its place; it grows.
    pub seq: i64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: NeedEvent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_outcome_survives_the_wire_digit_by_digit() {
        let wire = json!({
            "id": "n", "conversation": "c", "status": "fulfilled", "goal": "g",
            "registered_at": "2026-07-01T00:00:00Z", "deadline": "2026-07-16T00:00:00Z",
            "outcome": {
                "outcome": "fulfilled", "at": "2026-07-02T00:00:00Z",
                "slots": {
                    "rent": {
                        "kind": "number", "value": "1200.50",
                        "evidence": {"source": "message", "message": "m", "quote": "1200.50"},
                        "as_of": "2026-07-01T10:00:00Z"
                    },
                    "by": {
                        "kind": "choice", "value": "agency",
                        "evidence": {"source": "operator", "by": "kim", "note": "phoned"},
                        "as_of": "2026-07-01T10:00:00Z"
                    }
                }
            }
        });
        let view: NeedView = serde_json::from_value(wire.clone()).expect("reads");
        assert_eq!(view.status, NeedStatus::Ended(OutcomeKind::Fulfilled));
        assert_eq!(json!(view), wire);
    }

    #[test]
    fn a_status_is_one_word() {
        for status in [NeedStatus::Open, NeedStatus::Ended(OutcomeKind::OptedOut)] {
            let wire = json!(status);
            assert_eq!(wire, json!(status.name()));
            let read: NeedStatus = serde_json::from_value(wire).expect("reads");
            assert_eq!(read, status);
        }
    }

    #[test]
    fn an_event_keeps_its_place_and_its_content() {
        let wire = json!({
            "seq": 4, "at": "2026-07-01T00:00:00Z", "event": "late_answer", "after": "expired",
            "slot": "by", "value": {"kind": "choice", "value": "agency"},
            "evidence": {"source": "message", "message": "m", "quote": "q"}
        });
        let view: EventView = serde_json::from_value(wire.clone()).expect("reads");
        assert_eq!(json!(view), wire);
    }
}

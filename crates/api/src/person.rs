//! What operators and callers decide about the person: talking to somebody else, and what they said
//! before.

use jiff::Timestamp;
use liaison_core::{
    id::{HoldId, NeedId},
    need::TranscriptEntry,
};
use serde::{Deserialize, Serialize};

/// Talk to whom the person named instead of them: `POST /v1/conversations/{id}/accept-delegate`.
/// The hold `names_another` has whom they named; it is lifted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptDelegate {
    /// The hold `names_another` that is meant; needed where several people were named and `address`
    /// is none of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldId>,
    /// The address; without one, the one that the person gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How they are addressed; without it, as the person named them. One line, 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who agrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Leave it with the person: `POST /v1/conversations/{id}/reject-delegate`. The hold is lifted; where
/// several people were named, the one that is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectDelegate {
    /// The hold `names_another` that is meant; needed where several people were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldId>,
    /// Who decides so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A caller's word on whom the person named, which it heard of by the event `delegate_named`:
/// `POST /v1/needs/{id}/delegate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelegateDecision {
    /// Whether they may be written to instead of the person.
    pub accept: bool,
    /// The hold that is meant, as the event names it; needed where several people were named and `address`
    /// is none of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldId>,
    /// The address; without one, the one that the person gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How they are addressed; without it, as the person named them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What the person said before, or elsewhere, to be read before anything more is asked:
/// `POST /v1/conversations/{id}/catch-up`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatchUp {
    /// Their words, oldest first; 1 to 200, each 1 to 20,000 bytes, none from the future.
    pub entries: Vec<TranscriptEntry>,
    /// The open need that it belongs to; may be left out where only one is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<NeedId>,
    /// Who hands it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// An absence of the person, as they or their mail program said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbsenceView {
    /// Their words.
    pub quote: String,
    /// From when on.
    pub from: Timestamp,
    /// Until when; none when they name no day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

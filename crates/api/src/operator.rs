//! What an operator commands. Each command is stored and answered with 202; the daemon carries it
//! out next.
//!
//! In all of them `by` says who commands, 1 to 100 characters; without it, the API key's name.
//!
//! A button or a link may carry what it was made for, in the query: `if_revision`, the
//! conversation's revision then, and `expires_at`. A command that comes when either no longer fits
//! changes nothing, and is answered with 409.

use crate::{Deadline, InstantFault, NeedId};
use jiff::Timestamp;
use liaison_core::{
    conversation::Heard,
    id::{ConversationId, GuidanceId, HoldId, MessageId},
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The answer to a command: it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Whether the same command had come before, with the same `Idempotency-Key` and body; it is
    /// carried out once.
    pub repeated: bool,
}

/// Tell the stakeholder something in the daemon's voice, as soon as sending is allowed:
/// `POST /v1/conversations/{id}/answer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorAnswer {
    /// The words, 1 to 4,000 characters.
    pub text: String,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether to lift every hold too. While a hold stands, the words wait.
    #[serde(default)]
    pub resume: bool,
}

/// Lift every hold: `POST /v1/conversations/{id}/resume`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a command's query may say about when it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandQuery {
    /// The conversation must still have this revision, and nothing may wait to be taken in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<u64>,
    /// The command must come before this instant.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "an_instant"
    )]
    pub expires_at: Option<Timestamp>,
}

/// Reads an instant, and says of what is none how one is written.
fn an_instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let read = text.parse().map_err(|_| InstantFault);
    read.map(Some).map_err(serde::de::Error::custom)
}

/// Lift one hold: `POST /v1/conversations/{id}/release`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Which.
    pub hold: HoldId,
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Pause the conversation or one of its needs: `POST /v1/conversations/{id}/hold`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldRequest {
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why, 1 to 1,000 characters.
    pub note: String,
    /// The need that is paused; without it, the whole conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<NeedId>,
    /// When the pause ends by itself (a snooze): an instant, or a length of time from now; at most
    /// two years ahead. Without it, an operator ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Deadline>,
}

/// Give whoever words the messages a standing instruction on the manner:
/// `POST /v1/conversations/{id}/guide`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guide {
    /// The instruction, 1 to 500 characters.
    pub text: String,
    /// When it expires: an instant, or a length of time from now; at most two years ahead. Without
    /// it, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Deadline>,
    /// Who gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Take an instruction back: `POST /v1/conversations/{id}/unguide`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unguide {
    /// Which.
    pub guidance: GuidanceId,
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Let a contact be written to again that failed or opted out:
/// `POST /v1/conversations/{id}/revive`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviveContact {
    /// Which, as the conversation's `stakeholder` has it.
    pub address: String,
    /// On what grounds, 1 to 1,000 characters.
    pub note: String,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Opt the person out, who said so elsewhere: `POST /v1/conversations/{id}/opt-out`. What is on its
/// way and can be stopped does not go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptOut {
    /// One contact, as the conversation's `stakeholder` has it; without one, all of them, and
    /// whatever is named later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// On what grounds, 1 to 1,000 characters.
    pub note: String,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Take opt-outs back, as the person wants: `POST /v1/conversations/{id}/opt-in`. An address that
/// failed stays failed; see [`ReviveContact`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptIn {
    /// One contact, as the conversation's `stakeholder` has it; without one, all that opted out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// On what grounds, 1 to 1,000 characters.
    pub note: String,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Put a conversation that was set aside because of an error back to work:
/// `POST /v1/conversations/{id}/lift-quarantine`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiftQuarantine {
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Put a message that matched no conversation into one: `POST /v1/unmatched/{id}/assign`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssignUnmatched {
    /// Which conversation.
    pub conversation: ConversationId,
    /// Whether the operator knows that the stakeholder wrote it, whatever address it came from.
    /// Without that, a message from an address that is not theirs is a stranger's: it is held.
    #[serde(default)]
    pub from_stakeholder: bool,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Handle the conversation alone from now on: `POST /v1/conversations/{id}/takeover`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakeOver {
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Give the conversation back to the daemon: `POST /v1/conversations/{id}/handback`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandBack {
    /// Who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Take this as the value of a slot: `POST /v1/conversations/{id}/fill`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillSlot {
    /// Which slot: its key (`property:42/keys`), or its name alone where only one slot of the
    /// conversation has it.
    pub slot: String,
    /// The value, as the slot's kind writes it: an option's value, `true`, `"2026-09-01"`, `3` or
    /// `"3.50"`, words. A file cannot be entered; it comes with a message.
    pub value: Value,
    /// On what grounds, 1 to 1,000 characters.
    pub note: String,
    /// How the operator heard it from the person, and when, if they did:
    /// `{"via": "phone", "at": "2026-09-01T12:00:00Z"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Heard>,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl FillSlot {
    /// Reads the value for a slot of this kind and checks it against the kind's constraints.
    pub fn value_for(
        &self,
        kind: &liaison_core::value::Kind,
    ) -> Result<liaison_core::value::Value, crate::FieldFault> {
        let fault = |detail: String| crate::FieldFault::new("value", detail);
        if kind.name() == "file" {
            return Err(fault(
                "a file cannot be entered; it comes with a message of the stakeholder".to_owned(),
            ));
        }
        let mut value = self.value.clone();
        if kind.name() == "number" {
            crate::registration::decimal_as_text(Some(&mut value));
        }
        let tagged = serde_json::json!({"kind": kind.name(), "value": value});
        let value = serde_json::from_value(tagged)
            .map_err(|_| fault(format!("this is not a value of kind {}", kind.name())))?;
        kind.rules()
            .check(&value)
            .map_err(|refused| fault(refused.0))?;
        Ok(value)
    }
}

/// Say what became of a message whose fate nobody can tell:
/// `POST /v1/conversations/{id}/resolve-send`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveSend {
    /// Which message.
    pub message: MessageId,
    /// Whether it was sent; if not, what it said is planned and worded anew.
    pub sent: bool,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use liaison_core::value::{self, Kind};
    use serde_json::json;

    fn fill(kind: &Kind, value: Value) -> Result<value::Value, crate::FieldFault> {
        FillSlot {
            slot: "x".to_owned(),
            value,
            note: "phoned".to_owned(),
            heard: None,
            by: None,
        }
        .value_for(kind)
    }

    #[test]
    fn a_value_is_read_as_its_slots_kind_writes_it() {
        let number = Kind::Number(value::Number::default());
        let expected = Ok(value::Value::Number("3.5".parse().expect("a decimal")));
        assert_eq!(fill(&number, json!(3.5)), expected);
        assert_eq!(fill(&number, json!("3.5")), expected);
        assert_eq!(
            fill(&Kind::Date(value::DateKind::default()), json!("2026-09-01")),
            Ok(value::Value::Date(jiff::civil::date(2026, 9, 1)))
        );
        assert_eq!(
            fill(&Kind::Boolean(value::Boolean::default()), json!(true)),
            Ok(value::Value::Boolean(true))
        );
    }

    #[test]
    fn a_value_of_another_kind_is_refused() {
        for (kind, value) in [
            (Kind::Boolean(value::Boolean::default()), json!("yes")),
            (Kind::Date(value::DateKind::default()), json!("tomorrow")),
            (Kind::Number(value::Number::default()), json!("many")),
            (Kind::File(value::FileKind::default()), json!("x.pdf")),
        ] {
            let fault = fill(&kind, value).expect_err("does not fit");
            assert_eq!(fault.field, "value");
        }
    }
}

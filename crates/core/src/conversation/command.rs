//! What operators command, until it is carried out.

use super::{Guard, Heard};
use crate::{
    id::{GuidanceId, HoldId, MessageId},
    slot::SlotKey,
    stakeholder::EmailAddress,
    value::Value,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An operator handles the conversation alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOver {
    /// Who.
    pub by: String,
    /// Since when.
    pub since: Timestamp,
}

/// An operator's command, waiting to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuickAction {
    /// Who gave it.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What.
    pub action: Action,
    /// The holds that stood when it was given: those that came later are none of its business.
    /// Absent in documents of before this was noted; then all count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stood: Option<Vec<HoldId>>,
}

/// What an operator can command in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Tell the stakeholder this, in the daemon's voice, as soon as sending is allowed.
    Answer {
        /// The words.
        text: String,
    },
    /// Lift every hold.
    Resume,
    /// Take this as the value of a slot.
    Fill {
        /// Which slot.
        slot: SlotKey,
        /// The value.
        value: Value,
        /// On what grounds.
        note: String,
        /// How the operator heard of it, when they did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<Heard>,
    },
    /// Say what became of a message whose fate is unknown.
    ResolveSend {
        /// Which message.
        message: MessageId,
        /// Whether it was sent.
        sent: bool,
    },
    /// Lift one hold.
    Release {
        /// Which.
        hold: HoldId,
    },
    /// Give the writers a standing instruction.
    Guide {
        /// The instruction.
        text: String,
        /// When it expires; without it, never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Take an instruction back.
    Unguide {
        /// Which.
        guidance: GuidanceId,
    },
    /// Let a contact be written to again, although its address was found bad or the person had
    /// asked for no more messages.
    Revive {
        /// Which.
        address: EmailAddress,
        /// On what grounds.
        note: String,
    },
    /// The person told an operator that they want no more messages.
    OptOut {
        /// At which contact; without one, at none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<EmailAddress>,
        /// On what grounds.
        note: String,
    },
    /// The person told an operator that they may be written to after all.
    OptIn {
        /// At which contact; without one, wherever they had opted out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<EmailAddress>,
        /// On what grounds.
        note: String,
    },
    /// Talk to whom the person named instead of them.
    AcceptDelegate {
        /// The hold that names them; needed where several stand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<HoldId>,
        /// Their address, when it is another than the one that was found, or none was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<EmailAddress>,
        /// Their name, likewise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Do not.
    RejectDelegate {
        /// The hold that names them; needed where several stand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<HoldId>,
    },
    /// Other commands, that change nothing unless their guard holds when they arrive.
    Guarded {
        /// What must be so.
        guard: Guard,
        /// The commands.
        then: Vec<Action>,
    },
}

impl Action {
    /// The command's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "answer",
            Self::Resume => "resume",
            Self::Fill { .. } => "fill",
            Self::ResolveSend { .. } => "resolve_send",
            Self::Release { .. } => "release",
            Self::Guide { .. } => "guide",
            Self::Unguide { .. } => "unguide",
            Self::Revive { .. } => "revive",
            Self::OptOut { .. } => "opt_out",
            Self::OptIn { .. } => "opt_in",
            Self::AcceptDelegate { .. } => "accept_delegate",
            Self::RejectDelegate { .. } => "reject_delegate",
            Self::Guarded { then, .. } => then.first().map_or("guarded", Action::name),
        }
    }
}

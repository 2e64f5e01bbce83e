//! The wire types of the HTTP API, shared by the server and its clients.
//!
//! Requests refuse fields that they do not know, so that a misspelt one is noticed. Instants are
//! RFC 3339 texts in UTC, lengths of time texts like `90s` or `3d`, numbers that slots hold
//! decimal texts (`"12.50"`), so that no digit is lost on the way.

mod amendment;
mod conversation;
mod field;
mod mail;
mod need;
mod operator;
mod person;
mod problem;
mod registration;

pub use amendment::{AmendNeed, SlotAmendment};
pub use conversation::{
    Ask, ConversationAnswer, ConversationList, ConversationSummary, ConversationView, HoldReason,
    HoldView, JournalEntry, JournalView, MessageDirection, MessageKind, MessageView,
    NeedInConversation, OutgoingView, Phase, SlotState, SlotView, TakenOver, TranscriptView,
    UnreadableConversation, UsageView,
};
pub use field::{FieldFault, read};
pub use mail::{
    OutboxEntry, OutboxState, OutboxView, TakenAs, TakenView, UnmatchedEntry, UnmatchedView,
};
pub use need::{
    EventList, EventView, NeedEvent, NeedList, NeedStatus, NeedView, Outcome, SlotOutcome,
};
pub use operator::{
    Accepted, AssignUnmatched, CommandQuery, FillSlot, Guide, HandBack, HoldRequest,
    LiftQuarantine, OperatorAnswer, OptIn, OptOut, Release, ResolveSend, Resume, ReviveContact,
    TakeOver, Unguide,
};
pub use person::{AbsenceView, AcceptDelegate, CatchUp, DelegateDecision, RejectDelegate};
pub use problem::Problem;
pub use registration::{
    ContactSpec, Deadline, DeadlineFault, InstantFault, KindSpec, RegisterNeed, SlotSpec,
    StakeholderSpec,
};

pub use liaison_core::{
    conversation::{Guidance, Heard, IgnoredAction, Via},
    id::{ConversationId, GuidanceId, HoldId, MessageId, NeedId},
    ladder::{Chase, Ladder, Silence, Tone},
    need::{OutcomeKind, TranscriptEntry},
    phase::{Explanation, Finding, QuestionFinding, SendingFinding},
    plan::{PlanAhead, PlanEnd, Planned, PlannedQuestion, PlannedStep, PlannedWait},
    policy::Wait,
    slot::{Confirm, Evidence, Filled, SlotKey},
    stakeholder::{Channel, Consent, EnteredOptOut, Health},
    value::{
        Boolean, Choice, ChoiceOption, DateKind, FileKind, FileRef, Kind, Number, Text, Value,
    },
};

/// The header with which a caller marks repetitions of one request.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The media type of a problem document (RFC 9457, section 3).
pub const PROBLEM_JSON: &str = "application/problem+json";

/// The longest that one request may wait for an outcome, in seconds. Longer ones are cut to it:
/// proxies on the way commonly give up after a few minutes of silence.
pub const LONGEST_WAIT_SECONDS: u64 = 120;

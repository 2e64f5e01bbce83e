//! The rules, in order. The first that matches says what happens next.

use super::{Phase, Survey, Watch};
use crate::{
    conversation::{Conversation, Hold, HoldReason, MessageKind, Owed, Received, ReplyItem},
    counting::{counted, times},
    id::{HoldId, NeedId},
    need::{Need, OutcomeKind},
    policy::{SilentCaller, Wait},
    sending::{self, Permission, permission},
    slot::Standing,
    stakeholder::Consent,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub name: RuleName,
    /// Why it stands where it stands.
    pub place: &'static str,
    check: fn(&Survey<'_>, &Watch) -> Option<Phase>,
}

impl Rule {
    /// The phase, if the rule matches.
    pub fn check(&self, survey: &Survey<'_>, watch: &Watch) -> Option<Phase> {
        (self.check)(survey, watch)
    }
}

/// The names of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each name is explained by its rule")]
pub enum RuleName {
    ApplyNeedOperations,
    ExpireNeeds,
    SettleNeeds,
    RecordForOperator,
    HandsOff,
    CatchUp,
    ReadInbox,
    RunQuickActions,
    TendHolds,
    AwaitOperator,
    EscalateUnreachable,
    Reply,
    Ask,
    FollowUp,
    EscalatePromises,
    EscalateSilence,
    ProbeCaller,
    EscalateCaller,
}

/// The rules, in order. When none matches there is nothing to do but wait.
pub const RULES: &[Rule] = &[
    Rule {
        name: RuleName::ApplyNeedOperations,
        place: "First, because every other rule looks at the needs as they are wanted now.",
        check: apply_need_operations,
    },
    Rule {
        name: RuleName::ExpireNeeds,
        place: "Before settling, so that a value which came too late cannot fulfil a need, and \
                before any hold, because a deadline holds whatever happens.",
        check: expire_needs,
    },
    Rule {
        name: RuleName::SettleNeeds,
        place: "Also while held or taken over: settling sends nothing to the person, and a \
                workflow should not wait for an operator once its answer is there.",
        check: settle_needs,
    },
    Rule {
        name: RuleName::RecordForOperator,
        place: "Before hands are off: what an operator who has taken over enters (an answer that \
                came by phone) neither reads nor sends anything.",
        check: record_for_operator,
    },
    Rule {
        name: RuleName::HandsOff,
        place: "Before reading: an operator who has taken over reads for themselves.",
        check: hands_off,
    },
    Rule {
        name: RuleName::CatchUp,
        place: "Before the inbox, because what was said earlier comes first, and before any \
                question, so that nothing known is asked.",
        check: catch_up,
    },
    Rule {
        name: RuleName::ReadInbox,
        place: "Before commands and holds: what the person wrote may answer everything, and \
                reading sends nothing.",
        check: read_inbox,
    },
    Rule {
        name: RuleName::RunQuickActions,
        place: "Before the hold that they may lift.",
        check: run_quick_actions,
    },
    Rule {
        name: RuleName::TendHolds,
        place: "Before waiting for an operator: a snooze may be over, and an operator who does \
                not come is called once.",
        check: tend_holds,
    },
    Rule {
        name: RuleName::AwaitOperator,
        place: "From here on everything sends, so a hold blocks everything below.",
        check: await_operator,
    },
    Rule {
        name: RuleName::EscalateUnreachable,
        place: "Before all sending, because none of it could succeed.",
        check: escalate_unreachable,
    },
    Rule {
        name: RuleName::Reply,
        place: "Before asking: somebody who wrote is answered first, and the same message asks \
                what is new.",
        check: reply,
    },
    Rule {
        name: RuleName::Ask,
        place: "Before reminding: the message that asks something new makes a reminder wait.",
        check: ask,
    },
    Rule {
        name: RuleName::FollowUp,
        place: "Once nothing new is to be said.",
        check: follow_up,
    },
    Rule {
        name: RuleName::EscalatePromises,
        place: "After reminding, which is still right for the other questions; before silence, \
                which it is not.",
        check: escalate_promises,
    },
    Rule {
        name: RuleName::EscalateSilence,
        place: "Once there is no reminder left.",
        check: escalate_silence,
    },
    Rule {
        name: RuleName::ProbeCaller,
        place: "After everything about the person, because it concerns nobody but the caller.",
        check: probe_caller,
    },
    Rule {
        name: RuleName::EscalateCaller,
        place: "Last: whoever can still be asked is asked first.",
        check: escalate_caller,
    },
];

fn apply_need_operations(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    w.say(|| match c.need_operations.len() {
        0 => "no registration, amendment or cancellation waits".to_owned(),
        waiting => counted(
            waiting,
            "registration, amendment or cancellation waits",
            "registrations, amendments and cancellations wait",
        ),
    });
    (!c.need_operations.is_empty()).then_some(Phase::ApplyNeedOperations)
}

fn expire_needs(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let needs: Vec<NeedId> = c
        .outcomes()
        .iter()
        .filter(|(_, need, outcome)| is_over(c, need, *outcome, w))
        .map(|(id, ..)| (*id).clone())
        .collect();
    w.say(|| match (needs.len(), w.changes_at()) {
        (0, Some(at)) => format!("no open need's deadline has passed; the next is at {at}"),
        (0, None) => "no open need's deadline has passed".to_owned(),
        (1, _) => "the deadline of an open need has passed".to_owned(),
        (some, _) => format!("the deadlines of {some} open needs have passed"),
    });
    (!needs.is_empty()).then_some(Phase::ExpireNeeds { needs })
}

/// A reply that arrived in time and has not been read may still count, for a bounded while; and
/// what was said in time counts even if it was read, or the clock looked at, only afterwards.
fn is_over(c: &Conversation, need: &Need, outcome: Option<OutcomeKind>, w: &Watch) -> bool {
    if !w.reached(need.deadline) || ended_in_time(c, need, outcome) {
        return false;
    }
    let reply_in_time = c
        .inbox
        .iter()
        .any(|message| message.received_at < need.deadline);
    !reply_in_time || (w.reached(c.policy.expiry_grace.after(need.deadline)) && !is_readable(c, w))
}

/// Whether what is unread can be read at once. Then it is, however long the daemon was away: the
/// grace is for what cannot be read, because reading fails or an operator has taken over.
fn is_readable(c: &Conversation, w: &Watch) -> bool {
    c.taken_over.is_none()
        && c.reading.failed == 0
        && !is_reading_given_up(c)
        && burst_end(c).is_some_and(|paused_at| w.reached(paused_at))
}

fn settle_needs(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let needs: Vec<(NeedId, OutcomeKind)> = c
        .outcomes()
        .iter()
        .filter_map(|(id, _, outcome)| outcome.map(|outcome| ((*id).clone(), outcome)))
        .collect();
    w.say(|| match needs.len() {
        0 => "no open need has all that it requires".to_owned(),
        some => counted(
            some,
            "open need has all that it requires, or never will",
            "open needs have all that they require, or never will",
        ),
    });
    (!needs.is_empty()).then_some(Phase::SettleNeeds { needs })
}

/// Whether a need has its outcome from what came before its deadline.
fn ended_in_time(c: &Conversation, need: &Need, outcome: Option<OutcomeKind>) -> bool {
    match outcome {
        Some(OutcomeKind::Fulfilled) => need
            .slots
            .iter()
            .filter(|slot| slot.required)
            .filter_map(|slot| c.slots.get(&slot.key))
            .all(|slot| match &slot.standing {
                Standing::Filled(filled) => filled.as_of < need.deadline,
                _ => true,
            }),
        Some(OutcomeKind::OptedOut) => c.stakeholder.contacts.iter().all(|contact| {
            matches!(contact.consent, Consent::OptedOut { since, .. } if since < need.deadline)
        }),
        // A refusal bears no date; only one that came with a reply in time gets this far.
        Some(_) => true,
        None => false,
    }
}

fn record_for_operator(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let commands = c.quick_actions.len();
    w.say(|| match &c.taken_over {
        Some(taken) => {
            let waiting = counted(commands, "command waits", "commands wait");
            format!("{} has taken over, and {waiting}", taken.by)
        }
        None => "no operator has taken over".to_owned(),
    });
    (c.taken_over.is_some() && commands > 0).then_some(Phase::RunQuickActions)
}

fn hands_off(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    w.say(|| match &c.taken_over {
        Some(taken) => format!("{} has taken over", taken.by),
        None => "no operator has taken over".to_owned(),
    });
    c.taken_over.as_ref().map(|_| Phase::HandsOff)
}

fn catch_up(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let Some(transcript) = c.transcripts.first() else {
        w.say(|| "no earlier transcript waits to be read".to_owned());
        return None;
    };
    if !may_read(c, w) {
        return None;
    }
    w.say(|| {
        format!(
            "the transcript that came with need {} waits",
            transcript.need
        )
    });
    Some(Phase::CatchUp {
        need: transcript.need.clone(),
    })
}

fn read_inbox(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    /// A reader gets at most this many messages at once: more is no burst, and forms must stay
    /// small.
    const MOST_AT_ONCE: usize = 10;

    let Some(paused_at) = burst_end(c) else {
        w.say(|| "the inbox is empty".to_owned());
        return None;
    };
    if !w.reached(paused_at) {
        w.say(|| format!("more messages may follow, until {paused_at}"));
        return None;
    }
    if !may_read(c, w) {
        return None;
    }
    w.say(|| counted(c.inbox.len(), "message waits", "messages wait"));
    let messages = c.inbox.iter().take(MOST_AT_ONCE);
    Some(Phase::ReadInbox {
        messages: messages.map(|message| message.message.clone()).collect(),
    })
}

/// When the burst that the inbox holds counts as over: a pause after its last message, but not
/// longer than ten pauses after its first, so that nobody can write without end unread.
fn burst_end(c: &Conversation) -> Option<Timestamp> {
    let received = |message: &Received| message.received_at;
    let first = c.inbox.iter().map(received).min()?;
    let last = c.inbox.iter().map(received).max()?;
    let pause = c.policy.burst;
    let longest =
        Wait::seconds(u32::try_from(pause.as_seconds().saturating_mul(10)).unwrap_or(u32::MAX));
    Some(pause.after(last).min(longest.after(first)))
}

/// Whether a reader may be asked: not while it rests after a failure, and not again once an
/// operator has been told.
fn may_read(c: &Conversation, w: &Watch) -> bool {
    if is_reading_given_up(c) {
        w.say(|| {
            format!(
                "reading failed {}; an operator decides",
                times(c.reading.failed)
            )
        });
        return false;
    }
    if let Some(retry_at) = c.reading.retry_at
        && !w.reached(retry_at)
    {
        w.say(|| {
            format!(
                "reading failed {}, next try at {retry_at}",
                times(c.reading.failed)
            )
        });
        return false;
    }
    true
}

/// Whether an operator has been told that reading fails, and has not let it be tried again.
fn is_reading_given_up(c: &Conversation) -> bool {
    let given_up = |hold: &Hold| matches!(hold.reason, HoldReason::ReadingFailed { .. });
    c.holds.iter().any(given_up)
}

fn run_quick_actions(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    w.say(|| match c.quick_actions.len() {
        0 => "no command waits".to_owned(),
        waiting => counted(waiting, "command waits", "commands wait"),
    });
    (!c.quick_actions.is_empty()).then_some(Phase::RunQuickActions)
}

fn await_operator(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    w.say(|| {
        let over_all: Vec<String> = c
            .holds
            .iter()
            .filter(|hold| hold.need.is_none())
            .map(|hold| hold.reason.sentence())
            .collect();
        match (over_all.is_empty(), c.holds.len()) {
            (false, _) => over_all.join("; "),
            (true, 0) => "no hold stands".to_owned(),
            (true, some) => counted(
                some,
                "hold stands, over one need only",
                "holds stand, each over one need only",
            ),
        }
    });
    c.is_held().then_some(Phase::AwaitOperator)
}

fn tend_holds(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let lift: Vec<HoldId> = c
        .holds
        .iter()
        .filter(|hold| hold.until.is_some_and(|until| w.reached(until)))
        .map(|hold| hold.id.clone())
        .collect();
    let escalate: Vec<HoldId> = c
        .holds
        .iter()
        .filter(|hold| escalates_at(c, hold).is_some_and(|at| w.reached(at)))
        .map(|hold| hold.id.clone())
        .collect();
    w.say(|| match (c.holds.len(), lift.len(), escalate.len()) {
        (0, ..) => "no hold stands".to_owned(),
        (some, 0, 0) => {
            let standing = counted(some, "hold stands", "holds stand");
            match w.changes_at() {
                Some(at) => format!("{standing}; nothing is due before {at}"),
                None => format!("{standing}; time alone changes nothing"),
            }
        }
        (_, over, late) => {
            let over = (over > 0).then(|| counted(over, "snooze is over", "snoozes are over"));
            let late = (late > 0).then(|| {
                counted(
                    late,
                    "hold has waited too long for an operator",
                    "holds have waited too long for an operator",
                )
            });
            let said: Vec<String> = over.into_iter().chain(late).collect();
            said.join(", ")
        }
    });
    (!lift.is_empty() || !escalate.is_empty()).then_some(Phase::TendHolds { lift, escalate })
}

/// When a hold is escalated if no operator attends to the conversation before. A snooze ends by
/// itself, and whoever gave it has looked at what else is held.
fn escalates_at(c: &Conversation, hold: &Hold) -> Option<Timestamp> {
    let patience = c.policy.escalate_holds_after?;
    if hold.until.is_some() || hold.escalated_at.is_some() {
        return None;
    }
    let snoozed = c.holds.iter().filter_map(|hold| hold.until).max();
    let from = Some(hold.since).max(c.attended_at).max(snoozed)?;
    Some(patience.after(from))
}

fn escalate_unreachable(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    if sending::contact(c).is_some() {
        w.say(|| "a contact may be used".to_owned());
        return None;
    }
    // Thanks, and word that a question is over, are not worth an operator's time.
    let matters = |item: &ReplyItem| {
        !matches!(
            item.what,
            Owed::Acknowledgement { .. } | Owed::Withdrawal { .. }
        )
    };
    let to_say = c
        .reply_items
        .iter()
        .any(|item| matters(item) && c.may_be_said(item))
        || c.first_unsaid_at().is_some()
        || c.reminder_due(w);
    w.say(|| match to_say {
        true => "there is something to say, and no contact may be used".to_owned(),
        false => "no contact may be used, but there is nothing to say".to_owned(),
    });
    to_say.then_some(Phase::EscalateUnreachable)
}

fn reply(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let sayable = |item: &ReplyItem| c.may_be_said(item) && sending::contact_for(c, item).is_some();
    if !c.reply_items.iter().any(sayable) {
        w.say(|| match c.reply_items.len() {
            0 => "nothing is owed to the stakeholder".to_owned(),
            some => counted(
                some,
                "thing is owed, about a need that is held, or to somebody whom no message reaches",
                "things are owed, all about needs that are held, or to somebody whom no message \
                 reaches",
            ),
        });
        return None;
    }
    allowed(c, MessageKind::Reply, w).then_some(Phase::Reply)
}

fn ask(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    if c.first_unsaid_at().is_none() {
        w.say(|| "nothing is left that was never asked or told".to_owned());
        return None;
    }
    allowed(c, MessageKind::Ask, w).then_some(Phase::Ask)
}

fn follow_up(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    if !c.reminder_due(w) {
        w.say(|| match w.changes_at() {
            Some(at) => format!("the next reminder is due at {at}"),
            None => "no reminder is to come".to_owned(),
        });
        return None;
    }
    allowed(c, MessageKind::FollowUp, w).then_some(Phase::FollowUp)
}

/// Whether the one gate lets a message of this kind go now.
fn allowed(c: &Survey<'_>, kind: MessageKind, w: &Watch) -> bool {
    let permission = permission(c, kind, w);
    w.say(|| permission.to_string());
    permission == Permission::Now
}

fn escalate_promises(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let broken = c.broken(w);
    w.say(|| match broken.len() {
        0 => "no promise was broken a second time".to_owned(),
        some => {
            let questions = counted(some, "question", "questions");
            format!("a second promise was broken for {questions}")
        }
    });
    (!broken.is_empty()).then_some(Phase::EscalatePromises)
}

fn escalate_silence(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let silent = c.silent(w);
    w.say(|| match (silent.len(), w.changes_at()) {
        (0, Some(at)) => format!("there is no reminder left, and patience until {at}"),
        (0, None) => "no question has gone unanswered through all its reminders".to_owned(),
        (some, _) => counted(
            some,
            "question went unanswered through all its reminders",
            "questions went unanswered through all their reminders",
        ),
    });
    (!silent.is_empty()).then_some(Phase::EscalateSilence)
}

fn probe_caller(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    let Some(patience) = c.policy.probe_caller_after else {
        w.say(|| "callers are not probed".to_owned());
        return None;
    };
    let needs: Vec<NeedId> = c
        .open_needs()
        .filter(|(_, need)| {
            need.caller_probed_at
                .is_none_or(|probed| probed < need.caller_seen_at)
                && w.reached(patience.after(need.caller_seen_at))
        })
        .map(|(id, _)| id.clone())
        .collect();
    w.say(|| match (needs.len(), w.changes_at()) {
        (0, Some(at)) => format!("callers have time until {at} to be heard from"),
        (0, None) => "no caller is to be probed".to_owned(),
        (some, _) => counted(
            some,
            "caller has not been heard from",
            "callers have not been heard from",
        ),
    });
    (!needs.is_empty()).then_some(Phase::ProbeCaller { needs })
}

fn escalate_caller(c: &Survey<'_>, w: &Watch) -> Option<Phase> {
    if c.policy.silent_caller == SilentCaller::Keep {
        w.say(|| "needs are kept, whether or not their callers answer".to_owned());
        return None;
    }
    let within = c.policy.probe_answer_within;
    let is_gone = |need: &Need| {
        let unanswered = need
            .caller_probed_at
            .filter(|probed| *probed >= need.caller_seen_at);
        let treated = need
            .caller_gone_at
            .is_some_and(|gone| gone >= need.caller_seen_at);
        unanswered.is_some_and(|probed| !treated && w.reached(within.after(probed)))
    };
    let needs: Vec<NeedId> = c
        .open_needs()
        .filter(|(_, need)| is_gone(need))
        .map(|(id, _)| id.clone())
        .collect();
    w.say(|| match needs.len() {
        0 => "no caller has left the question open whether it still waits".to_owned(),
        some => counted(
            some,
            "caller did not answer whether it still waits",
            "callers did not answer whether they still wait",
        ),
    });
    (!needs.is_empty()).then_some(Phase::EscalateCaller { needs })
}

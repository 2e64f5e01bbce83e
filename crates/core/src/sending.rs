//! The one gate that every outbound message passes: whether it may go now, and if not, why.

use crate::{
    calendar::{Closure, Hours, Opening, SATURDAY_AND_SUNDAY, opening},
    conversation::{Conversation, MessageKind, Outgoing, Owed, ReplyItem},
    ladder,
    phase::{Survey, Watch},
    policy::Wait,
    slot::SlotKey,
    stakeholder::Contact,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether a message may be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "may_send", rename_all = "snake_case")]
pub enum Permission {
    /// It may.
    Now,
    /// Not before then, if nothing else changes.
    NotBefore {
        /// The first instant at which it may.
        at: Timestamp,
        /// What it waits for.
        why: Obstacle,
    },
    /// Not at any time, as things stand.
    Never {
        /// What has to change.
        why: Obstacle,
    },
}

/// What keeps a message from being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// An operator has taken over.
    TakenOver,
    /// A hold stands.
    Held,
    /// A message from the stakeholder has not been read.
    UnreadInbox,
    /// A message of ours is on its way, or its fate is unknown.
    OnItsWay,
    /// No contact may be used.
    NoContact,
    /// Further needs may join the question.
    Gathering,
    /// The last message was too short a time ago.
    MinimumGap,
    /// Enough has been sent in the last seven days.
    WeeklyCap,
    /// They were reminded today already.
    SameDay,
    /// They are away.
    Away,
    /// It is night there.
    QuietHours,
    /// It is no working day there.
    ClosedDay,
}

impl From<Closure> for Obstacle {
    fn from(closure: Closure) -> Self {
        match closure {
            Closure::QuietHours => Self::QuietHours,
            Closure::Weekend | Closure::Holiday => Self::ClosedDay,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TakenOver => "an operator has taken over",
            Self::Held => "a hold stands",
            Self::UnreadInbox => "a message from the stakeholder has not been read",
            Self::OnItsWay => "a message of ours is still on its way",
            Self::NoContact => "no contact may be used",
            Self::Gathering => "further needs may join the question",
            Self::MinimumGap => "the last message was too short a time ago",
            Self::WeeklyCap => "enough has been sent in the last seven days",
            Self::SameDay => "they were reminded today already",
            Self::Away => "the stakeholder is away",
            Self::QuietHours => "it is quiet hours for the stakeholder",
            Self::ClosedDay => "it is no working day for the stakeholder",
        })
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now => f.write_str("it may be sent now"),
            Self::NotBefore { at, why } => write!(f, "{why}, until {at}"),
            Self::Never { why } => write!(f, "{why}"),
        }
    }
}

/// Whether a message of this kind may be sent at `now`.
pub fn may_send(conversation: &Conversation, kind: MessageKind, now: Timestamp) -> Permission {
    permission(&Survey::new(conversation), kind, &Watch::new(now))
}

/// The contact that the next message goes to: the first that may be used.
pub fn contact(conversation: &Conversation) -> Option<&Contact> {
    conversation
        .stakeholder
        .contacts
        .iter()
        .find(|contact| contact.usable())
}

/// The contact that a reply item goes to, if one may be used: an operator's answer to whoever asked,
/// everything else to whoever the next message goes to. All contacts that are no delegates are one
/// person.
pub fn contact_for<'a>(conversation: &'a Conversation, item: &ReplyItem) -> Option<&'a Contact> {
    let main = contact(conversation)?;
    let Owed::Answer { to: Some(to), .. } = &item.what else {
        return Some(main);
    };
    let Some(asked) = conversation.stakeholder.contact(to) else {
        return Some(main);
    };
    let theirs = |contact: &Contact| match (contact.is_delegate(), asked.is_delegate()) {
        (false, false) => true,
        _ => contact.address.matches(&asked.address),
    };
    if theirs(main) {
        return Some(main);
    }
    let contacts = &conversation.stakeholder.contacts;
    let usable = contacts.iter().filter(|contact| contact.usable());
    usable
        .clone()
        .find(|contact| contact.address.matches(to))
        .or_else(|| {
            let mut usable = usable;
            usable.find(|contact| theirs(contact))
        })
}

/// When a message that was decided earlier may be handed over, if not at `now`: it may have waited
/// through a mail server's trouble, or our own, into the night.
pub fn not_to_be_handed_over_before(
    conversation: &Conversation,
    now: Timestamp,
) -> Option<Timestamp> {
    match opening(&hours(conversation), now) {
        Opening::Open { .. } => None,
        Opening::Closed { until, .. } => Some(until),
    }
}

/// Whether a message of unknown fate may be handed over once more without anybody looking at it.
/// It must still be right to send it; only the pace does not count, because it is the same message.
pub(crate) fn may_resend(conversation: &Conversation, message: &Outgoing, now: Timestamp) -> bool {
    let still_wanted = |slot: &SlotKey| conversation.may_be_asked(slot);
    conversation.taken_over.is_none()
        && !conversation.is_held()
        && conversation.inbox.is_empty()
        && conversation
            .stakeholder
            .contact(&message.to)
            .is_some_and(Contact::usable)
        && message.taken_back.is_empty()
        && message.asks.iter().all(|(slot, _)| still_wanted(slot))
        && matches!(opening(&hours(conversation), now), Opening::Open { .. })
}

fn hours(conversation: &Conversation) -> Hours<'_> {
    let policy = &conversation.policy;
    let country = conversation
        .stakeholder
        .country
        .as_ref()
        .and_then(|country| policy.countries.get(country));
    let weekend = country.map_or(SATURDAY_AND_SUNDAY, |days| &days.weekend);
    Hours {
        zone: conversation.zone(),
        quiet: policy.quiet_hours,
        weekend: match policy.working_days_only {
            true => weekend,
            false => &[],
        },
        holidays: [
            &policy.holidays,
            country.map_or(&[], |days| days.holidays.as_slice()),
        ],
    }
}

pub(crate) fn permission(
    conversation: &Survey<'_>,
    kind: MessageKind,
    watch: &Watch,
) -> Permission {
    if let Some(why) = standing_obstacle(conversation) {
        return Permission::Never { why };
    }
    let hours = hours(conversation);
    let latest = thresholds(conversation, kind)
        .into_iter()
        .chain([away(conversation, kind, watch)])
        .flatten()
        .filter(|(at, _)| !watch.reached(*at))
        .max_by_key(|(at, _)| *at);
    if let Some((at, why)) = latest {
        // What the pace allows at night has to wait for the morning as well.
        return match opening(&hours, at) {
            Opening::Open { .. } => Permission::NotBefore { at, why },
            Opening::Closed { until, .. } => {
                // Where the night that it is now would have kept it as long, the night is the
                // reason. Only the words depend on this, never what happens, so the watch does not
                // have to note it.
                let night = watch.ask(|now| match opening(&hours, now) {
                    Opening::Closed { until: end, why } if end == until => (Some(why), None),
                    _ => (None, None),
                });
                Permission::NotBefore {
                    at: until,
                    why: night.map_or(why, Obstacle::from),
                }
            }
        };
    }
    let open = watch.ask(|now| {
        let open = opening(&hours, now);
        let until = match open {
            Opening::Open { until } => until,
            Opening::Closed { until, .. } => Some(until),
        };
        (open, until)
    });
    match open {
        Opening::Open { .. } => Permission::Now,
        Opening::Closed { until, why } => Permission::NotBefore {
            at: until,
            why: why.into(),
        },
    }
}

/// What keeps everything from being sent until something happens, the weightiest first.
fn standing_obstacle(conversation: &Conversation) -> Option<Obstacle> {
    if conversation.taken_over.is_some() {
        Some(Obstacle::TakenOver)
    } else if conversation.is_held() {
        Some(Obstacle::Held)
    } else if !conversation.inbox.is_empty() {
        Some(Obstacle::UnreadInbox)
    } else if !conversation.outgoing.is_empty() {
        Some(Obstacle::OnItsWay)
    } else if contact(conversation).is_none() {
        Some(Obstacle::NoContact)
    } else {
        None
    }
}

/// The instants that a message of this kind has to wait for.
fn thresholds(conversation: &Survey<'_>, kind: MessageKind) -> [Option<(Timestamp, Obstacle)>; 4] {
    let policy = &conversation.policy;
    if kind == MessageKind::Reply {
        // Somebody who wrote expects an answer; the pace is for messages that nobody asked for.
        return [None; 4];
    }
    let gathering = (kind == MessageKind::Ask)
        .then(|| conversation.first_unsaid_at())
        .flatten()
        .map(|since| (policy.gather.after(since), Obstacle::Gathering));
    let gap = conversation
        .sent
        .iter()
        .map(|sent| sent.at)
        .max()
        .map(|last| (policy.minimum_gap.after(last), Obstacle::MinimumGap));
    let mut unasked: Vec<_> = conversation
        .sent
        .iter()
        .filter(|sent| sent.kind != MessageKind::Reply)
        .map(|sent| sent.at)
        .collect();
    unasked.sort_unstable();
    let cap = usize::try_from(policy.weekly_cap)
        .unwrap_or(usize::MAX)
        .max(1);
    let week = unasked
        .len()
        .checked_sub(cap)
        .and_then(|place| unasked.get(place))
        .map(|oldest| (Wait::days(7).after(*oldest), Obstacle::WeeklyCap));
    [gathering, gap, week, next_day(conversation, kind)]
}

/// The day after the last reminder, on the person's own calendar: nobody is chased twice a day,
/// whatever the ladder and the gap say.
fn next_day(conversation: &Conversation, kind: MessageKind) -> Option<(Timestamp, Obstacle)> {
    if kind != MessageKind::FollowUp {
        return None;
    }
    let reminders = conversation
        .sent
        .iter()
        .filter(|sent| sent.kind == MessageKind::FollowUp);
    let last = reminders.map(|sent| sent.at).max()?;
    let zone = conversation.zone();
    let tomorrow = zone.to_datetime(last).date().tomorrow().ok()?;
    let midnight = tomorrow.at(0, 0, 0, 0).to_zoned(zone).ok()?;
    Some((midnight.timestamp(), Obstacle::SameDay))
}

/// The end of an absence that is under way. Only reminders wait for it, and none so long that it
/// could not come before the first deadline.
fn away(
    conversation: &Conversation,
    kind: MessageKind,
    watch: &Watch,
) -> Option<(Timestamp, Obstacle)> {
    let absence = conversation
        .absence
        .as_ref()
        .filter(|_| kind == MessageKind::FollowUp)?;
    let until = absence.until?;
    let first_deadline = conversation
        .open_needs()
        .map(|(_, need)| need.deadline)
        .min()?;
    let until = ladder::respected(until, first_deadline);
    (until > absence.from && watch.reached(absence.from)).then_some((until, Obstacle::Away))
}

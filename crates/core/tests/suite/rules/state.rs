//! One conversation, and what makes it another one.

use crate::world::{ADDRESS, World, address, instant, later, need, slot_key};
use jiff::Timestamp;
use liaison_core::{
    conversation::{
        Action, Ask, Author, Conversation, Hold, HoldReason, MessageKind, NeedOperation, Origin,
        Outgoing, Owed, QuickAction, Received, ReplyItem, Sent, TakenOver, Transcript,
    },
    id::{HoldId, MessageId, NeedId, ReplyItemId},
    need::{Need, TranscriptEntry},
    phase::{RuleName, determine_phase},
    policy::{Policy, SilentCaller, Wait},
    slot::{Evidence, Filled, Promise, Standing},
    stakeholder::{Channel, Health},
    value::Value,
};

pub(super) const NOW: &str = "2027-05-03T10:00:00Z";
pub(super) const DAY: i64 = 86_400;

pub(super) fn now() -> Timestamp {
    instant(NOW)
}

/// This many seconds ago.
pub(super) fn ago(seconds: i64) -> Timestamp {
    later(now(), -seconds)
}

/// Three questions, all asked an hour ago, and nothing to do.
pub(super) fn conversation() -> Conversation {
    let policy = Policy {
        quiet_hours: None,
        ..Policy::default()
    };
    let mut world = World::new("2027-05-03T09:00:00Z", policy);
    world.register(need("n1", &["rent", "pets", "day"], "2027-05-18T10:00:00Z"));
    world.settle_down();
    let mut c = world.conversation;
    for name in ["rent", "pets", "day"] {
        asked(&mut c, name, ago(3_600), false);
    }
    assert!(determine_phase(&c, now()).is_waiting());
    c
}

pub(super) fn asked(c: &mut Conversation, name: &str, at: Timestamp, reminder: bool) {
    c.asks.push(Ask {
        slot: slot_key("n1", name),
        message: MessageId::new("out"),
        channel: Channel::Email,
        at,
        reminder,
        confirms: false,
    });
}

/// The same question as if it had been asked then, and only then.
pub(super) fn only_asked(c: &mut Conversation, name: &str, at: Timestamp) {
    forget(c, name);
    asked(c, name, at, false);
}

pub(super) fn forget(c: &mut Conversation, name: &str) {
    c.asks.retain(|ask| ask.slot.name != name);
}

pub(super) fn the_need(c: &mut Conversation) -> &mut Need {
    c.needs.get_mut(&NeedId::new("n1")).expect("the need")
}

pub(super) fn stands(c: &mut Conversation, name: &str, standing: Standing) {
    c.slots
        .get_mut(&slot_key("n1", name))
        .expect("the slot")
        .standing = standing;
}

pub(super) fn filled(as_of: Timestamp) -> Standing {
    Standing::Filled(Filled::new(Value::Boolean(true), evidence(), as_of))
}

pub(super) fn evidence() -> Evidence {
    Evidence::Operator {
        by: "olga".to_owned(),
        note: "by phone".to_owned(),
        heard: None,
    }
}

pub(super) fn received(c: &mut Conversation, at: Timestamp) {
    c.inbox.push(Received {
        message: MessageId::new(format!("in-{}", c.inbox.len())),
        channel: Channel::Email,
        from: address(ADDRESS),
        origin: Origin::Known,
        received_at: at,
        written_at: at,
        subject: String::new(),
        text: "Yes.".to_owned(),
        attachments: Vec::new(),
        author: Author::Person,
        transport_id: None,
        answers: None,
    });
}

pub(super) fn held(c: &mut Conversation, reason: HoldReason) {
    c.holds.push(Hold::new(HoldId::new("hold"), reason, now()));
}

pub(super) fn owes(c: &mut Conversation, what: Owed) {
    c.reply_items.push(ReplyItem {
        id: ReplyItemId::new("item"),
        since: now(),
        what,
    });
}

pub(super) fn answer() -> Owed {
    Owed::Answer {
        text: "At any time.".to_owned(),
        by: "olga".to_owned(),
        question: None,
        to: None,
    }
}

pub(super) fn on_its_way(c: &mut Conversation) {
    c.outgoing.push(Outgoing {
        message: MessageId::new("out-2"),
        channel: Channel::Email,
        to: address(ADDRESS),
        decided_at: now(),
        kind: MessageKind::Ask,
        subject: String::new(),
        asks: Vec::new(),
        confirms: Vec::new(),
        items: Vec::new(),
        briefs: Vec::new(),
        taken_back: Vec::new(),
        unknown_since: None,
        resent: false,
    });
}

pub(super) fn sent(c: &mut Conversation, kind: MessageKind, at: Timestamp) {
    c.sent.push(Sent {
        message: MessageId::new(format!("sent-{}", c.sent.len())),
        to: address(ADDRESS),
        at,
        kind,
        carried: Vec::new(),
    });
}

pub(super) fn unusable(c: &mut Conversation) {
    for contact in &mut c.stakeholder.contacts {
        contact.health = Health::Failed {
            since: now(),
            reason: "no such mailbox".to_owned(),
        };
    }
}

pub(super) fn transcript(c: &mut Conversation) {
    c.transcripts.push(Transcript {
        need: NeedId::new("n1"),
        entries: vec![TranscriptEntry {
            at: ago(DAY),
            text: "Yes.".to_owned(),
        }],
        by: None,
    });
}

/// Asked, and reminded of three times, the last time then.
pub(super) fn chased(c: &mut Conversation, name: &str, last: Timestamp) {
    only_asked(c, name, later(last, -20 * DAY));
    for days in [10, 5, 0] {
        asked(c, name, later(last, -days * DAY), true);
    }
}

/// Promised, asked again, promised again, and still without an answer.
pub(super) fn promised_in_vain(c: &mut Conversation, name: &str) {
    let slot = c.slots.get_mut(&slot_key("n1", name)).expect("the slot");
    slot.promises = [(5, 3), (2, 1)]
        .map(|(made, until)| Promise {
            made_at: ago(made * DAY),
            until: ago(until * DAY),
            quote: "I will tell you by Friday.".to_owned(),
        })
        .to_vec();
    slot.standing = Standing::Promised {
        until: ago(DAY),
        evidence: evidence(),
    };
}

/// Makes a rule match. Those of two neighbours go together, where they can.
pub(super) fn make_match(c: &mut Conversation, rule: RuleName) {
    match rule {
        RuleName::ApplyNeedOperations => c.need_operations.push(NeedOperation::Cancel {
            need: NeedId::new("n1"),
            at: now(),
        }),
        RuleName::ExpireNeeds => the_need(c).deadline = now(),
        RuleName::SettleNeeds => {
            for name in ["rent", "pets", "day"] {
                stands(c, name, filled(now()));
            }
        }
        RuleName::HandsOff => {
            c.taken_over = Some(TakenOver {
                by: "olga".to_owned(),
                since: now(),
            });
        }
        RuleName::CatchUp => transcript(c),
        RuleName::ReadInbox => received(c, ago(60)),
        RuleName::RunQuickActions => c.quick_actions.push(QuickAction {
            by: "olga".to_owned(),
            at: now(),
            action: Action::Resume,
            stood: None,
        }),
        RuleName::RecordForOperator => {
            make_match(c, RuleName::HandsOff);
            make_match(c, RuleName::RunQuickActions);
        }
        RuleName::TendHolds => {
            held(c, HoldReason::Silence);
            c.holds[0].since = ago(DAY);
        }
        RuleName::AwaitOperator => held(c, HoldReason::Silence),
        RuleName::EscalateUnreachable => {
            unusable(c);
            forget(c, "rent");
        }
        RuleName::Reply => owes(c, answer()),
        RuleName::Ask => {
            forget(c, "rent");
            the_need(c).registered_at = ago(30);
        }
        RuleName::FollowUp => only_asked(c, "pets", ago(3 * DAY)),
        RuleName::EscalatePromises => promised_in_vain(c, "rent"),
        RuleName::EscalateSilence => chased(c, "day", ago(7 * DAY)),
        RuleName::ProbeCaller => {
            c.policy.probe_caller_after = Some(Wait::days(1));
            the_need(c).caller_seen_at = ago(DAY);
        }
        RuleName::EscalateCaller => {
            c.policy.silent_caller = SilentCaller::Hold;
            let mut probed = the_need(c).clone();
            probed.caller_seen_at = ago(8 * DAY);
            probed.caller_probed_at = Some(ago(7 * DAY));
            c.needs.insert(NeedId::new("n2"), probed);
        }
    }
}

//! Reading: what a reader is asked, and what its judged answer changes.

use super::{absence, consent, delegate, fold::hold};
use crate::{
    conversation::{Conversation, HoldReason, Owed, ReadingAttempts, Received, ReplyItem},
    effect::{Effect, NeedEvent},
    form::{ReadRequest, Reading, SlotQuestion, Words},
    gate::{self, Concern, ConcernKind, Judgement, Quote, SlotJudgement, Verdict},
    id::{Ids, NeedId, ReplyItemId},
    need::{NeedStatus, OutcomeKind},
    phase::Phase,
    policy::Wait,
    slot::{Evidence, Filled, Promise, Slot, SlotKey, Standing},
    value::Value,
};
use jiff::{Timestamp, civil, tz::TimeZone};

/// A reader is asked about at most this many slots at once; forms beyond that are no longer small.
/// The open ones come first.
const MOST_SLOTS: usize = 40;

/// What a reader is given for `phase`.
pub(super) fn request(c: &Conversation, phase: &Phase) -> ReadRequest {
    let zone = c.zone();
    let words = match phase {
        Phase::CatchUp { need } => c
            .transcripts
            .iter()
            .filter(|transcript| transcript.need == *need)
            .flat_map(|transcript| &transcript.entries)
            .map(|entry| Words {
                message: None,
                written_at: zone.to_datetime(entry.at),
                subject: String::new(),
                text: entry.text.clone(),
                attachments: Vec::new(),
            })
            .collect(),
        Phase::ReadInbox { messages } => c
            .inbox
            .iter()
            .filter(|message| messages.contains(&message.message))
            .map(|message| Words {
                message: Some(message.message.clone()),
                written_at: zone.to_datetime(message.written_at),
                subject: message.subject.clone(),
                text: message.text.clone(),
                attachments: message.attachments.clone(),
            })
            .collect(),
        _ => Vec::new(),
    };
    ReadRequest {
        words,
        slots: questions(c),
        facts: c
            .open_needs()
            .flat_map(|(_, need)| need.facts.iter().cloned())
            .collect(),
        day_first: c.policy.day_first,
    }
}

fn questions(c: &Conversation) -> Vec<SlotQuestion> {
    let mut keys: Vec<&SlotKey> = Vec::new();
    let mut add = |key| {
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    let open = |key: &SlotKey| c.slots.get(key).is_some_and(|slot| slot.standing.is_open());
    for (_, need) in c.open_needs() {
        need.slots
            .iter()
            .filter(|s| open(&s.key))
            .for_each(|s| add(&s.key));
    }
    // An answer may be corrected while its need is open, and may come after it has expired.
    for (_, need) in c.open_needs() {
        need.slots.iter().for_each(|s| add(&s.key));
    }
    for need in c
        .needs
        .values()
        .filter(|need| ended_without_answer(&need.status))
    {
        need.slots
            .iter()
            .filter(|s| open(&s.key))
            .for_each(|s| add(&s.key));
    }
    keys.into_iter()
        .take(MOST_SLOTS)
        .enumerate()
        .filter_map(|(place, key)| {
            let slot = c.slots.get(key)?;
            Some(SlotQuestion {
                form: format!("s{}", place + 1),
                key: key.clone(),
                kind: slot.kind.clone(),
                question: slot.question.clone(),
                asked: c.is_asked(key),
                current: slot
                    .standing
                    .value()
                    .map(|value| slot.kind.rules().show(value)),
                self_checks: slot.self_checks.clone(),
            })
        })
        .collect()
}

fn ended_without_answer(status: &NeedStatus) -> bool {
    matches!(
        status,
        NeedStatus::Settled {
            outcome: OutcomeKind::Expired | OutcomeKind::Unreachable,
            ..
        }
    )
}

/// Judges a reading and lets what passes change the state.
pub(super) fn take(
    c: &mut Conversation,
    phase: &Phase,
    reading: &Reading,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) -> Judgement {
    let request = request(c, phase);
    let judgement = gate::judge(&request, reading);
    let source = Source::of(c, phase);

    let mut filled = Vec::new();
    let mut understood = false;
    for SlotJudgement { slot, verdict } in &judgement.slots {
        understood |= !matches!(verdict, Verdict::Silent | Verdict::Refused { .. });
        if take_verdict(c, slot, verdict, &source, now, ids, effects) {
            filled.push(slot.clone());
        }
    }
    c.reading = ReadingAttempts::default();
    if let Phase::CatchUp { need } = phase {
        c.transcripts.retain(|transcript| transcript.need != *need);
        return judgement;
    }
    if !filled.is_empty() && c.policy.acknowledge {
        owe_thanks(c, filled, now, ids);
    }
    understood |= take_absence(c, &judgement, &source);
    if !reading.message.automatic_reply {
        take_concerns(c, &judgement, &source, understood, now, ids, effects);
    }
    c.inbox.retain(|message| {
        !source
            .messages
            .iter()
            .any(|read| read.message == message.message)
    });
    judgement
}

/// Records that the reader failed. After the policy's number of tries an operator is told.
pub(super) fn failed(c: &mut Conversation, error: &str, now: Timestamp, ids: &mut Ids) {
    let backoff = c
        .policy
        .reading_backoff
        .doubled(c.reading.failed, Wait::hours(1));
    c.reading.failed += 1;
    c.reading.error = Some(error.to_owned());
    if c.reading.failed >= c.policy.reading_tries.max(1) {
        c.reading.retry_at = None;
        let reason = HoldReason::ReadingFailed {
            error: error.to_owned(),
        };
        hold(c, reason, now, ids);
    } else {
        c.reading.retry_at = Some(backoff.after(now));
    }
}

/// When an entry of a transcript was said, and which operator handed it over, if one did.
type Said = (Timestamp, Option<String>);

/// What was read, for the evidence.
struct Source {
    messages: Vec<Received>,
    transcript: Option<(NeedId, Vec<Said>)>,
    zone: TimeZone,
}

impl Source {
    fn of(c: &Conversation, phase: &Phase) -> Self {
        let messages = match phase {
            Phase::ReadInbox { messages } => c
                .inbox
                .iter()
                .filter(|message| messages.contains(&message.message))
                .cloned()
                .collect(),
            _ => Vec::new(),
        };
        let transcript = match phase {
            Phase::CatchUp { need } => {
                let of_need = |t: &&crate::conversation::Transcript| t.need == *need;
                let entries = c
                    .transcripts
                    .iter()
                    .filter(of_need)
                    .flat_map(|t| t.entries.iter().map(|entry| (entry.at, t.by.clone())));
                Some((need.clone(), entries.collect()))
            }
            _ => None,
        };
        Self {
            messages,
            transcript,
            zone: c.zone(),
        }
    }

    fn evidence(&self, quote: &Quote) -> Option<(Evidence, Timestamp)> {
        if let Some((need, entries)) = &self.transcript {
            let (at, by) = entries.get(quote.words)?;
            let evidence = Evidence::Transcript {
                need: need.clone(),
                quote: quote.text.clone(),
                by: by.clone(),
            };
            return Some((evidence, *at));
        }
        let message = self.messages.get(quote.words)?;
        let evidence = Evidence::Message {
            message: message.message.clone(),
            quote: quote.text.clone(),
        };
        // Nobody wrote later than it arrived, whatever the clock over there says.
        Some((evidence, message.written_at.min(message.received_at)))
    }

    /// The end of a day, on the stakeholder's clock.
    fn end_of(&self, day: civil::Date) -> Timestamp {
        day.tomorrow()
            .and_then(|next| next.at(0, 0, 0, 0).to_zoned(self.zone.clone()))
            .map_or(Timestamp::MAX, |midnight| midnight.timestamp())
    }
}

/// Lets one verdict change its slot. Says whether the slot has a value that it had not before.
fn take_verdict(
    c: &mut Conversation,
    key: &SlotKey,
    verdict: &Verdict,
    source: &Source,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) -> bool {
    let wanted = c.waiting_for(key).next().is_some();
    let Some(slot) = c.slots.get_mut(key) else {
        return false;
    };
    match verdict {
        Verdict::Accepted {
            value,
            quote,
            correction,
        } => {
            let Some((evidence, as_of)) = source.evidence(quote) else {
                return false;
            };
            let filled = Filled {
                value: value.clone(),
                evidence,
                as_of,
            };
            match &slot.standing {
                Standing::Filled(current) if current.value == filled.value => return false,
                Standing::Filled(_) if !correction => return false,
                _ => {}
            }
            if !wanted {
                announce_late(c, key, &filled, effects);
            }
            fill(c, key, filled);
            wanted
        }
        Verdict::Unclear {
            candidates,
            quote,
            why,
        } => {
            let Some((evidence, _)) = source.evidence(quote) else {
                return false;
            };
            let contradicts = |current: &Filled| candidates.iter().any(|v| *v != current.value);
            match &slot.standing {
                Standing::Filled(current) if !contradicts(current) => return false,
                Standing::Filled(current) => {
                    let current = current.clone();
                    slot.earlier.push(current);
                }
                _ => {}
            }
            slot.standing = Standing::Unclear {
                candidates: candidates.clone(),
                evidence,
                why: why.clone(),
            };
            if wanted {
                owe_clarification(c, key, candidates, now, ids);
            }
            false
        }
        Verdict::Promised { until, quote } => {
            if let Some((evidence, made_at)) = source.evidence(quote)
                && slot.standing.is_open()
            {
                let until = source.end_of(*until);
                promise(
                    slot,
                    Promise {
                        made_at,
                        until,
                        quote: quote.text.clone(),
                    },
                );
                slot.standing = Standing::Promised { until, evidence };
                clear_up(c, key);
            }
            false
        }
        Verdict::Declined { quote } => {
            if let Some((evidence, _)) = source.evidence(quote)
                && slot.standing.is_open()
            {
                slot.standing = Standing::Declined { evidence };
                clear_up(c, key);
            }
            false
        }
        Verdict::Refused { .. } | Verdict::Silent => false,
    }
}

/// Enters a promise. One that was not broken yet is replaced: whoever puts the day off in time has
/// broken nothing.
fn promise(slot: &mut Slot, promise: Promise) {
    slot.promises.retain(|kept| kept.until <= promise.made_at);
    slot.promises.push(promise);
    if slot.promises.len() > Promise::MOST {
        slot.promises.remove(0);
    }
}

/// Gives a slot a value. The value before it stays among the earlier ones, and nothing more has to
/// be cleared up.
pub(super) fn fill(c: &mut Conversation, key: &SlotKey, filled: Filled) {
    let Some(slot) = c.slots.get_mut(key) else {
        return;
    };
    if let Standing::Filled(before) =
        std::mem::replace(&mut slot.standing, Standing::Filled(filled))
    {
        slot.earlier.push(before);
    }
    slot.promises.clear();
    clear_up(c, key);
}

/// Leaves nothing to be asked about an unclear answer.
fn clear_up(c: &mut Conversation, key: &SlotKey) {
    c.reply_items
        .retain(|item| !matches!(&item.what, Owed::Clarification { slot, .. } if slot == key));
}

pub(super) fn announce_late(
    c: &Conversation,
    key: &SlotKey,
    filled: &Filled,
    effects: &mut Vec<Effect>,
) {
    for (id, need) in &c.needs {
        if let NeedStatus::Settled { outcome, .. } = need.status
            && need.slots.iter().any(|slot| slot.key == *key)
        {
            effects.push(Effect::Event {
                need: id.clone(),
                event: NeedEvent::LateAnswer {
                    after: outcome,
                    slot: key.name.clone(),
                    value: filled.value.clone(),
                    evidence: filled.evidence.clone(),
                },
            });
        }
    }
}

fn owe_thanks(c: &mut Conversation, filled: Vec<SlotKey>, now: Timestamp, ids: &mut Ids) {
    // Thanks that are on their way are worded already.
    let waiting = c.reply_items.iter().position(|item| {
        matches!(item.what, Owed::Acknowledgement { .. }) && !c.is_on_its_way(&item.id)
    });
    if let Some(place) = waiting
        && let Owed::Acknowledgement { slots } = &mut c.reply_items[place].what
    {
        slots.retain(|slot| !filled.contains(slot));
        slots.extend(filled);
        return;
    }
    c.reply_items.push(ReplyItem {
        id: ReplyItemId::new(ids.draw()),
        since: now,
        what: Owed::Acknowledgement { slots: filled },
    });
}

fn owe_clarification(
    c: &mut Conversation,
    key: &SlotKey,
    candidates: &[Value],
    now: Timestamp,
    ids: &mut Ids,
) {
    clear_up(c, key);
    c.reply_items.push(ReplyItem {
        id: ReplyItemId::new(ids.draw()),
        since: now,
        what: Owed::Clarification {
            slot: key.clone(),
            candidates: candidates.to_vec(),
        },
    });
}

fn take_concerns(
    c: &mut Conversation,
    judgement: &Judgement,
    source: &Source,
    understood: bool,
    now: Timestamp,
    ids: &mut Ids,
    effects: &mut Vec<Effect>,
) {
    for Concern { kind, quote } in &judgement.concerns {
        let Some(from) = source.messages.get(quote.words) else {
            continue;
        };
        let message = from.message.clone();
        let quote = quote.text.clone();
        let reason = match kind {
            ConcernKind::OptsOut => {
                consent::opt_out(c, &message, from.received_at, effects);
                continue;
            }
            ConcernKind::RefusesContact => HoldReason::RefusesContact { message, quote },
            ConcernKind::WantsPerson => HoldReason::WantsPerson { message, quote },
            ConcernKind::NamesAnother => {
                let delegate = delegate::named(c, &quote, &from.text);
                if let Some(delegate) = &delegate {
                    delegate::propose(c, &quote, delegate, effects);
                }
                HoldReason::NamesAnother {
                    message,
                    quote,
                    delegate,
                }
            }
            ConcernKind::Question => HoldReason::StakeholderQuestion { message, quote },
            ConcernKind::OutOfScope => HoldReason::OutOfScope { message, quote },
        };
        hold(c, reason, now, ids);
    }
    if understood || !judgement.concerns.is_empty() {
        return;
    }
    // Nobody may write something that matters and be met with silence.
    let unread = source
        .messages
        .iter()
        .find(|message| !is_courtesy(&message.text) || !message.attachments.is_empty());
    if let Some(message) = unread {
        let reason = HoldReason::NothingUnderstood {
            message: message.message.clone(),
            quote: message.text.chars().take(200).collect(),
        };
        hold(c, reason, now, ids);
    }
}

/// Notes that the person is away. Says whether they do say so.
fn take_absence(c: &mut Conversation, judgement: &Judgement, source: &Source) -> bool {
    let Some(away) = &judgement.absence else {
        return false;
    };
    let Some(message) = source.messages.get(away.quote.words) else {
        return false;
    };
    absence::note(c, message, &away.quote.text, away.from, away.until);
    true
}

/// Whether a message says no more than that it arrived, or thanks. A text without words (a picture
/// of a thumb, or nothing at all) may mean anything.
fn is_courtesy(text: &str) -> bool {
    /// One of these makes it a courtesy.
    const THANKS: [&str; 15] = [
        "appreciated",
        "bye",
        "cheers",
        "got",
        "great",
        "noted",
        "ok",
        "okay",
        "perfect",
        "received",
        "regards",
        "thank",
        "thanks",
        "thx",
        "welcome",
    ];
    /// These may stand beside.
    const BESIDE: [&str; 29] = [
        "a", "again", "all", "and", "best", "dear", "for", "getting", "good", "hello", "hi", "it",
        "kind", "letting", "lot", "many", "me", "much", "so", "that", "the", "this", "update",
        "very", "well", "with", "you", "your", "know",
    ];
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let harmless = words.iter().enumerate().all(|(at, word)| {
        let word = word.as_str();
        // `Me` alone answers who is to do it.
        let answers = word == "me" && !(at > 0 && words[at - 1] == "letting");
        !answers && (THANKS.contains(&word) || BESIDE.contains(&word))
    });
    harmless && words.iter().any(|word| THANKS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::is_courtesy;

    #[test]
    fn only_thanks_and_receipts_may_be_left_without_an_answer() {
        for text in [
            "Thanks!",
            "OK, thank you.",
            "Got it",
            "Thanks for letting me know 👍",
            "Bye",
        ] {
            assert!(is_courtesy(text), "{text}");
        }
        for text in [
            "",
            " \n",
            "👍",
            "!",
            "Me",
            "Me, thanks",
            "Hello",
            "You",
            "That",
            "The roof leaks",
        ] {
            assert!(!is_courtesy(text), "{text:?}");
        }
    }
}

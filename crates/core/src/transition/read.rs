//! Reading: what a reader is asked, and what its judged answer changes.

use super::{
    absence, consent, delegate,
    fold::hold,
    needs::recall_what_asks_nothing_open,
    values::{await_confirmation, fill, overturn, owe, owe_clarification, promise, stands},
};
use crate::{
    conversation::{Conversation, HoldReason, Owed, ReadingAttempts, Received},
    effect::Effect,
    form::{Confirming, ReadRequest, Reading, SlotQuestion, Words},
    gate::{self, Concern, ConcernKind, Judgement, Quote, SlotJudgement, Verdict},
    id::{Ids, NeedId},
    need::{Need, NeedStatus, OutcomeKind},
    phase::Phase,
    policy::Wait,
    slot::{Evidence, Filled, Promise, SlotKey, Standing},
    value::{Boolean, Kind, Value},
};
use jiff::{Timestamp, civil, tz::TimeZone};

/// A reader is asked about at most this many slots at once; forms beyond that are no longer small.
/// The open ones come first.
const MOST_SLOTS: usize = 40;

/// Of the answers that only needs which have ended rest on, this many can still be corrected by a
/// message, the latest first: a longer list would make each reading dearer for something rare.
const MOST_TOLD: usize = 10;

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
    let ended = ended_needs(c);
    for need in ended.iter().filter(|need| ended_without_answer(need)) {
        need.slots
            .iter()
            .filter(|s| open(&s.key) && (!is_cancelled(need) || c.is_asked(&s.key)))
            .for_each(|s| add(&s.key));
    }
    // What an ended need was told may turn out to be wrong.
    let told = ended.iter().flat_map(|need| &need.slots);
    told.filter(|s| s.told.is_some() && !open(&s.key))
        .take(MOST_TOLD)
        .for_each(|s| add(&s.key));
    keys.into_iter()
        .flat_map(|key| slot_questions(c, key))
        .take(MOST_SLOTS)
        .enumerate()
        .map(|(place, question)| SlotQuestion {
            form: format!("s{}", place + 1),
            ..question
        })
        .collect()
}

/// What a reader is asked about a slot: its value, and whether one that was understood is right,
/// where the person was asked that.
fn slot_questions(c: &Conversation, key: &SlotKey) -> Vec<SlotQuestion> {
    let Some(slot) = c.slots.get(key) else {
        return Vec::new();
    };
    let value = SlotQuestion {
        form: String::new(),
        key: key.clone(),
        kind: slot.kind.clone(),
        question: slot.question.clone(),
        asked: c.is_asked(key),
        current: slot
            .standing
            .value()
            .map(|value| slot.kind.rules().show(value)),
        self_checks: slot.self_checks.clone(),
        confirming: None,
    };
    let Standing::Unconfirmed(candidate) = &slot.standing else {
        return vec![value];
    };
    if !c.is_confirmation_asked(key) {
        return vec![value];
    }
    let confirmation = SlotQuestion {
        kind: Kind::Boolean(Boolean::default()),
        question: format!(
            "Is it right that the answer to “{}” is “{}”?",
            slot.question,
            slot.kind.rules().show(&candidate.value)
        ),
        asked: true,
        self_checks: Vec::new(),
        confirming: Some(Confirming {
            kind: slot.kind.clone(),
            value: candidate.value.clone(),
        }),
        ..value.clone()
    };
    if matches!(slot.kind, Kind::Boolean(_)) {
        // A yes cannot be both the value and the word that it is right.
        return vec![confirmation];
    }
    vec![value, confirmation]
}

/// The needs that have ended, the latest first.
fn ended_needs(c: &Conversation) -> Vec<&Need> {
    let mut ended: Vec<(Timestamp, &NeedId, &Need)> = c
        .needs
        .iter()
        .filter_map(|(id, need)| match need.status {
            NeedStatus::Settled { at, .. } => Some((at, id, need)),
            NeedStatus::Open => None,
        })
        .collect();
    ended.sort_by_key(|(at, id, _)| std::cmp::Reverse((*at, *id)));
    ended.into_iter().map(|(_, _, need)| need).collect()
}

fn ended_without_answer(need: &Need) -> bool {
    matches!(
        need.status,
        NeedStatus::Settled {
            outcome: OutcomeKind::Expired | OutcomeKind::Unreachable | OutcomeKind::Cancelled,
            ..
        }
    )
}

/// Whether a need was called off: then only what the person was really asked can be answered late.
fn is_cancelled(need: &Need) -> bool {
    matches!(
        need.status,
        NeedStatus::Settled {
            outcome: OutcomeKind::Cancelled,
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

    let mut taking = Taking {
        c,
        source: &source,
        now,
        ids,
        effects,
        thanked: Vec::new(),
        answered: Vec::new(),
        changed: Vec::new(),
    };
    let mut understood = false;
    for (question, SlotJudgement { slot, verdict, .. }) in
        request.slots.iter().zip(&judgement.slots)
    {
        understood |= match &question.confirming {
            Some(confirming) => taking.take_confirmation(slot, &confirming.value, verdict),
            None => taking.take_verdict(slot, verdict),
        };
    }
    let filled = taking.finish();
    c.reading = ReadingAttempts::default();
    if let Phase::CatchUp { need } = phase {
        c.transcripts.retain(|transcript| transcript.need != *need);
        // What was said earlier may answer a question that is on its way.
        recall_what_asks_nothing_open(c, effects);
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

/// Lets the verdicts of one reading change the state.
struct Taking<'a> {
    c: &'a mut Conversation,
    source: &'a Source,
    now: Timestamp,
    ids: &'a mut Ids,
    effects: &'a mut Vec<Effect>,
    /// What the person is thanked for: values that somebody waited for, or was told otherwise.
    thanked: Vec<SlotKey>,
    /// The slots about which a value was given, whatever became of it.
    answered: Vec<SlotKey>,
    /// The slots that had another value before.
    changed: Vec<SlotKey>,
}

impl Taking<'_> {
    /// Lets one verdict change its slot. Says whether the words were understood.
    fn take_verdict(&mut self, key: &SlotKey, verdict: &Verdict) -> bool {
        let Some(slot) = self.c.slots.get(key) else {
            return false;
        };
        match verdict {
            Verdict::Accepted {
                value,
                quote,
                correction,
                inferred,
            } => {
                let Some((evidence, as_of)) = self.source.evidence(quote) else {
                    return false;
                };
                match &slot.standing {
                    Standing::Filled(current) if current.value == *value || !correction => {
                        return true;
                    }
                    _ => {}
                }
                self.answered.push(key.clone());
                let filled = Filled {
                    inferred: *inferred || self.source.transcript.is_some(),
                    ..Filled::new(value.clone(), evidence, as_of)
                };
                self.take_value(key, filled);
                true
            }
            Verdict::Unclear {
                candidates,
                quote,
                why,
            } => self.take_unclear(key, candidates, quote, why),
            Verdict::Promised { until, quote } => {
                if let Some((evidence, made_at)) = self.source.evidence(quote)
                    && slot.standing.is_open()
                {
                    let until = self.source.end_of(*until);
                    let made = Promise {
                        made_at,
                        until,
                        quote: quote.text.clone(),
                    };
                    promise(self.c, key, made);
                    stands(self.c, key, Standing::Promised { until, evidence });
                }
                true
            }
            Verdict::Declined { quote } => {
                if let Some((evidence, _)) = self.source.evidence(quote)
                    && slot.standing.is_open()
                {
                    stands(self.c, key, Standing::Declined { evidence });
                }
                true
            }
            Verdict::Refused { .. } | Verdict::Silent => false,
        }
    }

    /// Takes a value that was given: as the slot's value, or as one to be confirmed first.
    fn take_value(&mut self, key: &SlotKey, mut filled: Filled) {
        if let Some(Standing::Unconfirmed(candidate)) =
            self.c.slots.get(key).map(|slot| &slot.standing)
            && candidate.value == filled.value
            && self.c.is_confirmation_asked(key)
        {
            // Who repeats it says that it is right.
            filled = Filled {
                confirmed_by: Some(filled.evidence),
                ..candidate.clone()
            };
        }
        if !self.c.confirmation_of(key).wants(&filled) {
            self.fill(key, filled);
        } else if self.source.transcript.is_some() {
            // Nobody has just written, so nobody expects a reply: it is asked with the questions.
            stands(self.c, key, Standing::Unconfirmed(filled));
        } else {
            await_confirmation(self.c, key, filled, self.now, self.ids);
        }
    }

    fn fill(&mut self, key: &SlotKey, filled: Filled) {
        let wanted = self.c.waiting_for(key).next().is_some();
        let changed = fill(self.c, key, filled, self.effects);
        if changed {
            self.changed.push(key.clone());
        }
        if wanted || changed {
            self.thanked.push(key.clone());
        }
    }

    fn take_unclear(
        &mut self,
        key: &SlotKey,
        candidates: &[Value],
        quote: &Quote,
        why: &str,
    ) -> bool {
        let wanted = self.c.waiting_for(key).next().is_some();
        let (Some(slot), Some((evidence, _))) =
            (self.c.slots.get(key), self.source.evidence(quote))
        else {
            return false;
        };
        let mut candidates = candidates.to_vec();
        match &slot.standing {
            Standing::Filled(current) if candidates.iter().all(|v| *v == current.value) => {
                return true;
            }
            // What nobody waits for any more is only ever changed by a clear correction.
            Standing::Filled(_) if !wanted => return false,
            Standing::Filled(known) | Standing::Unconfirmed(known)
                if !candidates.contains(&known.value) =>
            {
                candidates.insert(0, known.value.clone());
            }
            _ => {}
        }
        let unclear = Standing::Unclear {
            candidates: candidates.clone(),
            evidence,
            why: why.to_owned(),
        };
        stands(self.c, key, unclear);
        if wanted {
            owe_clarification(self.c, key, &candidates, self.now, self.ids);
        }
        true
    }

    /// Takes a verdict on the question whether `value` was understood, unless the same words have
    /// made something else of the slot already.
    fn take_confirmation(&mut self, key: &SlotKey, value: &Value, verdict: &Verdict) -> bool {
        let candidate = match self.c.slots.get(key).map(|slot| &slot.standing) {
            Some(Standing::Unconfirmed(candidate)) if candidate.value == *value => {
                candidate.clone()
            }
            _ => return false,
        };
        match verdict {
            Verdict::Accepted {
                value: Value::Boolean(right),
                quote,
                ..
            } => {
                let Some((evidence, _)) = self.source.evidence(quote) else {
                    return false;
                };
                self.answered.push(key.clone());
                if *right {
                    let filled = Filled {
                        confirmed_by: Some(evidence),
                        ..candidate
                    };
                    self.fill(key, filled);
                } else {
                    let unclear = Standing::Unclear {
                        candidates: Vec::new(),
                        evidence,
                        why: format!(
                            "it was understood as {}, and that is not right",
                            value.plain()
                        ),
                    };
                    stands(self.c, key, unclear);
                    if self.c.waiting_for(key).next().is_some() {
                        owe_clarification(self.c, key, &[], self.now, self.ids);
                    }
                }
                true
            }
            Verdict::Unclear { .. } => {
                if self.c.waiting_for(key).next().is_some() {
                    await_confirmation(self.c, key, candidate, self.now, self.ids);
                }
                true
            }
            _ => false,
        }
    }

    /// Overturns what rests on slots that have changed. Gives what the person is thanked for.
    fn finish(self) -> Vec<SlotKey> {
        for key in &self.changed {
            overturn(self.c, key, &self.answered);
        }
        self.thanked
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
    owe(c, Owed::Acknowledgement { slots: filled }, now, ids);
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
            ConcernKind::RefusesContact => {
                consent::drop_courtesies(c);
                HoldReason::RefusesContact { message, quote }
            }
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

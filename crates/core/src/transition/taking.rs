//! What verdicts change: values, promises and refusals, each with the words that it rests on.

use super::values::{await_confirmation, fill, overturn, owe_clarification, promise, stands};
use crate::{
    conversation::{Conversation, Received},
    effect::{Effect, NeedEvent},
    gate::{Quote, Verdict},
    id::{Ids, NeedId},
    phase::Phase,
    slot::{Evidence, Filled, Promise, SlotKey, Standing},
    value::Value,
};
use jiff::{Timestamp, civil, tz::TimeZone};

/// When an entry of a transcript was said, and which operator handed it over, if one did.
type Said = (Timestamp, Option<String>);

/// What was read, for the evidence.
pub(super) struct Source {
    pub(super) messages: Vec<Received>,
    transcript: Option<(NeedId, Vec<Said>)>,
    zone: TimeZone,
}

impl Source {
    pub(super) fn of(c: &Conversation, phase: &Phase) -> Self {
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
pub(super) struct Taking<'a> {
    pub(super) c: &'a mut Conversation,
    pub(super) source: &'a Source,
    pub(super) now: Timestamp,
    pub(super) ids: &'a mut Ids,
    pub(super) effects: &'a mut Vec<Effect>,
    /// What the person is thanked for: values that somebody waited for, or was told otherwise.
    pub(super) thanked: Vec<SlotKey>,
    /// The slots about which a value was given, whatever became of it.
    pub(super) answered: Vec<SlotKey>,
    /// The slots that had another value before.
    pub(super) changed: Vec<SlotKey>,
}

impl Taking<'_> {
    /// Lets one verdict change its slot. Says whether the words were understood.
    pub(super) fn take_verdict(&mut self, key: &SlotKey, verdict: &Verdict) -> bool {
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
            Standing::Filled(_) if !wanted => {
                tell_of_unclear(self.c, key, &candidates, &evidence, self.effects);
                return false;
            }
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
    pub(super) fn take_confirmation(
        &mut self,
        key: &SlotKey,
        value: &Value,
        verdict: &Verdict,
    ) -> bool {
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
    pub(super) fn finish(self) -> Vec<SlotKey> {
        for key in &self.changed {
            overturn(self.c, key, &self.answered);
        }
        self.thanked
    }
}

/// Tells needs that have ended that a value which they know may be another, though nobody can say
/// which. The words themselves are held for an operator.
fn tell_of_unclear(
    c: &Conversation,
    key: &SlotKey,
    candidates: &[Value],
    evidence: &Evidence,
    effects: &mut Vec<Effect>,
) {
    for (id, need) in c.needs.iter().filter(|(_, need)| !need.is_open()) {
        let told = need.slots.iter().filter(|wanted| wanted.key == *key);
        for was in told.filter_map(|wanted| wanted.told.clone()) {
            effects.push(Effect::Event {
                need: id.clone(),
                event: NeedEvent::CorrectionUnclear {
                    slot: key.name.clone(),
                    candidates: candidates.to_vec(),
                    evidence: evidence.clone(),
                    was: Box::new(was),
                },
            });
        }
    }
}

//! The slot forms: from what sentences mention to what is proposed.

use super::{
    concern, cues, free,
    mention::{Mention, Slots},
    scan::Sentence,
    topic::Topic,
    until,
};
use liaison_core::{
    form::{Answer, ReadRequest, SlotForm, SlotQuestion},
    value::{Kind, Value, cues::Cues, words},
};

/// Fills a form for each slot of the request, in its order.
pub(super) fn forms(request: &ReadRequest, sentences: &[Sentence<'_>]) -> Vec<SlotForm> {
    let reader = Reader {
        request,
        sentences,
        slots: Slots::new(request, sentences),
    };
    let told: Vec<Option<SlotForm>> = (0..request.slots.len())
        .map(|slot| reader.told(slot))
        .collect();
    (0..request.slots.len())
        .map(|slot| {
            let settled = |form: &Option<SlotForm>| {
                form.as_ref().is_some_and(|form| form.clear_value_present)
            };
            if settled(&told[slot]) {
                return told[slot].clone();
            }
            // Whoever promises to confirm a guess need not be asked about it again.
            let waiting: Vec<usize> = (0..request.slots.len())
                .filter(|slot| reader.waits(*slot) && !settled(&told[*slot]))
                .collect();
            reader
                .put_off(slot, &waiting)
                .or_else(|| told[slot].clone())
                .or_else(|| reader.unknown(slot, &waiting))
        })
        .zip(&request.slots)
        .map(|(form, slot)| SlotForm {
            self_checks: vec![false; slot.self_checks.len()],
            ..form.unwrap_or_else(|| SlotForm::silent(slot.self_checks.len()))
        })
        .collect()
}

struct Reader<'a> {
    request: &'a ReadRequest,
    sentences: &'a [Sentence<'a>],
    slots: Slots<'a>,
}

impl Reader<'_> {
    fn slot(&self, slot: usize) -> &SlotQuestion {
        &self.request.slots[slot]
    }

    /// Whether the slot was asked and has no value.
    fn waits(&self, slot: usize) -> bool {
        self.slot(slot).asked && self.slots.is_open(slot)
    }

    /// What the words tell about the value.
    fn told(&self, slot: usize) -> Option<SlotForm> {
        match self.slot(slot).kind {
            Kind::File(_) => self.file(slot),
            Kind::Text(_) => self.text(slot),
            _ => self.mentioned(slot),
        }
    }

    fn mentioned(&self, slot: usize) -> Option<SlotForm> {
        let mentions = self.slots.mentions(slot);
        let clear: Vec<&Mention> = mentions.iter().filter(|m| m.clear().is_some()).collect();
        let Some(last) = clear.last() else {
            let last = mentions.last()?;
            return Some(self.unclear(self.sentences[last.sentence].text, last.hedged));
        };
        let sentence = &self.sentences[last.sentence];
        let value = last.clear()?;
        let closed = self.slot(slot).kind.rules().is_closed();
        let others = mentions.iter().filter(|mention| {
            // A date or a number that is about something else contradicts nothing.
            mention.value.as_ref() != Some(value) && (closed || !mention.doubtful)
        });
        let corrected = self.corrects(last);
        let (before, after): (Vec<&Mention>, Vec<&Mention>) =
            others.partition(|mention| mention.sentence < last.sentence);
        if !after.is_empty() || (!before.is_empty() && !corrected) {
            let newest = after
                .last()
                .map_or(last.sentence, |mention| mention.sentence);
            return Some(self.unclear(self.sentences[newest].text, false));
        }
        Some(self.value(slot, value, sentence.text, corrected))
    }

    /// Whether a mention takes back what was said before it: by its own words, or by a few
    /// directly before it (`No, wait.`).
    fn corrects(&self, mention: &Mention) -> bool {
        let sentence = &self.sentences[mention.sentence];
        let before = mention
            .sentence
            .checked_sub(1)
            .map(|at| &self.sentences[at])
            .filter(|before| before.index == sentence.index && before.words.len() <= 5);
        mention.correction || before.is_some_and(|before| before.correction)
    }

    fn value(&self, slot: usize, value: &Value, quote: &str, corrected: bool) -> SlotForm {
        SlotForm {
            says: format!("They say: {}.", self.slot(slot).kind.rules().show(value)),
            quote: quote.to_owned(),
            clear_value_present: true,
            answer: Answer::Value,
            explicit_correction: corrected,
            value: json(value),
            ..SlotForm::silent(0)
        }
    }

    fn unclear(&self, quote: &str, guessing: bool) -> SlotForm {
        SlotForm {
            says: "They mention it without settling it.".to_owned(),
            quote: quote.to_owned(),
            answer: Answer::Value,
            would_be_guessing: guessing,
            ..SlotForm::silent(0)
        }
    }

    /// A promise or a refusal that is about this slot, the newest first.
    fn put_off(&self, slot: usize, waiting: &[usize]) -> Option<SlotForm> {
        self.sentences
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, sentence)| !sentence.question && (sentence.promise || sentence.refusal))
            .find(|(at, sentence)| {
                let for_all = sentence.promise || cues::is_about_all(&sentence.words);
                self.is_about(slot, *at, waiting, for_all)
            })
            .map(|(_, sentence)| {
                let quote = sentence.text.to_owned();
                if sentence.refusal {
                    SlotForm {
                        says: "They will not say.".to_owned(),
                        quote,
                        answer: Answer::Refusal,
                        ..SlotForm::silent(0)
                    }
                } else {
                    let until = until::last_day(self.request, sentence);
                    SlotForm {
                        says: "They will say later.".to_owned(),
                        quote,
                        answer: Answer::Promise,
                        promised_date: until.map_or_else(String::new, |day| day.to_string()),
                        ..SlotForm::silent(0)
                    }
                }
            })
    }

    /// Words like `I don't know yet`.
    fn unknown(&self, slot: usize, waiting: &[usize]) -> Option<SlotForm> {
        self.sentences
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, sentence)| !sentence.question && cues::is_undecided(&sentence.words))
            .find(|(at, _)| self.is_about(slot, *at, waiting, false))
            .map(|(_, sentence)| self.unclear(sentence.text, true))
    }

    /// Whether a sentence without a value is about a slot: by its words, or because nothing else
    /// waits. One `for_all` without such words is about all that waits.
    fn is_about(&self, slot: usize, at: usize, waiting: &[usize], for_all: bool) -> bool {
        if self.slots.overlap(slot, at) > 0 {
            return self.slots.is_open(slot);
        }
        let named = waiting
            .iter()
            .any(|other| self.slots.overlap(*other, at) > 0);
        waiting.contains(&slot) && !named && (for_all || waiting.len() == 1)
    }

    /// Free words answer only when nothing else could be meant.
    fn text(&self, slot: usize) -> Option<SlotForm> {
        let alone = self.waits(slot)
            && (0..self.request.slots.len()).all(|other| other == slot || !self.waits(other));
        let disturbed = self.sentences.iter().any(|sentence| {
            sentence.question
                || sentence.promise
                || sentence.refusal
                || cues::is_undecided(&sentence.words)
                || cues::acknowledges(&sentence.words)
                || concern::wants_person(sentence)
                || concern::refuses_contact(sentence)
                || concern::names_another(sentence)
                || concern::is_automatic(&sentence.words)
                || concern::is_absence(&sentence.words)
                || concern::out_of_scope(sentence)
        });
        if !alone || disturbed {
            return None;
        }
        let told: Vec<&Sentence<'_>> = self.sentences[..self.signature()]
            .iter()
            .filter(|sentence| !sentence.courtesy && !cues::is_assent(&sentence.words))
            .collect();
        let (first, last) = (told.first()?, told.last()?);
        // A value in two messages has no quote.
        if first.index != last.index || !free::may_answer(self.slot(slot), &told) {
            return Some(self.unclear(last.text, false));
        }
        let quote = &first.of.text[first.start..last.start + last.text.len()];
        Some(self.value(slot, &Value::Text(quote.to_owned()), quote, false))
    }

    /// Where the signature begins: a goodbye after which only a few words follow.
    fn signature(&self) -> usize {
        let few = |sentence: &Sentence<'_>| sentence.courtesy || sentence.words.len() <= 3;
        let tail = self.sentences.iter().rev().take_while(|s| few(s)).count();
        let begin = self.sentences.len() - tail;
        (begin.max(1)..self.sentences.len())
            .find(|at| self.sentences[*at].courtesy)
            .unwrap_or(self.sentences.len())
    }

    /// One file for one question, or a file whose name says which question it is for.
    fn file(&self, slot: usize) -> Option<SlotForm> {
        let files: Vec<Value> = (0..self.request.words.len())
            .flat_map(|words| {
                let context = self.request.context(words);
                self.slot(slot).kind.rules().find("", &context)
            })
            .map(|candidate| candidate.value)
            .filter(|value| !is_decoration(value))
            .collect();
        let name = |value: &Value| value.plain();
        let topic = Topic::of(self.slot(slot));
        let named: Vec<&Value> = files
            .iter()
            .filter(|file| {
                let words = words::words(&name(file));
                let own = topic.overlap(&words);
                let most = self
                    .request
                    .slots
                    .iter()
                    .enumerate()
                    .filter(|(other, question)| {
                        *other != slot && matches!(question.kind, Kind::File(_))
                    })
                    .map(|(_, question)| Topic::of(question).overlap(&words))
                    .max()
                    .unwrap_or(0);
                own > most
            })
            .collect();
        let others_wait = (0..self.request.slots.len()).any(|other| {
            other != slot && matches!(self.slot(other).kind, Kind::File(_)) && self.waits(other)
        });
        let taken = match (&named[..], &files[..]) {
            ([file], _) => Some(*file),
            ([], [file]) if self.waits(slot) && !others_wait => Some(file),
            _ => None,
        };
        let doubted = self
            .sentences
            .iter()
            .any(|sentence| sentence.promise || sentence.hedged || DOUBTED.among(&sentence.words));
        match (taken, files.last()) {
            (Some(file), _) if !doubted => {
                let corrected = self.sentences.iter().any(|sentence| sentence.correction);
                Some(self.value(slot, file, &name(file), corrected))
            }
            (Some(file), _) => Some(self.unclear(&name(file), false)),
            (None, Some(file)) if self.waits(slot) => Some(self.unclear(&name(file), false)),
            _ => None,
        }
    }
}

static DOUBTED: Cues = Cues::new("not, wrong, missing, old, only");

/// A picture that a mail program put into a signature: Outlook calls them `image001.png`, and a
/// photograph is larger.
fn is_decoration(value: &Value) -> bool {
    const LARGEST: u64 = 50_000;
    let Value::File(file) = value else {
        return false;
    };
    let stem = file.name.split('.').next().unwrap_or_default();
    let numbered = stem
        .to_lowercase()
        .strip_prefix("image")
        .is_some_and(|rest| rest.len() == 3 && rest.bytes().all(|b| b.is_ascii_digit()));
    file.media_type.starts_with("image/") && numbered && file.size < LARGEST
}

/// A value in its kind's JSON form.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Choice(name) => name.as_str().into(),
        Value::Boolean(yes) => (*yes).into(),
        Value::Date(day) => day.to_string().into(),
        // As a number with the same figures; what JSON cannot hold exactly, the gate refuses.
        Value::Number(number) => number
            .to_string()
            .parse::<serde_json::Number>()
            .map_or(serde_json::Value::Null, serde_json::Value::Number),
        Value::Text(text) => text.as_str().into(),
        Value::File(file) => file.name.as_str().into(),
    }
}

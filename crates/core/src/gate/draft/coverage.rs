//! Whether a draft says everything that its plan wants said.

use super::{
    Faults, excerpt, ordinary,
    vocabulary::occurs,
    words::{content, lower, numbers, sequences, stem},
};
use crate::{
    conversation::MessageKind,
    plan::{Change, MessagePlan, PlanItem, Promised, template::clean},
};
use jiff::civil;
use std::collections::HashSet;

/// Half of a question's words must be there: a paraphrase keeps what it is about.
const QUESTION_SHARE: f64 = 0.5;
/// A fact is to be told, not alluded to.
const BRIEF_SHARE: f64 = 0.7;

/// Names what the body leaves out.
pub(super) fn check(faults: &mut Faults, plan: &MessagePlan, body: &str) {
    let said = Said::of(body);
    if plan.kind == MessageKind::Ask {
        for goal in &plan.goals {
            faults.add_unless(
                said.share(&meaning(&clean::one_line(goal))) >= QUESTION_SHARE,
                || format!("Say what the message is for: “{}”.", excerpt(goal)),
            );
        }
    }
    for (place, item) in plan.items.iter().enumerate() {
        match item {
            PlanItem::Acknowledge { answers, .. } => acknowledged(faults, &said, answers),
            PlanItem::Answer { text, .. } => answered(faults, &said, text),
            PlanItem::Withdraw { question, .. } => withdrawn(faults, &said, question),
            PlanItem::Brief { text, .. } => told(faults, &said, text),
            PlanItem::Clarify {
                question,
                candidates,
                hint,
                ..
            } => {
                clarified(faults, &said, question, candidates, hint.as_deref());
            }
            PlanItem::Confirm {
                question, value, ..
            } => confirmed(faults, &said, question, value),
            PlanItem::Question {
                question,
                hint,
                asked_on,
                because,
                promised,
                ..
            } => {
                // A reminder need not repeat the reason.
                if let (Some(change), None, None) = (because, asked_on, promised)
                    && !clean::one_line(question).is_empty()
                {
                    reasoned(faults, &said, change);
                }
                let others = questions(&plan.items, place);
                asked(faults, &said, question, hint.as_deref(), &others);
                if let Some(promised) = promised
                    && !clean::one_line(question).is_empty()
                {
                    reminded_of(faults, &said, promised);
                }
            }
        }
    }
}

/// A body, ready to be looked up.
struct Said {
    stems: HashSet<String>,
    words: HashSet<String>,
    numbers: HashSet<String>,
    sequences: Vec<Vec<String>>,
    /// The stems of each list item or paragraph.
    units: Vec<HashSet<String>>,
    asks: bool,
}

impl Said {
    fn of(body: &str) -> Self {
        let words: HashSet<String> = lower(body).into_iter().collect();
        Self {
            stems: words.iter().map(|word| stem(word)).collect(),
            words,
            numbers: numbers(body).into_iter().collect(),
            sequences: sequences(body),
            units: units(body),
            asks: is_asking(body),
        }
    }

    /// How many of these stems it has, from 0 to 1.
    fn share(&self, stems: &[String]) -> f64 {
        let present = stems
            .iter()
            .filter(|stem| self.stems.contains(*stem))
            .count();
        // Texts are far shorter than what a double counts exactly.
        if stems.is_empty() {
            1.0
        } else {
            present as f64 / stems.len() as f64
        }
    }

    /// The first of these stems and numbers that it does not have.
    fn first_missing(&self, stems: &[String], numbers: &[String]) -> Option<String> {
        stems
            .iter()
            .find(|stem| !self.stems.contains(*stem))
            .or_else(|| {
                numbers
                    .iter()
                    .find(|number| !self.numbers.contains(*number))
            })
            .cloned()
    }

    /// Whether a value stands in it, with its words and numbers.
    fn shows(&self, value: &str) -> bool {
        self.first_missing(&meaning(value), &numbers(value))
            .is_none()
    }
}

fn asked(faults: &mut Faults, said: &Said, question: &str, hint: Option<&str>, others: &[String]) {
    let question = clean::one_line(question);
    if question.is_empty() {
        return;
    }
    let stems = meaning(&question);
    // What sets it apart from the other questions must be there too, or one would do for both.
    let apart: Vec<String> = stems
        .iter()
        .filter(|stem| !others.contains(stem))
        .cloned()
        .collect();
    let covered = said.share(&stems) >= QUESTION_SHARE
        && said.share(&apart) >= QUESTION_SHARE
        && said.first_missing(&[], &numbers(&question)).is_none()
        && negations(&stems).all(|word| said.stems.contains(word));
    faults.add_unless(covered, || {
        format!(
            "Ask this question, close to its own words: “{}”",
            excerpt(&question)
        )
    });
    faults.add_unless(said.asks || !is_asking(&question), || {
        format!(
            "Put this as a question, with a question mark: “{}”",
            excerpt(&question)
        )
    });
    let hint = hint.map(clean::one_line).unwrap_or_default();
    let fits = said.share(&meaning(&hint)) >= QUESTION_SHARE
        && said.first_missing(&[], &numbers(&hint)).is_none();
    faults.add_unless(fits, || {
        format!("Say which answers fit: “{}”.", excerpt(&hint))
    });
}

fn reminded_of(faults: &mut Faults, said: &Said, promised: &Promised) {
    let named = |day: civil::Date| said.numbers.contains(&day.day().to_string());
    faults.add_unless(named(promised.on) && named(promised.by), || {
        format!(
            "Say that they wrote on {} that they would answer by {}.",
            promised.on.strftime("%-d %B"),
            promised.by.strftime("%-d %B")
        )
    });
}

fn acknowledged(faults: &mut Faults, said: &Said, answers: &[(String, String)]) {
    for (question, value) in answers {
        let (question, value) = (clean::one_line(question), clean::one_line(value));
        // With one answer it is clear what it belongs to.
        let beside = answers.len() == 1 || {
            let about = meaning(&question);
            let value: Vec<String> = lower(&value).iter().map(|word| stem(word)).collect();
            said.units.iter().any(|unit| {
                value.iter().all(|word| unit.contains(word))
                    && (about.is_empty() || about.iter().any(|word| unit.contains(word)))
            })
        };
        faults.add_unless(beside && said.shows(&value), || {
            format!(
                "Repeat the answer “{}” to “{}”, word for word.",
                excerpt(&value),
                excerpt(&question)
            )
        });
    }
    faults.add_unless(
        said.words.iter().any(|word| word.starts_with("thank")),
        || "Thank them for their answer.".to_owned(),
    );
}

fn answered(faults: &mut Faults, said: &Said, text: &str) {
    let text = clean::one_line(text);
    for sentence in text.split_inclusive(['.', '!', '?']) {
        if let Some(missing) = said.first_missing(&meaning(sentence), &[]) {
            faults.add(format!(
                "Pass this on in its own words; “{missing}” is missing: “{}”",
                excerpt(sentence)
            ));
        }
    }
    if let Some(missing) = said.first_missing(&[], &numbers(&text)) {
        faults.add(format!(
            "Pass on the number {missing} of the answer as it is."
        ));
    }
}

fn told(faults: &mut Faults, said: &Said, text: &str) {
    let text = clean::one_line(text);
    let stems = meaning(&text);
    let covered = said.share(&stems) >= BRIEF_SHARE
        && said.first_missing(&[], &numbers(&text)).is_none()
        && negations(&stems).all(|word| said.stems.contains(word));
    faults.add_unless(covered, || {
        format!("Tell them this, with its figures: “{}”", excerpt(&text))
    });
}

fn withdrawn(faults: &mut Faults, said: &Said, question: &str) {
    let question = clean::one_line(question);
    if question.is_empty() {
        return;
    }
    let taken_back = ordinary::WITHDRAWALS.iter().any(|phrase| {
        let phrase: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
        occurs(&said.sequences, &phrase)
    });
    faults.add_unless(
        taken_back && said.share(&meaning(&question)) >= QUESTION_SHARE,
        || {
            format!(
                "Say that this question no longer needs an answer: “{}”",
                excerpt(&question)
            )
        },
    );
}

fn clarified(
    faults: &mut Faults,
    said: &Said,
    question: &str,
    candidates: &[String],
    hint: Option<&str>,
) {
    for candidate in candidates
        .iter()
        .map(|candidate| clean::one_line(candidate))
    {
        faults.add_unless(said.shows(&candidate), || {
            format!(
                "Offer “{}” as one of the readings, word for word.",
                excerpt(&candidate)
            )
        });
    }
    let question = clean::one_line(question);
    if candidates.is_empty() {
        let hint = hint.map(clean::one_line).unwrap_or_default();
        let covered = said.share(&meaning(&question)) >= QUESTION_SHARE
            && said.share(&meaning(&hint)) >= QUESTION_SHARE;
        faults.add_unless(covered, || {
            format!(
                "Say that the answer to this was unclear: “{}”",
                excerpt(&question)
            )
        });
    }
    faults.add_unless(said.asks, || {
        format!(
            "Ask what was meant by the answer to “{}”.",
            excerpt(&question)
        )
    });
}

fn confirmed(faults: &mut Faults, said: &Said, question: &str, value: &str) {
    let (question, value) = (clean::one_line(question), clean::one_line(value));
    faults.add_unless(said.shows(&value), || {
        format!(
            "Repeat “{}” as what you understood, word for word.",
            excerpt(&value)
        )
    });
    faults.add_unless(said.share(&meaning(&question)) >= QUESTION_SHARE, || {
        format!(
            "Say which question was answered so: “{}”",
            excerpt(&question)
        )
    });
    faults.add_unless(said.asks, || {
        format!("Ask whether “{}” is right.", excerpt(&value))
    });
}

fn reasoned(faults: &mut Faults, said: &Said, change: &Change) {
    let value = clean::one_line(&change.value);
    faults.add_unless(said.shows(&value), || {
        format!(
            "Say why you ask again: “{}” is “{}” now.",
            excerpt(&change.question),
            excerpt(&value)
        )
    });
}

/// The stems of all questions but the one at `place`.
fn questions(items: &[PlanItem], place: usize) -> Vec<String> {
    items
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != place)
        .filter_map(|(_, item)| match item {
            PlanItem::Question { question, .. } => Some(meaning(&clean::one_line(question))),
            _ => None,
        })
        .flatten()
        .collect()
}

/// The stems that a text cannot do without: of the words that mean something, or of all when none
/// does.
fn meaning(text: &str) -> Vec<String> {
    let stems = content(text);
    if !stems.is_empty() {
        return stems;
    }
    lower(text)
        .iter()
        .filter(|word| !word.chars().any(char::is_numeric))
        .map(|word| stem(word))
        .collect()
}

/// The words among these without which a text says the opposite.
fn negations(stems: &[String]) -> impl Iterator<Item = &String> {
    const NEGATIONS: &[&str] = &[
        "cannot", "except", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing",
        "only", "unless", "until", "without",
    ];
    stems
        .iter()
        .filter(|word| NEGATIONS.iter().any(|known| stem(known) == **word))
}

/// Whether a text has a question mark of any script.
fn is_asking(text: &str) -> bool {
    text.contains(['?', '？', '؟', '\u{37e}', '՞', '⸮', '፧'])
}

/// The list items and paragraphs of a body, as stems.
fn units(body: &str) -> Vec<HashSet<String>> {
    let mut units: Vec<String> = vec![String::new()];
    for line in body.split('\n') {
        let marked = line.starts_with("- ") || line.starts_with(|c: char| c.is_ascii_digit());
        if marked || line.is_empty() {
            units.push(String::new());
        }
        if let Some(unit) = units.last_mut() {
            unit.push_str(line);
            unit.push('\n');
        }
    }
    units
        .iter()
        .map(|unit| lower(unit).iter().map(|word| stem(word)).collect())
        .collect()
}

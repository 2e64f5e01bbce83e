//! What the words want of us, apart from answering.

use super::{
    Concern, ConcernKind, Quote, SlotJudgement, Verdict,
    passage::{self, Passage, meet},
    vetoes,
};
use crate::{
    form::{MessageForm, ReadRequest},
    value::{cues::Cues, words},
};

/// How many characters of a message stand for it when a reader's quote is nowhere in it: enough for
/// an operator to recognise it in a list.
const OPENING: usize = 200;

/// The concerns of a reader and of code, most pressing first, each once. A reader that raises one
/// without need costs an operator a look; one that is lost costs the stakeholder an answer.
pub(super) fn concerns(
    request: &ReadRequest,
    form: &MessageForm,
    slots: &[SlotJudgement],
) -> Vec<Concern> {
    let claims = [
        (ConcernKind::RefusesContact, &form.refuses_contact),
        (ConcernKind::WantsPerson, &form.wants_person),
        (ConcernKind::NamesAnother, &form.names_another),
        (ConcernKind::Question, &form.question),
        (ConcernKind::OutOfScope, &form.out_of_scope),
    ];
    let mut found: Vec<Concern> = Vec::new();
    for (kind, text) in claims {
        if says_nothing(text) {
            continue;
        }
        if let Some(quote) = quoted(request, text) {
            add(request, &mut found, Concern { kind, quote });
        }
    }
    found.retain(|concern| !is_the_answer(request, concern, slots));
    if !form.automatic_reply {
        seen_by_code(request, &mut found);
    }
    found.sort_by_key(|concern| concern.kind);
    found
}

/// What models write into a field that they were told to leave empty.
fn says_nothing(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'', '.', '(', ')', '-']);
    let text = text.trim().to_lowercase();
    matches!(
        text.as_str(),
        "" | "none"
            | "n/a"
            | "na"
            | "null"
            | "nothing"
            | "no question"
            | "false"
            | "not applicable"
    )
}

/// The words that a reader means: where they stand, else the sentence most like them, else how the
/// newest message begins.
fn quoted(request: &ReadRequest, text: &str) -> Option<Quote> {
    if let Some(passage) = Passage::locate(request, text) {
        return Some(passage.quote());
    }
    let wanted = words::words(text);
    let mut best: Option<(usize, Quote)> = None;
    for (place, entry) in request.words.iter().enumerate().rev() {
        for sentence in words::sentences(&entry.text) {
            let sentence = &entry.text[sentence];
            let shared = words::words(sentence)
                .iter()
                // Short words are in every sentence.
                .filter(|word| word.text.chars().count() > 3)
                .filter(|word| wanted.iter().any(|other| other.text == word.text))
                .count();
            if shared > best.as_ref().map_or(0, |(most, _)| *most) {
                let quote = Quote {
                    words: place,
                    text: sentence.to_owned(),
                };
                best = Some((shared, quote));
            }
        }
    }
    let opening = || {
        let newest = request.words.len().checked_sub(1)?;
        Some(Quote {
            words: newest,
            text: request.words[newest].text.chars().take(OPENING).collect(),
        })
    };
    best.map(|(_, quote)| quote).or_else(opening)
}

/// Questions, and wishes to be left alone, that code sees by itself.
fn seen_by_code(request: &ReadRequest, found: &mut Vec<Concern>) {
    for (place, entry) in request.words.iter().enumerate() {
        for sentence in words::sentences(&entry.text) {
            let text = &entry.text[sentence];
            let kind = if refuses_contact(text) {
                ConcernKind::RefusesContact
            } else if vetoes::is_question(text) {
                ConcernKind::Question
            } else {
                continue;
            };
            let quote = Quote {
                words: place,
                text: text.to_owned(),
            };
            add(request, found, Concern { kind, quote });
        }
    }
}

fn refuses_contact(sentence: &str) -> bool {
    let words = words::words(sentence);
    let alone =
        matches!(words.as_slice(), [only] if matches!(only.text.as_str(), "stop" | "unsubscribe"));
    alone || LEAVE_ME.among(&words)
}

const LEAVE_ME: Cues = Cues(
    "stop writing, stop emailing, stop contacting, stop messaging, stop mailing,
     stop sending, stop bothering, stop these, stop all, do not contact me,
     not contact me again, not contact us, do not write to me, do not email me,
     do not message me, not write to me again, leave me alone, remove me from, take me off,
     unsubscribe me, please unsubscribe, no more emails",
);

/// Adds a concern unless the same is known of the same words.
fn add(request: &ReadRequest, found: &mut Vec<Concern>, concern: Concern) {
    let known = found
        .iter()
        .any(|other| other.kind == concern.kind && overlap(request, &other.quote, &concern.quote));
    if !known {
        found.push(concern);
    }
}

/// Whether two quotes share words of the same text.
fn overlap(request: &ReadRequest, one: &Quote, other: &Quote) -> bool {
    let place = |quote: &Quote| {
        let text = &request.words.get(quote.words)?.text;
        passage::find(text, &quote.text)
    };
    one.words == other.words
        && match (place(one), place(other)) {
            (Some(one), Some(other)) => meet(&one, &other),
            _ => one.text == other.text,
        }
}

/// Whether a reader takes an accepted answer for a question or for something else: no sentence that
/// asks is ever accepted, and what answers us is not out of scope.
fn is_the_answer(request: &ReadRequest, concern: &Concern, slots: &[SlotJudgement]) -> bool {
    matches!(
        concern.kind,
        ConcernKind::Question | ConcernKind::OutOfScope
    ) && slots.iter().any(|slot| match &slot.verdict {
        Verdict::Accepted { quote, .. } => {
            let sentences = request.words.get(concern.quote.words).map_or(0, |entry| {
                passage::find(&entry.text, &concern.quote.text).map_or(0, |span| {
                    words::sentences(&entry.text)
                        .iter()
                        .filter(|sentence| meet(sentence, &span))
                        .count()
                })
            });
            // A longer concern holds more than the answer.
            sentences == 1 && overlap(request, quote, &concern.quote)
        }
        _ => false,
    })
}

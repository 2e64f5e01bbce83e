//! What the words want of us, apart from answering.

use super::{
    Concern, ConcernKind, SlotJudgement, Verdict,
    passage::{self, Passage, meet},
    vetoes,
};
use crate::{
    form::{MessageForm, ReadRequest},
    value::{cues::Cues, words},
};
use std::collections::HashSet;

/// How many characters of a message stand for it when a reader's quote is nowhere in it: enough for
/// an operator to recognise it in a list.
const OPENING: usize = 200;

/// More concerns of one kind than this no operator reads one by one; the message itself is kept.
const MOST_CONCERNS: usize = 20;

/// A concern with the place of its words.
struct Raised<'r> {
    kind: ConcernKind,
    place: Passage<'r>,
}

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
    let mut raised: Vec<Raised<'_>> = Vec::new();
    for (kind, text) in claims {
        if says_nothing(text) {
            continue;
        }
        if let Some(place) = meant(request, text) {
            add(&mut raised, Raised { kind, place });
        }
    }
    raised.retain(|concern| !is_the_answer(concern, slots));
    if !form.automatic_reply {
        seen_by_code(request, &mut raised);
    }
    if raised
        .iter()
        .any(|concern| concern.kind == ConcernKind::OptsOut)
    {
        // There is nothing left for a person to decide about it.
        raised.retain(|concern| concern.kind != ConcernKind::RefusesContact);
    }
    raised.sort_by_key(|concern| concern.kind);
    raised
        .into_iter()
        .map(|concern| Concern {
            kind: concern.kind,
            quote: concern.place.quote(),
        })
        .collect()
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
fn meant<'r>(request: &'r ReadRequest, text: &str) -> Option<Passage<'r>> {
    if let Some(passage) = Passage::locate(request, text) {
        return Some(passage);
    }
    // Short words are in every sentence.
    let long = |text: &str| -> HashSet<String> {
        words::words(text)
            .into_iter()
            .map(|word| word.text)
            .filter(|word| word.chars().count() > 3)
            .collect()
    };
    let wanted = long(text);
    let mut best: Option<(usize, Passage<'_>)> = None;
    for (words, entry) in request.words.iter().enumerate().rev() {
        for span in words::sentences(&entry.text) {
            let shared = long(&entry.text[span.clone()])
                .intersection(&wanted)
                .count();
            if shared > best.as_ref().map_or(0, |(most, _)| *most) {
                let text = entry.text.as_str();
                best = Some((shared, Passage { words, text, span }));
            }
        }
    }
    let opening = || {
        let words = request.words.len().checked_sub(1)?;
        let text = request.words[words].text.as_str();
        let end = text
            .char_indices()
            .nth(OPENING)
            .map_or(text.len(), |(at, _)| at);
        let span = 0..end;
        Some(Passage { words, text, span })
    };
    best.map(|(_, passage)| passage).or_else(opening)
}

/// Questions, and wishes to be left alone, that code sees by itself.
fn seen_by_code<'r>(request: &'r ReadRequest, raised: &mut Vec<Raised<'r>>) {
    for (words, entry) in request.words.iter().enumerate() {
        let text = entry.text.as_str();
        for span in words::sentences(text) {
            let sentence = &text[span.clone()];
            let kind = if opts_out(sentence) && !vetoes::addresses_software(text) {
                ConcernKind::OptsOut
            } else if refuses_contact(sentence) {
                ConcernKind::RefusesContact
            } else if vetoes::is_question(sentence) {
                ConcernKind::Question
            } else {
                continue;
            };
            let place = Passage { words, text, span };
            add(raised, Raised { kind, place });
        }
    }
}

fn refuses_contact(sentence: &str) -> bool {
    let words = words::words(sentence);
    let alone =
        matches!(words.as_slice(), [only] if matches!(only.text.as_str(), "stop" | "unsubscribe"));
    alone || LEAVE_ME.among(&words)
}

static LEAVE_ME: Cues = Cues::new(
    "stop writing, stop emailing, stop contacting, stop messaging, stop mailing,
     stop sending, stop bothering, stop these, stop all, do not contact me,
     not contact me again, not contact us, do not write to me, do not email me,
     do not message me, not write to me again, leave me alone, remove me from, take me off,
     unsubscribe me, please unsubscribe, no more emails",
);

/// Whether a sentence ends all contact, plainly and without a limit. In every other case a person
/// looks: nothing is sent meanwhile either.
fn opts_out(sentence: &str) -> bool {
    let words = words::words(sentence);
    if vetoes::is_question(sentence)
        || vetoes::is_conditional(&words)
        || vetoes::hedges(&words)
        || vetoes::reports(&words)
        || LIMITS.among(&words)
    {
        return false;
    }
    // `I asked the tenant to stop writing to me` stops nobody else.
    words::clauses(sentence, 0..sentence.len())
        .into_iter()
        .any(|clause| {
            let words = words::words(&sentence[clause]);
            let lead = words.iter().take_while(|word| LEAD.has(&word.text)).count();
            OPTS_OUT.starts(&words[lead..]).is_some()
        })
}

static LEAD: Cues = Cues::new(
    "please, and, so, then, just, now, kindly, you, must, should, immediately, at, once, finally, i,
     want, would, like, demand, ask, to, will",
);

static OPTS_OUT: Cues = Cues::new(
    "stop writing me, stop writing to me, stop writing us, stop writing to us, stop emailing me,
     stop emailing us, stop mailing me, stop mailing us, stop contacting me, stop contacting us,
     stop messaging me, stop messaging us, stop sending me, stop sending us, stop bothering me,
     stop bothering us, do not contact me, do not contact us, do not write me, do not write to me,
     do not write us, do not write to us, do not email me, do not email us, do not message me,
     do not message us, never contact me, never contact us, never write to me, never write to us,
     leave me alone, leave us alone, unsubscribe me, unsubscribe us, unsubscribe my, opt out,
     no more emails, no more mails, no more messages, remove me from your list,
     remove me from your mailing list, take me off your list, take me off your mailing list",
);

static LIMITS: Cues = Cues::new(
    "until, till, before, after, by phone, by email, by mail, by post, by letter, call me, phone me,
     ring me, on weekends, at weekends, on sundays, at work, during, about, regarding, at night,
     at this address, at this email, at that address, here, so often, so much, every day, twice,
     with, other address, new address, except, instead, but ask, but contact",
);

/// Adds a concern unless the same is known of the same words.
fn add<'r>(raised: &mut Vec<Raised<'r>>, concern: Raised<'r>) {
    let mut same_kind = 0;
    for other in raised.iter().filter(|other| other.kind == concern.kind) {
        same_kind += 1;
        if other.place.words == concern.place.words && meet(&other.place.span, &concern.place.span)
        {
            return;
        }
    }
    if same_kind < MOST_CONCERNS {
        raised.push(concern);
    }
}

/// Whether a reader takes an accepted answer for a question or for something else: no sentence that
/// asks is ever accepted, and what answers us is not out of scope. A concern that runs over several
/// sentences holds more than the answer.
fn is_the_answer(concern: &Raised<'_>, slots: &[SlotJudgement]) -> bool {
    let place = &concern.place;
    matches!(
        concern.kind,
        ConcernKind::Question | ConcernKind::OutOfScope
    ) && place.sentences().len() == 1
        && slots.iter().any(|slot| match &slot.verdict {
            Verdict::Accepted { quote, .. } => {
                quote.words == place.words
                    && passage::find(place.text, &quote.text)
                        .is_some_and(|answer| meet(&answer, &place.span))
            }
            _ => false,
        })
}

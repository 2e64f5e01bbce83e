//! The message form: what the words are, apart from what they answer.

use super::{concern, cues, scan::Sentence, until};
use liaison_core::{
    form::{Answer, MessageForm, ReadRequest, SlotForm, Tone},
    value::{cues::Cues, words},
};

/// Fills the message form, knowing what the slots took.
pub(super) fn form(
    request: &ReadRequest,
    sentences: &[Sentence<'_>],
    slots: &[SlotForm],
) -> MessageForm {
    let automatic_reply = is_automatic(request, sentences, slots);
    // What is a slot's value is not a wish or a report beside it.
    let free = |sentence: &&Sentence<'_>| {
        !slots.iter().any(|slot| {
            slot.answer == Answer::Value
                && slot.clear_value_present
                && slot.quote.contains(sentence.text)
        })
    };
    let first = |cue: &dyn Fn(&Sentence<'_>) -> bool| {
        sentences
            .iter()
            .filter(free)
            .find(|sentence| cue(sentence))
            .map_or_else(String::new, |sentence| sentence.text.to_owned())
    };
    let question = question(sentences);
    let concerned = |quote: String| {
        // A sentence is quoted for what presses most.
        if automatic_reply {
            String::new()
        } else {
            quote
        }
    };
    let refuses_contact = first(&concern::refuses_contact);
    let wants_person = first(&|s| concern::wants_person(s) && !concern::refuses_contact(s));
    let names_another = first(&|s| concern::names_another(s) && !concern::refuses_contact(s));
    let out_of_scope = first(&|s| concern::out_of_scope(s) && !s.question && !s.courtesy);
    MessageForm {
        says: says(sentences),
        automatic_reply,
        question: concerned(question),
        out_of_scope: concerned(out_of_scope),
        wants_person: concerned(wants_person),
        refuses_contact: concerned(refuses_contact),
        names_another: concerned(names_another),
        away_until: away_until(request, sentences),
        tone: tone(request, sentences),
    }
}

/// The first question, with those that follow it directly.
fn question(sentences: &[Sentence<'_>]) -> String {
    let Some(first) = sentences.iter().position(|sentence| sentence.question) else {
        return String::new();
    };
    let head = &sentences[first];
    let tail = sentences[first..]
        .iter()
        .take_while(|sentence| sentence.question && sentence.index == head.index)
        .last()
        .unwrap_or(head);
    head.of.text[head.start..tail.start + tail.text.len()].to_owned()
}

/// A program's words, by what only programs write, or an absence note that says nothing else. A
/// person who is away and still answers or asks is a person.
fn is_automatic(request: &ReadRequest, sentences: &[Sentence<'_>], slots: &[SlotForm]) -> bool {
    let answers = slots
        .iter()
        .any(|slot| slot.answer != Answer::Neither && slot.answer != Answer::Promise);
    if answers || sentences.iter().any(|sentence| sentence.question) {
        return false;
    }
    let subject = |cue: fn(&[words::Word]) -> bool| {
        request
            .words
            .last()
            .is_some_and(|words| cue(&words::words(&words.subject)))
    };
    let said = |cue: fn(&[words::Word]) -> bool| {
        subject(cue) || sentences.iter().any(|sentence| cue(&sentence.words))
    };
    said(concern::is_automatic) || said(concern::is_office_note)
}

static RETURNS: Cues = Cues::new("back, return, returning");
static UNTIL: Cues = Cues::new("until, till");

/// The last day of an absence that the words tell of.
fn away_until(request: &ReadRequest, sentences: &[Sentence<'_>]) -> String {
    sentences
        .iter()
        .rev()
        .filter(|sentence| concern::is_absence(&sentence.words) && !sentence.question)
        .find_map(|sentence| {
            let day = until::last_day(request, sentence)?;
            // `Back on Monday` is the first day after it.
            let back = RETURNS.among(&sentence.words) && !UNTIL.among(&sentence.words);
            if back {
                day.yesterday().ok()
            } else {
                Some(day)
            }
        })
        .map_or_else(String::new, |day| day.to_string())
}

fn tone(request: &ReadRequest, sentences: &[Sentence<'_>]) -> Tone {
    let holds = |phrases: &Cues| {
        sentences
            .iter()
            .any(|sentence| phrases.among(&sentence.words))
    };
    let shouts = request.words.iter().any(|words| words.text.contains("!!"));
    if shouts || holds(&ANNOYED) {
        Tone::Annoyed
    } else if holds(&HURRIED) {
        Tone::Hurried
    } else if holds(&FRIENDLY) {
        Tone::Friendly
    } else {
        Tone::Neutral
    }
}

static ANNOYED: Cues = Cues::new(
    "already told, already said, already answered, ridiculous, unacceptable, annoying, \
     annoyed, fed up, sick of, third time, how often, leave me alone, stop writing",
);

static HURRIED: Cues =
    Cues::new("asap, urgent, urgently, in a hurry, in a rush, as soon as possible");

static FRIENDLY: Cues = Cues::new(
    "thanks, thank you, many thanks, gladly, with pleasure, kind regards, best wishes, \
     happy to",
);

/// The longest sentence that is repeated as what the words say, in characters.
const LONGEST: usize = 200;

fn says(sentences: &[Sentence<'_>]) -> String {
    let told =
        |sentence: &&Sentence<'_>| !sentence.courtesy && !cues::acknowledges(&sentence.words);
    let sentence = sentences.iter().rev().find(told).or(sentences.last());
    sentence.map_or_else(String::new, |sentence| {
        sentence.text.chars().take(LONGEST).collect()
    })
}

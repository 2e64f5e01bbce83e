//! Whether free words can be the answer to a question that wants a text.
//!
//! Any words are a text, so what is taken must be about the question, or look like a bare answer to
//! it. What is refused here costs a question back; what is taken wrongly is believed.

use super::{scan::Sentence, topic::Topic};
use liaison_core::{
    form::SlotQuestion,
    value::{
        cues::Cues,
        words::{self, Word},
    },
};

/// A bare answer that has no word of its question is at most so long, in words.
const LONGEST_BARE: usize = 4;

/// A place is told in more words (`behind the house, next to the bins`).
const LONGEST_PLACE: usize = 12;

static WHERE: Cues = Cues::new("where");

/// Whether `told`, all sentences that are no courtesies, can answer `slot`.
pub(super) fn may_answer(slot: &SlotQuestion, told: &[&Sentence<'_>]) -> bool {
    let question = words::words(&slot.question);
    let all: Vec<&Word> = told.iter().flat_map(|sentence| &sentence.words).collect();
    let among = |phrases: &Cues| told.iter().any(|s| phrases.among(&s.words));
    if among(&ELSEWHERE) || among(&SMALL_TALK) {
        return false;
    }
    let figures = all
        .iter()
        .any(|word| word.text.chars().any(|c| c.is_ascii_digit()));
    let verb = all.iter().any(|word| VERBS.has(&word.text));
    let place = WHERE.among(&question) && told.first().is_some_and(|s| PLACES.begins(&s.words));
    let longest = if place { LONGEST_PLACE } else { LONGEST_BARE };
    let bare = all.len() <= longest && !verb;
    if CODES.among(&question) {
        // A code in letters can only be told from a remark when it stands alone.
        return (figures || all.len() == 1) && (bare || about(slot, told));
    }
    bare || about(slot, told)
}

fn about(slot: &SlotQuestion, told: &[&Sentence<'_>]) -> bool {
    let topic = Topic::of(slot);
    told.iter()
        .any(|sentence| topic.overlap(&sentence.words) > 0)
}

/// The answer stands somewhere else.
static ELSEWHERE: Cues = Cues::new(
    "i sent, we sent, sent you, already sent, i gave, gave you, i told, told you, i wrote, \
     wrote you, i mentioned, as before, same as, the same, as always, as usual, as discussed, \
     as agreed, my last, my letter, the letter, my email, the email, your letter, your email, \
     your files, your records, attached, attachment, enclosed, see above, see below, you know, \
     you have it",
);

/// What people say beside everything.
static SMALL_TALK: Cues = Cues::new(
    "weather, lovely, sunny, rainy, raining, snowing, weekend, holiday, holidays, vacation, \
     christmas, easter, birthday, congratulations, welcome, nice, awesome, cool, wow, funny, \
     haha, lol, terrible, awful, hope, enjoy, good luck, no problem, no worries, never mind, \
     long time, same here, me too, how nice, not now, not yet, later, soon, whatever, nothing, \
     really, seriously, what a",
);

/// Questions whose answer has figures in it.
static CODES: Cues = Cues::new(
    "code, codes, pin, number, phone, telephone, postcode, zip, password, passcode, iban, \
     combination",
);

static PLACES: Cues = Cues::new(
    "in, on, at, behind, before, beside, next, under, below, above, over, near, by, opposite, \
     across, inside, outside, between, around, along, up, down, left, right, to the, \
     in front",
);

/// Words by which a phrase becomes a statement, which may be about anything.
static VERBS: Cues = Cues::new(
    "i, we, you, he, she, they, it, am, is, are, was, were, be, been, has, have, had, do, does, \
     did, can, could, will, would, shall, should, may, might, must, need, needs, want, wants, \
     like, likes, got, get, gets, go, goes, went, come, comes, came, see, saw, say, says, said, \
     know, knows, think, thinks, call, calls, called, wait, look, looks, looked, works, worked, \
     sold, bought, lost, found, broke, stopped, happened, sounds, seems, let, please, ask, \
     check, try, send, take, leave, stop, forget, not, no",
);

//! The tables: by which words English speakers ask, promise, refuse, hesitate and correct
//! themselves. All of them are read after contractions are written out (`I'll` is `i will`).

use liaison_core::value::{
    cues::Cues,
    words::{self, Word},
};
use std::ops::Range;

/// Whether the sentence asks us something: it ends in a question mark, or a part of it begins like
/// a question, or it wants to be told something.
pub(super) fn is_question(text: &str, words: &[Word]) -> bool {
    if PLEASANTRIES.begins(words) {
        return false;
    }
    let end = text.trim_end_matches(['"', '”', '\'', '’', ')', '!', '.', ' ']);
    if end.ends_with('?') {
        return true;
    }
    if COURTEOUS_OFFERS.among(words) {
        return false;
    }
    let begins = words::clauses(text, 0..text.len())
        .into_iter()
        .any(|clause| {
            let words = words::words(&text[clause]);
            QUESTION_BEGINNINGS.begins(LEAD_IN.skip(&words))
        });
    begins || WANTS_TO_KNOW.among(words)
}

static PLEASANTRIES: Cues = Cues::new(
    "how are you, how are things, how is it going, how do you do, how have you been, hope \
     you are",
);

static COURTEOUS_OFFERS: Cues = Cues::new(
    "let me know if you need, let me know if you have, let me know if there is anything, \
     let me know if anything, let me know if i can",
);

static LEAD_IN: Cues = Cues::new("please, hi, hello, well");

static QUESTION_BEGINNINGS: Cues = Cues::new(
    "can you, can i, can we, can they, can he, can she, can the, can my, could you, could \
     i, could we, could the, would you, would it, would that, will you, will there, will \
     it, may i, may we, shall i, shall we, should i, should we, do you, do i, do we, does \
     the, does it, did you, is it, is that, is there, are you, are there, have you, has \
     the, what about, how about, what is, what are, what if, what time, what happens, \
     when can, when will, when is, when do, where is, where can, how can, how do, how \
     much, how long, who will, why do",
);

static WANTS_TO_KNOW: Cues = Cues::new(
    "i wonder, i was wondering, we were wondering, like to know, want to know, need to \
     know, let me know if, let me know whether, let me know what, let me know when, let \
     me know how, let me know where, let me know who, let us know if, let us know when, \
     let us know what, tell me what, tell me when, tell me how, tell me whether, please \
     advise, please explain",
);

/// Whether the sentence promises an answer, or asks for time to give one.
pub(super) fn is_promise(words: &[Word]) -> bool {
    if ASKS_FOR_TIME.among(words) {
        return true;
    }
    (0..words.len()).any(|at| {
        WILL.rest(&words[at..])
            .is_some_and(|rest| PROMISED.begins(ADVERBS.skip(rest)))
    })
}

static WILL: Cues = Cues::new(
    "i will, we will, i shall, we shall, i can, we can, i am going to, we are going to, i \
     should, we should, will, going to",
);

static PROMISED: Cues = Cues::new(
    "let you know, get back, come back to, come back with, send, tell you, answer, reply, \
     respond, confirm, check, ask, find out, look into, look it up, be in touch, write to \
     you, write you, write again, email you, mail you, provide, forward, know more, know \
     by, know on, decide, think about, think it over, have an answer, discuss, talk to, \
     speak to, consult, measure, count",
);

static ASKS_FOR_TIME: Cues = Cues::new(
    "let me check, let me ask, let me think, let me see, let me get back, let me look, \
     need to check, have to check, need to ask, have to ask, need to think, have to \
     think, need some time, need more time, need a few, give me until, give me a few, \
     give me some, ask me again, ask again, remind me, try again, get back to you, hear \
     from me, hear from us, will be in touch",
);

static ADVERBS: Cues = Cues::new(
    "then, also, definitely, just, try, to, probably, certainly, gladly, be, able, \
     quickly, first, need",
);

/// Whether the sentence refuses to give an answer. `I won't` alone is a no, not a refusal.
pub(super) fn is_refusal(words: &[Word]) -> bool {
    if REFUSED.among(words) {
        return true;
    }
    (0..words.len()).any(|at| {
        WILL_NOT.rest(&words[at..]).is_some_and(|rest| {
            let rest = BESIDE_TOLD.skip(rest);
            TOLD.begins(rest) && !NOT_TOLD.begins(rest)
        })
    })
}

/// Whether a refusal is one of everything that was asked, where it names nothing of it.
pub(super) fn is_about_all(words: &[Word]) -> bool {
    EVERYTHING.among(words)
}

static EVERYTHING: Cues = Cues::new(
    "any of this, any of these, any of those, any of it, any of them, any of your, any questions, \
     any question, any such, tell you anything, say anything, answer anything, all of this, \
     all of these, these questions, those questions, your questions, such questions",
);

static REFUSED: Cues = Cues::new(
    "none of your business, no comment, do not have to tell, that is private, not your \
     business",
);

static WILL_NOT: Cues = Cues::new(
    "will not, would rather not, i rather not, prefer not to, would prefer not to, do not \
     want to, do not wish to, do not intend to, am not going to, are not going to, am not \
     willing to, are not willing to, am not allowed to, would not like to, refuse to, refuse, \
     decline to, decline, not comfortable",
);

static BESIDE_TOLD: Cues = Cues::new("to, with, even, ever, simply, just");

/// Verbs of answering that mean doing something with what follows them.
static NOT_TOLD: Cues = Cues::new("give up, give in, say yes, say no, share the cost");

static TOLD: Cues = Cues::new(
    "say, tell, answer, share, disclose, give, provide, reveal, discuss, comment, send, \
     hand, respond, saying, telling, answering, sharing, disclosing, giving, providing",
);

/// Whether the sentence is unsure or undecided. Conditions are the gate's: it knows a polite `if`
/// from a real one.
pub(super) fn is_hedged(words: &[Word]) -> bool {
    HEDGES.among(words) && !COURTEOUS_OFFERS.among(words)
}

/// Whether it is, beyond the phrases that are `fine` in it.
pub(super) fn is_hedged_beyond(words: &[Word], fine: impl Fn(&str) -> bool) -> bool {
    is_hedged(words)
        && HEDGES
            .iter()
            .any(|phrase| !fine(phrase) && words::position(words, phrase).is_some())
}

static HEDGES: Cues = Cues::new(
    "maybe, perhaps, probably, possibly, i guess, we guess, i think, we think, i suppose, \
     i assume, i believe, might, may be, could be, should be, not sure, unsure, not \
     certain, uncertain, not decided, undecided, have not decided, do not know, no idea, \
     not know, depends, depending, unless, provided that, as long as, whether, or so, \
     about, around, approximately, roughly, approx, circa, ca, nearly, almost, at least, \
     at most, up to, more than, less than, either, or, hopefully, i hope, in theory, \
     tentatively, ideally, somewhere, or maybe, not \
     looked, not checked, not asked, not measured, not counted, not had time, not had a \
     chance, not got round",
);

/// Whether the sentence says that the answer is not known, or not yet.
pub(super) fn is_undecided(words: &[Word]) -> bool {
    UNDECIDED.among(words)
}

static UNDECIDED: Cues = Cues::new(
    "do not know, does not know, no idea, not sure, unsure, not decided, undecided, have \
     not decided, not made up, no clue, can not say, can not tell",
);

/// Whether the sentence is no more than `OK` or `will do`, which answers no open question.
pub(super) fn is_assent(words: &[Word]) -> bool {
    ASSENT.skip(words).is_empty()
}

static ASSENT: Cues = Cues::new(
    "ok, okay, sure, fine, will, do, noted, understood, got, it, great, perfect, good, \
     thanks, thank, you",
);

/// The last words that take something back, as a range of word indices.
pub(super) fn correction(words: &[Word]) -> Option<Range<usize>> {
    (0..words.len()).rev().find_map(|at| {
        let rest = CORRECTIONS.rest(&words[at..])?;
        // `Instead of` names what is not meant.
        let excludes = words::starts_with(&words[at..], "instead of");
        (!excludes).then(|| at..words.len() - rest.len())
    })
}

static CORRECTIONS: Cues = Cues::new(
    "actually, no wait, oh wait, wait, i meant, we meant, i mean, correction, scratch \
     that, i was wrong, i was mistaken, my mistake, my bad, changed my mind, changed our \
     mind, on second thought, on second thoughts, after all, instead, rather than that",
);

/// Words that name what is *not* meant.
pub(super) fn excludes(words: &[Word]) -> bool {
    EXCLUSIONS.among(words)
}

static EXCLUSIONS: Cues = Cues::new(
    "except, other than, but not, instead of, rather than, apart from, any day but, \
     anything but, at work, to work, not, never, neither, nor",
);

/// Words that tell of something past or usual, not of what is wanted now.
pub(super) fn is_past(words: &[Word]) -> bool {
    PAST.among(words)
}

static PAST: Cues = Cues::new(
    "last time, last year, last month, last week, yesterday, used to, previously, in the \
     past, before that, back then, usually, normally, always, once upon",
);

/// Words by which a sentence, or a question, is about something that has happened.
pub(super) fn tells(words: &[Word]) -> bool {
    TELLING.among(words)
}

static TELLING: Cues = Cues::new("was, were, had, did, took, happened, has been, have been");

/// Words that acknowledge a message, beside which a `yes` answers nothing else.
pub(super) fn acknowledges(words: &[Word]) -> bool {
    ACKNOWLEDGEMENTS.among(words)
}

static ACKNOWLEDGEMENTS: Cues = Cues::new(
    "received your, got your, read your, seen your, saw your, for your message, for your \
     email, for your mail, for the message, for the email, for the reminder, for \
     reminding, got it, received it, understood, noted",
);

/// Whether the sentence is greeting, thanks, goodbye or a bare name.
pub(super) fn is_courtesy(words: &[Word]) -> bool {
    let greeting =
        words.len() <= 5 && GREETINGS.begins(words) && !ANSWERS_A_GREETING_HOLDS.among(words);
    let closing =
        words.len() <= 6 && CLOSINGS.begins(words) && !ANSWERS_A_CLOSING_HOLDS.among(words);
    greeting || closing || PLEASANTRIES.begins(words)
}

static ANSWERS_A_GREETING_HOLDS: Cues = Cues::new("yes, no, please");

static GREETINGS: Cues = Cues::new("hi, hello, hey, dear, morning, greetings");

static ANSWERS_A_CLOSING_HOLDS: Cues = Cues::new("yes, no, but");

static CLOSINGS: Cues = Cues::new(
    "thanks, thank you, many thanks, thx, cheers, regards, best regards, kind regards, \
     warm regards, best wishes, best, all the best, sincerely, yours sincerely, yours \
     faithfully, yours truly, bye, take care, good morning, good afternoon, good evening, \
     have a nice, have a good, have a great, talk soon, sent from",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn every(sentences: &[&str], cue: impl Fn(&str, &[Word]) -> bool, expected: bool) {
        for text in sentences {
            assert_eq!(cue(text, &words::words(text)), expected, "{text}");
        }
    }

    #[test]
    fn questions_are_told_from_statements() {
        every(
            &[
                "Can I pass by the office to grab the keys?",
                "Is Tuesday ok?\"",
                "Before I decide, what is the price",
                "Please let me know what it costs.",
                "I was wondering who pays for it.",
                "Could you send me the form.",
            ],
            is_question,
            true,
        );
        every(
            &[
                "Please arrange it for me.",
                "How are you?",
                "Let me know if you need anything else.",
                "When the tenant is back I will do it.",
                "We can do it on Tuesday.",
            ],
            is_question,
            false,
        );
    }

    #[test]
    fn promises_are_told_from_answers() {
        every(
            &[
                "I'll let you know by Friday.",
                "I will definitely get back to you.",
                "We'll send the certificate tomorrow",
                "Let me check with my wife first.",
                "Please ask me again next week.",
            ],
            |_, words| is_promise(words),
            true,
        );
        every(
            &[
                "I'll arrange it myself.",
                "I will be there on Tuesday.",
                "You can send somebody.",
                "Please arrange it.",
            ],
            |_, words| is_promise(words),
            false,
        );
    }

    #[test]
    fn refusals_are_told_from_a_no() {
        every(
            &[
                "I'd rather not say.",
                "I won't tell you that.",
                "That's none of your business.",
                "I prefer not to answer this.",
                "I refuse to say.",
                "We decline to comment.",
            ],
            |_, words| is_refusal(words),
            true,
        );
        every(
            &[
                "I won't.",
                "No.",
                "He will not be able to attend.",
                "I refuse to do it myself.",
                "I refuse to let you arrange it.",
                "I decline to have you arrange it.",
            ],
            |_, words| is_refusal(words),
            false,
        );
    }

    #[test]
    fn courtesies_hold_no_answer() {
        every(
            &["Hi John,", "Thanks a lot!", "Kind regards", "How are you?"],
            |_, words| is_courtesy(words),
            true,
        );
        every(
            &["Thanks but no", "Hi, yes please", "Please do", "42"],
            |_, words| is_courtesy(words),
            false,
        );
    }
}

//! What speaks against taking a value from a sentence, whatever a model says of it.
//!
//! The tables are lists of words as [`words::words`] cuts them: lower-case, contractions written
//! out. They are meant to be too long rather than too short: a veto costs one more question, a wrong
//! value costs the person who trusted it.

mod portions;

use crate::value::{
    cues::Cues,
    words::{self, Word},
};
use std::ops::Range;

/// Whether a sentence asks something. A polite tail (`Is that OK?`) asks too: somebody expects an
/// answer to it.
pub(super) fn is_question(sentence: &str) -> bool {
    let closed = sentence.trim_end_matches(['"', '”', '\'', '’', ')', '!', '.', ' ']);
    if closed.ends_with('?') {
        return true;
    }
    let words = words::words(sentence);
    let lead = words
        .iter()
        .position(|word| !LEAD_IN.has(&word.text))
        .unwrap_or(0);
    let word = |at: usize| words.get(lead + at).map_or("", |word| word.text.as_str());
    let inverted = AUXILIARIES.has(word(0)) && SUBJECTS.has(word(1));
    // `Do it yourself`, `have it arranged` and `have you arrange it` begin so without asking.
    let asks = inverted
        && !matches!(
            (word(0), word(1)),
            ("do", "it" | "this" | "that") | ("have", "you" | "it" | "this" | "that")
        );
    asks || (matches!(
        word(0),
        "what" | "where" | "who" | "why" | "how" | "which" | "when"
    ) && (AUXILIARIES.has(word(1))
        || matches!(word(1), "about" | "much" | "many" | "long")))
}

static LEAD_IN: Cues = Cues::new(
    "and, but, so, also, then, hi, hello, dear, ok, okay, well, please, by, the, way, thanks",
);
static AUXILIARIES: Cues = Cues::new(
    "can, could, may, might, shall, should, would, will, do, does, did, is, are, was, were,
     have, has, am, must, had",
);
static SUBJECTS: Cues = Cues::new(
    "i, you, we, he, she, they, it, this, that, there, anyone, anybody, someone, somebody",
);

/// Words addressed to the software instead of to a person. They taint the whole text.
pub(super) fn addresses_software(text: &str) -> bool {
    let words = words::words(text);
    // Nobody answers a person in braces, tags or escaped quotation marks.
    let markup = ["{", "}", "</", "/>", "<|", "\":", "[INST", "```"];
    TO_SOFTWARE.among(&words) || markup.iter().any(|mark| text.contains(mark))
}

static TO_SOFTWARE: Cues = Cues::new(
    "ignore previous, ignore all, ignore any, ignore your, ignore the previous,
     ignore the above, ignore these, disregard previous, disregard all, disregard any,
     disregard your, disregard the, forget previous, forget all, forget your,
     previous instructions, system prompt, system message, json, as an ai, an ai,
     language model, chatgpt, gpt, llm, chatbot, note to the assistant, dear assistant,
     ai assistant, set the value, set value, set every, set all, set the slot,
     set the field, clear value present, explicit correction, would be guessing, mark it as,
     mark this as, answer value",
);

/// A promise to answer later is not the answer.
pub(super) fn promises(words: &[Word]) -> bool {
    PROMISES.among(words)
}

static PROMISES: Cues = Cues::new(
    "let you know, get back to you, come back to you, revert to you, revert back,
     will check, will have to check, need to check, have to check, must check, let me check,
     let me ask, let me see, let me think, will confirm, to confirm, will ask, need to ask,
     have to ask, will tell, will send, will forward, will email, will mail, will write,
     will reply, will answer, will respond, will decide, will think, will see, will look,
     will find out, will try, will call you, will update, will inform, will advise,
     will discuss, will talk, need to think, have to think, need to discuss, need to talk,
     need to speak, need to find out, need some time, need more time, as soon as i know,
     once i know, when i know, waiting for, waiting to hear, still waiting, to be confirmed,
     tbc, tbd, going to ask, going to check, check with",
);

/// Words that take back half of what they say.
pub(super) fn hedges(words: &[Word]) -> bool {
    HEDGES.among(words)
}

static HEDGES: Cues = Cues::new(
    "i think, we think, i guess, i suppose, i believe, i assume, i imagine, i reckon,
     i expect, i hope, i presume, i suspect, maybe, perhaps, probably, possibly, presumably,
     hopefully, likely, unlikely, might, may be, could be, should be, must be,
     would be about, seems, seem, apparently, supposedly, tentatively, provisionally,
     in theory, in principle, more or less, roughly, approximately, approx, or so, ish,
     give or take, as far as i know, afaik, if i remember, from memory, not certain,
     a guess, leaning, i wish, we wish, wish i could, wish we could, if only, far be it,
     was hoping, were hoping, hoped to, dream of, hypothetically, supposing, in an ideal world",
);

/// What hangs on something else is not settled.
pub(super) fn is_conditional(words: &[Word]) -> bool {
    let conditional = words.iter().enumerate().any(|(at, word)| {
        word.text == "if"
            && !words::starts_with(&words[at..], "if possible")
            && !words::starts_with(&words[at..], "if you could")
            && !words::starts_with(&words[at..], "if you do not mind")
            && !words::starts_with(&words[at..], "if you would")
            && !at
                .checked_sub(1)
                .and_then(|before| words[..=before].iter().rev().find(|word| word.text != "it"))
                .is_some_and(|before| {
                    matches!(
                        before.text.as_str(),
                        "prefer"
                            | "better"
                            | "great"
                            | "good"
                            | "nice"
                            | "best"
                            | "appreciate"
                            | "like"
                            | "rather"
                            | "happy"
                            | "easier"
                            | "grateful"
                    )
                })
    });
    conditional || CONDITIONS.among(words)
}

static CONDITIONS: Cues = Cues::new(
    "but only, only on, only after, only until, only when, unless, depends, depending, dependent on, as long as, provided that, provided you,
     provided the, assuming, in case, subject to, on condition, otherwise",
);

/// What was intended once, or is not decided yet.
pub(super) fn is_undecided(words: &[Word]) -> bool {
    UNDECIDED.among(words)
}

static UNDECIDED: Cues = Cues::new(
    "was going to, were going to, was planning, were planning, was thinking, were thinking,
     had planned, had intended, was supposed to, was meant to, used to, originally,
     initially, at first, wanted to, thought about, thinking about, thinking of, considered,
     considering, would have, could have, should have, last time, last year, previous,
     previously, in the past, back then, not decided, not yet decided, not made up,
     yet to decide, undecided, can not decide, could not decide, not sure, unsure, not know,
     no idea, not a clue, hard to say, difficult to say, either, whichever, whatever,
     no preference, not mind which, not care, up to you, you decide, you choose,
     your choice, whether, wondering, wonder, torn between, still deciding, still thinking,
     decide later, open to, not settled, not final, not fixed, not confirmed",
);

/// What others said, or what we are said to have said.
pub(super) fn reports(words: &[Word]) -> bool {
    REPORTS.among(words)
}

static REPORTS: Cues = Cues::new(
    "your letter of, your email of, your mail of, your message of, you said, you told, you wrote, you mentioned, you promised, you asked, you suggested,
     you offered, your email says, he said, she said, they said, he says, she says,
     they say, he thinks, she thinks, they think, he told, she told, they told, told me,
     according to, i heard, i read that, asked me to",
);

/// Whether an earlier answer is put right.
pub(super) fn corrects(words: &[Word]) -> bool {
    correction_at(words).is_some()
}

/// Where words that put something right begin.
pub(super) fn correction_at(words: &[Word]) -> Option<usize> {
    let first = [&CORRECTIONS, &RETRACTIONS]
        .into_iter()
        .filter_map(|cues| cues.first(words))
        .min()?;
    words.get(first).map(|word| word.span.start)
}

static CORRECTIONS: Cues = Cues::new(
    "no wait, wait, actually, instead, correction, i meant, i mean, we meant, meant to say,
     my mistake, my error, a mistake, mistaken, was wrong, were wrong, is wrong, wrong date,
     wrong number, typo, after all, make that, to correct, correct my, corrected,
     has changed, have changed, changed to, change of plan, changes to, no longer, moved to,
     postponed, rescheduled, not the, new date, i misspoke",
);

/// Whether the words can only be there to put right what was said before, whatever they say instead.
pub(super) fn puts_right(words: &[Word]) -> bool {
    PUT_RIGHT.among(words)
}

static PUT_RIGHT: Cues = Cues::new(
    "i meant, we meant, meant to say, correction, to correct, correct my, my mistake, i misspoke",
);

/// Whether what was said before is taken back.
pub(super) fn retracts(words: &[Word]) -> bool {
    RETRACTIONS.among(words)
}

static RETRACTIONS: Cues = Cues::new(
    "scrap that, forget that, forget it, forget what i, ignore that, ignore my,
     ignore what i, changed my mind, change my mind, changing my mind, on second thought,
     on second thoughts, never mind, nevermind, disregard my, cancel that, take that back,
     take it back, hold on, hang on",
);

/// Whether `not` stands beside the value at `span` of `sentence` (both places in `text`). In
/// another clause it is harmless when the person speaks of their own means (`I can't do it`), and
/// always when `beside` asks for the value's own clause only.
pub(super) fn negates(
    text: &str,
    sentence: &Range<usize>,
    span: &Range<usize>,
    beside: Beside,
) -> bool {
    words::clauses(text, sentence.clone())
        .into_iter()
        .any(|clause| {
            let words = words::words(&text[clause.clone()]);
            let own = super::passage::meet(&clause, span);
            if own && (is_unable(&words) || is_supposed(text, sentence, &words)) {
                return true;
            }
            let mut places = (0..words.len()).filter(|at| DENIALS.starts(&words[*at..]).is_some());
            places.any(|at| {
                // `If you don't mind` and `not a problem` deny nothing.
                let mild = MILD.starts(&words[at..]).is_some();
                if mild {
                    return false;
                }
                if own {
                    return true;
                }
                match beside {
                    Beside::Clause => false,
                    Beside::Sentence => true,
                    Beside::Means => !speaks_of_own_means(&words, at),
                }
            })
        })
}

static DENIALS: Cues = Cues::new(
    "not, never, without, except, neither, nor, instead of, rather than, other than,
     anything but, anyone but, anybody but, is out, impossible",
);

/// Whether a clause says that what it names is beyond the person, or against their will. In another
/// clause it is the reason for what was chosen (`I have no time, please arrange it`).
fn is_unable(words: &[Word]) -> bool {
    let too = words.iter().enumerate().any(|(at, word)| {
        let meant = words
            .get(at + 1)
            .is_some_and(|next| !WILLING.has(&next.text));
        word.text == "too" && meant && words[at + 1..].iter().any(|word| word.text == "to")
    });
    too || UNABLE.among(words)
}

static UNABLE: Cues = Cues::new(
    "unable, incapable, inability, incapacitated, powerless, no time, no way, no chance, no means,
     no energy, no strength, no intention, no desire, no wish, no plan, no plans, no need,
     no reason, no possibility, no opportunity, no capacity, no interest, hardly, barely,
     scarcely, rarely, seldom, little time, little chance, lack, lacks, lacking, lacked,
     lack of, fail, fails, failed, failing, failure, forgot, forget to, struggle, struggling,
     struggled, difficult, hard, impossible, impractical, infeasible, unfeasible, unrealistic,
     unwilling, reluctant, hesitant, refuse, refuses, refused, refusing, decline, declines,
     declined, declining, deny, hate, hates, dislike, loath, avoid, avoiding, oppose, opposed,
     against, object to, stop, prevented, prevents, prevent, forbid, forbidden, prohibited,
     afraid to, scared to, last thing, least of all, nobody, no one, none, nothing, anything but,
     tried, tried to, attempted, stopped, gave up, give up, giving up, beyond me, far from,
     out of the question, no longer able, too much",
);

static WILLING: Cues =
    Cues::new("would, will, want, wish, prefer, like, can, am, are, have, plan, intend, rather");

/// Whether a clause only supposes what it names: `I could do it myself` says what is possible, and
/// `I would do it myself, but I am abroad` what will not be. A preference is none of these.
fn is_supposed(text: &str, sentence: &Range<usize>, clause: &[Word]) -> bool {
    if COULD.among(clause) {
        return clause.iter().any(|word| OWN_DOING.has(&word.text));
    }
    let would = clause.iter().enumerate().any(|(at, word)| {
        word.text == "would"
            && at > 0
            && matches!(clause[at - 1].text.as_str(), "i" | "we")
            && PREFERRING
                .starts(without_adverbs(&clause[at + 1..]))
                .is_none()
    });
    let after = words::words(&text[sentence.end..]);
    would && (BUT.among(&words::words(&text[sentence.clone()])) || BUT.starts(&after).is_some())
}

fn without_adverbs(words: &[Word]) -> &[Word] {
    let skipped = words
        .iter()
        .take_while(|word| ADVERBS.has(&word.text))
        .count();
    &words[skipped..]
}

static COULD: Cues = Cues::new(
    "i could, we could, i might, we might, i should, we should, i ought, we ought, could i,
     could we, i used to, i may, we may",
);
static OWN_DOING: Cues = Cues::new("myself, ourselves");
static ADVERBS: Cues =
    Cues::new("really, very, much, definitely, certainly, always, actually, just");
static PREFERRING: Cues = Cues::new(
    "prefer, like, rather, love, appreciate, be happy, be glad, be pleased, be grateful, choose,
     opt, go for, want, welcome, suggest, ask you",
);
static BUT: Cues = Cues::new(
    "but, however, though, although, only, except, yet, alas, unfortunately, sadly, regrettably,
     were i, had i, sorry",
);

static MILD: Cues = Cues::new("not mind, not a problem, not hesitate, not worry, not only");

/// How far from a value `not` counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// In its clause.
    Clause,
    /// In its sentence, unless the person speaks of their own means.
    Means,
    /// In its sentence.
    Sentence,
}

/// `I can't come`, `we don't have time`: it says why, and denies nothing that was chosen.
fn speaks_of_own_means(words: &[Word], not: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let first_person = not >= 2 && matches!(word(not - 2), "i" | "we");
    let means = not >= 1
        && matches!(
            word(not - 1),
            "can" | "could" | "do" | "am" | "are" | "have" | "will"
        );
    let wish = matches!(
        word(not + 1),
        "" | "want"
            | "like"
            | "prefer"
            | "trust"
            | "agree"
            | "accept"
            | "think"
            | "wish"
            | "believe"
            | "mean"
            | "need"
    );
    first_person && means && !wish
}

/// Whether the words before or after the value at `span` of `text` make it a bound or an estimate;
/// those that are `asked` for do not.
pub(super) fn is_approximate(
    text: &str,
    span: &Range<usize>,
    asked: impl Fn(&str) -> bool,
) -> bool {
    let sign = text[..span.start]
        .trim_end()
        .ends_with(['~', '<', '>', '≈', '±']);
    let before = words::words(&text[..span.start]);
    let after = words::words(&text[span.end..]);
    let unasked = |cue: &&str| !asked(cue);
    sign || BOUNDS
        .iter()
        .filter(unasked)
        .any(|cue| words::ends_with(&before, cue))
        || portions::is_part(&before, &after)
        || portions::is_rate(&words::words(text))
        || (0..=1).any(|skipped| {
            after.get(skipped..).is_some_and(|after| {
                TRAILING_BOUNDS
                    .iter()
                    .filter(unasked)
                    .any(|cue| words::starts_with(after, cue))
            })
        })
}

static BOUNDS: Cues = Cues::new(
    "about, around, approximately, approx, roughly, circa, ca, nearly, almost, over, under,
     above, below, at least, at most, at minimum, up to, more than, less than, fewer than,
     greater than, no later than, not before, between, from, before, after, until, till,
     since, minimum, maximum, max, min, about the, around the",
);

static TRAILING_BOUNDS: Cues = Cues::new(
    "or so, or more, or less, at least, at most, plus, ish, or thereabouts, maximum, minimum",
);

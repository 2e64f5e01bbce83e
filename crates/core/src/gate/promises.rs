//! Answers that are none: promises and refusals.

use super::{Verdict, passage::Passage, vetoes};
use crate::{
    form::{ReadRequest, SlotForm},
    value::{
        cues::Cues,
        date,
        words::{self, Word},
    },
};
use jiff::civil;

/// A promise for later than this many days is no reason to stop asking: by then the need has mostly
/// ended, and a slip of the pen in the year must not silence a conversation.
const LONGEST_PROMISE: i64 = 90;

/// Judges a claim that the words promise an answer.
pub(super) fn promise(
    request: &ReadRequest,
    form: &SlotForm,
    quoted: Option<&Passage<'_>>,
) -> Verdict {
    let Some(quoted) = quoted else {
        return refused("a promise is claimed whose quote does not stand in the words");
    };
    let Some(claimed) = date::day(form.promised_date.trim()) else {
        return refused("a promise is claimed without a day");
    };
    let sentences = quoted.sentences();
    let promises = sentences
        .iter()
        .any(|sentence| is_promise(&quoted.text[sentence.clone()]));
    if !promises {
        return refused("a promise is claimed, and the words promise nothing");
    }
    if vetoes::addresses_software(quoted.text) {
        return refused("the words are addressed to the software");
    }
    let context = request.context(quoted.words);
    // The day may stand in a sentence of its own: `I'll let you know. By Friday at the latest.`
    let named = date::mentions(quoted.text, &context)
        .into_iter()
        .any(|mention| mention.until == Some(claimed) || mention.days == [claimed]);
    if !named {
        return refused("a promise is claimed for a day that the words do not name");
    }
    match days_between(context.written_at.date(), claimed) {
        Some(0..=LONGEST_PROMISE) => Verdict::Promised {
            until: claimed,
            quote: quoted.quote(),
        },
        Some(..0) => refused("a promise is claimed for a day that is over"),
        _ => refused("a promise is claimed for a day too far off"),
    }
}

/// Judges a claim that the words refuse an answer.
pub(super) fn refusal(quoted: Option<&Passage<'_>>) -> Verdict {
    let Some(quoted) = quoted else {
        return refused("a refusal is claimed whose quote does not stand in the words");
    };
    let sentences: Vec<&str> = quoted
        .sentences()
        .into_iter()
        .map(|sentence| &quoted.text[sentence])
        .collect();
    let clear = sentences.iter().any(|sentence| {
        let words = words::words(sentence);
        refuses(&words)
            && !vetoes::is_question(sentence)
            && !vetoes::hedges(&words)
            && !vetoes::promises(&words)
            && !vetoes::is_conditional(&words)
    });
    if vetoes::addresses_software(quoted.text) {
        return refused("the words are addressed to the software");
    }
    if clear {
        return Verdict::Declined {
            quote: quoted.quote(),
        };
    }
    Verdict::Unclear {
        candidates: Vec::new(),
        quote: quoted.quote(),
        why: "a refusal is claimed, and the words do not clearly refuse".to_owned(),
    }
}

fn refused(why: &str) -> Verdict {
    Verdict::Refused {
        why: why.to_owned(),
    }
}

fn is_promise(sentence: &str) -> bool {
    let words = words::words(sentence);
    !vetoes::is_question(sentence)
        && (vetoes::promises(&words) || WILL.among(&words))
        && !WILL_NOT.among(&words)
}

fn days_between(from: civil::Date, to: civil::Date) -> Option<i64> {
    from.until(to).ok().map(|span| i64::from(span.get_days()))
}

/// Whether a sentence refuses to answer. Refusing to do something is a preference, or about
/// something else: only what is refused *to be said* ends the asking.
fn refuses(words: &[Word]) -> bool {
    REFUSALS.among(words)
        || (0..words.len()).any(|at| {
            let Some(length) = UNWILLING.starts(&words[at..]) else {
                return false;
            };
            let rest = &words[at + length..];
            let skipped = rest
                .iter()
                .take_while(|word| BESIDE.has(&word.text))
                .count();
            ANSWERING.starts(&rest[skipped..]).is_some()
                && NO_ANSWERING.starts(&rest[skipped..]).is_none()
        })
}

/// Refusals that name what is refused by themselves.
static REFUSALS: Cues = Cues::new(
    "do not have to tell, none of your business, no comment, not your business, not disclose",
);

/// Unwillingness, before what it is about.
static UNWILLING: Cues = Cues::new(
    "rather not, prefer not, not going, will not, do not want, do not wish, do not intend,
     do not care, refuse, refusing, decline, declining, not willing, unwilling, not comfortable,
     uncomfortable, not at liberty, not allowed",
);

static BESIDE: Cues =
    Cues::new("to, with, in, about, ever, even, simply, just, be, publicly, openly");

static ANSWERING: Cues = Cues::new(
    "say, saying, tell, telling, answer, answering, give, giving, share, sharing, provide,
     providing, disclose, disclosing, comment, commenting, reveal, revealing, respond, responding",
);

/// Answering verbs that mean something else with what follows them.
static NO_ANSWERING: Cues = Cues::new(
    "give up, give in, give way, give it to, giving up, giving in, give you the job, give access,
     give you access, give permission, give you permission, give consent, provide access,
     provide you access, say yes, say no, saying yes, saying no, share the cost, share the costs,
     tell the tenant, tell him, tell her, tell them, give him, give her, give them",
);

static WILL: Cues =
    Cues::new("i will, we will, you will have, you will get, you will hear, i shall");
static WILL_NOT: Cues = Cues::new("will not, can not, shall not");

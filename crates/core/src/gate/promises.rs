//! Answers that are none: promises and refusals.

use super::{Verdict, passage::Passage, vetoes};
use crate::{
    form::{ReadRequest, SlotForm},
    value::{cues::Cues, date, words},
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
        REFUSALS.among(&words)
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

const REFUSALS: Cues = Cues(
    "rather not, prefer not to, not going to tell, not going to say, not going to answer,
     not going to give, not going to provide, not going to share, will not say,
     will not tell, will not answer, will not give, will not provide, will not share,
     will not disclose, do not want to say, do not want to tell, do not want to answer,
     do not want to give, do not want to share, do not wish to, do not have to tell,
     refuse to, i refuse, i decline, we decline, decline to, none of your business,
     no comment, not your business, not willing to, can not disclose, not comfortable,
     not at liberty",
);

const WILL: Cues = Cues("i will, we will, you will have, you will get, you will hear, i shall");
const WILL_NOT: Cues = Cues("will not, can not, shall not");

//! Words that say whether a value was understood. They are judged as the answer to a yes-or-no
//! question; what is here keeps a yes that brings another value from confirming the first.

use super::{Quote, Verdict, values::Judged};
use crate::{
    form::{Confirming, ReadRequest},
    value::{Kind, Value, cues::Cues, words},
};

/// Holds a verdict on such words against the value that was understood.
pub(super) fn hold<'r>(
    request: &ReadRequest,
    confirming: &Confirming,
    judged: Judged<'r>,
) -> Judged<'r> {
    // A no costs another question at most; a yes is believed.
    let Verdict::Accepted {
        value: Value::Boolean(true),
        quote,
        ..
    } = &judged.verdict
    else {
        return judged;
    };
    let why = match confirming.kind {
        Kind::Boolean(_) if !is_bare(&quote.text) => {
            "the words may answer the question itself, and not whether the answer was understood"
        }
        Kind::Boolean(_) => return judged,
        _ if names_another(request, confirming, quote) => {
            "the words name another value than the one that was understood"
        }
        _ => return judged,
    };
    Judged {
        verdict: Verdict::Unclear {
            candidates: Vec::new(),
            quote: quote.clone(),
            why: why.to_owned(),
        },
        evidence: None,
    }
}

/// Whether the words hold a value of the slot's kind that is not the one to confirm.
fn names_another(request: &ReadRequest, confirming: &Confirming, quote: &Quote) -> bool {
    let rules = confirming.kind.rules();
    if matches!(confirming.kind, Kind::Text(_) | Kind::File(_)) {
        return false;
    }
    let context = request.context(quote.words);
    let found = match request.words.get(quote.words) {
        // Of a few options any other one counts, wherever it stands.
        Some(words) if rules.is_closed() => rules.find(&words.text, &context),
        _ => rules.find(&quote.text, &context),
    };
    found.iter().any(|found| found.value != confirming.value)
}

/// Whether words say yes or no, and nothing else.
fn is_bare(text: &str) -> bool {
    words::words(text).iter().all(|word| BARE.has(&word.text))
}

static BARE: Cues = Cues::new(
    "yes, yep, yeah, yup, no, nope, not, this, that, it, is, was, so, right, correct, incorrect,
     wrong, exactly, indeed, true, false, confirmed, confirm, i, we, you, understood, me, absolutely,
     definitely, certainly, sure, fine, ok, okay, perfect, thanks, thank, please, sorry, quite, all,
     hi, hello, well",
);

//! Words that want something else of us than to be taken as an answer.

use super::scan::Sentence;
use liaison_core::value::{
    cues::Cues,
    words::{self, Word},
};

/// Whether a sentence asks for a person or a call.
pub(super) fn wants_person(sentence: &Sentence<'_>) -> bool {
    PERSON.among(&sentence.words) && !NOT_NEEDED.among(&sentence.words)
}

static NOT_NEEDED: Cues = Cues::new("do not, no need, not necessary");

static PERSON: Cues = Cues::new(
    "talk to someone, talk to somebody, talk to a person, talk to a human, talk to an \
     agent, talk to a real, talk with someone, talk with somebody, speak to someone, \
     speak to somebody, speak to a person, speak to a human, speak to an agent, speak to \
     a real, speak to your manager, speak to the manager, speak with someone, speak with \
     somebody, speak with a person, speak with a human, speak with your, speak to you, \
     speak with you, talk to you in person, a real person, a human being, call me, give \
     me a call, give us a call, phone me, ring me, call us, call me back, someone call, \
     somebody call, someone can call, rather talk, talk on the phone",
);

/// Whether a sentence refuses all contact. With a limit (`not before Monday`) it does not.
pub(super) fn refuses_contact(sentence: &Sentence<'_>) -> bool {
    let words = &sentence.words;
    let alone = STOP.rest(words).is_some_and(<[Word]>::is_empty);
    alone || (NO_CONTACT.among(words) && !LIMITS.among(words))
}

static STOP: Cues = Cues::new("stop, please stop, stop please");

static NO_CONTACT: Cues = Cues::new(
    "stop writing, stop emailing, stop mailing, stop contacting, stop sending, stop \
     messaging, stop bothering, stop these, stop this, stop spamming, unsubscribe, leave \
     me alone, leave us alone, remove me, remove us, remove my address, take me off, do \
     not contact me, do not contact us, do not write me, do not write to me, do not write \
     us, do not write to us, do not email me, do not email us, do not mail me, do not \
     message me, not contact me again, not write to me again, never contact me, never \
     write to me, no more emails, no more mails, no more messages, not want any more \
     emails, cease contact",
);

static LIMITS: Cues =
    Cues::new("until, before, after, by phone, on weekends, at weekends, at work, during");

/// Whether a sentence names somebody else to talk to.
pub(super) fn names_another(sentence: &Sentence<'_>) -> bool {
    let words = &sentence.words;
    if NOT_ME.among(words) {
        return true;
    }
    let told = words::clauses(sentence.text, 0..sentence.text.len())
        .into_iter()
        .any(|clause| {
            let words = words::words(&sentence.text[clause]);
            let whom = TURN_TO.rest(LEAD.skip(&words)).and_then(<[Word]>::first);
            whom.is_some_and(|word| !NOBODY_ELSE.has(&word.text))
        });
    told || (holds_address(sentence.text) && TURN_TO_ADDRESS.among(words))
}

static LEAD: Cues = Cues::new(
    "please, you, can, could, should, may, must, better, just, kindly, need, to, will, \
     have, best, instead, would",
);

static TURN_TO: Cues = Cues::new(
    "ask, contact, get in touch with, talk to, talk with, speak to, speak with, turn to, \
     write to, email, call, reach out to, refer to, direct this to, forward this to, send \
     this to, check with",
);

static NOBODY_ELSE: Cues = Cues::new(
    "me, us, you, for, if, about, when, again, that, it, or, and, please, is, works, suits",
);

static TURN_TO_ADDRESS: Cues = Cues::new("contact, ask, write, email, reach, use, copy, forward");

static NOT_ME: Cues = Cues::new(
    "wrong person, wrong address, wrong email, wrong number, not the right person, no \
     longer the owner, not the owner, no longer own, no longer work, do not own, do not \
     work there, is responsible for this, is in charge of this, is handling this, handles \
     this, handles these, takes care of this, is your contact, is the right person, is \
     the person to, new contact, new owner, who is responsible, looks after this",
);

/// Whether a text holds something that looks like an email address.
fn holds_address(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ',' | ';'))
        .any(|token| {
            token
                .trim_end_matches('.')
                .split_once('@')
                .is_some_and(|(local, domain)| {
                    !local.is_empty() && domain.contains('.') && !domain.starts_with('.')
                })
        })
}

/// Whether a sentence reports or demands something that somebody must see to. Only plain cases:
/// whatever else a message holds is there for an operator to read.
pub(super) fn out_of_scope(sentence: &Sentence<'_>) -> bool {
    MATTERS.among(&sentence.words)
}

static MATTERS: Cues = Cues::new(
    "complaint, complain, emergency, leak, leaking, leaks, flooded, flooding, under \
     water, water damage, is broken, are broken, broke down, broken down, not working, \
     out of order, no hot water, no heating, no electricity, no power, smell of gas, \
     smells of gas, mould, burglary, broken into, want to report, like to report, have to \
     report, want to cancel, like to cancel, want to terminate, like to terminate, give \
     notice, my lawyer, our lawyer, legal action, a refund, overcharged, on another note, \
     another matter, another issue, different matter, unrelated, accident",
);

/// Whether a sentence says that its writer is away.
pub(super) fn is_absence(words: &[Word]) -> bool {
    ABSENCE.among(words)
}

static ABSENCE: Cues = Cues::new(
    "out of office, out of the office, i am away, i will be away, we are away, currently \
     away, am on leave, on annual leave, on parental leave, on maternity leave, on sick \
     leave, on vacation, on holiday, on holidays, am travelling, am traveling, be back \
     on, am back on, back in the office, return to the office, returning on, office is \
     closed",
);

/// Whether a sentence says that its writer is out of the office, as absence notes do.
pub(super) fn is_office_note(words: &[Word]) -> bool {
    OFFICE_NOTE.among(words)
}

static OFFICE_NOTE: Cues = Cues::new("out of office, out of the office, office is closed");

/// Whether a sentence can only be a program's.
pub(super) fn is_automatic(words: &[Word]) -> bool {
    AUTOMATIC.among(words)
}

static AUTOMATIC: Cues = Cues::new(
    "automatic reply, automatic response, automated reply, automated response, automated \
     message, automatically generated, auto reply, autoreply, auto response, limited \
     access to email, limited access to my email, limited access to emails, no access to \
     my email, mailbox is not monitored, inbox is not monitored, do not reply to this, \
     upon my return",
);

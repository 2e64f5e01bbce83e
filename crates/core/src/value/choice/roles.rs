//! Options that differ in who does the thing: `arrange it yourself` or `have us arrange it`.
//!
//! People rarely repeat such a label. They answer from their own side: `I'll do it myself`,
//! `please arrange it for me`, `you can handle it`.

use super::{Candidate, Choice, Value};
use crate::value::{
    cues::Cues,
    words::{self, Word},
};
use std::ops::Range;

/// The options that `text` chooses by saying who is to do it.
pub(super) fn find(choice: &Choice, text: &str) -> Vec<Candidate> {
    let Some(roles) = Roles::of(choice) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for sentence in words::sentences(text) {
        let mut bare = true;
        for clause in words::clauses(text, sentence) {
            let words = words::words(&text[clause.clone()]);
            if words.len() > words::LONGEST_CLAUSE {
                bare = false;
                continue;
            }
            if let Some((part, who)) = roles.who(&words, bare) {
                let option = match who {
                    Who::Stakeholder => &roles.stakeholder,
                    Who::Us => &roles.us,
                };
                if let (Some(option), Some(part)) = (option, words.get(part)) {
                    let start = part.first().map_or(0, |word| word.span.start);
                    let end = part.last().map_or(0, |word| word.span.end);
                    found.push(Candidate {
                        span: clause.start + start..clause.start + end,
                        value: Value::Choice(option.clone()),
                    });
                }
            }
            bare &= words.iter().all(|word| leads(&word.text));
        }
    }
    found
}

/// The clauses that tell somebody to do the task themselves. From the stakeholder that is us, and
/// in an echo of our own words it is the stakeholder: what it means cannot be known.
pub(super) fn thrown_back(choice: &Choice, text: &str) -> Vec<Range<usize>> {
    let Some(roles) = Roles::of(choice) else {
        return Vec::new();
    };
    words::sentences(text)
        .into_iter()
        .flat_map(|sentence| words::clauses(text, sentence))
        .filter(|clause| {
            let words = words::words(&text[clause.clone()]);
            let yourself = |word: &Word| matches!(word.text.as_str(), "yourself" | "yourselves");
            words.len() <= words::LONGEST_CLAUSE
                && words.iter().any(yourself)
                && (0..words.len()).any(|verb| roles.task(&words, verb).is_some())
        })
        .collect()
}

/// Whether a word of a label says nothing about what the option is.
pub(super) fn is_hollow(word: &str) -> bool {
    HOLLOW.has(word)
}

static HOLLOW: Cues = Cues::new(
    "a, an, the, it, this, that, for, to, of, on, in, at, by, with, and, or, be, is, are,
     do, have, has, let, get, leave, will, would, can, could, should, please, you, your,
     yours, yourself, yourselves, us, we, our, ours, ourselves, i, me, my, up, from",
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Stakeholder,
    Us,
}

/// Which option is whose to do, and what is to be done.
struct Roles {
    stakeholder: Option<String>,
    us: Option<String>,
    verbs: Vec<String>,
    nouns: Vec<String>,
}

impl Roles {
    /// None when no label, or more than one, speaks of us or of the stakeholder's own doing.
    fn of(choice: &Choice) -> Option<Self> {
        let mut roles = Self {
            stakeholder: None,
            us: None,
            verbs: Vec::new(),
            nouns: Vec::new(),
        };
        for option in &choice.options {
            let label = words::words(option.label.as_deref().unwrap_or_default());
            let holds = |wanted: &[&str]| {
                label
                    .iter()
                    .any(|word| wanted.contains(&word.text.as_str()))
            };
            let ours = holds(&["us", "we", "ourselves"]);
            let own = holds(&["yourself", "yourselves"])
                || label.first().is_some_and(|word| word.text == "you");
            let place = match (own, ours) {
                (true, false) => &mut roles.stakeholder,
                (false, true) => &mut roles.us,
                _ => continue,
            };
            if place.replace(option.value.clone()).is_some() {
                return None;
            }
            let mut contents = label
                .into_iter()
                .map(|word| word.text)
                .filter(|word| !is_hollow(word));
            roles.verbs.extend(contents.next());
            roles.nouns.extend(contents);
        }
        // `Have us do the inspection` and `do it yourself` leave no verb, or a thing as one; the
        // general verbs below still fit.
        (roles.stakeholder.is_some() || roles.us.is_some()).then_some(roles)
    }

    /// Who is to do the thing according to a clause. `bare` is whether everything before the clause
    /// in its sentence was only leading up to it.
    fn who(&self, words: &[Word], bare: bool) -> Option<(Range<usize>, Who)> {
        let core: Vec<&str> = words
            .iter()
            .map(|word| word.text.as_str())
            .filter(|word| !POLITE.has(word))
            .collect();
        if matches!(
            core[..],
            ["myself"] | ["ourselves"] | ["by", "myself"] | ["on", "my", "own"]
        ) {
            return Some((0..words.len(), Who::Stakeholder));
        }
        if let Some(end) = self.passive(words) {
            return Some((0..end, Who::Us));
        }
        (0..words.len()).find_map(|verb| {
            let end = self.task(words, verb)?;
            let who = self.doer(words, verb, end, bare)?;
            Some((0..end, who))
        })
    }

    /// `Please have it arranged for me`: where it ends.
    fn passive(&self, words: &[Word]) -> Option<usize> {
        let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        let have = words.iter().position(|word| word.text == "have")?;
        let lead = &words[..have];
        let pleads = lead.iter().any(|word| POLITE.has(&word.text))
            && lead.iter().all(|word| IMPERATIVE_LEAD.has(&word.text));
        let noun = have + 1 + usize::from(word(have + 1) == "the");
        let thing = matches!(word(noun), "it" | "this" | "that" | "everything")
            || self.nouns.iter().any(|known| known == word(noun));
        let done = word(noun + 1);
        let known = |base: &str| {
            done.strip_suffix('d')
                .is_some_and(|stem| stem == base || stem.strip_suffix('e') == Some(base))
        };
        let arranged = done == "done"
            || GENERAL.iter().any(known)
            || self.verbs.iter().any(|base| known(base));
        let for_me = word(noun + 2) == "for" && matches!(word(noun + 3), "me" | "us");
        (pleads && thing && arranged && for_me).then_some(noun + 4)
    }

    /// Where the words about the thing to be done end, if they begin at `verb`.
    fn task(&self, words: &[Word], verb: usize) -> Option<usize> {
        let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        let known = |base: &str| is_form_of(word(verb), base);
        let general = GENERAL.iter().any(known);
        if !general && !self.verbs.iter().any(|base| known(base)) {
            return None;
        }
        let mut at = verb + 1;
        // `Take care of it`, `sort it out`, `deal with it`.
        while at < verb + 3 && matches!(word(at), "care" | "of" | "out" | "after" | "with" | "to") {
            at += 1;
        }
        if is_doer(word(at)) || (word(at) == "for" && matches!(word(at + 1), "me" | "us")) {
            return Some(at);
        }
        let determined = matches!(
            word(at),
            "the" | "a" | "an" | "this" | "that" | "your" | "my" | "our" | "all"
        );
        let noun = at + usize::from(determined);
        if self.nouns.iter().any(|known| known == word(noun)) {
            return Some(noun + 1);
        }
        match word(at) {
            "it" | "everything" => Some(at + 1),
            // `That` alone is the thing; before another word it points at something else.
            "this" | "that" => {
                let next = word(at + 1);
                let alone = next.is_empty()
                    || is_doer(next)
                    || POLITE.has(next)
                    || matches!(next, "for" | "on" | "by" | "out");
                alone.then_some(at + 1)
            }
            _ => None,
        }
    }

    /// Who does the task that stands at `verb..end`.
    fn doer(&self, words: &[Word], verb: usize, end: usize, bare: bool) -> Option<Who> {
        let before: Vec<&str> = words[..verb]
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        if before
            .iter()
            .any(|word| !(leads(word) || YOU_MAY.has(word)))
        {
            return None;
        }
        let says_you = before
            .iter()
            .enumerate()
            .any(|(at, word)| *word == "you" && (at == 0 || before[at - 1] != "thank"));
        let first_person = before
            .iter()
            .any(|word| matches!(*word, "i" | "we" | "me" | "my"));
        let after: Vec<&str> = words[end..]
            .iter()
            .take(3)
            .map(|word| word.text.as_str())
            .collect();
        let own = after
            .iter()
            .any(|word| is_doer(word) && word.starts_with(['m', 'o']))
            || after.starts_with(&["on", "my", "own"])
            || after.starts_with(&["on", "our", "own"]);
        let yours = after.contains(&"yourself") || after.contains(&"yourselves");
        if says_you {
            return (!own).then_some(Who::Us);
        }
        if own {
            return (!yours).then_some(Who::Stakeholder);
        }
        if before.ends_with(&["let", "me"]) || before.ends_with(&["let", "us"]) {
            return Some(Who::Stakeholder);
        }
        if first_person {
            let means_to = before.iter().any(|word| {
                matches!(
                    *word,
                    "will"
                        | "would"
                        | "can"
                        | "prefer"
                        | "want"
                        | "rather"
                        | "going"
                        | "happy"
                        | "shall"
                        | "love"
                )
            });
            return means_to.then_some(Who::Stakeholder);
        }
        // An imperative: `please arrange it`, `yes, do it`.
        let pleads = words
            .iter()
            .any(|word| matches!(word.text.as_str(), "please" | "pls" | "kindly"));
        let imperative = before.iter().all(|word| IMPERATIVE_LEAD.has(word));
        (imperative && (bare || pleads)).then_some(Who::Us)
    }
}

/// Verbs that stand for whatever was asked about.
static GENERAL: Cues =
    Cues::new("do, handle, take, organise, organize, sort, manage, arrange, deal, look");

fn is_doer(word: &str) -> bool {
    matches!(word, "myself" | "ourselves" | "yourself" | "yourselves")
}

fn is_form_of(word: &str, base: &str) -> bool {
    word == base
        || word.strip_suffix("ing").is_some_and(|stem| {
            stem == base || base.strip_suffix('e').is_some_and(|base| stem == base)
        })
}

static POLITE: Cues = Cues::new(
    "please, pls, kindly, thanks, thank, you, sorry, yes, ok, okay, then, instead, just,
     well",
);

/// What may stand before an imperative.
static IMPERATIVE_LEAD: Cues = Cues::new(
    "please, pls, kindly, just, so, then, yes, yeah, ok, okay, sure, go, ahead, do, thanks,
     hi, hello, dear, instead, actually, well, no, wait, correction, sorry, simply, and",
);

/// What may stand between `you` and what they are to do.
static YOU_MAY: Cues = Cues::new(
    "you, to, can, could, will, would, should, may, must, guys, people, also, all, shall",
);

/// Whether a word only leads up to saying who does it.
fn leads(word: &str) -> bool {
    IMPERATIVE_LEAD.has(word) || LEADING.has(word)
}

static LEADING: Cues = Cues::new(
    "i, we, me, us, my, will, would, can, could, shall, like, prefer, preferred, rather,
     want, love, need, if, that, it, is, be, am, great, good, better, best, nice, easier,
     appreciate, for, have, let, preference, think, guess, suppose, maybe, perhaps,
     probably, might, happy, glad, fine, going",
);

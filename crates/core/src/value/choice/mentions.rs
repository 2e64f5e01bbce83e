//! Options that a person names: by their value, label or synonym, or by what sets a label apart.
//!
//! A name alone is not a choice (`the agency called me`), so what else the clause says decides.

use super::{Candidate, Choice, ChoiceOption, Value};
use crate::value::{
    cues::Cues,
    words::{self, Word},
};
use std::ops::Range;

/// The options that `text` names.
pub(super) fn find(choice: &Choice, text: &str) -> Vec<Candidate> {
    let names = names(choice);
    let marks = marks(choice);
    let mut found: Vec<Candidate> = Vec::new();
    let mut push = |span: Range<usize>, option: usize| {
        if let Some(option) = choice.options.get(option) {
            found.push(Candidate {
                span,
                value: Value::Choice(option.value.clone()),
            });
        }
    };
    for sentence in words::sentences(text) {
        let whole = words::words(&text[sentence.clone()]);
        let mut quoted = false;
        for (span, option) in occurrences(&whole, &names, says_it_all) {
            quoted = true;
            push(place(sentence.start, &whole[span]), option);
        }
        if quoted {
            continue;
        }
        let mut named = false;
        for clause in words::clauses(text, sentence.clone()) {
            let words = words::words(&text[clause.clone()]);
            if words.len() > words::LONGEST_CLAUSE {
                continue;
            }
            let occurrences = occurrences(&words, &names, |_| true);
            let spans: Vec<_> = occurrences.iter().map(|(span, _)| span.clone()).collect();
            for (span, option) in occurrences {
                if chooses(&words, &span, &spans) {
                    named = true;
                    push(place(clause.start, &words[span]), option);
                }
            }
        }
        if !named && let Some((span, option)) = marked(&whole, &marks) {
            push(place(sentence.start, &whole[span]), option);
        }
    }
    found
}

/// Whether a name is so long that whoever says it means it, whatever else they say.
fn says_it_all(name: &[String]) -> bool {
    let contents = name.iter().filter(|word| !super::roles::is_hollow(word));
    name.len() >= 3 && contents.count() >= 2
}

/// A name of the option with this place in the list.
type Name = (Vec<String>, usize);

fn names(choice: &Choice) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for (i, option) in choice.options.iter().enumerate() {
        let label = option.label.as_deref().into_iter();
        let spoken = label.chain(option.synonyms.iter().map(String::as_str));
        let flipped: Vec<_> = spoken.clone().map(|text| flip(&plain(text))).collect();
        let mut add = |words: Vec<String>| {
            if !words.is_empty() && !names.contains(&(words.clone(), i)) {
                names.push((words, i));
            }
        };
        add(plain(&option.value));
        spoken.map(plain).for_each(&mut add);
        flipped.into_iter().for_each(&mut add);
    }
    // What names two options names none.
    let all = names.clone();
    names.retain(|(words, i)| !all.iter().any(|(other, j)| other == words && i != j));
    names.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    names
}

fn plain(text: &str) -> Vec<String> {
    let mut words: Vec<String> = words::words(text)
        .into_iter()
        .map(|word| word.text)
        .collect();
    while words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an") {
        words.remove(0);
    }
    words
}

/// What the person says for words that we say to them.
pub(super) fn flip(words: &[String]) -> Vec<String> {
    let mut flipped = Vec::new();
    for (i, word) in words.iter().enumerate() {
        flipped.push(
            match word.as_str() {
                "you" if i == 0 => "i",
                "you" => "me",
                "your" => "my",
                "yours" => "mine",
                "yourself" => "myself",
                "yourselves" => "ourselves",
                "us" | "we" => "you",
                "our" => "your",
                "ours" => "yours",
                "ourselves" => "yourselves",
                other => other,
            }
            .to_owned(),
        );
    }
    flipped
}

/// Where the `wanted` ones of the names stand, without overlaps; the longest are taken first.
fn occurrences(
    words: &[Word],
    names: &[Name],
    wanted: impl Fn(&[String]) -> bool,
) -> Vec<(Range<usize>, usize)> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (name, option) in names.iter().filter(|(name, _)| wanted(name)) {
        for at in 0..words.len() {
            let end = at + name.len();
            let here = words.get(at..end).is_some_and(|part| {
                part.iter()
                    .zip(name)
                    .all(|(word, wanted)| word.text == *wanted)
            });
            let free = !found
                .iter()
                .any(|(span, _)| span.start < end && at < span.end);
            if here && free && !is_something_else(words, at, name) {
                found.push((at..end, *option));
            }
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// `Good morning` names no morning, and `a` is an article before it is option A.
fn is_something_else(words: &[Word], at: usize, name: &[String]) -> bool {
    let before = at.checked_sub(1).map_or("", |i| words[i].text.as_str());
    if before == "good" && matches!(name[0].as_str(), "morning" | "afternoon" | "evening") {
        return true;
    }
    let short = name.len() == 1 && (name[0].chars().count() <= 2 || FILLERS.has(&name[0]));
    let announced = matches!(
        before,
        "option" | "choice" | "answer" | "number" | "variant"
    );
    short && !announced && words.len() > 2
}

/// Words that say nothing about an option that is named beside them.
static FILLERS: Cues = Cues::new(
    "a, an, the, this, that, these, those, it, i, we, you, me, us, my, our, no, not, never,
     yes, yeah, yep, is, are, am, be, will, would, can, could, should, shall, may, for, of,
     on, in, with, by, as, if, then, or, and, please, pls, kindly, thanks, thank, thx,
     cheers, hi, hello, hey, dear, ok, okay, well, just, only, really, much, very, also,
     too, simply, definitely, certainly, actually, instead, best, better, good, great, fine,
     perfect, ideal, easier, easiest, convenient, suit, suits, work, works, available, free,
     think, guess, suppose, believe, maybe, perhaps, probably, possibly, might, sorry, wait,
     correction, mean, meant, one, rather, than, both, either, neither, nor, sure, so,
     now, still, all, anything, but, do, him",
);

/// Words by which people choose; beside them a little more may be said.
static CUES: Cues = Cues::new(
    "prefer, preferred, preferably, preference, rather, choose, choosing, pick, picking,
     select, opt, want, love, please, let, best, better, option, choice, answer, vote, take,
     favour, favor, would like, go with, go for, going with, going for, leave it to,
     decided on",
);

/// Words that say what was or is to be said to somebody. Who is named beside them is spoken about.
static SPEECH: Cues = Cues::new(
    "ask, asked, asking, call, called, calling, tell, told, telling, contact, contacted,
     talk, talked, speak, spoke, email, emailed, mail, write, wrote, inform, informed, say,
     says, said, visit, phone, phoned, pay, paid, meet, met, invite, know, hear, heard",
);

/// Whether the name at `span` of a clause is chosen there, `named` being all names in it.
fn chooses(words: &[Word], span: &Range<usize>, named: &[Range<usize>]) -> bool {
    let cues: Vec<Range<usize>> = (0..words.len())
        .filter_map(|at| Some(at..at + CUES.starts(&words[at..])?))
        .collect();
    let inside =
        |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
    let mut left = 0;
    for (at, word) in words.iter().enumerate() {
        if inside(named, at) {
            continue;
        }
        let text = word.text.as_str();
        if SPEECH.has(text) {
            return false;
        }
        let to_do = !cues.is_empty() && matches!(text, "to" | "have" | "has" | "like" | "be");
        if !(FILLERS.has(text) || inside(&cues, at) || to_do) {
            left += 1;
        }
    }
    // `The agency` is somebody who can do many things; `monthly` or `by post` is hardly ever
    // anything but the option.
    let entity = span.len() == 1
        && span.start > 0
        && matches!(
            words[span.start - 1].text.as_str(),
            "the" | "an" | "our" | "my" | "your"
        );
    left <= match (entity, cues.is_empty()) {
        (false, false) => 2,
        _ => 0,
    }
}

/// For each option with a label, the words that set it apart from the others.
fn marks(choice: &Choice) -> Vec<Vec<String>> {
    let contents: Vec<Vec<String>> = choice
        .options
        .iter()
        .map(|option: &ChoiceOption| {
            let label = option.label.as_deref().unwrap_or_default();
            plain(label)
                .into_iter()
                .filter(|word| !super::roles::is_hollow(word))
                .collect()
        })
        .collect();
    contents
        .iter()
        .enumerate()
        .map(|(i, own)| {
            let mut own = own.clone();
            own.retain(|word| {
                !contents
                    .iter()
                    .enumerate()
                    .any(|(j, other)| i != j && other.contains(word))
            });
            own.dedup();
            own
        })
        .collect()
}

/// The one option all of whose marks, at least two, stand in a sentence that holds no other's.
fn marked(words: &[Word], marks: &[Vec<String>]) -> Option<(Range<usize>, usize)> {
    let at = |mark: &String| words.iter().position(|word| word.text == *mark);
    let touched: Vec<usize> = (0..marks.len())
        .filter(|option| marks[*option].iter().any(|mark| at(mark).is_some()))
        .collect();
    let [option] = touched[..] else {
        return None;
    };
    let places: Option<Vec<usize>> = marks[option].iter().map(at).collect();
    let places = places.filter(|places| places.len() >= 2)?;
    let speech = words.iter().any(|word| SPEECH.has(&word.text));
    let start = *places.iter().min()?;
    let end = *places.iter().max()? + 1;
    (!speech).then_some((start..end, option))
}

fn place(start: usize, words: &[Word]) -> Range<usize> {
    let first = words.first().map_or(0, |word| word.span.start);
    let last = words.last().map_or(0, |word| word.span.end);
    start + first..start + last
}

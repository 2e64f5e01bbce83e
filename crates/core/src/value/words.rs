//! Cutting a person's text into sentences, clauses and words.
//!
//! Every kind that looks for its values in words, and the gate that judges them, must agree on
//! where a sentence ends; so it is decided here, once. Where it is doubtful, sentences are rather
//! too long than too short: what speaks against a value then still stands beside it.

use std::ops::Range;

/// A word, lower-case, with straight apostrophes and contractions written out (`don't` is the two
/// words `do` and `not`, with the same span).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// The word.
    pub text: String,
}

/// The words of `text`, in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        let inner_apostrophe = is_apostrophe(c)
            && start.is_some()
            && text[at + c.len_utf8()..]
                .chars()
                .next()
                .is_some_and(char::is_alphanumeric);
        if c.is_alphanumeric() || inner_apostrophe {
            start.get_or_insert(at);
        } else if let Some(start) = start.take() {
            push_word(text, start..at, &mut found);
        }
    }
    if let Some(start) = start {
        push_word(text, start..text.len(), &mut found);
    }
    found
}

/// The sentences of `text`, each without the white space around it.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let ends = match c {
            '.' => full_stop_ends(text, start, at),
            '!' | '…' => true,
            '?' => question_mark_ends(text, at),
            '\n' => line_ends(text, at),
            _ => false,
        };
        if !ends {
            continue;
        }
        let mut end = at + c.len_utf8();
        // The rest of `?!` and `..`, and a closing quotation mark, belong to the sentence.
        while let Some((next, c)) = rest.peek().copied() {
            if !matches!(c, '.' | '!' | '?' | '…' | '"' | '”' | '\'' | '’' | ')') {
                break;
            }
            end = next + c.len_utf8();
            rest.next();
        }
        push_trimmed(text, start..end, &mut found);
        start = end;
    }
    push_trimmed(text, start..text.len(), &mut found);
    found
}

/// The clauses of the sentence at `sentence` in `text`: its parts between commas, semicolons,
/// colons, dashes and brackets, and around words like `but` and `because`.
pub fn clauses(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = sentence.start;
    let within = &text[sentence.clone()];
    for (at, c) in within.char_indices() {
        let at = sentence.start + at;
        let parts = match c {
            ';' | '(' | ')' | '–' | '—' => true,
            // Not the comma of 1,250 nor the colon of 10:30.
            ',' | ':' => !text[at + 1..].starts_with(|c: char| c.is_ascii_digit()),
            '-' => text[..at].ends_with(' ') && text[at + 1..].starts_with(' '),
            _ => false,
        };
        if parts {
            push_trimmed(text, start..at, &mut found);
            start = at + c.len_utf8();
        }
    }
    push_trimmed(text, start..sentence.end, &mut found);
    found
        .into_iter()
        .flat_map(|clause| split_at_conjunctions(text, clause))
        .collect()
}

/// Whether `phrase` (words with single spaces) stands among `words`; the index of its first word.
pub fn position(words: &[Word], phrase: &str) -> Option<usize> {
    (0..words.len()).find(|at| starts_with(&words[*at..], phrase))
}

/// Whether `words` begin with `phrase` (words with single spaces).
pub fn starts_with(words: &[Word], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase
        .split_whitespace()
        .all(|wanted| words.next().is_some_and(|word| word.text == wanted))
}

/// Whether `words` end with `phrase` (words with single spaces).
pub fn ends_with(words: &[Word], phrase: &str) -> bool {
    words
        .len()
        .checked_sub(phrase.split_whitespace().count())
        .is_some_and(|at| starts_with(&words[at..], phrase))
}

/// Whether any of `phrases` stands among `words`.
pub fn holds_any(words: &[Word], phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| position(words, phrase).is_some())
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`')
}

fn push_word(text: &str, span: Range<usize>, found: &mut Vec<Word>) {
    let word: String = text[span.clone()]
        .chars()
        .map(|c| if is_apostrophe(c) { '\'' } else { c })
        .flat_map(char::to_lowercase)
        .collect();
    let mut push = |text: &str| {
        found.push(Word {
            span: span.clone(),
            text: text.to_owned(),
        });
    };
    if let Some((_, whole)) = CONTRACTIONS.iter().find(|(short, _)| *short == word) {
        whole.split(' ').for_each(push);
    } else if let Some(stem) = word.strip_suffix("n't").filter(|stem| !stem.is_empty()) {
        push(stem);
        push("not");
    } else if let Some((stem, rest)) = word
        .split_once('\'')
        .and_then(|(stem, tail)| Some((stem, ending(stem, tail)?)))
    {
        push(stem);
        push(rest);
    } else {
        push(&word);
    }
}

/// What the part after an apostrophe stands for. `'s` is `is` only after a pronoun or a question
/// word; elsewhere it is somebody's.
fn ending(stem: &str, tail: &str) -> Option<&'static str> {
    Some(match tail {
        "ll" => "will",
        "d" => "would",
        "re" => "are",
        "ve" => "have",
        "m" => "am",
        "s" if stem == "let" => "us",
        "s" if IS_AFTER.contains(&stem) => "is",
        _ => return None,
    })
}

const IS_AFTER: [&str; 10] = [
    "it", "that", "there", "he", "she", "what", "who", "where", "how", "here",
];

const CONTRACTIONS: [(&str, &str); 20] = [
    ("can't", "can not"),
    ("cant", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("wont", "will not"),
    ("shan't", "shall not"),
    ("dont", "do not"),
    ("didnt", "did not"),
    ("doesnt", "does not"),
    ("isnt", "is not"),
    ("havent", "have not"),
    ("wouldnt", "would not"),
    ("couldnt", "could not"),
    ("shouldnt", "should not"),
    ("im", "i am"),
    ("ive", "i have"),
    ("youre", "you are"),
    ("thats", "that is"),
    ("gonna", "going to"),
    ("wanna", "want to"),
];

/// Words that end in a full stop without ending a sentence.
const ABBREVIATIONS: [&str; 36] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "nos", "approx", "ca", "tel", "apt", "vs",
    "e.g", "i.e", "a.m", "p.m", "incl", "excl", "est", "jan", "feb", "mar", "apr", "jun", "jul",
    "aug", "sep", "sept", "oct", "nov", "dec", "sq", "max", "min",
];

/// As much of what follows is looked at: the letters that tell a month.
const LONGEST_MONTH: usize = 9;
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

fn full_stop_ends(text: &str, sentence: usize, at: usize) -> bool {
    let after = &text[at + 1..];
    let Some(next) = after.chars().next() else {
        return true;
    };
    if !next.is_whitespace() && !matches!(next, '"' | '”' | '\'' | '’' | ')' | '.' | '!' | '?')
    {
        return false;
    }
    let before = text[sentence..at]
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let following: String = after
        .trim_start()
        .chars()
        .take(LONGEST_MONTH)
        .collect::<String>()
        .to_lowercase();
    // `No.` is a word of its own when it is all that the sentence holds.
    let alone = text[sentence..at].trim().eq_ignore_ascii_case(&before);
    if ABBREVIATIONS.contains(&before.as_str()) {
        return alone && before == "no" && !following.starts_with(|c: char| c.is_ascii_digit());
    }
    let initial = before.chars().count() == 1 && before.chars().all(char::is_alphabetic);
    if initial && !alone && before != "i" {
        return false;
    }
    // The day of `5. May`.
    let day = !before.is_empty() && before.len() <= 2 && before.bytes().all(|b| b.is_ascii_digit());
    !(day && MONTHS.iter().any(|month| following.starts_with(month)))
}

/// A question mark inside an address (`https://example.org/?a=b`) ends nothing.
fn question_mark_ends(text: &str, at: usize) -> bool {
    if !text[at + 1..].starts_with(|c: char| c.is_alphanumeric()) {
        return true;
    }
    let token = text[..at]
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    !(token.contains("://") || token.starts_with("www."))
}

/// Lines shorter than this were ended by the writer; longer ones may have been wrapped by a
/// program. Mail programs wrap at 72 to 78 columns, and the word that did not fit is rarely
/// longer than a dozen letters.
const SHORT_LINE: usize = 60;

fn line_ends(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default().trim();
    let next = text[at + 1..].trim_start_matches([' ', '\t', '\r']);
    if line.is_empty() || next.starts_with('\n') {
        return true;
    }
    let item = next.trim_start_matches(|c: char| c.is_ascii_digit());
    let listed = next.starts_with(['-', '*', '•', '>', '–'])
        || (item.len() < next.len() && item.starts_with(['.', ')']));
    let short = line.chars().count() < SHORT_LINE;
    listed || (short && next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
}

/// The most words that a clause is taken for one with: nobody says in more which option they want,
/// and what compares words with words stays cheap whatever is sent.
pub(crate) const LONGEST_CLAUSE: usize = 100;

/// Words that begin a new thought within a sentence.
const CONJUNCTIONS: [&str; 9] = [
    "but", "because", "since", "and", "so", "although", "though", "however", "whereas",
];

fn split_at_conjunctions(text: &str, clause: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = clause.start;
    let mut before = String::new();
    for word in words(&text[clause.clone()]) {
        // `Anything but` denies what comes after it.
        let excepts = word.text == "but"
            && (before.starts_with("any") || before.starts_with("every") || before == "all");
        if CONJUNCTIONS.contains(&word.text.as_str()) && !excepts {
            push_trimmed(text, start..clause.start + word.span.start, &mut found);
            start = clause.start + word.span.end;
        }
        before = word.text;
    }
    push_trimmed(text, start..clause.end, &mut found);
    found
}

fn push_trimmed(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[span.clone()];
    let start = span.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    if start < end {
        found.push(start..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn cut<'t>(text: &'t str, parts: &[Range<usize>]) -> Vec<&'t str> {
        parts.iter().map(|part| &text[part.clone()]).collect()
    }

    #[rstest]
    #[case("Yes. Please do!  Thanks?", &["Yes.", "Please do!", "Thanks?"])]
    #[case("On 5. May at 10.30 a.m. it is fine. Bye", &["On 5. May at 10.30 a.m. it is fine.", "Bye"])]
    #[case("Hi John,\nPlease do it.\nThanks\nBob", &["Hi John,", "Please do it.", "Thanks", "Bob"])]
    #[case("Please arrange\nit for me", &["Please arrange\nit for me"])]
    #[case("No.\n1) yes\n2) no", &["No.", "1) yes", "2) no"])]
    #[case("See https://example.org/?a=b ok", &["See https://example.org/?a=b ok"])]
    #[case("Really?! \"Yes.\" Dr. Who agrees", &["Really?!", "\"Yes.\"", "Dr. Who agrees"])]
    #[case("It costs 1.250 euros", &["It costs 1.250 euros"])]
    #[case("", &[])]
    fn sentences_end_where_a_person_would_say_so(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(cut(text, &sentences(text)), expected);
    }

    #[test]
    fn clauses_are_parted_by_commas_and_conjunctions() {
        let text = "I can't on 1,250 days, so please arrange it - today - but not twice";
        assert_eq!(
            cut(text, &clauses(text, 0..text.len())),
            [
                "I can't on 1,250 days",
                "please arrange it",
                "today",
                "not twice"
            ]
        );
    }

    #[test]
    fn contractions_are_written_out() {
        let text: Vec<_> = words("I’ll say: it's the tenant's, don't CAN'T")
            .into_iter()
            .map(|word| word.text)
            .collect();
        assert_eq!(
            text.join(" "),
            "i will say it is the tenant's do not can not"
        );
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_cutting(text in "\\PC{0,80}|[a-zA-Z0-9 .,?!\n'’-]{0,80}") {
            let mut last = 0;
            for sentence in sentences(&text) {
                prop_assert!(last <= sentence.start);
                last = sentence.end;
                for clause in clauses(&text, sentence) {
                    prop_assert!(text.get(clause).is_some());
                }
            }
            for word in words(&text) {
                prop_assert!(text.get(word.span).is_some());
            }
        }
    }
}

//! How texts are taken apart: paragraphs into runs, runs into words, words into stems.

/// What stands between two white spaces.
pub(super) struct Run<'a> {
    /// All of it.
    pub(super) whole: &'a str,
    /// What comes before the first letter or figure.
    pub(super) left: &'a str,
    /// From the first letter or figure to the last; may be empty.
    pub(super) core: &'a str,
    /// What comes after the last one.
    pub(super) right: &'a str,
    /// Whether it begins a line.
    pub(super) begins_line: bool,
}

impl Run<'_> {
    /// The run without the punctuation that sentences put around words.
    pub(super) fn bare(&self) -> &str {
        bare(self.whole)
    }

    /// Whether a sentence can go on from this run to the next without a pause.
    pub(super) fn joins(&self, next: &Run<'_>) -> bool {
        self.right.is_empty() && next.left.is_empty() && !next.core.is_empty()
    }
}

/// A run without the punctuation that sentences put around words. It covers all that templates put
/// around a plan's texts.
pub(super) fn bare(run: &str) -> &str {
    run.trim_matches(|c| ".,:;!?…()“”\"'‘’".contains(c))
}

/// The runs of each paragraph. A line break within one is no more than a space.
pub(super) fn paragraphs(text: &str) -> Vec<Vec<Run<'_>>> {
    let mut paragraphs = vec![Vec::new()];
    for line in text.split('\n') {
        if line.trim().is_empty() {
            paragraphs.push(Vec::new());
            continue;
        }
        for (place, whole) in line.split_whitespace().enumerate() {
            let core = whole.trim_matches(|c: char| !c.is_alphanumeric());
            let start = whole.len()
                - whole
                    .trim_start_matches(|c: char| !c.is_alphanumeric())
                    .len();
            let run = Run {
                whole,
                left: &whole[..start],
                core,
                right: &whole[start + core.len()..],
                begins_line: place == 0,
            };
            if let Some(paragraph) = paragraphs.last_mut() {
                paragraph.push(run);
            }
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// The words of a text as written: unbroken letters and figures.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
}

/// The words of a text in lower case.
pub(super) fn lower(text: &str) -> Vec<String> {
    pieces(text).map(str::to_lowercase).collect()
}

/// Sequences of words that no punctuation interrupts, in lower case, contractions written out.
pub(super) fn sequences(text: &str) -> Vec<Vec<String>> {
    let mut sequences = Vec::new();
    for paragraph in paragraphs(text) {
        let mut sequence = Vec::new();
        for (place, run) in paragraph.iter().enumerate() {
            written_out(run.core, &mut sequence);
            if !paragraph.get(place + 1).is_some_and(|next| run.joins(next)) {
                sequences.push(std::mem::take(&mut sequence));
            }
        }
    }
    sequences.retain(|sequence| !sequence.is_empty());
    sequences
}

fn written_out(core: &str, sequence: &mut Vec<String>) {
    const TAILS: &[(&str, &str)] = &[
        ("'ll", "will"),
        ("'m", "am"),
        ("'re", "are"),
        ("'ve", "have"),
    ];
    let word = core.to_lowercase().replace('’', "'");
    if word.is_empty() {
        return;
    }
    for (tail, long) in TAILS {
        if let Some(head) = word.strip_suffix(tail) {
            sequence.push(head.to_owned());
            sequence.push((*long).to_owned());
            return;
        }
    }
    sequence.push(word);
}

/// The numbers in a text as written, except that commas and apostrophes between thousands go.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut number = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let inside = !number.is_empty()
            && matches!(c, '.' | ',' | ':' | '\'' | '’')
            && chars.peek().is_some_and(|next| next.is_numeric());
        if c.is_numeric() || inside {
            number.push(c);
        } else if !number.is_empty() {
            numbers.push(plain(&std::mem::take(&mut number)));
        }
    }
    if !number.is_empty() {
        numbers.push(plain(&number));
    }
    numbers
}

fn plain(number: &str) -> String {
    let mut groups = number.split([',', '\'', '’']);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let thousands = |group: &&str| {
        group
            .split('.')
            .next()
            .is_some_and(|whole| whole.len() == 3)
    };
    if !rest.is_empty() && first.len() <= 3 && rest.iter().all(thousands) {
        format!("{first}{}", rest.concat())
    } else {
        number.to_owned()
    }
}

/// The words that carry a text's meaning, as stems, each once. Figures are left to [`numbers`].
/// What negates or limits stays: a text without it says something else.
pub(super) fn content(text: &str) -> Vec<String> {
    let mut content = Vec::new();
    for piece in pieces(text) {
        let word = piece.to_lowercase();
        if word.chars().any(char::is_numeric) || STOP.contains(&word.as_str()) {
            continue;
        }
        let stem = stem(&word);
        if !content.contains(&stem) {
            content.push(stem);
        }
    }
    content
}

/// A word without the ending that its form gives it: `arranges`, `arranged` and `arranging` are one.
pub(super) fn stem(word: &str) -> String {
    /// Shorter stems would make different words one.
    const SHORTEST: usize = 3;
    for ending in ["ing", "ied", "ies", "ed", "es", "s", "e", "y"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= SHORTEST
        {
            return stem.to_owned();
        }
    }
    word.to_owned()
}

/// Words without a meaning of their own, so that paraphrases come and go with them. Single letters
/// are what contractions leave.
const STOP: &[&str] = &[
    "a", "about", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "d", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her",
    "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "ll", "m", "may",
    "me", "might", "my", "of", "on", "or", "our", "ours", "please", "re", "s", "shall", "she",
    "should", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "to", "too", "us", "ve", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
    "yours", "yourself",
];

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Pay 1,200.50 or 1'300 by 10:30.", &["1200.50", "1300", "10:30"])]
    #[case("3/5, 3-5 and 1,2", &["3", "5", "3", "5", "1,2"])]
    #[case("the 3rd of 12.", &["3", "12"])]
    #[case("none", &[])]
    fn numbers_are_read_as_written(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(numbers(text), expected);
    }

    #[test]
    fn punctuation_ends_a_sequence_and_a_line_break_does_not() {
        assert_eq!(
            sequences("Well, I’ll\ngo (soon) now"),
            [
                vec!["well"],
                vec!["i", "will", "go"],
                vec!["soon"],
                vec!["now"]
            ]
        );
    }

    #[test]
    fn content_drops_small_words_and_keeps_negations() {
        assert_eq!(
            content("You need not arrange the 2 inspections"),
            ["need", "not", "arrang", "inspection"]
        );
    }
}

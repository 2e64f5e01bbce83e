//! What a draft brings in that its plan does not contain.
//!
//! A run that stands in the plan as a whole is the plan's own; only others are taken apart.

use super::{
    Faults, ordinary,
    vocabulary::{Vocabulary, days, halves},
    words::{Run, numbers, paragraphs, pieces, stem},
};

/// Names every stranger in a text.
pub(super) fn check(faults: &mut Faults, plan: &Vocabulary, text: &str) {
    for paragraph in paragraphs(text) {
        for (place, run) in paragraph.iter().enumerate() {
            markup(faults, plan, run);
            signs(faults, plan, run);
            if plan.cores.contains(&run.core.to_lowercase()) {
                calendar_names(faults, plan, run, paragraph.get(place + 1));
                continue;
            }
            if is_link(run) {
                faults.add(format!(
                    "“{}” looks like a link or an address that the plan does not contain; leave it out.",
                    run.core
                ));
                continue;
            }
            figures(faults, plan, run);
            for piece in pieces(run.core) {
                number_word(faults, plan, piece);
                time_word(faults, plan, piece);
                commitment(faults, plan, piece);
            }
            calendar_names(faults, plan, run, paragraph.get(place + 1));
            names(faults, plan, run);
        }
        for (day, words) in days(&paragraph) {
            faults.add_unless(plan.days.contains(&day), || {
                format!("The plan does not contain the date “{words}”; leave it out.")
            });
        }
        for half in halves(&paragraph) {
            faults.add_unless(plan.halves.contains(&half), || {
                format!("The plan does not contain the time “{half}”; leave it out.")
            });
        }
    }
}

/// Placeholders, Markdown and HTML, by the characters that they cannot do without.
fn markup(faults: &mut Faults, plan: &Vocabulary, run: &Run<'_>) {
    const MARKS: &[char] = &[
        '[', ']', '{', '}', '<', '>', '|', '`', '*', '#', '_', '~', '\\', '^', '=', '&', '@',
    ];
    let lower = run.core.to_lowercase();
    let filler = matches!(
        lower.as_str(),
        "todo" | "tbd" | "tba" | "lorem" | "ipsum" | "placeholder"
    ) || (lower.len() >= 3 && lower.chars().all(|c| c == 'x'));
    let marked = run.whole.contains(MARKS);
    if (marked || filler) && !plan.bare.contains(run.bare()) {
        faults.add(format!(
            "“{}” looks like a placeholder, Markdown, HTML or an address; write plain words and leave nothing to fill in.",
            run.whole
        ));
    }
}

/// Signs of money and shares.
fn signs(faults: &mut Faults, plan: &Vocabulary, run: &Run<'_>) {
    for sign in run.whole.chars().filter(|c| "$€£¥₹%‰".contains(*c)) {
        faults.add_unless(plan.chars.contains(&sign), || {
            format!("The plan does not contain the sign “{sign}”; leave the sum or share out.")
        });
    }
}

fn is_link(run: &Run<'_>) -> bool {
    let core = run.core;
    if core.contains("://") || core.contains('@') || core.to_lowercase().starts_with("www.") {
        return true;
    }
    // A host has dots between labels and ends in letters; what follows it is a path or a port.
    let host = core.split(['/', ':', '?']).next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    labels.len() > 1
        && labels.iter().all(label)
        && labels
            .last()
            .is_some_and(|top| top.chars().count() >= 2 && top.chars().all(char::is_alphabetic))
}

fn figures(faults: &mut Faults, plan: &Vocabulary, run: &Run<'_>) {
    let is_marker = run.begins_line
        && (run.right.starts_with('.') || run.right.starts_with(')'))
        && run
            .core
            .parse::<usize>()
            .is_ok_and(|place| (1..=plan.most_listed).contains(&place));
    if is_marker {
        return;
    }
    for number in numbers(run.core) {
        let in_words = number
            .parse::<usize>()
            .ok()
            .and_then(|value| ordinary::NUMBER_WORDS.iter().find(|(_, n)| *n == value))
            .is_some_and(|(word, _)| plan.words.contains(*word));
        faults.add_unless(in_words || plan.numbers.contains(&number), || {
            format!("The plan does not contain the number {number}; leave it out or write it as the plan does.")
        });
    }
}

fn number_word(faults: &mut Faults, plan: &Vocabulary, piece: &str) {
    let word = piece.to_lowercase();
    let Some((_, value)) = ordinary::NUMBER_WORDS
        .iter()
        .find(|(name, _)| *name == word)
    else {
        return;
    };
    let known = plan.words.contains(&word)
        || plan.numbers.contains(&value.to_string())
        || plan.counts.contains(value);
    faults.add_unless(known, || {
        format!("The plan does not contain the number “{word}”; leave it out.")
    });
}

fn time_word(faults: &mut Faults, plan: &Vocabulary, piece: &str) {
    let word = piece.to_lowercase();
    if ordinary::TIME_WORDS.contains(&word.as_str()) && !plan.stems.contains(&stem(&word)) {
        faults.add(format!(
            "The plan does not speak of “{word}”; leave the time out."
        ));
    }
}

/// Words that bind whoever signs, wherever they stand.
fn commitment(faults: &mut Faults, plan: &Vocabulary, piece: &str) {
    let word = piece.to_lowercase();
    let stem = stem(&word);
    let binds = ordinary::COMMITMENTS
        .iter()
        .any(|known| super::words::stem(known) == stem);
    faults.add_unless(!binds || plan.stems.contains(&stem), || {
        format!("The plan promises or demands nothing with “{word}”; leave it out.")
    });
}

/// Weekdays and months. Some month names are ordinary words too, so their case counts.
fn calendar_names(faults: &mut Faults, plan: &Vocabulary, run: &Run<'_>, next: Option<&Run<'_>>) {
    for piece in pieces(run.core) {
        let lower = piece.to_lowercase();
        let known = if ordinary::CALENDAR_NAMES.contains(&lower.as_str()) {
            plan.words.contains(&lower)
        } else if matches!(piece, "May" | "March" | "MAY" | "MARCH") {
            // "May I ask ..." is a request.
            let requests =
                lower == "may" && next.is_some_and(|next| matches!(next.core, "I" | "we"));
            requests || plan.cased.contains(piece)
        } else {
            true
        };
        faults.add_unless(known, || {
            format!("The plan does not name “{piece}”; leave the day or month out.")
        });
    }
}

fn names(faults: &mut Faults, plan: &Vocabulary, run: &Run<'_>) {
    if run.core.to_lowercase().replace('’', "'").contains("n't") {
        return;
    }
    // What follows an apostrophe is an ending.
    let head = run.core.split(['\'', '’']).next().unwrap_or_default();
    for piece in pieces(head).chain(pieces(run.core).filter(|piece| piece.chars().count() > 2)) {
        if !piece.starts_with(char::is_uppercase) {
            continue;
        }
        let lower = piece.to_lowercase();
        let known = ordinary::is_ordinary(&lower)
            || plan.words.contains(&lower)
            || plan.stems.contains(&stem(&lower))
            || ordinary::CALENDAR_NAMES.contains(&lower.as_str())
            || matches!(lower.as_str(), "may" | "march")
            || ordinary::NUMBER_WORDS
                .iter()
                .any(|(word, _)| *word == lower);
        faults.add_unless(known, || {
            format!(
                "“{piece}” looks like a name that the plan does not contain; leave it out, or write it small if it is an ordinary word."
            )
        });
    }
}

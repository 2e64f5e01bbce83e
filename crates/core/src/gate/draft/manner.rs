//! Whether a draft is a letter of ours: its form, its greeting, its signature, and that it claims
//! and promises nothing.

use super::{
    Faults, ordinary,
    vocabulary::{Vocabulary, occurs},
    words::{lower, pieces, sequences},
};
use crate::plan::{
    Draft, MessagePlan,
    template::{self, clean, letter, subject},
};

/// A subject is shown on one line.
const LONGEST_SUBJECT: usize = 120;
/// Nobody answers after more, unless the plan itself says more.
const LONGEST_BODY: usize = 4_000;
/// Less is no letter.
const SHORTEST_BODY: usize = 20;

/// Names what is wrong with the form.
pub(super) fn form(faults: &mut Faults, plan: &MessagePlan, draft: &Draft) {
    let subject = &draft.subject;
    faults.add_unless(!subject.trim().is_empty(), || "Write a subject.".to_owned());
    faults.add_unless(!subject.contains(|c: char| clean::is_hidden(c)), || {
        "Write the subject on one line, without control characters.".to_owned()
    });
    faults.add_unless(subject.chars().count() <= LONGEST_SUBJECT, || {
        format!("Shorten the subject to at most {LONGEST_SUBJECT} characters.")
    });
    if plan.thread_subject.is_some() {
        let kept = subject::line(plan);
        faults.add_unless(*subject == kept, || {
            format!("Keep the thread's subject exactly: “{kept}”.")
        });
    }
    let length = draft.body.chars().count();
    faults.add_unless(length >= SHORTEST_BODY, || {
        "Write a whole message.".to_owned()
    });
    if length > LONGEST_BODY {
        let most = template::render(plan)
            .body
            .chars()
            .count()
            .max(LONGEST_BODY);
        faults.add_unless(length <= most, || {
            format!("Shorten the text to at most {most} characters.")
        });
    }
    faults.add_unless(
        !draft
            .body
            .contains(|c: char| c != '\n' && clean::is_hidden(c)),
        || "Write the text without tabs, control characters or invisible characters.".to_owned(),
    );
    for line in draft.body.split('\n') {
        faults.add_unless(line.len() <= letter::LONGEST_LINE, || {
            format!(
                "Break the lines of the text: none may have more than {} bytes.",
                letter::LONGEST_LINE
            )
        });
        faults.add_unless(!letter::is_misread(line), || {
            "Begin no line with “From ” or “>”, and write no line of two dashes: mail programs take them for something else.".to_owned()
        });
    }
}

/// Names what is wrong with the voice.
pub(super) fn voice(
    faults: &mut Faults,
    plan: &MessagePlan,
    vocabulary: &Vocabulary,
    draft: &Draft,
) {
    greeting(faults, plan, vocabulary, &draft.body);
    signature(faults, plan, &draft.body);
    for text in [&draft.subject, &draft.body] {
        let sequences = sequences(text);
        for phrase in ordinary::CLAIMS {
            if newly_says(vocabulary, &sequences, phrase) {
                faults.add(format!(
                    "Say nothing about who or what writes: leave out “{phrase}”."
                ));
            }
        }
        for phrase in ordinary::PROMISES {
            if newly_says(vocabulary, &sequences, phrase) {
                faults.add(format!(
                    "Promise nothing that the plan does not: leave out “{phrase}”."
                ));
            }
        }
        futures(faults, vocabulary, &sequences);
    }
}

fn newly_says(plan: &Vocabulary, sequences: &[Vec<String>], phrase: &str) -> bool {
    let phrase: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
    occurs(sequences, &phrase) && !plan.says(&phrase)
}

/// Whatever "will" happen is a promise, unless the plan says it. Only "will you" asks, and only a
/// reply "will do"; and there are people called Will.
fn futures(faults: &mut Faults, plan: &Vocabulary, sequences: &[Vec<String>]) {
    for sequence in sequences {
        for place in 1..sequence.len() {
            let (who, word) = (sequence[place - 1].as_str(), sequence[place].as_str());
            if !matches!(word, "will" | "won't") {
                continue;
            }
            let next = sequence.get(place + 1).map_or("", String::as_str);
            let harmless = next == "you"
                || ordinary::GREETINGS.contains(&who)
                || (ordinary::MAY_WILL.contains(&who)
                    && ordinary::HARMLESS_AFTER_WILL.contains(&next));
            faults.add_unless(harmless || plan.says(&sequence[place - 1..=place]), || {
                format!("Promise nothing that the plan does not: leave out “{who} {word}”.")
            });
        }
    }
}

fn greeting(faults: &mut Faults, plan: &MessagePlan, vocabulary: &Vocabulary, body: &str) {
    let name = plan
        .name
        .as_deref()
        .map(clean::one_line)
        .unwrap_or_default();
    let expected = if name.is_empty() {
        "Hello,".to_owned()
    } else {
        format!("Hello {name},")
    };
    let mut lines = body.split('\n').filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let addressed = first.split([',', '!', '.', ':']).next().unwrap_or_default();
    let mut words = pieces(addressed).map(str::to_lowercase);
    let greets = words
        .next()
        .is_some_and(|word| ordinary::GREETINGS.contains(&word.as_str()));
    let known = lower(&name);
    let by_name =
        words.all(|word| known.contains(&word) || matches!(word.as_str(), "again" | "there"));
    faults.add_unless(greets && by_name, || {
        format!("Begin with a greeting that uses only the plan's name: “{expected}”")
    });
    for line in lines {
        let again = line
            .split_whitespace()
            .next()
            .map(|run| {
                run.trim_matches(|c: char| !c.is_alphanumeric())
                    .to_lowercase()
            })
            .filter(|word| matches!(word.as_str(), "hello" | "hi" | "dear" | "hey"));
        faults.add_unless(
            again.is_none_or(|word| vocabulary.cores.contains(&word)),
            || "Greet once, at the beginning.".to_owned(),
        );
    }
}

fn signature(faults: &mut Faults, plan: &MessagePlan, body: &str) {
    let signature = clean::one_line(&plan.signature);
    faults.add_unless(lower(body).ends_with(&lower(&signature)), || {
        format!("End with the signature “{signature}”, and nothing after it.")
    });
}

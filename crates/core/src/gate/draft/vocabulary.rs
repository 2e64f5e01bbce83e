//! What a plan's texts contain, looked up while a draft is read.

use super::words::{self, Run, numbers, paragraphs, pieces, sequences};
use crate::plan::{
    MessagePlan, PlanItem,
    template::{clean, subject},
};
use jiff::civil;
use std::collections::HashSet;

/// Everything that a draft may take from its plan.
#[derive(Default)]
pub(super) struct Vocabulary {
    /// Whole runs without what surrounds them, in lower case.
    pub(super) cores: HashSet<String>,
    /// Whole runs without a sentence's punctuation, as written.
    pub(super) bare: HashSet<String>,
    /// Words in lower case.
    pub(super) words: HashSet<String>,
    /// Words as written.
    pub(super) cased: HashSet<String>,
    /// The stems of words.
    pub(super) stems: HashSet<String>,
    /// Numbers.
    pub(super) numbers: HashSet<String>,
    /// Days of the month, each with its month.
    pub(super) days: HashSet<(u8, u8)>,
    /// Numbers with the half of the day that they stand in.
    pub(super) halves: HashSet<String>,
    /// Single characters.
    pub(super) chars: HashSet<char>,
    /// Words in their order, as far as nothing interrupts them.
    sequences: Vec<Vec<String>>,
    /// How many there are of each thing that a draft may count.
    pub(super) counts: HashSet<usize>,
    /// How far a draft may number what it lists.
    pub(super) most_listed: usize,
}

impl Vocabulary {
    /// Reads a plan.
    pub(super) fn of(plan: &MessagePlan) -> Self {
        let mut vocabulary = Self::default();
        for text in texts(plan) {
            vocabulary.take(&text);
        }
        for item in &plan.items {
            if let PlanItem::Question {
                asked_on, promised, ..
            } = item
            {
                let promised = promised.map(|promised| [promised.on, promised.by]);
                for day in asked_on.iter().chain(promised.iter().flatten()) {
                    vocabulary.take_day(*day);
                }
            }
            if let PlanItem::Confirm {
                asked_on: Some(day),
                ..
            }
            | PlanItem::Clarify {
                asked_on: Some(day),
                ..
            } = item
            {
                vocabulary.take_day(*day);
            }
        }
        vocabulary.count(plan);
        vocabulary
    }

    /// Whether the plan says these words in this order.
    pub(super) fn says(&self, phrase: &[String]) -> bool {
        occurs(&self.sequences, phrase)
    }

    fn take(&mut self, text: &str) {
        for paragraph in paragraphs(text) {
            for run in &paragraph {
                self.cores.insert(run.core.to_lowercase());
                self.bare.insert(run.bare().to_owned());
                if run.core.len() == 10
                    && let Ok(day) = run.core.parse::<civil::Date>()
                {
                    self.take_day(day);
                }
            }
            self.days.extend(days(&paragraph).map(|(day, _)| day));
            self.halves.extend(halves(&paragraph));
        }
        for piece in pieces(text) {
            let word = piece.to_lowercase();
            self.stems.insert(words::stem(&word));
            self.words.insert(word);
            self.cased.insert(piece.to_owned());
        }
        self.numbers.extend(numbers(text));
        self.chars.extend(text.chars());
        self.sequences.extend(sequences(text));
    }

    /// A day may be written in any usual way.
    fn take_day(&mut self, day: civil::Date) {
        self.take(&day.strftime("%A %-d %B %Y").to_string());
    }

    fn count(&mut self, plan: &MessagePlan) {
        let of = |sort: fn(&PlanItem) -> bool| plan.items.iter().filter(|item| sort(item)).count();
        let questions = of(|item| matches!(item, PlanItem::Question { .. }));
        let unclear = of(|item| matches!(item, PlanItem::Clarify { .. }));
        let to_confirm = of(|item| matches!(item, PlanItem::Confirm { .. }));
        let withdrawn = of(|item| matches!(item, PlanItem::Withdraw { .. }));
        let briefs = of(|item| matches!(item, PlanItem::Brief { .. }));
        let mut answers = 0;
        for item in &plan.items {
            match item {
                PlanItem::Acknowledge { answers: more, .. } => answers += more.len(),
                PlanItem::Clarify { candidates, .. } => {
                    self.counts.insert(candidates.len());
                }
                _ => {}
            }
        }
        self.counts.extend([
            questions,
            unclear,
            questions + unclear,
            to_confirm,
            withdrawn,
            briefs,
            answers,
        ]);
        self.most_listed = self.counts.iter().copied().max().unwrap_or(0);
    }
}

/// Every text of a plan that a draft may take from, cleaned.
pub(super) fn texts(plan: &MessagePlan) -> Vec<String> {
    let mut texts: Vec<&str> = plan.goals.iter().map(String::as_str).collect();
    texts.extend(plan.name.as_deref());
    texts.push(&plan.signature);
    for item in &plan.items {
        match item {
            PlanItem::Acknowledge { answers, .. } => {
                texts.extend(
                    answers
                        .iter()
                        .flat_map(|(question, value)| [question.as_str(), value]),
                );
            }
            PlanItem::Answer { text, question, .. } => {
                texts.push(text);
                texts.extend(question.as_deref());
            }
            PlanItem::Withdraw { question, .. } => texts.push(question),
            PlanItem::Brief { text, .. } => texts.push(text),
            PlanItem::Clarify {
                question,
                candidates,
                hint,
                ..
            } => {
                texts.push(question);
                texts.extend(candidates.iter().map(String::as_str));
                texts.extend(hint.as_deref());
            }
            PlanItem::Confirm {
                question, value, ..
            } => texts.extend([question.as_str(), value]),
            PlanItem::Question {
                question,
                hint,
                because,
                ..
            } => {
                if let Some(change) = because {
                    texts.extend([change.question.as_str(), &change.value]);
                }
                texts.push(question);
                texts.extend(hint.as_deref());
            }
        }
    }
    let mut texts: Vec<String> = texts.into_iter().map(clean::one_line).collect();
    if plan.thread_subject.is_some() {
        texts.push(subject::line(plan));
    }
    texts
}

/// Whether a phrase occurs in one of the sequences.
pub(super) fn occurs(sequences: &[Vec<String>], phrase: &[String]) -> bool {
    sequences.iter().any(|sequence| {
        sequence
            .windows(phrase.len())
            .any(|window| window == phrase)
    })
}

/// The days of a month that a paragraph names ("3 May", "May 3rd", "3rd of May"), as day and
/// month, each with the words that name it.
pub(super) fn days<'a>(paragraph: &'a [Run<'a>]) -> impl Iterator<Item = ((u8, u8), String)> + 'a {
    let near =
        |left: &Run<'_>, right: &Run<'_>| matches!(left.right, "" | ",") && right.left.is_empty();
    (0..paragraph.len()).filter_map(move |place| {
        let first = &paragraph[place];
        let mut second = paragraph.get(place + 1)?;
        if !near(first, second) {
            return None;
        }
        if second.core.eq_ignore_ascii_case("of") {
            let third = paragraph.get(place + 2)?;
            if !near(second, third) {
                return None;
            }
            second = third;
        }
        let day = match (day_of_month(first.core), month(second.core)) {
            (Some(day), Some(month)) => (day, month),
            _ => (day_of_month(second.core)?, month(first.core)?),
        };
        Some((day, format!("{} {}", first.core, second.core)))
    })
}

fn day_of_month(core: &str) -> Option<u8> {
    let digits = core.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = core[digits.len()..].to_ascii_lowercase();
    let fits = matches!(ending.as_str(), "" | "st" | "nd" | "rd" | "th");
    digits
        .parse()
        .ok()
        .filter(|day| fits && (1..=31).contains(day))
}

/// The month of this name, full or cut to three letters.
pub(super) fn month(core: &str) -> Option<u8> {
    let word = core.to_ascii_lowercase();
    let place = MONTHS.iter().position(|name| {
        word == *name
            || (word.len() == 3 && name.starts_with(&word))
            || (word == "sept" && *name == "september")
    })?;
    u8::try_from(place + 1).ok()
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The times of day that a paragraph marks as before or after noon, with their numbers.
pub(super) fn halves<'a>(paragraph: &'a [Run<'a>]) -> impl Iterator<Item = String> + 'a {
    (0..paragraph.len()).filter_map(move |place| {
        let run = &paragraph[place];
        let plain = |core: &str| core.to_ascii_lowercase().replace('.', "");
        let core = run.core.to_ascii_lowercase();
        if !core.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let attached = plain(&core);
        if let Some(digits) = attached.strip_suffix("am").or(attached.strip_suffix("pm"))
            && digits.chars().all(|c| c.is_ascii_digit() || c == ':')
        {
            return Some(attached);
        }
        let next = paragraph.get(place + 1).filter(|next| run.joins(next))?;
        let half = plain(next.core);
        matches!(half.as_str(), "am" | "pm").then(|| format!("{attached}{half}"))
    })
}

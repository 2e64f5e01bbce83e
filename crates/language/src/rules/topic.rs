//! What a question is about, by its content words, and whether a sentence is about it too.

use liaison_core::{
    form::SlotQuestion,
    value::{
        Kind,
        cues::Cues,
        words::{self, Word},
    },
};
use std::collections::BTreeSet;

/// The content words of a question, cut to their stems.
pub(super) struct Topic {
    stems: BTreeSet<String>,
}

impl Topic {
    /// What `slot` asks about: its question, its name, and the unit or options of its kind.
    pub(super) fn of(slot: &SlotQuestion) -> Self {
        let mut text = format!("{} {}", slot.question, slot.key.name.replace('_', " "));
        let mut add = |more: &str| {
            text.push(' ');
            text.push_str(more);
        };
        match &slot.kind {
            Kind::Number(number) => add(number.unit.as_deref().unwrap_or_default()),
            Kind::Choice(choice) => {
                for option in &choice.options {
                    add(option.label.as_deref().unwrap_or_default());
                    option.synonyms.iter().for_each(|synonym| add(synonym));
                }
            }
            Kind::Boolean(_) | Kind::Date(_) | Kind::Text(_) | Kind::File(_) => {}
        }
        Self {
            stems: words::words(&text).iter().filter_map(stem).collect(),
        }
    }

    /// How many of the topic's words stand among `words`, each counted once.
    pub(super) fn overlap<'w>(&self, words: impl IntoIterator<Item = &'w Word>) -> usize {
        words
            .into_iter()
            .filter_map(stem)
            .collect::<BTreeSet<_>>()
            .intersection(&self.stems)
            .count()
    }

    /// How many content words among `words` are not the topic's: they may make the sentence one
    /// about something else.
    pub(super) fn strange<'w>(&self, words: impl IntoIterator<Item = &'w Word>) -> usize {
        words
            .into_iter()
            .filter_map(stem)
            .filter(|stem| !self.stems.contains(stem))
            .count()
    }
}

/// The stem of a content word; none for the words that any answer may hold.
fn stem(word: &Word) -> Option<String> {
    let text = word.text.as_str();
    if text.chars().any(|c| c.is_ascii_digit())
        || [&GRAMMAR, &COURTESY, &MEASURE]
            .iter()
            .any(|list| list.has(&word.text))
    {
        return None;
    }
    let plain = text.strip_suffix("'s").unwrap_or(text);
    for suffix in [
        "ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y", "e",
    ] {
        if let Some(stem) = plain.strip_suffix(suffix)
            && stem.chars().count() >= 3
        {
            // `Stopped` and `stop`.
            let mut letters = stem.chars().rev();
            let (last, before) = (letters.next(), letters.next());
            let doubled = last == before && matches!(suffix, "ed" | "ing");
            return Some(if doubled {
                stem[..stem.len() - last.map_or(0, char::len_utf8)].to_owned()
            } else {
                stem.to_owned()
            });
        }
    }
    Some(plain.to_owned())
}

/// What any sentence holds.
static GRAMMAR: Cues = Cues::new(
    "a, an, the, this, that, these, those, it, its, there, here, i, we, you, he, she, \
     they, me, us, him, her, them, my, our, your, his, their, mine, ours, yours, is, are, \
     am, was, were, be, been, being, do, does, did, done, have, has, had, will, would, \
     shall, should, can, could, may, might, must, and, or, but, so, then, than, as, if, \
     of, on, in, at, by, to, for, from, with, without, into, up, out, about, which, what, \
     when, where, who, whom, whose, how, why, not, no, yes, all, any, some, each, both, \
     one, ones, only, just, also, too, very, more, most, least, much, many, exactly, currently, \
     now, really, please, let, get, got, go, going, come, make, give, take, own, since, \
     because",
);

/// Courtesy and preference.
static COURTESY: Cues = Cues::new(
    "hi, hello, dear, thanks, thank, ok, okay, sure, sorry, fine, good, great, perfect, \
     best, better, prefer, preferred, like, love, rather, suit, suits, works, ideal, \
     convenient, possible, available, free, happy, glad, easier, easiest, well, want, \
     need, think, actually, wait, meant, mean, correction, instead, answer, question, \
     asked, confirm, confirmed, yep, yeah, nope, definitely, certainly, indeed, choose, \
     pick, option",
);

/// Time and measure.
static MEASURE: Cues = Cues::new(
    "day, days, date, dates, time, week, weeks, month, months, monthly, year, years, \
     yearly, per, today, tomorrow, morning, afternoon, evening, noon, oclock, o'clock, \
     am, pm, monday, tuesday, wednesday, thursday, friday, saturday, sunday, mon, tue, \
     wed, thu, fri, sat, sun, january, february, march, april, june, july, august, \
     september, october, november, december, next, coming, euro, euros, eur, dollar, \
     dollars, usd, pound, pounds, gbp, number, total, altogether, first, second, third, \
     two, three, four, five, six, seven, eight, nine, ten, eleven, twelve",
);

#[cfg(test)]
mod tests {
    use super::*;
    use liaison_core::{slot::SlotKey, value::Number};

    fn rent() -> Topic {
        Topic::of(&SlotQuestion {
            form: "s1".to_owned(),
            key: SlotKey {
                subject: "property:1".to_owned(),
                name: "rent".to_owned(),
            },
            kind: Kind::Number(Number::default()),
            question: "What is the monthly rent for the flat?".to_owned(),
            asked: true,
            current: None,
            self_checks: Vec::new(),
            confirming: None,
        })
    }

    #[test]
    fn words_of_the_question_are_recognised_in_other_forms() {
        let words = words::words("The rents of both flats are 1250 a month.");
        assert_eq!(rent().overlap(&words), 2);
        assert_eq!(rent().strange(&words), 0);
    }

    #[test]
    fn words_about_something_else_are_strange() {
        let words = words::words("The garage costs 80 a month.");
        assert_eq!(rent().overlap(&words), 0);
        assert_eq!(rent().strange(&words), 2);
    }
}

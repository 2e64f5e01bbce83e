//! `boolean`.

use super::{
    Candidate, KindRules, ReadContext, SpecFault, Value, ValueFault,
    cues::Cues,
    or_null,
    words::{self, Word},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Yes or no.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boolean {}

impl KindRules for Boolean {
    fn validate(&self) -> Result<(), SpecFault> {
        Ok(())
    }

    fn schema(&self, _context: &ReadContext<'_>) -> serde_json::Value {
        or_null(json!({ "type": "boolean" }))
    }

    fn read(
        &self,
        proposed: &serde_json::Value,
        _context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        match proposed {
            serde_json::Value::Null => Ok(None),
            serde_json::Value::Bool(yes) => Ok(Some(Value::Boolean(*yes))),
            _ => Err(ValueFault(
                "a yes-or-no value is true, false or null".to_owned(),
            )),
        }
    }

    fn find(&self, text: &str, _context: &ReadContext<'_>) -> Vec<Candidate> {
        words::sentences(text)
            .into_iter()
            .flat_map(|sentence| in_sentence(text, sentence))
            .collect()
    }

    fn must_be_found(&self) -> bool {
        true
    }

    fn is_closed(&self) -> bool {
        true
    }

    fn reads_negation(&self) -> bool {
        true
    }

    fn check(&self, value: &Value) -> Result<(), ValueFault> {
        match value {
            Value::Boolean(_) => Ok(()),
            other => Err(ValueFault::not_a("yes or no", other)),
        }
    }

    fn show(&self, value: &Value) -> String {
        value.plain()
    }

    fn hint(&self) -> Option<String> {
        Some("yes or no".to_owned())
    }
}

/// Idioms that mean yes, no or neither wherever they stand in a clause. Longer ones stand before
/// the shorter ones that they hold, and the first that fits is taken.
const ANYWHERE: [(&str, Option<bool>); 61] = [
    ("yes or no", None),
    ("yes and no", None),
    ("say yes", None),
    ("said yes", None),
    ("said no", None),
    ("say no", None),
    ("please do not", Some(false)),
    ("not a problem", Some(true)),
    ("no problem", Some(true)),
    ("no problems", Some(true)),
    ("no worries", Some(true)),
    ("no objection", Some(true)),
    ("no objections", Some(true)),
    ("do not mind", Some(true)),
    ("would not mind", Some(true)),
    ("definitely not", Some(false)),
    ("certainly not", Some(false)),
    ("absolutely not", Some(false)),
    ("of course not", Some(false)),
    ("probably not", Some(false)),
    ("i am afraid not", Some(false)),
    ("unfortunately not", Some(false)),
    ("not really", Some(false)),
    ("not yet", Some(false)),
    ("not at all", Some(false)),
    ("not possible", Some(false)),
    ("impossible", Some(false)),
    ("not correct", Some(false)),
    ("not right", Some(false)),
    ("not true", Some(false)),
    ("not ok", Some(false)),
    ("not okay", Some(false)),
    ("not fine", Some(false)),
    ("not agree", Some(false)),
    ("does not work", Some(false)),
    ("will not work", Some(false)),
    ("not suit", Some(false)),
    ("no way", Some(false)),
    ("no thanks", Some(false)),
    ("no thank you", Some(false)),
    ("answer is yes", Some(true)),
    ("answer is no", Some(false)),
    ("is a yes", Some(true)),
    ("is a no", Some(false)),
    ("yes", Some(true)),
    ("yep", Some(true)),
    ("yeah", Some(true)),
    ("yup", Some(true)),
    ("nope", Some(false)),
    ("nah", Some(false)),
    ("i agree", Some(true)),
    ("we agree", Some(true)),
    ("sounds good", Some(true)),
    ("works for me", Some(true)),
    ("works for us", Some(true)),
    ("that works", Some(true)),
    ("please do", Some(true)),
    ("go ahead", Some(true)),
    ("fine by me", Some(true)),
    ("fine with me", Some(true)),
    ("fine for me", Some(true)),
];

/// What means yes or no only as the whole of a clause, apart from politeness.
const ALONE: [(&str, bool); 46] = [
    ("ok", true),
    ("okay", true),
    ("sure", true),
    ("sure thing", true),
    ("fine", true),
    ("agreed", true),
    ("correct", true),
    ("right", true),
    ("indeed", true),
    ("exactly", true),
    ("true", true),
    ("confirmed", true),
    ("gladly", true),
    ("perfect", true),
    ("that is ok", true),
    ("that is okay", true),
    ("that is fine", true),
    ("that is correct", true),
    ("that is right", true),
    ("that is true", true),
    ("it is ok", true),
    ("it is fine", true),
    ("ok with me", true),
    ("ok for me", true),
    ("i can", true),
    ("i will", true),
    ("i do", true),
    ("i am", true),
    ("i have", true),
    ("we can", true),
    ("we will", true),
    ("we do", true),
    ("it is", true),
    ("no", false),
    ("incorrect", false),
    ("false", false),
    ("never", false),
    ("i can not", false),
    ("i will not", false),
    ("i do not", false),
    ("i am not", false),
    ("i have not", false),
    ("we can not", false),
    ("we will not", false),
    ("we do not", false),
    ("it is not", false),
];

/// Words that a whole answer may hold beside its yes or no. No thanks: `OK, thanks` acknowledges
/// a message and answers nothing.
const POLITE: [&str; 10] = [
    "please",
    "sorry",
    "unfortunately",
    "hi",
    "hello",
    "so",
    "well",
    "all",
    "then",
    "quite",
];

fn in_sentence(text: &str, sentence: std::ops::Range<usize>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let whole = words::words(&text[sentence.clone()]);
    if MOCKING.among(&whole) {
        return found;
    }
    let thanked = words::holds_any(&whole, &["thanks", "thank you", "thx", "cheers"]);
    for clause in words::clauses(text, sentence) {
        let words = words::words(&text[clause.clone()]);
        let mut at = 0;
        let before = found.len();
        while at < words.len() {
            let Some((phrase, meaning)) = ANYWHERE
                .iter()
                .find(|(phrase, _)| words::starts_with(&words[at..], phrase))
            else {
                at += 1;
                continue;
            };
            let length = phrase.split(' ').count();
            if let Some(yes) = *meaning {
                let negated = at > 0 && matches!(words[at - 1].text.as_str(), "not" | "never");
                found.push(candidate(&clause, &words[at..at + length], yes != negated));
            }
            at += length;
        }
        if found.len() > before {
            continue;
        }
        let core: Vec<Word> = words
            .iter()
            .filter(|word| !POLITE.contains(&word.text.as_str()))
            .cloned()
            .collect();
        let fits = ALONE.iter().find(|(phrase, _)| {
            words::starts_with(&core, phrase) && phrase.split(' ').count() == core.len()
        });
        if let Some((phrase, yes)) = fits
            && !(thanked && matches!(*phrase, "ok" | "okay" | "fine" | "perfect"))
        {
            found.push(candidate(&clause, &core, *yes));
        } else if let Some(no) = leading_no(&words) {
            found.push(candidate(&clause, no, false));
        } else if let Some(yes) = leading_yes(&words) {
            found.push(candidate(&clause, yes, true));
        }
    }
    found
}

/// Agreement that is as often mockery.
static MOCKING: Cues =
    Cues::new("yeah right, yea right, yes right, sure right, oh sure, as if, ha ha");

/// `No` at the start of a clause, followed by somebody (`no it is not`, `no we have none`) and
/// not by a thing (`no keys`).
fn leading_no(words: &[Word]) -> Option<&[Word]> {
    let followed = words.get(1).is_some_and(|word| {
        matches!(
            word.text.as_str(),
            "i" | "we" | "it" | "that" | "he" | "she" | "they" | "sorry" | "there" | "not"
        )
    });
    (words.first()?.text == "no" && followed).then(|| &words[..1])
}

/// `Certainly` and the like as a whole clause, or before somebody or something said to be so.
/// Before other words they only stress those (`absolutely lovely`).
fn leading_yes(words: &[Word]) -> Option<&[Word]> {
    let length = CERTAINLY.starts(words)?;
    let stresses = words.get(length).is_some_and(|word| {
        !matches!(
            word.text.as_str(),
            "i" | "we" | "it" | "that" | "you" | "he" | "she" | "they" | "fine" | "ok" | "possible"
        )
    });
    (!stresses).then(|| &words[..length])
}

static CERTAINLY: Cues = Cues::new("of course, certainly, absolutely, definitely");

fn candidate(clause: &std::ops::Range<usize>, words: &[Word], yes: bool) -> Candidate {
    let start = words.first().map_or(0, |word| word.span.start);
    let end = words.last().map_or(0, |word| word.span.end);
    Candidate {
        span: clause.start + start..clause.start + end,
        value: Value::Boolean(yes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::testing::context;
    use rstest::rstest;

    #[rstest]
    #[case("Yes please", &[true])]
    #[case("Yes", &[true])]
    #[case("no", &[false])]
    #[case("No, sorry.", &[false])]
    #[case("No we haven't", &[false])]
    #[case("That's not a problem at all", &[true])]
    #[case("No problem!", &[true])]
    #[case("Of course not.", &[false])]
    #[case("I don't agree", &[false])]
    #[case("I'm afraid not", &[false])]
    #[case("Sure", &[true])]
    #[case("I'm not sure", &[])]
    #[case("Please make sure that the door is locked", &[])]
    #[case("There are no keys", &[])]
    #[case("No keys were found", &[])]
    #[case("No idea", &[])]
    #[case("Ok thanks", &[])]
    #[case("OK, thanks", &[])]
    #[case("OK", &[true])]
    #[case("I can't, unfortunately", &[false])]
    #[case("I can't find the invoice", &[])]
    #[case("Of course", &[true])]
    #[case("Please don't.", &[false])]
    #[case("I will definitely look at it", &[])]
    #[case("I never said yes", &[])]
    #[case("Absolutely gorgeous weather today", &[])]
    #[case("Certainly", &[true])]
    #[case("Yeah right.", &[])]
    #[case("Yeah, right.", &[])]
    #[case("Yeah.", &[true])]
    #[case("Yes. No, wait, no.", &[true, false, false])]
    #[case("The correct address is 5 High Street", &[])]
    fn yes_and_no_are_found_as_people_say_them(#[case] text: &str, #[case] expected: &[bool]) {
        let found: Vec<_> = Boolean {}
            .find(text, &context())
            .into_iter()
            .map(|candidate| candidate.value)
            .collect();
        let expected: Vec<_> = expected.iter().map(|yes| Value::Boolean(*yes)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

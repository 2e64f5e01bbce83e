//! Values that come beside the words.

use super::{Claim, refused, values};
use crate::{
    gate::{Quote, Verdict, vetoes},
    value::{Candidate, words},
};

impl Claim<'_> {
    /// A file, which the words need not even mention.
    pub(super) fn judge_attached(&self) -> Verdict {
        let name = self.form.quote.trim();
        let holds = |words: &usize| {
            let attachments = self.request.context(*words).attachments;
            !name.is_empty() && attachments.iter().any(|file| file.name == name)
        };
        let Some(words) = (0..self.request.words.len()).rev().find(holds) else {
            return refused("the quote is the name of no attachment");
        };
        let context = self.request.context(words);
        let text = self.request.words[words].text.as_str();
        let quote = Quote {
            words,
            text: name.to_owned(),
        };
        let found = self.rules().find(text, &context);
        let unclear = |why: &str| self.unclear_at(quote.clone(), values(&found), why);
        let proposed = match self.rules().read(&self.form.value, &context) {
            Ok(Some(proposed)) => proposed,
            Ok(None) => return unclear("no file is proposed"),
            Err(fault) => return refused(&fault.0),
        };
        if proposed.plain() != name {
            return refused("the quote names another file than the value");
        }
        if !found.iter().any(|other| other.value == proposed) {
            return refused("the file is not of an acceptable type");
        }
        // Of several files it is the one that the words name.
        let named: Vec<&Candidate> = found
            .iter()
            .filter(|file| text.contains(&file.value.plain()))
            .collect();
        let alone = match named[..] {
            [] => found.len() == 1,
            [only] => only.value == proposed,
            _ => false,
        };
        let sentences = words::sentences(text);
        let later = sentences
            .iter()
            .any(|sentence| vetoes::promises(&words::words(&text[sentence.clone()])));
        if let Some(why) = self.doubts() {
            return unclear(&why);
        }
        if vetoes::addresses_software(text) {
            return unclear("the words are addressed to the software");
        }
        if !alone {
            return unclear("several files came, and the words do not say which one it is");
        }
        if later {
            return unclear("the words promise something for later");
        }
        match self.rules().check(&proposed) {
            Err(fault) => refused(&fault.0),
            Ok(()) => self.against_current(proposed, quote, false, false),
        }
    }
}

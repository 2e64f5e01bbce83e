//! From drafts to faults.
//!
//! A draft may use other words than its plan, in another order; it may not leave anything out,
//! bring anything in, or promise. All comparisons are made with the plan's texts as the templates
//! clean them, so that a template's own wording never has a fault.
//!
//! The lists of words here are English: a draft in another language mostly fails, and the template
//! goes out. That errs on the safe side.

mod coverage;
mod manner;
mod ordinary;
mod strangers;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use crate::plan::{Draft, MessagePlan};

/// The most faults that are named: a writer mends no more in one go.
const MOST_FAULTS: usize = 20;

/// What is wrong with a draft; empty when it may leave. At most twenty faults are named.
pub fn faults(plan: &MessagePlan, draft: &Draft) -> Vec<DraftFault> {
    let mut faults = Faults::default();
    manner::form(&mut faults, plan, draft);
    // What follows reads the whole text several times, so an absurdly long one stops here.
    if faults.found.is_empty() {
        let vocabulary = vocabulary::Vocabulary::of(plan);
        manner::voice(&mut faults, plan, &vocabulary, draft);
        coverage::check(&mut faults, plan, &draft.body);
        strangers::check(&mut faults, &vocabulary, &draft.subject);
        strangers::check(&mut faults, &vocabulary, &draft.body);
    }
    faults.found
}

/// One fault of a draft, in a sentence that tells a writer what to mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DraftFault(pub String);

/// The faults found so far, each once.
#[derive(Default)]
struct Faults {
    found: Vec<DraftFault>,
}

impl Faults {
    fn add(&mut self, sentence: impl Into<String>) {
        let fault = DraftFault(sentence.into());
        if self.found.len() < MOST_FAULTS && !self.found.contains(&fault) {
            self.found.push(fault);
        }
    }

    fn add_unless(&mut self, fine: bool, sentence: impl FnOnce() -> String) {
        if !fine {
            self.add(sentence());
        }
    }
}

/// A text short enough to be named in a fault.
fn excerpt(text: &str) -> String {
    const MOST: usize = 80;
    let text = crate::plan::template::clean::one_line(text);
    if text.chars().count() <= MOST {
        text
    } else {
        format!("{}…", text.chars().take(MOST).collect::<String>())
    }
}

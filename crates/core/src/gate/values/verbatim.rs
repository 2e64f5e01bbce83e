//! Values that are the words themselves.

use super::{Claim, Judged, objections, refused};
use crate::{
    gate::{
        passage::{self, Passage, join, meet},
        vetoes,
    },
    value::{Value, words},
};
use std::ops::Range;

impl<'r> Claim<'r> {
    /// Words that are themselves the value.
    pub(super) fn judge_verbatim(&self) -> Judged<'r> {
        let Some(quoted) = Passage::locate(self.request, &self.form.quote) else {
            return refused("the quote does not stand in the words").into();
        };
        let context = self.request.context(quoted.words);
        let proposed = match self.rules().read(&self.form.value, &context) {
            Ok(Some(proposed)) => proposed,
            Ok(None) => {
                return self
                    .unclear(&quoted, Vec::new(), "no value is proposed")
                    .into();
            }
            Err(fault) => return refused(&fault.0).into(),
        };
        let around = quoted.sentences();
        let Some(piece) = around
            .first()
            .zip(around.last())
            .and_then(|(first, last)| piece_of(&quoted, &join(first, last), &proposed.plain()))
        else {
            return refused("the value does not stand in the quoted sentences").into();
        };
        // What stands in the text is taken, not a model's copy of it.
        let value = Value::Text(quoted.text[piece.clone()].to_owned());
        let around: Vec<_> = around
            .into_iter()
            .filter(|sentence| meet(sentence, &piece))
            .collect();
        let quoted = quoted.at(join(&quoted.span, &piece));
        let undecided = around.iter().find_map(|sentence| {
            let words = words::words(&quoted.text[sentence.clone()]);
            vetoes::is_undecided(&words).then(|| "the words leave it open".to_owned())
        });
        let other = self.rules().find(&quoted.text[piece.clone()], &context);
        let objection = self
            .doubts()
            .or_else(|| objections::to_any(quoted.text, &around))
            .or(undecided)
            .or_else(|| {
                (!other.is_empty() && !other.iter().any(|found| found.value == value))
                    .then(|| "code reads another value from the words".to_owned())
            });
        if let Some(why) = objection {
            return self.unclear(&quoted, vec![value], &why).into();
        }
        self.settle(value, &quoted, &around).into()
    }
}

/// Where a proposed text stands within the quoted sentences, apart from the width of white space.
fn piece_of(quoted: &Passage<'_>, around: &Range<usize>, proposed: &str) -> Option<Range<usize>> {
    let at = passage::find(&quoted.text[around.clone()], proposed)?;
    Some(around.start + at.start..around.start + at.end)
}

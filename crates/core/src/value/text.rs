//! `text`.

use super::{Candidate, KindRules, ReadContext, SpecFault, Value, ValueFault, or_null};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Free words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The most characters that are acceptable, at most 4,000; without it, 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<u32>,
}

impl Text {
    /// The longest value that can be asked for: it is kept in the conversation's document, and read
    /// back to people.
    pub const LONGEST: u32 = 4_000;
    const USUAL: u32 = 1_000;

    fn limit(&self) -> usize {
        self.longest.unwrap_or(Self::USUAL).min(Self::LONGEST) as usize
    }
}

impl KindRules for Text {
    fn validate(&self) -> Result<(), SpecFault> {
        match self.longest {
            Some(longest) if longest == 0 || longest > Self::LONGEST => Err(SpecFault::new(
                "longest",
                format!("{longest} is outside 1 to {}", Self::LONGEST),
            )),
            _ => Ok(()),
        }
    }

    fn schema(&self, _context: &ReadContext<'_>) -> serde_json::Value {
        or_null(json!({ "type": "string" }))
    }

    fn read(
        &self,
        proposed: &serde_json::Value,
        _context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        match proposed {
            serde_json::Value::Null => Ok(None),
            serde_json::Value::String(text) if text.trim().is_empty() => Ok(None),
            serde_json::Value::String(text) => Ok(Some(Value::Text(text.trim().to_owned()))),
            _ => Err(ValueFault(
                "a text value is a string of the person's words, or null".to_owned(),
            )),
        }
    }

    fn find(&self, _text: &str, _context: &ReadContext<'_>) -> Vec<Candidate> {
        // Any words could be the answer; which of them are it, only a reader can say.
        Vec::new()
    }

    fn must_be_found(&self) -> bool {
        false
    }

    fn check(&self, value: &Value) -> Result<(), ValueFault> {
        let Value::Text(text) = value else {
            return Err(ValueFault::not_a("text", value));
        };
        if text.trim().is_empty() {
            return Err(ValueFault("the text is empty".to_owned()));
        }
        let length = text.chars().count();
        if length > self.limit() {
            return Err(ValueFault(format!(
                "the text has {length} characters, and at most {} are acceptable",
                self.limit()
            )));
        }
        Ok(())
    }

    fn show(&self, value: &Value) -> String {
        value.plain()
    }

    fn hint(&self) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::testing::context;

    #[test]
    fn a_text_is_bounded_and_not_blank() {
        let kind = Text { longest: Some(3) };
        assert!(kind.validate().is_ok());
        assert!(kind.check(&Value::Text("äöü".to_owned())).is_ok());
        assert!(kind.check(&Value::Text("four".to_owned())).is_err());
        assert!(kind.check(&Value::Text("  ".to_owned())).is_err());
        assert!(kind.check(&Value::Boolean(true)).is_err());
        let too_long = Text {
            longest: Some(4_001),
        };
        assert_eq!(too_long.validate().unwrap_err().field, "longest");
    }

    #[test]
    fn a_blank_proposal_is_none() {
        let kind = Text::default();
        assert_eq!(kind.read(&json!("  "), &context()), Ok(None));
        assert_eq!(
            kind.read(&json!(" under the mat "), &context()),
            Ok(Some(Value::Text("under the mat".to_owned())))
        );
        assert!(kind.read(&json!(5), &context()).is_err());
    }
}

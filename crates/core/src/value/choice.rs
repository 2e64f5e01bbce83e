//! `choice`.

use super::{Candidate, KindRules, ReadContext, SpecFault, Value, ValueFault};
use serde::{Deserialize, Serialize};

/// One of 2 to 20 named options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The options, in the order in which they are offered.
    pub options: Vec<ChoiceOption>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    /// The value that the workflow gets: 1 to 64 of `a-z`, `0-9`, `_` and `-`.
    pub value: String,
    /// How the option is said to the stakeholder, from our side of the conversation: `have us
    /// arrange it for you`. Without one, the value itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Further words that mean this option.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
}

impl KindRules for Choice {
    fn validate(&self) -> Result<(), SpecFault> {
        Ok(())
    }
    fn schema(&self, _context: &ReadContext<'_>) -> serde_json::Value {
        serde_json::Value::Null
    }
    fn read(
        &self,
        _proposed: &serde_json::Value,
        _context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        Ok(None)
    }
    fn find(&self, _text: &str, _context: &ReadContext<'_>) -> Vec<Candidate> {
        Vec::new()
    }
    fn must_be_found(&self) -> bool {
        true
    }
    fn check(&self, _value: &Value) -> Result<(), ValueFault> {
        Ok(())
    }
    fn show(&self, value: &Value) -> String {
        format!("{value:?}")
    }
    fn hint(&self) -> Option<String> {
        None
    }
}

//! `choice`.

mod mentions;
mod roles;

use super::{Candidate, KindRules, ReadContext, SpecFault, Value, ValueFault, or_null};
use serde::{Deserialize, Serialize};
use serde_json::json;

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

/// More options than this are a list to search in, not a question to a person.
const MOST_OPTIONS: usize = 20;
/// More synonyms than this would be a grammar.
const MOST_SYNONYMS: usize = 20;
/// The longest value, in bytes.
const LONGEST_VALUE: usize = 64;
/// The longest label or synonym, in characters: it has to fit into a question.
const LONGEST_LABEL: usize = 200;

impl ChoiceOption {
    /// How the option is said to a person.
    fn said(&self) -> String {
        self.label
            .clone()
            .unwrap_or_else(|| self.value.replace(['_', '-'], " "))
    }
}

impl KindRules for Choice {
    fn validate(&self) -> Result<(), SpecFault> {
        if !(2..=MOST_OPTIONS).contains(&self.options.len()) {
            return Err(SpecFault::new(
                "options",
                format!(
                    "a choice needs 2 to {MOST_OPTIONS} options, and this one has {}",
                    self.options.len()
                ),
            ));
        }
        for (i, option) in self.options.iter().enumerate() {
            let field = |name: &str| format!("options[{i}].{name}");
            check_value(&option.value).map_err(|remedy| SpecFault::new(field("value"), remedy))?;
            if let Some(label) = &option.label {
                check_said(label).map_err(|remedy| SpecFault::new(field("label"), remedy))?;
            }
            if option.synonyms.len() > MOST_SYNONYMS {
                return Err(SpecFault::new(
                    field("synonyms"),
                    format!("use at most {MOST_SYNONYMS}"),
                ));
            }
            for (j, synonym) in option.synonyms.iter().enumerate() {
                check_said(synonym)
                    .map_err(|remedy| SpecFault::new(field(&format!("synonyms[{j}]")), remedy))?;
            }
            for earlier in &self.options[..i] {
                if earlier.value == option.value {
                    return Err(SpecFault::new(
                        field("value"),
                        format!("{:?} is the value of another option too", option.value),
                    ));
                }
                if earlier.said().to_lowercase() == option.said().to_lowercase() {
                    return Err(SpecFault::new(
                        field("label"),
                        format!("{:?} is how another option is said too", option.said()),
                    ));
                }
                let shared = |synonym: &&String| {
                    earlier
                        .synonyms
                        .iter()
                        .any(|other| other.to_lowercase() == synonym.to_lowercase())
                };
                if let Some(synonym) = option.synonyms.iter().find(shared) {
                    return Err(SpecFault::new(
                        field("synonyms"),
                        format!("{synonym:?} is a synonym of {:?} too", earlier.value),
                    ));
                }
            }
        }
        Ok(())
    }

    fn schema(&self, _context: &ReadContext<'_>) -> serde_json::Value {
        let values: Vec<_> = self.options.iter().map(|option| &option.value).collect();
        or_null(json!({ "type": "string", "enum": values }))
    }

    fn read(
        &self,
        proposed: &serde_json::Value,
        _context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        match proposed {
            serde_json::Value::Null => Ok(None),
            serde_json::Value::String(name) => {
                let value = Value::Choice(name.clone());
                self.check(&value).map(|()| Some(value))
            }
            _ => Err(ValueFault(
                "a choice is the value of an option, or null".to_owned(),
            )),
        }
    }

    fn find(&self, text: &str, _context: &ReadContext<'_>) -> Vec<Candidate> {
        let mut found = mentions::find(self, text);
        for candidate in roles::find(self, text) {
            // The same option said twice in one breath (`please arrange it for me, agency`) is one.
            let known = found.iter().any(|other: &Candidate| {
                other.value == candidate.value
                    && other.span.start < candidate.span.end
                    && candidate.span.start < other.span.end
            });
            if !known {
                found.push(candidate);
            }
        }
        // `Arrange it yourself!` repeats our words, or throws them back at us: it could mean any.
        let thrown_back = roles::thrown_back(self, text);
        if !thrown_back.is_empty() {
            found.retain(|candidate| {
                !thrown_back.iter().any(|clause| {
                    clause.start < candidate.span.end && candidate.span.start < clause.end
                })
            });
            for clause in thrown_back {
                found.extend(self.options.iter().map(|option| Candidate {
                    span: clause.clone(),
                    value: Value::Choice(option.value.clone()),
                }));
            }
        }
        found.sort_by_key(|candidate| candidate.span.start);
        found
    }

    fn must_be_found(&self) -> bool {
        true
    }

    fn is_closed(&self) -> bool {
        true
    }

    fn check(&self, value: &Value) -> Result<(), ValueFault> {
        match value {
            Value::Choice(name) if self.options.iter().any(|option| option.value == *name) => {
                Ok(())
            }
            Value::Choice(name) => Err(ValueFault(format!("{name:?} is none of the options"))),
            other => Err(ValueFault::not_a("choice", other)),
        }
    }

    fn show(&self, value: &Value) -> String {
        let option = match value {
            Value::Choice(name) => self.options.iter().find(|option| option.value == *name),
            _ => None,
        };
        option.map_or_else(|| value.plain(), ChoiceOption::said)
    }

    fn hint(&self) -> Option<String> {
        let said: Vec<String> = self.options.iter().map(ChoiceOption::said).collect();
        let (last, others) = said.split_last()?;
        if others.is_empty() {
            return Some(last.clone());
        }
        Some(format!("{} or {last}", others.join(", ")))
    }
}

fn check_value(value: &str) -> Result<(), String> {
    let good = (1..=LONGEST_VALUE).contains(&value.len())
        && value
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
    if good {
        Ok(())
    } else {
        Err(format!(
            "{value:?} must be 1 to {LONGEST_VALUE} of a-z, 0-9, _ and -; say it differently in label"
        ))
    }
}

fn check_said(text: &str) -> Result<(), String> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        Err("must not be blank; leave it out instead".to_owned())
    } else if length > LONGEST_LABEL {
        Err(format!(
            "has {length} characters; use at most {LONGEST_LABEL}"
        ))
    } else if text.chars().any(char::is_control) {
        Err("must be a single line".to_owned())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! Reading JSON so that a fault names its field.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFault {
    /// Its place in the request: `slots[0].options`. Empty for the request as a whole.
    pub field: String,
    /// What is wrong with it, and what to do about it.
    pub detail: String,
}

impl FieldFault {
    /// A fault of the field at this place.
    pub fn new(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            detail: detail.into(),
        }
    }

    /// The same fault, seen from the object that holds this one at `parent`.
    pub fn inside(mut self, parent: &str) -> Self {
        self.field = join(parent, &self.field);
        self
    }
}

/// Reads a request from JSON. What does not fit is named by its place; the offending value itself
/// is never repeated, for it may be an address.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, FieldFault> {
    // Serde would take an array for a struct too, field by field.
    if !value.is_object() {
        return Err(FieldFault::new("", "expected an object"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        fault(&path, &error.inner().to_string())
    })
}

/// Turns serde's message into a fault. The message's beginnings (`missing field`, `unknown field`,
/// `invalid type: ..., expected ...`) are those of `serde::de::Error`'s provided methods.
fn fault(path: &str, message: &str) -> FieldFault {
    if let Some(name) = quoted_after(message, "missing field ") {
        return FieldFault::new(join(path, name), "this field is required");
    }
    if let Some(name) = quoted_after(message, "unknown field ") {
        // The path may or may not end with the unknown field itself.
        let field = match path.rsplit(['.', ']']).next() {
            Some(last) if last == name => path.to_owned(),
            _ => join(path, name),
        };
        let detail = match expected(message) {
            Some(fields) => format!("there is no such field here; expected {fields}"),
            None => "there is no such field here".to_owned(),
        };
        return FieldFault::new(cut(&field), detail);
    }
    let detail = match expected(message) {
        Some(what) => format!("expected {}", in_words_of_json(what)),
        None => message.to_owned(),
    };
    FieldFault::new(cut(path), detail)
}

fn quoted_after<'a>(message: &'a str, prefix: &str) -> Option<&'a str> {
    message
        .strip_prefix(prefix)?
        .strip_prefix('`')?
        .split('`')
        .next()
}

/// The part of serde's message that says what would have fitted. The value that did not comes
/// before it and may itself contain anything, so the last occurrence counts.
fn expected(message: &str) -> Option<&str> {
    message.rsplit_once(", expected ").map(|(_, what)| what)
}

/// Serde names what it expected in Rust's words.
fn in_words_of_json(what: &str) -> &str {
    match what {
        "a map" => "an object",
        "a sequence" => "an array",
        "a boolean" => "true or false",
        "u8" | "u16" | "u32" | "u64" => "a whole number",
        what if what.starts_with("struct ") => "an object",
        what => what,
    }
}

fn join(parent: &str, child: &str) -> String {
    match (parent, child) {
        ("", child) => child.to_owned(),
        (parent, "") => parent.to_owned(),
        (parent, child) if child.starts_with('[') => format!("{parent}{child}"),
        (parent, child) => format!("{parent}.{child}"),
    }
}

/// Names of fields come from outside; a place longer than this helps nobody.
fn cut(path: &str) -> String {
    path.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[serde(rename = "inner")]
        _inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(rename = "name")]
        _name: String,
        #[serde(rename = "count", default)]
        _count: u32,
    }

    #[test]
    fn a_fault_names_its_field_and_never_repeats_the_value() {
        let cases = [
            (json!({}), "inner", "this field is required"),
            (
                json!({"inner": [{}]}),
                "inner[0].name",
                "this field is required",
            ),
            (
                json!({"inner": [{"name": 3}]}),
                "inner[0].name",
                "expected a string",
            ),
            (
                json!({"inner": [{"name": "a", "count": "ana@example.com, expected x"}]}),
                "inner[0].count",
                "expected a whole number",
            ),
            (
                json!({"inner": [{"name": "a", "nmae": "b"}]}),
                "inner[0].nmae",
                "there is no such field here; expected `name` or `count`",
            ),
            (json!({"inner": [5]}), "inner[0]", "expected an object"),
            (json!([[]]), "", "expected an object"),
        ];
        for (value, field, detail) in cases {
            let fault = read::<Outer>(value.clone()).expect_err("does not fit");
            assert_eq!(fault, FieldFault::new(field, detail), "{value}");
        }
    }
}

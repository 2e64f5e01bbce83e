//! Hashes of keys and requests.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The SHA-256 of some text, in hexadecimal.
pub(crate) fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A hash of a request that is the same however its fields are ordered and spaced.
pub(crate) fn request_hash(request: &Value) -> String {
    sha256_hex(&sorted(request).to_string())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            fields
                .into_iter()
                .map(|(name, value)| (name.clone(), sorted(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_order_of_fields_does_not_matter_and_everything_else_does() {
        let hash = |value| request_hash(&value);
        let one = hash(json!({"a": 1, "b": {"c": [1, 2], "d": null}}));
        assert_eq!(one, hash(json!({"b": {"d": null, "c": [1, 2]}, "a": 1})));
        assert_ne!(one, hash(json!({"b": {"d": null, "c": [2, 1]}, "a": 1})));
        assert_ne!(one, hash(json!({"b": {"d": null, "c": [1, 2]}, "a": 2})));
    }
}

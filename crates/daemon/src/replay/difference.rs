//! Where two documents differ.

use anyhow::Result;
use liaison_core::conversation::Conversation;
use serde_json::Value;

/// More places than this say no more than that they differ.
const MOST: usize = 20;

/// A value that is shown is cut here: the document has the rest.
const LONGEST: usize = 200;

/// The places at which a replayed document differs from the stored one, with both values.
pub(super) fn differences(replayed: &Conversation, stored: &Conversation) -> Result<Vec<String>> {
    if replayed == stored {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    compare(
        "",
        &serde_json::to_value(replayed)?,
        &serde_json::to_value(stored)?,
        &mut found,
    );
    if found.is_empty() {
        found.push("they differ in what is not written".to_owned());
    }
    Ok(found)
}

fn compare(place: &str, replayed: &Value, stored: &Value, found: &mut Vec<String>) {
    if found.len() >= MOST || replayed == stored {
        return;
    }
    match (replayed, stored) {
        (Value::Object(a), Value::Object(b)) => {
            for (name, value) in a {
                let other = b.get(name).unwrap_or(&Value::Null);
                compare(&join(place, name), value, other, found);
            }
            for (name, value) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
                compare(&join(place, name), &Value::Null, value, found);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for at in 0..a.len().max(b.len()) {
                let value = |list: &[Value]| list.get(at).cloned().unwrap_or(Value::Null);
                compare(&format!("{place}[{at}]"), &value(a), &value(b), found);
            }
        }
        _ => found.push(format!(
            "{place}: replayed {}, stored {}",
            cut(replayed),
            cut(stored)
        )),
    }
}

fn join(place: &str, name: &str) -> String {
    match place {
        "" => name.to_owned(),
        place => format!("{place}.{name}"),
    }
}

fn cut(value: &Value) -> String {
    value.to_string().chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_is_told_by_its_place_with_both_values() {
        let mut found = Vec::new();
        compare(
            "",
            &json!({"a": {"b": [1, 2]}, "c": 1, "d": 1}),
            &json!({"a": {"b": [1, 3, 4]}, "c": 1, "e": 2}),
            &mut found,
        );
        assert_eq!(
            found,
            [
                "a.b[1]: replayed 2, stored 3",
                "a.b[2]: replayed null, stored 4",
                "d: replayed 1, stored null",
                "e: replayed null, stored 2",
            ]
        );
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let (a, b): (Vec<u32>, Vec<u32>) = ((0..100).collect(), (1..101).collect());
        let mut found = Vec::new();
        compare("", &json!(a), &json!(b), &mut found);
        assert_eq!(found.len(), MOST);
    }
}

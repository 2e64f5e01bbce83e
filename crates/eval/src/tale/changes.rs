//! What an operation changed, in words.

use liaison_core::conversation::Conversation;
use serde_json::Value;

/// The document's fields that are told in other ways, or not at all: bookkeeping.
const TOLD_ELSEWHERE: [&str; 26] = [
    "guidance",
    "attended_at",
    "format",
    "id",
    "tenant",
    "revision",
    "opened_at",
    "stakeholder",
    "reply_token",
    "policy",
    "thread",
    "needs",
    "slots",
    "need_operations",
    "transcripts",
    "inbox",
    "reading",
    "reply_items",
    "asks",
    "outgoing",
    "sent",
    "chase_from",
    "holds",
    "taken_over",
    "quick_actions",
    "settled",
];

/// What is different in `after`, one sentence each.
pub(super) fn between(before: &Conversation, after: &Conversation) -> Vec<String> {
    let mut said = Vec::new();
    for (key, slot) in &after.slots {
        let old = before.slots.get(key).map(|slot| &slot.standing);
        if old != Some(&slot.standing) {
            let standing = serde_json::to_value(&slot.standing).unwrap_or_default();
            // A question that has just come up is no news: it will be seen when it is asked.
            if standing["state"] != "missing" || old.is_some() {
                said.push(format!("{key}: {}", described(&standing, "state")));
            }
        }
    }
    for contact in &after.stakeholder.contacts {
        let old = before.stakeholder.contact(&contact.address);
        let changed = old.is_some_and(|old| old != contact);
        if changed || (old.is_none() && before.revision > 0) {
            let contact = serde_json::to_value(contact).unwrap_or_default();
            said.push(format!(
                "The address {}: {}, consent {}.",
                plain(&contact["address"]),
                described(&contact["health"], "state"),
                described(&contact["consent"], "state"),
            ));
        }
    }
    for hold in &after.holds {
        if !before.holds.iter().any(|old| old.id == hold.id) {
            said.push(format!(
                "On hold ({}): {}",
                hold.reason.name(),
                hold.reason.sentence()
            ));
        }
    }
    for hold in &before.holds {
        if !after.holds.iter().any(|new| new.id == hold.id) {
            said.push(format!("The hold is lifted ({}).", hold.reason.name()));
        }
    }
    match (&before.taken_over, &after.taken_over) {
        (None, Some(taken)) => said.push(format!("{} has the conversation now.", taken.by)),
        (Some(taken), None) => said.push(format!("{} has given it back.", taken.by)),
        _ => {}
    }
    for guidance in &after.guidance {
        if !before.guidance.iter().any(|old| old.id == guidance.id) {
            let until = guidance
                .until
                .map_or(String::new(), |until| format!(" until {until}"));
            said.push(format!(
                "Guidance{until}, by {}: {}",
                guidance.by, guidance.text
            ));
        }
    }
    for guidance in &before.guidance {
        if !after.guidance.iter().any(|new| new.id == guidance.id) {
            said.push(format!("This guidance is over: {}", guidance.text));
        }
    }
    let (before, after) = (
        serde_json::to_value(before).unwrap_or_default(),
        serde_json::to_value(after).unwrap_or_default(),
    );
    if let Value::Object(fields) = &after {
        for (field, value) in fields {
            let old = &before[field];
            if !TOLD_ELSEWHERE.contains(&field.as_str()) && old != value {
                said.push(format!("{}: {}", spaced(field), plain(value)));
            }
        }
    }
    said
}

/// A tagged value in words: its tag, then its fields.
pub(super) fn described(value: &Value, tag: &str) -> String {
    let Value::Object(fields) = value else {
        return plain(value);
    };
    let mut said = vec![spaced(
        fields.get(tag).and_then(Value::as_str).unwrap_or("?"),
    )];
    for (field, value) in fields {
        match field.as_str() {
            _ if field == tag => {}
            "evidence" => {
                if let Some(words) = evidence(value) {
                    said.push(words);
                }
            }
            "confirmed_by" => {
                said.extend(evidence(value).map(|words| format!("confirmed {words}")));
            }
            "value" => said.push(plain(value)),
            // The instant of the operation, or of the message that is quoted.
            "as_of" | "message" | "hold" | "since" | "at" => {}
            _ => said.push(format!("{} {}", spaced(field), plain(value))),
        }
    }
    said.join(", ")
}

/// A value and what it rests on.
pub(super) fn value_and_evidence(value: &Value) -> String {
    let mut said = vec![plain(&value["value"])];
    said.extend(evidence(&value["evidence"]));
    let confirmed = evidence(&value["confirmed_by"]);
    said.extend(confirmed.map(|words| format!("confirmed {words}")));
    if value["reused"] == true {
        said.push("reused".to_owned());
    }
    said.join(", ")
}

fn evidence(evidence: &Value) -> Option<String> {
    let text = |field: &str| evidence[field].as_str();
    Some(match (text("source")?, text("quote")) {
        ("message", Some(quote)) => format!("from “{quote}”"),
        ("transcript", Some(quote)) => format!("from an earlier transcript, “{quote}”"),
        ("operator", _) => format!(
            "entered by {}: {}",
            text("by").unwrap_or("?"),
            text("note").unwrap_or("")
        ),
        (source, quote) => format!("{source} {}", quote.unwrap_or_default()),
    })
}

/// A value as a person would write it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => match items.as_slice() {
            [] => "none".to_owned(),
            items => items.iter().map(plain).collect::<Vec<_>>().join(" / "),
        },
        Value::Object(fields) => match fields.get("value") {
            Some(value) if fields.contains_key("kind") => plain(value),
            // Of a file, people know the name.
            _ if fields.contains_key("blob") => plain(&fields["name"]),
            _ => fields
                .iter()
                .filter(|(field, _)| field.as_str() != "message")
                .map(|(field, value)| format!("{} {}", spaced(field), plain(value)))
                .collect::<Vec<_>>()
                .join(", "),
        },
        other => other.to_string(),
    }
}

/// A name of code as words.
pub(super) fn spaced(name: &str) -> String {
    let mut words = String::new();
    for (place, c) in name.chars().enumerate() {
        match c {
            '_' => words.push(' '),
            c if c.is_uppercase() => {
                if place > 0 {
                    words.push(' ');
                }
                words.extend(c.to_lowercase());
            }
            c => words.push(c),
        }
    }
    words
}

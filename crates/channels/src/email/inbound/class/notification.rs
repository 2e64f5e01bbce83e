//! Amazon SES tells senders of bounces and complaints in JSON, by mail where
//! they have nothing else: the notification itself, or inside the envelope of
//! the service that carries it.

use serde_json::Value;

use super::super::header::is_address;
use super::super::limits::{MAX_DIAGNOSTIC_CHARS, MAX_REPORTED_RECIPIENTS};
use super::super::mime::Part;
use super::report::{DeliveryOutcome, DeliveryReport, ReportedRecipient};
use super::{Class, FeedbackKind, cause};

pub(super) fn classify(root: &Part<'_>, text: &str) -> Option<Class> {
    let from = root.headers.addresses("from").into_iter().next()?.address;
    if !from.to_ascii_lowercase().ends_with("@sns.amazonaws.com") {
        return None;
    }
    let event = event(text)?;
    let kind = event["notificationType"]
        .as_str()
        .or_else(|| event["eventType"].as_str())?;
    let original_message_id = event["mail"]["commonHeaders"]["messageId"]
        .as_str()
        .map(|id| id.trim_matches(['<', '>']).to_owned());
    let report = |list: &Value, outcome| DeliveryReport {
        recipients: recipients(list, outcome),
        original_message_id: original_message_id.clone(),
    };
    match kind {
        "Bounce" => Some(Class::Bounce(report(
            &event["bounce"]["bouncedRecipients"],
            DeliveryOutcome::Failed,
        ))),
        "DeliveryDelay" => Some(Class::Bounce(report(
            &event["deliveryDelay"]["delayedRecipients"],
            DeliveryOutcome::Delayed,
        ))),
        "Delivery" => Some(Class::Delivered(report(
            &event["delivery"]["recipients"],
            DeliveryOutcome::Delivered,
        ))),
        "Complaint" => Some(Class::FeedbackReport {
            kind: FeedbackKind::Abuse,
            original_message_id,
        }),
        _ => None,
    }
}

/// The event in a text. Lines of mail are short, so carriers break the JSON,
/// some with a `!` to mark where (as Sendmail does).
fn event(text: &str) -> Option<Value> {
    let start = text.find('{')?;
    let end = text.rfind('}')?;
    let json = text.get(start..=end)?.replace("!\n ", "").replace('\n', "");
    let outer: Value = serde_json::from_str(&json).ok()?;
    match outer["Message"].as_str() {
        Some(inner) => serde_json::from_str(inner).ok(),
        None => Some(outer),
    }
}

fn recipients(list: &Value, outcome: DeliveryOutcome) -> Vec<ReportedRecipient> {
    let Some(list) = list.as_array() else {
        return Vec::new();
    };
    let one = |entry: &Value| {
        let address = entry["emailAddress"].as_str().or(entry.as_str())?;
        let said = entry["diagnosticCode"].as_str().unwrap_or_default();
        let status = cause::best_status(entry["status"].as_str(), said, "");
        is_address(address).then(|| ReportedRecipient {
            address: address.to_owned(),
            hard: outcome == DeliveryOutcome::Failed
                && !status.as_deref().is_some_and(|code| code.starts_with('4'))
                && cause::is_hard(status.as_deref(), said, ""),
            outcome,
            diagnostic: said.chars().take(MAX_DIAGNOSTIC_CHARS).collect(),
            status,
        })
    };
    list.iter()
        .filter_map(one)
        .take(MAX_REPORTED_RECIPIENTS)
        .collect()
}

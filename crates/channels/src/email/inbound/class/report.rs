//! Delivery reports: what they hold, and the standard form of it (RFC 3464).

use super::super::header::is_address;
use super::super::limits::{MAX_DIAGNOSTIC_CHARS, MAX_REPORTED_RECIPIENTS};
use super::cause;

/// What a mail server says became of a mail of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryReport {
    /// Whom it is about; empty when the report does not say.
    pub recipients: Vec<ReportedRecipient>,
    /// The `Message-ID` of the mail, without angle brackets.
    pub original_message_id: Option<String>,
}

/// What became of a mail for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRecipient {
    /// The address, as the report writes it.
    pub address: String,
    /// What happened.
    pub outcome: DeliveryOutcome,
    /// The enhanced status code (RFC 3463), for example `5.1.1`.
    pub status: Option<String>,
    /// The address can never work: no such mailbox or domain, moved away, or
    /// no mail accepted there at all. Full, blocked and delayed are not hard.
    pub hard: bool,
    /// What the server said, for the operator; at most 1000 characters.
    pub diagnostic: String,
}

/// The `Action` field (RFC 3464 section 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// Given up.
    Failed,
    /// Still being tried.
    Delayed,
    /// In the mailbox.
    Delivered,
    /// Handed to a server that reports no further, or to a list.
    Relayed,
}

/// One group of `Name: value` lines.
#[derive(Debug, Default)]
pub(super) struct Group {
    fields: Vec<(String, String)>,
}

impl Group {
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The groups of fields in a text, divided by blank lines, values unfolded.
pub(super) fn groups(text: &str) -> Vec<Group> {
    /// A group per recipient, and one for the message.
    const MAX_GROUPS: usize = 2 * MAX_REPORTED_RECIPIENTS;
    /// RFC 3464 knows some twenty fields.
    const MAX_FIELDS: usize = 60;
    let mut groups = vec![Group::default()];
    for line in text.lines() {
        let Some(group) = groups.last_mut() else {
            break;
        };
        if line.trim().is_empty() {
            if !group.fields.is_empty() {
                if groups.len() >= MAX_GROUPS {
                    break;
                }
                groups.push(Group::default());
            }
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = group.fields.last_mut()
                && value.len() < 8 * MAX_DIAGNOSTIC_CHARS
            {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':')
            && group.fields.len() < MAX_FIELDS
        {
            group
                .fields
                .push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    groups
}

/// The recipients in a text of such groups. `around` is the readable part of
/// the same report, which often says why where the fields do not.
pub(super) fn recipients(text: &str, around: &str) -> Vec<ReportedRecipient> {
    let mut found: Vec<ReportedRecipient> = groups(text)
        .iter()
        .filter_map(recipient)
        .take(MAX_REPORTED_RECIPIENTS)
        .collect();
    let addresses: Vec<String> = found.iter().map(|one| one.address.clone()).collect();
    for one in &mut found {
        let told = about(around, &one.address, &addresses);
        let said = one.diagnostic.clone();
        one.status = cause::best_status(one.status.as_deref(), &said, &told);
        let temporary = one.status.as_deref().is_some_and(|s| s.starts_with('4'));
        one.hard = one.outcome == DeliveryOutcome::Failed
            && !temporary
            && cause::is_hard(one.status.as_deref(), &said, &told);
    }
    found
}

/// What a text says of one address: the lines from each mention of it to the
/// mention of another one. All of it when there is no other one.
pub(super) fn about(text: &str, address: &str, all: &[String]) -> String {
    if all.len() <= 1 || !text.contains(address) {
        return text.to_owned();
    }
    let mut own = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.contains(address) {
            inside = true;
        } else if all.iter().any(|other| line.contains(other.as_str())) {
            inside = false;
        }
        if inside {
            own.push_str(line);
            own.push('\n');
        }
    }
    own
}

fn recipient(group: &Group) -> Option<ReportedRecipient> {
    // The final recipient is what the original was rewritten to; the original,
    // when it is given, is the address that we know.
    let address = [
        "original-recipient",
        "final-recipient",
        "x-actual-recipient",
    ]
    .iter()
    .filter_map(|name| group.first(name))
    .find_map(typed_address)?;
    let outcome = match group
        .first("action")
        .unwrap_or_default()
        .to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default()
    {
        "delayed" => DeliveryOutcome::Delayed,
        "delivered" => DeliveryOutcome::Delivered,
        "relayed" | "expanded" => DeliveryOutcome::Relayed,
        _ => DeliveryOutcome::Failed,
    };
    let said = group.first("diagnostic-code").unwrap_or_default();
    let said = said.split_once(';').map_or(said, |(kind, rest)| {
        if kind.trim().contains(' ') {
            said
        } else {
            rest
        }
    });
    Some(ReportedRecipient {
        address,
        outcome,
        status: group.first("status").and_then(cause::first_status),
        hard: false,
        diagnostic: said.trim().chars().take(MAX_DIAGNOSTIC_CHARS).collect(),
    })
}

/// `rfc822; ann@example.com`, with all the ways that servers write it.
fn typed_address(value: &str) -> Option<String> {
    let bare = value.split_once(';').map_or(value, |(_, address)| address);
    let bare = bare.trim().trim_matches(['<', '>', '"', ' ']);
    let bare = bare.split_whitespace().next().unwrap_or_default();
    is_address(bare).then(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{DeliveryOutcome, recipients};

    #[test]
    fn the_fields_of_the_standard_are_read() {
        let text = "Reporting-MTA: dns; mx.example\n\n\
            Final-Recipient: rfc822; ann@example.com\n\
            Action: failed\n\
            Status: 5.1.1\n\
            Diagnostic-Code: smtp; 550 5.1.1 <ann@example.com>:\n    User unknown\n\n\
            Final-Recipient: rfc822;<bob@example.com>\n\
            Action: delayed\n\
            Status: 4.4.1 (connection timed out)\n";
        let found = recipients(text, "");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].address, "ann@example.com");
        assert_eq!(found[0].status.as_deref(), Some("5.1.1"));
        assert!(found[0].hard);
        assert_eq!(
            found[0].diagnostic,
            "550 5.1.1 <ann@example.com>: User unknown"
        );
        assert_eq!(found[1].outcome, DeliveryOutcome::Delayed);
        assert_eq!(found[1].status.as_deref(), Some("4.4.1"));
        assert!(!found[1].hard);
    }
}

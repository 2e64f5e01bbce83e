//! What kind of mail it is. Only a person's words may fill a slot, so
//! everything that software sent by itself is told apart, in an order that
//! matters: many bounces call themselves automatic replies, and many automatic
//! replies call themselves bulk.

mod automatic;
mod bounce;
mod cause;
mod notification;
mod report;
mod told;

use super::mime::Part;

pub use self::automatic::AutomaticKind;
pub use self::report::{DeliveryOutcome, DeliveryReport, ReportedRecipient};

/// What kind of mail a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// Nothing says that software wrote it.
    Person,
    /// Software answered for the person: it never fills a slot.
    AutomaticReply {
        /// What it answered.
        kind: AutomaticKind,
    },
    /// A mail of ours was not delivered, or not yet.
    Bounce(DeliveryReport),
    /// A mail of ours arrived: a report that was asked for.
    Delivered(DeliveryReport),
    /// Sent to many: a mailing list, a newsletter, a campaign.
    ListOrBulk,
    /// A mailbox provider or a mail client speaks for the person.
    FeedbackReport {
        /// What it says.
        kind: FeedbackKind,
        /// The `Message-ID` of the mail that it is about, without angle brackets, when it holds a
        /// copy of it (RFC 5965 section 2).
        original_message_id: Option<String>,
    },
}

/// What a feedback report says (RFC 5965 section 7.3, RFC 6591).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackKind {
    /// The person called a mail of ours spam.
    Abuse,
    /// The person wants no more mail.
    OptOut,
    /// A mail of ours, or in our name, failed authentication.
    AuthenticationFailure,
    /// Anything else.
    Other,
}

pub(super) fn classify(root: &Part<'_>, text: &str) -> Class {
    if let Some(kind) = feedback(root) {
        return Class::FeedbackReport {
            kind,
            original_message_id: bounce::original_message_id(&root.leaves(), text),
        };
    }
    if let Some(class) = notification::classify(root, text) {
        return class;
    }
    if let Some(report) = bounce::report(root, text) {
        let arrived = |recipient: &ReportedRecipient| {
            !matches!(
                recipient.outcome,
                DeliveryOutcome::Failed | DeliveryOutcome::Delayed
            )
        };
        return if !report.recipients.is_empty() && report.recipients.iter().all(arrived) {
            Class::Delivered(report)
        } else {
            Class::Bounce(report)
        };
    }
    automatic::classify(root, text)
}

fn feedback(root: &Part<'_>) -> Option<FeedbackKind> {
    // Apple Mail's "unsubscribe" button writes in the person's name.
    if root.headers.token("x-apple-unsubscribe") == "true" {
        return Some(FeedbackKind::OptOut);
    }
    let leaves = root.leaves();
    if let Some(part) = leaves
        .iter()
        .find(|leaf| leaf.media_type == "message/feedback-report")
    {
        let fields = report::groups(&part.text());
        let kind = fields
            .iter()
            .find_map(|group| group.first("feedback-type"))
            .unwrap_or_default();
        return Some(match kind.trim().to_ascii_lowercase().as_str() {
            "abuse" | "fraud" | "virus" => FeedbackKind::Abuse,
            "opt-out" | "opt-out-list" => FeedbackKind::OptOut,
            "auth-failure" => FeedbackKind::AuthenticationFailure,
            _ => FeedbackKind::Other,
        });
    }
    let declared = root
        .parameter("report-type")
        .is_some_and(|kind| kind.eq_ignore_ascii_case("feedback-report"));
    if declared {
        return Some(FeedbackKind::Other);
    }
    // Outlook.com's junk reports predate the standard: a bare copy of the mail.
    let subject = root.headers.phrase("subject").to_lowercase();
    let reported = subject.starts_with("complaint about message from")
        && leaves
            .iter()
            .any(|leaf| leaf.media_type == "message/rfc822");
    reported.then_some(FeedbackKind::Abuse)
}

//! Recognising that a mail server returned a mail of ours, in the standard
//! form or in one of the many older ones.

use super::super::header::Headers;
use super::super::limits::MAX_REPORTED_RECIPIENTS;
use super::super::line;
use super::super::mime::Part;
use super::report::{self, DeliveryReport, ReportedRecipient};
use super::told;

/// Bytes of a report's own words. They name each recipient with a few hundred.
const MAX_REPORT_BYTES: usize = 64 * 1024;

/// The report, if this mail is one.
pub(super) fn report(root: &Part<'_>, text: &str) -> Option<DeliveryReport> {
    let leaves = root.leaves();
    let said = line::truncated(before_original(text), MAX_REPORT_BYTES);
    let standard: Vec<&&Part<'_>> = leaves
        .iter()
        .filter(|leaf| {
            matches!(
                leaf.media_type.as_str(),
                "message/delivery-status" | "message/global-delivery-status"
            )
        })
        .collect();
    if standard.is_empty() && !looks_like_bounce(root, said) {
        return None;
    }
    let mut recipients: Vec<ReportedRecipient> = standard
        .iter()
        .flat_map(|part| report::recipients(&part.text(), said))
        .collect();
    if recipients.is_empty() {
        recipients = report::recipients(said, said);
    }
    if recipients.is_empty() {
        recipients = told::recipients(root, said, text);
    }
    recipients.truncate(MAX_REPORTED_RECIPIENTS);
    Some(DeliveryReport {
        recipients,
        original_message_id: original_message_id(&leaves, text),
    })
}

fn looks_like_bounce(root: &Part<'_>, said: &str) -> bool {
    let headers = &root.headers;
    if headers.first("x-failed-recipients").is_some() {
        return true;
    }
    let declared = root.media_type == "multipart/report"
        && root
            .parameter("report-type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("delivery-status"));
    if declared {
        return true;
    }
    let from = headers.first("from").unwrap_or_default().to_lowercase();
    let subject = headers.phrase("subject").to_lowercase();
    let sender = Sender::of(&from);
    let null_path = headers
        .first("return-path")
        .map(|path| path.trim().trim_matches(['<', '>']).to_lowercase())
        .is_some_and(|path| path.is_empty() || path.starts_with("mailer-daemon"));
    let subject_hit = SUBJECTS.iter().any(|words| subject.contains(words));
    let body_hit = body_says_so(said);
    // Forwarding somebody's bounce, or answering about it, is a person's mail.
    let passed_on = ["re:", "fw:", "fwd:", "aw:", "wg:", "tr:", "rv:"]
        .iter()
        .any(|prefix| subject.starts_with(prefix));
    match sender {
        Sender::Daemon => true,
        Sender::Postmaster => body_hit || subject_hit && !passed_on,
        Sender::Named => (subject_hit || body_hit) && !passed_on,
        Sender::Nobody => subject_hit || body_hit,
        Sender::Somebody => {
            let machine = null_path || from.contains("no-reply") || from.contains("noreply");
            machine && body_hit && !passed_on && (subject_hit || null_path)
        }
    }
}

enum Sender {
    /// `mailer-daemon@`.
    Daemon,
    /// `postmaster@`, which a person may answer from.
    Postmaster,
    /// "Mail Delivery System" and kin.
    Named,
    /// No address at all.
    Nobody,
    Somebody,
}

impl Sender {
    fn of(from: &str) -> Sender {
        // `post_master`, `Mailer_Daemon`: servers of mobile carriers.
        let plain = from.replace(['_', '-', ' '], "");
        if plain.contains("mailerdaemon") || plain.contains("maildaemon") {
            Sender::Daemon
        } else if plain.contains("postmaster") || plain.contains("poostmaster") {
            Sender::Postmaster
        } else if [
            "maildeliver",
            "maildelivery",
            "returnedmail",
            "systemadministrator",
            "ndradministrator",
        ]
        .iter()
        .any(|name| plain.contains(name))
        {
            Sender::Named
        } else if !from.contains('@') {
            Sender::Nobody
        } else {
            Sender::Somebody
        }
    }
}

#[rustfmt::skip]
const SUBJECTS: &[&str] = &[
    "undeliver", "non-deliver", "nondeliver", "delivery status notification",
    "delivery notification", "delivery status", "returned mail", "mail delivery fail",
    "mail delivery error", "delivery failure", "delivery failed", "delivery has failed",
    "delivery error", "delivery problem", "delivery report", "failed delivery",
    "failure delivery", "failure notice", "mail failure", "returned to sender",
    "returning message to sender", "could not be delivered", "could not deliver",
    "couldn't be delivered", "not delivered", "wasn't delivered", "mail system error",
    "message delayed", "delayed mail", "delivery delayed", "delivery incomplete",
    "delivery temporarily", "message you sent blocked", "unable to deliver",
    "message not delivered", "nondelivery", "mail could not be", "bounced", "unzustellbar",
    "nicht zugestellt", "zustellung fehlgeschlagen", "fehlgeschlagene zustellung",
    "zustellfehler", "non remis", "échec de la remise", "échec de remise", "non distribuable",
    "no se puede entregar", "no entregado", "error de entrega", "não entregue",
    "falha na entrega", "mancato recapito", "non recapitabile", "mancata consegna",
    "onbestelbaar", "niet bezorgd", "kan ikke leveres", "kunde inte levereras", "ej levererat",
    "ikke leveret", "niedostarczon", "nie można dostarczyć", "nedoručiteln", "не доставлено",
    "недоставлен", "не удалось доставить", "配信不能", "未配信", "未送達", "エラー通知", "退信", "退回", "投递失败",
    "無法傳遞",
];

/// What mail servers write, and people do not, in the beginning of a text.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "could not be delivered to", "could not be delivered.", "couldn't be delivered",
    "wasn't delivered to", "was not delivered to", "has not been delivered",
    "not been delivered to", "delivery has failed to these recipients",
    "delivery to the following", "delivery failed", "unable to deliver your message",
    "unable to deliver message to", "sorry to have to inform you",
    "did not reach the following recipient", "undeliverable", "unable to be delivered",
    "permanent fatal errors", "permanent error", "transcript of session follows",
    "message was undeliverable", "your message to the following recipients cannot be delivered",
    "recipient address rejected", "user unknown", "unknown user", "no such user",
    "mailbox unavailable", "invalid user address", "mailbox full", "over quota",
    "mailbox exceeds", "address not found", "there was an error delivering your mail",
    "failed to deliver", "delivery attempts", "host not found", "retry timeout exceeded",
    "final-recipient:", "smtp error from remote", "this is the mail system at host",
    "this is a permanent error", "requested action not taken", "konnte nicht zugestellt werden",
    "n'a pas pu être remis", "no se pudo entregar", "não pôde ser entregue",
    "non è stato possibile recapitare", "не может быть доставлено", "не удалось доставить",
    "配信できません", "送信できません",
];

fn body_says_so(said: &str) -> bool {
    /// Reports say it at once; a copy of the mail may follow.
    const LOOKED_AT: usize = 4_000;
    let beginning: String = said.chars().take(LOOKED_AT).collect();
    let flat = beginning
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    PHRASES.iter().any(|phrase| flat.contains(phrase))
}

/// The report's own words, without the copy of our mail below them.
pub(super) fn before_original(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.trim().to_lowercase();
        let starts_copy = MARKS_OF_THE_COPY.iter().any(|mark| lower.contains(mark))
            || lower.starts_with("received: from ") && at > 0
            || lower.starts_with("return-path: <") && at > 0;
        if starts_copy {
            return &text[..at];
        }
        at += line.len();
    }
    text
}

#[rustfmt::skip]
const MARKS_OF_THE_COPY: &[&str] = &[
    "this is a copy of the message", "this is a copy of your message",
    "copy of the message, including", "header of the original message",
    "headers of the original message", "original message follows", "original message headers",
    "- original message -", "message headers follow", "message text follows",
    "below this line is a copy", "below this line is the original", "unsent message below",
    "unsent message follows", "- original message:", "original message:",
    "returned message follows", "original message header", "copy of your message",
    "message header follows", "below is a copy of the original message",
];

/// A part that holds our own mail, or its headers.
pub(super) fn is_copy(leaf: &Part<'_>) -> bool {
    matches!(
        leaf.media_type.as_str(),
        "message/rfc822" | "message/global" | "text/rfc822-headers" | "message/global-headers"
    )
}

/// The `Message-ID` of the mail that a report holds a copy of.
pub(super) fn original_message_id(leaves: &[&Part<'_>], text: &str) -> Option<String> {
    let attached = leaves.iter().find_map(|leaf| {
        if !is_copy(leaf) {
            return None;
        }
        let (headers, _) = Headers::read(&leaf.bytes());
        headers.message_ids("message-id").into_iter().next()
    });
    attached.or_else(|| {
        let copy = &text[before_original(text).len()..];
        let line = copy.lines().find(|line| {
            line.trim_start()
                .to_ascii_lowercase()
                .starts_with("message-id:")
        })?;
        let (_, value) = line.split_once(':')?;
        let id = value.trim().trim_matches(['<', '>']).to_owned();
        (!id.is_empty()).then_some(id)
    })
}

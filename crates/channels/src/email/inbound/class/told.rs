//! The recipients of a report that tells of them in words only.

use super::super::header::{Headers, is_address};
use super::super::limits::{MAX_DIAGNOSTIC_CHARS, MAX_REPORTED_RECIPIENTS};
use super::super::mime::Part;
use super::bounce::{before_original, is_copy};
use super::cause;
use super::report::{self, DeliveryOutcome, ReportedRecipient};

/// The recipients that the words name, where no fields do.
pub(super) fn recipients(root: &Part<'_>, said: &str, text: &str) -> Vec<ReportedRecipient> {
    let found = named_addresses(root, said, text);
    let delayed = is_warning(&root.headers, said);
    found
        .iter()
        .map(|address| {
            // With one recipient all that is said is said of it.
            let own = report::about(said, address, &found);
            let status = cause::best_status(None, &own, said);
            let temporary = delayed || status.as_deref().is_some_and(|s| s.starts_with('4'));
            ReportedRecipient {
                hard: !temporary && cause::is_hard(status.as_deref(), &own, ""),
                outcome: if delayed {
                    DeliveryOutcome::Delayed
                } else {
                    DeliveryOutcome::Failed
                },
                diagnostic: diagnostic(&own),
                address: address.clone(),
                status,
            }
        })
        .collect()
}

/// From the surest place to the least: the header that Exim and Gmail add,
/// addresses that begin a line, the first one within a line, the recipients of
/// the copied mail, and at last our own address, since people write to
/// themselves.
fn named_addresses(root: &Part<'_>, said: &str, text: &str) -> Vec<String> {
    let headers = &root.headers;
    let unique = |all: Vec<String>| -> Vec<String> {
        let mut kept: Vec<String> = Vec::new();
        for address in all {
            if kept.len() < MAX_REPORTED_RECIPIENTS
                && !kept.iter().any(|seen| seen.eq_ignore_ascii_case(&address))
            {
                kept.push(address);
            }
        }
        kept
    };
    let failed = unique(headers.bare_addresses("x-failed-recipients"));
    if !failed.is_empty() {
        return failed;
    }
    let ours: Vec<String> = ["to", "delivered-to", "x-original-to", "envelope-to", "from"]
        .iter()
        .flat_map(|name| headers.bare_addresses(name))
        .collect();
    let is_ours = |address: &str| ours.iter().any(|own| own.eq_ignore_ascii_case(address));
    let (own, others): (Vec<Mention>, Vec<Mention>) = addresses(said)
        .into_iter()
        .filter(|mention| !is_machine(&mention.address))
        .partition(|mention| is_ours(&mention.address));
    let leading = others.iter().filter(|mention| mention.leads).cloned();
    let leading = unique(leading.map(|mention| mention.address).collect());
    if !leading.is_empty() {
        return leading;
    }
    if let Some(first) = others.into_iter().next() {
        return vec![first.address];
    }
    let copied = unique(copied_recipients(root, text));
    if !copied.is_empty() {
        return copied;
    }
    own.into_iter()
        .find(|mention| mention.leads)
        .map(|mention| mention.address)
        .into_iter()
        .collect()
}

/// Addresses that reports tell people to write to.
fn is_machine(address: &str) -> bool {
    let lower = address.to_lowercase();
    [
        "postmaster@",
        "mailer-daemon@",
        "abuse@",
        "support@",
        "helpdesk@",
        "noreply@",
        "no-reply@",
    ]
    .iter()
    .any(|local| lower.starts_with(local))
}

/// `To` of the mail that came back, attached or copied into the text.
fn copied_recipients(root: &Part<'_>, text: &str) -> Vec<String> {
    for leaf in root.leaves() {
        if is_copy(leaf) {
            let (headers, _) = Headers::read(&leaf.bytes());
            return headers.bare_addresses("to");
        }
    }
    let copy = &text[before_original(text).len()..];
    let start = copy.find(['\n']).map_or(copy.len(), |end| end + 1);
    // The line that announces the copy may be its first header, too.
    [&copy[start..], copy]
        .iter()
        .map(|copy| {
            Headers::read(copy.trim_start().as_bytes())
                .0
                .bare_addresses("to")
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// An address in a text.
#[derive(Debug, Clone)]
struct Mention {
    address: String,
    /// It begins its line, but for brackets and a reply code.
    leads: bool,
}

fn addresses(said: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    for line in said.lines() {
        let mut from = 0;
        while let Some(sign) = line[from..].find('@') {
            let sign = from + sign;
            let is_part = |c: char| c.is_alphanumeric() || "._-+=!#$%&'*/?^`{|}~".contains(c);
            let start = line[..sign]
                .char_indices()
                .rev()
                .take(64)
                .take_while(|(_, c)| is_part(*c))
                .last()
                .map_or(sign, |(start, _)| start);
            let end = line[sign + 1..]
                .find(|c: char| !(c.is_alphanumeric() || ".-".contains(c)))
                .map_or(line.len(), |end| sign + 1 + end);
            from = end.max(sign + 1);
            let address = line[start..end].trim_matches(|c: char| ".'".contains(c));
            if is_address(address) && found.len() < 4 * MAX_REPORTED_RECIPIENTS {
                let leads = line[..start]
                    .chars()
                    .all(|c| c.is_ascii_digit() || "<>\"'-*([: \t".contains(c));
                found.push(Mention {
                    address: address.to_owned(),
                    leads,
                });
            }
        }
    }
    found
}

fn is_warning(headers: &Headers, said: &str) -> bool {
    let subject = headers.phrase("subject").to_lowercase();
    let lower: String = said.chars().take(2_000).collect::<String>().to_lowercase();
    ["delay", "warning", "still being retried"]
        .iter()
        .any(|word| subject.contains(word))
        || lower.contains("this is a warning message only")
        || lower.contains("do not need to resend your message")
}

/// The lines that hold a reply code, or the first words.
fn diagnostic(said: &str) -> String {
    let coded = said.lines().map(str::trim).find(|line| {
        let digits = line
            .split(|c: char| !c.is_ascii_digit())
            .any(|word| word.len() == 3 && word.starts_with(['4', '5']));
        digits && line.len() > 4
    });
    let text = coded.unwrap_or(said);
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(MAX_DIAGNOSTIC_CHARS)
        .collect()
}

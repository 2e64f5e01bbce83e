//! Why a mail was not delivered: the status code (RFC 3463) and whether the
//! address is dead, from what servers say in code and in words.

/// The first enhanced status code in a text.
pub(super) fn first_status(text: &str) -> Option<String> {
    statuses(text).next().map(str::to_owned)
}

/// The code to report. The code in the words of the server that refused the
/// mail is more exact than what the reporting server made of it; a code that
/// says nothing ("5.0.0") gives way to any that does.
pub(super) fn best_status(claimed: Option<&str>, said: &str, told: &str) -> Option<String> {
    let telling = |text| statuses(text).find(|status| !is_vague(status));
    telling(said)
        .or(claimed.filter(|claimed| !is_vague(claimed)))
        .or_else(|| telling(told))
        .or_else(|| statuses(said).next())
        .or(claimed)
        .or_else(|| statuses(told).next())
        .map(str::to_owned)
}

/// Whether the address can never work. Words beat codes, because servers send
/// 5.1.1 for full mailboxes and 5.7.1 for unknown users.
pub(super) fn is_hard(status: Option<&str>, said: &str, around: &str) -> bool {
    for text in [said, around] {
        if let Some(verdict) = said_hard(text) {
            return verdict;
        }
    }
    // RFC 7504: the host, or the domain, takes no mail at all.
    let mut codes = said.split(|c: char| !c.is_ascii_alphanumeric());
    if codes.any(|code| matches!(code, "521" | "556")) {
        return true;
    }
    // RFC 3463 sections 3.2 and 3.5; 5.1.10 is RFC 7505 (null MX).
    matches!(
        status,
        Some("5.1.1" | "5.1.2" | "5.1.3" | "5.1.4" | "5.1.6" | "5.1.10" | "5.4.4")
    )
}

/// What the words say, if they say anything.
fn said_hard(text: &str) -> Option<bool> {
    let lower = text.to_lowercase();
    let flat = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = |list: &[&str]| list.iter().any(|words| flat.contains(words));
    if says(NOT_THE_ADDRESS) {
        Some(false)
    } else if says(DEAD) {
        Some(true)
    } else if says(REFUSED) {
        Some(false)
    } else {
        None
    }
}

/// The mailbox exists, whatever else is said.
#[rustfmt::skip]
const NOT_THE_ADDRESS: &[&str] = &[
    "mailbox full", "mailbox is full", "mailbox exceed", "over quota", "overquota",
    "over the quota", "quota exceeded", "exceeded quota", "quota is exceeded", "exceeds quota",
    "exceeded storage", "exceeded the space", "insufficient storage", "not enough storage",
    "mailbox for user is full", "too many messages", "exceeded the local limit", "storage limit",
    "disk quota", "exceeds allowed size", "account is disabled", "account disabled",
    "disabled account", "mailbox disabled", "mailbox is disabled", "mailbox is inactive",
    "is inactive", "account inactive", "inactive user", "user is inactive", "suspended",
    "temporarily disabled", "not activated", "account has been disabled",
    "account that you tried to reach is disabled", "has been deactivated", "currently suspended",
    "message too large", "message size exceeds", "too big", "exceeds maximum message size",
    "greylist", "graylist", "try again later", "temporarily deferred", "rate limit",
    "too many connections", "reverse dns", "ptr record", "no ptr", "spamhaus", "spamcop",
    "blocklist", "blacklist", "block list", "black list", "dnsbl", " rbl", "dmarc", " spf ",
    "dkim", "sender policy", "sender address rejected", "sender rejected", "domain of sender",
    "sender domain", "sender address", "sender verify failed", "sender denied", "relaying denied",
    "relay access denied", "relay not permitted", "not permitted to relay", "unable to relay",
    "relay denied",
];

/// There is no such address, or none that takes mail.
#[rustfmt::skip]
const DEAD: &[&str] = &[
    "user unknown", "unknown user", "unknown recipient", "recipient unknown", "unknown address",
    "no such user", "no such recipient", "no such mailbox", "no such address", "no such account",
    "no such person", "no such local user", "invalid user", "invalid recipient",
    "invalid mailbox", "user not found", "user doesn't exist", "user does not exist",
    "user doesn&#39;t have", "account does not exist", "account doesn't exist",
    "account that you tried to reach does not exist", "address does not exist",
    "address doesn't exist", "address not found", "address unknown", "mailbox does not exist",
    "mailbox doesn't exist", "mailbox not found", "mailbox unavailable or not", "mailbox unknown",
    "unknown mailbox", "recipient not found", "recipient does not exist", "recipnotfound",
    "recipient name is not recognized", "not listed in", "unrouteable address",
    "unroutable address", "undeliverable address", "does not have an account",
    "doesn't have an account", "not a valid user", "not a known user", "is unknown",
    "no mailbox here by that name", "no mailbox here", "user is unknown",
    "no account by that name", "bad destination mailbox", "address rejected: access denied",
    "email account that you tried to reach does not exist", "user not known",
    "not found in directory", "was not found in the recipient", "couldn't be found",
    "could not be found", "wasn't found at", "cannot find your recipient",
    "delivery to local recipient failed", "host unknown", "unknown host", "host not found",
    "domain not found", "domain name not found", "no such domain", "domain does not exist",
    "domain doesn't exist", "nxdomain", "name or service not known", "unable to look up",
    "couldn't find any host", "cannot find any host", "no mx record", "unknown domain",
    "invalid domain", "bad destination host", "all relevant mx records point to non-existent",
    "no route to domain", "name service error", "dns lookup failure", "null mx",
    "does not accept mail", "doesn't accept mail", "doesn't receive email",
    "does not receive mail", "is not accepting mail", "user has moved", "has moved to",
    "user moved", "mailbox has moved", "no longer valid", "no longer on server",
    "no longer exists", "is no longer available", "no longer in use", "no longer works here",
    "user not exist", "does not exist", "doesn't exist", "domain is not reachable",
    "no smtp service", "check if address is correct", "no valid recipients", "not a registered",
];

/// Not this mail, or not now.
#[rustfmt::skip]
const REFUSED: &[&str] = &[
    "spam", "blocked", "unsolicited", "bulk email", "content rejected", "message rejected",
    "virus", "policy", "not allowed", "not permitted", "access denied", "unauthorized",
    "authentication", "reputation", "timed out", "timeout", "connection refused", "expired",
    "could not connect", "too many hops", "loop", "deferred", "not responding",
    "has not yet been delivered", "will be retried", "retry time", "delayed", "filtered",
    "restricted",
];

fn is_vague(status: &str) -> bool {
    status.ends_with(".0.0") || status.ends_with(".5.0") || status.ends_with(".1.0")
}

/// Every `class.subject.detail` in a text that stands by itself.
fn statuses(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| {
            let mut numbers = word.split('.');
            let class = matches!(numbers.next(), Some("2" | "4" | "5"));
            let rest: Vec<&str> = numbers.collect();
            class
                && rest.len() == 2
                && rest.iter().all(|number| {
                    (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
                })
        })
}

#[cfg(test)]
mod tests {
    use super::{best_status, is_hard, statuses};

    #[test]
    fn codes_are_found_among_addresses_and_versions() {
        let text = "550-5.1.1 said (5.7.26). Exim 4.80 at 5.9.10.11 or v5.1.2, #4.4.7#";
        assert_eq!(
            statuses(text).collect::<Vec<_>>(),
            ["5.1.1", "5.7.26", "4.4.7"]
        );
    }

    #[test]
    fn the_servers_own_code_comes_first_and_a_vague_one_last() {
        assert_eq!(
            best_status(Some("5.0.0"), "550 5.1.1 no such user", "").as_deref(),
            Some("5.1.1")
        );
        assert_eq!(
            best_status(Some("5.2.2"), "550 x", "5.1.1").as_deref(),
            Some("5.2.2")
        );
        assert_eq!(
            best_status(None, "x", "550 5.7.1 no").as_deref(),
            Some("5.7.1")
        );
    }

    #[test]
    fn only_a_dead_address_is_hard() {
        for (status, said, hard) in [
            (Some("5.1.1"), "550 5.1.1 User unknown", true),
            (Some("5.1.1"), "550 5.1.1 mailbox is full", false),
            (Some("5.7.1"), "550 5.7.1 blocked by policy", false),
            (
                Some("5.0.0"),
                "Host or domain name not found: host not found",
                true,
            ),
            (Some("5.2.2"), "", false),
            (Some("5.1.10"), "", true),
            (None, "something odd", false),
        ] {
            assert_eq!(is_hard(status, said, ""), hard, "{said}");
        }
    }
}

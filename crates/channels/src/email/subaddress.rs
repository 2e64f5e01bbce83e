//! Reply tokens in the addresses of our mailbox: `liaison@example.com` becomes
//! `liaison+token@example.com`, which mail servers deliver to the same mailbox (RFC 5233 names the
//! parts).

use liaison_core::stakeholder::{AddressFault, EmailAddress};

/// What stands between the mailbox's name and the token. The common default of Postfix, Exim,
/// Dovecot, Gmail and Exchange.
const SEPARATOR: char = '+';

/// The longest token that is looked for; ours have 26 characters.
const MOST_TOKEN: usize = 64;

/// The mailbox's address with a token in it.
pub(super) fn with_token(
    mailbox: &EmailAddress,
    token: &str,
) -> Result<EmailAddress, AddressFault> {
    let (local, domain) = parts(mailbox.as_str()).ok_or(AddressFault::NoAt)?;
    EmailAddress::parse(&format!("{local}{SEPARATOR}{token}@{domain}"))
}

/// The token in `address`, if it is a sub-address of `mailbox`. Some servers change the case of
/// addresses, and our tokens are in lower case.
pub(super) fn token_in(mailbox: &EmailAddress, address: &str) -> Option<String> {
    let address = address.trim().to_lowercase();
    let mailbox = mailbox.lookup_form();
    let (local, domain) = parts(&mailbox)?;
    let (tagged, at) = parts(&address)?;
    let token = tagged.strip_prefix(local)?.strip_prefix(SEPARATOR)?;
    let fits = at == domain
        && !token.is_empty()
        && token.len() <= MOST_TOKEN
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fits.then(|| token.to_owned())
}

/// Whether `address` is the mailbox's, with or without a token.
pub(super) fn is_ours(mailbox: &EmailAddress, address: &str) -> bool {
    address.trim().to_lowercase() == mailbox.lookup_form() || token_in(mailbox, address).is_some()
}

fn parts(address: &str) -> Option<(&str, &str)> {
    address.rsplit_once('@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn mailbox() -> EmailAddress {
        EmailAddress::parse("Liaison@example.com").expect("an address")
    }

    #[test]
    fn a_token_goes_in_and_comes_out() {
        let tagged = with_token(&mailbox(), "7q0abc").expect("fits");
        assert_eq!(tagged.as_str(), "Liaison+7q0abc@example.com");
        assert_eq!(
            token_in(&mailbox(), tagged.as_str()).as_deref(),
            Some("7q0abc")
        );
    }

    #[rstest]
    #[case("LIAISON+7Q0ABC@EXAMPLE.COM", Some("7q0abc"))]
    #[case(" liaison+7q0abc@example.com ", Some("7q0abc"))]
    #[case("liaison@example.com", None)]
    #[case("liaison+@example.com", None)]
    #[case("liaison+7q0abc@example.org", None)]
    #[case("liaisonx+7q0abc@example.com", None)]
    #[case("liaison+a.b@example.com", None)]
    #[case("liaison+a+b@example.com", None)]
    #[case("7q0abc", None)]
    fn only_a_sub_address_of_the_mailbox_carries_a_token(
        #[case] address: &str,
        #[case] token: Option<&str>,
    ) {
        assert_eq!(token_in(&mailbox(), address).as_deref(), token);
    }
}

//! Whom the person named to talk to instead: an address in their words, and the name before it.

use crate::{
    stakeholder::{Delegate, EmailAddress},
    value::cues::Cues,
};

/// A name is at most this many words.
const LONGEST_NAME: usize = 3;

/// Finds the first address in `text` that is none of `known`, with the name before it. Whether it
/// is written to is for a person to decide; here is only what they will be asked about.
pub(crate) fn find(text: &str, known: &[&EmailAddress]) -> Option<Delegate> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    tokens.iter().enumerate().find_map(|(at, token)| {
        let bare = token
            .trim_start_matches("mailto:")
            .trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let address = EmailAddress::parse(bare).ok()?;
        if known.iter().any(|known| known.matches(&address)) {
            return None;
        }
        Some(Delegate {
            name: name_before(&tokens[..at]),
            address,
        })
    })
}

/// The capitalised words that a text ends with, less what stands between a name and its address.
fn name_before(tokens: &[&str]) -> Option<String> {
    /// These begin sentences or lead to somebody, and are no names.
    static NO_NAMES: Cues = Cues::new(
        "please, ask, contact, email, write, call, you, my, our, the, his, her, their, i, we, it,
         talk, speak, try, is, for, instead, hi, hello, dear, this, that, in, also, regards, sorry",
    );
    static BETWEEN: Cues =
        Cues::new("at, on, via, under, is, email, by, address, mail, her, his, their");

    let bare = |token: &&str| {
        token
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_owned()
    };
    let mut words = tokens.iter().rev().map(bare).peekable();
    while words
        .peek()
        .is_some_and(|word| word.is_empty() || BETWEEN.has(&word.to_lowercase()))
    {
        words.next();
    }
    let mut name: Vec<String> = words
        .take_while(|word| {
            word.starts_with(char::is_uppercase) && !NO_NAMES.has(&word.to_lowercase())
        })
        .take(LONGEST_NAME)
        .collect();
    name.reverse();
    (!name.is_empty()).then(|| name.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(
        "Ask my assistant Ana, ana@example.com.",
        Some("Ana"),
        "ana@example.com"
    )]
    #[case(
        "Please write to Ana Maria Silva <ana@example.com>",
        Some("Ana Maria Silva"),
        "ana@example.com"
    )]
    #[case("Please contact ana@example.com", None, "ana@example.com")]
    #[case(
        "You can reach Bo at bo@example.com or ana@example.com",
        Some("Bo"),
        "bo@example.com"
    )]
    #[case(
        "From me@example.org: ask Ana (ana@example.com)",
        Some("Ana"),
        "ana@example.com"
    )]
    fn the_address_and_the_name_before_it_are_found(
        #[case] text: &str,
        #[case] name: Option<&str>,
        #[case] address: &str,
    ) {
        let own = EmailAddress::parse("me@example.org").expect("an address");
        let found = find(text, &[&own]).expect("somebody is named");
        assert_eq!(found.name.as_deref(), name);
        assert_eq!(found.address.as_str(), address);
    }

    #[test]
    fn nobody_is_made_up() {
        assert_eq!(
            find("Ask my assistant Ana, she handles all that.", &[]),
            None
        );
        assert_eq!(
            find("Ask ana@ or @example.com or a..b@example.com", &[]),
            None
        );
    }
}

//! Whom the person named to talk to instead: an address in their words, and the name before it.

use crate::{
    stakeholder::{Delegate, EmailAddress},
    value::cues::Cues,
};

/// A name is at most this many words.
const LONGEST_NAME: usize = 3;

/// Finds the first address in `text` that is none of `known` and comes to none of `ours`, with the
/// name that goes with it. Whether it is written to is for a person to decide; here is only what
/// they will be asked about.
pub(crate) fn find(text: &str, known: &[&EmailAddress], ours: &[EmailAddress]) -> Option<Delegate> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    tokens.iter().enumerate().find_map(|(at, token)| {
        let bare = token
            .trim_start_matches("mailto:")
            .trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let address = EmailAddress::parse(bare).ok()?;
        if known.iter().any(|known| known.matches(&address))
            || ours.iter().any(|own| address.comes_to(own))
        {
            return None;
        }
        Some(Delegate {
            name: name_before(&tokens[..at]).or_else(|| name_in_sentence(&tokens[..at], &address)),
            address,
        })
    })
}

/// These begin sentences or lead to somebody, and are no names.
static NO_NAMES: Cues = Cues::new(
    "please, ask, contact, email, write, call, you, my, our, the, his, her, their, i, we, it,
     talk, speak, try, is, for, instead, hi, hello, dear, this, that, in, also, regards, sorry",
);

/// A name that stands further from its address, in the same sentence ("my assistant Carl about
/// this: carl@..."). Taken only where the address itself bears it out, or where it is the only one
/// and follows the word for who they are: no name is better than a wrong one.
fn name_in_sentence(tokens: &[&str], address: &EmailAddress) -> Option<String> {
    static ROLES: Cues = Cues::new(
        "assistant, secretary, colleague, partner, husband, wife, spouse, brother, sister, son,
         daughter, mother, father, friend, manager, boss, agent, lawyer, accountant, bookkeeper,
         caretaker, janitor, neighbour, neighbor, flatmate, roommate",
    );
    let ends = |token: &&str| token.ends_with(['.', '!', '?']);
    let start = tokens.iter().rposition(ends).map_or(0, |end| end + 1);
    let sentence = &tokens[start..];
    let bare = |token: &str| {
        token
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_owned()
    };
    let is_name =
        |word: &str| word.starts_with(char::is_uppercase) && !NO_NAMES.has(&word.to_lowercase());
    let mut names: Vec<(usize, Vec<String>)> = Vec::new();
    let mut runs_on = false;
    for (place, token) in sentence.iter().enumerate() {
        let word = bare(token);
        // A sentence's first word is capitalised whatever it is.
        let named = place > 0 && is_name(&word);
        match names.last_mut() {
            Some((_, name)) if named && runs_on => name.push(word),
            _ if named => names.push((place, vec![word])),
            _ => {}
        }
        runs_on = named && token.ends_with(char::is_alphanumeric);
    }
    let (local, _) = address.as_str().split_once('@')?;
    let local = local.to_lowercase();
    let parts: Vec<&str> = local.split(|c: char| !c.is_alphabetic()).collect();
    let borne_out = |name: &[String]| {
        let mut words = name.iter().map(|word| word.to_lowercase());
        words.any(|word| parts.contains(&word.as_str()))
    };
    let follows_role = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| sentence.get(before));
        before.is_some_and(|word| ROLES.has(&bare(word).to_lowercase()))
    };
    let (_, name) = match names.iter().find(|(_, name)| borne_out(name)) {
        Some(name) => name,
        None => match names.as_slice() {
            [only] if follows_role(only.0) => only,
            _ => return None,
        },
    };
    (name.len() <= LONGEST_NAME).then(|| name.join(" "))
}

/// The capitalised words that a text ends with, less what stands between a name and its address.
fn name_before(tokens: &[&str]) -> Option<String> {
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
    #[case(
        "Please ask my assistant Carl about this: carl@example.com",
        Some("Carl"),
        "carl@example.com"
    )]
    #[case(
        "Please ask my colleague Carl Maria about this, the address is office@example.com",
        Some("Carl Maria"),
        "office@example.com"
    )]
    #[case(
        "I told Bo on Monday that Eve knows all of it: office@example.com",
        None,
        "office@example.com"
    )]
    #[case(
        "Bo is away. Write about this to office@example.com",
        None,
        "office@example.com"
    )]
    #[case(
        "Not to liaison+token@example.net, ask Ana (ana@example.com)",
        Some("Ana"),
        "ana@example.com"
    )]
    fn the_address_and_the_name_before_it_are_found(
        #[case] text: &str,
        #[case] name: Option<&str>,
        #[case] address: &str,
    ) {
        let own = EmailAddress::parse("me@example.org").expect("an address");
        let ours = EmailAddress::parse("liaison@example.net").expect("an address");
        let found = find(text, &[&own], &[ours]).expect("somebody is named");
        assert_eq!(found.name.as_deref(), name);
        assert_eq!(found.address.as_str(), address);
    }

    #[test]
    fn nobody_is_made_up() {
        assert_eq!(
            find("Ask my assistant Ana, she handles all that.", &[], &[]),
            None
        );
        assert_eq!(
            find("Ask ana@ or @example.com or a..b@example.com", &[], &[]),
            None
        );
    }
}

//! Messages that need no answer.

/// Whether a message says no more than that it arrived, or thanks. A text without words (a picture
/// of a thumb, or nothing at all) may mean anything.
pub(super) fn is_courtesy(text: &str) -> bool {
    /// One of these makes it a courtesy.
    const THANKS: [&str; 15] = [
        "appreciated",
        "bye",
        "cheers",
        "got",
        "great",
        "noted",
        "ok",
        "okay",
        "perfect",
        "received",
        "regards",
        "thank",
        "thanks",
        "thx",
        "welcome",
    ];
    /// These may stand beside.
    const BESIDE: [&str; 29] = [
        "a", "again", "all", "and", "best", "dear", "for", "getting", "good", "hello", "hi", "it",
        "kind", "letting", "lot", "many", "me", "much", "so", "that", "the", "this", "update",
        "very", "well", "with", "you", "your", "know",
    ];
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let harmless = words.iter().enumerate().all(|(at, word)| {
        let word = word.as_str();
        // `Me` alone answers who is to do it.
        let answers = word == "me" && !(at > 0 && words[at - 1] == "letting");
        !answers && (THANKS.contains(&word) || BESIDE.contains(&word))
    });
    harmless && words.iter().any(|word| THANKS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::is_courtesy;

    #[test]
    fn only_thanks_and_receipts_may_be_left_without_an_answer() {
        for text in [
            "Thanks!",
            "OK, thank you.",
            "Got it",
            "Thanks for letting me know 👍",
            "Bye",
        ] {
            assert!(is_courtesy(text), "{text}");
        }
        for text in [
            "",
            " \n",
            "👍",
            "!",
            "Me",
            "Me, thanks",
            "Hello",
            "You",
            "That",
            "The roof leaks",
        ] {
            assert!(!is_courtesy(text), "{text:?}");
        }
    }
}

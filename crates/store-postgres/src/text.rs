//! Text as Postgres takes it.

use std::borrow::Cow;

/// A text without the one character that a column of Postgres cannot hold: the null becomes its
/// picture, U+2400. Inputs, documents and the journal are JSON, where it is written as an escape, and
/// keep it; this is for what is searched and shown beside them.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{2400}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The same for a text that may be missing.
pub(crate) fn clean_if_any(text: Option<&str>) -> Option<Cow<'_, str>> {
    text.map(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_null_is_replaced() {
        assert_eq!(clean("a\0b"), "a\u{2400}b");
        assert_eq!(clean("für\n\u{1}😀"), "für\n\u{1}😀");
        assert_eq!(clean_if_any(None), None);
    }
}

//! HTML tokens, in one forward pass and without ever failing.

use mail_parser::decoders::html::add_html_token;

/// Bytes in which a tag must end. Pasted pictures sit in attributes; a tag
/// that is longer is not one.
const MAX_TAG_BYTES: usize = 4 * 1024 * 1024;

pub(super) enum Token {
    /// Text with its entities decoded.
    Text(String),
    Open(Tag),
    Close(String),
}

pub(super) struct Tag {
    /// In lower case.
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    pub(super) self_closing: bool,
}

impl Tag {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

pub(super) struct Tokens<'a> {
    html: &'a str,
    at: usize,
    /// Set once a tag did not end: from there on `<` is a character. Without
    /// it, each of many open brackets would search to the end of the text.
    text_only: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(html: &'a str) -> Tokens<'a> {
        Tokens {
            html,
            at: 0,
            text_only: false,
        }
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            let rest = &self.html[self.at..];
            if rest.is_empty() {
                return None;
            }
            if !rest.starts_with('<') || self.text_only {
                return Some(self.text(0));
            }
            match rest[1..].bytes().next() {
                Some(b'!' | b'?') => self.skip_declaration(rest),
                Some(b'/') if starts_name(&rest[2..]) => {
                    let Some(tag) = self.tag(2) else { continue };
                    return Some(Token::Close(tag.name));
                }
                Some(_) if starts_name(&rest[1..]) => {
                    let Some(tag) = self.tag(1) else { continue };
                    return Some(Token::Open(tag));
                }
                _ => return Some(self.text(1)),
            }
        }
    }

    /// Skips the content of an element like `script`, up to its end tag or, as
    /// browsers do, the end of everything.
    pub(super) fn skip_raw(&mut self, name: &str) {
        let bytes = self.html.as_bytes();
        let mut at = self.at;
        while let Some(found) = self.html[at..].find("</") {
            at += found + 2;
            if bytes[at..]
                .get(..name.len())
                .is_some_and(|here| here.eq_ignore_ascii_case(name.as_bytes()))
            {
                self.at = self.html[at..]
                    .find('>')
                    .map_or(self.html.len(), |end| at + end + 1);
                return;
            }
        }
        self.at = self.html.len();
    }

    fn text(&mut self, skip: usize) -> Token {
        let rest = &self.html[self.at..];
        let end = if self.text_only {
            rest.len()
        } else {
            rest[skip..].find('<').map_or(rest.len(), |end| end + skip)
        };
        self.at += end;
        Token::Text(decoded(&rest[..end]))
    }

    fn skip_declaration(&mut self, rest: &str) {
        let end = match rest.strip_prefix("<!--") {
            // `<!-->` is a whole comment to a browser.
            Some(inner) if inner.starts_with('>') => Some(5),
            Some(inner) => inner.find("-->").map(|end| 4 + end + 3),
            None => rest.find('>').map(|end| end + 1),
        };
        self.at = end.map_or(self.html.len(), |end| self.at + end);
    }

    /// Reads a tag whose name starts after `skip` bytes.
    fn tag(&mut self, skip: usize) -> Option<Tag> {
        let start = self.at + skip;
        let bytes = self.html.as_bytes();
        let Some(end) = tag_end(&bytes[start..bytes.len().min(start + MAX_TAG_BYTES)]) else {
            self.text_only = true;
            return None;
        };
        let inside = &self.html[start..start + end];
        self.at = start + end + 1;
        let name_end = inside
            .find(|c: char| c.is_ascii_whitespace() || c == '/')
            .unwrap_or(inside.len());
        Some(Tag {
            name: inside[..name_end].to_ascii_lowercase(),
            attributes: attributes(&inside[name_end..]),
            self_closing: inside.ends_with('/') && inside[..name_end].contains(':'),
        })
    }
}

fn starts_name(rest: &str) -> bool {
    rest.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
}

/// The position of the `>` that is not inside a quoted attribute value.
fn tag_end(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut after_equals = false;
    for (position, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return Some(position),
            // A quote opens a value only after `=`; elsewhere it is a slip.
            (None, b'"' | b'\'') if after_equals => quote = Some(byte),
            (None, _) => {}
        }
        if !byte.is_ascii_whitespace() {
            after_equals = byte == b'=';
        }
    }
    None
}

/// Only these are looked at, so only these are kept.
const KEPT: &[&str] = &["class", "id", "style", "alt", "type", "hidden", "cite"];

fn attributes(mut rest: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return found;
        }
        let name_end = rest
            .find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/')
            .unwrap_or(rest.len());
        // A stray `=` is a name of its own to a browser.
        let name_end = name_end.max(rest.chars().next().map_or(1, char::len_utf8));
        let name = rest[..name_end].to_ascii_lowercase();
        rest = rest[name_end..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            (value, rest) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let inner = &after[1..];
                    match inner.find(quote) {
                        Some(end) => (&inner[..end], &inner[end + 1..]),
                        None => (inner, ""),
                    }
                }
                _ => {
                    let end = after
                        .find(|c: char| c.is_ascii_whitespace())
                        .unwrap_or(after.len());
                    (&after[..end], &after[end..])
                }
            };
        }
        if KEPT.contains(&name.as_str()) {
            found.push((name, decoded(value)));
        }
    }
}

/// Decodes character references. A reference is short; a lone `&` is itself.
fn decoded(text: &str) -> String {
    /// The longest name, `CounterClockwiseContourIntegral`, has 31.
    const MAX_REFERENCE_BYTES: usize = 33;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest
            .bytes()
            .take(MAX_REFERENCE_BYTES)
            .position(|byte| byte == b';');
        match end {
            Some(end)
                if rest[1..end]
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'#') =>
            {
                add_html_token(&mut out, &rest.as_bytes()[..=end], false);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

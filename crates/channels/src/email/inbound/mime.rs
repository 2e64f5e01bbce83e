//! The MIME structure of a message (RFC 2045, RFC 2046): a bounded tree of
//! parts over the raw bytes. Nested messages are leaves; whoever needs their
//! headers reads them. Splitting is our own because a parser that nests
//! without a bound can be made to exhaust the stack by a mail of a megabyte.

use std::borrow::Cow;

use super::header::{Headers, Parameterised, line_end, trim_line_end};
use super::limits::{MAX_DEPTH, MAX_PARTS};
use super::{charset, transfer};

/// One part, or the whole message.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) headers: Headers,
    /// Lower case, for example `text/plain`.
    pub(super) media_type: String,
    content_type: Option<Parameterised>,
    disposition: Option<Parameterised>,
    body: &'a [u8],
    pub(super) children: Vec<Part<'a>>,
}

/// Reads the tree. The second value says whether bounds left something out.
pub(super) fn read(raw: &[u8]) -> (Part<'_>, bool) {
    let mut walk = Walk {
        parts_left: MAX_PARTS,
        truncated: false,
    };
    let part = walk.part(raw, 0, "text/plain");
    (part, walk.truncated)
}

impl<'a> Part<'a> {
    /// The body with its transfer encoding undone.
    pub(super) fn bytes(&self) -> Cow<'a, [u8]> {
        transfer::decode(self.body, &self.headers.token("content-transfer-encoding"))
    }

    /// The body as text, in whatever character set it turns out to be.
    pub(super) fn text(&self) -> String {
        charset::decode(&self.bytes(), self.parameter("charset"))
    }

    /// A parameter of the `Content-Type`.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.content_type.as_ref()?.parameter(name)
    }

    pub(super) fn is_multipart(&self) -> bool {
        !self.children.is_empty()
    }

    /// The file name the sender gave, from either of its two places.
    pub(super) fn file_name(&self) -> Option<&str> {
        self.disposition
            .as_ref()
            .and_then(|disposition| disposition.parameter("filename"))
            .or_else(|| self.parameter("name"))
    }

    pub(super) fn is_declared_attachment(&self) -> bool {
        self.disposition
            .as_ref()
            .is_some_and(|disposition| disposition.kind == "attachment")
    }

    pub(super) fn is_declared_inline(&self) -> bool {
        self.disposition
            .as_ref()
            .is_some_and(|disposition| disposition.kind == "inline")
            || self.headers.first("content-id").is_some() && !self.is_declared_attachment()
    }

    /// This part and all below it, in order.
    pub(super) fn leaves(&self) -> Vec<&Part<'a>> {
        if self.children.is_empty() {
            return vec![self];
        }
        self.children.iter().flat_map(Part::leaves).collect()
    }
}

struct Walk {
    parts_left: usize,
    truncated: bool,
}

impl Walk {
    fn part<'a>(&mut self, raw: &'a [u8], depth: usize, default_type: &str) -> Part<'a> {
        self.parts_left = self.parts_left.saturating_sub(1);
        let (headers, start) = Headers::read(raw);
        self.truncated |= headers.truncated;
        let content_type = headers.parameterised("content-type");
        let media_type = content_type
            .as_ref()
            .map(|found| found.kind.clone())
            .filter(|kind| kind.contains('/'))
            .unwrap_or_else(|| default_type.to_owned());
        let mut part = Part {
            disposition: headers.parameterised("content-disposition"),
            headers,
            media_type,
            content_type,
            body: &raw[start..],
            children: Vec::new(),
        };
        if part.media_type.starts_with("multipart/") {
            self.divide(&mut part, depth);
        }
        part
    }

    fn divide(&mut self, part: &mut Part<'_>, depth: usize) {
        if depth >= MAX_DEPTH {
            self.truncated = true;
            return;
        }
        let boundary = part
            .parameter("boundary")
            .map(|declared| declared.trim_end().as_bytes().to_vec())
            .filter(|declared| !declared.is_empty())
            .or_else(|| guess_boundary(part.body));
        let default_type = if part.media_type == "multipart/digest" {
            "message/rfc822"
        } else {
            "text/plain"
        };
        let pieces = boundary.map_or_else(Vec::new, |found| {
            split(part.body, &found, self.parts_left + 1)
        });
        for piece in pieces {
            if self.parts_left == 0 {
                self.truncated = true;
                break;
            }
            let child = self.part(piece, depth + 1, default_type);
            part.children.push(child);
        }
        if part.children.is_empty() {
            // A multipart in name only: whatever it holds, people can read it.
            part.media_type = "text/plain".to_owned();
        }
    }
}

/// The pieces between the boundary's lines, at most `limit` of them. The line
/// break before a boundary belongs to it (RFC 2046 section 5.1.1).
fn split<'a>(body: &'a [u8], boundary: &[u8], limit: usize) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut start = None;
    let mut at = 0;
    while at < body.len() {
        let end = line_end(body, at);
        if let Some(closing) = boundary_line(&body[at..end], boundary) {
            if let Some(start) = start {
                pieces.push(trim_line_end(&body[start..at]));
            }
            start = if closing { None } else { Some(end) };
            if closing || pieces.len() >= limit {
                return pieces;
            }
        }
        at = end;
    }
    if let Some(start) = start {
        pieces.push(&body[start..]);
    }
    pieces
}

/// `Some(is the closing one)` for a boundary's line.
fn boundary_line(line: &[u8], boundary: &[u8]) -> Option<bool> {
    let rest = line.strip_prefix(b"--")?.strip_prefix(boundary)?;
    match rest.trim_ascii() {
        b"" => Some(false),
        b"--" => Some(true),
        _ => None,
    }
}

/// A lost `boundary` parameter: the first line that looks like one.
fn guess_boundary(body: &[u8]) -> Option<Vec<u8>> {
    /// The first lines of a body; a boundary comes after a short preamble.
    const LINES: usize = 50;
    body.split(|&byte| byte == b'\n')
        .take(LINES)
        .filter_map(|line| line.trim_ascii_end().strip_prefix(b"--"))
        .find(|rest| rest.len() >= 8 && !rest.contains(&b' ') && rest.iter().any(|b| *b != b'-'))
        .map(<[u8]>::to_vec)
}

//! What of a message is its text, and what came along with it.

use super::attachment::Attachment;
use super::html;
use super::limits::MAX_ATTACHMENTS;
use super::line::{self, Line};
use super::mime::Part;

/// The text and the attachments of a message.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) lines: Vec<Line>,
    pub(super) attachments: Vec<Attachment>,
    /// Attachments beyond the bound were left out.
    pub(super) truncated: bool,
}

impl Body {
    pub(super) fn of(root: &Part<'_>) -> Body {
        let mut content = Content::default();
        collect(root, &mut content);
        let truncated = content.files.len() > MAX_ATTACHMENTS;
        content.files.truncate(MAX_ATTACHMENTS);
        Body {
            lines: content.lines,
            attachments: content
                .files
                .into_iter()
                .map(|(part, inline)| Attachment::of(part, inline))
                .collect(),
            truncated,
        }
    }
}

/// What a part contributes. Files are kept as parts until the end, so that
/// none is decoded in vain.
#[derive(Default)]
struct Content<'p, 'a> {
    lines: Vec<Line>,
    is_html: bool,
    files: Vec<(&'p Part<'a>, bool)>,
}

impl Content<'_, '_> {
    fn words(&self) -> usize {
        self.lines
            .iter()
            .map(|line| line.text.split_whitespace().count())
            .sum()
    }

    fn add_text(&mut self, lines: Vec<Line>) {
        if !self.lines.is_empty() && lines.iter().any(|line| !line.is_blank()) {
            self.lines.push(Line::own(""));
        }
        self.lines.extend(lines);
    }
}

fn collect<'p, 'a>(part: &'p Part<'a>, into: &mut Content<'p, 'a>) {
    match part.media_type.as_str() {
        "multipart/alternative" if part.is_multipart() => collect_best(part, into),
        "multipart/related" if part.is_multipart() => {
            // The first part is the document, the others are its pictures.
            for (index, child) in part.children.iter().enumerate() {
                if index == 0 {
                    collect(child, into);
                } else {
                    into.files
                        .extend(child.leaves().into_iter().map(|leaf| (leaf, true)));
                }
            }
        }
        _ if part.is_multipart() => {
            for child in &part.children {
                collect(child, into);
            }
        }
        "text/plain" | "text/html" if is_body_text(part) => {
            into.is_html |= part.media_type == "text/html";
            into.add_text(text_lines(part));
        }
        _ => into.files.push((part, part.is_declared_inline())),
    }
}

/// A text part with a name of its own is a file, unless it is the body of a
/// client that names everything, which calls it inline.
fn is_body_text(part: &Part<'_>) -> bool {
    !part.is_declared_attachment()
        && (part.file_name().is_none()
            || part.is_declared_inline() && part.media_type == "text/plain")
}

fn text_lines(part: &Part<'_>) -> Vec<Line> {
    let text = part.text();
    if part.media_type == "text/html" {
        return html::lines(&text);
    }
    let flowed = part
        .parameter("format")
        .is_some_and(|format| format.eq_ignore_ascii_case("flowed"));
    if flowed {
        let delete_space = part
            .parameter("delsp")
            .is_some_and(|value| value.eq_ignore_ascii_case("yes"));
        return line::of_flowed(&text, delete_space);
    }
    line::of_plain(&text)
}

/// Plain text is preferred, since it carries the quotation marks that people
/// see; HTML is taken where the plain text is empty or a stub ("your client
/// cannot show this message") that says much less.
fn collect_best<'p, 'a>(part: &'p Part<'a>, into: &mut Content<'p, 'a>) {
    let mut plain: Option<Content<'p, 'a>> = None;
    let mut rich: Option<Content<'p, 'a>> = None;
    for child in &part.children {
        let mut content = Content::default();
        collect(child, &mut content);
        into.files.append(&mut content.files);
        if content.lines.iter().all(Line::is_blank) {
            continue;
        }
        // The last one of a kind is the richest (RFC 2046 section 5.1.4).
        if content.is_html {
            rich = Some(content);
        } else {
            plain = Some(content);
        }
    }
    let best = match (plain, rich) {
        (Some(plain), Some(rich)) if is_stub(&plain, &rich) => Some(rich),
        (Some(plain), _) => Some(plain),
        (None, rich) => rich,
    };
    if let Some(best) = best {
        into.is_html |= best.is_html;
        into.add_text(best.lines);
    }
}

fn is_stub(plain: &Content<'_, '_>, rich: &Content<'_, '_>) -> bool {
    plain.words() * 2 + 10 < rich.words()
}

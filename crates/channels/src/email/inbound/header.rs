//! Header sections: splitting, unfolding, and the few structured values that
//! are needed. The values are parsed by `mail-parser`, one bounded value at a
//! time, so that no header can cost more than its own length.

use jiff::Timestamp;
use mail_parser::{HeaderValue, parsers::MessageStream};

use super::limits::{
    MAX_ADDRESSES, MAX_HEADER_BYTES, MAX_HEADER_VALUE_BYTES, MAX_HEADERS, MAX_MESSAGE_IDS,
    MAX_PHRASE_CHARS,
};
use super::{Address, SentAt, charset};

/// The headers of one message or part, in order, names in lower case.
#[derive(Debug, Default)]
pub(super) struct Headers {
    fields: Vec<(String, String)>,
    /// Something was longer than the bounds and has been left out.
    pub(super) truncated: bool,
}

impl Headers {
    /// Reads the header section at the start of `raw` and returns it with the
    /// offset at which the body starts.
    pub(super) fn read(raw: &[u8]) -> (Headers, usize) {
        let mut headers = Headers::default();
        let mut field: Vec<u8> = Vec::new();
        let mut at = skip_envelope_line(raw);
        let mut kept = 0_usize;
        while at < raw.len() {
            let end = line_end(raw, at);
            let line = trim_line_end(&raw[at..end]);
            if line.is_empty() {
                at = end;
                break;
            }
            let folded = line[0] == b' ' || line[0] == b'\t';
            if folded {
                if line.iter().all(u8::is_ascii_whitespace) && !is_folded(raw, end) {
                    // A line of blanks that nothing continues is what some
                    // gateways make of the empty line.
                    at = end;
                    break;
                }
            } else if is_field(line) {
                headers.push(&mut field);
            } else if goes_on(raw, end) {
                // One broken line among headers: skip it, as every client does.
                at = end;
                continue;
            } else {
                // The empty line is missing and the body starts here.
                break;
            }
            let room = MAX_HEADER_VALUE_BYTES
                .saturating_sub(field.len())
                .min(MAX_HEADER_BYTES - kept);
            headers.truncated |= line.len() > room;
            let within = &line[..line.len().min(room)];
            field.extend_from_slice(within);
            kept += within.len();
            at = end;
        }
        headers.push(&mut field);
        (headers, at)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The unfolded, undecoded values of every field of this (lower case) name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(move |(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }

    /// The first of [`Headers::all`].
    pub(super) fn first<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// The value in lower case up to its first `;`, without comments; empty
    /// when absent. For the tokens of `Auto-Submitted`, `Precedence` and kin.
    pub(super) fn token(&self, name: &str) -> String {
        let value = self.first(name).unwrap_or_default();
        let end = value.find([';', '(']).unwrap_or(value.len());
        value[..end].trim().to_lowercase()
    }

    /// An unstructured value with its encoded words decoded.
    pub(super) fn phrase(&self, name: &str) -> String {
        let value = self.first(name).unwrap_or_default();
        match MessageStream::new(closed(value).as_bytes()).parse_unstructured() {
            HeaderValue::Text(text) => tidy(&text),
            _ => String::new(),
        }
    }

    pub(super) fn addresses(&self, name: &str) -> Vec<Address> {
        let mut found = Vec::new();
        for value in self.all(name) {
            let value = closed(value);
            let HeaderValue::Address(list) = MessageStream::new(value.as_bytes()).parse_address()
            else {
                continue;
            };
            for addr in list.iter().take(MAX_ADDRESSES) {
                let address = tidy(addr.address.as_deref().unwrap_or_default());
                if found.len() < MAX_ADDRESSES && is_address(&address) {
                    let name = addr.name.as_deref().map(tidy).filter(|n| !n.is_empty());
                    found.push(Address { name, address });
                }
            }
        }
        found
    }

    /// Bare addresses, for `Delivered-To` and kin.
    pub(super) fn bare_addresses(&self, name: &str) -> Vec<String> {
        self.addresses(name)
            .into_iter()
            .map(|address| address.address)
            .collect()
    }

    /// Message ids without their angle brackets; the newest when there are too
    /// many, since they come last (RFC 5322 section 3.6.4).
    pub(super) fn message_ids(&self, name: &str) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for value in self.all(name) {
            match MessageStream::new(closed(value).as_bytes()).parse_id() {
                HeaderValue::Text(id) => ids.push(tidy(&id)),
                HeaderValue::TextList(list) => ids.extend(list.iter().map(|id| tidy(id))),
                _ => {}
            }
        }
        ids.retain(|id| !id.is_empty());
        if ids.len() > MAX_MESSAGE_IDS {
            ids.drain(..ids.len() - MAX_MESSAGE_IDS);
        }
        ids
    }

    pub(super) fn date(&self) -> Option<SentAt> {
        let value = closed(self.first("date")?);
        let HeaderValue::DateTime(date) = MessageStream::new(value.as_bytes()).parse_date() else {
            return None;
        };
        if !date.is_valid() {
            return None;
        }
        let offset = i32::from(date.tz_hour) * 3600 + i32::from(date.tz_minute) * 60;
        Some(SentAt {
            instant: Timestamp::from_second(date.to_timestamp()).ok()?,
            offset_seconds: if date.tz_before_gmt { -offset } else { offset },
        })
    }

    /// `Content-Type` or `Content-Disposition`: the value and its parameters,
    /// all decoded (RFC 2231), names and value in lower case.
    pub(super) fn parameterised(&self, name: &str) -> Option<Parameterised> {
        let value = closed(self.first(name)?);
        let HeaderValue::ContentType(parsed) =
            MessageStream::new(value.as_bytes()).parse_content_type()
        else {
            return None;
        };
        let mut kind = parsed.ctype().to_ascii_lowercase();
        if let Some(subtype) = parsed.subtype() {
            kind.push('/');
            kind.push_str(&subtype.to_ascii_lowercase());
        }
        let parameters = parsed
            .attributes()
            .unwrap_or_default()
            .iter()
            .map(|attribute| {
                (
                    attribute.name.to_ascii_lowercase(),
                    attribute.value.to_string(),
                )
            })
            .collect();
        Some(Parameterised { kind, parameters })
    }

    fn push(&mut self, field: &mut Vec<u8>) {
        let bytes = std::mem::take(field);
        let Some(colon) = bytes.iter().position(|&byte| byte == b':') else {
            return;
        };
        if self.fields.len() >= MAX_HEADERS {
            self.truncated = true;
            return;
        }
        let name = String::from_utf8_lossy(&bytes[..colon]);
        let value = charset::decode(&bytes[colon + 1..], None);
        self.fields
            .push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// A header value with parameters.
#[derive(Debug)]
pub(super) struct Parameterised {
    pub(super) kind: String,
    parameters: Vec<(String, String)>,
}

impl Parameterised {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The end of the line that starts at `at`, its line feed included.
pub(super) fn line_end(raw: &[u8], at: usize) -> usize {
    raw[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(raw.len(), |found| at + found + 1)
}

pub(super) fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Enough of an address to be compared and shown: one `@`, no blanks.
pub(super) fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    !local.is_empty()
        && !domain.is_empty()
        && text.len() <= 320
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>,;".contains(c))
}

/// Files in mbox format and some pipes start with the envelope's line.
fn skip_envelope_line(raw: &[u8]) -> usize {
    let start = raw
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(raw.len());
    // A byte order mark is not part of the first name.
    let start = start
        + if raw[start..].starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
    if raw[start..].starts_with(b"From ") || raw[start..].starts_with(b">From ") {
        line_end(raw, start)
    } else {
        start
    }
}

/// A name and a colon. RFC 5322 section 2.2 allows more characters than these,
/// which nobody uses, while JSON and code would pass for headers with them.
fn is_field(line: &[u8]) -> bool {
    let Some(colon) = line.iter().take(128).position(|&byte| byte == b':') else {
        return false;
    };
    let name = line[..colon].trim_ascii_end();
    !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn is_folded(raw: &[u8], at: usize) -> bool {
    matches!(raw.get(at), Some(b' ' | b'\t'))
}

/// Whether the header section goes on, or ends properly, at this offset.
fn goes_on(raw: &[u8], at: usize) -> bool {
    if at >= raw.len() {
        return false;
    }
    let line = trim_line_end(&raw[at..line_end(raw, at)]);
    line.is_empty() || is_folded(raw, at) || is_field(line)
}

/// The value parsers of `mail-parser` expect the line's end.
fn closed(value: &str) -> String {
    format!("{value}\r\n")
}

/// One line of printable text: no control characters, blanks collapsed.
fn tidy(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_PHRASE_CHARS)
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

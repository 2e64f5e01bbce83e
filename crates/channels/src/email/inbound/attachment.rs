//! Attachments: what a person sent along, made safe to store and to show.

use super::limits::MAX_FILE_NAME_CHARS;
use super::mime::Part;

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// A bare name: no folders, no control or direction characters, at most 60
    /// characters, never empty. Made up when the sender gave none.
    pub file_name: String,
    /// What the sender calls it, in lower case, for example `image/jpeg`.
    pub media_type: String,
    /// What its first bytes say it is, when they say anything.
    pub sniffed: Option<&'static str>,
    /// The content, transfer encoding undone.
    pub bytes: Vec<u8>,
    /// Shown inside the text (a pasted picture, a logo in a signature).
    pub inline: bool,
}

impl Attachment {
    pub(super) fn of(part: &Part<'_>, inline: bool) -> Attachment {
        let bytes = part.bytes().into_owned();
        let declared = decoded(part.file_name().unwrap_or_default());
        let mut file_name = safe_file_name(&declared);
        if file_name.is_empty() {
            file_name = made_up_name(&part.media_type).to_owned();
        }
        Attachment {
            file_name,
            media_type: part.media_type.clone(),
            sniffed: sniff(&bytes),
            bytes,
            inline,
        }
    }
}

/// Many clients write encoded words into parameters, which RFC 2047 section 5
/// forbids and everybody reads.
fn decoded(name: &str) -> String {
    if !name.contains("=?") {
        return name.to_owned();
    }
    let line = format!("{name}\r\n");
    match mail_parser::parsers::MessageStream::new(line.as_bytes()).parse_unstructured() {
        mail_parser::HeaderValue::Text(text) => text.into_owned(),
        _ => name.to_owned(),
    }
}

/// The last path component without anything that misleads a reader, a shell
/// or a file system. A long name keeps its extension.
fn safe_file_name(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = base
        .chars()
        .filter(|&c| !c.is_control() && !is_invisible(c))
        .map(|c| if "<>:\"|?*".contains(c) { '_' } else { c })
        .collect();
    // A leading dot hides a file; a trailing one vanishes on Windows.
    let kept = kept.trim().trim_matches('.').trim();
    if kept.chars().count() <= MAX_FILE_NAME_CHARS {
        return kept.to_owned();
    }
    let (stem, extension) = match kept.rsplit_once('.') {
        Some((stem, extension)) if extension.chars().count() <= 10 => (stem, extension),
        _ => (kept, ""),
    };
    let room = MAX_FILE_NAME_CHARS - extension.chars().count() - 1;
    let stem: String = stem.chars().take(room).collect();
    if extension.is_empty() {
        stem
    } else {
        format!("{}.{extension}", stem.trim_end())
    }
}

/// Direction overrides make `gpj.exe` look like `exe.jpg`; zero-width
/// characters make two names look the same.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{061C}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{00AD}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

fn made_up_name(media_type: &str) -> &'static str {
    match media_type {
        "message/rfc822" | "message/global" => "message.eml",
        "text/calendar" => "invitation.ics",
        "text/plain" => "text.txt",
        "text/html" => "text.html",
        "image/jpeg" => "image.jpg",
        "image/png" => "image.png",
        "image/gif" => "image.gif",
        "application/pdf" => "document.pdf",
        _ => "attachment.bin",
    }
}

/// The signatures of the files that people mail to each other, and of those
/// that nobody should open. Offset zero unless said otherwise.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xFF\xD8\xFF", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "application/x-ole-storage",
    ),
    (b"{\\rtf", "application/rtf"),
    (b"\x1F\x8B", "application/gzip"),
    (b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"),
    (b"Rar!\x1A\x07", "application/vnd.rar"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"MZ", "application/x-msdownload"),
    (b"\x7FELF", "application/x-executable"),
    (b"\x78\x9F\x3E\x22", "application/ms-tnef"),
    (b"BEGIN:VCALENDAR", "text/calendar"),
    (b"BEGIN:VCARD", "text/vcard"),
];

fn sniff(bytes: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = SIGNATURES
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
    {
        return Some(kind);
    }
    match (bytes.get(..4), bytes.get(4..8), bytes.get(8..12)) {
        (Some(b"RIFF"), _, Some(b"WEBP")) => Some("image/webp"),
        (_, Some(b"ftyp"), Some(b"heic" | b"heix" | b"mif1")) => Some("image/heic"),
        (_, Some(b"ftyp"), Some(_)) => Some("video/mp4"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{safe_file_name, sniff};

    #[test]
    fn file_names_are_bare_and_honest() {
        for (given, expected) in [
            ("lease.pdf", "lease.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\me\\scan 1.png", "scan 1.png"),
            ("invoice\u{202E}gpj.exe", "invoicegpj.exe"),
            ("a\0b\r\nc.txt", "abc.txt"),
            (".bashrc", "bashrc"),
            ("what?.txt", "what_.txt"),
            ("..", ""),
            ("/", ""),
        ] {
            assert_eq!(safe_file_name(given), expected, "{given:?}");
        }
    }

    #[test]
    fn a_long_file_name_keeps_its_extension() {
        let name = safe_file_name(&format!("{}.pdf", "ä".repeat(500)));
        assert_eq!(name.chars().count(), 60);
        assert!(name.ends_with("ä.pdf"));
    }

    #[test]
    fn the_first_bytes_tell_the_kind() {
        assert_eq!(sniff(b"%PDF-1.7 rest"), Some("application/pdf"));
        assert_eq!(sniff(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(sniff(b"\0\0\0\x18ftypheic"), Some("image/heic"));
        assert_eq!(sniff(b"just text"), None);
        assert_eq!(sniff(b""), None);
    }
}

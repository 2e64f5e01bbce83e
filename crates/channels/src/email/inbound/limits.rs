//! The bounds that keep one hostile or broken mail from costing more than a
//! large honest one. What lies beyond a bound is left out and the mail is
//! marked `truncated`; it is never a reason to refuse the rest.

/// Bytes of a raw message that are looked at. The large providers accept at
/// most 25 to 50 MB, which base64 grows by a third; more is not a mail.
pub(super) const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of one header section. Long chains of `Received` and ARC seals reach
/// some tens of kilobytes.
pub(super) const MAX_HEADER_BYTES: usize = 256 * 1024;

/// Bytes of one header's value. A `References` of a thread of hundreds of
/// mails, the longest honest one, stays below.
pub(super) const MAX_HEADER_VALUE_BYTES: usize = 32 * 1024;

/// Headers of one section; honest mails stay below two hundred.
pub(super) const MAX_HEADERS: usize = 1_000;

/// MIME parts of one message, multiparts included. A mail with a hundred
/// photographs has a little over a hundred.
pub(super) const MAX_PARTS: usize = 300;

/// How deep multiparts nest. Mail clients reach four or five; each gateway on
/// the way may wrap once more. It also bounds the recursion that walks them.
pub(super) const MAX_DEPTH: usize = 20;

/// Attachments handed over. Each becomes a stored blob and a row.
pub(super) const MAX_ATTACHMENTS: usize = 100;

/// Bytes of decoded text. Nobody types a megabyte; what is longer is a pasted
/// log or an attack on whatever reads it next.
pub(super) const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Lines of decoded text. A megabyte of prose has some fifteen thousand.
pub(super) const MAX_TEXT_LINES: usize = 20_000;

/// Addresses kept of one address header.
pub(super) const MAX_ADDRESSES: usize = 500;

/// Message ids kept of `References` and `In-Reply-To`; matching needs the
/// newest few, and a thread of weeks stays below.
pub(super) const MAX_MESSAGE_IDS: usize = 200;

/// Characters of an attachment's name. Below the 255 bytes that file systems
/// allow, even with four bytes to the character.
pub(super) const MAX_FILE_NAME_CHARS: usize = 60;

/// Characters of a subject or a person's name. RFC 5322 section 2.1.1 limits a
/// line to 998.
pub(super) const MAX_PHRASE_CHARS: usize = 998;

/// Recipients of one delivery report. Our own mails have one.
pub(super) const MAX_REPORTED_RECIPIENTS: usize = 100;

/// Characters of a diagnostic kept for the operator to read.
pub(super) const MAX_DIAGNOSTIC_CHARS: usize = 1_000;

//! Email out over SMTP and in over IMAP or HTTP.

pub mod email;

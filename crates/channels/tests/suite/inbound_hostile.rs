//! Mails made to break a parser: each is read as well as it can be, or refused
//! with a reason. None panics and none costs more than its size.

use liaison_channels::email::inbound::{Class, Unreadable, parse};
use proptest::prelude::*;

#[test]
fn what_is_no_mail_is_unreadable_and_says_why() {
    for (raw, expected) in [
        (&b""[..], Unreadable::Empty),
        (b" \r\n\t\r\n", Unreadable::Empty),
        (b"just a line", Unreadable::NoHeader),
        (b"\x00\xFF\xFE garbage \x01", Unreadable::NoHeader),
        (b"{\"json\": true}", Unreadable::NoHeader),
    ] {
        assert_eq!(parse(raw).unwrap_err(), expected, "{raw:?}");
    }
}

#[test]
fn ten_thousand_parts_are_read_up_to_the_limit() {
    let mut raw = String::from(
        "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\n\r\nThe agency, please.\r\n",
    );
    for part in 0..10_000 {
        raw.push_str(&format!(
            "--b\r\nContent-Type: application/pdf; name={part}.pdf\r\n\r\nx\r\n"
        ));
    }
    let mail = parse(raw.as_bytes()).unwrap();
    assert_eq!(mail.visible.text, "The agency, please.");
    assert_eq!(mail.attachments.len(), 100);
    assert!(mail.truncated);
}

#[test]
fn five_hundred_levels_are_read_up_to_the_limit() {
    let mut raw = String::from("From: a@b.example\r\n");
    for level in 0..500 {
        raw.push_str(&format!(
            "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n\r\n\
             level {level}\r\n--b{level}\r\n"
        ));
    }
    let mail = parse(raw.as_bytes()).unwrap();
    assert!(mail.text.starts_with("level 0"));
    assert!(mail.truncated);
}

#[test]
fn nested_messages_cost_no_stack() {
    let mut raw = String::from("From: a@b.example\r\n");
    raw.push_str(&"Content-Type: message/rfc822\r\n\r\n".repeat(100_000));
    let mail = parse(raw.as_bytes()).unwrap();
    assert_eq!(mail.attachments.len(), 1);
}

#[test]
fn a_header_line_of_megabytes_leaves_the_others_readable() {
    let raw = format!(
        "From: a@b.example\r\nX-Long: {}\r\nSubject: keys\r\n\r\nYes.\r\n",
        "x".repeat(20_000_000)
    );
    let mail = parse(raw.as_bytes()).unwrap();
    assert_eq!(mail.visible.text, "Yes.");
    assert!(mail.truncated);
    assert_eq!(mail.from.unwrap().address, "a@b.example");
}

#[test]
fn folded_headers_without_end_are_cut() {
    let raw = format!(
        "From: a@b.example\r\nSubject: keys{}\r\n\r\nYes.\r\n",
        "\r\n =?utf-8?q?a?=".repeat(200_000)
    );
    let mail = parse(raw.as_bytes()).unwrap();
    assert_eq!(mail.visible.text, "Yes.");
    assert!(mail.subject.starts_with("keys"));
    assert!(mail.truncated);
}

#[test]
fn many_addresses_and_ids_are_cut() {
    let raw = format!(
        "From: a@b.example\r\nTo: {}\r\nReferences: {}<last@b.example>\r\n\r\nYes.\r\n",
        "x@y.example, ".repeat(100_000),
        "<1@b.example> ".repeat(1_000)
    );
    let mail = parse(raw.as_bytes()).unwrap();
    assert!(mail.to.len() <= 500);
    assert!(mail.references.len() <= 200);
    assert_eq!(mail.references.last().unwrap(), "last@b.example");
}

#[test]
fn a_text_of_megabytes_is_cut_and_its_beginning_kept() {
    let raw = format!(
        "From: a@b.example\r\n\r\nThe agency.\r\n{}",
        "and more of it\r\n".repeat(200_000)
    );
    let mail = parse(raw.as_bytes()).unwrap();
    assert!(mail.text.len() <= 1024 * 1024);
    assert!(mail.visible.text.len() <= 1024 * 1024);
    assert!(mail.visible.text.starts_with("The agency."));
    assert!(mail.truncated);
}

#[test]
fn texts_that_invite_quadratic_work_do_not_get_it() {
    for body in [
        "a\n".repeat(400_000),
        "\n".repeat(800_000),
        "--\n".repeat(250_000),
        "> 5\n\n".repeat(150_000),
        "On Mon, Mar 4, 2024 at 9:13 AM A <a@b.example> wrote:\nx\n".repeat(10_000),
        "From: a\n".repeat(100_000),
        "a@b.example ".repeat(80_000),
        "<a@b.example> 550 5.1.1\n".repeat(30_000),
    ] {
        let raw = format!("From: mailer-daemon@b.example\nSubject: failure notice\n\n{body}");
        let mail = parse(raw.as_bytes()).unwrap();
        assert!(matches!(mail.class, Class::Bounce(_)));
    }
}

#[test]
fn broken_structure_still_gives_its_text() {
    for (what, raw) in [
        (
            "no closing boundary",
            "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nThe agency.\n",
        ),
        (
            "the boundary never comes",
            "Content-Type: multipart/mixed; boundary=b\n\nThe agency.\n",
        ),
        (
            "no boundary parameter",
            "Content-Type: multipart/mixed\n\n------=_Part_123\n\nThe agency.\n------=_Part_123--\n",
        ),
        ("no empty line", "Subject: keys\nThe agency.\n"),
        (
            "a broken header line",
            "garbage line\nSubject: keys\n\nThe agency.\n",
        ),
        (
            "an unknown encoding",
            "Content-Transfer-Encoding: rot13\n\nThe agency.\n",
        ),
        (
            "an unknown character set",
            "Content-Type: text/plain; charset=klingon\n\nThe agency.\n",
        ),
        (
            "broken base64",
            "Content-Transfer-Encoding: base64\n\nVGhlIGFn!!!ZW5jeS4\n",
        ),
        ("lone carriage returns", "Subject: keys\n\nThe agency.\r"),
        (
            "a byte order mark",
            "\u{FEFF}Subject: keys\n\nThe agency.\n",
        ),
        (
            "an envelope line",
            "From a@b.example Mon Mar  4 09:13:00 2024\nSubject: keys\n\nThe agency.\n",
        ),
    ] {
        // The second case needs a first line that is a header.
        let raw = if raw.starts_with("garbage") {
            format!("Subject: keys\n{raw}")
        } else {
            raw.to_owned()
        };
        assert_eq!(
            parse(raw.as_bytes()).unwrap().visible.text,
            "The agency.",
            "{what}"
        );
    }
}

/// Pieces of which mails are made, so that random ones reach deep.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Content-Type: multipart/mixed; boundary=b\r\n".to_owned()),
        Just("Content-Type: multipart/alternative; boundary=\"c\"\r\n".to_owned()),
        Just("Content-Type: text/html; charset=iso-8859-1\r\n".to_owned()),
        Just("Content-Type: message/delivery-status\r\n".to_owned()),
        Just("Content-Type: message/rfc822\r\n".to_owned()),
        Just("Content-Transfer-Encoding: base64\r\n".to_owned()),
        Just("Content-Transfer-Encoding: quoted-printable\r\n".to_owned()),
        Just("Content-Disposition: attachment; filename*=utf-8''a%2\r\n".to_owned()),
        Just("From: =?utf-8?q?A?= <a@b.example>\r\n".to_owned()),
        Just("Date: Mon, 4 Mar 2024 09:13:00 +9999\r\n".to_owned()),
        Just("X-Failed-Recipients: a@b.example\r\n".to_owned()),
        Just("Final-Recipient: rfc822; a@b.example\r\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("--b\r\n".to_owned()),
        Just("--c--\r\n".to_owned()),
        Just("> quoted\r\n".to_owned()),
        Just("On Mon, Mar 4, 2024 at 9:13 AM A <a@b.example> wrote:\r\n".to_owned()),
        Just("-----Original Message-----\r\n".to_owned()),
        Just("<blockquote><div style='display:none'>&#x1F;".to_owned()),
        Just("Regards,\r\nÄnn\r\n".to_owned()),
        "[\\PC\\r\\n]{0,40}",
        "[^\\x00]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(raw in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = parse(&raw);
    }

    #[test]
    fn arbitrary_bodies_never_panic(body in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let mut raw = b"From: a@b.example\r\nContent-Type: text/html\r\n\r\n".to_vec();
        raw.extend_from_slice(&body);
        prop_assert!(parse(&raw).is_ok());
    }

    #[test]
    fn random_mails_never_panic(pieces in prop::collection::vec(piece(), 0..60)) {
        let _ = parse(pieces.concat().as_bytes());
    }

    #[test]
    fn mutated_mails_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut raw = WHOLE.as_bytes().to_vec();
        for (place, byte) in changes {
            let at = place.index(raw.len());
            raw[at] = byte;
        }
        raw.truncate(cut.index(raw.len()) + 1);
        let _ = parse(&raw);
    }

    #[test]
    fn visible_text_comes_from_the_text(pieces in prop::collection::vec(piece(), 0..40)) {
        let raw = format!("Subject: keys\r\n\r\n{}", pieces.concat());
        let mail = parse(raw.as_bytes()).unwrap();
        for line in mail.visible.text.lines() {
            prop_assert!(mail.text.contains(line.trim()), "{line:?} of {:?}", mail.text);
        }
    }

    #[test]
    fn words_above_a_quotation_are_never_lost(words in "[a-z]{1,12}( [a-z]{1,12}){0,12}[.!?]?") {
        let raw = format!(
            "From: Ann <a@b.example>\r\n\r\n{words}\r\n\r\n\
             On Mon, Mar 4, 2024 at 9:13 AM Us <us@b.example> wrote:\r\n> Who arranges it?\r\n"
        );
        prop_assert_eq!(parse(raw.as_bytes()).unwrap().visible.text, words);
    }
}

const WHOLE: &str = "Return-Path: <>\r\n\
From: =?utf-8?Q?Mail_Delivery?= <mailer-daemon@mx.example>\r\n\
To: us@example.com\r\n\
Subject: =?iso-8859-1?Q?Undelivered?= mail\r\n\
Date: Mon, 4 Mar 2024 09:13:00 +0100\r\n\
References: <a@x.example> <b@x.example>\r\n\
Auto-Submitted: auto-replied\r\n\
Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n\
--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
<p style=3D\"font-size:0\">hidden</p><p>Sorry, <b>ann@example.com</b> &amp; co: 550 5.1.1 User unknown</p>\r\n\
--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n\
Final-Recipient: rfc822; ann@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n\
--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <o@example.com>\r\nSubject: keys\r\n\r\nHello\r\n\
--b--\r\n";

//! Mail that came in, as the engine sees it.

use crate::parts::address;
use liaison_channels::email::EmailDecoder;
use liaison_core::{conversation::Received, id::TenantId};
use liaison_ports::inbound::{InboundKind, InboundMessage, MailDecoder, Undecodable};
use rstest::rstest;

fn try_decode(raw: &str) -> Result<InboundMessage, Undecodable> {
    EmailDecoder::new(address("liaison@agency.example")).decode(
        &TenantId::new("t"),
        raw.replace('\n', "\r\n").as_bytes(),
        "2026-03-02T12:00:00Z".parse().unwrap(),
    )
}

fn decode(raw: &str) -> InboundMessage {
    try_decode(raw).unwrap()
}

const REPLY: &str = "Return-Path: <bo@landlord.example>\n\
    Delivered-To: liaison+token1@agency.example\n\
    From: Bo =?utf-8?Q?=C3=96st?= <Bo@Landlord.example>\n\
    To: Ana <LIAISON+TOKEN1@Agency.example>, liaison+token2@agency.example\n\
    Cc: other+token3@agency.example, liaison@agency.example\n\
    Subject: Re: The inspection\n\
    Date: Mon, 2 Mar 2026 10:00:00 +0100\n\
    Message-ID: <reply@landlord.example>\n\
    In-Reply-To: <ask2@agency.example>\n\
    References: <root@other.example> <ask1@agency.example> <ask2@agency.example>\n\
    \n\
    Please arrange it for me.\n\
    \n\
    On Mon, 2 Mar 2026 at 09:15, Ana <liaison+token1@agency.example> wrote:\n\
    > Who will arrange it?\n";

#[test]
fn a_reply_carries_all_that_it_is_matched_by() {
    let message = decode(REPLY);
    assert_eq!(message.tokens, ["token1", "token2"]);
    assert_eq!(
        message.references,
        [
            "<ask2@agency.example>",
            "<ask1@agency.example>",
            "<root@other.example>"
        ]
    );
    assert_eq!(
        message.transport_id.as_deref(),
        Some("<reply@landlord.example>")
    );
    assert_eq!(message.from, Some(address("Bo@landlord.example")));
    assert_eq!(message.from_text, "Bo Öst <Bo@Landlord.example>");
    assert_eq!(message.subject, "Re: The inspection");
    assert_eq!(message.text, "Please arrange it for me.");
    assert_eq!(message.kind, InboundKind::Person);
    assert_eq!(
        message.written_at,
        Some("2026-03-02T09:00:00Z".parse().unwrap())
    );
    assert_eq!(message.received_at, "2026-03-02T12:00:00Z".parse().unwrap());
    assert_eq!(message.raw, REPLY.replace('\n', "\r\n").as_bytes());
}

#[test]
fn the_same_mail_has_the_same_key_by_whatever_route_it_comes() {
    let key = decode(REPLY).dedupe_key;
    assert!(key.starts_with("email:") && key.len() == 6 + 64, "{key}");
    let another_route = REPLY.replace(
        "Return-Path: <bo@landlord.example>",
        "Received: from elsewhere\nX-Spam: no",
    );
    assert_eq!(decode(&another_route).dedupe_key, key);
    for (old, new) in [
        ("<reply@landlord.example>", "<reply2@landlord.example>"),
        ("10:00:00", "10:00:01"),
        ("Bo@Landlord.example", "Cy@Landlord.example"),
        ("for me.", "for us."),
    ] {
        assert_ne!(decode(&REPLY.replace(old, new)).dedupe_key, key, "{new}");
    }
}

#[test]
fn of_mails_without_id_and_date_every_byte_counts() {
    let yes = |received: &str| {
        decode(&format!(
            "Received: {received}\nFrom: bo@landlord.example\n\nYes"
        ))
        .dedupe_key
    };
    assert_eq!(yes("by a"), yes("by a"));
    assert_ne!(yes("by a"), yes("by b"));
}

#[rstest]
#[case(
    "Auto-Submitted: auto-replied\nFrom: bo@landlord.example",
    InboundKind::Automatic
)]
#[case(
    "List-Id: <news.example>\nPrecedence: list\nFrom: n@news.example",
    InboundKind::Automatic
)]
#[case(
    "From: liaison@agency.example\nSubject: The inspection",
    InboundKind::Automatic
)]
#[case(
    "From: liaison+token1@agency.example\nSubject: The inspection",
    InboundKind::Automatic
)]
#[case(
    "From: bo@landlord.example\nSubject: The inspection",
    InboundKind::Person
)]
fn only_a_person_counts_as_a_person(#[case] head: &str, #[case] kind: InboundKind) {
    assert_eq!(decode(&format!("{head}\n\nHello\n")).kind, kind);
}

#[rstest]
#[case::in_one_field("From: Bo <bo@landlord.example>, Eve <eve@evil.example>\n")]
#[case::the_other_way_round("From: eve@evil.example, bo@landlord.example\n")]
#[case::in_two_fields("From: bo@landlord.example\nFrom: Eve <eve@evil.example>\n")]
#[case::in_a_group("From: Us: bo@landlord.example, eve@evil.example;\n")]
fn a_mail_of_several_authors_has_no_sender(#[case] from: &str) {
    let message = decode(&format!(
        "{from}To: liaison+token1@agency.example\n\nPlease arrange it for me.\n"
    ));
    assert_eq!(message.from, None);
    assert_eq!(message.tokens, ["token1"]);
}

#[test]
fn an_author_who_is_named_twice_in_one_field_is_one() {
    let message = decode("From: bo@landlord.example, Bo <BO@landlord.example>\n\nYes.\n");
    assert_eq!(message.from, Some(address("bo@landlord.example")));
}

fn report(action: &str, status: &str) -> InboundKind {
    decode(&format!(
        "Return-Path: <>\n\
         From: Mail Delivery System <mailer-daemon@mx.example>\n\
         To: liaison+token1@agency.example\n\
         Subject: Delivery report\n\
         MIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\
         \n\
         --b\n\nSomething happened.\n\
         --b\nContent-Type: message/delivery-status\n\n\
         Reporting-MTA: dns; mx.example\n\n\
         Final-Recipient: rfc822; bo@landlord.example\n\
         Action: {action}\nStatus: {status}\n\
         Diagnostic-Code: smtp; 550 {status} that is how it is\n\
         \n\
         --b\nContent-Type: text/rfc822-headers\n\n\
         Message-ID: <ask1@agency.example>\nSubject: The inspection\n\
         \n--b--\n"
    ))
    .kind
}

#[test]
fn a_report_of_failure_is_a_bounce_and_one_of_delay_is_none() {
    let InboundKind::Bounce {
        original,
        recipients,
        permanent,
        reason,
    } = report("failed", "5.1.1")
    else {
        panic!("no bounce");
    };
    assert_eq!(original.as_deref(), Some("<ask1@agency.example>"));
    assert_eq!(recipients, ["bo@landlord.example"]);
    assert!(permanent);
    assert!(reason.contains("5.1.1 that is how it is"), "{reason}");
    assert!(matches!(
        report("failed", "5.2.2"),
        InboundKind::Bounce {
            permanent: false,
            ..
        }
    ));
    assert_eq!(report("delayed", "4.4.1"), InboundKind::Automatic);
    assert_eq!(report("delivered", "2.0.0"), InboundKind::Automatic);
}

#[test]
fn attachments_are_named_by_their_bytes_and_bounded() {
    let part = |head: &str, body: &str| format!("--b\n{head}\n\n{body}\n");
    let mut raw = String::from(
        "From: bo@landlord.example\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=b\n\n",
    );
    raw += &part("Content-Type: text/plain", "Here they are.");
    raw += &part(
        "Content-Type: image/png; name=logo.png\nContent-Disposition: inline; filename=logo.png\n\
         Content-ID: <1@x>",
        "GIF89a",
    );
    raw += &part(
        "Content-Type: application/octet-stream; name=\"../lease.pdf\"\n\
         Content-Disposition: attachment; filename=\"../lease.pdf\"",
        "%PDF-1.7",
    );
    for n in 0..40 {
        raw += &part(
            &format!(
                "Content-Type: application/msword\n\
                 Content-Disposition: attachment; filename=\"{n}.doc\""
            ),
            "{\\rtf1}",
        );
    }
    raw += "--b--\n";
    let message = decode(&raw);
    assert_eq!(message.text, "Here they are.");
    assert_eq!(message.attachments.len(), 25);
    assert_eq!(message.attachments[0].name, "lease.pdf");
    assert_eq!(message.attachments[0].media_type, "application/pdf");
    assert_eq!(message.attachments[1].media_type, "application/rtf");
}

#[test]
fn an_office_file_is_more_than_the_archive_that_its_bytes_are() {
    let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    for (declared, expected) in [(docx, docx), ("image/png", "application/zip")] {
        let message = decode(&format!(
            "From: bo@landlord.example\nMIME-Version: 1.0\n\
             Content-Type: multipart/mixed; boundary=b\n\n\
             --b\n\nHello\n\
             --b\nContent-Type: {declared}\n\
             Content-Disposition: attachment; filename=x\n\
             Content-Transfer-Encoding: base64\n\nUEsDBAAAAAA=\n--b--\n"
        ));
        assert_eq!(message.attachments[0].media_type, expected);
    }
}

#[test]
fn a_long_text_is_cut_between_two_characters() {
    let long = "é".repeat(Received::MOST_TEXT);
    let message = decode(&format!(
        "From: bo@landlord.example\nContent-Type: text/plain; charset=utf-8\n\nx{long}\n"
    ));
    assert_eq!(message.text.len(), Received::MOST_TEXT - 1);
    assert!(message.text.ends_with('é'));
}

#[test]
fn hostile_addresses_give_bounded_tokens() {
    let many: Vec<String> = (0..400)
        .map(|n| format!("liaison+t{n}@agency.example"))
        .collect();
    let message = decode(&format!(
        "From: \"x\" <not an address>\nTo: {}\n\nHello\n",
        many.join(",\n ")
    ));
    assert_eq!(message.tokens.len(), 10);
    assert_eq!(message.from, None);
}

#[test]
fn what_is_no_mail_is_undecodable_and_says_why() {
    for raw in ["", "\n\n \n", "no header here\n"] {
        let Undecodable(why) = try_decode(raw).unwrap_err();
        assert!(!why.is_empty());
    }
}

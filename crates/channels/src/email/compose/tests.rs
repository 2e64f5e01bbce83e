use super::*;
use jiff::Timestamp;
use liaison_core::{
    conversation::MessageKind,
    id::MessageId,
    plan::{Draft, MessagePlan, Wording},
    stakeholder::Channel,
};
use mail_parser::MessageParser;
use proptest::prelude::*;

fn parsed(address: &str) -> EmailAddress {
    EmailAddress::parse(address).expect("an address")
}

fn sender() -> Sender {
    Sender {
        name: Some("Ana of Rentals".to_owned()),
        mailbox: parsed("liaison@agency.example"),
        tagged_envelope: true,
    }
}

fn message(subject: &str, name: Option<&str>, body: &str, references: &[&str]) -> OutboundMessage {
    OutboundMessage {
        id: MessageId::new("0190a5c2-7e3f-7c11-9b57-0c2a5e1d4f60"),
        at: "2026-03-02T09:15:30.123456Z"
            .parse::<Timestamp>()
            .expect("an instant"),
        reply_token: "7q0e5d3b1m2n4p6r8s0t2v4w6x".to_owned(),
        plan: MessagePlan {
            kind: MessageKind::Ask,
            channel: Channel::Email,
            to: parsed("bo@landlord.example"),
            name: name.map(str::to_owned),
            language: "en".to_owned(),
            tone: Default::default(),
            signature: "Ana".to_owned(),
            thread_subject: None,
            references: references.iter().map(|id| (*id).to_owned()).collect(),
            goals: Vec::new(),
            items: Vec::new(),
            guidance: Vec::new(),
        },
        draft: Draft {
            subject: subject.to_owned(),
            body: body.to_owned(),
            by: Wording::Template,
        },
    }
}

#[test]
fn a_message_has_exactly_these_bytes() {
    let composed = compose(
        &sender(),
        &message(
            "Re: The inspection",
            Some("Bo Öst"),
            "Hello Bo,\n\nwho will arrange it?\n.\nAna",
            &["<a@x.example>", "b@y.example"],
        ),
    )
    .expect("composes");
    let text = String::from_utf8(composed.bytes.clone()).expect("ASCII");
    assert_eq!(
        text,
        "Date: Mon, 02 Mar 2026 09:15:30 +0000\r\n\
         From: \"Ana of Rentals\" <liaison@agency.example>\r\n\
         To: =?utf-8?b?Qm8gw5ZzdA==?= <bo@landlord.example>\r\n\
         Reply-To: liaison+7q0e5d3b1m2n4p6r8s0t2v4w6x@agency.example\r\n\
         Subject: Re: The inspection\r\n\
         Message-ID: <0190a5c2-7e3f-7c11-9b57-0c2a5e1d4f60@agency.example>\r\n\
         In-Reply-To: <b@y.example>\r\n\
         References: <a@x.example> <b@y.example>\r\n\
         Auto-Submitted: auto-generated\r\n\
         X-Auto-Response-Suppress: All\r\n\
         MIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\
         \r\n\
         Hello Bo,\r\n\r\nwho will arrange it?\r\n.\r\nAna\r\n"
    );
    assert_eq!(
        composed.from.as_str(),
        "liaison+7q0e5d3b1m2n4p6r8s0t2v4w6x@agency.example"
    );
    assert_eq!(composed.to.as_str(), "bo@landlord.example");
    assert_eq!(
        composed.transport_id.as_deref(),
        Some("<0190a5c2-7e3f-7c11-9b57-0c2a5e1d4f60@agency.example>")
    );
}

#[test]
fn an_untagged_envelope_is_the_mailbox_itself() {
    let sender = Sender {
        tagged_envelope: false,
        ..sender()
    };
    let composed = compose(&sender, &message("s", None, "b", &[])).expect("composes");
    assert_eq!(composed.from, sender.mailbox);
}

#[test]
fn a_long_thread_keeps_its_root_and_its_newest_ids() {
    let ids: Vec<String> = (0..300).map(|n| format!("<{n}@x.example>")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let composed = compose(&sender(), &message("s", None, "b", &ids)).expect("composes");
    let mail = MessageParser::default()
        .parse(&composed.bytes)
        .expect("parses");
    let references = mail.references().as_text_list().expect("a list");
    assert_eq!(references.len(), MOST_REFERENCES);
    assert_eq!(references[0], "0@x.example");
    assert_eq!(references[1], "281@x.example");
    assert_eq!(references[MOST_REFERENCES - 1], "299@x.example");
}

#[test]
fn what_cannot_be_sent_is_a_fault_and_no_panic() {
    let mut before_the_epoch = message("s", None, "b", &[]);
    before_the_epoch.at = "1969-12-31T23:59:59Z".parse().expect("an instant");
    let mut too_late = message("s", None, "b", &[]);
    too_late.at = Timestamp::MAX;
    let mut bad_token = message("s", None, "b", &[]);
    bad_token.reply_token = "a\r\nRCPT TO:<x@y>".to_owned();
    let mut bad_id = message("s", None, "b", &[]);
    bad_id.id = MessageId::new("a>\r\nBcc: x@y.example\r\n");
    for (case, message) in [
        ("date", before_the_epoch),
        ("token", bad_token),
        ("id", bad_id),
    ] {
        assert!(compose(&sender(), &message).is_err(), "{case}");
    }
    // jiff's last instant lies in the year 9999, the last one that the header can hold.
    assert!(compose(&sender(), &too_late).is_ok());
}

/// Strings that try to end a header, a line or a message.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\0".to_owned()),
        Just("\r\n.\r\n".to_owned()),
        Just("\n.\n".to_owned()),
        Just("\r\nBcc: victim@example.com\r\n".to_owned()),
        Just("\r\n\r\n<html>".to_owned()),
        Just("<x@y.example>, other@example.com".to_owned()),
        Just("=?utf-8?q?=0D=0ABcc:_v@example.com?=".to_owned()),
        Just("\u{202e}\u{2066}\u{200b}\u{2028}\u{85}".to_owned()),
        Just("\"\\,;:@<>()".to_owned()),
        Just("x".repeat(3_000)),
        Just("é".repeat(1_500)),
        Just(" ".repeat(1_200)),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_adds_a_header_a_recipient_or_a_line_that_is_too_long(
        subject in hostile(),
        name in prop::option::of(hostile()),
        own_name in prop::option::of(hostile()),
        text in hostile(),
        references in prop::collection::vec(hostile(), 0..4),
    ) {
        let sender = Sender { name: own_name.clone(), ..sender() };
        let references: Vec<&str> =
            references.iter().map(String::as_str).chain(["<last@x.example>"]).collect();
        let message = message(&subject, name.as_deref(), &text, &references);
        let composed = compose(&sender, &message).expect("composes");
        prop_assert_eq!(&composed, &compose(&sender, &message).expect("composes"));

        let bytes = &composed.bytes;
        prop_assert!(bytes.is_ascii());
        prop_assert!(bytes.ends_with(b"\r\n"));
        for line in bytes[..bytes.len() - 2].split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            prop_assert!(!line.contains(&b'\r'), "a bare CR");
            prop_assert!(line.len() <= 998, "a line of {} bytes", line.len());
        }
        let feeds = bytes.iter().filter(|byte| **byte == b'\n').count();
        let pairs = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        prop_assert_eq!(feeds, pairs, "a bare LF");

        let mail = MessageParser::default().parse(bytes).expect("parses");
        let names: Vec<&str> = mail.parts[0].headers.iter().map(|h| h.name.as_str()).collect();
        prop_assert_eq!(names, [
            "Date", "From", "To", "Reply-To", "Subject", "Message-ID", "In-Reply-To", "References",
            "Auto-Submitted", "X-Auto-Response-Suppress", "MIME-Version", "Content-Type",
            "Content-Transfer-Encoding",
        ]);
        let only = |list: Option<&mail_parser::Address<'_>>| -> Vec<(Option<String>, String)> {
            list.expect("a list").iter().map(|a| (
                a.name().map(str::to_owned),
                a.address().unwrap_or_default().to_owned(),
            )).collect()
        };
        prop_assert_eq!(only(mail.to()), [(
            super::name(name.as_deref()), "bo@landlord.example".to_owned(),
        )]);
        prop_assert_eq!(only(mail.from()), [(
            super::name(own_name.as_deref()), "liaison@agency.example".to_owned(),
        )]);
        prop_assert!(mail.cc().is_none() && mail.bcc().is_none());
        prop_assert_eq!(mail.subject().unwrap_or_default(), one_line(&subject, MOST_SUBJECT));
        prop_assert_eq!(mail.in_reply_to().as_text(), Some("last@x.example"));
        let read = mail.body_text(0).expect("a text");
        let meant = body(&text);
        prop_assert_eq!(read.trim_end(), meant.trim_end());
    }
}

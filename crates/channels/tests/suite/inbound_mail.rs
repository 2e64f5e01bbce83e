//! Whole mails, as clients and servers write them.

use liaison_channels::email::inbound::{
    AutomaticKind, Class, DeliveryOutcome, FeedbackKind, InboundEmail, parse,
};

fn mail(raw: &str) -> InboundEmail {
    parse(raw.replace('\n', "\r\n").as_bytes()).expect("a test's mail is a mail")
}

fn visible(body: &str) -> String {
    mail(&format!("From: Ann Lee <ann@x.example>\n\n{body}"))
        .visible
        .text
}

fn visible_html(body: &str) -> String {
    mail(&format!(
        "From: Ann Lee <ann@x.example>\nContent-Type: text/html\n\n{body}"
    ))
    .visible
    .text
}

fn class(headers: &str, body: &str) -> Class {
    mail(&format!("{headers}\n\n{body}")).class
}

#[test]
fn the_headers_that_matching_needs_are_read() {
    let mail = mail(
        "Return-Path: <ann@x.example>\nDelivered-To: us+token@y.example\n\
         X-Original-To: us@y.example\n\
         From: =?utf-8?Q?Ann_L=C3=A9e?= <ann@x.example>\nReply-To: ann.lee@x.example\n\
         To: Us <us+token@y.example>, \"B, C\" <bc@y.example>\nCc: d@y.example\n\
         Subject: Re: =?iso-8859-1?Q?Schl=FCssel?=\n fold\n\
         Date: Mon, 4 Mar 2024 09:13:00 +0530\nMessage-ID: <m@x.example>\n\
         In-Reply-To: <b@y.example>\nReferences: <a@y.example>\n <b@y.example>\n\nYes.",
    );
    assert_eq!(mail.message_id.as_deref(), Some("m@x.example"));
    let from = mail.from.unwrap();
    assert_eq!(from.name.as_deref(), Some("Ann Lée"));
    assert_eq!(from.address, "ann@x.example");
    assert_eq!(mail.reply_to.unwrap().address, "ann.lee@x.example");
    assert_eq!(mail.to.len(), 2);
    assert_eq!(mail.to[0].address, "us+token@y.example");
    assert_eq!(mail.cc[0].address, "d@y.example");
    assert_eq!(mail.delivered_to, ["us+token@y.example", "us@y.example"]);
    assert_eq!(mail.subject, "Re: Schlüssel fold");
    let date = mail.date.unwrap();
    assert_eq!(date.instant.to_string(), "2024-03-04T03:43:00Z");
    assert_eq!(date.offset_seconds, 5 * 3600 + 1800);
    assert_eq!(mail.in_reply_to, ["b@y.example"]);
    assert_eq!(mail.references, ["a@y.example", "b@y.example"]);
    assert_eq!(mail.return_path.as_deref(), Some("ann@x.example"));
    assert!(!mail.truncated);
}

#[test]
fn impossible_dates_are_no_dates() {
    for date in [
        "Mon, 32 Foo 2024",
        "yesterday",
        "",
        "Mon, 99 Mar 2024 99:99:99 +0000",
    ] {
        assert_eq!(mail(&format!("Date: {date}\n\nYes.")).date, None, "{date}");
    }
}

#[test]
fn a_header_cannot_smuggle_control_characters() {
    let mail = mail("Subject: =?utf-8?Q?a=0D=0ABcc:_x=00y?=\nFrom: \"A\tB\" <a@b.example>\n\nYes.");
    assert_eq!(mail.subject, "a Bcc: x y");
    assert_eq!(mail.from.unwrap().name.as_deref(), Some("A B"));
}

#[test]
fn replies_keep_what_was_written_and_lose_what_was_quoted() {
    for body in [
        "Please arrange it for me.\n\nOn Mon, Mar 4, 2024 at 9:13 AM Us <us@y.example> wrote:\n\n> Would you?\n",
        "Please arrange it for me.\n\nAm 04.03.24 um 09:13 schrieb Us:\n> Would you?\n",
        "Please arrange it for me.\n\nFrom: Us <us@y.example>\nSent: Monday, March 4, 2024 9:13 AM\nTo: Ann\nSubject: Inspection\n\nWould you?\n",
        "Please arrange it for me.\n\n________________________________\nDe : Us <us@y.example>\nEnvoyé : lundi 4 mars 2024 09:13\nÀ : Ann\nObjet : Visite\n\nVoulez-vous ?\n",
        "Please arrange it for me.\n\n-----Original Message-----\nFrom: Us\n\nWould you?\n",
        "Please arrange it for me.\n\nSent from my iPhone\n\n> On 4 Mar 2024, at 09:13, Us <us@y.example> wrote:\n>\n> Would you?\n",
        "Please arrange it for me.\n-- \nAnn Lee\nLandlord\n",
        "On Mon, Mar 4, 2024 at 9:13 AM Us <us@y.example> wrote:\n> Would you?\n\nPlease arrange it for me.\n\nRegards\nAnn Lee\n",
        "Please arrange it for me.\n",
    ] {
        assert_eq!(visible(body), "Please arrange it for me.", "{body}");
    }
}

#[test]
fn answers_between_quoted_lines_are_kept_in_order() {
    let body = "Hello,\n\nOn Mon, Mar 4, 2024 at 9:13 AM Us <us@y.example> wrote:\n\
        > Who arranges the inspection?\n\nThe agency, please.\n\n> Which day suits you?\n\nMonday.\n\n\
        > Kind regards\n> Us\n\nAnn\n";
    assert_eq!(
        visible(body),
        "Hello,\n\nThe agency, please.\n\nMonday.\n\nAnn"
    );
}

#[test]
fn an_answer_is_never_cut_for_looking_odd() {
    for body in [
        "> 50 is too many for me",
        "On Monday the tenant wrote:\nI cannot come before 5.",
        "From: 3 May\nTo: 5 May",
        "Thanks!\nAgency",
        "I sent the original message\n-----\nto the agency.",
        "Two points:\n--\n1. The agency may do it.\n2. Who hands over the keys?",
        "Please write to bob@x.example before 12/05/2024:\nhe has the keys.",
        "Sent from my phone: the agency, please",
    ] {
        assert_eq!(visible(body), body.trim());
    }
}

#[test]
fn a_text_of_which_nothing_would_be_left_is_given_back() {
    // Nothing above the introduction and no marks below: the answer may be there.
    let body = "On Mon, Mar 4, 2024 at 9:13 AM Us <us@y.example> wrote:\nWould you?\nYes, please.";
    let seen = mail(&format!("From: a@b.example\n\n{body}")).visible;
    assert_eq!(seen.text, body);
    assert!(seen.fallback);
    // All of it is marked as quoted: nothing was written.
    assert_eq!(visible("On Monday Us wrote:\n> Would you?\n> Yes?"), "");
    assert_eq!(visible("Sent from my iPhone\n\n> Would you?"), "");
}

#[test]
fn html_replies_lose_what_their_client_quoted() {
    for body in [
        "<div dir=ltr>Please arrange it.</div><br><div class=\"gmail_quote\"><div class=\"gmail_attr\">On Mon \
         Us wrote:<br></div><blockquote class=\"gmail_quote\">Would you?</blockquote></div>",
        "<p class=MsoNormal>Please arrange it.</p><div id=\"divRplyFwdMsg\"><b>From:</b> Us<br></div><div>Would you?</div>",
        "<div>Please arrange it.</div><hr><div><b>Von:</b> Us<br><b>Gesendet:</b> Montag<br><b>An:</b> Ann<br>\
         <b>Betreff:</b> Termin<br></div><p>Would you?</p>",
        "Please arrange it.<div class=\"moz-cite-prefix\">Le 4 mars, Us a écrit :</div><blockquote type=\"cite\">\
         Would you?</blockquote>",
        "<div>Please arrange it.</div><div id=\"yahoo_quoted_1\" class=\"yahoo_quoted\">On Monday, Us wrote: Would you?</div>",
        "<div>Please arrange it.</div><div class=\"gmail_signature\">Ann Lee<br>Landlord</div>",
        "Please arrange it.<div style=\"display:none\">The landlord will do it.</div><!-- landlord -->",
    ] {
        assert_eq!(visible_html(body), "Please arrange it.", "{body}");
    }
}

#[test]
fn html_answers_between_quotations_are_kept() {
    let body = "<blockquote type=cite>Who?</blockquote><div>The agency.</div><blockquote type=cite>When?\
        </blockquote><div>Monday.</div>";
    assert_eq!(visible_html(body), "The agency.\n\nMonday.");
    let mail = mail(&format!("Subject: x\nContent-Type: text/html\n\n{body}"));
    assert_eq!(mail.text, "> Who?\n\nThe agency.\n\n> When?\n\nMonday.");
    assert!(mail.visible.quoted);
}

#[test]
fn plain_text_is_preferred_unless_it_is_a_stub() {
    let alternative = |plain: &str, html: &str| {
        mail(&format!(
            "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n{plain}\n\
             --b\nContent-Type: text/html\n\n{html}\n--b--\n"
        ))
        .text
    };
    assert_eq!(alternative("Plain yes.", "<p>Rich yes.</p>"), "Plain yes.");
    assert_eq!(alternative(" ", "<p>Rich yes.</p>"), "Rich yes.");
    let long = "The agency may arrange it on any day but Monday, and I leave the keys at the office for them.";
    assert_eq!(
        alternative("See the HTML part.", &format!("<p>{long}</p>")),
        long
    );
}

#[test]
fn attachments_are_safe_and_told_from_the_text() {
    let mail = mail(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee the lease.\n--b\n\
         Content-Type: application/octet-stream\n\
         Content-Disposition: attachment; filename=\"../../lease.pdf\"\n\
         Content-Transfer-Encoding: base64\n\nJVBERi0xLjcK\n--b\nContent-Type: image/png\nContent-ID: <logo>\n\
         Content-Disposition: inline\n\nx\n--b\nContent-Type: text/plain\n\nThanks.\n--b--\n",
    );
    assert_eq!(mail.text, "See the lease.\n\nThanks.");
    let [lease, logo] = &mail.attachments[..] else {
        panic!("two attachments, not {:?}", mail.attachments);
    };
    assert_eq!(lease.file_name, "lease.pdf");
    assert_eq!(lease.sniffed, Some("application/pdf"));
    assert_eq!(lease.bytes, b"%PDF-1.7\n");
    assert!(!lease.inline);
    assert_eq!(logo.file_name, "image.png");
    assert!(logo.inline);
}

#[test]
fn people_are_people() {
    for headers in [
        "From: Ann <ann@x.example>\nSubject: Re: Inspection",
        "From: Ann <ann@x.example>\nSubject: Re: Inspection\nX-Auto-Response-Suppress: All",
        "From: Ann <ann@x.example>\nSubject: x\nAuto-Submitted: no",
        "From: Ann <ann@x.example>\nSubject: Re: Automatic reply: Inspection",
        "From: Ann <ann@x.example>\nSubject: Out of office next week, can we move it?",
        "From: Ann <ann@x.example>\nSubject: Fwd: Undeliverable: Inspection",
        "From: Ann <postmaster@x.example>\nSubject: Re: Inspection",
        "From: Ann <ann@x.example>\nSubject: Returned mail\nReturn-Path: <ann@x.example>",
    ] {
        assert_eq!(class(headers, "Yes, please."), Class::Person, "{headers}");
    }
}

#[test]
fn a_person_may_write_about_a_bounce() {
    let body = "My mail to the tenant could not be delivered: user unknown. Try bob@x.example.";
    let headers = "From: Ann <ann@x.example>\nSubject: Mail delivery failed";
    assert_eq!(class(headers, body), Class::Person);
}

#[test]
fn automatic_replies_are_known_by_header_or_exact_subject() {
    use AutomaticKind::{Acknowledgement, Other, OutOfOffice};
    for (headers, body, kind) in [
        (
            "Auto-Submitted: auto-replied (vacation)\nSubject: Away",
            "I am on vacation.",
            OutOfOffice,
        ),
        (
            "X-Autoreply: yes\nSubject: Re: x",
            "We have received your request.",
            Acknowledgement,
        ),
        ("X-Autorespond: x\nSubject: Re: x", "Hello", Other),
        ("Precedence: auto_reply\nSubject: Re: x", "Hello", Other),
        (
            "Precedence: junk\nSubject: Re: x",
            "Ich bin im Urlaub.",
            OutOfOffice,
        ),
        (
            "Subject: Automatische Antwort: Termin",
            "Bis Montag abwesend.",
            OutOfOffice,
        ),
        ("Subject: Réponse automatique : visite", "Bonjour", Other),
        (
            "Return-Path: <>\nSubject: Automatic reply: Undeliverable keys",
            "I am away until May.",
            OutOfOffice,
        ),
    ] {
        let headers = format!("From: Ann <ann@x.example>\n{headers}");
        assert_eq!(
            class(&headers, body),
            Class::AutomaticReply { kind },
            "{headers}"
        );
    }
}

#[test]
fn lists_and_bulk_mail_are_no_answers() {
    for headers in [
        "List-Id: <l.x.example>\nSubject: news",
        "List-Unsubscribe: <https://x.example>\nPrecedence: bulk\nSubject: news",
    ] {
        let headers = format!("From: Ann <ann@x.example>\n{headers}");
        assert_eq!(class(&headers, "Buy now."), Class::ListOrBulk, "{headers}");
    }
}

#[test]
fn a_standard_report_is_read_field_by_field() {
    let raw = "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nSubject: Undelivered\n\
        Auto-Submitted: auto-replied\n\
        Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n\
        --b\n\nSorry.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n\
        Final-Recipient: rfc822; ann@x.example\nAction: failed\nStatus: 5.0.0\n\
        Diagnostic-Code: smtp; 550 5.1.1 no such user\n\n\
        Final-Recipient: rfc822; bob@x.example\nAction: delayed\nStatus: 4.4.1\n\n\
        --b\nContent-Type: text/rfc822-headers\n\nMessage-ID: <out-7@y.example>\n\n--b--\n";
    let Class::Bounce(report) = mail(raw).class else {
        panic!("not a bounce: {:?}", mail(raw).class);
    };
    assert_eq!(
        report.original_message_id.as_deref(),
        Some("out-7@y.example")
    );
    let [ann, bob] = &report.recipients[..] else {
        panic!("two recipients, not {:?}", report.recipients);
    };
    assert_eq!((ann.address.as_str(), ann.hard), ("ann@x.example", true));
    assert_eq!(ann.status.as_deref(), Some("5.1.1"));
    assert_eq!(ann.outcome, DeliveryOutcome::Failed);
    assert_eq!((bob.address.as_str(), bob.hard), ("bob@x.example", false));
    assert_eq!(bob.outcome, DeliveryOutcome::Delayed);
}

#[test]
fn reports_in_plain_words_are_read_too() {
    for (headers, body, hard) in [
        (
            "X-Failed-Recipients: ann@x.example\nAuto-Submitted: auto-replied",
            "The following address failed:\n\n  ann@x.example\n    Unrouteable address\n\n\
             ------ This is a copy of the message, including all the headers. ------\n\n\
             Message-ID: <out-7@y.example>\nTo: ann@x.example\n",
            true,
        ),
        (
            "Return-Path: <>",
            "Hi. This is the qmail-send program.\n\n<ann@x.example>:\n552 mailbox is full (#5.2.2)\n\n\
             --- Below this line is a copy of the message.\n\nMessage-ID: <out-7@y.example>\n",
            false,
        ),
    ] {
        let headers = format!(
            "From: MAILER-DAEMON@mx.example\nTo: us@y.example\nSubject: failure notice\n{headers}"
        );
        let Class::Bounce(report) = class(&headers, body) else {
            panic!("not a bounce: {headers}");
        };
        assert_eq!(
            report.original_message_id.as_deref(),
            Some("out-7@y.example")
        );
        assert_eq!(report.recipients.len(), 1);
        assert_eq!(report.recipients[0].address, "ann@x.example");
        assert_eq!(report.recipients[0].hard, hard);
    }
}

#[test]
fn a_report_of_success_is_no_bounce() {
    let raw = "From: MAILER-DAEMON@mx.example\nSubject: Delivery report\n\
        Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nFine.\n\
        --b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n\
        Final-Recipient: rfc822; ann@x.example\nAction: delivered\nStatus: 2.1.5\n\n--b--\n";
    assert!(matches!(mail(raw).class, Class::Delivered(_)));
}

#[test]
fn complaints_and_unsubscribe_buttons_speak_for_the_person() {
    let report = |kind: &str| {
        format!(
            "From: fbl@p.example\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n\
             --b\n\nComplaint.\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: {kind}\n\n\
             --b\nContent-Type: message/rfc822\n\nMessage-ID: <ask-1@agency.example>\nSubject: Keys\n\nHello\n--b--\n"
        )
    };
    for (kind, expected) in [
        ("abuse", FeedbackKind::Abuse),
        ("opt-out", FeedbackKind::OptOut),
        ("auth-failure", FeedbackKind::AuthenticationFailure),
        ("other", FeedbackKind::Other),
    ] {
        assert_eq!(
            mail(&report(kind)).class,
            Class::FeedbackReport {
                kind: expected,
                original_message_id: Some("ask-1@agency.example".to_owned())
            }
        );
    }
    let apple = "From: ann@x.example\nAuto-Submitted: auto-replied\nX-Apple-Unsubscribe: true";
    assert_eq!(
        class(apple, "Unsubscribe."),
        Class::FeedbackReport {
            kind: FeedbackKind::OptOut,
            original_message_id: None
        }
    );
}

#[test]
fn amazons_notifications_are_read_out_of_their_json() {
    let headers = "From: SES <no-reply@sns.amazonaws.com>\nSubject: AWS Notification Message";
    let body = "{\"notificationType\":\"Bounce\",\"bounce\":{\"bouncedRecipients\":[{\"emailAddress\":\"ann@x.exa!\n mple\",\
        \"status\":\"5.1.1\",\"diagnosticCode\":\"smtp; 550 5.1.1 user unknown\"}]},\"mail\":{}}\n\n--\nUnsubscribe here.";
    let Class::Bounce(report) = class(headers, body) else {
        panic!("not a bounce");
    };
    assert_eq!(report.recipients[0].address, "ann@x.example");
    assert!(report.recipients[0].hard);
    let body = "{\"Type\":\"Notification\",\"Message\":\"{\\\"eventType\\\":\\\"Complaint\\\"}\"}";
    assert_eq!(
        class(headers, body),
        Class::FeedbackReport {
            kind: FeedbackKind::Abuse,
            original_message_id: None
        }
    );
    assert!(!matches!(
        class(headers, "{\"notificationType\":"),
        Class::Bounce(_)
    ));
}

#[test]
fn introductions_of_the_main_languages_are_taken_out() {
    for introduction in [
        "Am 04.03.24 um 09:13 schrieb Us:",
        "Op 04-03-24 om 09:13 schreef Us:",
        "Den 04-03-2024 kl. 09:13 skrev Us:",
        "Le 04/03/2024 à 09:13, Us a écrit :",
        "El 4/3/24 a las 9:13, Us escribió:",
        "Em 04/03/2024 09:13, Us escreveu:",
        "Il 04/03/2024 09:13, Us ha scritto:",
        "W dniu 4.03.2024 o 09:13, Us pisze:",
        "Dne 04. 03. 24 v 9:13 Us napsal(a):",
        "04.03.2024 09:13, Us пишет:",
        "2024. 03. 04. 9:13 keltezéssel, Us írta:",
        "4.3.2024 9.13, Us kirjoitti:",
        "Στις 4/3/2024 9:13 π.μ., ο/η Us έγραψε:",
        "4.03.2024 09:13 tarihinde Us yazdı:",
        "在 2024/3/4 9:13, Us 写道:",
        "2024年3月4日(月) 9:13 Us <us@y.example>:",
        "2024년 3월 4일 (월) 오전 9:13, Us <us@y.example>님이 작성:",
    ] {
        let body = format!("Please arrange it.\n\n{introduction}\n> Would you?\n");
        assert_eq!(visible(&body), "Please arrange it.", "{introduction}");
    }
}

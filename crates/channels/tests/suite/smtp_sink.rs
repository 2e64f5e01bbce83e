//! SMTP against the sink, and the sink against clients of all kinds.

use crate::parts::{Gate, TOKEN, login, outbound, smtp};
use liaison_channels::email::{
    ConfigFault, Security, Sink, SinkConfig, SmtpTransport,
    sink::{Action, Step},
};
use liaison_ports::transport::{Composed, Delivery, Finding, Transport};
use rstest::rstest;
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

async fn sink() -> Sink {
    Sink::start("127.0.0.1:0").await.unwrap()
}

fn transport(sink: &Sink) -> SmtpTransport {
    SmtpTransport::new(smtp(sink.address().port())).unwrap()
}

fn composed(transport: &SmtpTransport, id: &str, body: &str) -> Composed {
    let message = outbound(id, "bo@landlord.example", body);
    transport.compose(&message).unwrap()
}

#[tokio::test]
async fn what_was_composed_is_what_arrives() {
    let sink = sink().await;
    let transport = transport(&sink);
    let composed = composed(
        &transport,
        "m1",
        ".\n..\n.x\n\nQUIT\n.\r\n.\r\nMAIL FROM:<a@b.c>\r\nlast",
    );
    let gate = Gate::open();
    assert_eq!(transport.deliver(&composed, &gate).await, Delivery::Sent);
    assert_eq!(gate.reached(), 1);
    let messages = sink.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(
        String::from_utf8_lossy(&messages[0].raw),
        String::from_utf8_lossy(&composed.bytes)
    );
    assert_eq!(messages[0].from, format!("liaison+{TOKEN}@example.test"));
    assert_eq!(messages[0].to, ["bo@landlord.example"]);
    assert_eq!(messages[0].message_id, composed.transport_id);
    assert_eq!(transport.look_up(&composed).await, Finding::CannotTell);
}

/// What a delivery says, without its words.
fn kind(delivery: &Delivery) -> &'static str {
    match delivery {
        Delivery::Sent => "sent",
        Delivery::RefusedForNow { .. } => "for now",
        Delivery::Refused {
            address_is_bad: true,
            ..
        } => "bad address",
        Delivery::Refused { .. } => "refused",
        Delivery::Unknown { .. } => "unknown",
        Delivery::Recalled => "recalled",
    }
}

fn says(line: &str) -> Action {
    Action::Answer(line.to_owned())
}

/// The fault, what it makes of the delivery, whether the point of no return was reached, and how
/// many copies the server has.
#[rstest]
#[case(Step::Greeting, says("421 busy"), "for now", 0, 0)]
#[case(Step::Greeting, says("554 not you"), "for now", 0, 0)]
#[case(Step::Greeting, says("this is no SMTP"), "for now", 0, 0)]
#[case(Step::Greeting, Action::Close, "for now", 0, 0)]
#[case(Step::Greeting, Action::Hang, "for now", 0, 0)]
#[case(Step::Hello, says("502 never heard of it"), "for now", 0, 0)]
#[case(Step::Auth, says("535 5.7.8 wrong"), "for now", 0, 0)]
#[case(Step::Auth, Action::Close, "for now", 0, 0)]
#[case(Step::Mail, says("451 4.3.0 later"), "for now", 0, 0)]
#[case(Step::Mail, says("530 5.7.0 authentication required"), "for now", 0, 0)]
#[case(Step::Mail, says("550 5.1.8 who are you"), "refused", 0, 0)]
#[case(Step::Recipient, says("450 4.2.0 greylisted"), "for now", 0, 0)]
#[case(Step::Recipient, says("421 shutting down"), "for now", 0, 0)]
#[case(Step::Recipient, says("550 5.1.1 no such user"), "bad address", 0, 0)]
#[case(
    Step::Recipient,
    says("550-5.1.1 no\r\n550 5.1.1 such user"),
    "bad address",
    0,
    0
)]
#[case(Step::Recipient, says("551 moved"), "bad address", 0, 0)]
#[case(Step::Recipient, says("552 5.2.2 mailbox full"), "refused", 0, 0)]
#[case(Step::Recipient, says("550 5.7.1 policy"), "refused", 0, 0)]
#[case(Step::Recipient, Action::Close, "for now", 0, 0)]
#[case(Step::Recipient, Action::Hang, "for now", 0, 0)]
#[case(Step::Data, says("451 later"), "for now", 0, 0)]
#[case(Step::Data, says("554 no"), "refused", 0, 0)]
#[case(Step::Data, says("250 out of step"), "for now", 0, 0)]
#[case(Step::Data, Action::Close, "for now", 0, 0)]
#[case(Step::Message, says("451 4.3.0 disk full"), "for now", 1, 0)]
#[case(Step::Message, Action::Close, "unknown", 1, 0)]
#[case(Step::FinalDot, says("452 4.3.1 disk full"), "for now", 1, 0)]
#[case(Step::FinalDot, says("550 5.7.1 spam"), "refused", 1, 0)]
#[case(Step::FinalDot, says("550 5.1.1 no such user"), "bad address", 1, 0)]
#[case(Step::FinalDot, says("354 out of step"), "unknown", 1, 0)]
#[case(Step::FinalDot, says("no SMTP at all"), "unknown", 1, 0)]
#[case(Step::FinalDot, Action::Close, "unknown", 1, 0)]
#[case(Step::FinalDot, Action::Hang, "unknown", 1, 0)]
#[case(Step::Kept, Action::Close, "unknown", 1, 1)]
#[case(Step::Kept, Action::Hang, "unknown", 1, 1)]
#[case(Step::Kept, Action::Drip(Duration::from_millis(1)), "sent", 1, 1)]
#[case(Step::Message, Action::Wait(Duration::from_millis(1)), "sent", 1, 1)]
#[tokio::test]
async fn every_fault_has_its_one_delivery(
    #[case] step: Step,
    #[case] action: Action,
    #[case] expected: &str,
    #[case] reached: usize,
    #[case] copies: u64,
) {
    let config = SinkConfig {
        offer_auth: true,
        ..SinkConfig::default()
    };
    let sink = Sink::start_with("127.0.0.1:0", config).await.unwrap();
    let mut config = smtp(sink.address().port());
    config.login = Some(login("liaison", "secret"));
    config.timeouts.connect_seconds = 1;
    config.timeouts.command_seconds = 1;
    config.timeouts.message_seconds = 1;
    let transport = SmtpTransport::new(config).unwrap();
    let composed = composed(&transport, "m1", "Hello");
    let id = composed.transport_id.clone().unwrap();
    sink.script(step, action, 1);

    let gate = Gate::open();
    let delivery = transport.deliver(&composed, &gate).await;
    assert_eq!(kind(&delivery), expected, "{delivery:?}");
    assert_eq!(gate.reached(), reached);
    assert_eq!(sink.copies(&id), copies);

    // The fault is over, and nothing of it is left on a connection that was kept.
    let delivery = transport.deliver(&composed, &Gate::open()).await;
    assert_eq!(delivery, Delivery::Sent);
    assert_eq!(sink.copies(&id), copies + 1);
}

#[tokio::test]
async fn a_message_that_is_recalled_at_the_last_moment_leaves_nothing_behind() {
    let sink = sink().await;
    let transport = transport(&sink);
    let first = composed(&transport, "m1", "Hello");
    let gate = Gate::closed();
    assert_eq!(transport.deliver(&first, &gate).await, Delivery::Recalled);
    assert_eq!(gate.reached(), 1);
    let second = composed(&transport, "m2", "Hello");
    let delivery = transport.deliver(&second, &Gate::open()).await;
    assert_eq!(delivery, Delivery::Sent);
    assert_eq!(sink.taken(), 1);
    assert_eq!(sink.copies(&first.transport_id.unwrap()), 0);
}

#[tokio::test]
async fn a_server_that_is_down_means_later() {
    let port = sink().await.address().port();
    let transport = SmtpTransport::new(smtp(port)).unwrap();
    let composed = composed(&transport, "m1", "Hello");
    let gate = Gate::open();
    let delivery = transport.deliver(&composed, &gate).await;
    assert_eq!(kind(&delivery), "for now", "{delivery:?}");
    assert_eq!(gate.reached(), 0);
    let advice = transport.check().await.unwrap_err();
    assert!(advice.contains("check host and port"), "{advice}");
}

#[tokio::test]
async fn a_connection_is_used_again_also_after_a_refusal() {
    let sink = sink().await;
    let transport = transport(&sink);
    let send = |id: &'static str| {
        let composed = composed(&transport, id, "Hello");
        let transport = &transport;
        async move { kind(&transport.deliver(&composed, &Gate::open()).await) }
    };
    assert_eq!(send("m1").await, "sent");
    // From now on no new connection would be served.
    sink.script(Step::Greeting, Action::Close, usize::MAX);
    assert_eq!(send("m2").await, "sent");
    sink.script(Step::Recipient, says("550 no such user"), 1);
    assert_eq!(send("m3").await, "bad address");
    sink.script(Step::FinalDot, says("451 later"), 1);
    assert_eq!(send("m4").await, "for now");
    assert_eq!(sink.taken(), 2);
}

#[rstest]
#[case(Action::Close)]
#[case(Action::Answer("421 idle for too long".to_owned()))]
#[tokio::test]
async fn a_kept_connection_that_died_is_replaced_unnoticed(#[case] death: Action) {
    let sink = sink().await;
    let transport = transport(&sink);
    let first = composed(&transport, "m1", "Hello");
    assert_eq!(
        transport.deliver(&first, &Gate::open()).await,
        Delivery::Sent
    );
    sink.script(Step::Mail, death, 1);
    let second = composed(&transport, "m2", "Hello");
    let gate = Gate::open();
    assert_eq!(transport.deliver(&second, &gate).await, Delivery::Sent);
    assert_eq!(gate.reached(), 1);
    assert_eq!(sink.taken(), 2);
}

#[tokio::test]
async fn many_messages_at_once_arrive_once_each() {
    let sink = sink().await;
    let transport = Arc::new(transport(&sink));
    let mut sending = JoinSet::new();
    for n in 0..200 {
        let transport = Arc::clone(&transport);
        sending.spawn(async move {
            let composed = composed(&transport, &format!("m{n}"), &format!("Hello {n}"));
            assert_eq!(
                transport.deliver(&composed, &Gate::open()).await,
                Delivery::Sent
            );
            composed
        });
    }
    let sent = sending.join_all().await;
    let messages = sink.wait_for(200).await;
    assert_eq!(sink.taken(), 200);
    assert_eq!(sink.repeated(), []);
    for composed in sent {
        assert!(messages.iter().any(|message| message.raw == composed.bytes));
    }
}

#[rstest]
#[case("A: b\r\n\r\nx\n.\nMAIL FROM:<a@b.c>\r\n")]
#[case("A: b\r\n\r\nx\r.\r\r\n")]
#[case("A: b\r\n\r\n\u{e4}\r\n")]
#[case("A: b\r\n\r\nno end")]
#[tokio::test]
async fn bytes_that_could_smuggle_a_message_are_never_offered(#[case] bytes: &str) {
    let sink = sink().await;
    let transport = transport(&sink);
    let mut composed = composed(&transport, "m1", "Hello");
    composed.bytes = bytes.as_bytes().to_vec();
    let gate = Gate::open();
    let delivery = transport.deliver(&composed, &gate).await;
    assert_eq!(kind(&delivery), "refused", "{delivery:?}");
    assert_eq!((gate.reached(), sink.taken()), (0, 0));
}

#[tokio::test]
async fn the_check_talks_to_the_server_and_says_what_to_do() {
    let config = SinkConfig {
        offer_auth: true,
        ..SinkConfig::default()
    };
    let sink = Sink::start_with("127.0.0.1:0", config).await.unwrap();
    let mut config = smtp(sink.address().port());
    config.login = Some(login("liaison", "secret"));
    let transport = SmtpTransport::new(config).unwrap();
    assert_eq!(transport.check().await, Ok(()));
    sink.script(Step::Auth, says("535 5.7.8 wrong password"), 1);
    let advice = transport.check().await.unwrap_err();
    assert!(advice.contains("535 5.7.8 wrong password"), "{advice}");
    assert!(advice.contains("check user and password"), "{advice}");
    assert_eq!(sink.taken(), 0);
}

#[tokio::test]
async fn a_login_that_the_server_does_not_offer_is_our_fault_and_no_message_s() {
    let sink = sink().await;
    let mut config = smtp(sink.address().port());
    config.login = Some(login("liaison", "secret"));
    let transport = SmtpTransport::new(config).unwrap();
    let composed = composed(&transport, "m1", "Hello");
    let delivery = transport.deliver(&composed, &Gate::open()).await;
    assert_eq!(kind(&delivery), "for now", "{delivery:?}");
}

#[tokio::test]
async fn encryption_that_the_server_does_not_offer_is_never_done_without() {
    let sink = sink().await;
    for security in [Security::StartTls, Security::Tls] {
        let mut config = smtp(sink.address().port());
        config.security = security;
        config.timeouts.connect_seconds = 1;
        let transport = SmtpTransport::new(config).unwrap();
        let composed = composed(&transport, "m1", "Hello");
        let gate = Gate::open();
        let delivery = transport.deliver(&composed, &gate).await;
        assert_eq!(kind(&delivery), "for now", "{delivery:?}");
        assert_eq!((gate.reached(), sink.taken()), (0, 0));
    }
}

#[test]
fn settings_that_cannot_work_are_refused_before_anything_is_sent() {
    let mut in_clear = smtp(25);
    in_clear.host = "mail.example.com".to_owned();
    let Err(fault) = SmtpTransport::new(in_clear.clone()) else {
        panic!("mail would cross the network in clear");
    };
    assert!(matches!(fault, ConfigFault::InClear { .. }), "{fault}");
    in_clear.allow_unencrypted = true;
    assert!(SmtpTransport::new(in_clear).is_ok());

    let mut no_host = smtp(25);
    no_host.host = "not a host".to_owned();
    let mut no_room = smtp(25);
    no_room.sender.mailbox = crate::parts::address(&format!("{}@example.com", "x".repeat(60)));
    let mut no_hello = smtp(25);
    no_hello.hello = Some("a\r\nMAIL FROM:<x@y>".to_owned());
    let mut no_authority = smtp(25);
    no_authority.security = Security::Tls;
    no_authority.authority = Some("/nowhere/ca.pem".into());
    let mut no_login = smtp(25);
    no_login.login = Some(login("a\0b", "c"));
    for config in [no_host, no_room, no_hello, no_authority, no_login] {
        let shown = format!("{config:?}");
        assert!(SmtpTransport::new(config).is_err(), "{shown}");
    }
}

/// Speaks raw bytes to the sink and returns all that it answers until it closes the connection.
async fn speak(sink: &Sink, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(sink.address()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn the_sink_ends_a_message_at_nothing_but_a_dot_between_two_crlf() {
    let sink = sink().await;
    let answer = speak(
        &sink,
        b"EHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<b@c.d>\r\nDATA\r\n\
          Message-ID: <1@x>\r\n\r\na\n.\nb\r.\rc\n.\r\nd\r\n.\ne\r\n..f\r\n.\r\nQUIT\r\n",
    )
    .await;
    assert!(answer.ends_with("250 kept\r\n221 goodbye\r\n"), "{answer}");
    let messages = sink.messages();
    assert_eq!(messages.len(), 1);
    // A leading dot is doubled or an end; a client that writes another one meant none.
    assert_eq!(
        String::from_utf8_lossy(&messages[0].raw),
        "Message-ID: <1@x>\r\n\r\na\n.\nb\r.\rc\n.\r\nd\r\n\ne\r\n.f\r\n"
    );
    assert_eq!(messages[0].from, "");
}

#[tokio::test]
async fn the_sink_survives_clients_that_make_no_sense() {
    let sink = sink().await;
    let answer = speak(
        &sink,
        b"DATA\r\nRCPT TO:<a@b>\r\nMAIL FROM:a@b\r\nMAIL FROM:<a@b>\r\nRCPT TO:<>\r\n\
          \xff\xfe\r\n\r\nMAIL\r\nQUIT\r\n",
    )
    .await;
    let codes: Vec<&str> = answer.lines().map(|line| &line[..3]).collect();
    assert_eq!(
        codes,
        [
            "220", "503", "503", "501", "250", "501", "500", "500", "501", "221"
        ]
    );
    let endless = vec![b'x'; 100_000];
    let mut stream = TcpStream::connect(sink.address()).await.unwrap();
    // The sink may close before it has read everything.
    stream.write_all(&endless).await.ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok();
    assert_eq!(sink.taken(), 0);
    let transport = transport(&sink);
    assert_eq!(transport.check().await, Ok(()));
}

#[tokio::test]
async fn the_sink_records_each_message_before_it_acknowledges_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = SinkConfig {
        keep: 1,
        record: Some(folder.path().join("mail")),
        offer_auth: false,
    };
    for round in 1..=2_u64 {
        let sink = Sink::start_with("127.0.0.1:0", config.clone())
            .await
            .unwrap();
        let transport = transport(&sink);
        for _ in 0..2 {
            let composed = composed(&transport, "m1", "Hello");
            let delivery = transport.deliver(&composed, &Gate::open()).await;
            assert_eq!(delivery, Delivery::Sent);
            assert_eq!(sink.messages().len(), 1);
        }
        assert_eq!(sink.copies("<m1@example.test>"), 2);
        assert_eq!(sink.repeated(), [("<m1@example.test>".to_owned(), 2)]);
        let last = folder.path().join(format!("mail/{:08}.eml", 2 * round));
        let recorded = std::fs::read_to_string(last).unwrap();
        assert!(recorded.starts_with(&format!(
            "Return-Path: <liaison+{TOKEN}@example.test>\r\nDelivered-To: bo@landlord.example\r\n\
             Date: "
        )));
        assert!(recorded.ends_with("\r\n\r\nHello\r\n"), "{recorded}");
    }
}

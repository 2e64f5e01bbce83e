//! Both directions through real servers: Exim and Dovecot, as `deploy/test/mail-servers.sh` starts
//! them. Without them these tests are skipped.

use crate::parts::{Gate, TOKEN, login, outbound, smtp};
use async_trait::async_trait;
use futures::TryStreamExt;
use jiff::Timestamp;
use liaison_channels::email::{
    EmailDecoder, ImapConfig, ImapReceiver, Security, SmtpConfig, SmtpTransport,
};
use liaison_core::id::TenantId;
use liaison_ports::{
    clock::Clock,
    inbound::{Assignment, InboundKind, InboundMessage, Intake, IntakeFault, Taken},
    store::StoreError,
    transport::{Delivery, Finding, Transport},
};
use rstest::rstest;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Where the servers are; `None`, loudly, when there are none.
struct Servers {
    smtp: u16,
    smtp_starttls: u16,
    smtps: u16,
    imap: u16,
    imaps: u16,
    authority: PathBuf,
}

impl Servers {
    fn find() -> Option<Self> {
        let port = |name: &str| std::env::var(name).ok()?.parse().ok();
        let found = (|| {
            Some(Self {
                smtp: port("LIAISON_TEST_SMTP_PORT")?,
                smtp_starttls: port("LIAISON_TEST_SMTP_STARTTLS_PORT")?,
                smtps: port("LIAISON_TEST_SMTPS_PORT")?,
                imap: port("LIAISON_TEST_IMAP_PORT")?,
                imaps: port("LIAISON_TEST_IMAPS_PORT")?,
                authority: std::env::var_os("LIAISON_TEST_MAIL_CA")?.into(),
            })
        })();
        if found.is_none() {
            eprintln!("SKIPPED: no mail servers; see deploy/test/mail-servers.sh");
        }
        found
    }

    fn smtp(&self, security: Security) -> SmtpConfig {
        let mut config = smtp(match security {
            Security::Plain => self.smtp,
            Security::StartTls => self.smtp_starttls,
            Security::Tls => self.smtps,
        });
        config.security = security;
        if security != Security::Plain {
            config.login = Some(login("liaison", "secret"));
            config.authority = Some(self.authority.clone());
        }
        config
    }

    fn imap(&self, user: &str, security: Security) -> ImapConfig {
        ImapConfig {
            host: "localhost".to_owned(),
            port: match security {
                Security::Plain | Security::StartTls => self.imap,
                Security::Tls => self.imaps,
            },
            security,
            login: login(user, "secret"),
            authority: Some(self.authority.clone()),
            allow_unencrypted: false,
            folder: "INBOX".to_owned(),
            poll_seconds: 1,
        }
    }
}

/// The tests share two mailboxes, so they take turns.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A limit for what takes a fraction of a second, on a machine that does other things too.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), work)
        .await
        .expect("it happens soon")
}

/// A second pair of eyes on a mailbox.
struct Viewer(async_imap::Session<TcpStream>);

impl Viewer {
    async fn open(servers: &Servers, user: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", servers.imap))
            .await
            .unwrap();
        let mut client = async_imap::Client::new(stream);
        client.read_response().await.unwrap();
        let mut session = client
            .login(user, "secret")
            .await
            .map_err(|(e, _)| e)
            .unwrap();
        session.select("INBOX").await.unwrap();
        Self(session)
    }

    /// Opens a mailbox and empties it.
    async fn empty(servers: &Servers, user: &str) -> Self {
        let mut viewer = Self::open(servers, user).await;
        viewer
            .0
            .run_command_and_check_ok("STORE 1:* +FLAGS (\\Deleted)")
            .await
            .ok();
        viewer.0.run_command_and_check_ok("EXPUNGE").await.unwrap();
        viewer
    }

    async fn unread(&mut self) -> usize {
        self.0.run_command_and_check_ok("NOOP").await.unwrap();
        self.0.uid_search("UNSEEN").await.unwrap().len()
    }

    /// Returns once the mailbox has `count` mails that are unread.
    async fn wait_for_unread(&mut self, count: usize) {
        soon(async {
            while self.unread().await != count {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }

    async fn bodies(&mut self) -> Vec<Vec<u8>> {
        let stream = self.0.uid_fetch("1:*", "BODY.PEEK[]").await.unwrap();
        let fetched: Vec<_> = stream.try_collect().await.unwrap();
        fetched
            .iter()
            .filter_map(|fetch| Some(fetch.body()?.to_vec()))
            .collect()
    }
}

/// A reply to the mailbox `liaison`, as a person's mail program sends it.
async fn reply(servers: &Servers, id: &str, text: &str) {
    let stream = TcpStream::connect(("127.0.0.1", servers.smtp))
        .await
        .unwrap();
    let mut stream = BufReader::new(stream);
    let message = format!(
        "From: Bo <landlord@example.test>\r\nTo: <liaison+{TOKEN}@example.test>\r\n\
         Subject: Re: The inspection\r\nMessage-ID: <{id}@client.example>\r\n\
         Date: Mon, 2 Mar 2026 10:00:00 +0100\r\n\r\n{text}\r\n."
    );
    let recipient = format!("RCPT TO:<liaison+{TOKEN}@example.test>");
    assert_eq!(answer(&mut stream).await, "220");
    for (said, code) in [
        ("EHLO client.example", "250"),
        ("MAIL FROM:<landlord@example.test>", "250"),
        (&recipient, "250"),
        ("DATA", "354"),
        (&message, "250"),
        ("QUIT", "221"),
    ] {
        stream
            .write_all(format!("{said}\r\n").as_bytes())
            .await
            .unwrap();
        assert_eq!(answer(&mut stream).await, code, "{said}");
    }
}

/// The code of an answer, whose last line has a blank after it.
async fn answer(stream: &mut BufReader<TcpStream>) -> String {
    loop {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).await.unwrap(), 0);
        if line.as_bytes()[3] == b' ' {
            return line[..3].to_owned();
        }
    }
}

struct FixedClock;

#[async_trait]
impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        "2026-03-02T12:00:00Z".parse().unwrap()
    }

    async fn sleep_until(&self, _instant: Timestamp) {
        unreachable!("the receiver waits for servers, not for the clock")
    }
}

/// What the intake was given, and how it behaves.
struct Inbox {
    offered: watch::Sender<usize>,
    taken: Mutex<Vec<InboundMessage>>,
    undecodable: Mutex<Vec<(Vec<u8>, String)>>,
    /// How many offers fail first.
    failures: usize,
    /// Never says that it took anything.
    hangs: bool,
}

impl Inbox {
    fn new(failures: usize, hangs: bool) -> Arc<Self> {
        Arc::new(Self {
            offered: watch::Sender::new(0),
            taken: Mutex::default(),
            undecodable: Mutex::default(),
            failures,
            hangs,
        })
    }

    async fn wait_for_offers(&self, count: usize) {
        let mut offered = self.offered.subscribe();
        soon(offered.wait_for(|offered| *offered >= count))
            .await
            .unwrap();
    }

    fn texts(&self) -> Vec<String> {
        let taken = self.taken.lock().unwrap();
        taken.iter().map(|message| message.text.clone()).collect()
    }

    async fn offer(&self) -> Result<Taken, IntakeFault> {
        let mut before = 0;
        self.offered.send_modify(|offered| {
            before = *offered;
            *offered += 1;
        });
        if self.hangs {
            std::future::pending::<()>().await;
        }
        if before < self.failures {
            return Err(IntakeFault(StoreError::Full {
                operation: "taking a mail",
            }));
        }
        Ok(Taken::Unmatched)
    }
}

#[async_trait]
impl Intake for Inbox {
    async fn take(&self, message: InboundMessage) -> Result<Taken, IntakeFault> {
        let taken = self.offer().await?;
        self.taken.lock().unwrap().push(message);
        Ok(taken)
    }

    async fn assign(
        &self,
        _message: InboundMessage,
        _assignment: Assignment,
    ) -> Result<Taken, IntakeFault> {
        Ok(Taken::Unmatched)
    }

    async fn file_undecodable(
        &self,
        _tenant: &TenantId,
        raw: &[u8],
        why: &str,
        _received_at: Timestamp,
    ) -> Result<Taken, IntakeFault> {
        let taken = self.offer().await?;
        let filed = (raw.to_vec(), why.to_owned());
        self.undecodable.lock().unwrap().push(filed);
        Ok(taken)
    }
}

/// A receiver at work, until [`Running::stop`].
struct Running {
    shutdown: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Running {
    fn start(config: ImapConfig, inbox: &Arc<Inbox>) -> Self {
        let receiver = ImapReceiver::new(TenantId::new("t"), config).unwrap();
        let mailbox = crate::parts::address("liaison@example.test");
        let shutdown = CancellationToken::new();
        let (intake, stop) = (Arc::clone(inbox), shutdown.clone());
        let task = tokio::spawn(async move {
            let decoder = Arc::new(EmailDecoder::new(mailbox));
            receiver
                .run(intake, decoder, Arc::new(FixedClock), stop)
                .await;
        });
        Self { shutdown, task }
    }

    async fn stop(self) {
        self.shutdown.cancel();
        soon(self.task).await.unwrap();
    }
}

#[rstest]
#[case(Security::Plain)]
#[case(Security::StartTls)]
#[case(Security::Tls)]
#[tokio::test]
async fn mail_goes_out_by_every_kind_of_connection(#[case] security: Security) {
    let Some(servers) = Servers::find() else {
        return;
    };
    let _turn = TURN.lock().await;
    let mut landlord = Viewer::empty(&servers, "landlord").await;
    let transport = SmtpTransport::new(servers.smtp(security)).unwrap();
    assert_eq!(transport.check().await, Ok(()));

    let body = "Hello Bo,\n\n.\nwho will arrange it? – Ana";
    for id in ["m1", "m2"] {
        let message = outbound(id, "landlord@example.test", body);
        let composed = transport.compose(&message).unwrap();
        let delivery = transport.deliver(&composed, &Gate::open()).await;
        assert_eq!(delivery, Delivery::Sent);
        assert!(composed.bytes.is_ascii());
    }
    landlord.wait_for_unread(2).await;
    let message = outbound("m1", "landlord@example.test", body);
    let composed = String::from_utf8(transport.compose(&message).unwrap().bytes).unwrap();
    let arrived: Vec<String> = landlord
        .bodies()
        .await
        .into_iter()
        .map(|raw| String::from_utf8(raw).unwrap())
        .collect();
    // The server puts its trace above the message and changes nothing in it.
    let ours = arrived
        .iter()
        .filter(|raw| raw.ends_with(&composed))
        .count();
    assert_eq!(ours, 1, "{arrived:#?}");
    assert!(arrived[0].contains(&format!("Return-path: <liaison+{TOKEN}@example.test>")));
}

#[rstest]
#[case(Security::Plain, "nobody@example.test", "bad address")]
#[case(Security::Tls, "nobody@example.test", "bad address")]
#[case(Security::Plain, "bo@elsewhere.example", "refused")]
#[tokio::test]
async fn a_real_server_s_refusals_are_understood(
    #[case] security: Security,
    #[case] to: &str,
    #[case] expected: &str,
) {
    let Some(servers) = Servers::find() else {
        return;
    };
    let transport = SmtpTransport::new(servers.smtp(security)).unwrap();
    let composed = transport.compose(&outbound("m1", to, "Hello")).unwrap();
    let delivery = transport.deliver(&composed, &Gate::open()).await;
    let Delivery::Refused { address_is_bad, .. } = delivery else {
        panic!("{delivery:?}");
    };
    assert_eq!(address_is_bad, expected == "bad address");
}

#[tokio::test]
async fn wrong_settings_refuse_nothing_for_good_and_say_what_to_do() {
    let Some(servers) = Servers::find() else {
        return;
    };
    let mut wrong_password = servers.smtp(Security::Tls);
    wrong_password.login = Some(login("liaison", "wrong"));
    let mut no_login = servers.smtp(Security::StartTls);
    no_login.login = None;
    let mut unknown_authority = servers.smtp(Security::Tls);
    unknown_authority.authority = None;
    let mut unknown_authority_later = servers.smtp(Security::StartTls);
    unknown_authority_later.authority = None;
    let mut wrong_name = servers.smtp(Security::Tls);
    wrong_name.host = "127.0.0.2".to_owned();
    for (config, advice) in [
        (wrong_password, Some("check user and password")),
        (no_login, None),
        (unknown_authority, Some("set ca_file to its PEM")),
        (unknown_authority_later, Some("set ca_file to its PEM")),
        // Nothing listens there; what counts is that nothing is sent.
        (wrong_name, Some("check host and port")),
    ] {
        let transport = SmtpTransport::new(config).unwrap();
        let message = outbound("m1", "landlord@example.test", "Hello");
        let composed = transport.compose(&message).unwrap();
        let gate = Gate::open();
        let delivery = transport.deliver(&composed, &gate).await;
        let refused = matches!(delivery, Delivery::RefusedForNow { .. });
        assert!(refused && gate.reached() == 0, "{delivery:?}");
        match advice {
            Some(advice) => {
                let said = transport.check().await.unwrap_err();
                assert!(said.contains(advice), "{said}");
            }
            None => assert_eq!(transport.check().await, Ok(())),
        }
    }
}

/// Passes bytes to and fro, and appends `injected` to the server's answer to STARTTLS.
async fn tampering_proxy(server: u16, injected: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let upstream = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = upstream.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
            tokio::spawn(async move {
                let mut buffer = vec![0; 65_536];
                loop {
                    let read = from_server.read(&mut buffer).await.unwrap_or(0);
                    if read == 0 {
                        return;
                    }
                    let mut bytes = buffer[..read].to_vec();
                    if bytes.starts_with(b"220 TLS go ahead") {
                        bytes.extend_from_slice(injected);
                    }
                    if to_client.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

#[rstest]
#[case(b"", true)]
#[case(b"250-injected\r\n250 AUTH PLAIN\r\n", false)]
#[tokio::test]
async fn an_answer_that_was_slipped_in_before_tls_ends_the_connection(
    #[case] injected: &'static [u8],
    #[case] works: bool,
) {
    let Some(servers) = Servers::find() else {
        return;
    };
    let mut config = servers.smtp(Security::StartTls);
    config.port = tampering_proxy(servers.smtp_starttls, injected).await;
    let transport = SmtpTransport::new(config).unwrap();
    let checked = transport.check().await;
    assert_eq!(checked.is_ok(), works, "{checked:?}");
    if let Err(advice) = checked {
        assert!(advice.contains("encrypting the connection"), "{advice}");
    }
}

#[rstest]
#[case(Security::Plain)]
#[case(Security::StartTls)]
#[case(Security::Tls)]
#[tokio::test]
async fn mail_comes_in_and_idle_hears_of_the_next(#[case] security: Security) {
    let Some(servers) = Servers::find() else {
        return;
    };
    let _turn = TURN.lock().await;
    let mut viewer = Viewer::empty(&servers, "liaison").await;
    reply(&servers, "r1", "Please arrange it for me.").await;
    viewer.wait_for_unread(1).await;

    let inbox = Inbox::new(0, false);
    let running = Running::start(servers.imap("liaison", security), &inbox);
    inbox.wait_for_offers(1).await;
    viewer.wait_for_unread(0).await;
    // One IDLE lasts five minutes; only being told brings these in soon.
    for n in 2..=4 {
        reply(&servers, &format!("r{n}"), &format!("Answer {n}")).await;
        inbox.wait_for_offers(n).await;
        viewer.wait_for_unread(0).await;
    }
    running.stop().await;

    assert_eq!(
        inbox.texts(),
        [
            "Please arrange it for me.",
            "Answer 2",
            "Answer 3",
            "Answer 4"
        ]
    );
    let taken = inbox.taken.lock().unwrap();
    assert_eq!(taken[0].tokens, [TOKEN]);
    assert_eq!(
        taken[0].transport_id.as_deref(),
        Some("<r1@client.example>")
    );
    assert_eq!(taken[0].kind, InboundKind::Person);
    assert_eq!(taken[0].received_at, FixedClock.now());
}

#[tokio::test]
async fn a_mail_is_read_only_once_it_is_durable() {
    let Some(servers) = Servers::find() else {
        return;
    };
    let _turn = TURN.lock().await;
    let mut viewer = Viewer::empty(&servers, "liaison").await;
    for n in 1..=3 {
        reply(&servers, &format!("r{n}"), &format!("Answer {n}")).await;
    }
    viewer.wait_for_unread(3).await;

    // The store never answers, and the daemon is stopped.
    let hanging = Inbox::new(0, true);
    let running = Running::start(servers.imap("liaison", Security::Plain), &hanging);
    hanging.wait_for_offers(1).await;
    assert_eq!(viewer.unread().await, 3);
    running.stop().await;
    assert_eq!(viewer.unread().await, 3);

    // The store fails once, and the receiver comes back by itself.
    let failing = Inbox::new(1, false);
    let running = Running::start(servers.imap("liaison", Security::Plain), &failing);
    failing.wait_for_offers(4).await;
    viewer.wait_for_unread(0).await;
    running.stop().await;
    let mut texts = failing.texts();
    // What failed is tried last.
    assert_eq!(texts.last().map(String::as_str), Some("Answer 1"));
    texts.sort();
    assert_eq!(texts, ["Answer 1", "Answer 2", "Answer 3"]);

    // And nothing comes twice.
    let after = Inbox::new(0, false);
    let running = Running::start(servers.imap("liaison", Security::Plain), &after);
    reply(&servers, "r4", "Answer 4").await;
    after.wait_for_offers(1).await;
    viewer.wait_for_unread(0).await;
    running.stop().await;
    assert_eq!(after.texts(), ["Answer 4"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_filed_and_keeps_nothing_back() {
    let Some(servers) = Servers::find() else {
        return;
    };
    let _turn = TURN.lock().await;
    let mut viewer = Viewer::empty(&servers, "liaison").await;
    let blank = "\r\n \r\n";
    viewer.0.append("INBOX", None, None, blank).await.unwrap();
    let line = format!("{}\r\n", "x".repeat(70));
    let huge = format!(
        "From: bo@landlord.example\r\nSubject: All my photos\r\n\r\n{}",
        line.repeat(26 * 1024 * 1024 / 72 + 1)
    );
    viewer.0.append("INBOX", None, None, huge).await.unwrap();
    reply(&servers, "r1", "Answer 1").await;
    viewer.wait_for_unread(3).await;

    let inbox = Inbox::new(0, false);
    let running = Running::start(servers.imap("liaison", Security::Plain), &inbox);
    inbox.wait_for_offers(3).await;
    viewer.wait_for_unread(0).await;
    running.stop().await;

    assert_eq!(inbox.texts(), ["Answer 1"]);
    let filed = inbox.undecodable.lock().unwrap();
    assert_eq!(filed.len(), 2);
    assert_eq!(filed[0].0, blank.as_bytes());
    assert!(filed[0].1.contains("empty"), "{}", filed[0].1);
    let header = String::from_utf8_lossy(&filed[1].0);
    assert!(
        header.contains("Subject: All my photos") && header.len() < 200,
        "{header}"
    );
    assert!(
        filed[1].1.contains("only its header was fetched"),
        "{}",
        filed[1].1
    );
}

#[tokio::test]
async fn a_bounce_comes_back_to_the_token_that_it_is_about() {
    let Some(servers) = Servers::find() else {
        return;
    };
    let _turn = TURN.lock().await;
    let mut viewer = Viewer::empty(&servers, "liaison").await;
    let transport = SmtpTransport::new(servers.smtp(Security::Plain)).unwrap();
    let message = outbound("m1", "gone@example.test", "Hello");
    let composed = transport.compose(&message).unwrap();
    let delivery = transport.deliver(&composed, &Gate::open()).await;
    assert_eq!(delivery, Delivery::Sent);
    viewer.wait_for_unread(1).await;

    let inbox = Inbox::new(0, false);
    let running = Running::start(servers.imap("liaison", Security::Tls), &inbox);
    inbox.wait_for_offers(1).await;
    viewer.wait_for_unread(0).await;
    running.stop().await;
    let taken = inbox.taken.lock().unwrap();
    assert_eq!(taken[0].tokens, [TOKEN]);
    let InboundKind::Bounce {
        original,
        permanent,
        ..
    } = &taken[0].kind
    else {
        panic!("{:?}", taken[0].kind);
    };
    assert_eq!(*original, composed.transport_id);
    assert!(*permanent);
}

#[tokio::test]
async fn the_check_of_a_mailbox_says_what_to_do() {
    let Some(servers) = Servers::find() else {
        return;
    };
    let check = |config: ImapConfig| async move {
        let receiver = ImapReceiver::new(TenantId::new("t"), config).unwrap();
        receiver.check().await
    };
    for security in [Security::Plain, Security::StartTls, Security::Tls] {
        assert_eq!(check(servers.imap("liaison", security)).await, Ok(()));
    }
    let mut wrong_password = servers.imap("liaison", Security::Tls);
    wrong_password.login = login("liaison", "wrong");
    let mut no_folder = servers.imap("liaison", Security::Tls);
    no_folder.folder = "Nowhere".to_owned();
    let mut unknown_authority = servers.imap("liaison", Security::Tls);
    unknown_authority.authority = None;
    let mut wrong_port = servers.imap("liaison", Security::Plain);
    wrong_port.port = servers.smtp;
    for (config, advice) in [
        (wrong_password, "check user and password"),
        (no_folder, "check that the folder exists"),
        (unknown_authority, "ca_file names its PEM file"),
        (wrong_port, "check host and port"),
    ] {
        let said = check(config).await.unwrap_err();
        assert!(said.contains(advice), "{said}");
    }
}

#[tokio::test]
async fn a_copy_in_the_sent_folder_proves_that_a_message_went() {
    let Some(servers) = Servers::find() else {
        return;
    };
    let _turn = TURN.lock().await;
    let mut viewer = Viewer::empty(&servers, "liaison").await;
    viewer.0.create("Sent").await.ok();
    viewer.0.select("Sent").await.unwrap();
    viewer
        .0
        .run_command_and_check_ok("STORE 1:* +FLAGS (\\Deleted)")
        .await
        .ok();
    viewer.0.run_command_and_check_ok("EXPUNGE").await.unwrap();
    let mut folder = servers.imap("liaison", Security::Tls);
    folder.folder = "Sent".to_owned();
    let transport = SmtpTransport::new(servers.smtp(Security::Plain))
        .unwrap()
        .with_sent_folder(folder.clone())
        .unwrap();
    let composed = |id| {
        let message = outbound(id, "landlord@example.test", "Hello");
        transport.compose(&message).unwrap()
    };
    let (went, lost) = (composed("m1"), composed("m2"));
    assert_eq!(transport.look_up(&went).await, Finding::CannotTell);
    viewer
        .0
        .append("Sent", None, None, &went.bytes)
        .await
        .unwrap();
    assert_eq!(transport.look_up(&went).await, Finding::Sent);
    assert_eq!(transport.look_up(&lost).await, Finding::CannotTell);

    folder.folder = "Nowhere".to_owned();
    let transport = transport.with_sent_folder(folder).unwrap();
    assert_eq!(transport.look_up(&went).await, Finding::CannotTell);
}

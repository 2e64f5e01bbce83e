//! Real mail servers, as `deploy/test/mail-servers.sh` starts them, and a landlord with a mail
//! program of his own.

use crate::harness::{BOUND, Daemon, until};
use futures::TryStreamExt;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    address::Envelope,
    message::{MessageBuilder, SinglePart, header::ContentType},
};
use liaison_channels::email::inbound::{self, InboundEmail};
use std::{
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// The daemon's mailbox.
pub(crate) const AGENCY: &str = "liaison@example.test";

/// Where the servers are.
pub(crate) struct Servers {
    smtp: u16,
    smtp_starttls: u16,
    smtps: u16,
    imap: u16,
    imaps: u16,
    authority: PathBuf,
}

/// How the daemon talks to the servers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wiring {
    /// In the clear, without a login for SMTP.
    Plain,
    /// SMTP with STARTTLS and a login, IMAP with TLS from the first byte.
    StartTls,
    /// SMTP with TLS from the first byte and a login, IMAP with STARTTLS.
    Tls,
}

impl Servers {
    fn find() -> Option<Self> {
        let port = |name: &str| std::env::var(name).ok()?.parse().ok();
        Some(Self {
            smtp: port("LIAISON_TEST_SMTP_PORT")?,
            smtp_starttls: port("LIAISON_TEST_SMTP_STARTTLS_PORT")?,
            smtps: port("LIAISON_TEST_SMTPS_PORT")?,
            imap: port("LIAISON_TEST_IMAP_PORT")?,
            imaps: port("LIAISON_TEST_IMAPS_PORT")?,
            authority: std::env::var_os("LIAISON_TEST_MAIL_CA")?.into(),
        })
    }

    /// The same servers, each behind the other's ports.
    pub(crate) fn crossed(&self) -> Self {
        Self {
            smtp: self.imap,
            smtp_starttls: self.imap,
            smtps: self.imaps,
            imap: self.smtp,
            imaps: self.smtps,
            authority: self.authority.clone(),
        }
    }

    /// The same servers, with a mailbox that can be shut.
    pub(crate) async fn behind_a_door(&self) -> (Self, Door) {
        let listener = TcpListener::bind("localhost:0").await.unwrap();
        let imap = listener.local_addr().unwrap().port();
        let (open, shut) = watch::channel(true);
        tokio::spawn(relay(listener, self.imap, shut));
        let servers = Self {
            imap,
            authority: self.authority.clone(),
            ..*self
        };
        (servers, Door(open))
    }

    /// The tenant's sections of a configuration.
    pub(crate) fn tenant(&self, wiring: Wiring, password: &str) -> String {
        let authority = self.authority.display();
        let login =
            format!("user = \"liaison\"\npassword = \"{password}\"\nca_file = \"{authority}\"\n");
        let (smtp, smtp_security, smtp_login) = match wiring {
            Wiring::Plain => (self.smtp, "plain", ""),
            Wiring::StartTls => (self.smtp_starttls, "starttls", login.as_str()),
            Wiring::Tls => (self.smtps, "tls", login.as_str()),
        };
        let (imap, imap_security) = match wiring {
            Wiring::Plain => (self.imap, "plain"),
            Wiring::StartTls => (self.imaps, "tls"),
            Wiring::Tls => (self.imap, "starttls"),
        };
        format!(
            "[tenants.default.email]\naddress = \"{AGENCY}\"\nname = \"Example Lettings\"\n\n\
             [tenants.default.email.smtp]\nhost = \"localhost\"\nport = {smtp}\n\
             security = \"{smtp_security}\"\n{smtp_login}\n\
             [tenants.default.email.imap]\nhost = \"localhost\"\nport = {imap}\n\
             security = \"{imap_security}\"\n{login}{}",
            crate::harness::POLICY
        )
    }
}

/// Lets connections to a mailbox through, or lets them wait.
pub(crate) struct Door(watch::Sender<bool>);

impl Door {
    pub(crate) fn shut(&self) {
        self.0.send_replace(false);
    }

    pub(crate) fn open(&self) {
        self.0.send_replace(true);
    }
}

/// Passes on what connects to `listener`, each connection once the door is open.
async fn relay(listener: TcpListener, to: u16, door: watch::Receiver<bool>) {
    while let Ok((mut near, _)) = listener.accept().await {
        let mut door = door.clone();
        tokio::spawn(async move {
            if door.wait_for(|open| *open).await.is_err() {
                return;
            }
            let mut far = TcpStream::connect(("localhost", to)).await.unwrap();
            // It ends when either side does, and how is theirs to find out.
            let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
        });
    }
}

/// Runs a test that needs the servers, alone: they have one mailbox for the daemon, and every
/// daemon takes what is in it. Without servers the test is skipped, loudly.
pub(crate) fn with_servers(test: impl AsyncFnOnce(Servers)) {
    static TURN: Mutex<()> = Mutex::new(());

    let Some(servers) = Servers::find() else {
        eprintln!("SKIPPED: no mail servers; see deploy/test/mail-servers.sh");
        return;
    };
    // A test that failed has left nothing that the next one would mind.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        // What an earlier test left unread is not for this one's daemon.
        Mailbox::open(servers.imap, "liaison").await.empty().await;
        test(servers).await;
    });
    // A daemon of a test that failed ends here at the latest, before the next one's turn.
    runtime.shutdown_timeout(BOUND);
}

/// A mailbox, seen by its owner's mail program.
struct Mailbox(async_imap::Session<TcpStream>);

impl Mailbox {
    async fn open(port: u16, user: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let mut client = async_imap::Client::new(stream);
        client.read_response().await.unwrap();
        let login = client.login(user, "secret").await;
        let mut session = login.map_err(|(error, _)| error).unwrap();
        session.select("INBOX").await.unwrap();
        Self(session)
    }

    async fn empty(mut self) {
        if self.0.uid_search("ALL").await.unwrap().is_empty() {
            return;
        }
        let all = "STORE 1:* +FLAGS.SILENT (\\Deleted)";
        self.0.run_command_and_check_ok(all).await.unwrap();
        self.0.run_command_and_check_ok("EXPUNGE").await.unwrap();
    }

    /// The mail to `address`, in the order in which it came.
    async fn letters_to(&mut self, address: &str) -> Vec<Letter> {
        self.0.run_command_and_check_ok("NOOP").await.unwrap();
        let query = format!("HEADER To \"{address}\"");
        let found = self.0.uid_search(query).await.unwrap();
        if found.is_empty() {
            return Vec::new();
        }
        let set: Vec<String> = found.iter().map(u32::to_string).collect();
        let fetching = self.0.uid_fetch(set.join(","), "(UID BODY.PEEK[])");
        let mut fetched: Vec<_> = fetching.await.unwrap().try_collect().await.unwrap();
        fetched.sort_by_key(|fetch| fetch.uid);
        fetched
            .iter()
            .filter_map(|fetch| fetch.body())
            .map(|raw| Letter(inbound::parse(raw).unwrap()))
            .filter(|letter| letter.0.to.iter().any(|to| to.address == address))
            .collect()
    }
}

/// A mail that the landlord got.
pub(crate) struct Letter(InboundEmail);

impl Letter {
    pub(crate) fn subject(&self) -> &str {
        &self.0.subject
    }

    /// The whole text, on one line: where it is wrapped is of no interest.
    pub(crate) fn text(&self) -> String {
        let words: Vec<&str> = self.0.text.split_whitespace().collect();
        words.join(" ")
    }

    pub(crate) fn message_id(&self) -> &str {
        self.0.message_id.as_deref().unwrap()
    }

    pub(crate) fn in_reply_to(&self) -> &[String] {
        &self.0.in_reply_to
    }

    pub(crate) fn references(&self) -> &[String] {
        &self.0.references
    }

    /// Where answers go.
    pub(crate) fn reply_to(&self) -> &str {
        &self.0.reply_to.as_ref().unwrap().address
    }
}

/// A landlord who reads and writes mail.
pub(crate) struct Landlord {
    pub(crate) address: String,
    mailbox: Mailbox,
    post: Post,
    markers: u32,
}

impl Landlord {
    /// A landlord with an address that nobody has used before.
    pub(crate) async fn new(servers: &Servers) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);

        // The mailbox outlives the process, so the number alone would come again.
        let address = format!(
            "landlord+{}-{}@example.test",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        Self {
            mailbox: Mailbox::open(servers.imap, "landlord").await,
            post: Post::new(servers),
            address,
            markers: 0,
        }
    }

    /// Returns once `count` mails from the daemon have come; there are no more.
    pub(crate) async fn letters(&mut self, count: usize) -> Vec<Letter> {
        let what = format!("{count} letters have come to {}", self.address);
        let (mailbox, address) = (&mut self.mailbox, &self.address);
        until(&what, async || {
            let letters = mailbox.letters_to(address).await;
            assert!(
                letters.len() <= count,
                "{count} letters were to come, and there are {}: {:?}",
                letters.len(),
                letters.iter().map(Letter::text).collect::<Vec<_>>()
            );
            (letters.len() == count).then_some(letters)
        })
        .await
    }

    /// The mails there are after the servers have had the time to carry one more: what was handed
    /// over before it has come.
    pub(crate) async fn letters_at_last(&mut self) -> Vec<Letter> {
        self.markers += 1;
        let tag = format!("landlord+marker{}-", self.markers);
        let marker = self.address.replacen("landlord+", &tag, 1);
        let mail = mail(&marker, &marker, "a marker", None)
            .body("It follows the others.".to_owned())
            .unwrap();
        self.post.hand_in(&mail).await;
        until("the marker has come", async || {
            let markers = self.mailbox.letters_to(&marker).await;
            (!markers.is_empty()).then_some(())
        })
        .await;
        self.mailbox.letters_to(&self.address).await
    }

    /// Answers a letter, with the letter below as mail programs do. The Message-ID of the answer.
    pub(crate) async fn answer(&self, daemon: &Daemon, letter: &Letter, words: &str) -> String {
        self.answer_as(daemon, &self.address, letter, words).await
    }

    /// The same in somebody else's name.
    pub(crate) async fn answer_as(
        &self,
        daemon: &Daemon,
        from: &str,
        letter: &Letter,
        words: &str,
    ) -> String {
        let quoted: Vec<String> = letter
            .0
            .text
            .lines()
            .map(|line| format!("> {line}"))
            .collect();
        let body = format!(
            "{words}\n\nOn Mon, 2 Mar 2026 at 10:00, Example Lettings <{AGENCY}> wrote:\n\n{}\n",
            quoted.join("\n")
        );
        let mail = reply(daemon, from, letter).body(body).unwrap();
        self.post.hand_in(&mail).await;
        message_id(&mail)
    }

    /// The mail program's absence note about a letter.
    pub(crate) async fn note_absence(&self, daemon: &Daemon, letter: &Letter, words: &str) {
        let mail = reply(daemon, &self.address, letter)
            .raw_header(lettre::message::header::HeaderValue::new(
                lettre::message::header::HeaderName::new_from_ascii_str("Auto-Submitted"),
                "auto-replied".to_owned(),
            ))
            .body(words.to_owned())
            .unwrap();
        self.post.hand_in(&mail).await;
    }

    /// Mail that answers nothing.
    pub(crate) async fn write(&self, daemon: &Daemon, from: &str, subject: &str, words: &str) {
        let mail = mail(from, AGENCY, subject, Some(daemon))
            .singlepart(
                SinglePart::builder()
                    .header(ContentType::TEXT_PLAIN)
                    .body(words.to_owned()),
            )
            .unwrap();
        self.post.hand_in(&mail).await;
    }
}

fn reply(daemon: &Daemon, from: &str, letter: &Letter) -> MessageBuilder {
    let subject = format!("Re: {}", letter.subject().trim_start_matches("Re: "));
    let id = format!("<{}>", letter.message_id());
    let earlier = letter.references().iter().map(|id| format!("<{id}> "));
    let references = format!("{}{id}", earlier.collect::<String>());
    mail(from, letter.reply_to(), &subject, Some(daemon))
        .in_reply_to(id)
        .references(references)
}

/// A mail, dated by the daemon's clock: the landlord lives in the same time.
fn mail(from: &str, to: &str, subject: &str, daemon: Option<&Daemon>) -> MessageBuilder {
    let builder = Message::builder()
        .from(from.parse().unwrap())
        .to(to.parse().unwrap())
        .subject(subject)
        .message_id(None);
    match daemon {
        Some(daemon) => {
            let seconds = u64::try_from(daemon.now().as_second()).unwrap();
            builder.date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        }
        None => builder,
    }
}

fn message_id(mail: &Message) -> String {
    let id = mail.headers().get_raw("Message-ID").unwrap();
    id.trim_matches(['<', '>']).to_owned()
}

/// The landlord's provider.
struct Post(AsyncSmtpTransport<Tokio1Executor>);

impl Post {
    fn new(servers: &Servers) -> Self {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous("127.0.0.1");
        Self(transport.port(servers.smtp).build())
    }

    async fn hand_in(&self, mail: &Message) {
        let envelope: &Envelope = mail.envelope();
        self.0.send_raw(envelope, &mail.formatted()).await.unwrap();
    }
}

//! What should not be sent to a daemon, over the wire: it says what is wrong, and lives.

use crate::harness::{BOUND, Daemon, POLICY, inspection};
use jiff::SignedDuration;
use liaison_api::{PROBLEM_JSON, Problem};
use liaison_channels::email::{Sink, SinkMessage, inbound};
use liaison_client::{NeedHandle, OutcomeKind};
use liaison_ports::store::Scope;
use reqwest::{RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use std::net::Ipv4Addr;

const GATHER: SignedDuration = SignedDuration::from_secs(30);
const BURST: SignedDuration = SignedDuration::from_secs(60);

/// More than any body may have.
const FIFTY_MEGABYTES: usize = 50_000_000;

/// A daemon whose mail goes out to a sink and comes in over HTTP.
struct Post {
    daemon: Daemon,
    sink: Sink,
    http: reqwest::Client,
    /// The key of the mail server that hands mail in.
    key: String,
}

impl Post {
    async fn start() -> Self {
        let sink = Sink::start((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let tenant = format!(
            "[tenants.default.email]\naddress = \"office@agency.example\"\n\n\
             [tenants.default.email.smtp]\nhost = \"127.0.0.1\"\nport = {}\nsecurity = \"plain\"\n{POLICY}",
            sink.address().port()
        );
        let daemon = Daemon::start(&tenant, "2026-03-02T09:00:00Z").await;
        let key = daemon.mint(Scope::Inbound).await;
        Self {
            daemon,
            sink,
            http: reqwest::Client::new(),
            key,
        }
    }

    fn register(&self, body: impl Into<reqwest::Body>) -> RequestBuilder {
        self.http
            .post(format!("{}/v1/needs", self.daemon.url()))
            .bearer_auth(self.daemon.key())
            .header(header::CONTENT_TYPE, "application/json")
            .body(body)
    }

    fn hand_in(&self, mail: Vec<u8>) -> RequestBuilder {
        self.http
            .post(format!("{}/v1/inbound/email", self.daemon.url()))
            .bearer_auth(&self.key)
            .header(header::CONTENT_TYPE, "message/rfc822")
            .body(mail)
    }

    /// Registers a need and returns it with its question.
    async fn ask(&self, address: &str) -> (NeedHandle, SinkMessage) {
        let need = self.daemon.inspection(address).await;
        self.daemon.pass(GATHER).await;
        let messages = self.sink.messages();
        let question = messages.iter().rev().find(|mail| mail.to == [address]);
        (need, question.expect("it was asked").clone())
    }

    /// Plays the exchange that the daemon is for.
    async fn still_works(&self, address: &str) {
        let (need, question) = self.ask(address).await;
        let asked = inbound::parse(&question.raw).unwrap();
        let mail = format!(
            "From: {address}\r\nTo: {}\r\nSubject: Re: {}\r\nMessage-ID: <{address}>\r\n\r\n\
             Please arrange it for me.\r\n",
            asked.reply_to.unwrap().address,
            asked.subject
        );
        let answer = self.hand_in(mail.into_bytes()).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::ACCEPTED);
        self.daemon.pass(BURST).await;
        let outcome = need.outcome_within(BOUND).await.unwrap();
        assert_eq!(outcome.kind(), OutcomeKind::Fulfilled);
        assert_eq!(
            outcome.quote("arranged_by"),
            Some("Please arrange it for me.")
        );
        let alive = self.http.get(format!("{}/readyz", self.daemon.url()));
        assert_eq!(alive.send().await.unwrap().status(), StatusCode::OK);
    }
}

/// Sends a request that has to fail; the problem document that it brings.
#[track_caller]
fn problem(request: RequestBuilder, status: u16) -> impl Future<Output = Problem> {
    let caller = std::panic::Location::caller();
    async move {
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{caller}");
        let kind = response.headers()[header::CONTENT_TYPE].clone();
        assert_eq!(kind, PROBLEM_JSON, "{caller}");
        let problem: Problem = response.json().await.unwrap();
        assert_eq!(problem.status, status, "{caller}");
        assert!(
            !problem.title.is_empty() && !problem.detail.is_empty(),
            "{caller}: {problem}"
        );
        problem
    }
}

/// A registration with one thing changed: the field at `pointer` is `value`, or is not there.
fn registration(pointer: &str, value: Option<Value>) -> Value {
    let mut need = json!({
        "stakeholder": {"email": "landlord@example.com", "name": "Lee"},
        "goal": "Decide who will arrange the inspection",
        "slots": [{
            "name": "arranged_by",
            "question": "Who arranges it?",
            "kind": "choice",
            "options": [
                {"value": "landlord", "label": "arrange it yourself"},
                {"value": "agency", "label": "have us arrange it"}
            ]
        }],
        "deadline": "15d"
    });
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    let fields = need.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => fields.insert(field.to_owned(), value),
        None => fields.remove(field),
    };
    need
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_registration_is_refused_with_the_field_that_is_wrong() {
    let post = Post::start().await;
    let cases = [
        ("/slots/0/kind", Some(json!("colour")), "slots[0].kind"),
        ("/slots/0/kind", None, "slots[0].kind"),
        ("/slots/0/options", Some(json!([])), "slots[0].options"),
        ("/slots/0/options", None, "slots[0].options"),
        ("/slots/0/name", Some(json!("arranged by")), "slots[0].name"),
        ("/slots/0/question", Some(json!(" ")), "slots[0].question"),
        ("/slots/0/required", Some(json!(false)), "slots"),
        ("/slots", Some(json!([])), "slots"),
        ("/slots", Some(json!("arranged_by")), "slots"),
        ("/deadline", Some(json!("2026-03-01T09:00:00Z")), "deadline"),
        ("/deadline", Some(json!("2026-03-02T09:00:00Z")), "deadline"),
        ("/deadline", Some(json!("0s")), "deadline"),
        ("/deadline", Some(json!("tomorrow")), "deadline"),
        ("/deadline", None, "deadline"),
        ("/stakeholder/email", None, "stakeholder.contacts"),
        (
            "/stakeholder/email",
            Some(json!("landlord")),
            "stakeholder.email",
        ),
        (
            "/stakeholder/email",
            Some(json!("a@b.example\r\nBcc: c@d.example")),
            "stakeholder.email",
        ),
        (
            "/stakeholder/zone",
            Some(json!("Europe/Pari")),
            "stakeholder.zone",
        ),
        ("/stakeholder", None, "stakeholder"),
        ("/goal", Some(json!(7)), "goal"),
        ("/gaol", Some(json!("a mistyped name")), "gaol"),
    ];
    for (pointer, value, field) in cases {
        let body = registration(pointer, value);
        let problem = problem(post.register(body.to_string()), 422).await;
        assert_eq!(problem.name(), "invalid-fields", "{body}");
        let fields: Vec<&str> = problem.errors.iter().map(|e| e.field.as_str()).collect();
        assert_eq!(fields, [field], "{body}: {problem}");
        assert!(!problem.errors[0].detail.is_empty(), "{body}");
    }
    let none = post.daemon.client().needs(None, 10).await.unwrap();
    assert_eq!(none.needs, []);
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_json_is_refused() {
    let post = Post::start().await;
    let deep = "[".repeat(100_000);
    let cut = registration("/goal", Some(json!("x"))).to_string();
    let cut = &cut[..cut.len() - 1];
    for body in ["", "{", "need", cut, "{\"goal\": \"\u{0}\"}", &deep, "{}{}"] {
        let problem = problem(post.register(body.to_owned()), 400).await;
        assert_eq!(problem.name(), "malformed-json", "{:.40}", body);
    }
    let latin: &[u8] = b"{\"goal\": \"caf\xe9\"}";
    problem(post.register(latin), 400).await;
    for body in ["null", "[]", "7", "\"need\""] {
        problem(post.register(body), 422).await;
    }
    let form = post
        .http
        .post(format!("{}/v1/needs", post.daemon.url()))
        .bearer_auth(post.daemon.key())
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body("goal=x");
    problem(form, 415).await;
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_fifty_megabytes_is_refused() {
    let post = Post::start().await;
    let goal = "x".repeat(FIFTY_MEGABYTES);
    let json = registration("/goal", Some(json!(goal))).to_string();
    let refused = problem(post.register(json), 413).await;
    assert_eq!(refused.name(), "body-too-large");

    let mut mail = b"From: a@example.com\r\nTo: office@agency.example\r\n\r\n".to_vec();
    mail.resize(FIFTY_MEGABYTES, b'x');
    let refused = problem(post.hand_in(mail), 413).await;
    assert_eq!(refused.name(), "body-too-large");
    assert_eq!(post.daemon.client().unmatched().await.unwrap().messages, []);
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

/// Mails that no mail program writes, each with its name. `head` is the beginning of a header that
/// makes them find a conversation, or is empty.
fn hostile(head: &str) -> Vec<(&'static str, Vec<u8>)> {
    let mail = |rest: &str| format!("{head}{rest}").into_bytes();
    let nested = |levels: usize| {
        let mut text = String::new();
        for level in 0..levels {
            text.push_str(&format!(
                "Content-Type: multipart/mixed; boundary=\"b{level}\"\r\n\r\n--b{level}\r\n"
            ));
        }
        text.push_str("Content-Type: text/plain\r\n\r\nPlease arrange it for me.\r\n");
        text
    };
    let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(5_000);
    // The bytes of a linear congruence: as good as random, and the same in every run.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut noise = |length: usize| -> Vec<u8> {
        (0..length)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state.to_be_bytes()[0]
            })
            .collect()
    };
    let after_head = |bytes: Vec<u8>| [head.as_bytes(), &bytes].concat();
    let mut cases = vec![
        (
            "a header that ends in the middle",
            mail("Subject: Re: The insp"),
        ),
        ("only headers", mail("Subject: Re: The inspection\r\n\r\n")),
        (
            "no end of the header",
            mail("Subject: Re: The inspection\r\n"),
        ),
        ("no header", mail("\r\nWe are all text here.\r\n")),
        (
            "a line that is no header",
            mail("this is no header\r\n\r\nText.\r\n"),
        ),
        (
            "no boundary",
            mail("Content-Type: multipart/mixed\r\n\r\n--\r\n\r\nText.\r\n"),
        ),
        (
            "an empty boundary",
            mail("Content-Type: multipart/mixed; boundary=\"\"\r\n\r\n--\r\n\r\nText.\r\n"),
        ),
        (
            "a boundary that never comes",
            mail("Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\nText.\r\n"),
        ),
        (
            "a part that never ends",
            mail("Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\n--x\r\nContent-Ty"),
        ),
        ("multiparts in multiparts", mail(&nested(20_000))),
        ("messages in messages", mail(&messages)),
        (
            "base64 that is none",
            mail("Content-Transfer-Encoding: base64\r\n\r\n=!!=?A===\u{1}\r\n"),
        ),
        (
            "quoted-printable that is none",
            mail("Content-Transfer-Encoding: quoted-printable\r\n\r\n=Z=\r\n=3\r\n="),
        ),
        (
            "a character set that nobody knows",
            mail("Content-Type: text/plain; charset=klingon\r\n\r\nqapla\r\n"),
        ),
        (
            "a subject that is encoded wrongly",
            mail("Subject: =?utf-8?B?////?= =?x?Q?=ZZ?= =?utf-8?Q?\r\n\r\nText.\r\n"),
        ),
        (
            "a date that is none",
            mail("Date: Mon, 99 Foo 99999 99:99:99 +9999\r\n\r\nText.\r\n"),
        ),
        ("many headers", mail(&"X-A: b\r\n".repeat(200_000))),
        (
            "one long header",
            mail(&format!("X-A: {}\r\n\r\nText.\r\n", "b".repeat(3_000_000))),
        ),
        (
            "zero bytes",
            after_head(b"Subject: \0\0\0\r\n\r\n\0\0\0".to_vec()),
        ),
        ("only zero bytes", after_head(vec![0; 10_000])),
        (
            "open tags",
            mail(&format!(
                "Content-Type: text/html\r\n\r\n{}",
                "<div><p".repeat(100_000)
            )),
        ),
    ];
    for (name, length) in [
        ("a little noise", 16),
        ("noise", 4_096),
        ("much noise", 1_000_000),
    ] {
        cases.push((name, after_head(noise(length))));
        cases.push((name, after_head([b"\r\n".to_vec(), noise(length)].concat())));
    }
    cases
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_is_none_is_filed() {
    let post = Post::start().await;
    let (need, _) = post.ask("landlord@example.com").await;
    for nothing in ["", " ", "\r\n\r\n"] {
        let answer = post.hand_in(nothing.into()).send().await.unwrap();
        let status = answer.status().as_u16();
        assert!(matches!(status, 202 | 400), "{nothing:?}: {status}");
    }
    for (name, mail) in hostile("") {
        let answer = post.hand_in(mail).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::ACCEPTED, "{name}");
        let taken: Value = answer.json().await.unwrap();
        assert_ne!(taken["taken"], "matched", "{name}");
    }
    post.daemon.pass(BURST).await;
    assert!(need.view().await.unwrap().outcome.is_none());
    let filed = post.daemon.client().unmatched().await.unwrap().messages;
    // What is the same is filed once.
    assert!(filed.len() >= 20, "{}", filed.len());
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_mail_with_the_token_is_read_as_well_as_it_can_be_and_fills_nothing_wrong() {
    let post = Post::start().await;
    let (need, question) = post.ask("landlord@example.com").await;
    let reply_to = inbound::parse(&question.raw).unwrap().reply_to.unwrap();
    let head = format!("From: landlord@example.com\r\nTo: {}\r\n", reply_to.address);
    for (name, mail) in hostile(&head) {
        // The one that holds an answer, below more levels than anybody looks through.
        let answer = post.hand_in(mail).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::ACCEPTED, "{name}");
    }
    post.daemon.pass(SignedDuration::from_hours(1)).await;
    assert!(need.view().await.unwrap().outcome.is_none());
    // Nobody can tell what it all meant, so an operator looks at it.
    let conversation = post.daemon.conversation(&need).await;
    assert!(!conversation.holds.is_empty());
    assert_eq!(conversation.unread, 0);
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_key_opens_nothing() {
    let post = Post::start().await;
    let good = registration("/goal", Some(json!("x"))).to_string();
    let needs = format!("{}/v1/needs", post.daemon.url());
    let register = || {
        let request = post.http.post(&needs).body(good.clone());
        request.header(header::CONTENT_TYPE, "application/json")
    };
    for request in [
        register(),
        register().bearer_auth("lia_wrong"),
        register().bearer_auth("\u{e9}"),
        register().basic_auth("x", Some(post.daemon.key())),
    ] {
        let problem = problem(request, 401).await;
        assert_eq!(problem.name(), "unauthorized");
    }
    let refused = problem(register().bearer_auth(&post.key), 403).await;
    assert!(refused.detail.contains("scope"), "{refused}");
    let caller = post.daemon.mint(Scope::Caller).await;
    let conversations = format!("{}/v1/conversations", post.daemon.url());
    problem(post.http.get(conversations).bearer_auth(caller), 403).await;
    assert_eq!(
        post.daemon.client().needs(None, 10).await.unwrap().needs,
        []
    );
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_idempotency_key_is_one_need_and_refuses_another_body() {
    let post = Post::start().await;
    let register = |goal: &str| {
        let body = registration("/goal", Some(json!(goal))).to_string();
        post.register(body)
            .header("Idempotency-Key", "inspection-42")
    };
    let first = register("Decide").send().await.unwrap();
    assert_eq!(first.status(), StatusCode::CREATED);
    let first: Value = first.json().await.unwrap();
    let second = register("Decide").send().await.unwrap();
    assert_eq!(second.status(), StatusCode::OK);
    let second: Value = second.json().await.unwrap();
    assert_eq!(first["id"], second["id"]);
    let other = problem(register("Decide otherwise"), 422).await;
    assert_eq!(other.name(), "idempotency-key-reused");
    assert_eq!(
        post.daemon
            .client()
            .needs(None, 10)
            .await
            .unwrap()
            .needs
            .len(),
        1
    );

    // Whatever was repeated, it is asked once.
    post.daemon.pass(GATHER).await;
    assert_eq!(post.sink.taken(), 1);
    let client = post.daemon.client();
    let twice = [
        inspection(client, "a@example.com")
            .register()
            .await
            .unwrap(),
        inspection(client, "a@example.com")
            .register()
            .await
            .unwrap(),
    ];
    assert_eq!(twice[0].id(), twice[1].id());
    post.still_works("after@example.com").await;
    post.daemon.stop().await;
}

//! The binary, by its command line: what it prints when all is well, and what it says when not.

use crate::{
    harness::{BOUND, POLICY, Told, binary, liaison, write_configuration},
    mail_servers_kit::{Servers, Wiring, with_servers},
};
use liaison_channels::email::Sink;
use serde_json::{Value, json};
use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Stdio,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStderr},
};

const NOTHING: [(&str, &str); 0] = [];

/// A folder with a configuration.
struct Setup {
    folder: TempDir,
}

impl Setup {
    fn new(tenant: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_configuration(&folder.path().join("liaison.toml"), "127.0.0.1:0", tenant);
        Self { folder }
    }

    /// One whose mail goes to `port`, and whose mailbox nobody reads.
    fn with_smtp(port: u16) -> Self {
        Self::new(&format!(
            "[tenants.default.email]\naddress = \"office@agency.example\"\n\n\
             [tenants.default.email.smtp]\nhost = \"127.0.0.1\"\nport = {port}\nsecurity = \"plain\"\n{POLICY}"
        ))
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("liaison.toml")
    }

    /// Runs a command that works on the configuration.
    async fn run(&self, arguments: &[&str]) -> Told {
        self.run_with(arguments, &NOTHING).await
    }

    async fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Told {
        let file = self.file();
        let config = ["--config", file.to_str().unwrap()];
        let (command, rest) = arguments.split_first().unwrap();
        let arguments = [&[*command], &config[..], rest].concat();
        liaison(&arguments, environment.iter().copied()).await
    }
}

/// A daemon that runs as a process of its own.
struct Process {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    url: String,
}

impl Process {
    /// Starts it; returns once it is ready.
    async fn serve(config: &Path) -> Self {
        let mut child = binary()
            .arg("serve")
            .arg("--config")
            .arg(config)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = async {
            while let Some(line) = log.next_line().await.unwrap() {
                if line.contains("liaison is ready") {
                    // The rest may be coloured.
                    let at = line.find("127.0.0.1:").unwrap();
                    let port = line[at..].split(|c: char| !c.is_ascii_digit() && !":.".contains(c));
                    return format!("http://{}", port.into_iter().next().unwrap());
                }
            }
            panic!("the daemon ended before it was ready");
        };
        let url = tokio::time::timeout(BOUND, ready).await.unwrap();
        Self { child, log, url }
    }

    /// Tells it to stop, as a service manager does, and waits for its end.
    async fn stop(mut self) {
        let id = self.child.id().unwrap().to_string();
        // Every shell has it built in; as a program it is not everywhere.
        let kill = tokio::process::Command::new("sh")
            .args(["-c", "kill -TERM \"$0\"", &id])
            .status();
        assert!(kill.await.unwrap().success());
        let ending = async {
            let mut last = String::new();
            while let Some(line) = self.log.next_line().await.unwrap() {
                last = line;
            }
            assert!(last.contains("liaison has stopped"), "{last}");
            self.child.wait().await.unwrap()
        };
        let status = tokio::time::timeout(BOUND, ending).await.unwrap();
        assert!(status.success(), "{status}");
    }
}

/// Runs a command against a daemon.
async fn ask(url: &str, key: &str, arguments: &[&str]) -> Told {
    liaison(arguments, [("LIAISON_URL", url), ("LIAISON_KEY", key)]).await
}

fn one_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A port of loopback on which nobody listens.
async fn closed_port() -> u16 {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn a_configuration_that_cannot_be_used_is_refused_with_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("liaison.toml");
    let path = file.to_str().unwrap();
    let smtp =
        "[tenants.default.email.smtp]\nhost = \"127.0.0.1\"\nport = 2525\nsecurity = \"plain\"\n";
    let mail = format!("[tenants.default.email]\naddress = \"office@agency.example\"\n{smtp}");
    let cases = [
        (None, vec!["liaison.toml"]),
        (Some("[store\n".to_owned()), vec!["liaison.toml"]),
        (Some(String::new()), vec!["no tenant", "[tenants.default]"]),
        (
            Some("[tenants.default]\n".to_owned()),
            vec!["tenants.default.email", "missing"],
        ),
        (Some(format!("[stroe]\nurl = \"x\"\n{mail}")), vec!["stroe"]),
        (
            Some(format!("[store]\nurl = \"mysql://x\"\n{mail}")),
            vec!["store.url", "sqlite:"],
        ),
        (
            Some(format!("[engine]\ndeliveries = 0\n{mail}")),
            vec!["engine.deliveries", "1 to 200"],
        ),
        (
            Some(format!("[http]\nlisten = \"here\"\n{mail}")),
            vec!["http.listen"],
        ),
        (
            Some(mail.replace("2525", "\"smtp\"")),
            vec!["tenants.default.email.smtp.port"],
        ),
        (
            Some(mail.replace("office@", "office ")),
            vec!["tenants.default.email.address"],
        ),
        (
            Some(format!(
                "{mail}[tenants.default.policy]\ngather = \"soon\"\n"
            )),
            vec!["tenants.default.policy.gather", "90s"],
        ),
        (
            Some(format!("{mail}[tenants.default.policy]\nweekly_cap = 0\n")),
            vec!["weekly_cap", "1 or more"],
        ),
    ];
    for (text, said) in cases {
        if let Some(text) = &text {
            std::fs::write(&file, text).unwrap();
        }
        for command in ["serve", "migrate", "doctor"] {
            let told = liaison(&[command, "--config", path], NOTHING)
                .await
                .failure();
            for word in &said {
                assert!(
                    told.contains(word),
                    "{command} with {text:?} says no {word:?}: {told}"
                );
            }
        }
    }
}

#[tokio::test]
async fn doctor_says_what_is_missing_until_nothing_is() {
    let setup = Setup::with_smtp(closed_port().await);
    let told = setup.run(&["doctor"]).await.failure();
    assert!(
        told.contains("FAIL  store") && told.contains("liaison migrate"),
        "{told}"
    );
    assert!(
        told.contains("FAIL  tenant default, SMTP 127.0.0.1:"),
        "{told}"
    );
    assert!(told.contains("ok    model"), "{told}");

    setup.run(&["migrate"]).await.fine();
    setup.run(&["migrate"]).await.fine();
    let told = setup.run(&["doctor"]).await.failure();
    assert!(told.contains("ok    store"), "{told}");
    assert!(told.contains("1 of these"), "{told}");

    let sink = Sink::start((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = sink.address().port().to_string();
    let variable = "LIAISON__TENANTS__DEFAULT__EMAIL__SMTP__PORT";
    let told = setup
        .run_with(&["doctor"], &[(variable, &port)])
        .await
        .fine();
    assert!(!told.contains("FAIL"), "{told}");
    assert_eq!(sink.taken(), 0, "a check sends nothing");
}

#[tokio::test]
async fn keys_are_made_listed_and_revoked() {
    let setup = Setup::with_smtp(closed_port().await);
    let make = ["key", "create", "--scope", "operator", "--name", "me"];
    let key = setup.run(&make).await.fine();
    assert!(key.trim().starts_with("lia_"), "{key}");
    let list = setup.run(&["key", "list"]).await.fine();
    assert!(
        list.contains("me") && list.contains("valid") && !list.contains(key.trim()),
        "{list}"
    );

    let daemon = Process::serve(&setup.file()).await;
    ask(&daemon.url, key.trim(), &["conversation", "list"])
        .await
        .fine();
    let id = list.split_whitespace().next().unwrap();
    setup.run(&["key", "revoke", id]).await.fine();
    let told = ask(&daemon.url, key.trim(), &["conversation", "list"])
        .await
        .failure();
    assert!(told.contains("revoked"), "{told}");
    daemon.stop().await;
    assert!(setup.run(&["key", "list"]).await.fine().contains("revoked"));

    let told = setup.run(&["key", "revoke", "nobody"]).await.failure();
    assert!(
        told.contains("no key nobody") && told.contains("key list"),
        "{told}"
    );
    let other = ["key", "create", "--tenant", "other", "--name", "me"];
    let told = setup.run(&other).await.failure();
    assert!(
        told.contains("\"other\"") && told.contains("default"),
        "{told}"
    );
}

#[tokio::test]
async fn a_store_has_one_daemon_at_a_time() {
    let setup = Setup::with_smtp(closed_port().await);
    let daemon = Process::serve(&setup.file()).await;
    let told = setup.run(&["serve"]).await.failure();
    assert!(told.contains("another liaison works on"), "{told}");
    assert!(told.contains("liaison.db"), "{told}");
    daemon.stop().await;
    // Once it has gone, the next one may.
    Process::serve(&setup.file()).await.stop().await;
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let taken = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let setup = Setup::with_smtp(closed_port().await);
    let told = setup
        .run_with(&["serve"], &[("LIAISON__HTTP__LISTEN", &address)])
        .await
        .failure();
    assert!(
        told.contains("http.listen") && told.contains(&address),
        "{told}"
    );
}

#[tokio::test]
async fn needs_are_registered_shown_listed_waited_for_and_cancelled() {
    let sink = Sink::start((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let setup = Setup::with_smtp(sink.address().port());
    let make = ["key", "create", "--scope", "operator", "--name", "me"];
    let key = setup.run(&make).await.fine();
    let daemon = Process::serve(&setup.file()).await;
    let run = async |arguments: &[&str]| ask(&daemon.url, key.trim(), arguments).await;

    let request = setup.folder.path().join("need.json");
    let path = request.to_str().unwrap();
    let need = json!({
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
    std::fs::write(&request, need.to_string()).unwrap();
    let shown = run(&["need", "register", path]).await.fine();
    assert!(shown.contains("status        open"), "{shown}");
    let again = run(&["need", "--json", "register", path]).await.fine();
    let view = one_json(&again);
    let id = view["id"].as_str().unwrap().to_owned();
    assert!(
        shown.contains(&id),
        "the same file is the same need: {shown} {again}"
    );
    let conversation = view["conversation"].as_str().unwrap();

    assert!(
        run(&["need", "show", &id])
            .await
            .fine()
            .contains("arrange the inspection")
    );
    let list = run(&["need", "list"]).await.fine();
    assert_eq!(
        list.lines().filter(|line| line.contains(&id)).count(),
        1,
        "{list}"
    );
    let told = run(&["need", "wait", &id, "--seconds", "0"])
        .await
        .failure();
    assert!(told.contains(&id), "{told}");

    let list = run(&["conversation", "list"]).await.fine();
    assert!(
        list.contains(conversation) && list.contains("1 open"),
        "{list}"
    );
    let shown = run(&["conversation", "show", conversation]).await.fine();
    assert!(
        shown.contains("landlord@example.com") && shown.contains("arranged_by"),
        "{shown}"
    );
    let explained = run(&["conversation", "explain", conversation]).await.fine();
    assert!(
        explained.contains("=>") || explained.contains("next look"),
        "{explained}"
    );
    assert!(explained.contains("apply_need_operations"), "{explained}");

    let planned = run(&["conversation", "plan", conversation]).await.fine();
    assert!(planned.contains("If nobody writes"), "{planned}");
    let amendment = setup.folder.path().join("amendment.json");
    std::fs::write(&amendment, json!({"deadline": "30d"}).to_string()).unwrap();
    let amendment = amendment.to_str().unwrap();
    let amended = run(&["need", "--json", "amend", &id, amendment])
        .await
        .fine();
    assert_ne!(
        one_json(&amended)["deadline"],
        view["deadline"],
        "{amended}"
    );

    // By hand from beginning to end.
    let hold = [
        "conversation",
        "hold",
        conversation,
        "the owner is ill",
        "--by",
        "Ana",
    ];
    run(&hold).await.fine();
    run(&["conversation", "takeover", conversation, "--by", "Ana"])
        .await
        .fine();
    run(&["conversation", "handback", conversation])
        .await
        .fine();
    let held = async {
        loop {
            let held = run(&["conversation", "list", "--held"]).await.fine();
            if held.contains(conversation) {
                return run(&["conversation", "show", conversation]).await.fine();
            }
        }
    };
    let held = tokio::time::timeout(BOUND, held).await.unwrap();
    assert!(
        held.contains("Ana asked for it: the owner is ill"),
        "{held}"
    );
    let shown = run(&["conversation", "--json", "show", conversation])
        .await
        .fine();
    let slot = one_json(&shown)["slots"][0]["slot"]
        .as_str()
        .unwrap()
        .to_owned();
    let fill = [
        "conversation",
        "fill",
        conversation,
        &slot,
        "agency",
        "--note",
        "by phone",
    ];
    run(&fill).await.fine();
    let outcome = run(&["need", "wait", &id, "--seconds", "60"]).await.fine();
    assert!(outcome.contains("status        fulfilled"), "{outcome}");
    assert!(
        outcome.contains("arranged_by = \"agency\"") && outcome.contains("by phone"),
        "{outcome}"
    );
    assert_eq!(sink.taken(), 0, "nothing was sent while it was held");

    let other = [
        "need",
        "--json",
        "register",
        path,
        "--idempotency-key",
        "another",
    ];
    let other = one_json(&run(&other).await.fine());
    let cancelled = other["id"].as_str().unwrap();
    assert_ne!(cancelled, id);
    // A transcript is a list, or the body that the API takes.
    let said = setup.folder.path().join("said.json");
    let entries = json!([{"at": "2026-01-01T10:00:00Z", "text": "Good morning."}]);
    for written in [entries.clone(), json!({"entries": entries, "by": "Ana"})] {
        std::fs::write(&said, written.to_string()).unwrap();
        let said = said.to_str().unwrap();
        run(&["conversation", "catch-up", conversation, said])
            .await
            .fine();
    }
    run(&["need", "cancel", cancelled]).await.fine();
    let waited = run(&["need", "wait", cancelled, "--seconds", "60"])
        .await
        .fine();
    assert!(waited.contains("cancelled"), "{waited}");
    for command in ["opt-out", "opt-in"] {
        run(&["conversation", command, conversation, "--note", "phoned"])
            .await
            .fine();
    }
    let replayed = setup.run(&["replay", "--all"]).await.fine();
    assert!(replayed.contains("1 replayed, all as stored"), "{replayed}");
    daemon.stop().await;
}

#[tokio::test]
async fn commands_say_why_they_cannot() {
    let setup = Setup::with_smtp(closed_port().await);
    let make = ["key", "create", "--scope", "operator", "--name", "me"];
    let key = setup.run(&make).await.fine();
    let make = ["key", "create", "--scope", "caller", "--name", "workflow"];
    let caller = setup.run(&make).await.fine();
    let daemon = Process::serve(&setup.file()).await;

    let broken = setup.folder.path().join("broken.json");
    std::fs::write(&broken, "{\"goal\":").unwrap();
    let wrong = setup.folder.path().join("wrong.json");
    std::fs::write(
        &wrong,
        json!({"stakeholder": {}, "goal": "x", "deadline": "1d", "slots": [
            {"name": "a", "question": "?", "kind": "choice", "options": []}
        ]})
        .to_string(),
    )
    .unwrap();
    let (broken, wrong) = (broken.to_str().unwrap(), wrong.to_str().unwrap());
    let no_file = setup.folder.path().join("none.json");
    let nobody = "0190b2c3-0000-7000-8000-000000000000";
    let cases: [(&str, &[&str], &[&str]); 13] = [
        (
            &key,
            &["conversation", "hold", nobody, "ill", "--until", "-1h"],
            &["--until", "2026-09-01T12:00:00Z", "15d"],
        ),
        (
            &key,
            &["conversation", "snooze", nobody, "soon"],
            &["<UNTIL>", "2026-09-01T12:00:00Z", "15d"],
        ),
        (
            &key,
            &[
                "conversation",
                "fill",
                nobody,
                "a",
                "b",
                "--note",
                "x",
                "--via",
                "phone",
                "--said-at",
                "yesterday",
            ],
            &["--said-at", "2026-09-01T12:00:00Z"],
        ),
        (
            &key,
            &["conversation", "catch-up", nobody, wrong],
            &["wrong.json", "`at` and `text`", "entries"],
        ),
        (
            &key,
            &["need", "register", no_file.to_str().unwrap()],
            &["none.json", "cannot be read"],
        ),
        (
            &key,
            &["need", "register", broken],
            &["broken.json", "not the description of a need"],
        ),
        (
            &key,
            &["need", "register", wrong],
            &["slots[0].options", "stakeholder.contacts"],
        ),
        (&key, &["need", "show", nobody], &["no need"]),
        (&key, &["need", "cancel", nobody], &["no need"]),
        (
            &key,
            &["conversation", "show", nobody],
            &["no conversation"],
        ),
        (
            &key,
            &["conversation", "answer", nobody, "Yes.", "--resume"],
            &["no conversation"],
        ),
        (&caller, &["conversation", "list"], &["scope operator"]),
        (
            "lia_wrong",
            &["need", "list"],
            &["key is not known", "liaison key create"],
        ),
    ];
    for (key, arguments, said) in cases {
        let told = ask(&daemon.url, key.trim(), arguments).await.failure();
        for word in said {
            assert!(
                told.contains(word),
                "{arguments:?} says no {word:?}: {told}"
            );
        }
    }
    let without = liaison(&["need", "list"], NOTHING).await.failure();
    assert!(without.contains("--key"), "{without}");
    let url = daemon.url.clone();
    daemon.stop().await;
    let told = ask(&url, &key, &["need", "list"]).await.failure();
    assert!(told.contains("cannot be reached"), "{told}");
    let told = ask("ftp://x", &key, &["need", "list"]).await.failure();
    assert!(told.contains("--url") && told.contains("http://"), "{told}");
}

/// Runs `doctor` on a tenant, in a folder of its own with a store.
async fn examined(tenant: &str) -> Told {
    let setup = Setup::new(tenant);
    setup.run(&["migrate"]).await.fine();
    setup.run(&["doctor"]).await
}

#[test]
fn doctor_is_content_with_real_servers() {
    with_servers(async |servers: Servers| {
        for wiring in [Wiring::Plain, Wiring::StartTls, Wiring::Tls] {
            let told = examined(&servers.tenant(wiring, "secret")).await.fine();
            let fine = |what: &str| {
                told.lines()
                    .any(|line| line.starts_with("ok") && line.contains(what))
            };
            assert!(
                fine("store") && fine("SMTP") && fine("IMAP") && fine("model"),
                "{told}"
            );
        }
    });
}

#[test]
fn doctor_knows_a_wrong_password_and_a_wrong_port() {
    with_servers(async |servers: Servers| {
        for wiring in [Wiring::StartTls, Wiring::Tls] {
            let told = examined(&servers.tenant(wiring, "guess")).await.failure();
            for what in ["SMTP", "IMAP"] {
                let line = told
                    .lines()
                    .find(|line| line.starts_with("FAIL") && line.contains(what));
                let line = line.unwrap_or_else(|| panic!("{what} is fine, says {told}"));
                assert!(line.contains("password"), "{line}");
                assert!(!line.contains("guess"), "{line}");
            }
            // The port of the other protocol.
            let told = examined(&servers.crossed().tenant(wiring, "secret"))
                .await
                .failure();
            assert!(told.contains("FAIL  tenant default, SMTP"), "{told}");
            assert!(told.contains("FAIL  tenant default, IMAP"), "{told}");
            assert!(told.contains("port"), "{told}");
        }
    });
}

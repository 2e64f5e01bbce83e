//! The wire between the daemon and the mail server: it sees where a hand-over stands, and holds it
//! there while the daemon is killed.

use super::plan::{Manner, Plan, Stage};
use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinHandle,
};

/// What a slow mail server takes for an answer: a daemon that stops meanwhile has to wait for it.
const SLOW: Duration = Duration::from_millis(300);

/// A relay in front of a mail server.
pub(crate) struct Wire {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    server: SocketAddr,
    plan: Arc<Plan>,
    /// Whether the person has replied: what is sent from then on is thanks.
    replied: AtomicBool,
    open: watch::Sender<usize>,
}

impl Wire {
    pub(crate) async fn lay(server: SocketAddr, plan: Arc<Plan>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            server,
            plan,
            replied: AtomicBool::new(false),
            open: watch::Sender::new(0),
        });
        let kept = shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = kept.clone();
                shared.open.send_modify(|open| *open += 1);
                tokio::spawn(async move {
                    // A connection that breaks off is what this is about.
                    let _ = relay(client, &shared).await;
                    shared.open.send_modify(|open| *open -= 1);
                });
            }
        });
        Ok(Self {
            address,
            shared,
            task,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on what is sent is thanks.
    pub(crate) fn replied(&self) {
        self.shared.replied.store(true, Ordering::SeqCst);
    }

    /// Returns once everything that a dead daemon had sent has arrived, or never will.
    pub(crate) async fn settled(&self) {
        let mut open = self.shared.open.subscribe();
        // The sender lives in `self`.
        let _ = open.wait_for(|open| *open == 0).await;
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    /// The stages of the hand-over that begins now.
    fn stages(&self) -> Stages {
        match self.replied.load(Ordering::SeqCst) {
            true => Stages {
                command: Stage::ThanksCommand,
                body: Stage::ThanksBody,
                dot: Stage::ThanksDot,
                answered: Stage::ThanksAnswered,
            },
            false => Stages {
                command: Stage::AskCommand,
                body: Stage::AskBody,
                dot: Stage::AskDot,
                answered: Stage::AskAnswered,
            },
        }
    }
}

/// The stages of one hand-over.
struct Stages {
    command: Stage,
    body: Stage,
    dot: Stage,
    answered: Stage,
}

async fn relay(client: TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_nodelay(true)?;
    let server = TcpStream::connect(shared.server).await?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    Ends {
        from_client: BufReader::new(from_client),
        to_client,
        from_server: BufReader::new(from_server),
        to_server,
    }
    .run(shared)
    .await
}

struct Ends {
    from_client: BufReader<OwnedReadHalf>,
    to_client: OwnedWriteHalf,
    from_server: BufReader<OwnedReadHalf>,
    to_server: OwnedWriteHalf,
}

impl Ends {
    async fn run(mut self, shared: &Shared) -> io::Result<()> {
        let greeting = self.answer().await?;
        self.to_client.write_all(&greeting).await?;
        loop {
            let line = self.line().await?;
            let is_data = line.eq_ignore_ascii_case(b"DATA\r\n");
            let stages = shared.stages();
            if is_data && let Some(kill) = shared.plan.reached(stages.command) {
                match kill.manner {
                    Manner::Kill { .. } => return self.until_the_client_is_gone().await,
                    Manner::Stop => tokio::time::sleep(SLOW).await,
                }
            }
            self.to_server.write_all(&line).await?;
            let answer = self.answer().await?;
            self.to_client.write_all(&answer).await?;
            if is_data && answer.starts_with(b"354") {
                // The kill, if there is one, comes while the daemon goes on.
                let _ = shared.plan.reached(stages.body);
                self.message(&shared.plan, &stages).await?;
            }
        }
    }

    async fn message(&mut self, plan: &Plan, stages: &Stages) -> io::Result<()> {
        let mut message = Vec::new();
        loop {
            let line = self.line().await?;
            message.extend_from_slice(&line);
            if line == b".\r\n" {
                break;
            }
        }
        if let Some(kill) = plan.reached(stages.dot) {
            match kill.manner {
                Manner::Kill { arrives } => {
                    self.until_the_client_is_gone().await?;
                    if arrives {
                        self.to_server.write_all(&message).await?;
                        self.answer().await?;
                    }
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                Manner::Stop => tokio::time::sleep(SLOW).await,
            }
        }
        self.to_server.write_all(&message).await?;
        let answer = self.answer().await?;
        self.to_client.write_all(&answer).await?;
        let _ = plan.reached(stages.answered);
        Ok(())
    }

    /// A whole line of the client's; an error when it is gone.
    async fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.from_client.read_until(b'\n', &mut line).await?;
        match line.last() {
            Some(b'\n') => Ok(line),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// A whole answer of the server's, of one line or several.
    async fn answer(&mut self) -> io::Result<Vec<u8>> {
        let mut answer = Vec::new();
        loop {
            let start = answer.len();
            self.from_server.read_until(b'\n', &mut answer).await?;
            if answer.last() != Some(&b'\n') {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if answer.get(start + 3) != Some(&b'-') {
                return Ok(answer);
            }
        }
    }

    async fn until_the_client_is_gone(&mut self) -> io::Result<()> {
        let mut rest = [0; 1024];
        // Reading fails where a killed process left something unread; it is gone then too.
        while self.from_client.read(&mut rest).await.is_ok_and(|n| n > 0) {}
        Ok(())
    }
}

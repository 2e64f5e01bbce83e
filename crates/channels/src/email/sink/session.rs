//! One connection to the sink.

use super::{
    Shared,
    fault::{Action, Step},
};
use std::{io, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::{sleep, timeout},
};

/// Bytes of a command line; RFC 5321, section 4.5.3.1.4 asks for 512, AUTH needs more (RFC 4954,
/// section 4).
const MOST_LINE: usize = 12_288;
/// Bytes of a message; what large providers take.
const MOST_MESSAGE: usize = 50 * 1024 * 1024;
/// Recipients of a message; RFC 5321, section 4.5.3.1.8 asks for 100.
const MOST_RECIPIENTS: usize = 100;
/// How long a client may be quiet (RFC 5321, section 4.5.3.2.7).
const IDLE: Duration = Duration::from_secs(300);

/// Serves a client until it quits or breaks off.
pub(super) async fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut session = Session {
        stream: BufReader::new(stream),
        shared,
        envelope: None,
    };
    if session
        .answer(Step::Greeting, "220 sink.localhost ESMTP")
        .await?
        == Flow::End
    {
        return Ok(());
    }
    while let Some(line) = session.line().await? {
        if session.command(&line).await? == Flow::End {
            return Ok(());
        }
    }
    Ok(())
}

struct Session<'a> {
    stream: BufReader<TcpStream>,
    shared: &'a Shared,
    envelope: Option<Envelope>,
}

struct Envelope {
    from: String,
    to: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    /// The server said no by a script: the command has no effect.
    Refused,
    End,
}

impl Session<'_> {
    async fn command(&mut self, line: &str) -> io::Result<Flow> {
        let upper = line.to_ascii_uppercase();
        let verb = upper.split([' ', ':']).next().unwrap_or_default();
        match verb {
            "EHLO" | "HELO" => {
                self.envelope = None;
                let offer = if self.shared.config.offer_auth {
                    "250-sink.localhost\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-AUTH PLAIN LOGIN\r\n\
                     250 SIZE 52428800"
                } else {
                    "250-sink.localhost\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 52428800"
                };
                self.answer(Step::Hello, offer).await
            }
            "AUTH" => self.auth(&upper).await,
            "MAIL" => self.mail(line).await,
            "RCPT" => self.recipient(line).await,
            "DATA" => self.data().await,
            "RSET" => {
                self.envelope = None;
                self.write("250 reset").await
            }
            "NOOP" => self.write("250 still here").await,
            "QUIT" => {
                self.write("221 goodbye").await?;
                Ok(Flow::End)
            }
            _ => self.write("500 unknown command").await,
        }
    }

    async fn auth(&mut self, line: &str) -> io::Result<Flow> {
        if !self.shared.config.offer_auth {
            return self.write("502 not offered").await;
        }
        if line.starts_with("AUTH LOGIN") {
            // "Username:" and "Password:"
            for prompt in ["334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6"] {
                self.write(prompt).await?;
                if self.line().await?.is_none() {
                    return Ok(Flow::End);
                }
            }
        }
        self.answer(Step::Auth, "235 welcome").await
    }

    async fn mail(&mut self, line: &str) -> io::Result<Flow> {
        let Some(from) = path(line, "MAIL FROM:") else {
            return self.write("501 MAIL FROM:<address>").await;
        };
        let flow = self.answer(Step::Mail, "250 sender accepted").await?;
        if flow == Flow::GoOn {
            self.envelope = Some(Envelope {
                from,
                to: Vec::new(),
            });
        }
        Ok(flow)
    }

    async fn recipient(&mut self, line: &str) -> io::Result<Flow> {
        let Some(to) = path(line, "RCPT TO:").filter(|to| !to.is_empty()) else {
            return self.write("501 RCPT TO:<address>").await;
        };
        match &self.envelope {
            None => return self.write("503 MAIL comes first").await,
            Some(envelope) if envelope.to.len() >= MOST_RECIPIENTS => {
                return self.write("452 too many recipients").await;
            }
            Some(_) => {}
        }
        let flow = self
            .answer(Step::Recipient, "250 recipient accepted")
            .await?;
        if flow == Flow::GoOn
            && let Some(envelope) = &mut self.envelope
        {
            envelope.to.push(to);
        }
        Ok(flow)
    }

    async fn data(&mut self) -> io::Result<Flow> {
        let Some(envelope) = self.envelope.take_if(|envelope| !envelope.to.is_empty()) else {
            return self.write("503 RCPT comes first").await;
        };
        let flow = self.answer(Step::Data, "354 end with a dot").await?;
        if flow != Flow::GoOn {
            return Ok(flow);
        }
        let before = self.shared.script.next(Step::Message);
        match &before {
            Some(Action::Close) => return Ok(Flow::End),
            Some(Action::Hang) => return hang().await,
            Some(Action::Wait(how_long) | Action::Drip(how_long)) => sleep(*how_long).await,
            Some(Action::Answer(_)) | None => {}
        }
        let Some(raw) = self.message().await? else {
            self.write("552 message too big").await?;
            return Ok(Flow::End);
        };
        if let Some(Action::Answer(line)) = before {
            return self.write(&line).await;
        }
        match self.shared.script.next(Step::FinalDot) {
            Some(Action::Close) => return Ok(Flow::End),
            Some(Action::Hang) => return hang().await,
            Some(Action::Wait(how_long) | Action::Drip(how_long)) => sleep(how_long).await,
            Some(Action::Answer(line)) => return self.write(&line).await,
            None => {}
        }
        let kept = self.shared.store.add(envelope.from, envelope.to, raw);
        if let Err(error) = kept.await {
            tracing::warn!(%error, "the mail sink could not record a message");
            return self.write("451 cannot record the message").await;
        }
        self.answer(Step::Kept, "250 kept").await
    }

    /// Reads a message up to the final dot, doubled dots undone; `None` when it is too big.
    ///
    /// Only CRLF ends a line. A server that takes a bare LF for one can be smuggled messages.
    async fn message(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut raw = Vec::new();
        loop {
            let start = raw.len();
            while !raw[start..].ends_with(b"\r\n") {
                let room = (MOST_MESSAGE - raw.len().min(MOST_MESSAGE)) as u64;
                if room == 0 {
                    return Ok(None);
                }
                let mut limited = (&mut self.stream).take(room);
                let read = timeout(IDLE, limited.read_until(b'\n', &mut raw)).await??;
                if read == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            if raw[start..] == *b".\r\n" {
                raw.truncate(start);
                return Ok(Some(raw));
            }
            if raw[start] == b'.' {
                raw.remove(start);
            }
        }
    }

    /// A command line without its end; `None` at the end of the stream.
    async fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut limited = (&mut self.stream).take(MOST_LINE as u64);
        timeout(IDLE, limited.read_until(b'\n', &mut line)).await??;
        if line.is_empty() {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(io::Error::other("a command line too long or cut off"));
        }
        Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
    }

    /// Answers as usual, unless the script has another idea.
    async fn answer(&mut self, step: Step, usual: &str) -> io::Result<Flow> {
        match self.shared.script.next(step) {
            None => self.write(usual).await,
            Some(Action::Answer(line)) => {
                self.write(&line).await?;
                Ok(if line.starts_with("421") {
                    Flow::End
                } else {
                    Flow::Refused
                })
            }
            Some(Action::Close) => Ok(Flow::End),
            Some(Action::Hang) => hang().await,
            Some(Action::Wait(how_long)) => {
                sleep(how_long).await;
                self.write(usual).await
            }
            Some(Action::Drip(how_long)) => {
                for byte in format!("{usual}\r\n").bytes() {
                    sleep(how_long).await;
                    self.stream.write_all(&[byte]).await?;
                }
                Ok(Flow::GoOn)
            }
        }
    }

    async fn write(&mut self, line: &str) -> io::Result<Flow> {
        let line = format!("{line}\r\n");
        self.stream.write_all(line.as_bytes()).await?;
        Ok(Flow::GoOn)
    }
}

async fn hang() -> io::Result<Flow> {
    std::future::pending().await
}

/// The address in `MAIL FROM:<address> PARAMETERS`.
fn path(line: &str, command: &str) -> Option<String> {
    let given = line.get(..command.len())?;
    if !given.eq_ignore_ascii_case(command) {
        return None;
    }
    let rest = line[command.len()..].trim_start().strip_prefix('<')?;
    let (address, _parameters) = rest.split_once('>')?;
    Some(address.to_owned())
}

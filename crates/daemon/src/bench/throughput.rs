//! Needs settled through the whole daemon: HTTP, SQLite, SMTP, HTTP, long poll.

use super::{
    drive::Daemon,
    office,
    process::{Stopwatch, cpu_time},
    report::Run,
};
use crate::running::{Environment, Running};
use anyhow::{Context, Result, bail};
use liaison_core::id::TenantId;
use liaison_ports::store::Scope;
use std::{net::SocketAddr, path::Path, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
};

/// Everybody but what is measured, in a process of their own, so that the CPU time of this one is
/// that of what is measured alone.
pub(super) struct Others {
    process: Child,
    /// Their mail server.
    pub(super) smtp: SocketAddr,
}

impl Others {
    /// Starts them; they wait to be told where to register.
    pub(super) async fn start(needs: u32, concurrency: u32) -> Result<Self> {
        let program = std::env::current_exe().context("this program's own path")?;
        let mut process = Command::new(program)
            .args(["bench", "--drive"])
            .args(["--needs", &needs.to_string()])
            .args(["--concurrency", &concurrency.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the other side did not start")?;
        let stdout = process.stdout.take().context("it has no standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).await?;
        let port: u16 = line
            .trim()
            .parse()
            .context("the other side's mail server")?;
        Ok(Self {
            process,
            smtp: SocketAddr::from(([127, 0, 0, 1], port)),
        })
    }

    /// Lets them do all their needs; the seconds that it took, and this process's CPU time.
    pub(super) async fn run(mut self, daemon: &Daemon) -> Result<(f64, Duration)> {
        let mut stdin = self.process.stdin.take();
        let stdin = stdin.as_mut().context("it has no standard input")?;
        let daemon = format!("{}\n", serde_json::to_string(daemon)?);
        let cpu = cpu_time()?;
        let watch = Stopwatch::start();
        stdin.write_all(daemon.as_bytes()).await?;
        let ended = self.process.wait().await?;
        let seconds = watch.elapsed().as_secs_f64();
        let cpu = cpu_time()?.saturating_sub(cpu);
        if !ended.success() {
            bail!("not every need settled as it should");
        }
        Ok((seconds, cpu))
    }
}

/// The daemon, in this process.
pub(super) async fn measure(
    folder: &Path,
    needs: u32,
    concurrency: u32,
    environment: Environment,
) -> Result<Run> {
    let others = Others::start(needs, concurrency).await?;
    let config = office::configuration(&folder.join("daemon.db"), others.smtp)?;
    let running = Running::start(&config, environment.clone()).await?;
    let (key, row) = liaison_server::mint_key(
        environment.entropy.draw(),
        TenantId::new(office::TENANT),
        "bench",
        Scope::Operator,
        environment.clock.now(),
    );
    running.store().add_key(row).await?;
    let daemon = Daemon {
        url: running.url(),
        key,
    };
    let commits = running.commits();
    let (seconds, cpu) = others.run(&daemon).await?;
    let commits = running.commits() - commits;
    running.stop().await;
    Ok(Run::of(needs, seconds, cpu, commits))
}

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
use liaison_ports::store::{Scope, Store};
use std::{net::SocketAddr, path::Path, process::Stdio};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::Command,
};

/// Runs the daemon in this process and everybody else in another, so that the CPU time of this one
/// is the daemon's alone.
pub(super) async fn measure(
    folder: &Path,
    needs: u32,
    concurrency: u32,
    environment: Environment,
) -> Result<Run> {
    let program = std::env::current_exe().context("this program's own path")?;
    let mut others = Command::new(program)
        .args(["bench", "--drive"])
        .args(["--needs", &needs.to_string()])
        .args(["--concurrency", &concurrency.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the other side did not start")?;
    let stdout = others.stdout.take().context("it has no standard output")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).await?;
    let port: u16 = line
        .trim()
        .parse()
        .context("the other side's mail server")?;

    let smtp = SocketAddr::from(([127, 0, 0, 1], port));
    let config = office::configuration(&folder.join("daemon.db"), smtp)?;
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

    let commits = running.store().commits();
    let cpu = cpu_time()?;
    let watch = Stopwatch::start();
    let mut stdin = others.stdin.take().context("it has no standard input")?;
    stdin
        .write_all(format!("{}\n", serde_json::to_string(&daemon)?).as_bytes())
        .await?;
    let ended = others.wait().await?;
    let seconds = watch.elapsed().as_secs_f64();
    let cpu = cpu_time()?.saturating_sub(cpu);
    let commits = running.store().commits() - commits;
    running.stop().await;
    if !ended.success() {
        bail!("not every need settled as it should");
    }
    let needs = f64::from(needs);
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    Ok(Run {
        needs_per_second: needs / seconds,
        cpu_ms: cpu.as_secs_f64() * 1_000.0 / needs,
        commits: commits as f64 / needs,
    })
}

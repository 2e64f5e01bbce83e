//! `liaison bench`: what the daemon does on this machine, beside what the machine can do.
//!
//! Everything is measured side by side in one run, because a disk or a neighbour is never the same
//! twice: compare the ratios, not the seconds.

mod by_hand;
mod drive;
mod limits;
mod office;
mod process;
mod report;
mod throughput;
mod waiting;

use crate::running::Environment;
use anyhow::{Context, Result};
use clap::Args;
use report::Report;
use std::path::PathBuf;

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Needs that are asked, answered and settled.
    #[arg(long, default_value_t = 5_000)]
    needs: u32,
    /// Needs that are under way at the same time.
    #[arg(long, default_value_t = 128)]
    concurrency: u32,
    /// Conversations that wait, for memory and restart; 0 leaves that part out.
    #[arg(long, default_value_t = 100_000)]
    waiting: u32,
    /// The folder for its databases: the disk that is measured.
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// Also write the figures to this file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Be the other side of a measurement; for the benchmark's own use.
    #[arg(long, hide = true)]
    drive: bool,
}

/// Measures, and prints a table.
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
pub(crate) async fn run(options: Options, environment: Environment) -> Result<()> {
    if options.drive {
        return drive::run(options.needs, options.concurrency).await;
    }
    let folder = tempfile::Builder::new()
        .prefix("liaison-bench-")
        .tempdir_in(&options.folder)
        .with_context(|| format!("--folder: {} cannot be used", options.folder.display()))?;
    let mut report = Report::default();

    eprint("durable commits");
    report.commits_per_second = limits::commits_per_second(folder.path()).await?;
    eprint("the loop written by hand");
    report.by_hand = by_hand::alone(folder.path(), options.needs, options.concurrency).await?;
    eprint("the same over HTTP and SMTP");
    report.by_hand_over_the_wires = by_hand::over_the_wires(
        folder.path(),
        options.needs,
        options.concurrency,
        environment.clock.clone(),
    )
    .await?;
    eprint("the daemon");
    report.daemon = throughput::measure(
        folder.path(),
        options.needs,
        options.concurrency,
        environment.clone(),
    )
    .await?;
    if options.waiting > 0 {
        eprint("conversations that wait");
        report.waiting = Some(waiting::measure(folder.path(), options.waiting, environment).await?);
    }
    println!("{report}");
    if let Some(path) = options.json {
        std::fs::write(&path, serde_json::to_string_pretty(&report)?)
            .with_context(|| format!("--json: {} cannot be written", path.display()))?;
    }
    Ok(())
}

#[expect(
    clippy::print_stderr,
    reason = "a run takes minutes; this says how far it is"
)]
fn eprint(part: &str) {
    eprintln!("measuring: {part}");
}

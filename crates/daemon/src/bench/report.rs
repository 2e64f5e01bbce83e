//! The figures, as a table and as JSON.

use serde::Serialize;
use std::{fmt, time::Duration};

/// Everything that was measured.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Report {
    /// One-row commits with `synchronous=FULL`, one after the other.
    pub commits_per_second: f64,
    /// The least that register, ask, reply and settle can cost in this program.
    pub by_hand: Run,
    /// The same with the daemon's ways in and out: HTTP, SMTP and mail in MIME.
    pub by_hand_over_the_wires: Run,
    /// The whole daemon.
    pub daemon: Run,
    /// With conversations that wait.
    pub waiting: Option<Waiting>,
}

/// A run of needs, from registering to settled.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Run {
    /// Needs settled each second.
    pub needs_per_second: f64,
    /// Milliseconds of CPU for each, in the process that is measured.
    pub cpu_ms: f64,
    /// Durable commits for each.
    pub commits: f64,
}

impl Run {
    pub(super) fn of(needs: u32, seconds: f64, cpu: Duration, commits: u64) -> Self {
        let needs = f64::from(needs);
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        Self {
            needs_per_second: needs / seconds,
            cpu_ms: cpu.as_secs_f64() * 1_000.0 / needs,
            commits: commits as f64 / needs,
        }
    }
}

/// A daemon with conversations that wait.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Waiting {
    /// How many.
    pub conversations: u32,
    /// Its resident memory, in MiB, a moment after it became ready.
    pub resident_mib: f64,
    /// Seconds from kill -9 to ready.
    pub ready_after_kill: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beside = |run: &Run| self.daemon.needs_per_second / run.needs_per_second;
        let row = |name: &str, run: &Run| {
            format!(
                "| {name:<34} | {:>12.0} | {:>11.2} | {:>12.2} |",
                run.needs_per_second, run.cpu_ms, run.commits
            )
        };
        writeln!(
            f,
            "| what                               | needs settled/s | CPU ms/need | commits/need |"
        )?;
        writeln!(
            f,
            "|------------------------------------|-------------:|------------:|-------------:|"
        )?;
        writeln!(f, "{}", row("written by hand, group commit", &self.by_hand))?;
        let wires = &self.by_hand_over_the_wires;
        writeln!(f, "{}", row("by hand, over HTTP and SMTP", wires))?;
        writeln!(f, "{}", row("the whole daemon, SQLite", &self.daemon))?;
        writeln!(f)?;
        writeln!(
            f,
            "- one-row durable commits, one after the other: {:.0} a second",
            self.commits_per_second
        )?;
        writeln!(
            f,
            "- the daemon at {:.2} of the loop written by hand, and at {:.2} of the same over HTTP and \
             SMTP (aim: at least 0.4)",
            beside(&self.by_hand),
            beside(wires)
        )?;
        if let Some(waiting) = &self.waiting {
            writeln!(
                f,
                "- with {} conversations waiting: {:.1} MiB resident (aim: at most 64)",
                waiting.conversations, waiting.resident_mib
            )?;
            writeln!(
                f,
                "- from kill -9 to ready with them: {:.2} s (aim: at most 2)",
                waiting.ready_after_kill
            )?;
        }
        Ok(())
    }
}

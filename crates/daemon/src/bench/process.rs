//! What the kernel says of a process.

use anyhow::{Context, Result};
use std::time::{Duration, Instant};

/// A stopwatch.
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// CPU time that this process has used, user and system.
pub(super) fn cpu_time() -> Result<Duration> {
    /// Clock ticks in a second, as `/proc` counts them: 100 on every Linux that Rust runs on
    /// (proc(5), `_SC_CLK_TCK`).
    const TICKS: u64 = 100;

    let stat = std::fs::read_to_string("/proc/self/stat").context("/proc/self/stat")?;
    // The name in parentheses may hold anything; the numbers begin after the last one.
    let (_, numbers) = stat
        .rsplit_once(')')
        .context("/proc/self/stat has no name")?;
    let mut fields = numbers.split_whitespace().skip(11);
    let mut next = || -> Result<u64> {
        let field = fields.next().context("/proc/self/stat is short")?;
        field.parse().context("/proc/self/stat holds no number")
    };
    let ticks = next()? + next()?;
    Ok(Duration::from_millis(ticks * 1_000 / TICKS))
}

/// A process's resident memory in MiB.
pub(super) fn resident_mib(process: u32) -> Result<f64> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).with_context(|| path.clone())?;
    let kib: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|value| value.split_whitespace().next())
        .with_context(|| format!("{path} has no VmRSS"))?
        .parse()?;
    Ok(kib / 1024.0)
}

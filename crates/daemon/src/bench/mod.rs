//! `liaison bench`.

use crate::running::Environment;
use anyhow::Result;
use clap::Args;

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Also write the figures to this file, as JSON.
    #[arg(long)]
    json: Option<std::path::PathBuf>,
}

/// Measures.
pub(crate) async fn run(_options: Options, _environment: Environment) -> Result<()> {
    anyhow::bail!("not measured yet")
}

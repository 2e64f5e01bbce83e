//! `liaison serve` and `liaison migrate`.

use crate::{
    config::{Config, LogConfig, LogFormat},
    running::{Environment, Running},
    stores::Purpose,
};
use anyhow::{Context, Result};
use std::io::IsTerminal;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// Runs the daemon until it is told to stop.
pub(crate) async fn serve(config: &Config, environment: Environment) -> Result<()> {
    start_logging(&config.log)?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let running = Running::start(config, environment).await?;
    running
        .until(async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
        .await
}

/// Brings the store's schema up to date.
pub(crate) async fn migrate(config: &Config) -> Result<()> {
    start_logging(&config.log)?;
    let store = config
        .store
        .open(Purpose::Use)
        .await
        .context("the store cannot be migrated")?;
    store.close().await;
    tracing::info!("the schema is up to date");
    Ok(())
}

/// Starts logging to standard error.
pub(crate) fn start_logging(config: &LogConfig) -> Result<()> {
    let filter = EnvFilter::try_new(&config.filter)
        .with_context(|| format!("log.filter: {:?} is no filter", config.filter))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Colours in a file or a service manager's journal are noise.
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = match config.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("logging did not start: {error}"))
}

//! The command line.

use crate::{
    bench,
    config::Config,
    demo, doctor,
    environment::{SystemClock, SystemEntropy},
    keys, operator, replay,
    running::Environment,
    serve, simulate,
};
use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use std::{path::PathBuf, sync::Arc};

/// Gets answers from people, for programs.
#[derive(Debug, Parser)]
#[command(
    name = "liaison",
    version,
    about = "Gets answers from people, for programs.",
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the daemon.
    Serve(Settings),
    /// Bring the store's schema up to date, and end.
    Migrate(Settings),
    /// Check the store, the mail servers and the model, and say what to do about each.
    Doctor(Settings),
    /// Make, list and revoke API keys; works on the store directly.
    Key {
        #[command(flatten)]
        settings: Settings,
        #[command(subcommand)]
        command: keys::Command,
    },
    /// Register, show and cancel needs.
    Need {
        #[command(flatten)]
        server: operator::Server,
        #[command(subcommand)]
        command: operator::need::Command,
    },
    /// List, show and steer conversations.
    Conversation {
        #[command(flatten)]
        server: operator::Server,
        #[command(subcommand)]
        command: operator::conversation::Command,
    },
    /// Show messages that belong to no conversation.
    Unmatched {
        #[command(flatten)]
        server: operator::Server,
    },
    /// Put a message that belongs to no conversation into one.
    Assign {
        #[command(flatten)]
        server: operator::Server,
        #[command(flatten)]
        assignment: operator::Assign,
    },
    /// Show messages of ours that have not gone, or whose fate is unknown.
    Outbox {
        #[command(flatten)]
        server: operator::Server,
    },
    /// Rebuild conversations from their journals and compare them with what is stored; with another
    /// policy, show what would have been decided. Only reads, also beside a running daemon.
    Replay(replay::Options),
    /// Play the landlord: a whole daemon in a temporary directory, with a mailbox to answer from.
    Demo(demo::Options),
    /// Play a scenario of some weeks in seconds, and print what everybody saw.
    Simulate(simulate::Options),
    /// Measure the daemon on this machine.
    Bench(bench::Options),
}

/// Where the configuration is.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// The configuration file. Variables like LIAISON__HTTP__LISTEN override it.
    #[arg(long, env = "LIAISON_CONFIG")]
    config: Option<PathBuf>,
}

impl Settings {
    /// Reads the configuration.
    pub fn load(&self) -> Result<Config> {
        Config::load(self.config.as_deref())
    }
}

impl Cli {
    /// Does what was asked.
    pub fn run(self) -> Result<()> {
        // The one TLS provider; `Err` means that it is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .context("the runtime did not start")?;
        runtime.block_on(self.command.run())
    }
}

impl Command {
    async fn run(self) -> Result<()> {
        let environment = Environment {
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        match self {
            Self::Serve(settings) => serve::serve(&settings.load()?, environment).await,
            Self::Migrate(settings) => serve::migrate(&settings.load()?).await,
            Self::Doctor(settings) => doctor::examine(&settings.load()?).await,
            Self::Key { settings, command } => {
                keys::run(&settings.load()?, command, environment).await
            }
            Self::Need { server, command } => operator::need::run(&server, command).await,
            Self::Conversation { server, command } => {
                operator::conversation::run(&server, command).await
            }
            Self::Unmatched { server } => operator::unmatched(&server).await,
            Self::Assign { server, assignment } => operator::assign(&server, assignment).await,
            Self::Outbox { server } => operator::outbox(&server).await,
            Self::Replay(options) => replay::run(&options, environment.clock.as_ref()).await,
            Self::Demo(options) => demo::run(options, environment).await,
            Self::Simulate(options) => simulate::run(options).await,
            Self::Bench(options) => bench::run(options, environment).await,
        }
    }
}

//! The `liaison` binary.

use clap::Parser;
use liaison_daemon::cli::Cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(
                clippy::print_stderr,
                reason = "the one place where a command says what failed"
            )]
            {
                eprintln!("liaison: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

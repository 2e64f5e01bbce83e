//! The `liaison` binary.

use clap::Parser;
use liaison_daemon::cli::Cli;
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Documents are read and written as JSON all day, in many small pieces, which this allocator hands
/// out in half the time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

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

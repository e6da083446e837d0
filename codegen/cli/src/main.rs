//! The program `genclient`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// mimalloc instead of the system allocator. Syntax trees consist of millions of small allocations,
/// which take a third of a run with the system allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    genclient_cli::run(std::env::args_os())
}

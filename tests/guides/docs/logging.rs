//! Context of docs/logging.md.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

fn log() {
    // block: Logging
}

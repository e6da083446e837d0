//! Runs a control plane until SIGINT or SIGTERM, to try a controller against: prints the path of its kubeconfig.
//!
//! ```console
//! $ export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
//! $ cargo run -p tests
//! ```

use std::io;
use std::process::ExitCode;

use tests::ControlPlane;
use tests::control_plane::StartError;
use tokio::select;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(select! {
        Err(error) = serve() => {
            eprintln!("{}", error.explain());
            ExitCode::FAILURE
        }
        _ = interrupt.recv() => ExitCode::SUCCESS,
        _ = terminate.recv() => ExitCode::SUCCESS,
    })
}

/// Serves until it is dropped.
async fn serve() -> Result<(), StartError> {
    let plane = ControlPlane::start().await?;
    println!("{}", plane.kubeconfig().display());
    eprintln!("logs in {}; Ctrl-C stops it", plane.logs().display());
    std::future::pending().await
}

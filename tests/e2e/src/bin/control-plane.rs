//! A standalone control plane for trying out controllers: runs until SIGINT or SIGTERM, and prints
//! the path of its kubeconfig.
//!
//! ```console
//! $ export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
//! $ cargo run -p e2e --bin control-plane
//! ```

use std::io;
use std::process::ExitCode;

use clap::Parser;
use e2e::suite;
use genclient_envtest::StartError;
use tokio::select;
use tokio::signal::unix::{SignalKind, signal};

/// Runs a Kubernetes API server and etcd on free ports of this host until SIGINT or SIGTERM, and
/// prints the path of its kubeconfig
///
/// KUBEBUILDER_ASSETS names the folder with `etcd` and `kube-apiserver`; `hack/control-plane.sh`
/// builds both and prints it.
#[derive(Parser)]
struct Flags {}

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let Flags {} = Flags::parse();
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

/// Serves until dropped.
async fn serve() -> Result<(), StartError> {
    let plane = suite::start().await?;
    println!("{}", plane.kubeconfig().display());
    eprintln!("logs in {}; Ctrl-C stops it", plane.logs().display());
    std::future::pending().await
}

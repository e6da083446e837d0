//! Other programs as clients of `ApiServer::serve`: kubectl and client-go, each also run against a
//! real kube-apiserver.
//!
//! ```console
//! $ export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
//! $ cargo test -p e2e --test serve
//! $ UPDATE_EXPECT=1 cargo test -p e2e --test serve     # takes what the real one answers
//! ```

mod client_go;
mod kubectl;
mod run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use e2e::ControlPlane;
use e2e::suite::Suite;
use genclient_apiserver::{ApiServer, Serving};
use libtest_mimic::Failed;

/// Definitions that both servers serve.
const DEFINITIONS: &[&str] = &["examples/gputask/config/crd", "tests/serve/definitions"];

fn main() -> ExitCode {
    let mut suite = match Suite::new() {
        Ok(suite) => suite,
        Err(error) => {
            eprintln!("no runtime for the tests: {error}");
            return ExitCode::FAILURE;
        }
    };
    kubectl::tests(&mut suite);
    client_go::tests(&mut suite);
    run::tests(&mut suite);
    suite.run()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An in-process server that other programs can reach.
async fn serve() -> Result<Serving, Failed> {
    let mut builder = ApiServer::builder();
    for folder in DEFINITIONS {
        builder = builder.crd_files(root().join(folder));
    }
    let server = builder.build()?;
    Ok(server.serve(([127, 0, 0, 1], 0)).await?)
}

/// The real server, with the same definitions.
async fn prepare(plane: &ControlPlane) -> Result<(), Failed> {
    for folder in DEFINITIONS {
        for entry in std::fs::read_dir(root().join(folder))? {
            let text = std::fs::read_to_string(entry?.path())?;
            plane.apply_crd(&text).await?;
        }
    }
    Ok(())
}

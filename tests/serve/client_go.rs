//! client-go as a client: informers, server-side apply, leader election and events
//! (`hack/oracle/clients`).

use std::path::{Path, PathBuf};

use e2e::suite::{Outcome, Suite};
use libtest_mimic::Failed;
use tokio::process::Command;
use tokio::sync::OnceCell;

use crate::{root, serve};

pub(crate) fn tests(suite: &mut Suite) {
    suite.shared("serve::client_go_on_the_real_one", async |plane: &_| {
        let plane: &e2e::ControlPlane = plane;
        run(&plane.kubeconfig()).await
    });
    suite.alone("serve::client_go_in_the_process", async || {
        let serving = serve().await?;
        let folder = tempfile::tempdir()?;
        let kubeconfig = folder.path().join("kubeconfig");
        serving.write_kubeconfig(&kubeconfig)?;
        let outcome = run(&kubeconfig).await;
        serving.shutdown().await;
        outcome
    });
}

async fn run(kubeconfig: &Path) -> Outcome {
    let program = program().await?;
    let output = Command::new(program).arg(kubeconfig).output().await?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(())
    } else {
        Err(said.into())
    }
}

/// Builds the Go program once.
async fn program() -> Result<PathBuf, Failed> {
    static BUILT: OnceCell<Result<PathBuf, String>> = OnceCell::const_new();
    let built = BUILT.get_or_init(async || build().await.map_err(|failed| format!("{failed:?}")));
    Ok(built.await.clone()?)
}

async fn build() -> Result<PathBuf, Failed> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    let output = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(root().join("hack/oracle/clients"))
        .env("GOFLAGS", "-mod=mod")
        .env("CGO_ENABLED", "0")
        .output()
        .await?;
    if output.status.success() {
        Ok(program)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}

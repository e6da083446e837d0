//! kubectl as a client, directly and through `genclient`: transcripts of commands and their output.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use e2e::ControlPlane;
use e2e::suite::{Outcome, Suite};
use libtest_mimic::Failed;
use tokio::process::Command;
use tokio::time::timeout;

use crate::{prepare, root, serve};

/// The maximum duration of a command.
const PATIENCE: Duration = Duration::from_secs(30);

/// Transcripts of kubectl commands, and of `genclient` commands that run kubectl.
const TRANSCRIPTS: [&str; 2] = ["commands.txt", "deploy.txt"];

pub(crate) fn tests(suite: &mut Suite) {
    suite.own("serve::kubectl_on_the_real_one", on_kube_apiserver);
    suite.alone("serve::kubectl_in_the_process", async || {
        let serving = serve().await?;
        let folder = tempfile::tempdir()?;
        let kubeconfig = folder.path().join("kubeconfig");
        serving.write_kubeconfig(&kubeconfig)?;
        let outcome = check(&kubeconfig, folder.path(), false).await;
        serving.shutdown().await;
        outcome
    });
}

async fn on_kube_apiserver(plane: &ControlPlane) -> Outcome {
    prepare(plane).await?;
    let folder = tempfile::tempdir()?;
    let is_update = env::var_os("UPDATE_EXPECT").is_some();
    check(&plane.kubeconfig(), folder.path(), is_update).await
}

/// Runs all commands, and compares their output with the expected one.
async fn check(kubeconfig: &Path, home: &Path, is_update: bool) -> Outcome {
    package(home)?;
    for transcript in TRANSCRIPTS {
        let path = root().join("tests/serve").join(transcript);
        check_transcript(&path, kubeconfig, home, is_update).await?;
    }
    Ok(())
}

/// Creates the package `~/shop`, and the program `genclient`.
fn package(home: &Path) -> std::io::Result<()> {
    let program = env!("CARGO_BIN_EXE_genclient-under-test");
    symlink(program, home.join("genclient"))?;
    let manifest = "[package]\nname = \"shop\"\n[package.metadata.genclient.deploy]\n\
                    namespace = \"shops\"\n";
    fs::create_dir_all(home.join("shop/src"))?;
    fs::write(home.join("shop/Cargo.toml"), manifest)?;
    fs::write(home.join("shop/src/lib.rs"), "pub mod apis;\n")?;
    let kind = "pub mod v1 {\n#[genclient]\n#[group = \"shop.example.com\"]\n\
                pub struct Shop {\npub metadata: ObjectMeta,\n}\n}\n";
    let prelude = "use genclient::prelude::*;\n";
    fs::write(
        home.join("shop/src/apis.rs"),
        kind.replacen('\n', &format!("\n{prelude}"), 1),
    )
}

async fn check_transcript(path: &Path, kubeconfig: &Path, home: &Path, is_update: bool) -> Outcome {
    let expected = fs::read_to_string(path)?;
    let mut found = String::new();
    let mut is_output = false;
    for line in expected.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let output = run(command, kubeconfig, home).await?;
            writeln!(found, "{line}")?;
            found.push_str(&output);
            is_output = true;
        } else if line.is_empty() || line.starts_with('#') && !is_output {
            writeln!(found, "{line}")?;
            is_output = false;
        }
    }
    if is_update {
        fs::write(path, found)?;
        return Ok(());
    }
    if found == expected {
        Ok(())
    } else {
        Err(difference(&expected, &found).into())
    }
}

fn difference(expected: &str, found: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, found);
    let diff = diff.unified_diff().context_radius(3).to_string();
    format!("kubectl prints something else\n{diff}")
}

/// The output of a command, indented. A blank line is shown as `.`, so that it does not end the
/// output.
async fn run(command: &str, kubeconfig: &Path, home: &Path) -> Result<String, Failed> {
    let assets = env::var("KUBEBUILDER_ASSETS").map_err(|_| "KUBEBUILDER_ASSETS is not set")?;
    let path = env::var("PATH").unwrap_or_default();
    let child = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(root().join("tests/serve"))
        .env("KUBECONFIG", kubeconfig)
        .env("PATH", format!("{assets}:{}:{path}", home.display()))
        // kubectl caches discovery there.
        .env("HOME", home)
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, child).await;
    let output = output.map_err(|_| format!("not done after {PATIENCE:?}: {command}"))??;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(|line| match line {
        "" => "    .\n".to_owned(),
        line => format!("    {line}\n"),
    });
    Ok(lines.collect())
}

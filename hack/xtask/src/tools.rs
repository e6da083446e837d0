//! Programs of a fixed version, installed below `~/.cache/genclient` at their first use.

use std::path::PathBuf;

use anyhow::Context;
use xshell::{Shell, cmd};

/// A program that `cargo install` builds.
pub(crate) struct CargoTool {
    name: &'static str,
    version: &'static str,
}

pub(crate) const CARGO_DENY: CargoTool = CargoTool {
    name: "cargo-deny",
    version: "0.20.2",
};
pub(crate) const CARGO_SEMVER_CHECKS: CargoTool = CargoTool {
    name: "cargo-semver-checks",
    version: "0.51.0",
};
pub(crate) const MDBOOK: CargoTool = CargoTool {
    name: "mdbook",
    version: "0.5.4",
};
/// Version of d2, which renders `docs/flow.d2`.
const D2_VERSION: &str = "0.7.2";
/// Version of matplotlib, which draws the plots.
const MATPLOTLIB_VERSION: &str = "3.11.2";

impl CargoTool {
    /// Runs the program, which is installed if it is missing.
    pub(crate) fn run(&self, sh: &Shell, arguments: &[&str]) -> anyhow::Result<()> {
        let Self { name, version } = self;
        let root = cache_folder(sh)?.join(format!("{name}-{version}"));
        let program = root.join("bin").join(name);
        if !program.exists() {
            cmd!(
                sh,
                "cargo install --locked --root {root} --version {version} {name}"
            )
            .run()?;
        }
        Ok(cmd!(sh, "{program} {arguments...}").run()?)
    }
}

/// Installs d2 if it is missing, and returns its path.
pub(crate) fn install_d2(sh: &Shell) -> anyhow::Result<PathBuf> {
    let folder = cache_folder(sh)?.join(format!("d2-{D2_VERSION}"));
    let program = folder.join("d2");
    if !program.exists() {
        cmd!(sh, "go install oss.terrastruct.com/d2@v{D2_VERSION}")
            .env("GOBIN", &folder)
            .run()?;
    }
    Ok(program)
}

/// Installs matplotlib if it is missing, and returns the path of the Python that has it.
pub(crate) fn install_matplotlib(sh: &Shell) -> anyhow::Result<PathBuf> {
    let folder = cache_folder(sh)?.join(format!("matplotlib-{MATPLOTLIB_VERSION}"));
    let python = folder.join("bin/python");
    // Written at the end: an interrupted installation is repeated.
    let ready = folder.join("ready");
    if !ready.exists() {
        cmd!(sh, "python3 -m venv {folder}").run()?;
        cmd!(
            sh,
            "{python} -m pip install --quiet --disable-pip-version-check
             matplotlib=={MATPLOTLIB_VERSION}"
        )
        .run()?;
        sh.write_file(ready, "")?;
    }
    Ok(python)
}

/// Installs rust-analyzer for the toolchain of this repository, unless it is there.
pub(crate) fn install_rust_analyzer(sh: &Shell) -> anyhow::Result<()> {
    Ok(cmd!(sh, "rustup component add rust-analyzer").run()?)
}

/// Builds etcd, kube-apiserver and kubectl if they are missing, and returns their folder.
pub(crate) fn control_plane(sh: &Shell) -> anyhow::Result<PathBuf> {
    match sh.var_os("KUBEBUILDER_ASSETS") {
        Some(folder) if !folder.is_empty() => Ok(folder.into()),
        _ => Ok(cmd!(sh, "hack/control-plane.sh").read()?.into()),
    }
}

/// The folder of these programs: `$XDG_CACHE_HOME/genclient` or `~/.cache/genclient`.
fn cache_folder(sh: &Shell) -> anyhow::Result<PathBuf> {
    let folder = match sh.var_os("XDG_CACHE_HOME") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => PathBuf::from(sh.var_os("HOME").context("HOME is not set")?).join(".cache"),
    };
    Ok(folder.join("genclient"))
}

//! Crates used by scaffolded code. A package that was not created by `init` may lack some.

use std::path::PathBuf;

use super::ExternalApi;
use super::existing::ExistingProject;
use super::files::Scaffold;
use crate::shell::quote;

/// The required crates, each with its arguments for `cargo add`.
const REQUIRED_CRATES: [(&str, &str); 7] = [
    ("genclient", "genclient"),
    (
        "genclient-controller",
        "genclient-controller --features webhook",
    ),
    ("k8s-openapi", "k8s-openapi --features v1_36"),
    ("serde", "serde --features derive"),
    ("genclient-apiserver", "--dev genclient-apiserver"),
    ("serde_json", "--dev serde_json"),
    ("tokio", "--dev tokio --features macros,rt-multi-thread"),
];

/// Adds a manual step for each missing crate, including the crate of an external type.
pub(super) fn expect_dependencies(
    external: Option<&ExternalApi>,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let known = &existing.project.all_dependencies;
    if let Some(name) = external.map(ExternalApi::crate_name)
        && !known.iter().any(|it| it.replace('-', "_") == name)
    {
        files.add_manual_step(format!("run `cargo add {name}`"));
    }
    for (name, arguments) in REQUIRED_CRATES
        .iter()
        .filter(|(name, _)| !known.contains(*name))
    {
        let path = match local_crate(name, existing) {
            Some(folder) => format!(" --path {}", quote(&existing.relative_path(&folder))),
            None => String::new(),
        };
        files.add_manual_step(format!("run `cargo add {arguments}{path}`"));
    }
}

/// Returns the folder of a crate of the runtime, if the package depends on `genclient` by path.
fn local_crate(name: &str, existing: &ExistingProject) -> Option<PathBuf> {
    let folder = existing.project.genclient_dir.as_ref()?;
    let found = match name {
        "genclient" => folder.clone(),
        "genclient-controller" => folder.join("controller"),
        "genclient-apiserver" => folder.join("apiserver"),
        _ => return None,
    };
    found.join("Cargo.toml").is_file().then_some(found)
}

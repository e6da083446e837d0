//! Crates used by scaffolded code. A package that was not created by `init` may lack some.

use std::path::PathBuf;

use super::ExternalApi;
use super::existing::Existing;
use super::files::Scaffold;
use crate::shell::typed;

/// The required crates, each with its arguments for `cargo add`.
const NEEDED: [(&str, &str); 7] = [
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
pub(super) fn expect(external: Option<&ExternalApi>, existing: &Existing, files: &mut Scaffold) {
    let known = &existing.project.all_dependencies;
    if let Some(name) = external.map(ExternalApi::crate_name)
        && !known.iter().any(|it| it.replace('-', "_") == name)
    {
        files.add_by_hand(format!("run `cargo add {name}`"));
    }
    for (name, arguments) in NEEDED.iter().filter(|(name, _)| !known.contains(*name)) {
        let path = match local(name, existing) {
            Some(folder) => format!(" --path {}", typed(&existing.below(&folder))),
            None => String::new(),
        };
        files.add_by_hand(format!("run `cargo add {arguments}{path}`"));
    }
}

/// Returns the folder of a crate of the runtime, if the package depends on `genclient` by path.
fn local(name: &str, existing: &Existing) -> Option<PathBuf> {
    let folder = existing.project.genclient_dir.as_ref()?;
    let found = match name {
        "genclient" => folder.clone(),
        "genclient-controller" => folder.join("controller"),
        "genclient-apiserver" => folder.join("apiserver"),
        _ => return None,
    };
    found.join("Cargo.toml").is_file().then_some(found)
}

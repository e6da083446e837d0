//! Crates used by scaffolded code. A package that was not created by `init` may lack some.

use super::ExternalApi;
use super::existing::Existing;
use super::files::Scaffold;

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
    for (_, arguments) in NEEDED.iter().filter(|(name, _)| !known.contains(*name)) {
        files.add_by_hand(format!("run `cargo add {arguments}`"));
    }
}

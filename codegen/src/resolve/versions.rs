//! Checks of the dependencies that generated clients need: the versions of kube and k8s-openapi,
//! and the crates `genclient` and `serde`.

use genclient_syntax::{derives, has_serde_crate};

use super::kind::{Kind, attributes};
use crate::diagnostic::{Diagnostic, Sink};
use crate::known;
use crate::project::{Project, StatedKind};
use crate::sources::Sources;

/// A requirement of generated clients that the package does not meet.
struct Requirement {
    message: String,
    /// The dependency to add or to upgrade, as a clause of the help.
    help: String,
}

/// Reports dependencies that are missing or do not fit, if there are clients.
pub(super) fn check_dependencies(
    kinds: &[Kind<'_>],
    stated: &[&StatedKind],
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) {
    let (of_kube, of_genclient): (Vec<_>, Vec<_>) = kinds
        .iter()
        .filter(|kind| !kind.attrs.skip_client.is_set())
        .partition(|kind| kind.kube.is_some());
    let has_kinds_of_kube = !of_kube.is_empty() || !stated.is_empty();
    let has_kinds_of_genclient = !of_genclient.is_empty();
    if !has_kinds_of_kube && !has_kinds_of_genclient {
        return;
    }
    let mut unmet = Vec::from_iter(other_versions(has_kinds_of_kube, project));
    unmet.extend(missing_crates(has_kinds_of_genclient, sources, project));
    let Some(Requirement { message, .. }) = unmet.first() else {
        return;
    };
    let helps: Vec<_> = unmet.iter().map(|unmet| unmet.help.as_str()).collect();
    sink.push(Diagnostic::error(message.clone()).help(format!(
        "generate only CRDs: `genclient update --only crd`; or {}",
        helps.join(", and ")
    )));
}

/// Returns an error for a version of kube or k8s-openapi that generated clients do not support.
fn other_versions(has_kinds_of_kube: bool, project: &Project) -> Option<Requirement> {
    let (package, versions) = (&project.name, &project.versions);
    let (kube_wanted, k8s_wanted) = (known::KUBE_MAJOR, known::K8S_OPENAPI_SERIES);
    if let Some(kube) = versions.kube.filter(|kube| kube.major != kube_wanted) {
        return Some(Requirement {
            message: format!(
                "generated clients need kube {kube_wanted}, but `{package}` has kube {kube}"
            ),
            help: format!(
                "upgrade to `kube = \"{kube_wanted}\"` and `k8s-openapi = \"{k8s_wanted}\"`"
            ),
        });
    }
    let reexported = versions.reexported_kube.filter(|_| has_kinds_of_kube);
    if let Some(kube) = reexported.filter(|kube| kube.major != kube_wanted) {
        return Some(Requirement {
            message: format!(
                "generated clients need kube {kube_wanted}, but dependencies of `{package}` have \
                 kube {kube}"
            ),
            help: format!("upgrade the dependency that re-exports kube {kube}"),
        });
    }
    let found = versions.k8s_openapi?;
    if found.may_be(k8s_wanted) {
        return None;
    }
    Some(Requirement {
        message: format!(
            "generated clients need k8s-openapi {k8s_wanted}, but `{package}` has k8s-openapi \
             {found}"
        ),
        help: format!("upgrade to `k8s-openapi = \"{k8s_wanted}\"`"),
    })
}

/// Returns an error for each missing dependency on `genclient` or `serde`.
fn missing_crates(
    has_kinds_of_genclient: bool,
    sources: &Sources,
    project: &Project,
) -> Vec<Requirement> {
    let missing = project.versions.missing.iter();
    let users = missing.filter_map(|(manifest, name)| {
        let is_of_types = manifest.parent() == Some(&project.dir);
        let user = match *name {
            "genclient" if project.has_clients() || !is_of_types => "generated clients",
            "genclient" if has_kinds_of_genclient => "the API types",
            "serde" if has_serde_derives(sources) => "the API types",
            _ => return None,
        };
        Some((user, *name, project.shown(manifest)))
    });
    users
        .map(|(user, name, manifest)| Requirement {
            message: format!(
                "{user} need the crate `{name}`, which is not a dependency in {manifest}"
            ),
            help: format!(
                "add `{}` to `[dependencies]` in {manifest}",
                dependency_on(name)
            ),
        })
        .collect()
}

/// Returns the line of Cargo.toml for a missing dependency.
fn dependency_on(name: &str) -> String {
    match name {
        "genclient" => format!("genclient = \"{}\"", env!("CARGO_PKG_VERSION")),
        _ => format!("{name} = {{ version = \"1\", features = [\"derive\"] }}"),
    }
}

/// Returns whether an API type has a derive of serde whose code names the crate `serde`.
fn has_serde_derives(sources: &Sources) -> bool {
    sources
        .api_modules()
        .flat_map(|(_, module)| &module.items)
        .map(attributes)
        .any(|attrs| {
            let is_derived = derives(attrs, "Serialize") || derives(attrs, "Deserialize");
            is_derived && !has_serde_crate(attrs)
        })
}

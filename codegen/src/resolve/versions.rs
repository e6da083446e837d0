//! Checks of the dependencies that generated clients need: the versions of kube and k8s-openapi,
//! and the crates `genclient` and `serde`.

use genclient_syntax::derives;
use syn::Attribute;

use super::kind::{Kind, attributes};
use crate::diagnostic::{Diagnostic, Sink};
use crate::known;
use crate::project::{CrateVersion, Project, StatedKind};
use crate::sources::Sources;

/// An unmet need, as a sentence, and the way to meet it.
type Unmet = (String, String);

/// Reports dependencies that are missing or do not fit, if there are clients.
pub(super) fn check(
    kinds: &[Kind<'_>],
    stated: &[&StatedKind],
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) {
    let mut with_clients = kinds
        .iter()
        .filter(|kind| !kind.attrs.skip_client.is_set())
        .peekable();
    if with_clients.peek().is_none() && stated.is_empty() {
        return;
    }
    let has_own = with_clients.any(|kind| kind.kube.is_none());
    let mut unmet = Vec::from_iter(other_versions(project));
    unmet.extend(missing_crates(has_own, sources, project));
    let Some((message, _)) = unmet.first() else {
        return;
    };
    let ways: Vec<_> = unmet.iter().map(|(_, way)| way.as_str()).collect();
    sink.push(Diagnostic::error(message.clone()).help(format!(
        "generate only CRDs: `genclient update --only crd`; or {}",
        ways.join(", and ")
    )));
}

/// Returns the need of other versions of kube and k8s-openapi.
fn other_versions(project: &Project) -> Option<Unmet> {
    let (package, versions) = (&project.name, &project.versions);
    let (kube_wanted, k8s_wanted) = (known::KUBE, known::K8S_OPENAPI);
    if let Some(kube) = versions.kube.filter(|kube| kube.major != kube_wanted) {
        return Some((
            format!("generated clients need kube {kube_wanted}, but `{package}` has kube {kube}"),
            format!("upgrade to `kube = \"{kube_wanted}\"` and `k8s-openapi = \"{k8s_wanted}\"`"),
        ));
    }
    let is_other = |found: &CrateVersion| format!("{}.{}", found.major, found.minor) != k8s_wanted;
    let found = versions.k8s_openapi.filter(is_other)?;
    Some((
        format!(
            "generated clients need k8s-openapi {k8s_wanted}, but `{package}` has k8s-openapi {found}"
        ),
        format!("upgrade to `k8s-openapi = \"{k8s_wanted}\"`"),
    ))
}

/// Returns the needs of crates that are no dependencies. `has_own` says whether kinds have
/// `#[genclient]`.
fn missing_crates(has_own: bool, sources: &Sources, project: &Project) -> Vec<Unmet> {
    let (versions, types) = (&project.versions, project.dir.join("Cargo.toml"));
    let mut unmet = Vec::new();
    let mut add = |user: &str, name: &str, stated: &str, manifest| {
        let manifest = project.shown(manifest);
        unmet.push((
            format!("{user} need the crate `{name}`, which is not a dependency in {manifest}"),
            format!("add `{name} = {stated}` to `[dependencies]` in {manifest}"),
        ));
    };
    let genclient = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    let clients = versions.without_genclient.as_ref();
    if let Some(manifest) = clients {
        add("generated clients", "genclient", &genclient, manifest);
    }
    if has_own && versions.missing.contains("genclient") && clients != Some(&types) {
        add("the API types", "genclient", &genclient, &types);
    }
    if versions.missing.contains("serde") && has_serde_derives(sources) {
        let stated = "{ version = \"1\", features = [\"derive\"] }";
        add("the API types", "serde", stated, &types);
    }
    unmet
}

/// Returns whether an API type has a derive of serde, which names the crate `serde` unless
/// `#[serde(crate = "…")]` names another one.
fn has_serde_derives(sources: &Sources) -> bool {
    let mut items = sources.api_modules().flat_map(|(_, module)| &module.items);
    items.any(|item| {
        let attrs = attributes(item);
        let is_derived = derives(attrs, "Serialize") || derives(attrs, "Deserialize");
        is_derived && !attrs.iter().any(names_crate)
    })
}

fn names_crate(attr: &Attribute) -> bool {
    let list = attr.meta.require_list();
    let mut tokens = list.into_iter().flat_map(|list| list.tokens.clone());
    attr.path().is_ident("serde") && tokens.any(|token| token.to_string() == "crate")
}

//! Checks of the dependencies that generated clients need: the version of kube, and `genclient`.

use super::kind::Kind;
use crate::diagnostic::{Diagnostic, Sink};
use crate::known;
use crate::project::{Project, StatedKind};

/// Reports another version of kube, or a missing `genclient`, if there are clients of stated kinds
/// or of kinds with kube's derive. Types with `#[genclient]` need no check: they do not compile
/// without `genclient`, and use its kube.
pub(super) fn check(
    kinds: &[Kind<'_>],
    stated: &[&StatedKind],
    project: &Project,
    sink: &mut Sink,
) {
    let has_client = |kind: &Kind<'_>| kind.kube.is_some() && !kind.attrs.skip_client.is_set();
    if !kinds.iter().any(has_client) && stated.is_empty() {
        return;
    }
    let versions = &project.versions;
    let other_kube = versions.kube.filter(|kube| kube.major != known::KUBE);
    let message = match (other_kube, &versions.without_genclient) {
        (None, None) => return,
        (Some(kube), _) => format!(
            "generated clients need kube {}, but `{}` has kube {kube}",
            known::KUBE,
            project.name
        ),
        (None, Some(manifest)) => format!(
            "generated clients need the crate `genclient`, which is not a dependency in {}",
            project.shown(manifest)
        ),
    };
    let upgrade = other_kube.map(|_| {
        format!(
            "upgrade to `kube = \"{}\"` and `k8s-openapi = \"{}\"`",
            known::KUBE,
            known::K8S_OPENAPI
        )
    });
    let add = versions.without_genclient.as_ref().map(|manifest| {
        format!(
            "add `genclient = \"{}\"` to `[dependencies]` in {}",
            env!("CARGO_PKG_VERSION"),
            project.shown(manifest)
        )
    });
    let ways: Vec<_> = upgrade.into_iter().chain(add).collect();
    sink.push(Diagnostic::error(message).help(format!(
        "generate only CRDs: `genclient update --only crd`; or {}",
        ways.join(", and ")
    )));
}

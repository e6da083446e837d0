//! Checks of the dependencies that generated clients need: the versions of kube and k8s-openapi,
//! and `genclient`.

use super::kind::Kind;
use crate::diagnostic::{Diagnostic, Sink};
use crate::known;
use crate::project::{CrateVersion, Project, StatedKind};

/// Reports other versions of kube and k8s-openapi, if there are clients. Also reports a missing
/// `genclient`, if there are clients of stated kinds or of kinds with kube's derive: types with
/// `#[genclient]` do not compile without it.
pub(super) fn check(
    kinds: &[Kind<'_>],
    stated: &[&StatedKind],
    project: &Project,
    sink: &mut Sink,
) {
    let has_client = |kind: &&Kind<'_>| !kind.attrs.skip_client.is_set();
    let with_clients: Vec<_> = kinds.iter().filter(has_client).collect();
    if with_clients.is_empty() && stated.is_empty() {
        return;
    }
    let is_of_others = !stated.is_empty() || with_clients.iter().any(|kind| kind.kube.is_some());
    let versions = &project.versions;
    let other_kube = versions.kube.filter(|kube| kube.major != known::KUBE);
    let is_other =
        |found: &CrateVersion| format!("{}.{}", found.major, found.minor) != known::K8S_OPENAPI;
    let other_k8s = versions.k8s_openapi.filter(is_other);
    let missing = versions.without_genclient.as_ref();
    let missing = missing
        .filter(|_| is_of_others)
        .map(|path| project.shown(path));
    let package = &project.name;
    let (kube_wanted, k8s_wanted) = (known::KUBE, known::K8S_OPENAPI);
    let message = match (other_kube, other_k8s, &missing) {
        (Some(kube), ..) => {
            format!("generated clients need kube {kube_wanted}, but `{package}` has kube {kube}")
        }
        (None, Some(found), _) => format!(
            "generated clients need k8s-openapi {k8s_wanted}, but `{package}` has k8s-openapi {found}"
        ),
        (None, None, Some(manifest)) => format!(
            "generated clients need the crate `genclient`, which is not a dependency in {manifest}"
        ),
        (None, None, None) => return,
    };
    let upgrade = match (other_kube, other_k8s) {
        (Some(_), _) => Some(format!(
            "upgrade to `kube = \"{kube_wanted}\"` and `k8s-openapi = \"{k8s_wanted}\"`"
        )),
        (None, Some(_)) => Some(format!("upgrade to `k8s-openapi = \"{k8s_wanted}\"`")),
        (None, None) => None,
    };
    let add = missing.map(|manifest| {
        let version = env!("CARGO_PKG_VERSION");
        format!("add `genclient = \"{version}\"` to `[dependencies]` in {manifest}")
    });
    let ways: Vec<_> = upgrade.into_iter().chain(add).collect();
    sink.push(Diagnostic::error(message).help(format!(
        "generate only CRDs: `genclient update --only crd`; or {}",
        ways.join(", and ")
    )));
}

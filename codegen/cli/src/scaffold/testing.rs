//! Shared parts of a project's tests: `tests/common/mod.rs`, and expressions used in tests.

use genclient_codegen::{Diagnostic, rust};

use super::existing::Existing;
use super::files::Scaffold;
use super::kind::KindNames;
use super::modules;
use crate::insert;

const FILE: &str = "tests/common/mod.rs";

/// Adds a call that installs the project's CRDs in the API server of the tests.
pub(super) fn serve_kinds(existing: &Existing, files: &mut Scaffold) {
    let import = format!("use {};", existing.client_outside("crds"));
    add(".crds(crds::all())", &import, existing, files);
}

/// Adds calls that install the project's CRDs in the API server of the tests, and register the
/// project's webhooks under the Service that the CRD of the kind names.
pub(super) fn serve_conversions(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    serve_kinds(existing, files);
    let service = existing
        .conversion_service(&about.group, &about.kind)
        .unwrap_or_else(|| existing.webhook_service());
    serve_webhooks(&service, existing, files);
}

fn serve_webhooks((namespace, name): &(String, String), existing: &Existing, files: &mut Scaffold) {
    let import = format!("use {}::webhook;", existing.project.library);
    let service = format!(
        ".webhook_service(\"{namespace}\", \"{name}\", webhook::webhooks().into_service().unwrap())"
    );
    add(&service, &import, existing, files);
}

/// Adds calls that register the project's admission webhooks with the tests' API server. Unlike
/// conversions, admission webhooks also need their manifests.
pub(super) fn serve_admission(existing: &Existing, files: &mut Scaffold) {
    share(existing, files);
    let config = existing.below(&existing.project.config);
    let manifests = format!(".manifests(\"{config}/webhook/manifests.yaml\")");
    insert_call(&manifests, files);
    serve_webhooks(&existing.webhook_service(), existing, files);
}

/// True if the kind is not built in, and the project does not generate its CRD.
pub(super) fn is_undefined(about: &KindNames, existing: &Existing) -> bool {
    let KindNames {
        group,
        version,
        kind,
        ..
    } = about;
    let mut versions = existing.versions(group, kind);
    let is_there = versions.any(|(_, of, _)| of.name == *version);
    about.is_external || (is_there && existing.schema(group, version, kind).is_none())
}

/// Adds a manual step: add the CRD that the project does not generate, and then a test of `tested`.
pub(super) fn expect_definition(about: &KindNames, tested: &str, files: &mut Scaffold) {
    let kind = &about.kind;
    let what = format!(
        "add `.crd_files(\"FILE\")` with the CRD of {kind}, which this project does not generate, \
         and then a test of {tested}"
    );
    files.by_hand(FILE, &what);
}

/// Creates `tests/common/mod.rs` if it is missing.
pub(super) fn share(existing: &Existing, files: &mut Scaffold) {
    if files.has(FILE) {
        return;
    }
    if files.has(modules::SHARED_TEST) {
        let (flat, file) = (files.shown(modules::SHARED_TEST), files.shown(FILE));
        let folder = file.trim_end_matches("/mod.rs");
        return files.report(
            Diagnostic::error(format!("{flat} conflicts with {file}"))
                .help(format!("move it: `mkdir {folder} && git mv {flat} {file}`")),
        );
    }
    let config = existing.below(&existing.project.config);
    let installed = match existing.project.deploy {
        Some(_) => format!(
            ".manifests(\"{config}/manager/namespace.yaml\")\n.manifests(\"{config}/rbac\")"
        ),
        None => String::new(),
    };
    files.create(
        FILE,
        rust!(installed => include_str!("templates/common.rs.tmpl")),
    );
}

/// The expression for the manager builder in a test. Its client has the permissions of the deployed
/// program, if there is a deployment.
pub(super) fn manager(existing: &Existing) -> String {
    let client = match &existing.project.deploy {
        Some(deploy) => format!(
            "server.client_as(User::service_account(\"{}\", \"{}\"))",
            deploy.namespace,
            deploy.named("controller-manager")
        ),
        None => "server.client()".to_owned(),
    };
    let namespaces = match existing.own_namespace() {
        Some(namespace) => format!(".namespaces([\"{namespace}\"])"),
        None => String::new(),
    };
    let name = &existing.project.name;
    format!("Manager::builder(\"{name}\").client({client}){namespaces}")
}

/// The names that a controller test imports from `genclient_apiserver`.
pub(super) fn names(existing: &Existing) -> &'static str {
    match existing.project.deploy {
        Some(_) => "User, eventually",
        None => "eventually",
    }
}

/// The expression for the `Api` of a kind's objects in a test.
pub(super) fn objects(about: &KindNames, existing: &Existing) -> String {
    if about.namespaced {
        in_namespace(existing)
    } else {
        "Api::all(server.client())".to_owned()
    }
}

/// The expression for the `Api` of objects in the namespace of a test.
pub(super) fn in_namespace(existing: &Existing) -> String {
    match existing.own_namespace() {
        Some(namespace) => format!("Api::namespaced(server.client(), \"{namespace}\")"),
        None => "Api::default_namespaced(server.client())".to_owned(),
    }
}

fn add(call: &str, import: &str, existing: &Existing, files: &mut Scaffold) {
    share(existing, files);
    insert_call(call, files);
    modules::add(FILE, import, files);
}

fn insert_call(call: &str, files: &mut Scaffold) {
    let what = format!("add `{call}` to `server`");
    files.insert(FILE, &what, |text| insert::call(text, "server", call));
}

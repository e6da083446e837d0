//! Shared parts of a project's tests: `tests/common/mod.rs`, and expressions used in tests.

use genclient_codegen::{Diagnostic, rust};

use super::existing::ExistingProject;
use super::files::Scaffold;
use super::kind::KindNames;
use super::modules;
use crate::insert;

const COMMON_MODULE: &str = "tests/common/mod.rs";

/// The test on a real API server.
pub(super) const END_TO_END_TEST: &str = "tests/e2e.rs";

/// Adds a call that installs the project's CRDs in the API server of the tests.
pub(super) fn serve_kinds(existing: &ExistingProject, files: &mut Scaffold) {
    let import = format!("use {};", existing.client_outside("crds"));
    add_builder_call(".crds(crds::all())", &import, existing, files);
}

/// Adds calls that install the project's CRDs in the API server of the tests, and register the
/// project's webhooks under the Service that the CRD of the kind names.
pub(super) fn serve_conversions(
    kind: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    serve_kinds(existing, files);
    let service = existing
        .conversion_service(&kind.group, &kind.kind)
        .unwrap_or_else(|| existing.webhook_service());
    serve_webhooks(&service, existing, files);
}

fn serve_webhooks(
    (namespace, name): &(String, String),
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let import = format!("use {}::webhook;", existing.project.library);
    let service = format!(
        ".webhook_service(\"{namespace}\", \"{name}\", webhook::webhooks().into_service().unwrap())"
    );
    add_builder_call(&service, &import, existing, files);
}

/// Adds calls that register the project's admission webhooks with the tests' API server. Unlike
/// conversions, admission webhooks also need their manifests.
pub(super) fn serve_admission(existing: &ExistingProject, files: &mut Scaffold) {
    create_common_module(existing, files);
    let config = existing.relative_path(&existing.project.config);
    let manifests = format!(".manifests(\"{config}/webhook/manifests.yaml\")");
    insert_builder_call(&manifests, files);
    serve_webhooks(&existing.webhook_service(), existing, files);
}

/// True if the kind is not built in, and the project does not generate its CRD.
pub(super) fn lacks_crd(kind: &KindNames, existing: &ExistingProject) -> bool {
    let KindNames { group, version, .. } = kind;
    let is_served = existing
        .versions(group, &kind.kind)
        .any(|(_, served, _)| served.name == *version);
    kind.is_external || (is_served && existing.schema(group, version, &kind.kind).is_none())
}

/// Adds a manual step: add the CRD that the project does not generate, and then a test of `tested`.
pub(super) fn expect_definition(kind: &KindNames, tested: &str, files: &mut Scaffold) {
    let kind = &kind.kind;
    let what = format!(
        "add `.crd_files(\"FILE\")` with the CRD of {kind}, which this project does not generate, \
         and then a test of {tested}"
    );
    files.add_manual_step_in(COMMON_MODULE, &what);
}

/// Adds manual steps for the test on a real API server, which runs every controller: the CRD that
/// the project does not generate, and an object for the controller.
pub(super) fn expect_definition_and_sample(kind: &KindNames, files: &mut Scaffold) {
    if files.has(END_TO_END_TEST) {
        let what = format!(
            "add the file with the CRD of {} to `INSTALLED`, and a sample to config/samples",
            kind.kind
        );
        files.add_manual_step_in(END_TO_END_TEST, &what);
    }
}

/// Creates `tests/common/mod.rs` if it is missing.
pub(super) fn create_common_module(existing: &ExistingProject, files: &mut Scaffold) {
    if files.has(COMMON_MODULE) {
        return;
    }
    if files.has(modules::SHARED_TEST) {
        let (flat, file) = (
            files.display_path(modules::SHARED_TEST),
            files.display_path(COMMON_MODULE),
        );
        let folder = file.trim_end_matches("/mod.rs");
        return files.report(
            Diagnostic::error(format!("{flat} conflicts with {file}"))
                .help(format!("move it: `mkdir {folder} && git mv {flat} {file}`")),
        );
    }
    let config = existing.relative_path(&existing.project.config);
    let installed = match existing.project.deploy {
        Some(_) => format!(
            ".manifests(\"{config}/manager/namespace.yaml\")\n.manifests(\"{config}/rbac\")"
        ),
        None => String::new(),
    };
    files.create(
        COMMON_MODULE,
        rust!(installed => include_str!("templates/common.rs.tmpl")),
    );
}

/// The expression for the manager builder in a test. Its client has the permissions of the deployed
/// program, if there is a deployment.
pub(super) fn manager_expression(existing: &ExistingProject) -> String {
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
pub(super) fn test_imports(existing: &ExistingProject) -> &'static str {
    match existing.project.deploy {
        Some(_) => "User, eventually",
        None => "eventually",
    }
}

/// The expression for the `Api` of a kind's objects in a test.
pub(super) fn api_expression(kind: &KindNames, existing: &ExistingProject) -> String {
    if kind.namespaced {
        namespaced_api_expression(existing)
    } else {
        "Api::all(server.client())".to_owned()
    }
}

/// The expression for the `Api` of objects in the namespace of a test.
pub(super) fn namespaced_api_expression(existing: &ExistingProject) -> String {
    match existing.own_namespace() {
        Some(namespace) => format!("Api::namespaced(server.client(), \"{namespace}\")"),
        None => "Api::default_namespaced(server.client())".to_owned(),
    }
}

fn add_builder_call(call: &str, import: &str, existing: &ExistingProject, files: &mut Scaffold) {
    create_common_module(existing, files);
    insert_builder_call(call, files);
    modules::add_item(COMMON_MODULE, import, files);
}

fn insert_builder_call(call: &str, files: &mut Scaffold) {
    let what = format!("add `{call}` to `server`");
    files.insert(COMMON_MODULE, &what, |text| {
        insert::add_call(text, "server", call)
    });
}

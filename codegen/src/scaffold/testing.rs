//! `tests/common/mod.rs` of a project: the API server that its tests share.

use super::existing::Existing;
use super::files::Scaffold;
use super::{insert, modules};
use crate::template::rust;

const FILE: &str = "tests/common/mod.rs";

/// Has the server define the kinds of the project.
pub(super) fn serve_kinds(existing: &Existing, files: &mut Scaffold) {
    let import = format!("use {}::client::crds;", existing.project.library);
    add(&[".crds(crds::all())"], &import, existing, files);
}

/// Has the server call the webhooks of the project.
pub(super) fn serve_webhooks(existing: &Existing, files: &mut Scaffold) {
    let import = format!("use {}::webhook;", existing.project.library);
    let (namespace, name) = existing.webhook_service();
    let service = format!(
        ".webhook_service(\"{namespace}\", \"{name}\", webhook::webhooks().into_service().unwrap())"
    );
    let config = existing.below(&existing.project.config);
    let manifests = format!(".manifests(\"{config}/webhook/manifests.yaml\")");
    add(&[&manifests, &service], &import, existing, files);
}

/// Makes the file if it is missing.
pub(super) fn share(existing: &Existing, files: &mut Scaffold) {
    if files.has(FILE) {
        return;
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

/// The client of a controller in a test: that of its account, which has the role that is deployed.
pub(super) fn client(existing: &Existing) -> String {
    match &existing.project.deploy {
        Some(deploy) => format!(
            "server.client_as(User::service_account(\"{}\", \"{}\"))",
            deploy.namespace,
            deploy.named("controller-manager")
        ),
        None => "server.client()".to_owned(),
    }
}

fn add(calls: &[&str], import: &str, existing: &Existing, files: &mut Scaffold) {
    share(existing, files);
    for call in calls {
        let what = format!("add `{call}` to `server`");
        files.insert(FILE, &what, |text| insert::call(text, "server", call));
    }
    modules::add(FILE, import, files);
}

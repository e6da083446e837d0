//! `tests/common/mod.rs` of a project: the API server that its tests share.

use super::existing::Existing;
use super::insert;
use super::tree::Tree;

const FILE: &str = "tests/common/mod.rs";

/// Has the server define the kinds of the project.
pub(super) fn serve_kinds(existing: &Existing, tree: &mut Tree) {
    let import = format!("use {}::client::crds;", existing.project.library);
    add(&[".crds(crds::all())"], &import, tree);
}

/// Has the server call the webhooks of the project.
pub(super) fn serve_webhooks(existing: &Existing, tree: &mut Tree) {
    let import = format!("use {}::webhook;", existing.project.library);
    let (namespace, name) = existing.webhook_service();
    let service = format!(
        ".webhook_service(\"{namespace}\", \"{name}\", webhook::webhooks().into_service().unwrap())"
    );
    let config = existing.below(&existing.project.config);
    let manifests = format!(".manifests(\"{config}/webhook/manifests.yaml\")");
    add(&[&manifests, &service], &import, tree);
}

/// Makes the file if it is missing.
pub(super) fn share(tree: &mut Tree) {
    if !tree.has(FILE) {
        tree.create(FILE, include_str!("templates/common.rs.tmpl"));
    }
}

fn add(calls: &[&str], import: &str, tree: &mut Tree) {
    share(tree);
    for call in calls {
        tree.insert(FILE, call, |text| insert::call(text, "server", call));
    }
    tree.insert(FILE, import, |text| insert::item(text, import));
}

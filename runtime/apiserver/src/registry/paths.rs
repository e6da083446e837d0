//! Checks of paths and methods against the kind, with the failures of the real routers.

use genclient_schema::meta::names::NameRule;

use crate::failure::Failure;
use crate::kinds::builtin::BuiltinKind;
use crate::kinds::{Kind, Origin};
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::types::quoted;

/// Rejects a request for a path that the kind does not have (404), or a method that it does not
/// have there (405). Built-in kinds follow the router of
/// k8s.io/apiserver/pkg/endpoints/installer.go, custom resources `crdHandler` of
/// k8s.io/apiextensions-apiserver.
pub(super) fn check(request: &ObjectRequest) -> Result<(), Failure> {
    let kind = &request.kind;
    let name = &request.target.name;
    let wrong = NameRule::PathSegment.errors(name).join(";");
    if !wrong.is_empty() {
        let message = format!("Name parameter invalid: {}: {wrong}", quoted(name));
        return Err(Failure::bad_request(message));
    }
    match &kind.origin {
        Origin::Builtin(builtin) => check_builtin(request, builtin),
        Origin::Custom(_) => match has_subresource(kind, &request.target.subresource) {
            true => Ok(()),
            false => Err(request.not_found()),
        },
    }
}

/// Returns whether the path of a custom resource does not match the scope of its kind. `crdHandler`
/// delegates such a request to the next handler.
pub(super) fn is_elsewhere(request: &ObjectRequest) -> bool {
    let of_all_namespaces = [Verb::List, Verb::Watch];
    let is_namespaced_path = !request.target.namespace.is_empty();
    let is_namespaced = request.kind.is_namespaced;
    request.kind.custom().is_some()
        && is_namespaced_path != is_namespaced
        && !(is_namespaced && of_all_namespaces.contains(&request.verb))
}

fn has_subresource(kind: &Kind, name: &str) -> bool {
    match name {
        "status" => kind.has_status,
        "scale" => kind.has_scale(),
        _ => name.is_empty(),
    }
}

fn check_builtin(request: &ObjectRequest, builtin: &BuiltinKind) -> Result<(), Failure> {
    let target = &request.target;
    let is_namespaced_path = !target.namespace.is_empty();
    let is_of_all_namespaces = builtin.namespaced && !is_namespaced_path;
    if is_namespaced_path && !builtin.namespaced || is_of_all_namespaces && !target.name.is_empty()
    {
        return Err(Failure::no_resource());
    }
    let offered: &[&str] = match (&*target.subresource, target.name.is_empty()) {
        ("", true) if is_of_all_namespaces => &["list", "watch"],
        ("", true) => &["create", "deletecollection", "list", "watch"],
        ("", false) => &["delete", "get", "patch", "update", "watch"],
        _ => &[],
    };
    let mut offered: Vec<_> = offered
        .iter()
        .filter(|it| builtin.verbs.contains(it))
        .collect();
    let subresource = match target.subresource.split_once('/') {
        Some(("proxy", _)) => "proxy",
        _ => &target.subresource,
    };
    if let Some(subresource) = builtin.subresource(subresource) {
        offered.extend(&subresource.verbs);
    }
    match request.verb.as_str() {
        _ if offered.is_empty() => Err(Failure::no_resource()),
        verb if offered.contains(&&verb) => Ok(()),
        _ => Err(Failure::method_not_allowed()),
    }
}

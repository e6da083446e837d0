//! Request handlers for objects. `dispatch` selects a handler by subresource and verb; each handler
//! runs its steps in the order of kube-apiserver.

mod admission;
mod binding;
mod body;
mod codec;
mod create;
mod delete;
mod deletion;
mod eviction;
mod get;
mod log;
mod managed_fields;
mod patch;
mod response;
mod scale;
mod services;
mod shards;
mod table;
mod token;
mod update;
mod watch;
mod write;

use std::sync::Arc;

use genclient_apimachinery::validation::NameRule;
use genclient_builtins::kind::BuiltinKind;
use genclient_builtins::types::quoted;

use crate::api_response::ApiResponse;
use crate::authorization;
use crate::kinds::Kind;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::ServerState;
use crate::status_error::StatusError;

/// Handles a request for objects.
pub(crate) async fn answer(server: &Arc<ServerState>, request: ObjectRequest) -> ApiResponse {
    dispatch(server, &request)
        .await
        .unwrap_or_else(|failure| ApiResponse::from_error(&failure))
        .warn(request.warnings.into_inner())
}

async fn dispatch(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let kind = &request.kind;
    if has_mismatched_scope(request) {
        return Ok(ApiResponse::plain(404, "404 page not found\n"));
    }
    let has_path = check_path(request);
    if has_path.is_ok() || kind.custom().is_some() {
        request.warn(kind.deprecation());
    }
    has_path?;
    if authorization::is_review(kind) {
        return create::create_review(server, request).await;
    }
    codec::observe_empty(server, kind);
    let subresource = &*request.target.subresource;
    match (storage(kind, subresource), request.verb) {
        (Some(Storage::Objects), verb) => match verb {
            Verb::Get => get::get_object(server, request).await,
            Verb::List => get::list_objects(server, request).await,
            Verb::Watch => watch::watch(server, request).await,
            Verb::Create => create::create(server, request).await,
            Verb::Update => update::update(server, request).await,
            Verb::Patch => patch::patch(server, request).await,
            Verb::Delete => delete::delete(server, request).await,
            Verb::DeleteCollection => delete::delete_collection(server, request).await,
        },
        (Some(Storage::Part), Verb::Get) => get::get_object(server, request).await,
        (Some(Storage::Part), Verb::Update) => update::update(server, request).await,
        (Some(Storage::Part), Verb::Patch) => patch::patch(server, request).await,
        (Some(Storage::Scale), Verb::Get) => scale::get(server, request).await,
        (Some(Storage::Scale), Verb::Update) => scale::update(server, request).await,
        (Some(Storage::Scale), Verb::Patch) => scale::patch(server, request).await,
        (Some(Storage::Binding), _) => binding::create(server, request).await,
        (Some(Storage::LegacyBinding), _) => binding::create_at_bindings(server, request).await,
        (Some(Storage::Eviction), _) => eviction::create(server, request).await,
        (Some(Storage::Log), _) => log::get(server, request),
        (Some(Storage::Token), _) => token::create(server, request).await,
        (None, _) if kind.builtin().is_some() => Err(StatusError::not_implemented(&format!(
            "{}/{subresource}",
            kind.plural()
        ))),
        (_, verb) => Err(StatusError::method_not_supported(
            kind.group(),
            kind.plural(),
            verb.as_str(),
        )),
    }
}

/// Handler of the requests for a resource or a subresource (`rest.Storage`).
#[derive(Clone, Copy, Debug)]
enum Storage {
    /// The objects of a kind.
    Objects,
    /// A part of each object, such as its status, in a body that has the whole object.
    Part,
    Scale,
    Binding,
    LegacyBinding,
    Eviction,
    Log,
    Token,
}

/// Group and path of the resources that not all kinds have (`NewStorage` in
/// pkg/registry/core/rest, storage_core.go, and in other groups). `data/kinds.tsv` of
/// genclient-builtins has their verbs.
const STORAGES: &[(&str, &str, Storage)] = &[
    ("", "bindings", Storage::LegacyBinding),
    ("", "namespaces/finalize", Storage::Part),
    ("", "pods/binding", Storage::Binding),
    ("", "pods/ephemeralcontainers", Storage::Part),
    ("", "pods/eviction", Storage::Eviction),
    ("", "pods/log", Storage::Log),
    ("", "pods/resize", Storage::Part),
    ("", "serviceaccounts/token", Storage::Token),
    (
        "certificates.k8s.io",
        "certificatesigningrequests/approval",
        Storage::Part,
    ),
];

/// Returns the storage of a subresource, or of the objects if `subresource` is empty. Returns
/// `None` for a subresource that this server does not implement.
fn storage(kind: &Kind, subresource: &str) -> Option<Storage> {
    let is_path = |path: &str| {
        let (plural, name) = path.split_once('/').unwrap_or((path, ""));
        plural == kind.plural() && name == subresource
    };
    let own = STORAGES
        .iter()
        .find(|(group, path, _)| *group == kind.group() && is_path(path));
    match (own, subresource) {
        (Some((.., storage)), _) => Some(*storage),
        (None, "") => Some(Storage::Objects),
        (None, "status") => Some(Storage::Part),
        (None, "scale") => Some(Storage::Scale),
        (None, _) => None,
    }
}

/// Rejects a request if the name is invalid (400), or if the path does not exist for the kind (404)
/// or does not support the method (405).
///
/// Source: k8s.io/apiserver/pkg/endpoints/installer.go for built-in kinds; `crdHandler` in
/// k8s.io/apiextensions-apiserver for custom resources.
fn check_path(request: &ObjectRequest) -> Result<(), StatusError> {
    let kind = &request.kind;
    let name = &request.target.name;
    let wrong = NameRule::PathSegment.errors(name).join(";");
    if !wrong.is_empty() {
        let message = format!("Name parameter invalid: {}: {wrong}", quoted(name));
        return Err(StatusError::bad_request(message));
    }
    match kind.builtin() {
        Some(builtin) => check_builtin(request, builtin),
        None if kind.has_custom_subresource(&request.target.subresource) => Ok(()),
        None => Err(request.not_found()),
    }
}

/// Returns whether the path of a custom resource has a namespace though its kind is cluster-scoped,
/// or lacks the namespace that its kind needs. `crdHandler` leaves such requests to the next
/// handler, which responds with 404.
fn has_mismatched_scope(request: &ObjectRequest) -> bool {
    let of_all_namespaces = [Verb::List, Verb::Watch];
    let is_namespaced_path = !request.target.namespace.is_empty();
    let is_namespaced = request.kind.is_namespaced;
    request.kind.custom().is_some()
        && is_namespaced_path != is_namespaced
        && !(is_namespaced && of_all_namespaces.contains(&request.verb))
}

fn check_builtin(request: &ObjectRequest, builtin: &BuiltinKind) -> Result<(), StatusError> {
    let target = &request.target;
    let is_namespaced_path = !target.namespace.is_empty();
    let is_of_all_namespaces = builtin.namespaced && !is_namespaced_path;
    if is_namespaced_path && !builtin.namespaced || is_of_all_namespaces && !target.name.is_empty()
    {
        return Err(StatusError::no_resource());
    }
    let of_path: &[&str] = match (&*target.subresource, target.name.is_empty()) {
        ("", true) if is_of_all_namespaces => &["list", "watch"],
        ("", true) => &["create", "deletecollection", "list", "watch"],
        ("", false) => &["delete", "get", "patch", "update", "watch"],
        _ => &[],
    };
    let mut offered: Vec<_> = of_path
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
        _ if offered.is_empty() => Err(StatusError::no_resource()),
        verb if offered.contains(&&verb) => Ok(()),
        _ => Err(StatusError::method_not_allowed()),
    }
}

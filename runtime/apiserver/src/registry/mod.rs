//! Request handlers for objects. `dispatch` selects a handler by subresource and verb; each handler
//! runs its steps in the order of kube-apiserver.

mod admit;
mod binding;
mod body;
mod codec;
mod create;
mod delete;
mod deletion;
mod eviction;
mod get;
mod log;
mod managed;
mod patch;
mod pipeline;
mod response;
mod review;
mod scale;
mod services;
mod table;
mod token;
mod update;
mod watch;

use std::sync::Arc;

use genclient_apimachinery::validation::NameRule;
use genclient_builtins::kind::BuiltinKind;
use genclient_builtins::types::quoted;

use crate::answer::Answer;
use crate::authorization;
use crate::failure::Failure;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::State;

/// Handles a request for objects.
pub(crate) async fn answer(server: &Arc<State>, request: ObjectRequest) -> Answer {
    let answer = dispatch(server, &request).await;
    let answer = answer.unwrap_or_else(|failure| Answer::failure(&failure));
    answer.warn(request.warnings.into_inner())
}

async fn dispatch(server: &Arc<State>, request: &ObjectRequest) -> Result<Answer, Failure> {
    let kind = &request.kind;
    if has_mismatched_scope(request) {
        return Ok(Answer::plain(404, "404 page not found\n"));
    }
    let has_path = check_path(request);
    if has_path.is_ok() || kind.custom().is_some() {
        request.warn(kind.deprecation());
    }
    has_path?;
    if authorization::is_review(kind) {
        return review::create(server, request).await;
    }
    codec::observe_empty(server, kind);
    match (&*request.target.subresource, request.verb) {
        ("", Verb::Get) => get::get(server, request).await,
        ("", Verb::List) => get::list(server, request).await,
        ("", Verb::Watch) => watch::watch(server, request).await,
        ("", Verb::Create) if kind.group().is_empty() && kind.kind == "Binding" => {
            binding::create_at_bindings(server, request).await
        }
        ("", Verb::Create) => create::create(server, request).await,
        ("" | "status", Verb::Update) => update::update(server, request).await,
        ("" | "status", Verb::Patch) => patch::patch(server, request).await,
        ("status", Verb::Get) => get::get(server, request).await,
        ("", Verb::Delete) => delete::delete(server, request).await,
        ("", Verb::DeleteCollection) => delete::delete_collection(server, request).await,
        ("scale", Verb::Get) if kind.has_subresource("scale") => scale::get(server, request).await,
        ("scale", Verb::Update) if kind.has_subresource("scale") => {
            scale::update(server, request).await
        }
        ("scale", Verb::Patch) if kind.has_subresource("scale") => {
            scale::patch(server, request).await
        }
        ("token", verb) if kind.plural() == "serviceaccounts" => match verb {
            Verb::Create => token::create(server, request).await,
            _ => Err(Failure::method_not_allowed()),
        },
        ("approval" | "ephemeralcontainers" | "resize", verb) if kind.custom().is_none() => {
            match verb {
                Verb::Get => get::get(server, request).await,
                Verb::Patch => patch::patch(server, request).await,
                _ => update::update(server, request).await,
            }
        }
        ("binding", _) if kind.plural() == "pods" => binding::create(server, request).await,
        ("eviction", _) if kind.plural() == "pods" => eviction::create(server, request).await,
        ("log", _) if kind.plural() == "pods" => log::get(server, request),
        ("finalize", Verb::Update) if kind.plural() == "namespaces" => {
            update::update(server, request).await
        }
        (name, _) if kind.custom().is_none() => Err(Failure::not_implemented(&format!(
            "{}/{name}",
            kind.plural()
        ))),
        (_, verb) => Err(Failure::method_not_supported(
            kind.group(),
            kind.plural(),
            verb.as_str(),
        )),
    }
}

/// Rejects a request if the name is invalid (400), or if the path does not exist for the kind (404)
/// or does not support the method (405).
///
/// Source: k8s.io/apiserver/pkg/endpoints/installer.go for built-in kinds; `crdHandler` in
/// k8s.io/apiextensions-apiserver for custom resources.
fn check_path(request: &ObjectRequest) -> Result<(), Failure> {
    let kind = &request.kind;
    let name = &request.target.name;
    let wrong = NameRule::PathSegment.errors(name).join(";");
    if !wrong.is_empty() {
        let message = format!("Name parameter invalid: {}: {wrong}", quoted(name));
        return Err(Failure::bad_request(message));
    }
    match kind.builtin() {
        Some(builtin) => check_builtin(request, builtin),
        None if kind.has_subresource(&request.target.subresource) => Ok(()),
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

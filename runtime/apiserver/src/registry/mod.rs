//! Request handlers for objects, with the steps of each verb in the order of kube-apiserver.

mod admit;
mod body;
mod collection;
mod create;
mod delete;
mod grace;
mod list;
mod managed;
mod output;
mod patch;
mod paths;
mod pipeline;
mod preconditions;
mod review;
mod scale;
mod services;
mod tables;
mod token;
mod update;
mod versions;
mod watch;

use std::sync::Arc;

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
    if paths::is_elsewhere(request) {
        return Ok(Answer::plain(404, "404 page not found\n"));
    }
    let has_path = paths::check(request);
    if has_path.is_ok() || kind.custom().is_some() {
        request.warn(kind.deprecation());
    }
    has_path?;
    if authorization::is_review(kind) {
        return review::create(server, request).await;
    }
    versions::observe_empty(server, kind);
    match (&*request.target.subresource, request.verb) {
        ("", Verb::Get) => list::get(server, request).await,
        ("", Verb::List) => list::list(server, request).await,
        ("", Verb::Watch) => watch::watch(server, request).await,
        ("", Verb::Create) if kind.group().is_empty() && kind.kind == "Binding" => {
            Err(Failure::not_implemented("bindings"))
        }
        ("", Verb::Create) => create::create(server, request).await,
        ("", Verb::Update) | ("status", Verb::Update) => update::update(server, request).await,
        ("", Verb::Patch) | ("status", Verb::Patch) => patch::patch(server, request).await,
        ("status", Verb::Get) => list::get(server, request).await,
        ("", Verb::Delete) => delete::delete(server, request).await,
        ("", Verb::DeleteCollection) => collection::delete(server, request).await,
        ("scale", Verb::Get) if kind.has_scale() => scale::get(server, request).await,
        ("scale", Verb::Update) if kind.has_scale() => scale::update(server, request).await,
        ("scale", Verb::Patch) if kind.has_scale() => scale::patch(server, request).await,
        ("token", verb) if kind.plural() == "serviceaccounts" => match verb {
            Verb::Create => token::create(server, request).await,
            _ => Err(Failure::method_not_allowed()),
        },
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

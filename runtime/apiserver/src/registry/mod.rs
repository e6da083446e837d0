//! Reads and writes of objects, each in the order of steps in which the API server takes them.

mod body;
mod collection;
mod create;
mod delete;
pub(crate) mod finalizers;
mod grace;
mod list;
mod managed;
pub(crate) mod metadata;
mod output;
mod patch;
mod pipeline;
mod preconditions;
mod review;
mod scale;
mod tables;
mod update;
mod watch;

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use parking_lot::Mutex;

use crate::answer::Answer;
use crate::authorization::{self, User};
use crate::clock::Clock;
use crate::failure::Failure;
use crate::kinds::Kind;
use crate::query::Query;
use crate::route::{Target, Verb};
use crate::server::Inner;
use crate::store::Key;

/// A request for objects of a kind.
pub(crate) struct ObjectRequest {
    pub(crate) verb: Verb,
    pub(crate) target: Target,
    pub(crate) kind: Arc<Kind>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Ages in tables go by it.
    pub(crate) clock: Clock,
    pub(crate) user: Arc<User>,
    /// Warnings of the answer, also of one that refuses the request.
    pub(crate) warnings: Mutex<Vec<String>>,
}

impl ObjectRequest {
    fn key(&self) -> Key {
        Key::new(&self.target.namespace, &self.target.name)
    }

    fn warn(&self, warnings: impl IntoIterator<Item = String>) {
        self.warnings.lock().extend(warnings);
    }

    /// The 404 of the named object.
    fn not_found(&self) -> Failure {
        Failure::not_found(self.kind.group(), self.kind.plural(), &self.target.name)
    }
}

/// Answers a request for objects.
pub(crate) async fn answer(server: &Arc<Inner>, request: ObjectRequest) -> Answer {
    request.warn(request.kind.deprecation());
    let answer = dispatch(server, &request).await;
    let answer = answer.unwrap_or_else(|failure| Answer::failure(&failure));
    answer.warn(request.warnings.into_inner())
}

async fn dispatch(server: &Arc<Inner>, request: &ObjectRequest) -> Result<Answer, Failure> {
    let kind = &request.kind;
    let is_namespaced_path = !request.target.namespace.is_empty();
    let takes_all_namespaces = matches!(
        request.verb,
        Verb::List | Verb::Watch | Verb::DeleteCollection
    );
    if is_namespaced_path != kind.is_namespaced && !(kind.is_namespaced && takes_all_namespaces) {
        return Err(Failure::no_resource());
    }
    if authorization::is_review(kind) {
        return review::create(server, request);
    }
    match (&*request.target.subresource, request.verb) {
        ("", Verb::Get) => list::get(server, request).await,
        ("", Verb::List) => list::list(server, request).await,
        ("", Verb::Watch) => watch::watch(server, request),
        ("", Verb::Create) => create::create(server, request).await,
        ("", Verb::Update) | ("status", Verb::Update) => update::update(server, request).await,
        ("", Verb::Patch) | ("status", Verb::Patch) => patch::patch(server, request).await,
        ("status", Verb::Get) => list::get(server, request).await,
        ("", Verb::Delete) => delete::delete(server, request).await,
        ("", Verb::DeleteCollection) if !kind.has_verb("deletecollection") => {
            Err(Failure::method_not_allowed())
        }
        ("", Verb::DeleteCollection) => collection::delete(server, request).await,
        ("scale", Verb::Get) if kind.has_scale() => scale::get(server, request),
        ("scale", Verb::Update) if kind.has_scale() => scale::update(server, request),
        ("scale", Verb::Patch) if kind.has_scale() => scale::patch(server, request),
        ("finalize", Verb::Update) if kind.plural() == "namespaces" => {
            update::update(server, request).await
        }
        (name @ ("exec" | "attach" | "portforward" | "log" | "proxy"), _) => Err(
            Failure::not_implemented(&format!("{}/{name}", kind.plural())),
        ),
        (name @ ("status" | "scale"), verb) => Err(Failure::method_not_supported(
            kind.group(),
            &format!("{}/{name}", kind.plural()),
            verb.as_str(),
        )),
        _ if kind.custom().is_none() => Err(Failure::no_resource()),
        _ => Err(request.not_found()),
    }
}

//! Requests that controllers send to their own server. Injected faults do not apply to them, and
//! [`ApiServer::requests`](crate::ApiServer::requests) does not list them.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::api_response::{ApiResponse, ApiResponseBody};
use crate::controller_queue::ObjectId;
use crate::deadline::RequestDeadline;
use crate::kinds::Kind;
use crate::query::Query;
use crate::rbac::User;
use crate::rbac::user::MASTERS;
use crate::registry;
use crate::request::ObjectRequest;
use crate::route::{RequestInfo, Verb};
use crate::state::ServerState;
use crate::store::{GroupResource, Key};
use crate::stored::Stored;

/// Program that a controller is part of in a cluster.
#[derive(Clone, Copy)]
pub(super) struct ControllerProgram {
    /// User agent of its requests. The part before the slash becomes the field manager.
    user_agent: &'static str,
    user: &'static str,
}

pub(super) const CONTROLLER_MANAGER: ControllerProgram = ControllerProgram {
    user_agent: "kube-controller-manager/v1.36.3",
    user: "system:kube-controller-manager",
};
pub(super) const API_SERVER: ControllerProgram = ControllerProgram {
    user_agent: "kube-apiserver/v1.36.3",
    user: "system:apiserver",
};

const JSON_MEDIA_TYPE: &str = "application/json";
const MERGE_PATCH_MEDIA_TYPE: &str = "application/merge-patch+json";

/// Error response to a request of a controller.
#[derive(Clone, Debug)]
pub(super) struct RefusedRequest {
    pub(super) code: u16,
    pub(super) message: String,
}

/// Client with which one controller sends requests.
pub(super) struct ControllerClient<'a> {
    server: &'a Arc<ServerState>,
    program: ControllerProgram,
}

impl<'a> ControllerClient<'a> {
    pub(super) fn new(server: &'a Arc<ServerState>, program: ControllerProgram) -> Self {
        Self { server, program }
    }

    /// Deletes an object on the condition that its owner references are unchanged since `live`.
    /// Other changes are accepted.
    pub(super) async fn delete(
        &self,
        live: &Live,
        propagation: &str,
    ) -> Result<(), RefusedRequest> {
        let mut options = json!({
            "preconditions": {
                "uid": live.stored.uid,
                "resourceVersion": live.stored.version().to_string(),
            },
            "propagationPolicy": propagation,
        });
        let deleted = self
            .send_for_object(live, Verb::Delete, "", JSON_MEDIA_TYPE, &options)
            .await;
        let is_conflict = deleted.as_ref().is_err_and(|refusal| refusal.code == 409);
        let newer = live.refresh(self.server).filter(|_| is_conflict);
        if newer.is_none_or(|newer| newer.stored.owners != live.stored.owners) {
            return deleted;
        }
        options["preconditions"] = json!({ "uid": live.stored.uid });
        self.send_for_object(live, Verb::Delete, "", JSON_MEDIA_TYPE, &options)
            .await
    }

    /// Patches one field of an object's metadata on the condition that the object is unchanged
    /// since `live`.
    pub(super) async fn patch_metadata(
        &self,
        live: &Live,
        field: &str,
        value: Value,
    ) -> Result<(), RefusedRequest> {
        let version = live.stored.version().to_string();
        let patch = json!({ "metadata": { "resourceVersion": version, field: value } });
        self.send_for_object(live, Verb::Patch, "", MERGE_PATCH_MEDIA_TYPE, &patch)
            .await
    }

    /// Updates a subresource of an object, or the object itself if `subresource` is empty.
    pub(super) async fn update(
        &self,
        live: &Live,
        subresource: &str,
        object: &Value,
    ) -> Result<(), RefusedRequest> {
        self.send_for_object(live, Verb::Update, subresource, JSON_MEDIA_TYPE, object)
            .await
    }

    /// Deletes all objects of a kind in a namespace. For a cluster-scoped kind, `namespace` is
    /// empty.
    pub(super) async fn delete_collection(
        &self,
        kind: &Arc<Kind>,
        namespace: &str,
        propagation: Option<&str>,
    ) -> Result<(), RefusedRequest> {
        let target = request_info(kind, namespace, "", "");
        let options = match propagation {
            Some(propagation) => json!({ "propagationPolicy": propagation }),
            None => json!({}),
        };
        let verb = Verb::DeleteCollection;
        self.send(kind, target, verb, JSON_MEDIA_TYPE, &options)
            .await
    }

    async fn send_for_object(
        &self,
        live: &Live,
        verb: Verb,
        subresource: &str,
        media_type: &'static str,
        body: &Value,
    ) -> Result<(), RefusedRequest> {
        let stored = &live.stored;
        let target = request_info(&live.kind, &stored.namespace, &stored.name, subresource);
        self.send(&live.kind, target, verb, media_type, body).await
    }

    async fn send(
        &self,
        kind: &Arc<Kind>,
        target: RequestInfo,
        verb: Verb,
        media_type: &'static str,
        body: &Value,
    ) -> Result<(), RefusedRequest> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(
            USER_AGENT,
            HeaderValue::from_static(self.program.user_agent),
        );
        let deadline = RequestDeadline::for_write();
        let request = ObjectRequest {
            verb,
            target,
            kind: Arc::clone(kind),
            query: Query::default(),
            headers,
            body: Bytes::from(body.to_string()),
            user: Arc::new(User::new(self.program.user).group(MASTERS)),
            clock: self.server.clock,
            deadline: Some(deadline),
            warnings: Mutex::default(),
        };
        let handled = Box::pin(async { Ok(registry::answer(self.server, request).await) });
        let response = deadline
            .limit(handled)
            .await
            .unwrap_or_else(|error| ApiResponse::from_error(&error));
        if response.code < 400 {
            return Ok(());
        }
        let status: Value = match &response.body {
            ApiResponseBody::Json(text, _) => serde_json::from_slice(text).unwrap_or_default(),
            _ => Value::Null,
        };
        let refusal = RefusedRequest {
            code: response.code,
            message: status["message"].as_str().unwrap_or_default().to_owned(),
        };
        let (user, code, message) = (self.program.user, refusal.code, &refusal.message);
        tracing::debug!(user, code, message, "a controller's request was refused");
        Err(refusal)
    }
}

fn request_info(kind: &Kind, namespace: &str, name: &str, subresource: &str) -> RequestInfo {
    RequestInfo {
        group: kind.group().to_owned(),
        version: kind.version.clone(),
        plural: kind.plural().to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        subresource: subresource.to_owned(),
        is_watch_path: false,
    }
}

/// Current state of an object, with its kind.
pub(super) struct Live {
    pub(super) kind: Arc<Kind>,
    pub(super) stored: Arc<Stored>,
}

impl Live {
    /// Returns the object with this identity. `None` means that it no longer exists or its kind is
    /// not served.
    pub(super) fn find(server: &ServerState, id: &ObjectId) -> Option<Self> {
        let stored = server.store.get(&id.resource, &id.key)?;
        let live = Self::with_kind(server, &id.resource, stored)?;
        (live.stored.uid == id.uid).then_some(live)
    }

    /// Returns the object in its current state, if it still exists.
    pub(super) fn refresh(&self, server: &ServerState) -> Option<Self> {
        let key = Key::new(&self.stored.namespace, &self.stored.name);
        let stored = server.store.get(&self.kind.resource, &key)?;
        let kind = Arc::clone(&self.kind);
        (stored.uid == self.stored.uid).then_some(Self { kind, stored })
    }

    pub(super) fn with_kind(
        server: &ServerState,
        resource: &GroupResource,
        stored: Arc<Stored>,
    ) -> Option<Self> {
        let kind = server.kinds.preferred(resource)?;
        Some(Self { kind, stored })
    }
}

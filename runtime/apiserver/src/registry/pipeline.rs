//! Write pipeline: the steps that all writes share, from the decoded body to the store.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::answer::Answer;
use crate::commit::commit;
use crate::failure::Failure;
use crate::metadata;
use crate::query::WriteOptions;
use crate::registry::codec::Encoded;
use crate::registry::response::View;
use crate::registry::{codec, response};
use crate::request::ObjectRequest;
use crate::state::State;
use crate::store::{Key, Raced};
use crate::stored::Stored;

/// Write request in progress. Its methods are the steps of the write.
pub(super) struct Write<'a> {
    server: &'a Arc<State>,
    request: &'a ObjectRequest,
    options: &'a WriteOptions,
    /// Representation of the answer. A request that accepts none is refused before anything is
    /// decoded or written.
    view: View,
    /// Name of a new object before plug-ins run. Empty if the server generates the name.
    pub(super) sent_name: OnceLock<String>,
}

impl<'a> Write<'a> {
    pub(super) fn new(
        server: &'a Arc<State>,
        request: &'a ObjectRequest,
        options: &'a WriteOptions,
        view: View,
    ) -> Self {
        Self {
            server,
            request,
            options,
            view,
            sent_name: OnceLock::new(),
        }
    }

    pub(super) fn server(&self) -> &'a Arc<State> {
        self.server
    }

    pub(super) fn request(&self) -> &'a ObjectRequest {
        self.request
    }

    pub(super) fn options(&self) -> &'a WriteOptions {
        self.options
    }

    pub(super) fn view(&self) -> View {
        self.view
    }

    /// Checks that the namespace of a new object exists, and that neither this namespace nor the
    /// CustomResourceDefinition of the kind is being deleted.
    pub(super) fn check_namespace(&self, object: &Value) -> Result<(), Failure> {
        let (server, request) = (self.server, self.request);
        let namespace = &request.target.namespace;
        let kind = &request.kind;
        if kind.custom().is_some_and(|custom| custom.is_terminating) {
            let reason = "create not allowed while custom resource definition is terminating";
            let name = metadata::text(object, "name");
            return Err(Failure::forbidden(
                kind.group(),
                kind.plural(),
                name,
                reason,
            ));
        }
        if namespace.is_empty() {
            return Ok(());
        }
        let Some(found) = server
            .store
            .get(&server.namespaces, &Key::new("", namespace))
        else {
            return Err(Failure::not_found("", "namespaces", namespace));
        };
        match found.is_deleting {
            false => Ok(()),
            true => {
                let reason = format!(
                    "unable to create new content in namespace {namespace} because it is being \
                     terminated"
                );
                let message = format!("namespace {namespace} is being terminated");
                let names = ["name", "generateName"].map(|field| metadata::text(object, field));
                let name = names.into_iter().find(|name| !name.is_empty());
                let name = name.unwrap_or("Unknown");
                let failure = Failure::forbidden(kind.group(), kind.plural(), name, &reason);
                Err(failure.with_cause("NamespaceTerminating", &message, "metadata.namespace"))
            }
        }
    }

    /// Returns the live object in the version of the request. A write starts from this state.
    pub(super) async fn start_from(&self, live: &Arc<Stored>) -> Result<Value, Failure> {
        match self.cached_state(live).await? {
            Some(object) => Ok(object),
            None => codec::converted(self.server, &self.request.kind, live).await,
        }
    }

    /// Returns the cached result of the conversion webhook for the live object, in the version of
    /// the request. Returns `None` in a dry run, or if nothing is cached.
    ///
    /// The cached object is also converted back to the storage version. kube-apiserver does so to
    /// detect writes that change nothing. Here, the result is unused.
    ///
    /// # Errors
    ///
    /// If the webhook cannot convert the object back.
    pub(super) async fn cached_state(&self, live: &Stored) -> Result<Option<Value>, Failure> {
        let (server, kind) = (self.server, &self.request.kind);
        let cached = kind.webhook_versions().filter(|_| !self.options.dry_run);
        let cached = cached.and_then(|known| live.converted.get(known.id, &kind.version));
        let Some(cached) = cached else {
            return Ok(None);
        };
        let object = codec::converted(server, kind, &cached).await?;
        codec::encoded(server, kind, object.clone()).await?;
        Ok(Some(object))
    }

    /// Converts an object to the storage version and encodes it for the store.
    pub(super) async fn encoded(&self, object: Value) -> Result<Encoded, Failure> {
        let kind = &self.request.kind;
        let mut encoded = codec::encoded(self.server, kind, object).await?;
        if let Some(custom) = kind.custom().filter(|_| self.needs_admission())
            && kind.version == custom.versions.stored
        {
            // Drop undeclared fields that plug-ins may have added.
            codec::reread(&custom.schema, &mut encoded.object);
        }
        if let Some(custom) = kind
            .custom()
            .filter(|_| self.request.target.subresource == "scale")
            && kind.version == custom.versions.stored
        {
            let versions = &custom.versions;
            encoded.schema_id = codec::schema_id(versions, &custom.schema, &encoded.object);
        }
        Ok(encoded)
    }

    /// Writes the object, or deletes it if `encoded` is `None`. A dry run changes nothing and
    /// returns the object to write or, for a deletion, the live object.
    pub(super) fn commit(
        &self,
        key: &Key,
        live: Option<&Arc<Stored>>,
        encoded: Option<Encoded>,
    ) -> Result<Arc<Stored>, Raced> {
        let kind = &self.request.kind;
        let schema_id = encoded.as_ref().map_or(0, |encoded| encoded.schema_id);
        let object = encoded.map(|encoded| encoded.object);
        if self.options.dry_run {
            let sent = object
                .as_ref()
                .map(|it| metadata::text(it, "resourceVersion"));
            let sent = sent.and_then(|sent| sent.parse().ok());
            let version = live.map_or(sent.unwrap_or_default(), |live| live.version());
            let dry = object.map(|object| Stored::for_response(object, version, schema_id));
            return dry.map(Arc::new).or_else(|| live.cloned()).ok_or(Raced);
        }
        commit(self.server, kind, key, live, object, schema_id)
    }

    /// Returns the response with the stored object in the version of the request.
    pub(super) async fn answer(&self, code: u16, stored: &Arc<Stored>) -> Result<Answer, Failure> {
        let kind = &self.request.kind;
        let shown = codec::shown(self.server, kind, stored).await?;
        Ok(response::object(code, kind, &shown, self.view))
    }
}

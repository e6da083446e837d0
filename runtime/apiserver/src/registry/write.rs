//! Writes: the steps of a create, an update and a deletion, in the order in which they run.
//!
//! Source: `Store.Create`, `Store.Update` and `Store.Delete` in k8s.io/apiserver,
//! pkg/registry/generic/registry, store.go; `BeforeCreate` and `BeforeUpdate` in pkg/registry/rest.

use std::sync::{Arc, OnceLock};

use genclient_apimachinery::{field, go};
use genclient_builtins::strategy::Creation;
use genclient_merge::ssa;
use serde_json::{Value, json};

use crate::api_response::ApiResponse;
use crate::commit::commit;
use crate::query::{DeleteOptions, WriteOptions};
use crate::registry::deletion::Deletion;
use crate::registry::response::Representation;
use crate::registry::{codec, deletion, response, services};
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::{Key, Raced};
use crate::stored::{Encoded, Stored};
use crate::{authorization, deadline, go_numbers, metadata};

/// Maximum number of attempts to generate a name that is not in use.
const MAX_ATTEMPTS: usize = 8;

/// Write request in progress. Its methods are the steps of the write.
pub(super) struct Write<'a> {
    pub server: &'a Arc<ServerState>,
    pub request: &'a ObjectRequest,
    pub options: &'a WriteOptions,
    /// Representation of the answer. A request that accepts none is refused before anything is
    /// decoded or written.
    pub representation: Representation,
    /// Name of a new object before plug-ins run. Empty if the server generates the name.
    pub sent_name: OnceLock<String>,
}

/// Source of the object that an update writes (`rest.UpdatedObjectInfo`): what PUT, patch, apply
/// and scale do differently.
pub(super) trait UpdatedObject: Sync {
    /// Returns whether a missing object is created (`AllowCreateOnUpdate`).
    fn creates(&self, _write: &Write<'_>) -> bool {
        false
    }

    /// Returns the object to write, with its managed fields. `old` is `None` if it is to be
    /// created.
    fn updated_object(
        &self,
        write: &Write<'_>,
        old: Option<&Value>,
    ) -> impl Future<Output = Result<Updated, StatusError>> + Send;

    /// Runs mutating admission. A Scale has been through it before it became an object.
    fn admit(
        &self,
        write: &Write<'_>,
        object: Value,
        old: Option<&Value>,
    ) -> impl Future<Output = Result<Value, StatusError>> + Send {
        write.admit_mutating(object, old)
    }

    /// Returns what validating plug-ins see of an object.
    fn admission_view(&self, _write: &Write<'_>, object: &Value) -> Result<Value, StatusError> {
        Ok(object.clone())
    }
}

/// Object that an update writes.
pub(super) struct Updated {
    pub object: Value,
    /// Whether the update is repeated after a concurrent write: the client has named no version.
    pub is_unconditional: bool,
}

/// Result of a deletion.
pub(super) enum Deleted {
    /// The object is marked and still exists: finalizers, a grace period or namespace contents
    /// delay its removal.
    Remains(Arc<Stored>),
    Gone(Arc<Stored>),
}

impl<'a> Write<'a> {
    pub fn new(
        server: &'a Arc<ServerState>,
        request: &'a ObjectRequest,
        options: &'a WriteOptions,
        representation: Representation,
    ) -> Self {
        Self {
            server,
            request,
            options,
            representation,
            sent_name: OnceLock::new(),
        }
    }

    /// Returns the stored state of the object that the request names.
    pub fn live(&self) -> Option<Arc<Stored>> {
        let request = self.request;
        self.server
            .store
            .get(&request.kind.resource, &request.key())
    }

    /// Creates an object whose managed fields are set, after mutating admission.
    pub async fn create(&self, mut object: Value) -> Result<Arc<Stored>, StatusError> {
        let (server, request) = (self.server, self.request);
        authorization::check_escalation(server, request, &object, None)?;
        self.before_create(&mut object);
        let prefix = metadata::str_field(&object, "generateName").to_owned();
        let is_generated = metadata::str_field(&object, "name").is_empty() && !prefix.is_empty();
        let mut attempts = 0;
        loop {
            if is_generated {
                let name = server.seed.name(&prefix);
                metadata::set_field(&mut object, "name", Some(name.into()));
            }
            request.kind.canonicalize(&mut object);
            self.validate(&object, None)?;
            if request.verb != Verb::Create {
                authorization::check_create(server, &request.user, &request.target)?;
            }
            authorization::check_owners(server, request, &object, None)?;
            self.admit_validating(&object, None).await?;
            self.check_version_of_new(&object)?;
            attempts += 1;
            match self.insert(&object).await {
                Err(failure) if failure.is_raced && is_generated && attempts < MAX_ATTEMPTS => {}
                inserted => return inserted,
            }
        }
    }

    /// Updates the live object until no other write interferes (`GuaranteedUpdate`), or creates the
    /// object. Returns the code of the answer and the object.
    pub async fn update(
        &self,
        source: &impl UpdatedObject,
    ) -> Result<(u16, Arc<Stored>), StatusError> {
        loop {
            let state = match self.live() {
                Some(live) => Some((self.start_from(&live).await?, live)),
                None if source.creates(self) => None,
                None => return Err(self.request.not_found()),
            };
            let old = state.as_ref().map(|(old, _)| old);
            let updated = source.updated_object(self, old).await?;
            let object = source.admit(self, updated.object, old).await?;
            let written = match &state {
                Some((old, live)) => {
                    let replaced = self.replace(source, live, old, object).await;
                    replaced.map(|stored| (200, stored))
                }
                None => self.create(object).await.map(|stored| (201, stored)),
            };
            match written {
                Err(failure) if failure.is_raced && updated.is_unconditional => {}
                written => return written,
            }
        }
    }

    /// Replaces the live object by `object`, whose managed fields are set, after mutating
    /// admission.
    async fn replace(
        &self,
        source: &impl UpdatedObject,
        live: &Arc<Stored>,
        old: &Value,
        mut object: Value,
    ) -> Result<Arc<Stored>, StatusError> {
        let (server, request) = (self.server, self.request);
        self.check_uid(&object, old)?;
        authorization::check_escalation(server, request, &object, Some(old))?;
        self.check_version(&object, live)?;
        self.before_update(&mut object, old);
        self.validate(&object, Some(old))?;
        ssa::keep_unchanged_times(old, &mut object);
        authorization::check_owners(server, request, &object, Some(old))?;
        if self.needs_admission() {
            let seen = source.admission_view(self, &object)?;
            let old_seen = source.admission_view(self, old)?;
            self.admit_validating(&seen, Some(&old_seen)).await?;
        }
        self.store_update(live, object).await
    }

    /// Deletes an object, with a retry after each concurrent write.
    pub async fn delete(&self, key: &Key, options: &DeleteOptions) -> Result<Deleted, StatusError> {
        let (server, kind) = (self.server, &self.request.kind);
        let is_collection = self.request.verb == Verb::DeleteCollection;
        deletion::check_immortal(kind, key.name())?;
        let mut attempts = 0;
        loop {
            let Some(live) = server.store.get(&kind.resource, key) else {
                return Err(StatusError::not_found(
                    kind.group(),
                    kind.plural(),
                    key.name(),
                ));
            };
            let now = server.clock.now();
            let old = codec::decode_stored(server, kind, &live).await?;
            // DELETE of a collection ignores the special rules of Namespace and
            // CustomResourceDefinition.
            let deletion = if is_collection {
                deletion::begin_generic_deletion(kind, &live, old.clone(), options, now)
            } else {
                deletion::begin_deletion(kind, &live, old.clone(), options, now)
            }?;
            self.cached_state(&live).await?;
            let admitted_options = if is_collection {
                options.json.clone()
            } else {
                deletion.options(kind, &options.json)
            };
            for state in deletion.admitted(&old, options.dry_run) {
                self.admit_deletion(state, &admitted_options).await?;
            }
            let deletion = self.encode_deletion(deletion).await?;
            if let Ok(deleted) = self.finish_deletion(key, &live, deletion) {
                return Ok(deleted);
            }
            deadline::back_off(attempts).await;
            attempts += 1;
        }
    }

    /// Sets the fields that the server decides, such as uid, creation time and generation.
    fn before_create(&self, object: &mut Value) {
        let (server, kind) = (self.server, &self.request.kind);
        let (uid, now) = (server.seed.uid(), server.clock.timestamp());
        metadata::set_field(object, "selfLink", None);
        metadata::set_field(object, "uid", Some(uid.as_str().into()));
        metadata::set_field(object, "creationTimestamp", Some(now.as_str().into()));
        let mut creation = Creation {
            uid: &uid,
            now: &now,
            cluster_ip: &mut || services::free_ip(server, kind),
            node_port: &mut || services::free_port(server, kind),
            warnings: Vec::new(),
        };
        kind.prepare_for_create(object, &mut creation);
        self.request.warn(creation.warnings);
    }

    /// Restores the fields that an update cannot change. Increments the generation if a field
    /// changes that counts for it.
    fn before_update(&self, object: &mut Value, old: &Value) {
        let (kind, subresource) = (&self.request.kind, &*self.request.target.subresource);
        kind.prepare_for_update(subresource, object, old);
        for field in ["uid", "creationTimestamp", "generation", "resourceVersion"] {
            metadata::set_field(object, field, old["metadata"].get(field).cloned());
        }
        metadata::set_field(object, "selfLink", None);
        keep_deletion(object, old);
        if kind.changes_generation(subresource, object, old) {
            let generation = old["metadata"]["generation"].as_i64().unwrap_or_default();
            metadata::set_field(object, "generation", Some((generation + 1).into()));
        }
    }

    /// Validates a new object, or the update of an object or a subresource.
    fn validate(&self, object: &Value, old: Option<&Value>) -> Result<(), StatusError> {
        let request = self.request;
        let (kind, subresource) = (&request.kind, &*request.target.subresource);
        if kind.allocates_addresses() && !self.options.dry_run {
            services::check_allocated(self.server, request, object)?;
        }
        let mut warnings = Vec::new();
        let causes = kind.validate(subresource, object, old, &mut warnings);
        request.warn(warnings);
        self.refuse(object, causes)?;
        request.warn(kind.warnings(subresource, object, old));
        Ok(())
    }

    fn refuse(&self, object: &Value, causes: field::ErrorList) -> Result<(), StatusError> {
        let kind = &self.request.kind;
        if causes.is_empty() {
            return Ok(());
        }
        // The message names kind and group as the object states them. If they are wrong, one of the
        // causes says so.
        let text = |field: &str| object[field].as_str();
        let named = text("kind").unwrap_or(&kind.kind);
        let group = text("apiVersion").map_or(&*kind.resource.group, |version| {
            version.split_once('/').map_or("", |(group, _)| group)
        });
        let name = metadata::str_field(object, "name");
        Err(StatusError::invalid(group, named, name, causes))
    }

    fn check_uid(&self, object: &Value, old: &Value) -> Result<(), StatusError> {
        let (found, expected) = (
            metadata::str_field(object, "uid"),
            metadata::str_field(old, "uid"),
        );
        if found.is_empty() || found == expected {
            return Ok(());
        }
        let request = self.request;
        if request.verb == Verb::Patch {
            // kube-apiserver validates the uid twice, with the rules of all kinds and with those of
            // this kind, so the error has the same cause twice.
            let cause = field::Error::invalid("metadata.uid", &found.into(), "field is immutable");
            let causes = vec![cause.clone(), cause];
            let (group, kind) = (request.kind.group(), &request.kind.kind);
            return Err(StatusError::invalid(
                group,
                kind,
                &request.target.name,
                causes,
            ));
        }
        Err(self.wrong_uid(found, expected))
    }

    /// Returns the error of a write with the uid `found`. `expected` is empty if there is no live
    /// object.
    pub fn wrong_uid(&self, found: &str, expected: &str) -> StatusError {
        let (kind, target) = (&self.request.kind, &self.request.target);
        let registry = if self.options.dry_run {
            ""
        } else {
            "/registry"
        };
        let (prefix, key) = (kind.storage_prefix(), self.request.key());
        let reason = format!(
            "StorageError: invalid object, Code: 4, Key: {registry}/{prefix}/{}, \
             ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: \
             {found}, UID in object meta: {expected}",
            key.as_str()
        );
        StatusError::conflict(kind.group(), kind.plural(), &target.name, &reason)
    }

    /// Checks that an update names the live version or, unless the kind requires one, no version.
    fn check_version(&self, object: &Value, live: &Stored) -> Result<(), StatusError> {
        let (kind, name) = (&self.request.kind, &self.request.target.name);
        let version = metadata::str_field(object, "resourceVersion");
        if version.is_empty() || version == "0" {
            if !kind.flags.conditional_update {
                return Ok(());
            }
            let detail = "must be specified for an update";
            let cause = field::Error::invalid("metadata.resourceVersion", &json!(0), detail);
            let causes = vec![cause];
            return Err(StatusError::invalid(
                kind.group(),
                kind.plural(),
                name,
                causes,
            ));
        }
        match go::parse_uint(version) {
            Ok(version) if version == live.version() => Ok(()),
            Ok(_) => Err(StatusError::modified(kind.group(), kind.plural(), name)),
            Err(error) => Err(StatusError::unknown(500, error)),
        }
    }

    /// Rejects a resource version in a POST. One that is not a number counts as absent, as in
    /// kube-apiserver.
    fn check_version_of_new(&self, object: &Value) -> Result<(), StatusError> {
        let version = go::parse_uint(metadata::str_field(object, "resourceVersion"));
        let has_version = version.is_ok_and(|version| version != 0);
        if self.request.verb == Verb::Create && has_version && !self.options.dry_run {
            let message = "resourceVersion should not be set on objects to be created";
            return Err(StatusError::unknown(500, message));
        }
        Ok(())
    }

    /// Stores a new object. The error is raced if the name is in use.
    async fn insert(&self, object: &Value) -> Result<Arc<Stored>, StatusError> {
        let (server, kind) = (self.server, &self.request.kind);
        let name = metadata::str_field(object, "name");
        let key = Key::new(&self.request.target.namespace, name);
        let find = || server.store.get(&kind.resource, &key);
        let mut live = find();
        // As in kube-apiserver, a dry run encodes the object only if the name is free. Clients may
        // notice the difference: encoding may call a conversion webhook, which may fail.
        if live.is_none() || !self.options.dry_run {
            let encoded = self.encode(object.clone()).await?;
            live = find();
            if live.is_none() {
                match self.commit(&key, None, Some(encoded)) {
                    Ok(stored) => return Ok(stored),
                    Err(Raced) => live = find(),
                }
            }
        }
        let is_deleting = live.is_some_and(|live| live.is_deleting);
        let (group, plural) = (kind.group(), kind.plural());
        Err(StatusError::already_exists(group, plural, name, is_deleting).raced())
    }

    /// Stores an updated object, or removes it if it is being deleted and nothing delays that.
    async fn store_update(
        &self,
        live: &Arc<Stored>,
        mut object: Value,
    ) -> Result<Arc<Stored>, StatusError> {
        let (kind, name) = (&self.request.kind, &self.request.target.name);
        let key = self.request.key();
        let modified = |Raced| StatusError::modified(kind.group(), kind.plural(), name).raced();
        if deletion::should_delete_during_update(kind, &object) {
            let schema_id = kind.custom().map_or(0, |custom| custom.versions.id);
            go_numbers::convert_to_integers(&mut object);
            let last = Stored::for_response(object, live.version(), schema_id);
            self.commit(&key, Some(live), None).map_err(modified)?;
            return Ok(Arc::new(last));
        }
        let encoded = self.encode(object).await?;
        if encoded.is_same(live) {
            return Ok(Arc::clone(live));
        }
        self.commit(&key, Some(live), Some(encoded))
            .map_err(modified)
    }

    /// Checks that the namespace of a new object exists, and that neither this namespace nor the
    /// CustomResourceDefinition of the kind is being deleted.
    pub fn check_namespace_lifecycle(&self, object: &Value) -> Result<(), StatusError> {
        let (server, request) = (self.server, self.request);
        let namespace = &request.target.namespace;
        let kind = &request.kind;
        if kind.custom().is_some_and(|custom| custom.is_terminating) {
            let reason = "create not allowed while custom resource definition is terminating";
            let name = metadata::str_field(object, "name");
            return Err(StatusError::forbidden(
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
            return Err(StatusError::not_found("", "namespaces", namespace));
        };
        if !found.is_deleting {
            return Ok(());
        }
        let reason = format!(
            "unable to create new content in namespace {namespace} because it is being terminated"
        );
        let message = format!("namespace {namespace} is being terminated");
        let name = ["name", "generateName"]
            .map(|field| metadata::str_field(object, field))
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or("Unknown");
        let failure = StatusError::forbidden(kind.group(), kind.plural(), name, &reason);
        Err(failure.with_cause("NamespaceTerminating", &message, "metadata.namespace"))
    }

    /// Returns the live object in the version of the request. A write starts from this state.
    async fn start_from(&self, live: &Arc<Stored>) -> Result<Value, StatusError> {
        match self.cached_state(live).await? {
            Some(object) => Ok(object),
            None => codec::decode_stored(self.server, &self.request.kind, live).await,
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
    async fn cached_state(&self, live: &Stored) -> Result<Option<Value>, StatusError> {
        let (server, kind) = (self.server, &self.request.kind);
        let cached = kind
            .webhook_versions()
            .filter(|_| !self.options.dry_run)
            .and_then(|known| live.converted.get(known.id, &kind.version));
        let Some(cached) = cached else {
            return Ok(None);
        };
        let object = codec::decode_stored(server, kind, &cached).await?;
        codec::encode(server, kind, object.clone()).await?;
        Ok(Some(object))
    }

    /// Encodes the object of a deletion for the store.
    async fn encode_deletion(
        &self,
        deletion: Deletion<Value>,
    ) -> Result<Deletion<Encoded>, StatusError> {
        Ok(match deletion {
            Deletion::Wait => Deletion::Wait,
            Deletion::Mark(object) => Deletion::Mark(self.encode(object).await?),
            Deletion::Remove => Deletion::Remove,
            Deletion::MarkAndRemove(object) => Deletion::MarkAndRemove(self.encode(object).await?),
        })
    }

    fn finish_deletion(
        &self,
        key: &Key,
        live: &Arc<Stored>,
        deletion: Deletion<Encoded>,
    ) -> Result<Deleted, Raced> {
        match deletion {
            Deletion::Wait => Ok(Deleted::Remains(Arc::clone(live))),
            Deletion::Mark(object) if object.is_same(live) => {
                Ok(Deleted::Remains(Arc::clone(live)))
            }
            Deletion::Mark(object) => self
                .commit(key, Some(live), Some(object))
                .map(Deleted::Remains),
            Deletion::Remove => self.commit(key, Some(live), None).map(Deleted::Gone),
            Deletion::MarkAndRemove(object) => {
                let marked = self.commit(key, Some(live), Some(object))?;
                if self.options.dry_run {
                    Ok(Deleted::Gone(marked))
                } else {
                    self.commit(key, Some(&marked), None).map(Deleted::Gone)
                }
            }
        }
    }

    /// Converts an object to the storage version and encodes it for the store.
    pub async fn encode(&self, object: Value) -> Result<Encoded, StatusError> {
        let kind = &self.request.kind;
        let mut encoded = codec::encode(self.server, kind, object).await?;
        if let Some(custom) = kind.custom().filter(|_| self.needs_admission())
            && kind.version == custom.versions.stored
        {
            // Drop undeclared fields that plug-ins may have added.
            codec::prune(&custom.schema, &mut encoded.object);
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
    pub fn commit(
        &self,
        key: &Key,
        live: Option<&Arc<Stored>>,
        encoded: Option<Encoded>,
    ) -> Result<Arc<Stored>, Raced> {
        if !self.options.dry_run {
            return commit(self.server, &self.request.kind, key, live, encoded);
        }
        let Some(Encoded { object, schema_id }) = encoded else {
            return live.cloned().ok_or(Raced);
        };
        let sent = metadata::str_field(&object, "resourceVersion");
        let version = match live {
            Some(live) => live.version(),
            None => sent.parse().unwrap_or_default(),
        };
        Ok(Arc::new(Stored::for_response(object, version, schema_id)))
    }

    /// Returns the response with the stored object in the version of the request.
    pub async fn answer(
        &self,
        code: u16,
        stored: &Arc<Stored>,
    ) -> Result<ApiResponse, StatusError> {
        let kind = &self.request.kind;
        let shown = codec::for_response(self.server, kind, stored).await?;
        Ok(response::object(code, kind, &shown, self.representation))
    }
}

/// Restores deletion timestamp and grace period, which an update cannot remove
/// (`ValidateObjectMetaAccessorUpdate` in k8s.io/apimachinery/pkg/api/validation/objectmeta.go).
/// Validation rejects an update that adds them.
fn keep_deletion(object: &mut Value, old: &Value) {
    let old = &old["metadata"];
    if let Some(since) = old.get("deletionTimestamp") {
        metadata::set_field(object, "deletionTimestamp", Some(since.clone()));
    }
    if let Some(grace) = old.get("deletionGracePeriodSeconds")
        && object["metadata"]
            .get("deletionGracePeriodSeconds")
            .is_none()
    {
        metadata::set_field(object, "deletionGracePeriodSeconds", Some(grace.clone()));
    }
}

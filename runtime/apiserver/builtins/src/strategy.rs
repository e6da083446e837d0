//! [`Strategy`]: what sets a built-in kind apart when its objects are written, selected and
//! printed.

use std::fmt;

use genclient_apimachinery::field;
use serde_json::Value;

use crate::row::Row;
use crate::selectable::{self, SpecialField};
use crate::warnings::Warnings;

/// Values that the server provides for a new object.
pub struct Creation<'a> {
    /// The uid of the new object.
    pub uid: &'a str,
    /// The current time in the format of `meta/v1.Time`.
    pub now: &'a str,
    /// Returns the next free cluster IP.
    pub cluster_ip: &'a mut dyn FnMut() -> String,
    /// Returns the next free node port.
    pub node_port: &'a mut dyn FnMut() -> u16,
    /// Warnings about what the preparation has changed.
    pub warnings: Vec<String>,
}

/// Rules of a built-in kind beyond those of all kinds, as in `RESTCreateStrategy` and
/// `RESTUpdateStrategy` of k8s.io/apiserver, pkg/registry/rest.
///
/// The defaults of all methods are those of a kind that follows its published schema alone. Objects
/// are decoded and have their defaults.
pub trait Strategy: fmt::Debug + Sync {
    /// Changes an object as the conversion to Kubernetes' internal type does.
    fn convert(&self, _object: &mut Value) {}

    /// Converts an object from the kind that shares its stored objects with this one.
    fn convert_from_equivalent(&self, object: Value) -> Value {
        object
    }

    /// Returns group, version and plural of the kind in whose form the objects are stored, unless
    /// it is this kind.
    fn stored_as(&self) -> Option<(&'static str, &'static str, &'static str)> {
        None
    }

    /// Returns the paths of lists that stay in a decoded object even if they are empty.
    fn kept_empty_lists(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether a create sets the status to the zero value of its Go type.
    fn resets_status(&self) -> bool {
        true
    }

    /// Sets the fields of a new object whose values the server decides, and removes those of
    /// disabled features.
    fn prepare_for_create(&self, _object: &mut Value, _creation: &mut Creation<'_>) {}

    /// Restores the fields that an update does not change. The status is restored already.
    fn prepare_for_update(&self, _new: &mut Value, _old: &Value) {}

    /// Returns whether a change of the annotations increments the generation.
    fn counts_annotations(&self) -> bool {
        false
    }

    /// Restores the fields that an update of the status does not change, besides those of all
    /// kinds.
    fn prepare_for_status_update(&self, _new: &mut Value, _old: &Value) {}

    /// Completes a new object after its name has been generated.
    fn canonicalize(&self, _object: &mut Value) {}

    /// Returns whether the validation of the kind includes the metadata.
    fn validates_metadata(&self) -> bool {
        false
    }

    /// Returns how the finalizers are validated.
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Qualified
    }

    /// Validates a new object.
    fn validate(&self, _object: &Value, _out: &mut field::ErrorList) {}

    /// Validates an update. Most kinds validate the new object, and report changes of immutable
    /// fields before or after.
    fn validate_update(&self, new: &Value, _old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
    }

    /// Validates an update of the status.
    fn validate_status_update(&self, _new: &Value, _old: &Value, _out: &mut field::ErrorList) {}

    /// Warns about a write before it is validated. `old` is `None` for a new object.
    fn warn_unvalidated(&self, _new: &Value, _old: Option<&Value>, _out: &mut Warnings) {}

    /// Warns about a new object.
    fn warn_on_create(&self, _object: &Value, _out: &mut Warnings) {}

    /// Warns about an update.
    fn warn_on_update(&self, new: &Value, _old: &Value, out: &mut Warnings) {
        self.warn_on_create(new, out);
    }

    /// Warns about an update of the status.
    fn warn_on_status_update(&self, _object: &Value, _out: &mut Warnings) {}

    /// Returns the rules that a DELETE of one object follows.
    fn deletion_rule(&self) -> DeletionRule {
        DeletionRule::Generic
    }

    /// Returns whether an object that is being deleted remains although it has no finalizers in its
    /// metadata (the opposite of `ShouldDeleteDuringUpdate`).
    fn delays_deletion(&self, _object: &Value) -> bool {
        false
    }

    /// Returns whether the garbage collector handles the objects, so that a DELETE has a
    /// propagation policy (`DefaultGarbageCollectionPolicy` is not `Unsupported`).
    fn is_garbage_collected(&self) -> bool {
        true
    }

    /// Returns whether the objects have cluster IPs and node ports, which no two objects share.
    fn allocates_addresses(&self) -> bool {
        false
    }

    /// Returns the strategy of a subresource other than `status` that has the kind of its resource.
    fn subresource(&self, _name: &str) -> Option<&'static dyn Strategy> {
        None
    }

    /// Returns whether this server enforces what objects of the kind state. A write of any other
    /// kind gets a warning.
    fn is_enforced(&self) -> bool {
        true
    }

    /// Returns the warning for requests to the kind, if its version is deprecated.
    fn deprecation(&self) -> Option<&'static str> {
        None
    }

    /// Returns the cells of an object in a table, or `None` for a kind that has only the columns
    /// `Name` and `Age` or `Created At`.
    fn cells(&self, _row: Row<'_>) -> Option<Vec<Value>> {
        None
    }

    /// Returns the conditions of an object's row in a table.
    fn row_conditions(&self, _object: &Value) -> Option<Value> {
        None
    }

    /// Returns the fields for selectors whose values are not just the texts at their paths.
    fn special_fields(&self) -> &'static [SpecialField] {
        &[]
    }

    /// Returns the value of a field that field selectors of the kind support.
    fn field_value(&self, object: &Value, field: &str) -> String {
        selectable::selected_value(self.special_fields(), object, field)
    }

    /// Returns the error for a field that field selectors of the kind do not support. The kind
    /// supports others besides name and namespace.
    fn unsupported_field(&self, field: &str) -> String {
        format!("field label not supported: {field}")
    }
}

/// How the finalizers of a kind are validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalizerRule {
    /// Not at all.
    Any,
    /// Each has a domain or is a standard finalizer (`ValidateObjectMeta` in
    /// pkg/apis/core/validation, which most of Kubernetes' own groups call).
    Qualified,
    /// As [`Self::Qualified`]. kube-apiserver validates the metadata of an updated object twice: as
    /// an update and as a new object. It reports findings about finalizers twice.
    QualifiedTwice,
}

/// Rules of a DELETE of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionRule {
    /// Finalizers and grace periods delay the deletion (`Store.Delete` in k8s.io/apiserver,
    /// pkg/registry/generic/registry).
    Generic,
    /// The first DELETE marks the namespace as terminating (`REST.Delete` in
    /// pkg/registry/core/namespace/storage).
    Namespace,
    /// The first DELETE marks the CustomResourceDefinition as terminating (`REST.Delete` in
    /// apiextensions-apiserver, pkg/registry/customresourcedefinition).
    CustomResourceDefinition,
}

/// Strategy of the kinds that follow their published schema alone.
#[derive(Debug)]
pub(crate) struct PublishedSchema;

impl Strategy for PublishedSchema {}

//! [`FieldManager`]: types, versions and conversions for the managed fields of one kind or
//! subresource.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use genclient_apimachinery::fieldpath::Set;
use serde_json::{Value, json};

use super::group_version::{GroupVersionKind, describe_object, is_group_version};
use super::typed::{Duplicates, validate_value};
use super::types::{TypeId, Types};

/// Target of writes: the objects of a kind in one version, or one of their subresources.
#[derive(Clone)]
pub struct FieldManager {
    pub(super) api_version: String,
    pub(super) kind: String,
    /// `status`, `scale`, or empty for the objects themselves.
    pub(super) subresource: String,
    pub(super) types: Arc<Types>,
    versions: Vec<(String, TypeId)>,
    ignored: Vec<(String, Set)>,
    convert: Converter,
    pub(super) empty: Value,
    /// Whether applies fail as described at [`Self::failing_applies`].
    pub(super) fails_applies: bool,
}

/// Function that converts an object to the given `apiVersion`.
pub type Converter = Arc<dyn Fn(&Value, &str) -> Result<Value, ConversionError> + Send + Sync>;

/// Error of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionError {
    /// The version does not exist. Managed field entries in this version are dropped.
    NoSuchVersion,
    /// Any other error, which fails the request.
    Failed(String),
}

impl FieldManager {
    /// Creates the field manager for the objects of a kind. `versions` lists all versions of the
    /// kind with their types. Until a [`Converter`] is set, conversions fail with
    /// [`ConversionError::NoSuchVersion`].
    pub fn new(
        api_version: impl Into<String>,
        kind: impl Into<String>,
        types: Arc<Types>,
        versions: Vec<(String, TypeId)>,
    ) -> Self {
        let (api_version, kind) = (api_version.into(), kind.into());
        Self {
            empty: json!({"apiVersion": api_version, "kind": kind}),
            api_version,
            kind,
            subresource: String::new(),
            types,
            versions,
            ignored: Vec::new(),
            convert: Arc::new(|_, _| Err(ConversionError::NoSuchVersion)),
            fails_applies: false,
        }
    }

    /// Returns the field manager of a subresource of the kind.
    #[must_use]
    pub fn at_subresource(self, subresource: impl Into<String>) -> Self {
        Self {
            subresource: subresource.into(),
            ..self
        }
    }

    /// Sets the fields that writes to the kind or subresource neither own nor take from other
    /// managers: `status` for objects, `metadata` and `spec` for the status subresource. The paths
    /// of the fields refer to `api_version`.
    #[must_use]
    pub fn ignoring(mut self, api_version: impl Into<String>, fields: Set) -> Self {
        self.ignored.push((api_version.into(), fields));
        self
    }

    /// Sets the function that converts objects between versions.
    #[must_use]
    pub fn converting(self, convert: Converter) -> Self {
        Self { convert, ..self }
    }

    /// Sets the object that a create is compared with, in place of a live object. For built-in
    /// kinds, this is Go's zero value. Default: only `apiVersion` and `kind`.
    #[must_use]
    pub fn starting_from(self, empty: Value) -> Self {
        Self { empty, ..self }
    }

    /// Makes applies fail if kube-apiserver converts an object for them, as for scales of custom
    /// resources, which it cannot convert. If an apply changes something, it converts the new
    /// object. If the live object has no managed fields, it converts this object, to record an
    /// owner of the existing fields.
    #[must_use]
    pub fn failing_applies(self) -> Self {
        Self {
            fails_applies: true,
            ..self
        }
    }

    /// Returns the server's error for an apply at a [`Self::failing_applies`] field manager.
    /// `which` is `live` or `new` and says which object could not be converted.
    pub(super) fn conversion_error(&self, which: &str, object: &Value) -> String {
        let (described, version) = (describe_object(object), &self.api_version);
        format!(
            "failed to convert {which} object ({described}) to proper version: request to convert \
             CR to an invalid group/version: {version}"
        )
    }

    pub(super) fn api_versions(&self) -> impl Iterator<Item = &str> {
        self.versions.iter().map(|(version, _)| &**version)
    }

    pub(super) fn ignored(&self, api_version: &str) -> Option<&Set> {
        let ignored = self
            .ignored
            .iter()
            .find(|(version, _)| version == api_version);
        ignored.map(|(_, fields)| fields)
    }

    /// Returns the type for the version of an object, or `None` if the version or the kind is
    /// unknown.
    fn type_of(&self, object: &Value) -> Option<TypeId> {
        let (api_version, kind) = (object.get("apiVersion")?, object.get("kind")?);
        let mut versions = self.versions.iter().filter(|_| *kind == self.kind);
        versions
            .find(|(version, _)| api_version == version)
            .map(|(_, type_)| *type_)
    }

    /// Validates an object against the type of its version, and returns it with this type.
    ///
    /// # Errors
    ///
    /// If the kind or version of the object is unknown, or if the object does not match the type.
    pub(super) fn typed<'a>(
        &self,
        object: Cow<'a, Value>,
        duplicates: Duplicates,
    ) -> Result<Typed<'a>, TypedError> {
        let Some(type_) = self.type_of(&object) else {
            return Err(TypedError::NoType(
                GroupVersionKind::from_object(&object).to_string(),
            ));
        };
        match validate_value(&self.types, type_, &object, duplicates) {
            Ok(()) => Ok(Typed {
                value: object,
                type_,
            }),
            Err(errors) => Err(TypedError::Mistyped(errors.to_string())),
        }
    }

    /// Converts an object to `api_version`. Returns `None` if it already has this version.
    ///
    /// # Errors
    ///
    /// If the object is not a JSON object, `api_version` is invalid, the converter fails, or its
    /// result has an unknown version or kind or does not match the type of the version.
    pub(super) fn conversion(
        &self,
        object: &Typed<'_>,
        api_version: &str,
    ) -> Result<Option<Typed<'static>>, ConversionError> {
        if !object.value.is_object() {
            let found = genclient_apimachinery::go::type_name(&object.value);
            let error = format!("failed to convert value to unstructured for type {found}");
            return Err(ConversionError::Failed(error));
        }
        let from = object.value.get("apiVersion").and_then(Value::as_str);
        if from == Some(api_version) {
            return Ok(None);
        }
        if !is_group_version(api_version) {
            let error = format!("unexpected GroupVersion string: {api_version}");
            return Err(ConversionError::Failed(error));
        }
        // If neither of the two versions is that of the request, the object is first converted to
        // the version of the request (`HubGroupVersion` in apiextensions-apiserver,
        // pkg/apiserver/customresource_handler.go).
        let hub = &*self.api_version;
        let is_beside_hub = from != Some(hub) && api_version != hub;
        let at_hub = is_beside_hub
            .then(|| (self.convert)(&object.value, hub))
            .transpose()?;
        let object = at_hub.as_ref().unwrap_or(&object.value);
        let converted = (self.convert)(object, api_version)?;
        match self.typed(Cow::Owned(converted), Duplicates::Refused) {
            Ok(typed) => Ok(Some(typed)),
            Err(TypedError::NoType(_)) => Err(ConversionError::NoSuchVersion),
            Err(TypedError::Mistyped(error)) => Err(ConversionError::Failed(error)),
        }
    }

    /// Like [`Self::conversion`], but returns the object itself if it already has the version.
    ///
    /// # Errors
    ///
    /// If the conversion fails, as for [`Self::conversion`].
    pub(super) fn converted<'a>(
        &self,
        object: &'a Typed<'_>,
        api_version: &str,
    ) -> Result<Typed<'a>, ConversionError> {
        let converted = self.conversion(object, api_version)?;
        Ok(converted.unwrap_or_else(|| object.borrowed()))
    }
}

impl fmt::Debug for FieldManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldManager")
            .field("api_version", &self.api_version)
            .field("kind", &self.kind)
            .field("subresource", &self.subresource)
            .finish_non_exhaustive()
    }
}

/// Object with the type of its version.
#[derive(Clone, Debug)]
pub(super) struct Typed<'a> {
    pub(super) value: Cow<'a, Value>,
    pub(super) type_: TypeId,
}

impl Typed<'_> {
    pub(super) fn into_owned(self) -> Typed<'static> {
        Typed {
            value: Cow::Owned(self.value.into_owned()),
            type_: self.type_,
        }
    }

    pub(super) fn borrowed(&self) -> Typed<'_> {
        Typed {
            value: Cow::Borrowed(&self.value),
            type_: self.type_,
        }
    }
}

/// Error of [`FieldManager::typed`].
#[derive(Debug)]
pub(super) enum TypedError {
    NoType(String),
    Mistyped(String),
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoType(kind) => write!(f, "no corresponding type for {kind}"),
            Self::Mistyped(errors) => f.write_str(errors),
        }
    }
}

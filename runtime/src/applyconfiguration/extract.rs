//! Extraction of the fields that a manager has applied, from the managed fields of an object.

use std::any::Any;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::iter;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use genclient_apimachinery::fieldpath::{
    PathElement, Set, SetNode, decode_set, format_path, values_equal,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::Resource;
use kube::core::DynamicObject;
use serde::Serialize;
use serde_json::{Map, Value};

use super::ApplyConfiguration;
use super::body::{remove_null_members, to_apply_body};
use crate::json::describe_error;

/// Error of [`extract`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The object has no managed fields at all.
    #[error(
        "{object} has no managed fields: objects of informers lack them, so read it with `get`"
    )]
    NoManagedFields {
        /// Kind and name of the object.
        object: String,
    },
    /// The object has another kind or version than the configuration.
    #[error(
        "cannot extract a configuration of `{expected}` from {object}, which is `{found}`: read it as `{expected}`"
    )]
    OtherKind {
        /// Kind and name of the object.
        object: String,
        /// Version and kind of the configuration.
        expected: String,
        /// Version and kind of the object.
        found: String,
    },
    /// The manager has applied the object in another version than that of the configuration. The
    /// fields of the two may have different names. An apply in the new version makes the manager
    /// the owner of its fields in that version alone.
    #[error(
        "`{manager}` has applied {object} in `{applied}`, not in `{read}`: extract its configuration of `{applied}`, or apply all its fields in `{read}` once"
    )]
    OtherVersion {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The `apiVersion` that the manager has applied.
        applied: String,
        /// The `apiVersion` of the configuration.
        read: String,
    },
    /// The managed fields cannot be parsed.
    #[error("the managed fields of `{manager}` in {object} are malformed: {reason}")]
    Malformed {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// What is wrong.
        reason: String,
    },
    /// The object lacks a field of the manager, for one of two reasons:
    ///
    /// - The Rust type of the object does not know the field, or does not serialize its value. A
    ///   [`DynamicObject`] lacks an item of a list if it was changed after it was read.
    /// - The field was renamed or removed. Conversion to another version renames fields of the
    ///   object, but not those of its managers. An apply of all fields makes the manager the owner
    ///   of the new ones.
    #[error(
        "{object} does not have `{path}`, which `{manager}` has applied: {}; if the field was renamed or removed, apply all fields of `{manager}` once without `extract`",
        describe_incomplete(*is_dynamic)
    )]
    Incomplete {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The field.
        path: String,
        /// Whether the object is a [`DynamicObject`].
        is_dynamic: bool,
    },
    /// The manager owns a map, struct or list without anything below, and another manager owns
    /// something below in another version. The manager may have applied it as an empty one.
    #[error(
        "`{manager}` may have applied `{path}` of {object} as an empty value, to which another manager has added in `{other}`: apply all fields of `{manager}` without `extract`"
    )]
    Ambiguous {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The field.
        path: String,
        /// The `apiVersion` that the other manager has written.
        other: String,
    },
    /// The apply configuration has no such field, cannot have this value, or states a field that
    /// the manager does not own.
    #[error(
        "an apply configuration of {kind} cannot state `{path}` as `{manager}` has applied it: apply all fields of `{manager}` once without `extract`"
    )]
    Inexpressible {
        /// The kind.
        kind: String,
        /// The field manager.
        manager: String,
        /// The field.
        path: String,
    },
    /// The manager has applied only some fields of a value, and others own those that the apply
    /// configuration needs, such as the tag of an enum.
    #[error(
        "`{manager}` has applied only a part of `{path}` of {object}, which an apply configuration cannot state alone ({reason}): apply all fields of `{manager}` once without `extract`, with what this part lacks"
    )]
    Partial {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The value.
        path: String,
        /// Why the part alone cannot be read, without its values.
        reason: String,
    },
    /// A value has another type than in the apply configuration.
    #[error(
        "cannot read `{path}` of {object} as `{manager}` has applied it: {reason}; apply all fields of `{manager}` once without `extract`"
    )]
    Decode {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The field.
        path: String,
        /// What is wrong, without the value.
        reason: String,
    },
}

/// Returns the fields of `object` that `manager` has applied through `subresource` (empty for the
/// object itself), with `apiVersion`, `kind`, name and namespace.
///
/// To change an object that a program has applied earlier, without knowing what it applied:
/// extract, change, apply. An extracted configuration that is applied unchanged changes nothing. If
/// the manager has applied nothing, or others have taken over all of it, the configuration states
/// no field.
///
/// `object` has the kind of the configuration, as its Rust type or as a [`DynamicObject`]. Objects
/// of informers lack managed fields, so read the object with `get`. The two differ in three ways:
///
/// - A Rust type drops fields that it does not know; if the manager owns one, that is an error. A
///   `DynamicObject` has all fields that the API server has.
/// - For Kubernetes' own kinds, the API server omits some fields that are zero. If such a field of
///   the manager is absent in a `DynamicObject`, it is left out, and so is its parent if nothing
///   else in it is owned. So is a field that was renamed since the manager has applied it. These
///   are the exceptions to the rule above: the apply gives the field up.
/// - Null fields of a Rust type count as unset. So a null inside a value that is owned whole, such
///   as an atomic map, is lost. If there may be one, use a `DynamicObject`, for which it is an
///   error, since an apply cannot state null.
///
/// ```no_run
/// # use genclient::applyconfiguration::{ApplyConfiguration, extract};
/// # use genclient::client::{GetParams, PatchParams, TypedClient};
/// # use k8s_openapi::api::apps::v1::Deployment;
/// # async fn example<DeploymentApply>(
/// #     deployments: TypedClient<Deployment>,
/// # ) -> Result<(), Box<dyn std::error::Error>>
/// # where
/// #     DeploymentApply: ApplyConfiguration<Object = Deployment>,
/// # {
/// let live = deployments.get("web", &GetParams::default()).await?;
/// let mut config: DeploymentApply = extract(&live, "scaler", "")?;
/// let labels = config.metadata_mut().labels.get_or_insert_default();
/// labels.insert("scaled".to_owned(), "true".to_owned());
/// let params = PatchParams::apply("scaler");
/// deployments.apply_with(&config, &params).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// See [`ExtractError`]. The function fails where it would return a configuration without a field
/// of the manager: if that were applied, the API server would remove the field.
///
/// Source: apimachinery, pkg/util/managedfields/extract.go, `ExtractInto`, which leaves such fields
/// out.
pub fn extract<A: ApplyConfiguration>(
    object: &(impl Resource + Serialize + 'static),
    manager: &str,
    subresource: &str,
) -> Result<A, ExtractError> {
    let entries = object.meta().managed_fields.as_deref().unwrap_or_default();
    let is_applied = |entry: &&ManagedFieldsEntry| {
        entry.operation.as_deref() == Some("Apply")
            && entry.manager.as_deref() == Some(manager)
            && entry.subresource.as_deref().unwrap_or_default() == subresource
    };
    let extraction = Extraction {
        name: object.meta().name.as_deref().unwrap_or_default(),
        manager,
        is_complete: (object as &dyn Any).is::<DynamicObject>(),
        entries,
        entry: entries.iter().find(is_applied),
        others: OnceCell::new(),
        configuration: PhantomData::<fn() -> A>,
    };
    extraction.run(serde_json::to_value(object))
}

/// Extraction of the fields that one manager has applied.
struct Extraction<'a, A> {
    /// Name of the object.
    name: &'a str,
    manager: &'a str,
    /// Whether the object has all fields that the API server has.
    is_complete: bool,
    entries: &'a [ManagedFieldsEntry],
    /// The entry with the fields of the manager.
    entry: Option<&'a ManagedFieldsEntry>,
    /// The other entries. They are decoded only for fields whose form the own entry does not tell.
    others: OnceCell<Vec<OtherEntry<'a>>>,
    configuration: PhantomData<fn() -> A>,
}

/// An entry of the managed fields beside that of the manager.
struct OtherEntry<'a> {
    version: &'a str,
    fields: Set,
}

impl OtherEntry<'_> {
    fn owns(&self, path: &[PathElement]) -> bool {
        self.fields.has(path)
    }

    fn owns_below(&self, path: &[PathElement]) -> bool {
        let node = self.fields.get_path(path);
        node.is_some_and(|node| !node.children.is_empty())
    }
}

impl<'a, A: ApplyConfiguration> Extraction<'a, A> {
    fn run(&self, object: serde_json::Result<Value>) -> Result<A, ExtractError> {
        let mut object = object.map_err(|error| self.undecodable(".", &error))?;
        if !self.is_complete {
            // Mostly, they are unset fields.
            remove_null_members(&mut object);
        }
        self.check_kind(&object)?;
        if self.entries.is_empty() {
            return Err(ExtractError::NoManagedFields {
                object: self.object(),
            });
        }
        let mut picked = match self.entry {
            Some(entry) => self.pick_members(&object, &self.decode(entry)?, &mut Vec::new())?,
            None => Map::new(),
        };
        add_identity::<A>(&mut picked, &object);
        self.to_configuration(&picked.into(), &object)
    }

    /// Checks type meta. Objects without, such as items of a list, may be of the kind.
    fn check_kind(&self, object: &Value) -> Result<(), ExtractError> {
        let expected = (A::Object::api_version(&()), A::Object::kind(&()));
        let found = match (&object["apiVersion"], &object["kind"]) {
            (Value::String(version), Value::String(kind)) => (version.into(), kind.into()),
            _ => return Ok(()),
        };
        if found == expected {
            return Ok(());
        }
        let display = |(version, kind): &(Cow<'_, str>, Cow<'_, str>)| format!("{version} {kind}");
        Err(ExtractError::OtherKind {
            object: self.object(),
            expected: display(&expected),
            found: display(&found),
        })
    }

    /// Returns the fields of the manager.
    fn decode(&self, entry: &ManagedFieldsEntry) -> Result<Set, ExtractError> {
        let read = A::Object::api_version(&());
        let applied = entry.api_version.as_deref().unwrap_or_default();
        if applied != read {
            return Err(ExtractError::OtherVersion {
                object: self.object(),
                manager: self.manager.to_owned(),
                applied: applied.to_owned(),
                read: read.into_owned(),
            });
        }
        decode_entry(entry).map_err(|reason| ExtractError::Malformed {
            object: self.object(),
            manager: self.manager.to_owned(),
            reason,
        })
    }

    /// Returns the part of a value that is owned as `node` says; `None` if it is left out.
    fn pick(
        &self,
        value: Option<&Value>,
        node: &SetNode,
        path: &mut Vec<PathElement>,
    ) -> Result<Option<Value>, ExtractError> {
        path.push(node.element.clone());
        let picked = match value {
            Some(whole) if node.children.is_empty() => Some(self.pick_leaf(whole, path)?),
            // If all below is left out, an apply of the empty rest would own the rest itself.
            Some(Value::Array(items)) => {
                let items = self.pick_items(items, &node.children, path)?;
                (node.member || !items.is_empty()).then(|| items.into())
            }
            Some(object @ Value::Object(_)) => {
                let members = self.pick_members(object, &node.children, path)?;
                (node.member || !members.is_empty()).then(|| members.into())
            }
            _ if self.is_complete => None,
            _ => return Err(self.incomplete(path)),
        };
        path.pop();
        Ok(picked)
    }

    fn pick_members(
        &self,
        object: &Value,
        owned: &Set,
        path: &mut Vec<PathElement>,
    ) -> Result<Map<String, Value>, ExtractError> {
        let mut picked = Map::new();
        for node in &owned.nodes {
            let name = field_name(&node.element).unwrap_or_default();
            let member = self.pick(object.get(name), node, path)?;
            picked.extend(member.map(|member| (name.to_owned(), member)));
        }
        Ok(picked)
    }

    /// Returns the owned items, in their order in the object.
    fn pick_items(
        &self,
        items: &[Value],
        owned: &Set,
        path: &mut Vec<PathElement>,
    ) -> Result<Vec<Value>, ExtractError> {
        let mut missing: BTreeSet<_> = owned.nodes.iter().map(|node| &node.element).collect();
        let keys = self.key_names(owned, path);
        let mut picked = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let other = owned.nodes.first().map(|node| &node.element);
            let identity = identify(item, at, other, &keys);
            if let Some(node) = owned.get(&identity) {
                missing.remove(&node.element);
                picked.extend(self.pick(Some(item), node, path)?);
            }
        }
        if let Some(element) = missing.first() {
            path.push(PathElement::clone(element));
            return Err(self.incomplete(path));
        }
        Ok(picked)
    }

    /// Returns the names of the keys of a list's items; none for a list without keys. Items lack
    /// optional keys that are unset, so one item does not tell all names.
    fn key_names(&self, owned: &Set, path: &[PathElement]) -> BTreeSet<Arc<str>> {
        let element = owned.nodes.first().map(|node| &node.element);
        if !matches!(element, Some(PathElement::ListKey(_))) {
            return BTreeSet::new();
        }
        let others = self.others().iter();
        let lists = others.filter_map(|other| other.fields.get_path(path));
        let nodes = iter::once(owned)
            .chain(lists.map(|list| &list.children))
            .flat_map(|items| &items.nodes);
        let keys = nodes.filter_map(|node| match &node.element {
            PathElement::ListKey(keys) => Some(keys),
            _ => None,
        });
        keys.flat_map(|keys| keys.iter())
            .map(|(name, _)| Arc::clone(name))
            .collect()
    }

    /// Returns a value that is owned without owned fields or items below. It is owned whole, unless
    /// the manager has applied an empty struct or list, to which others or defaults have added.
    fn pick_leaf(&self, whole: &Value, path: &[PathElement]) -> Result<Value, ExtractError> {
        let empty = match whole {
            Value::Object(members) if !members.is_empty() => Value::Object(Map::new()),
            // Applied as an entry of a map: an empty set or map list elsewhere is owned by nobody.
            Value::Array(items) if !items.is_empty() => Value::Array(Vec::new()),
            _ => return Ok(whole.clone()),
        };
        if self.others_own_below(path) || (whole.is_object() && is_granular::<A>(path)) {
            return Ok(empty);
        }
        // The field may have another form or meaning in the version of that entry.
        match self.others().iter().find(|other| other.owns_below(path)) {
            Some(other) => Err(self.ambiguous(path, other)),
            None => Ok(whole.clone()),
        }
    }

    /// Returns whether another entry of the same version has fields or items below `path`. Nobody
    /// owns a field in an atomic map, or an item of an atomic list.
    fn others_own_below(&self, path: &[PathElement]) -> bool {
        let version = A::Object::api_version(&());
        let mut others = self.others().iter();
        others.any(|other| other.version == version && other.owns_below(path))
    }

    fn others(&self) -> &[OtherEntry<'a>] {
        self.others.get_or_init(|| {
            let is_own =
                |other: &ManagedFieldsEntry| self.entry.is_some_and(|entry| ptr::eq(entry, other));
            let decode = |other: &'a ManagedFieldsEntry| {
                Some(OtherEntry {
                    version: other.api_version.as_deref().unwrap_or_default(),
                    // A malformed entry matters to its own manager.
                    fields: decode_entry(other).ok()?,
                })
            };
            let others = self.entries.iter().filter(|other| !is_own(other));
            others.filter_map(decode).collect()
        })
    }

    /// Reads `picked` as a configuration that states exactly this.
    fn to_configuration(&self, picked: &Value, object: &Value) -> Result<A, ExtractError> {
        let config: A = serde_path_to_error::deserialize(picked)
            .map_err(|error| self.unreadable(&error, object))?;
        let stated = to_apply_body(&config).map_err(|error| self.undecodable(".", &error))?;
        self.check_same(&stated, picked, object, &mut Vec::new())?;
        Ok(config)
    }

    /// Checks that `stated`, the body of an apply, is what the manager owns. `object` is the value
    /// at the same path in the object.
    fn check_same(
        &self,
        stated: &Value,
        picked: &Value,
        object: &Value,
        path: &mut Vec<PathElement>,
    ) -> Result<(), ExtractError> {
        match (stated, picked) {
            (Value::Object(stated), Value::Object(picked)) => {
                let names: BTreeSet<_> = stated.keys().chain(picked.keys()).collect();
                for name in names {
                    path.push(PathElement::field(name));
                    match (stated.get(name), picked.get(name)) {
                        (Some(stated), Some(picked)) => {
                            self.check_same(stated, picked, &object[name], path)?;
                        }
                        (Some(stated), None) if self.owns_nothing(stated, &object[name], path) => {}
                        _ => return Err(self.inexpressible(path)),
                    }
                    path.pop();
                }
                Ok(())
            }
            (Value::Array(stated), Value::Array(picked)) if stated.len() == picked.len() => {
                for (at, (stated, picked)) in (0..).zip(stated.iter().zip(picked)) {
                    path.push(PathElement::Index(at));
                    self.check_same(stated, picked, &Value::Null, path)?;
                    path.pop();
                }
                Ok(())
            }
            _ if values_equal(stated, picked) => Ok(()),
            _ => Err(self.inexpressible(path)),
        }
    }

    /// Returns whether an apply of `stated`, which the manager does not own, changes nothing. That
    /// is an empty set or map list, which nobody owns, unlike an empty atomic list: k8s-openapi's
    /// types serialize required lists such as `containers` even if they are empty.
    fn owns_nothing(&self, stated: &Value, object: &Value, path: &[PathElement]) -> bool {
        let is_empty_list = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        is_empty_list(stated)
            && (is_empty_list(object) || self.others_own_below(path))
            && !self.others().iter().any(|other| other.owns(path))
    }

    /// Returns kind and name of the object.
    fn object(&self) -> String {
        format!("{} `{}`", A::Object::kind(&()), self.name)
    }

    fn incomplete(&self, path: &[PathElement]) -> ExtractError {
        ExtractError::Incomplete {
            object: self.object(),
            manager: self.manager.to_owned(),
            path: format_path(path),
            is_dynamic: self.is_complete,
        }
    }

    fn ambiguous(&self, path: &[PathElement], other: &OtherEntry<'_>) -> ExtractError {
        ExtractError::Ambiguous {
            object: self.object(),
            manager: self.manager.to_owned(),
            path: format_path(path),
            other: other.version.to_owned(),
        }
    }

    fn inexpressible(&self, path: &[PathElement]) -> ExtractError {
        ExtractError::Inexpressible {
            kind: A::Object::kind(&()).into_owned(),
            manager: self.manager.to_owned(),
            path: format_path(path),
        }
    }

    /// Returns the error for owned fields that cannot be read as a configuration. If all fields of
    /// `object` can, or fail for another reason, those of other managers are missing.
    fn unreadable(
        &self,
        error: &serde_path_to_error::Error<serde_json::Error>,
        object: &Value,
    ) -> ExtractError {
        let path = format!(".{}", error.path().to_string().trim_start_matches('.'));
        let reason = describe_error(error.inner());
        match A::deserialize(object) {
            Err(whole) if describe_error(&whole) == reason => {
                self.undecodable(&path, error.inner())
            }
            _ => ExtractError::Partial {
                object: self.object(),
                manager: self.manager.to_owned(),
                path,
                reason,
            },
        }
    }

    fn undecodable(&self, path: &str, error: &serde_json::Error) -> ExtractError {
        ExtractError::Decode {
            object: self.object(),
            manager: self.manager.to_owned(),
            path: path.to_owned(),
            reason: describe_error(error),
        }
    }
}

fn describe_incomplete(is_dynamic: bool) -> &'static str {
    if is_dynamic {
        "if it was changed after it was read, extract from the object as it was read"
    } else {
        "if only its Rust type lacks the field, read it as a `DynamicObject`"
    }
}

/// Adds type meta, name and namespace, which managed fields never have.
fn add_identity<A: ApplyConfiguration>(config: &mut Map<String, Value>, object: &Value) {
    config.insert("apiVersion".to_owned(), A::Object::api_version(&()).into());
    config.insert("kind".to_owned(), A::Object::kind(&()).into());
    let metadata = config
        .entry("metadata")
        .or_insert_with(|| Map::new().into());
    for field in ["name", "namespace"] {
        if let (Value::Object(metadata), Some(name)) =
            (&mut *metadata, object["metadata"].get(field))
        {
            metadata.insert(field.to_owned(), name.clone());
        }
    }
}

fn decode_entry(entry: &ManagedFieldsEntry) -> Result<Set, String> {
    match entry.fields_type.as_deref() {
        None | Some("FieldsV1") => {}
        Some(other) => return Err(format!("unknown fields type `{other}`")),
    }
    let fields = entry.fields_v1.as_ref();
    fields.map_or_else(|| Ok(Set::default()), |fields| decode_set(&fields.0))
}

fn field_name(element: &PathElement) -> Option<&str> {
    match element {
        PathElement::Field(name) => Some(name),
        _ => None,
    }
}

/// Returns whether the value at `path` is a struct that is merged field by field. If nobody owns a
/// field in it, all that it has are defaults.
fn is_granular<A: ApplyConfiguration>(path: &[PathElement]) -> bool {
    let names: Vec<_> = path.iter().filter_map(field_name).collect();
    path.last().and_then(field_name).is_some() && A::is_granular(&names)
}

/// Returns the element that identifies an item of a list whose items have elements like `other`.
/// Keys that the item lacks are left out.
///
/// Source: structured-merge-diff, typed/helpers.go, `keyedAssociativeListItemToPathElement`.
fn identify(
    item: &Value,
    at: usize,
    other: Option<&PathElement>,
    keys: &BTreeSet<Arc<str>>,
) -> PathElement {
    match other {
        Some(PathElement::ListKey(_)) => {
            let key = |name: &Arc<str>| Some((Arc::clone(name), item.get(&**name)?.clone()));
            PathElement::ListKey(keys.iter().filter_map(key).collect())
        }
        Some(PathElement::Value(_)) => PathElement::Value(Arc::new(item.clone())),
        _ => PathElement::Index(i64::try_from(at).unwrap_or(i64::MAX)),
    }
}

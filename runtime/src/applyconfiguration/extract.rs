//! Extraction of the fields that a manager has applied, from the managed fields of an object.

use std::any::Any;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
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
    /// The manager has applied the object in another version than the one that was read. The fields
    /// of the two may have different names.
    #[error(
        "`{manager}` has applied {object} in `{applied}`, not in `{read}`: read it in `{applied}`"
    )]
    OtherVersion {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The `apiVersion` that the manager has applied.
        applied: String,
        /// The `apiVersion` of the object that was read.
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
    /// The object lacks a field of the manager. Mostly, its Rust type does not know the field, or
    /// does not serialize its value.
    #[error(
        "{object} does not have `{path}`, which `{manager}` has applied: its Rust type drops or omits the field, so read it as a `DynamicObject`"
    )]
    Incomplete {
        /// Kind and name of the object.
        object: String,
        /// The field manager.
        manager: String,
        /// The field.
        path: String,
    },
    /// The apply configuration has no such field, cannot have this value, or states a field that
    /// the manager does not own.
    #[error("an apply configuration of {kind} cannot state `{path}` as `{manager}` has applied it")]
    Inexpressible {
        /// The kind.
        kind: String,
        /// The field manager.
        manager: String,
        /// The field.
        path: String,
    },
    /// A value has another type than in the apply configuration.
    #[error("cannot read `{path}` of {object}: {reason}")]
    Decode {
        /// Kind and name of the object.
        object: String,
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
/// `object` has the kind of the configuration, as its Rust type or as a [`DynamicObject`]. A Rust
/// type drops fields that it does not know; a `DynamicObject` has all fields that the API server
/// has. An owned field that it lacks is left out: for Kubernetes' own kinds, the API server omits
/// fields that are zero. Objects of informers lack managed fields, so read the object with
/// `get`.
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
    /// The fields in the other entries of the same version, which are rarely needed.
    others: OnceCell<Vec<Set>>,
    configuration: PhantomData<fn() -> A>,
}

impl<A: ApplyConfiguration> Extraction<'_, A> {
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
            Some(whole) if node.children.is_empty() => Some(self.pick_leaf(whole, path)),
            Some(Value::Array(items)) => Some(self.pick_items(items, &node.children, path)?.into()),
            Some(object @ Value::Object(_)) => {
                Some(self.pick_members(object, &node.children, path)?.into())
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
        let mut picked = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let identity = owned
                .nodes
                .first()
                .map(|node| identify(item, at, &node.element));
            if let Some(node) = identity.and_then(|identity| owned.get(&identity)) {
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

    /// Returns a value that is owned without owned fields or items below. It is owned whole, unless
    /// the manager has applied an empty struct or list, to which others or defaults have added.
    fn pick_leaf(&self, whole: &Value, path: &[PathElement]) -> Value {
        match whole {
            Value::Object(members) if !members.is_empty() && self.was_applied_empty(path) => {
                Value::Object(Map::new())
            }
            // Applied as an entry of a map: an empty set or map list elsewhere is owned by nobody.
            Value::Array(items) if !items.is_empty() && self.others_own_below(path) => {
                Value::Array(Vec::new())
            }
            _ => whole.clone(),
        }
    }

    /// Returns whether the value at `path`, which is owned without fields below, is a struct, and
    /// not an atomic map. Nobody owns a field in an atomic map. If nobody owns a field in a struct,
    /// all that it has are defaults.
    fn was_applied_empty(&self, path: &[PathElement]) -> bool {
        let names: Vec<_> = path.iter().filter_map(field_name).collect();
        let is_field = path.last().and_then(field_name).is_some();
        self.others_own_below(path) || (is_field && A::is_granular(&names))
    }

    fn others_own_below(&self, path: &[PathElement]) -> bool {
        let others = self.others.get_or_init(|| {
            let is_other = |other: &&ManagedFieldsEntry| {
                self.entry.is_some_and(|entry| {
                    entry.api_version == other.api_version && !ptr::eq(entry, *other)
                })
            };
            // A malformed entry matters to its own manager.
            let others = self.entries.iter().filter(is_other);
            others
                .filter_map(|other| decode_entry(other).ok())
                .collect()
        });
        let has_below = |owned: &Set| {
            let node = owned.get_path(path);
            node.is_some_and(|node| !node.children.is_empty())
        };
        others.iter().any(has_below)
    }

    /// Reads `picked` as a configuration that states exactly this.
    fn to_configuration(&self, picked: &Value, object: &Value) -> Result<A, ExtractError> {
        let config: A = serde_path_to_error::deserialize(picked).map_err(|error| {
            let path = error.path().to_string();
            self.undecodable(&format!(".{}", path.trim_start_matches('.')), error.inner())
        })?;
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
    /// is an empty set or map list, which nobody owns: k8s-openapi's types serialize required lists
    /// such as `containers` even if they are empty.
    fn owns_nothing(&self, stated: &Value, object: &Value, path: &[PathElement]) -> bool {
        let is_empty_list = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        is_empty_list(stated) && (is_empty_list(object) || self.others_own_below(path))
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
        }
    }

    fn inexpressible(&self, path: &[PathElement]) -> ExtractError {
        ExtractError::Inexpressible {
            kind: A::Object::kind(&()).into_owned(),
            manager: self.manager.to_owned(),
            path: format_path(path),
        }
    }

    fn undecodable(&self, path: &str, error: &serde_json::Error) -> ExtractError {
        ExtractError::Decode {
            object: self.object(),
            path: path.to_owned(),
            reason: describe_error(error),
        }
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

/// Returns the element that identifies an item of a list whose items have elements like `other`.
fn identify(item: &Value, at: usize, other: &PathElement) -> PathElement {
    match other {
        PathElement::ListKey(keys) => {
            let key = |(name, _): &(Arc<str>, Value)| (Arc::clone(name), item[&**name].clone());
            PathElement::ListKey(keys.iter().map(key).collect())
        }
        PathElement::Value(_) => PathElement::Value(Arc::new(item.clone())),
        _ => PathElement::Index(i64::try_from(at).unwrap_or(i64::MAX)),
    }
}

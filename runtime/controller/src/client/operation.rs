//! Writes that begin with a read: `create_or_patch` and `apply_owned`.

use std::sync::Arc;

use genclient::applyconfiguration::Applicable;
use genclient::cache::ObjectName;
use genclient::client::{self, GetParams, Patch};
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use genclient::kube::{self, ResourceExt};
use genclient::scheme::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::kind::KindClient;
use super::read::ReadError;
use crate::cluster::Cached;
use crate::owner::{OwnerError, set_controller};

/// Result of a write: controller-runtime's `OperationResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperationResult {
    /// Nothing changed: no request was sent, or the applied fields already had these values.
    Unchanged,
    /// The object was created.
    Created,
    /// The object was changed, but not its status.
    Updated,
    /// The object and its status were changed.
    UpdatedStatus,
    /// Only the status was changed.
    UpdatedStatusOnly,
}

/// An object as the API server stored it, and the result of the write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written<K> {
    /// The object after the write.
    pub object: K,
    /// What the write changed.
    pub result: OperationResult,
}

/// Error of a write that begins with a read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The object could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The object could not be written.
    #[error(transparent)]
    Write(#[from] kube::Error),
    /// The owner reference cannot be set.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// The closure changed the name or the namespace.
    #[error(
        "`create_or_patch` must not change the name or the namespace: expected {from}, found {to}"
    )]
    Renamed {
        /// The name of the object that was passed in.
        from: ObjectName,
        /// The name after the closure ran.
        to: ObjectName,
    },
}

impl<K: Object + Serialize> KindClient<K> {
    /// Creates an object, or patches the existing one. If the object is not cached, `change` edits
    /// `new`, which is then created. Otherwise `change` edits a copy of the cached object, and the
    /// difference is sent as a merge patch. A difference in the status is sent as a second patch.
    /// Without a difference, nothing is sent.
    ///
    /// There are two pitfalls. The patch replaces a changed list as a whole. If `change` drops
    /// values that the API server sets, such as defaults, the API server sets them again after each
    /// patch, so every call sends a patch. [`apply_owned`](Self::apply_owned) avoids both.
    ///
    /// # Errors
    ///
    /// See [`WriteError`]. The call also fails if the client reads a cache with a
    /// [transform](crate::Watch::transform): if `change` sets a field that the transform drops, the
    /// cached object never has the field, and every call would send it again.
    ///
    /// # Cancel safety
    ///
    /// As for every write: see [`create`](Self::create). If the future is dropped after the object
    /// was written and before its status, the status is not written.
    pub async fn create_or_patch(
        &self,
        new: K,
        change: impl FnOnce(&mut K),
    ) -> Result<Written<K>, WriteError> {
        let name = ObjectName::from_object(&new);
        self.refuse_transformed(
            name.namespace(),
            "cannot be written with `create_or_patch`: a transform drops fields of the cached objects, and every call would send them again; use `apply_owned`, `apply` or `patch`",
        )?;
        let known = self.get(&name).await?;
        let mut object = known.as_deref().cloned().unwrap_or(new);
        change(&mut object);
        let changed = ObjectName::from_object(&object);
        if changed != name {
            return Err(WriteError::Renamed {
                from: name,
                to: changed,
            });
        }
        match known {
            Some(known) => self.patch_to(&known, object).await,
            None => self.create_with_status(object).await,
        }
    }

    async fn patch_to(&self, known: &K, object: K) -> Result<Written<K>, WriteError> {
        let name = ObjectName::from_object(known);
        let (mut from, mut to) = (to_value(known)?, to_value(&object)?);
        let (status_from, status_to) = (take_status(&mut from), take_status(&mut to));
        let (mut object, mut result) = (object, OperationResult::Unchanged);
        if let Some(patch) = merge_patch(&from, &to) {
            object = self.patch(&name, &Patch::Merge(patch)).await?;
            result = OperationResult::Updated;
        }
        if let Some(patch) = merge_patch(&status_from, &status_to) {
            let patch = Patch::Merge(serde_json::json!({ "status": patch }));
            object = self.patch_status(&name, &patch).await?;
            result = match result {
                OperationResult::Updated => OperationResult::UpdatedStatus,
                _ => OperationResult::UpdatedStatusOnly,
            };
        }
        Ok(Written { object, result })
    }

    /// Creates an object. If the kind has the `status` subresource, the API server ignores the
    /// status of the new object. A second request then writes the status.
    async fn create_with_status(&self, object: K) -> Result<Written<K>, WriteError> {
        let mut created = self.create(&object).await?;
        let (wanted, found) = (
            take_status(&mut to_value(&object)?),
            take_status(&mut to_value(&created)?),
        );
        if !wanted.is_null() && wanted != found {
            let patch = Patch::Merge(serde_json::json!({ "status": wanted }));
            let name = ObjectName::from_object(&created);
            created = self.patch_status(&name, &patch).await?;
        }
        Ok(Written {
            object: created,
            result: OperationResult::Created,
        })
    }
}

impl<K: Object> KindClient<K> {
    /// Applies an apply configuration or a whole object by server-side apply, with a [controller
    /// reference](crate::owner::set_controller_reference) to `owner`. The kind has to be cached,
    /// because the call compares the applied object with the stored one. An existing object that
    /// no controller owns is adopted. If another controller owns the object, the call fails.
    ///
    /// # Errors
    ///
    /// See [`WriteError`].
    ///
    /// # Cancel safety
    ///
    /// As for every write: see [`create`](Self::create).
    pub async fn apply_owned<O, A>(&self, owner: &O, object: &A) -> Result<Written<K>, WriteError>
    where
        O: kube::Resource<DynamicType = ()>,
        A: Applicable<Object = K> + Clone,
    {
        let mut object = object.clone();
        let kind = K::kind(&self.types);
        set_controller(owner, &kind, object.metadata_mut())?;
        let known = self.stored(object.metadata()).await?;
        if let Some(known) = &known {
            set_controller(owner, &kind, &mut known.meta().clone())?;
        }
        let applied = self.apply(&object).await?;
        let result = match known {
            None => OperationResult::Created,
            Some(known) if known.resource_version() == applied.resource_version() => {
                OperationResult::Unchanged
            }
            Some(_) => OperationResult::Updated,
        };
        Ok(Written {
            object: applied,
            result,
        })
    }

    /// Returns the existing object with the name in `metadata`, or `None`. If no cache has it, it
    /// may still exist, because namespaces and selectors limit the caches. So it is read from the
    /// API server, unless one of the caches includes every object with this namespace and these
    /// labels, whatever other labels it has.
    async fn stored(&self, metadata: &ObjectMeta) -> Result<Option<K>, WriteError> {
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let name = ObjectName::new(namespace, metadata.name.as_deref().unwrap_or_default());
        let cached = match self.get(&name).await {
            Err(ReadError::NotCovered { .. }) => None,
            cached => cached?,
        };
        let labels = metadata.labels.clone().unwrap_or_default();
        let includes = |cached: &Arc<Cached<K>>| cached.includes_all_with(&labels);
        let caches = self.caches(name.namespace()).unwrap_or_default();
        if cached.is_some() || caches.iter().any(includes) {
            return Ok(cached.as_deref().cloned());
        }
        let client = self.client_in(name.namespace());
        match client.get(name.name(), &GetParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
            stored => Ok(Some(stored?)),
        }
    }
}

fn to_value<K: Serialize>(object: &K) -> client::Result<Value> {
    serde_json::to_value(object).map_err(kube::Error::SerdeError)
}

/// Removes the status and returns it, or `null` for an object without a status.
fn take_status(object: &mut Value) -> Value {
    let object = object.as_object_mut();
    let status = object.and_then(|members| members.remove("status"));
    status.unwrap_or_default()
}

/// Returns the JSON merge patch (RFC 7386) that turns `from` into `to`; `None` if they are equal.
/// Lists are replaced as a whole. A null in `to` counts as an absent member, because a null in a
/// merge patch removes the member.
fn merge_patch(from: &Value, to: &Value) -> Option<Value> {
    let (Value::Object(from), Value::Object(to)) = (from, to) else {
        return (from != to).then(|| to.clone());
    };
    let mut patch = Map::new();
    for (key, new) in to {
        let changed = match from.get(key) {
            Some(old) => merge_patch(old, new),
            None if new.is_null() => None,
            None => Some(new.clone()),
        };
        patch.extend(changed.map(|changed| (key.clone(), changed)));
    }
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    (!patch.is_empty()).then_some(Value::Object(patch))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Cases of RFC 7386, appendix A, in reverse: original and result determine the patch.
    #[test]
    fn merge_patch_matches_the_rfc_examples() {
        for (from, to, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (
                json!({"a": "b"}),
                json!({"a": "b", "b": "c"}),
                json!({"b": "c"}),
            ),
            (json!({"a": "b"}), json!({}), json!({"a": null})),
            (
                json!({"a": "b", "b": "c"}),
                json!({"b": "c"}),
                json!({"a": null}),
            ),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d"}}),
                json!({"a": {"b": "d"}}),
            ),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {}}),
                json!({"a": {"b": null}}),
            ),
            (
                json!({"a": [1]}),
                json!({"a": [1, 2]}),
                json!({"a": [1, 2]}),
            ),
        ] {
            assert_eq!(merge_patch(&from, &to), Some(expected), "{from} {to}");
            assert_eq!(merge_patch(&from, &from), None);
        }
        assert_eq!(merge_patch(&json!({}), &json!({"a": null})), None);
    }
}

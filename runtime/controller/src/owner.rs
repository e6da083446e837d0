//! Owner references, as in controller-runtime's `controllerutil`.
//!
//! The garbage collector deletes the dependents of a deleted owner. At most one owner is the
//! *controller*, which manages the object. A [`Controller`](crate::Controller) that
//! [owns](crate::Controller::owns) a kind reconciles the *controller* of each changed object.

use std::any::{Any, type_name};

use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use genclient::kube::core::DynamicObject;
use genclient::kube::{Resource, ResourceExt};

/// Error of setting an owner reference.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// The object has another controller.
    #[error("{object} is already owned by another controller, {} `{}`", .controller.kind, .controller.name)]
    AlreadyOwned {
        /// Kind and name of the object.
        object: String,
        /// The other controller.
        controller: Box<OwnerReference>,
    },
    /// The owner is namespaced, and the object is cluster-scoped.
    #[error(
        "cluster-scoped {object} must not have a namespaced owner: {owner} is in namespace `{namespace}`"
    )]
    ClusterScoped {
        /// Kind and name of the object.
        object: String,
        /// Kind and name of the owner.
        owner: String,
        /// The namespace of the owner.
        namespace: String,
    },
    /// The owner is in another namespace.
    #[error(
        "cross-namespace owner references are not allowed: {object} is in namespace `{found}`, {owner} in `{namespace}`"
    )]
    OtherNamespace {
        /// Kind and name of the object.
        object: String,
        /// Kind and name of the owner.
        owner: String,
        /// The namespace of the object.
        found: String,
        /// The namespace of the owner.
        namespace: String,
    },
    /// The owner has no uid or no name, because it was not read from the API server.
    #[error("{owner} has no uid: an owner must be read from the API server")]
    NotStored {
        /// Kind and name of the owner.
        owner: String,
    },
}

/// Makes `owner` the controller of `object`, and sets `blockOwnerDeletion`, so that foreground
/// deletion of the owner waits for the object. Replaces an existing reference to the owner, even
/// one with another version or uid.
///
/// ```
/// use genclient_controller::owner;
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod};
///
/// # fn example(map: &ConfigMap) -> Result<Pod, owner::OwnerError> {
/// let mut pod = Pod::default();
/// pod.metadata.namespace = map.metadata.namespace.clone();
/// owner::set_controller_reference(map, &mut pod)?;
/// # Ok(pod)
/// # }
/// ```
///
/// # Errors
///
/// See [`OwnerError`]. The object is unchanged then.
pub fn set_controller_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource + 'static,
{
    set_controller(owner, &kind_of(object), object.meta_mut())
}

/// Like [`set_controller_reference`], for the metadata of an object of this kind.
pub(crate) fn set_controller<O>(
    owner: &O,
    kind: &str,
    metadata: &mut ObjectMeta,
) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
{
    let reference = OwnerReference {
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..build_reference(owner, kind, metadata)?
    };
    let mut owners = metadata.owner_references.iter().flatten();
    let controller =
        owners.find(|it| it.controller == Some(true) && !is_same_owner(it, &reference));
    if let Some(controller) = controller {
        return Err(OwnerError::AlreadyOwned {
            object: display_object(kind, metadata),
            controller: Box::new(controller.clone()),
        });
    }
    replace_or_add_reference(reference, metadata);
    Ok(())
}

/// Adds `owner` to the owners of `object`. An existing reference keeps `controller` and
/// `blockOwnerDeletion`.
///
/// # Errors
///
/// See [`OwnerError`]. The object is unchanged then.
pub fn set_owner_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource + 'static,
{
    let mut reference = build_reference(owner, &kind_of(object), object.meta())?;
    let mut owners = object.owner_references().iter();
    if let Some(known) = owners.find(|it| is_same_owner(it, &reference)) {
        reference.controller = known.controller;
        reference.block_owner_deletion = known.block_owner_deletion;
    }
    replace_or_add_reference(reference, object.meta_mut());
    Ok(())
}

/// Removes `owner` from the owners of `object`. Returns whether `owner` was one of them.
pub fn remove_owner_reference<O, K>(owner: &O, object: &mut K) -> bool
where
    O: Resource<DynamicType = ()>,
    K: Resource,
{
    let Some(owner) = owner.owner_ref(&()) else {
        return false;
    };
    let owners = object.owner_references_mut();
    let before = owners.len();
    owners.retain(|it| !is_same_owner(it, &owner));
    owners.len() < before
}

/// Whether `owner` is one of the owners of `object`, in any version, with the same uid.
pub fn has_owner_reference<O, K>(owner: &O, object: &K) -> bool
where
    O: Resource<DynamicType = ()>,
    K: Resource,
{
    let owners = object.owner_references().iter();
    let owner = owner.owner_ref(&());
    owner.is_some_and(|owner| { owners }.any(|it| is_same_owner(it, &owner) && it.uid == owner.uid))
}

/// Returns the controller of `object`, if it has one.
pub fn controller_of<K: Resource>(object: &K) -> Option<&OwnerReference> {
    let owners = object.meta().owner_references.iter().flatten();
    { owners }.find(|owner| owner.controller == Some(true))
}

/// Checks whether an object with this metadata may have this owner, and returns the reference.
fn build_reference<O>(
    owner: &O,
    kind: &str,
    metadata: &ObjectMeta,
) -> Result<OwnerReference, OwnerError>
where
    O: Resource<DynamicType = ()>,
{
    let owned_by = || format!("{} `{}`", O::kind(&()), owner.name_any());
    if let Some(namespace) = owner.namespace() {
        match metadata.namespace.clone() {
            None => {
                return Err(OwnerError::ClusterScoped {
                    object: display_object(kind, metadata),
                    owner: owned_by(),
                    namespace,
                });
            }
            Some(found) if found != namespace => {
                return Err(OwnerError::OtherNamespace {
                    object: display_object(kind, metadata),
                    owner: owned_by(),
                    found,
                    namespace,
                });
            }
            Some(_) => {}
        }
    }
    let reference = owner.owner_ref(&());
    reference.ok_or_else(|| OwnerError::NotStored { owner: owned_by() })
}

/// Returns the kind of an object for messages: the name of the Rust type, unless the object is
/// dynamic.
fn kind_of<K: Resource + 'static>(object: &K) -> String {
    let dynamic = (object as &dyn Any).downcast_ref::<DynamicObject>();
    let kind = dynamic.and_then(|dynamic| Some(&*dynamic.types.as_ref()?.kind));
    let of_type = type_name::<K>().rsplit("::").next().unwrap_or_default();
    kind.unwrap_or(of_type).to_owned()
}

/// Returns kind and name for messages.
fn display_object(kind: &str, metadata: &ObjectMeta) -> String {
    let name = metadata
        .name
        .as_deref()
        .or(metadata.generate_name.as_deref());
    format!("{kind} `{}`", name.unwrap_or_default())
}

fn replace_or_add_reference(reference: OwnerReference, metadata: &mut ObjectMeta) {
    let owners = metadata.owner_references.get_or_insert_default();
    match owners.iter_mut().find(|it| is_same_owner(it, &reference)) {
        Some(known) => *known = reference,
        None => owners.push(reference),
    }
}

/// Whether both references have the same group, kind and name. The uid is not compared, so that a
/// reference to a recreated owner, with another uid, replaces the old reference.
fn is_same_owner(one: &OwnerReference, other: &OwnerReference) -> bool {
    one.kind == other.kind
        && one.name == other.name
        && api_group(&one.api_version) == api_group(&other.api_version)
}

/// Returns the group of an `apiVersion`.
pub(crate) fn api_group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

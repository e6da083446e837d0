//! Owner references: controller-runtime's `controllerutil`.
//!
//! The API server deletes what an object owns when the object is gone, and a controller that
//! [owns](crate::Controller::owns) a kind is woken for the owner of a changed object. One of the
//! owners is the *controller*, which is the one that writes the object.

use std::any::{Any, type_name};

use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use genclient::kube::core::DynamicObject;
use genclient::kube::{Resource, ResourceExt};

/// An object cannot be owned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// Another object controls it already.
    #[error("{object} is controlled by {} `{}` already", .controller.kind, .controller.name)]
    AlreadyOwned {
        /// Kind and name of the object.
        object: String,
        /// Its controller.
        controller: Box<OwnerReference>,
    },
    /// The owner is in a namespace, and the object is not.
    #[error("{object} is in no namespace, and cannot be owned by {owner} in `{namespace}`")]
    ClusterScoped {
        /// Kind and name of the object.
        object: String,
        /// Kind and name of the owner.
        owner: String,
        /// The namespace of the owner.
        namespace: String,
    },
    /// The owner is in another namespace.
    #[error("{object} is in `{found}`, and cannot be owned by {owner} in `{namespace}`")]
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
    /// The owner has no name or no uid: it is not stored.
    #[error("{owner} has no uid: it is not one that was read from the API server")]
    NotStored {
        /// Kind and name of the owner.
        owner: String,
    },
}

/// Makes `owner` the controller of `object`: its only one, whose deletion in the foreground waits
/// for the object. What the object knows of the owner by another version or an earlier uid is
/// replaced.
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
/// See [`OwnerError`]; then the object has not changed.
pub fn set_controller_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource + 'static,
{
    let reference = OwnerReference {
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..reference(owner, object)?
    };
    let mut owners = object.owner_references().iter();
    let controller = owners.find(|it| it.controller == Some(true) && !is_same(it, &reference));
    if let Some(controller) = controller {
        return Err(OwnerError::AlreadyOwned {
            object: named(object),
            controller: Box::new(controller.clone()),
        });
    }
    set(reference, object);
    Ok(())
}

/// Makes `owner` one of the owners of `object`. Whether it is the controller stays as it is.
///
/// # Errors
///
/// See [`OwnerError`]; then the object has not changed.
pub fn set_owner_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource + 'static,
{
    let mut reference = reference(owner, object)?;
    let mut owners = object.owner_references().iter();
    if let Some(known) = owners.find(|it| is_same(it, &reference)) {
        reference.controller = known.controller;
        reference.block_owner_deletion = known.block_owner_deletion;
    }
    set(reference, object);
    Ok(())
}

/// Takes `owner` from the owners of `object`. Returns whether it was one.
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
    owners.retain(|it| !is_same(it, &owner));
    owners.len() < before
}

/// Whether `owner` is one of the owners of `object`, in whatever version, and with this uid.
pub fn has_owner_reference<O, K>(owner: &O, object: &K) -> bool
where
    O: Resource<DynamicType = ()>,
    K: Resource,
{
    let owners = object.owner_references().iter();
    let owner = owner.owner_ref(&());
    owner.is_some_and(|owner| { owners }.any(|it| is_same(it, &owner) && it.uid == owner.uid))
}

/// The controller of `object`, if it has one.
pub fn controller_of<K: Resource>(object: &K) -> Option<&OwnerReference> {
    let owners = object.meta().owner_references.iter().flatten();
    { owners }.find(|owner| owner.controller == Some(true))
}

/// The reference to `owner`, if `object` may have it.
fn reference<O, K>(owner: &O, object: &K) -> Result<OwnerReference, OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource + 'static,
{
    let owned_by = || format!("{} `{}`", O::kind(&()), owner.name_any());
    if let Some(namespace) = owner.namespace() {
        match object.namespace() {
            None => {
                return Err(OwnerError::ClusterScoped {
                    object: named(object),
                    owner: owned_by(),
                    namespace,
                });
            }
            Some(found) if found != namespace => {
                return Err(OwnerError::OtherNamespace {
                    object: named(object),
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

/// Kind and name. The kind of a type is the name of the type, but of a dynamic object.
fn named<K: Resource + 'static>(object: &K) -> String {
    let dynamic = (object as &dyn Any).downcast_ref::<DynamicObject>();
    let kind = dynamic.and_then(|dynamic| Some(&*dynamic.types.as_ref()?.kind));
    let of_type = type_name::<K>().rsplit("::").next().unwrap_or_default();
    format!("{} `{}`", kind.unwrap_or(of_type), object.name_any())
}

fn set<K: Resource>(reference: OwnerReference, object: &mut K) {
    let owners = object.owner_references_mut();
    match owners.iter_mut().find(|it| is_same(it, &reference)) {
        Some(known) => *known = reference,
        None => owners.push(reference),
    }
}

/// Whether both refer to the same object: by group, kind and name, since a recreated object has
/// another uid.
fn is_same(one: &OwnerReference, other: &OwnerReference) -> bool {
    one.kind == other.kind
        && one.name == other.name
        && group(&one.api_version) == group(&other.api_version)
}

/// The group of an `apiVersion`.
pub(crate) fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

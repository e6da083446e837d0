//! Finalizers, which delay the deletion of an object until a controller has cleaned up.

use genclient::kube::Resource;

/// Adds a finalizer to the object in memory. Returns `true` if it was absent: the caller then has
/// to write the object.
///
/// ```
/// use genclient_controller::finalizer;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let mut map = ConfigMap::default();
/// assert!(finalizer::add(&mut map, "falldio.com/cleanup"));
/// assert!(!finalizer::add(&mut map, "falldio.com/cleanup"));
/// assert!(finalizer::contains(&map, "falldio.com/cleanup"));
/// assert!(finalizer::remove(&mut map, "falldio.com/cleanup"));
/// ```
pub fn add<K: Resource>(object: &mut K, finalizer: &str) -> bool {
    let is_new = !contains(object, finalizer);
    if is_new {
        let finalizers = object.meta_mut().finalizers.get_or_insert_default();
        finalizers.push(finalizer.to_owned());
    }
    is_new
}

/// Removes every occurrence of a finalizer from the object in memory. Returns `true` if there was
/// one: the caller then has to write the object.
pub fn remove<K: Resource>(object: &mut K, finalizer: &str) -> bool {
    let was_there = contains(object, finalizer);
    if let Some(finalizers) = &mut object.meta_mut().finalizers {
        finalizers.retain(|known| known != finalizer);
    }
    was_there
}

/// Whether the object has the finalizer.
pub fn contains<K: Resource>(object: &K, finalizer: &str) -> bool {
    let mut finalizers = object.meta().finalizers.iter().flatten();
    finalizers.any(|known| known == finalizer)
}

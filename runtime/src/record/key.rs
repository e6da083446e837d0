//! Keys of events that belong together.

use k8s_openapi::api::core::v1::ObjectReference;

/// Returns the parts of a reference without `fieldPath` and resource version.
///
/// The resource version is excluded, since the object may change between two repetitions of an
/// event.
pub(super) fn object(reference: &ObjectReference) -> [&Option<String>; 5] {
    [
        &reference.kind,
        &reference.namespace,
        &reference.name,
        &reference.uid,
        &reference.api_version,
    ]
}

/// Joins parts with a separator. client-go uses none, so the keys of pod `a` in `bc` and pod `ab`
/// in `c` can collide.
pub(super) fn join<'a>(parts: impl IntoIterator<Item = &'a Option<String>>) -> String {
    parts
        .into_iter()
        .flat_map(|part| [part.as_deref().unwrap_or_default(), "\0"])
        .collect()
}

//! Keys by which similar or repeated events are grouped.

use k8s_openapi::api::core::v1::ObjectReference;

/// Returns the fields of a reference that identify the object. The resource version is not one of
/// them, since it may change between repetitions of an event. Callers add `fieldPath` where it
/// matters.
pub(super) fn object_fields(reference: &ObjectReference) -> [&Option<String>; 5] {
    [
        &reference.kind,
        &reference.namespace,
        &reference.name,
        &reference.uid,
        &reference.api_version,
    ]
}

/// Joins parts with a separator. client-go uses none, so Pod `bc` in namespace `a` and Pod `c` in
/// namespace `ab` may have the same key there.
pub(super) fn join_fields<'a>(parts: impl IntoIterator<Item = &'a Option<String>>) -> String {
    parts
        .into_iter()
        .flat_map(|part| [part.as_deref().unwrap_or_default(), "\0"])
        .collect()
}

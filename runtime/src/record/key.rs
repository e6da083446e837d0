//! Keys: what is the same in events that belong together.

use k8s_openapi::api::core::v1::ObjectReference;

/// The parts of a reference, but for its `fieldPath`.
///
/// The resource version is none of them: an object changes between two events that are the same to people.
pub(super) fn object(reference: &ObjectReference) -> [&Option<String>; 5] {
    [
        &reference.kind,
        &reference.namespace,
        &reference.name,
        &reference.uid,
        &reference.api_version,
    ]
}

/// client-go joins with nothing, so that the pod `a` in `bc` and the pod `ab` in `c` could be one.
pub(super) fn join<'a>(parts: impl IntoIterator<Item = &'a Option<String>>) -> String {
    parts
        .into_iter()
        .flat_map(|part| [part.as_deref().unwrap_or_default(), "\0"])
        .collect()
}

//! What was meant by a name that does not exist.

/// The candidate that is a letter or two away, whatever its case.
pub(super) fn closest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let name = name.to_lowercase();
    let limit = (name.len() / 3).max(1);
    let distances = candidates.into_iter().map(|candidate| {
        (
            strsim::osa_distance(&name, &candidate.to_lowercase()),
            candidate,
        )
    });
    distances
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

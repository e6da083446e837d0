//! Suggestions for misspelt names.

/// Returns the candidate with the smallest edit distance to `name`, ignoring case. The distance
/// must not exceed a third of the length of `name`; a distance of 1 is always allowed.
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

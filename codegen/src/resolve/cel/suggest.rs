//! Suggestions for misspelt names.

/// Returns the candidate with the smallest edit distance, ignoring case, if it is at most a third
/// of the name's length (at least 1).
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

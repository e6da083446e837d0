//! Comparison of resource versions: which of two states of a resource is newer.

use std::cmp::Ordering;

/// The resource version is malformed, so it cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("resource version is not well formed: {version}")]
#[non_exhaustive]
pub struct InvalidResourceVersionError {
    /// The resource version.
    pub version: String,
}

/// Compares the resource versions of two objects or lists of the same resource. The greater one is
/// newer. For different resources, the result is meaningless.
///
/// Since 1.35 (KEP-5504), Kubernetes guarantees that resource versions are decimal numbers of any
/// length. `0` is malformed: in a request it means any version, but no object has it.
///
/// ```
/// use std::cmp::Ordering;
/// use genclient::cache::compare_resource_versions;
///
/// assert_eq!(compare_resource_versions("99", "100")?, Ordering::Less);
/// # Ok::<(), genclient::cache::InvalidResourceVersionError>(())
/// ```
///
/// # Errors
///
/// [`InvalidResourceVersionError`] if either is not a number, is zero, or starts with a zero.
pub fn compare_resource_versions(
    a: &str,
    b: &str,
) -> Result<Ordering, InvalidResourceVersionError> {
    let (a, b) = (well_formed(a)?, well_formed(b)?);
    // Numbers without leading zeros: the longer one is the greater one.
    Ok((a.len(), a).cmp(&(b.len(), b)))
}

fn well_formed(version: &str) -> Result<&str, InvalidResourceVersionError> {
    let is_number = version.bytes().all(|digit| digit.is_ascii_digit());
    if is_number && !version.is_empty() && !version.starts_with('0') {
        return Ok(version);
    }
    Err(InvalidResourceVersionError {
        version: version.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client-go's `TestCompareResourceVersion`.
    #[test]
    fn resource_versions_of_any_length_are_compared() {
        let nines = "9".repeat(50);
        let more = format!("1{}", "0".repeat(50));
        for (a, b, expected) in [
            ("100", "200", Ok(Ordering::Less)),
            ("200", "100", Ok(Ordering::Greater)),
            ("1", "1", Ok(Ordering::Equal)),
            ("100", "100", Ok(Ordering::Equal)),
            ("99", "100", Ok(Ordering::Less)),
            ("100", "99", Ok(Ordering::Greater)),
            (&nines, &more, Ok(Ordering::Less)),
            (&more, &nines, Ok(Ordering::Greater)),
            (&more, &more, Ok(Ordering::Equal)),
            ("0", "1", Err("0")),
            ("1", "0", Err("0")),
            ("0", "0", Err("0")),
            ("0100", "100", Err("0100")),
            ("100", "0100", Err("0100")),
            ("", "100", Err("")),
            ("100", "", Err("")),
            ("100a", "100", Err("100a")),
            ("100", "100a", Err("100a")),
            ("-1", "1", Err("-1")),
            ("1", "٣", Err("٣")),
        ] {
            let expected = expected.map_err(|text| InvalidResourceVersionError {
                version: text.to_owned(),
            });
            assert_eq!(compare_resource_versions(a, b), expected, "{a:?} {b:?}");
        }
    }
}

//! Names of container images.

/// Returns the default pull policy: `Always` for the tag `latest` and for an image with neither tag
/// nor digest. Otherwise, and for an invalid image name, it is `IfNotPresent`.
pub(crate) fn default_pull_policy(image: &str) -> &'static str {
    let (name, digest) = match image.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (image, None),
    };
    let path = name.rfind('/').map_or(0, |at| at + 1);
    let (repository, tag) = match name[path..].find(':') {
        Some(at) => (&name[..path + at], Some(&name[path + at + 1..])),
        None => (name, None),
    };
    let latest = tag == Some("latest") || (tag.is_none() && digest.is_none());
    if latest && is_repository(repository) {
        "Always"
    } else {
        "IfNotPresent"
    }
}

/// Returns whether the part of an image name before tag and digest is valid: an optional host and
/// components in lower case.
fn is_repository(name: &str) -> bool {
    let mut components = name.split('/').peekable();
    if let Some(first) = components.peek() {
        let host = first.contains(['.', ':']) || *first == "localhost";
        if host && name.contains('/') {
            components.next();
        }
    }
    components.all(|component| {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let rest = |c: char| inner(c) || "._-".contains(c);
        component.starts_with(inner) && component.ends_with(inner) && component.chars().all(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_image_pull_policy_depends_on_the_tag() {
        for (image, policy) in [
            ("nginx", "Always"),
            ("nginx:latest", "Always"),
            ("nginx:1", "IfNotPresent"),
            ("host:5000/nginx", "Always"),
            ("host:5000/nginx:1", "IfNotPresent"),
            ("nginx@sha256:aa", "IfNotPresent"),
            ("", "IfNotPresent"),
            ("Nginx", "IfNotPresent"),
        ] {
            assert_eq!(default_pull_policy(image), policy, "{image}");
        }
    }
}

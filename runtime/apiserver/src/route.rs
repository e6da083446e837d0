//! Routing of requests: a path leads to a document or to objects. For objects, the method, the path
//! and the parameter `watch` give the verb.

use http::Method;

/// Destination of a request path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    /// `/`.
    Root,
    /// `/version`.
    Version,
    /// `/healthz`, `/livez`, `/readyz` or a check below them. The text lacks the first slash.
    Health(String),
    /// `/api`.
    CoreVersions,
    /// `/apis`.
    Groups,
    /// `/apis/GROUP`.
    Group(String),
    /// `/api/v1` or `/apis/GROUP/VERSION`.
    Resources { group: String, version: String },
    /// `/openapi` or a path below it. The text lacks `/openapi/`.
    OpenApi(String),
    /// Objects of a resource.
    Objects(RequestInfo),
    /// Any other path.
    Nothing,
}

/// Object or collection that a request refers to, from its path (`RequestInfo` in
/// k8s.io/apiserver/pkg/endpoints/request).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RequestInfo {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    /// Namespace; empty for cluster-scoped objects and for all namespaces.
    pub(crate) namespace: String,
    /// Name; empty for collections.
    pub(crate) name: String,
    /// Subresource; empty for the object itself.
    pub(crate) subresource: String,
    /// Whether the path has the deprecated segment `watch`, as in `/api/v1/watch/pods`.
    pub(crate) is_watch_path: bool,
}

impl Route {
    pub(crate) fn parse(path: &str) -> Self {
        if path == "/" {
            return Self::Root;
        }
        let path = percent_decode(path);
        let path = path.strip_suffix('/').unwrap_or(&path);
        let Some(path) = path.strip_prefix('/') else {
            return Self::Nothing;
        };
        let parts: Vec<_> = path.split('/').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Self::Nothing;
        }
        match &parts[..] {
            ["version"] => Self::Version,
            ["healthz" | "livez" | "readyz", ..] => Self::Health(parts.join("/")),
            ["openapi", rest @ ..] => Self::OpenApi(rest.join("/")),
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["apis", group] => Self::Group((*group).to_owned()),
            ["api", version] => Self::Resources {
                group: String::new(),
                version: (*version).to_owned(),
            },
            ["apis", group, version] => Self::Resources {
                group: (*group).to_owned(),
                version: (*version).to_owned(),
            },
            ["api", version, rest @ ..] => Self::parse_objects("", version, rest),
            ["apis", group, version, rest @ ..] => Self::parse_objects(group, version, rest),
            _ => Self::Nothing,
        }
    }

    fn parse_objects(group: &str, version: &str, rest: &[&str]) -> Self {
        let (is_watch_path, rest) = match rest {
            ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
            rest => (false, rest),
        };
        let objects = |namespace: &str, plural: &str, name: &str, subresource: &[&str]| {
            Self::Objects(RequestInfo {
                group: group.to_owned(),
                version: version.to_owned(),
                plural: plural.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                subresource: subresource.join("/"),
                is_watch_path,
            })
        };
        match rest {
            // The Namespace itself, not a resource in it (`namespaceSubresources`).
            ["namespaces", name, "status" | "finalize"] => {
                objects("", "namespaces", name, &rest[2..])
            }
            ["namespaces", namespace, plural] => objects(namespace, plural, "", &[]),
            ["namespaces", namespace, plural, name, subresource @ ..] => {
                objects(namespace, plural, name, subresource)
            }
            [plural] => objects("", plural, "", &[]),
            [plural, name, subresource @ ..] => objects("", plural, name, subresource),
            [] => Self::Nothing,
        }
    }
}

impl RequestInfo {
    /// Returns `plural` or `plural/subresource`.
    pub(crate) fn resource(&self) -> String {
        match &*self.subresource {
            "" => self.plural.clone(),
            subresource => format!("{}/{subresource}", self.plural),
        }
    }
}

/// Verb of a request for objects, as Kubernetes' authorization defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Reads an object.
    Get,
    /// Reads a collection.
    List,
    /// Watches a collection.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Patches an object.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes a collection.
    DeleteCollection,
}

impl Verb {
    /// Returns the verb of a request for objects, or `None` if objects do not support the method.
    pub(crate) fn from_method(
        method: &Method,
        target: &RequestInfo,
        is_watch: bool,
    ) -> Option<Self> {
        let is_collection = target.name.is_empty();
        Some(match *method {
            Method::GET if target.is_watch_path || is_watch && is_collection => Self::Watch,
            Method::GET if is_collection => Self::List,
            Method::GET => Self::Get,
            Method::POST => Self::Create,
            Method::PUT => Self::Update,
            Method::PATCH => Self::Patch,
            Method::DELETE if is_collection => Self::DeleteCollection,
            Method::DELETE => Self::Delete,
            _ => return None,
        })
    }

    /// Returns the verb as RBAC rules spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

/// Decodes `%xx` in a path or in a part of a query. Invalid escapes remain as they are.
pub(crate) fn percent_decode(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_paths_are_parsed_to_targets() {
        let target =
            |group: &str, plural: &str, namespace: &str, name: &str, sub: &str| RequestInfo {
                group: group.to_owned(),
                version: "v1".to_owned(),
                plural: plural.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                subresource: sub.to_owned(),
                is_watch_path: false,
            };
        for (path, expected) in [
            ("/api/v1/namespaces", target("", "namespaces", "", "", "")),
            (
                "/api/v1/namespaces/a",
                target("", "namespaces", "", "a", ""),
            ),
            (
                "/api/v1/namespaces/a/status",
                target("", "namespaces", "", "a", "status"),
            ),
            (
                "/api/v1/namespaces/a/pods/",
                target("", "pods", "a", "", ""),
            ),
            (
                "/apis/b.c/v1/w/x%20y/scale",
                target("b.c", "w", "", "x y", "scale"),
            ),
            (
                "/apis/b.c/v1/namespaces/a/w/x",
                target("b.c", "w", "a", "x", ""),
            ),
        ] {
            assert_eq!(Route::parse(path), Route::Objects(expected), "{path}");
        }
        assert_eq!(Route::parse("/api//v1/pods"), Route::Nothing);
        assert_eq!(Route::parse("/apis/b.c"), Route::Group("b.c".to_owned()));
        let watch = Route::parse("/apis/b.c/v1/watch/w");
        assert!(matches!(watch, Route::Objects(target) if target.is_watch_path));
    }
}

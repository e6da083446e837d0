//! [`Attributes`]: authorization attributes of a request, from method, path and query
//! (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).

use genclient_apimachinery::fields::FieldSelector;
use genclient_builtins::types::quoted;
use http::Method;

use super::user::User;
use crate::query::Query;
use crate::route::{RequestInfo, percent_decode};
use crate::status_error::StatusError;

/// Attributes by which a request is authorized.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Attributes {
    pub(crate) verb: String,
    /// Whether the request is for a resource. Other requests are authorized by their path.
    pub(crate) is_resource: bool,
    pub(crate) path: String,
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Attributes {
    /// Returns the attributes of a request (`RequestInfoFactory.NewRequestInfo`).
    pub(crate) fn from_request(method: &Method, path: &str, query: &Query) -> Self {
        let path = percent_decode(path);
        let parts: Vec<_> = match path.trim_matches('/') {
            "" => Vec::new(),
            path => path.split('/').collect(),
        };
        let mut attributes = Self {
            verb: method.as_str().to_lowercase(),
            ..Self::default()
        };
        let (group, rest) = match &*parts {
            ["api", _, rest @ ..] => ("", rest),
            ["apis", group, _, rest @ ..] => (*group, rest),
            _ => ("", &[][..]),
        };
        if !rest.is_empty() {
            attributes.is_resource = true;
            attributes.group = group.to_owned();
            attributes.parse_resource_path(method, rest, query);
        }
        attributes.path = path;
        attributes
    }

    /// Parses the path below the version:
    /// `[watch/|proxy/][namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]`.
    fn parse_resource_path(&mut self, method: &Method, parts: &[&str], query: &Query) {
        let by_method = match *method {
            Method::POST => "create",
            Method::GET | Method::HEAD => "get",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE => "delete",
            _ => "",
        };
        let (verb, mut parts) = match parts {
            [verb @ ("proxy" | "watch"), rest @ ..] => (*verb, rest),
            parts => (by_method, parts),
        };
        verb.clone_into(&mut self.verb);
        if let ["namespaces", namespace, rest @ ..] = parts {
            (*namespace).clone_into(&mut self.namespace);
            // In `namespaces/NS`, `namespaces/NS/status` and `namespaces/NS/finalize`, the resource
            // is the Namespace itself: `status` and `finalize` are its subresources, not resources
            // in it (`namespaceSubresources`).
            if !matches!(rest, [] | ["status" | "finalize", ..]) {
                parts = rest;
            }
        }
        let part = |index: usize| (*parts.get(index).unwrap_or(&"")).to_owned();
        self.resource = part(0);
        self.name = part(1);
        // The segments after a proxied object are the path of the proxied request
        // (`specialVerbsNoSubresources`).
        if self.verb != "proxy" {
            self.subresource = part(2);
        }
        self.set_collection_verb(query);
    }

    /// Sets the verb of a request for a collection, and the name if the field selector contains
    /// `metadata.name=NAME`.
    fn set_collection_verb(&mut self, query: &Query) {
        if !self.name.is_empty() {
            return;
        }
        if self.verb == "get" {
            let verb = if query.is_set("watch") {
                "watch"
            } else {
                "list"
            };
            verb.clone_into(&mut self.verb);
            // If one parameter cannot be decoded, kube-apiserver drops all options except `watch`,
            // and with them the field selector.
            let options_valid =
                query.number("limit").is_ok() && query.number("timeoutSeconds").is_ok();
            let fields = FieldSelector::parse(query.text("fieldSelector"))
                .ok()
                .filter(|_| options_valid)
                .unwrap_or_default();
            let name = fields
                .0
                .into_iter()
                .find(|requirement| requirement.field == "metadata.name" && requirement.is_equal)
                .map(|requirement| requirement.value);
            // `IsPathSegmentName` of k8s.io/apimachinery/pkg/api/validate/content.
            let is_path_segment =
                |name: &String| !matches!(&**name, "" | "." | "..") && !name.contains(['/', '%']);
            if let Some(name) = name.filter(is_path_segment) {
                self.name = name;
            }
        } else if self.verb == "delete" {
            "deletecollection".clone_into(&mut self.verb);
        }
    }

    /// Returns the attributes of a request with `verb` for `target`.
    pub(crate) fn for_object(verb: &str, target: &RequestInfo) -> Self {
        Self {
            verb: verb.to_owned(),
            is_resource: true,
            group: target.group.clone(),
            resource: target.plural.clone(),
            subresource: target.subresource.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            path: String::new(),
        }
    }

    /// Returns the attributes of a request with `verb` for a resource outside any namespace.
    pub(crate) fn for_resource(verb: &str, group: &str, resource: &str, name: &str) -> Self {
        Self {
            verb: verb.to_owned(),
            is_resource: true,
            group: group.to_owned(),
            resource: resource.to_owned(),
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Returns `resource` or `resource/subresource`.
    pub(crate) fn combined(&self) -> String {
        match &*self.subresource {
            "" => self.resource.clone(),
            subresource => format!("{}/{subresource}", self.resource),
        }
    }

    /// Returns the 403 for a request that is not allowed (`ForbiddenStatusError` in
    /// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go). As there, the message is
    /// escaped so that it does not look like HTML, and the reason is not.
    pub(crate) fn forbidden(&self, user: &User, reason: &str) -> StatusError {
        let message = self
            .message(user)
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let reason = match reason {
            "" => message,
            reason => format!("{message}: {reason}"),
        };
        StatusError::forbidden(&self.group, &self.resource, &self.name, &reason)
    }

    fn message(&self, user: &User) -> String {
        let (user, verb) = (quoted(&user.name), &self.verb);
        if !self.is_resource {
            return format!("User {user} cannot {verb} path {}", quoted(&self.path));
        }
        let resource = quoted(&self.combined());
        let scope = match &*self.namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {}", quoted(namespace)),
        };
        let group = quoted(&self.group);
        format!("User {user} cannot {verb} resource {resource} in API group {group} {scope}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_attributes_match_kube_apiserver() {
        for (method, path, query, expected) in [
            (Method::GET, "/api/v1/pods", "", "list pods"),
            (Method::GET, "/api/v1/pods", "watch=1", "watch pods"),
            (Method::GET, "/api/v1/watch/pods", "", "watch pods"),
            (
                Method::GET,
                "/api/v1/namespaces/a",
                "",
                "get namespaces a/a",
            ),
            (
                Method::PUT,
                "/api/v1/namespaces/a/finalize",
                "",
                "update namespaces/finalize a/a",
            ),
            (
                Method::DELETE,
                "/api/v1/namespaces/a/pods",
                "",
                "deletecollection pods a/",
            ),
            (
                Method::GET,
                "/api/v1/namespaces/a/pods/b/log/",
                "",
                "get pods/log a/b",
            ),
            (
                Method::GET,
                "/apis/b.c/v1/w",
                "fieldSelector=metadata.name%3Dd",
                "list w.b.c /d",
            ),
            (Method::HEAD, "/apis/b.c/v1/w/x", "", "get w.b.c /x"),
            (Method::OPTIONS, "/apis/b.c/v1/w/x", "", " w.b.c /x"),
            (Method::GET, "/apis/b.c/v1", "", "get /apis/b.c/v1"),
            (Method::POST, "/", "", "post /"),
        ] {
            let found = Attributes::from_request(&method, path, &Query::parse(query));
            let group = match &*found.group {
                "" => String::new(),
                group => format!(".{group}"),
            };
            let path = match (&*found.namespace, &*found.name) {
                ("", "") => String::new(),
                (namespace, name) => format!(" {namespace}/{name}"),
            };
            let printed = if found.is_resource {
                format!("{} {}{group}{path}", found.verb, found.combined())
            } else {
                format!("{} {}", found.verb, found.path)
            };
            assert_eq!(printed, expected, "{method} {path}");
        }
    }
}

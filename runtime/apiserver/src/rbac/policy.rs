//! RBAC rules, roles and bindings as they are stored, and the evaluation of rules
//! (pkg/apis/rbac/v1/evaluation_helpers.go).

use std::collections::HashMap;
use std::sync::Arc;

use genclient_builtins::types::quoted;
use serde::{Deserialize, Deserializer};

use super::attributes::Attributes;
use super::user::{User, is_service_account};
use crate::stored::Stored;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PolicyRule {
    #[serde(deserialize_with = "null_as_empty")]
    pub(crate) verbs: Vec<String>,
    #[serde(deserialize_with = "null_as_empty")]
    pub(crate) api_groups: Vec<String>,
    #[serde(deserialize_with = "null_as_empty")]
    pub(crate) resources: Vec<String>,
    #[serde(deserialize_with = "null_as_empty")]
    pub(crate) resource_names: Vec<String>,
    #[serde(rename = "nonResourceURLs", deserialize_with = "null_as_empty")]
    pub(crate) non_resource_urls: Vec<String>,
}

/// Rules of a Role or ClusterRole.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Role {
    #[serde(deserialize_with = "null_as_empty")]
    pub(crate) rules: Vec<PolicyRule>,
}

/// A RoleBinding or ClusterRoleBinding.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Binding {
    #[serde(skip)]
    pub(crate) name: String,
    /// Namespace of a RoleBinding. Empty for a ClusterRoleBinding.
    #[serde(skip)]
    pub(crate) namespace: String,
    #[serde(deserialize_with = "null_as_empty")]
    pub(crate) subjects: Vec<Subject>,
    pub(crate) role_ref: RoleRef,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Subject {
    kind: String,
    name: String,
    namespace: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RoleRef {
    pub(crate) api_group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// Deserializes a list that may be `null`, as Go encodes a nil slice.
fn null_as_empty<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Cache of decoded roles and bindings by uid, each with its resource version.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    roles: HashMap<String, (u64, Arc<Role>)>,
    bindings: HashMap<String, (u64, Arc<Binding>)>,
}

/// Number of entries above which a map of the [`Cache`] is cleared.
const MAX_CACHED: usize = 4096;

impl Cache {
    pub(crate) fn role(&mut self, stored: &Stored) -> Arc<Role> {
        decode_cached(&mut self.roles, stored, || {
            serde_json::from_value(stored.value()).unwrap_or_default()
        })
    }

    pub(crate) fn binding(&mut self, stored: &Stored) -> Arc<Binding> {
        decode_cached(&mut self.bindings, stored, || Binding {
            name: stored.name.clone(),
            namespace: stored.namespace.clone(),
            ..serde_json::from_value(stored.value()).unwrap_or_default()
        })
    }
}

fn decode_cached<T>(
    entries: &mut HashMap<String, (u64, Arc<T>)>,
    stored: &Stored,
    decode: impl FnOnce() -> T,
) -> Arc<T> {
    if let Some((version, entry)) = entries.get(&stored.uid)
        && *version == stored.version()
    {
        return Arc::clone(entry);
    }
    if entries.len() > MAX_CACHED {
        entries.clear();
    }
    let entry = Arc::new(decode());
    let value = (stored.version(), Arc::clone(&entry));
    entries.insert(stored.uid.clone(), value);
    entry
}

impl Binding {
    /// Returns the first subject that matches the user.
    pub(crate) fn subject(&self, user: &User) -> Option<&Subject> {
        let mut subjects = self.subjects.iter();
        subjects.find(|subject| subject.matches(user, &self.namespace))
    }
}

impl Subject {
    fn matches(&self, user: &User, namespace: &str) -> bool {
        match &*self.kind {
            "User" => user.name == self.name,
            "Group" => user.is_in(&self.name),
            // `appliesToUser` in rule.go: without a namespace, which validation forbids in a
            // ClusterRoleBinding, a service account matches nobody.
            "ServiceAccount" => {
                let namespace = self.namespace_in(namespace);
                !namespace.is_empty() && is_service_account(&user.name, namespace, &self.name)
            }
            _ => false,
        }
    }

    /// Returns the namespace of a service account. Default: the namespace of the binding.
    fn namespace_in<'a>(&'a self, binding_namespace: &'a str) -> &'a str {
        match &*self.namespace {
            "" => binding_namespace,
            namespace => namespace,
        }
    }

    /// Describes the subject in the reason of a decision (`describeSubject` in
    /// pkg/registry/rbac/validation/rule.go): the name of a service account, then its namespace.
    pub(crate) fn describe(&self, binding_namespace: &str) -> String {
        let name = match &*self.kind {
            "ServiceAccount" => {
                format!("{}/{}", self.name, self.namespace_in(binding_namespace))
            }
            _ => self.name.clone(),
        };
        format!("{} {}", self.kind, quoted(&name))
    }
}

impl PolicyRule {
    /// Returns whether the rule allows a request.
    pub(crate) fn allows(&self, request: &Attributes) -> bool {
        let has =
            |list: &[String], wanted: &str| list.iter().any(|one| one == "*" || one == wanted);
        if !has(&self.verbs, &request.verb) {
            return false;
        }
        if !request.is_resource {
            let mut urls = self.non_resource_urls.iter();
            return urls.any(|url| url == "*" || covers_path(url, &request.path));
        }
        let names = &self.resource_names;
        has(&self.api_groups, &request.group)
            && self.allows_resource(request)
            && (names.is_empty() || names.contains(&request.name))
    }

    fn allows_resource(&self, request: &Attributes) -> bool {
        let combined = request.combined();
        let subresource = &*request.subresource;
        self.resources.iter().any(|resource| {
            // `*/scale` is the subresource of every resource. `pods/*` is not a pattern
            // (`ResourceMatches`).
            let any_resource_with = resource.strip_prefix("*/");
            resource == "*"
                || *resource == combined
                || !subresource.is_empty() && any_resource_with == Some(subresource)
        })
    }

    /// Formats the rule for a message: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`
    /// (`CompactString`).
    pub(crate) fn to_compact_string(&self) -> String {
        let fields = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let set: Vec<_> = fields
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(name, list)| format!("{name}:{}", quote_list(list)))
            .collect();
        format!("{{{}}}", set.join(", "))
    }
}

/// Returns whether the path in a rule covers another path: `/api/*` covers `/api/v1`
/// (`NonResourceURLMatches`).
pub(crate) fn covers_path(rule: &str, path: &str) -> bool {
    rule == path || rule.ends_with('*') && path.starts_with(rule.trim_end_matches('*'))
}

/// Formats a list of strings as Go's `%q` does.
pub(crate) fn quote_list(list: &[String]) -> String {
    let list: Vec<_> = list.iter().map(|one| quoted(one)).collect();
    format!("[{}]", list.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rbac_rules_match_resources_names_and_paths() {
        let rule = |rule| serde_json::from_value::<PolicyRule>(rule).unwrap();
        let pods = |resources: &[&str], names: &[&str]| {
            rule(json!({
                "verbs": ["get"], "apiGroups": [""], "resources": resources, "resourceNames": names,
            }))
        };
        let mut request = Attributes::for_resource("get", "", "pods", "a");
        assert!(pods(&["pods"], &[]).allows(&request));
        assert!(pods(&["*"], &["b", "a"]).allows(&request));
        assert!(!pods(&["pods/log", "*/log"], &[]).allows(&request));
        assert!(!pods(&["pods"], &["b"]).allows(&request));
        "log".clone_into(&mut request.subresource);
        assert!(pods(&["*/log"], &[]).allows(&request));
        assert!(pods(&["pods/log"], &[]).allows(&request));
        assert!(!pods(&["pods", "*/status", "pods/*"], &[]).allows(&request));
        let paths = rule(json!({ "verbs": ["*"], "nonResourceURLs": ["/api/*", "/version"] }));
        for (path, expected) in [("/api/v1", true), ("/api", false), ("/version/", false)] {
            let request = Attributes {
                verb: "get".to_owned(),
                path: path.to_owned(),
                ..Attributes::default()
            };
            assert_eq!(paths.allows(&request), expected, "{path}");
        }
    }
}

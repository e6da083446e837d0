//! Validation of RBAC roles and role bindings (pkg/apis/rbac/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::findings::{Causes, invalid_struct, items, supported, text};
use crate::builtins::{names, selectors};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(crate) fn rbac(kind: &str, object: &Value, out: &mut Causes) {
    let namespaced = !kind.starts_with("Cluster");
    if kind.ends_with("Binding") {
        return binding(object, namespaced, out);
    }
    for (at, rule) in items(object, "rules").iter().enumerate() {
        policy_rule(rule, namespaced, &format!("rules[{at}]"), out);
    }
    let Some(aggregation) = object.get("aggregationRule").filter(|rule| !rule.is_null()) else {
        return;
    };
    let path = "aggregationRule.clusterRoleSelectors";
    let found = items(aggregation, "clusterRoleSelectors");
    if found.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        out.push(Cause::required(path, detail));
    }
    for (at, selector) in found.iter().enumerate() {
        let (before, path) = (out.len(), format!("{path}[{at}]"));
        selectors::selector(selector, &path, out);
        if out.len() > before {
            out.push(Cause::invalid(
                path,
                &Value::Null,
                "invalid label selector.",
            ));
        }
    }
}

fn policy_rule(rule: &Value, namespaced: bool, path: &str, out: &mut Causes) {
    let has = |name: &str| !items(rule, name).is_empty();
    if !has("verbs") {
        let detail = "verbs must contain at least one value";
        out.push(Cause::required(format!("{path}.verbs"), detail));
    }
    if has("nonResourceURLs") {
        let (field, urls) = (format!("{path}.nonResourceURLs"), &rule["nonResourceURLs"]);
        if namespaced {
            let detail = "namespaced rules cannot apply to non-resource URLs";
            out.push(Cause::invalid(field.clone(), urls, detail));
        }
        if has("apiGroups") || has("resources") || has("resourceNames") {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            out.push(Cause::invalid(field, urls, detail));
        }
        return;
    }
    for (name, what) in [("apiGroups", "api group"), ("resources", "resource")] {
        if !has(name) {
            let detail = format!("resource rules must supply at least one {what}");
            out.push(Cause::required(format!("{path}.{name}"), &detail));
        }
    }
}

fn binding(object: &Value, namespaced: bool, out: &mut Causes) {
    let role = &object["roleRef"];
    supported(
        "roleRef.apiGroup".to_owned(),
        &role["apiGroup"],
        &[GROUP],
        out,
    );
    let kinds: &[&str] = match namespaced {
        true => &["Role", "ClusterRole"],
        false => &["ClusterRole"],
    };
    supported("roleRef.kind".to_owned(), &role["kind"], kinds, out);
    let name = text(role, "name");
    if name.is_empty() {
        out.push(Cause::required("roleRef.name", ""));
    } else {
        names::report("roleRef.name", name, names::path_segment(name), out);
    }
    for (at, one) in items(object, "subjects").iter().enumerate() {
        subject(one, namespaced, &format!("subjects[{at}]"), out);
    }
}

fn subject(subject: &Value, namespaced: bool, path: &str, out: &mut Causes) {
    let name = text(subject, "name");
    if name.is_empty() {
        out.push(Cause::required(format!("{path}.name"), ""));
    }
    let group = format!("{path}.apiGroup");
    match text(subject, "kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                names::report(&format!("{path}.name"), name, names::subdomain(name), out);
            }
            supported(group, &subject["apiGroup"], &[""], out);
            if !namespaced && text(subject, "namespace").is_empty() {
                out.push(Cause::required(format!("{path}.namespace"), ""));
            }
        }
        "User" | "Group" => supported(group, &subject["apiGroup"], &[GROUP], out),
        _ => {
            let kinds = ["ServiceAccount", "User", "Group"];
            supported(format!("{path}.kind"), &subject["kind"], &kinds, out);
        }
    }
}

/// Checks that an update of a binding does not change its role.
pub(crate) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    let [role, before] = [new, old].map(|object| &object["roleRef"]);
    if role == before {
        return;
    }
    let printed = ["apiGroup", "kind", "name"].map(|name| Value::from(text(role, name)));
    let [group, kind, name] = printed;
    let printed = format!("{{\"APIGroup\":{group},\"Kind\":{kind},\"Name\":{name}}}");
    out.push(invalid_struct("roleRef", &printed, "cannot change roleRef"));
}

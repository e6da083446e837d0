//! Defaults of Pods, containers and probes (pkg/apis/core/v1, defaults.go).

use serde_json::{Value, json};

use crate::builtins::members::{change_member, items_mut, member_text, set_default};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "Pod" => change_member(members, "spec", pod),
        "PodSpec" => pod_spec(members),
        "Container" | "EphemeralContainer" => {
            let policy = pull_policy(member_text(members, "image"));
            set_default(members, "imagePullPolicy", policy);
            set_default(members, "terminationMessagePath", "/dev/termination-log");
            set_default(members, "terminationMessagePolicy", "File");
        }
        "ContainerPort" => set_default(members, "protocol", "TCP"),
        "Probe" => {
            set_default(members, "timeoutSeconds", 1);
            set_default(members, "periodSeconds", 10);
            set_default(members, "successThreshold", 1);
            set_default(members, "failureThreshold", 3);
        }
        "HTTPGetAction" => {
            set_default(members, "path", "/");
            set_default(members, "scheme", "HTTP");
        }
        "GRPCAction" => set_default(members, "service", ""),
        "ObjectFieldSelector" => set_default(members, "apiVersion", "v1"),
        "FileKeySelector" => set_default(members, "optional", false),
        _ => {}
    }
}

fn pod(spec: &mut Object) {
    for list in ["containers", "initContainers"] {
        for container in items_mut(spec, list) {
            if let Some(Value::Object(resources)) = container.get_mut("resources") {
                requests_from_limits(resources);
            }
        }
    }
    if let Some(Value::Object(resources)) = spec.get_mut("resources") {
        requests_from_limits(resources);
    }
    set_default(spec, "enableServiceLinks", true);
    if spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        for list in ["containers", "initContainers"] {
            for container in items_mut(spec, list) {
                for port in items_mut(container, "ports") {
                    let number = port.get("containerPort").cloned().unwrap_or_default();
                    set_default(port, "hostPort", number);
                }
            }
        }
    }
}

fn requests_from_limits(resources: &mut Object) {
    let Some(Value::Object(limits)) = resources.get("limits").cloned() else {
        return;
    };
    change_member(resources, "requests", |requests| {
        for (name, limit) in limits {
            requests.entry(name).or_insert(limit);
        }
    });
}

fn pod_spec(spec: &mut Object) {
    set_default(spec, "dnsPolicy", "ClusterFirst");
    set_default(spec, "restartPolicy", "Always");
    set_default(spec, "securityContext", json!({}));
    set_default(spec, "terminationGracePeriodSeconds", 30);
    set_default(spec, "schedulerName", "default-scheduler");
    // As in Kubernetes' conversion, `serviceAccount` and `serviceAccountName` get the same value.
    // If both are set, the value of `serviceAccountName` is used.
    let account = match member_text(spec, "serviceAccountName") {
        "" => member_text(spec, "serviceAccount").to_owned(),
        name => name.to_owned(),
    };
    if account.is_empty() {
        spec.remove("serviceAccount");
    } else {
        spec.insert("serviceAccountName".to_owned(), account.clone().into());
        spec.insert("serviceAccount".to_owned(), account.into());
    }
}

/// Returns the default pull policy: `Always` for the tag `latest` and for an image with neither tag
/// nor digest. Otherwise, and for an invalid image name, it is `IfNotPresent`.
pub(crate) fn pull_policy(image: &str) -> &'static str {
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
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
